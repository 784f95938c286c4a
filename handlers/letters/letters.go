// Package letters words the mails of purchases: what a client is told and where
// the link leads. It must not know when a mail is due or how it is sent.
package letters

import (
	"cmp"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/handlers/papers"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/emails"
)

// Writer implements purchase.Letters and billing.Letters.
type Writer struct {
	Base   string         // the public address of the product, such as https://desk.example.co.za
	Window mandate.Window // when clients can be asked in real time; zero: the scheme's
	Limits mandate.Limits // how long they have to answer; zero: the scheme's
}

var (
	_ purchase.Letters = Writer{}
	_ billing.Letters  = Writer{}
)

// AccountLink asks the client to give the bank details on the hosted page.
func (w Writer) AccountLink(p purchase.Purchase, b merchant.Brand) mail.Letter {
	v := start(p, b, "Set up your debit order with "+b.Name)
	v.Preview = "Enter your bank details on a secure page; it takes two minutes."
	v.Paragraphs = []string{b.Name +
		" asks for your bank details, so that it can collect what you owe it by EFT debit order. " +
		"You see the terms before you agree to them."}
	terms := asksBank(p)
	if terms != nil {
		v.Paragraphs = []string{b.Name + " asks for your permission to collect what you owe it by DebiCheck debit order. " +
			"You give your bank details and see the terms; then your bank asks you to confirm them. " + before(terms),
			w.confirming(terms)}
	}
	v.Facts = []emails.Line{{Label: "Reference", Value: reference(p)}}
	switch {
	case p.TotalCents == 0 || p.Options.SkipCapture:
		v.Paragraphs = append(v.Paragraphs, stored(terms))
	case p.DueGiven:
		v.Paragraphs = append(v.Paragraphs,
			"The first debit order follows on the due date, or as soon after you have agreed as the banks allow.")
		v.Facts = append(v.Facts, due(p), total("First debit order", p))
	default:
		v.Paragraphs = append(v.Paragraphs, "The first debit order follows as soon after you have agreed as the banks allow.")
		v.Facts = append(v.Facts, total("First debit order", p))
	}
	if terms != nil {
		v.Facts = append(v.Facts, emails.Line{Label: "Never more than",
			Value: money.Format(terms.MaxAmountCents, p.Currency) + " a debit"})
	}
	v.Button = emails.Button{Label: "Enter my bank details", URL: w.link(p)}
	v.After = []string{
		"Enter your details on that page only, never by mail or telephone. We never ask for your PIN or password.",
		unexpected(b)}
	return letter(v)
}

func stored(terms *mandate.Terms) string {
	if terms != nil {
		return "Your account is stored only: no money is taken when you confirm."
	}
	return "Your account is stored only: no money is taken when you give your details."
}

// asksBank are the terms that the client confirms at their own bank; nil for EFT.
func asksBank(p purchase.Purchase) *mandate.Terms {
	if p.Details.DirectDebit == nil {
		return nil
	}
	return p.Details.DirectDebit.Terms
}

func before(t *mandate.Terms) string {
	if t.DelayedOnFailure { // the fallback may be registered without an answer
		return "Nothing is debited before your bank has asked you."
	}
	return "Nothing is debited before you have confirmed."
}

// confirming says how the bank will ask (source: authentication_type).
func (w Writer) confirming(t *mandate.Terms) string {
	limits := cmp.Or(w.Limits, mandate.DefaultLimits())
	if t.Authentication == mandate.RealTime {
		window := cmp.Or(w.Window, mandate.DefaultWindow())
		return fmt.Sprintf(
			"Keep your phone at hand, and open the link between %s and %s: your bank asks you there at once, "+
				"and you have %s to answer.",
			window.Opens,
			window.Closes,
			limits.Span(mandate.RealTime),
		)
	}
	return "Your bank asks you by SMS, and you have " + limits.Span(mandate.Delayed) +
		" to answer; you can also do so in your banking app, by cellphone banking, at an ATM or in a branch."
}

func attachedWords(paper billing.Paper) string {
	if paper.Number == "" {
		return ""
	}
	return " It is attached as a PDF."
}

// Invoice asks the client to pay, or says when the account is debited. Its words are those of the page and the PDF.
func (w Writer) Invoice(paper billing.Paper) mail.Letter {
	p, said := paper.Purchase, papers.Of(paper)
	v := startOf(p, paper.Issuer, fmt.Sprintf("Invoice %s from %s", cmp.Or(paper.Number, reference(p)), paper.Issuer.Name))
	v.Preview = money.Format(p.TotalCents, p.Currency) + " to pay"
	v.Paragraphs = []string{fmt.Sprintf("This is your invoice from %s. You can look at it and pay it online.%s",
		paper.Issuer.Name, attachedWords(paper))}
	label := "To pay"
	v.Button = emails.Button{Label: "View and pay", URL: w.link(p)}
	if d := paper.Debit; d != nil {
		label = "To be debited"
		planned := fmt.Sprintf("%s will be debited from your account %s on %s.", money.Format(p.TotalCents, p.Currency),
			papers.Account(*d), d.On.Format("Monday "+day))
		v.Preview = "You do not need to pay it yourself: debit on " + d.On.Format(day)
		switch {
		case d.OnHold:
			label, v.Preview = "Amount", "Nothing is debited for now, and you do not need to pay it yet"
			planned = fmt.Sprintf("The debit of %s from your account %s is on hold. %s will tell you how it is collected.",
				money.Format(p.TotalCents, p.Currency), papers.Account(*d), paper.Issuer.Name)
		case d.State.Collected():
			planned = fmt.Sprintf("%s was debited from your account %s on %s.", money.Format(p.TotalCents, p.Currency),
				papers.Account(*d), d.On.Format("Monday "+day))
		default:
			planned += " Please make sure that the money is in the account on that day."
		}
		v.Paragraphs = []string{fmt.Sprintf("This is your invoice from %s.%s You do not need to pay it yourself.",
			paper.Issuer.Name, attachedWords(paper)), planned}
		v.Button.Label = "View the invoice"
	}
	v.document(said, label)
	v.After = []string{unexpectedOf(paper.Issuer)}
	return letter(v.View)
}

// CreditNote tells that an invoice was taken back.
func (w Writer) CreditNote(paper billing.Paper) mail.Letter {
	v := startOf(paper.Purchase, paper.Issuer, fmt.Sprintf("Credit note %s from %s", paper.Number, paper.Issuer.Name))
	v.Message = ""
	v.Preview = "Invoice " + paper.Cancels + " is credited"
	said := "%s has credited invoice %s. You no longer need to pay it. The credit note is attached as a PDF."
	if paper.RefundID != uuid.Nil {
		v.Preview = money.Format(paper.TotalCents, paper.Currency) + " of invoice " + paper.Cancels + " is credited"
		said = "%s has paid " + money.Format(paper.TotalCents, paper.Currency) +
			" of invoice %s back to you. The credit note is attached as a PDF."
	}
	v.Paragraphs = []string{fmt.Sprintf(said, paper.Issuer.Name, paper.Cancels)}
	v.document(papers.Of(paper), "Credited")
	v.After = []string{unexpectedOf(paper.Issuer)}
	return letter(v.View)
}

// paperMail is a mail about a document.
type paperMail struct{ emails.View }

// document lists what the document says, its total under a label of the mail's own.
func (v *paperMail) document(said papers.Words, total string) {
	for _, l := range said.Lines {
		label := l.Text
		if l.Quantity != "" {
			label += " (" + l.Quantity + ")"
		}
		v.Lines = append(v.Lines, emails.Line{Label: label, Value: l.Amount})
	}
	for _, f := range said.Facts {
		if f.Label == "Number" {
			f.Label = said.Title
		}
		v.Facts = append(v.Facts, emails.Line{Label: f.Label, Value: f.Value})
	}
	for _, s := range said.Sums {
		if s.Total {
			s.Label = total
		}
		v.Facts = append(v.Facts, emails.Line{Label: s.Label, Value: s.Amount, Strong: s.Total})
	}
}

func startOf(p purchase.Purchase, from billing.Party, title string) *paperMail {
	return &paperMail{start(p, brandOf(from), title)}
}

func unexpectedOf(from billing.Party) string { return unexpected(brandOf(from)) }

// brandOf is what a mail says of its sender, as it was when the document was issued.
func brandOf(p billing.Party) merchant.Brand {
	return merchant.Brand{
		BrandInput: merchant.BrandInput{Name: p.Name, LegalName: p.LegalName, RegistrationNumber: p.Registration,
			TaxNumber: p.VATNumber, Website: p.Website, Email: p.Email, Phone: p.Phone, StreetAddress: p.Street, City: p.City,
			ZipCode: p.ZipCode},
	}
}

// Receipt confirms a payment.
func (w Writer) Receipt(p purchase.Purchase, b merchant.Brand) mail.Letter {
	v := start(p, b, fmt.Sprintf("%s has received your payment", b.Name))
	v.Message = ""
	v.Lines = lines(p)
	paid := total("Paid", p)
	v.Facts = []emails.Line{{Label: "Reference", Value: reference(p)}}
	if p.Payment != nil {
		paid.Value = money.Format(p.Payment.AmountCents, p.Currency)
		v.Facts = append(v.Facts, emails.Line{Label: "Date", Value: calendar.DateOf(p.Payment.PaidOn).Format(day)})
	}
	v.Facts = append(v.Facts, paid)
	v.Preview = paid.Value
	v.Paragraphs = []string{"Thank you. Your payment was received."}
	if !p.MarkedAsPaid && p.PaidBy() != purchase.DebiCheck { // a DebiCheck payment is final at once
		v.Paragraphs = append(v.Paragraphs, fmt.Sprintf(
			"It was a debit order. Should your bank still return it, %s will let you know.", b.Name))
	}
	if p.Payment != nil {
		v.Paragraphs[0] += " The receipt is attached as a PDF."
	}
	v.Button = emails.Button{Label: "View the receipt", URL: w.link(p)}
	if p.SubscriberID != uuid.Nil {
		v.After = append(v.After, "This payment belongs to a subscription. See when you pay next, or stop it: "+w.link(p)+
			"subscription/")
	}
	return letter(v)
}

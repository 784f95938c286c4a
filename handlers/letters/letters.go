// Package letters words the mails of purchases: what a client is told and where
// the link leads. It must not know when a mail is due or how it is sent.
package letters

import (
	"cmp"

	"github.com/google/uuid"

	"debitdesk/handlers/papers"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/wording"
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

// toPayer words a mail about a purchase in the language in which its client reads.
func toPayer(p purchase.Purchase, b merchant.Brand, build func(locale.Words) emails.View) mail.Letter {
	return letter(locale.Whole(b.Reads(p.Payer.Language, p.Details.Language), build))
}

// AccountLink asks the client to give the bank details on the hosted page.
func (w Writer) AccountLink(p purchase.Purchase, b merchant.Brand) mail.Letter {
	return toPayer(p, b, func(say locale.Words) emails.View { return w.accountLink(say, p, b) })
}

func (w Writer) accountLink(say locale.Words, p purchase.Purchase, b merchant.Brand) emails.View {
	v := w.begin(say, p, b, say.Say("mail.account.subject", "business", b.Name))
	v.Preview = say.Say("mail.account.preview")
	v.Paragraphs = []string{say.Say("mail.account.text", "business", b.Name)}
	terms := asksBank(p)
	if terms != nil {
		v.Paragraphs = []string{say.Say("mail.asks.text", "business", b.Name) + " " + before(say, terms),
			w.confirming(say, terms)}
	}
	v.Facts = []emails.Line{{Label: say.Say("pay.reference"), Value: reference(p)}}
	switch {
	case p.TotalCents == 0 || p.Options.SkipCapture:
		v.Paragraphs = append(v.Paragraphs, stored(say, terms))
	case p.DueGiven:
		v.Paragraphs = append(v.Paragraphs, say.Say("mail.account.due"))
		v.Facts = append(v.Facts, due(say, p), total(say.Say("mail.account.first"), p))
	default:
		v.Paragraphs = append(v.Paragraphs, say.Say("mail.account.soon"))
		v.Facts = append(v.Facts, total(say.Say("mail.account.first"), p))
	}
	if terms != nil {
		v.Facts = append(v.Facts, most(say, terms, p.Currency))
	}
	v.Button = emails.Button{Label: say.Say("mail.account.button"), URL: w.link(p)}
	v.After = []string{say.Say("mail.secure"), unexpectedIn(say, b)}
	own(&v, say, b, p.Payer, purchase.MailLink, values{wording.Reference: reference(p)})
	return v
}

// aboutPaper words a mail about a document in the language in which its client reads.
func aboutPaper(paper billing.Paper, build func(locale.Words) emails.View) mail.Letter {
	l, _ := locale.Parse(string(paper.Reads))
	return letter(locale.Whole(l, build))
}

// Invoice asks the client to pay, or says when the account is debited. Its words are those of the page and the PDF.
func (w Writer) Invoice(paper billing.Paper) mail.Letter {
	return aboutPaper(paper, func(say locale.Words) emails.View { return w.invoice(say, paper) })
}

func (w Writer) invoice(say locale.Words, paper billing.Paper) emails.View {
	p, said, from := paper.Purchase, papers.Of(say, paper), paper.Issuer.Name
	amount := say.Money(p.TotalCents, p.Currency)
	v := w.startOf(say, paper, say.Say("mail.invoice.subject", "number", cmp.Or(paper.Number, reference(p)),
		"business", from))
	v.Preview = say.Say("mail.invoice.preview", "amount", amount)
	v.Paragraphs = []string{attached(say, paper, say.Say("mail.invoice.text", "business", from))}
	label := say.Say("mail.invoice.to_pay")
	v.Button = emails.Button{Label: say.Say("mail.invoice.view_pay"), URL: w.link(p)}
	if d := paper.Debit; d != nil {
		label = say.Say("mail.invoice.to_be_debited")
		v.Preview = say.Say("mail.invoice.preview_debit", "date", say.Day(d.On))
		with := []string{"amount", amount, "account", papers.Account(say, *d), "date", say.LongDay(d.On), "business", from}
		var planned string
		switch {
		case d.OnHold:
			label, v.Preview = say.Say("pay.amount"), say.Say("mail.invoice.preview_hold")
			planned = say.Say("mail.invoice.hold", with...)
		case d.State.Collected():
			planned = say.Say("mail.invoice.was", with...)
		default:
			planned = say.Say("mail.invoice.plan", with...)
		}
		v.Paragraphs = []string{attached(say, paper, say.Say("mail.invoice.debited", "business", from)), planned}
		v.Button.Label = say.Say("mail.invoice.view")
	}
	v.document(said, say.Say("paper.number"), label)
	v.After = []string{unexpectedOf(say, paper.Issuer)}
	with := values{wording.Amount: amount, wording.Reference: cmp.Or(paper.Number, reference(p))}
	switch {
	case paper.Debit != nil:
		with[wording.Date] = say.Day(paper.Debit.On)
	case p.DueGiven:
		with[wording.Date] = say.Day(calendar.DateOf(p.Due))
	}
	v.own(say, paper, purchase.MailInvoice, with)
	return v.View
}

// attached adds to a sentence that the document is attached, where there is one.
func attached(say locale.Words, paper billing.Paper, sentence string) string {
	if paper.Number == "" {
		return sentence
	}
	return sentence + " " + say.Say("mail.attached")
}

// CreditNote tells that an invoice was taken back.
func (w Writer) CreditNote(paper billing.Paper) mail.Letter {
	return aboutPaper(paper, func(say locale.Words) emails.View {
		with := []string{"business", paper.Issuer.Name, "number", paper.Cancels, "amount",
			say.Money(paper.TotalCents, paper.Currency)}
		v := w.startOf(say, paper, say.Say("mail.credit.subject", "number", paper.Number, "business",
			paper.Issuer.Name))
		v.Message = ""
		v.Preview, v.Paragraphs = say.Say("mail.credit.preview", with...), []string{say.Say("mail.credit.text", with...)}
		if paper.RefundID != uuid.Nil {
			v.Preview = say.Say("mail.credit.preview_part", with...)
			v.Paragraphs = []string{say.Say("mail.credit.refund", with...)}
		}
		v.document(papers.Of(say, paper), say.Say("paper.number"), say.Say("mail.credit.total"))
		v.After = []string{unexpectedOf(say, paper.Issuer)}
		v.own(say, paper, purchase.MailCredit, values{wording.Amount: say.Money(paper.TotalCents, paper.Currency),
			wording.Reference: paper.Number})
		return v.View
	})
}

// paperMail is a mail about a document.
type paperMail struct{ emails.View }

func (v *paperMail) own(say locale.Words, paper billing.Paper, kind string, with values) {
	b := brandOf(paper.Issuer)
	b.OwnWords = paper.Words
	own(&v.View, say, b, paper.Purchase.Payer, kind, with)
}

// document lists what the document says: its number under its title, and its total under a label of the mail's own.
func (v *paperMail) document(said papers.Words, number, total string) {
	for _, l := range said.Lines {
		label := l.Text
		if l.Quantity != "" {
			label += " (" + l.Quantity + ")"
		}
		v.Lines = append(v.Lines, emails.Line{Label: label, Value: l.Amount})
	}
	for _, f := range said.Facts {
		if f.Label == number {
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

func (w Writer) startOf(say locale.Words, paper billing.Paper, title string) *paperMail {
	b := brandOf(paper.Issuer)
	b.Colour, b.Logo = paper.Colour, paper.Logo
	return &paperMail{w.begin(say, paper.Purchase, b, title)}
}

func unexpectedOf(say locale.Words, from billing.Party) string {
	return unexpectedIn(say, brandOf(from))
}

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
	return toPayer(p, b, func(say locale.Words) emails.View { return w.receipt(say, p, b) })
}

func (w Writer) receipt(say locale.Words, p purchase.Purchase, b merchant.Brand) emails.View {
	v := w.begin(say, p, b, say.Say("mail.receipt.subject", "business", b.Name))
	v.Message = ""
	v.Lines = lines(say, p)
	paid := total(say.Say("mail.paid"), p)
	v.Facts = []emails.Line{{Label: say.Say("pay.reference"), Value: reference(p)}}
	v.Paragraphs = []string{say.Say("mail.receipt.text")}
	if p.Payment != nil {
		paid.Value = say.Money(p.Payment.AmountCents, p.Currency)
		v.Facts = append(v.Facts, emails.Line{Label: say.Say("mail.date"), Value: say.Day(calendar.DateOf(p.Payment.PaidOn))})
		v.Paragraphs = []string{say.Say("mail.receipt.attached")}
	}
	v.Facts = append(v.Facts, paid)
	v.Preview = paid.Value
	if !p.MarkedAsPaid && p.PaidBy() != purchase.DebiCheck { // a DebiCheck payment is final at once
		v.Paragraphs = append(v.Paragraphs, say.Say("mail.receipt.returnable", "business", b.Name))
	}
	v.Button = emails.Button{Label: say.Say("mail.receipt.button"), URL: w.link(p)}
	if p.SubscriberID != uuid.Nil {
		v.After = append(v.After, say.Say("mail.receipt.subscription", "address", w.link(p)+"subscription/"))
	}
	with := values{wording.Amount: paid.Value, wording.Reference: reference(p)}
	if p.Payment != nil {
		with[wording.Date] = say.Day(calendar.DateOf(p.Payment.PaidOn))
	}
	own(&v, say, b, p.Payer, purchase.MailReceipt, with)
	return v
}

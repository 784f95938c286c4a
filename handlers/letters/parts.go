package letters

import (
	"context"
	"strings"

	"debitdesk/handlers/papers"
	"debitdesk/models/calendar"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
	"debitdesk/views/emails"
)

// link is the payer's page; knowing the id is the permission.
func (w Writer) link(p purchase.Purchase) string {
	return strings.TrimRight(w.Base, "/") + weblink.Payer(p.ID)
}

func letter(v emails.View) mail.Letter {
	var html strings.Builder
	_ = v.HTML().Render(context.Background(), &html) // a builder takes everything; the text says the same
	return mail.Letter{Subject: v.Title, Text: v.Text(), HTML: html.String()}
}

// start begins a mail in English.
func (w Writer) start(p purchase.Purchase, b merchant.Brand, title string) emails.View {
	return w.begin(locale.In(locale.English), p, b, title)
}

// begin begins a mail: who writes to whom, and the words of its frame.
func (w Writer) begin(say locale.Words, p purchase.Purchase, b merchant.Brand, title string) emails.View {
	v := emails.View{Title: title, Brand: b.Name, Sandbox: p.IsTest, Greeting: say.Say("mail.hello"),
		Message: strings.TrimSpace(p.Details.EmailMessage), Sender: sender(say, b), Lang: say.Tag(),
		SandboxNote: say.Say("mail.sandbox"), NoButton: say.Say("mail.no_button", "address", ""),
		Tones: Tones(b), Logo: w.logo(b)}
	for _, name := range []string{p.Payer.FullName, p.Payer.LegalName} {
		if name != "" {
			v.Greeting = say.Say("mail.dear", "name", name)
			break
		}
	}
	return v
}

// logo is that of mails of a brand; the zero value where it has none.
func (w Writer) logo(b merchant.Brand) components.Logo {
	width, height := b.Picture().Shown()
	return components.LogoOf(strings.TrimRight(w.Base, "/")+weblink.Logo(b.Logo), width, height)
}

// Tones are those of mails of a brand; the zero value where it has no colour.
func Tones(b merchant.Brand) (t emails.Tones) {
	if look, has := b.Look(); has {
		t = emails.Tones{Fill: look.Fill.String(), On: look.On.String(), Light: look.Light.String(),
			Dark: look.Dark.String()}
	}
	return t
}

// The form of dates in mails; all are days in South Africa.
const day = "2 January 2006"

func due(w locale.Words, p purchase.Purchase) emails.Line {
	l := emails.Line{Label: w.Say("pay.due"), Value: w.Day(calendar.DateOf(p.Due))}
	if p.DueStrict { // the hour matters: nothing can be paid after it
		l.Value += ", " + w.Clock(p.Due) + " SAST"
	}
	return l
}

func total(label string, p purchase.Purchase) emails.Line {
	return emails.Line{Label: label, Value: money.Format(p.TotalCents, p.Currency), Strong: true}
}

// lines is what is paid for, when it adds up to the total that is asked.
func lines(w locale.Words, p purchase.Purchase) []emails.Line {
	if p.Details.TotalOverrideCents != nil {
		return nil
	}
	var out []emails.Line
	for _, item := range p.Details.Products {
		cents, err := item.LineCents()
		if err != nil { // a purchase with such a line was refused when it was made
			return nil
		}
		label := item.Name
		if q := item.Quantity; !q.IsZero() && q.String() != "1" {
			label = q.String() + " × " + label
		}
		out = append(out, emails.Line{Label: label, Value: money.Format(cents, p.Currency)})
	}
	if p.Details.DebtCents != 0 {
		out = append(out, emails.Line{Label: w.Say("mail.brought_forward"),
			Value: money.Format(p.Details.DebtCents, p.Currency)})
	}
	return out
}

func reference(p purchase.Purchase) string { return p.Called() }

// unexpectedIn tells what to do with a mail that nobody waited for.
func unexpectedIn(w locale.Words, b merchant.Brand) string {
	for _, contact := range []string{b.Email, b.Phone} {
		if contact != "" {
			return w.Say("mail.unexpected", "business", b.Name, "contact", contact)
		}
	}
	return w.Say("mail.unexpected.bare", "business", b.Name)
}

func sender(w locale.Words, b merchant.Brand) (out []string) {
	add := func(parts ...string) {
		if text := strings.Join(given(parts), ", "); text != "" {
			out = append(out, text)
		}
	}
	name := b.Name
	if b.LegalName != "" && b.LegalName != b.Name {
		name = w.Say("mail.trading_as", "legal", b.LegalName, "name", b.Name)
	}
	add(name)
	if b.RegistrationNumber != "" {
		add(w.Say("mail.registration", "number", b.RegistrationNumber))
	}
	if b.TaxNumber != "" {
		add(w.Say("mail.vat", "number", b.TaxNumber))
	}
	add(b.StreetAddress, strings.TrimSpace(b.City+" "+b.ZipCode))
	add(b.Email, papers.Phone(b.Phone), b.Website)
	return out
}

func given(texts []string) (out []string) {
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

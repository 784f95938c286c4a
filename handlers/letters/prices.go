package letters

import (
	"debitdesk/handlers/papers"
	"debitdesk/models/client"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/views/emails"
)

// PriceChanged tells a client what subscriptions cost from a date on.
func (w Writer) PriceChanged(to client.Details, b merchant.Brand, of []purchase.NewPrice) mail.Letter {
	return toReader(to, b, func(say locale.Words) emails.View { return w.priceChanged(say, to, b, of) })
}

func (w Writer) priceChanged(say locale.Words, to client.Details, b merchant.Brand,
	of []purchase.NewPrice) emails.View {
	v := w.toClient(say, to, b, say.Say("mail.price.subject", "business", b.Name))
	v.Preview = say.Say("mail.price.preview", "amount", say.Money(of[0].Is, of[0].Currency), "date", say.Day(of[0].From))
	confirm := false
	for _, n := range of {
		was := say.Money(n.Was, n.Currency)
		with := []string{"what", n.Title, "business", b.Name, "amount", say.Money(n.Is, n.Currency), "every",
			papers.Every(say, n.Recurs()), "date", say.Day(n.From), "was", was, "other", was}
		if n.Stays {
			v.Title, v.Preview = say.Say("mail.price.stays_subject", "business", b.Name), say.Say("mail.price.stays_preview")
			v.Paragraphs = append(v.Paragraphs, say.Say("mail.price.stays", with...))
			continue
		}
		v.Paragraphs = append(v.Paragraphs, say.Say("mail.price.text", with...))
		if !n.FirstOn.IsZero() {
			v.Facts = append(v.Facts, emails.Line{Label: say.Say("mail.price.first"), Value: say.Day(n.FirstOn)})
		}
		confirm = confirm || n.Confirm
	}
	if confirm {
		v.Paragraphs = append(v.Paragraphs, say.Say("mail.price.confirm", "business", b.Name))
	}
	v.After = []string{say.Say("mail.price.ask", "business", b.Name+contactWords(b))}
	own(&v, say, b, to, purchase.MailPrice, nil)
	return v
}

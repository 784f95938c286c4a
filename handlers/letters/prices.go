package letters

import (
	"fmt"

	"debitdesk/models/client"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/emails"
)

// PriceChanged tells a client what subscriptions cost from a date on.
func (w Writer) PriceChanged(to client.Details, b merchant.Brand, of []purchase.NewPrice) mail.Letter {
	v := start(purchase.Purchase{Payer: to, IsTest: b.IsTest}, b, "The price of your subscription with "+b.Name+" changes")
	v.Preview = money.Format(of[0].Is, of[0].Currency) + " from " + of[0].From.Format(day)
	confirm := false
	for _, n := range of {
		if n.Stays {
			v.Title, v.Preview = "The price of your subscription with "+b.Name+" stays as it is", "It does not change after all"
			v.Paragraphs = append(v.Paragraphs, fmt.Sprintf("“%s” with %s still costs %s %s. It does not change to %s on %s, "+
				"as we wrote before.", n.Title, b.Name, money.Format(n.Is, n.Currency), n.Every, money.Format(n.Was, n.Currency),
				n.From.Format(day)))
			continue
		}
		v.Paragraphs = append(v.Paragraphs, fmt.Sprintf("“%s” with %s costs %s %s from %s on. Until then it stays %s.",
			n.Title, b.Name, money.Format(n.Is, n.Currency), n.Every, n.From.Format(day), money.Format(n.Was, n.Currency)))
		if !n.FirstOn.IsZero() {
			v.Facts = append(v.Facts, emails.Line{Label: "First billed at the new price", Value: n.FirstOn.Format(day)})
		}
		confirm = confirm || n.Confirm
	}
	if confirm {
		v.Paragraphs = append(v.Paragraphs, "The permission that you confirmed at your bank does not allow the new price. "+
			b.Name+" will ask you to confirm a new one; your bank does not debit the new price before that.")
	}
	v.After = []string{"Do you have a question, or do you want to stop? Speak to " + b.Name + contactWords(b) + "."}
	own(&v, locale.In(locale.English), b, to, purchase.MailPrice, nil)
	return letter(v)
}

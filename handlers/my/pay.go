package my

import (
	"strings"

	"debitdesk/handlers/papers"
	"debitdesk/models/clientaccount"
	"debitdesk/models/locale"
	"debitdesk/views/components"
	"debitdesk/views/my"
)

// payees are the brands that are owed something which can be paid, the oldest debt first.
func (o overview) payees() []*clientaccount.Payee {
	due := make([]clientaccount.Due, len(o.owed))
	for i, l := range o.owed {
		one := o.outlooks[l.ID]
		due[i] = clientaccount.Due{Status: one.Status, Brand: one.Brand, Reference: l.Reference, Currency: l.Currency,
			Cents: l.OwedCents()}
	}
	return clientaccount.Payees(due)
}

// pay says how to pay by EFT: the account of each brand, and below it the references of what is paid into it. nil when
// nothing can be paid.
func pay(w locale.Words, o overview) *my.Part {
	part := my.Part{ID: "pay", Title: w.Say("my.pay"), Text: w.Say("my.pay.text")}
	payees := o.payees()
	if len(payees) == 0 {
		return nil
	}
	facts, unknown := papers.HowToPay(w, payees)
	for _, f := range facts {
		part.Facts.Items = append(part.Facts.Items, components.Fact{Label: f.Label, Value: f.Value,
			Mono: f.Label == w.Say("my.pay.account")})
	}
	if len(part.Facts.Items) == 0 {
		part.Text = ""
	}
	part.After = strings.Join(unknown, " ")
	return &part
}

package letters

import (
	"fmt"

	"debitdesk/handlers/papers"
	"debitdesk/models/client"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// AllStopped confirms to a client that everything was stopped, and says what is still debited.
func (w Writer) AllStopped(to client.Details, b merchant.Brand, s purchase.Stop) mail.Letter {
	v := start(purchase.Purchase{Payer: to, IsTest: b.IsTest}, b, b.Name+" has stopped your debit orders")
	v.Preview = "Nothing new is debited"
	v.Paragraphs = []string{fmt.Sprintf("%s has stopped all debit orders from your bank account. Nothing new is debited "+
		"until %s resumes them.", b.Name, b.Name)}
	v.Paragraphs = append(v.Paragraphs, papers.StopLines(locale.In(locale.English), s, b.Name, true)...)
	v.After = []string{"Did you not ask for this, or do you have a question? Speak to " + b.Name + contactWords(b) + "."}
	return letter(v)
}

// Resumed tells a client that what was stopped goes on.
func (w Writer) Resumed(to client.Details, b merchant.Brand, back []purchase.Record) mail.Letter {
	v := start(purchase.Purchase{Payer: to, IsTest: b.IsTest}, b, b.Name+" has resumed your debit orders")
	v.Preview = "Your debit orders go on"
	v.Paragraphs = []string{fmt.Sprintf("%s had stopped all debit orders from your bank account. They go on now.", b.Name)}
	for _, rec := range back {
		v.Paragraphs = append(v.Paragraphs, fmt.Sprintf("%s is debited on %s.",
			money.Format(rec.Collection.AmountCents, rec.Currency), rec.Collection.ActionDate.Format(day)))
	}
	v.After = []string{"If you did not expect this, speak to " + b.Name + contactWords(b) + "."}
	return letter(v)
}

package book

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// Owed is what a client owes at the old system: an open item, or the balance as one item.
type Owed struct {
	Cents     int64
	Due       Day // zero in a file that does not say it: the day on which it is taken over
	Reference string
}

// owed reads what the client owes. A balance below zero is money of the client, which nothing here can hold.
func (r *reading) owed() {
	text, given := r.cell(OwedAmount)
	if !given || r.chose(CauseOwed) == choiceDrop {
		return
	}
	v := &r.line.Values
	o := Owed{Reference: r.text(OwedReference, 64)}
	o.Due, _ = r.date(OwedDue)
	mark := r.Mapping.Columns[r.Mapping.Column(OwedAmount)].Decimal
	if slices.Contains(r.row.Numbers, r.Mapping.Column(OwedAmount)) {
		mark = money.PointMark
	}
	var err error
	o.Cents, err = money.ParseMarked(text, cmp.Or(mark, r.markChosen()))
	switch {
	case err != nil && exponent.MatchString(text):
		r.wrong(OwedAmount, CauseScientific, "%s", lostDigits)
	case err != nil && err == money.ErrAmbiguous: //nolint:errorlint // as ParseMarked gives it
		r.wrong(OwedAmount, CauseDecimalMark, "%s could be thousands or decimals; no other amount of the column tells",
			found(OwedAmount, text))
	case err != nil || o.Cents > money.MostCents:
		r.wrong(OwedAmount, CauseOwed, "expected an amount such as 649,00, found %s", found(OwedAmount, text))
	case o.Cents < 0:
		r.say(Warning, OwedAmount, CauseCredit, "%s is money of the client at the old system: it is not taken over. Pay "+
			"it out there, or take it off the first debit", found(OwedAmount, text))
	case o.Due.After(r.Today.AddDays(mostOwedAhead)):
		r.wrong(OwedDue, CauseOwed, "what is owed would be due on %s, more than a year ahead", o.Due)
	case o.Cents > 0:
		v.Owes = &o
	}
}

// mostOwedAhead is how many days ahead an open item may be due.
const mostOwedAhead = 366

// owed says which open item the row makes. One with the same amount, day and reference was taken over before.
func (k *known) owed(p *plan) {
	v := p.values.Owes
	if v == nil {
		return
	}
	o := *v
	if o.Due.IsZero() {
		o.Due = k.today
	}
	for _, before := range k.owing[p.client.ID] {
		if p.client.ID != uuid.Nil && before.Cents == o.Cents && before.Reference == o.Reference &&
			(before.Due == o.Due || v.Due.IsZero()) {
			return
		}
	}
	p.owes = &o
	words := money.Format(o.Cents, money.ZAR) + ", due on " + o.Due.Format(dayForm)
	if o.Reference != "" {
		words += ", " + o.Reference
	}
	p.change(OwedAmount.Label(), "", words+", never debited unless a person asks for it")
}

// owed takes over what the client owes.
func (d *doing) owed(tx *database.Tx, p *plan, c client.Client) uuid.UUID {
	made := d.s.Purchases.InsertTakenOver(tx, d.who, purchase.TakenOver{Brand: p.known.brand, ClientID: c.ID,
		Payer: c.Details, Cents: p.owes.Cents, Due: p.owes.Due, Reference: p.owes.Reference,
		Generated: purchase.ReferenceOf(p.known.brand, d.reference)})
	d.reference++
	return made.ID
}

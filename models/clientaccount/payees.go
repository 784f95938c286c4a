package clientaccount

import (
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// Due is a purchase of which something is owed.
type Due struct {
	Status    purchase.Status
	Brand     merchant.Brand
	Reference string
	Currency  string
	Cents     int64
}

// Payee is a brand that is owed something, and how much under each reference.
type Payee struct {
	Brand merchant.Brand
	Owed  []Reference
}

// Reference is what a client writes beside a payment. Several purchases may share one.
type Reference struct {
	Text, Currency string
	Cents          int64
}

// byEFT tells that money from the client's own bank is what is missing: nothing is being collected.
func (d Due) byEFT() bool { return slices.Contains(purchase.Payable, d.Status) }

// Payees are the brands that are owed something which can be paid by EFT, in the order of what is due.
func Payees(due []Due) (payees []*Payee) {
	of := map[uuid.UUID]*Payee{}
	for _, d := range due {
		if !d.byEFT() {
			continue
		}
		to := of[d.Brand.ID]
		if to == nil {
			to = &Payee{Brand: d.Brand}
			of[d.Brand.ID], payees = to, append(payees, to)
		}
		to.add(d)
	}
	return payees
}

func (to *Payee) add(d Due) {
	for i, r := range to.Owed {
		if r.Text == d.Reference && r.Currency == d.Currency {
			to.Owed[i].Cents += d.Cents
			return
		}
	}
	to.Owed = append(to.Owed, Reference{d.Reference, d.Currency, d.Cents})
}

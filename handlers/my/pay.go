package my

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/my"
)

// payee is a brand that is owed something, and how much under each reference.
type payee struct {
	brand merchant.Brand
	owed  []reference
}

// reference is what a client writes beside a payment. Several purchases may share one.
type reference struct {
	text, currency string
	cents          int64
}

// byEFT are the purchase statuses in which money from the client's own bank is what is missing.
var byEFT = []purchase.Status{purchase.Created, purchase.Sent, purchase.Viewed, purchase.Failed, purchase.Overdue}

// payees are the brands that are owed something which can be paid, the oldest debt first.
func (o overview) payees() (payees []*payee) {
	of := map[uuid.UUID]*payee{}
	for _, l := range o.owed {
		one := o.outlooks[l.ID]
		if !slices.Contains(byEFT, one.Status) {
			continue
		}
		to := of[one.BrandID]
		if to == nil {
			to = &payee{brand: one.Brand}
			of[one.BrandID], payees = to, append(payees, to)
		}
		to.add(l.Reference, l.Currency, l.OwedCents())
	}
	return payees
}

func (to *payee) add(text, currency string, cents int64) {
	for i, r := range to.owed {
		if r.text == text && r.currency == currency {
			to.owed[i].cents += cents
			return
		}
	}
	to.owed = append(to.owed, reference{text, currency, cents})
}

// pay says how to pay by EFT: the account of each brand, and below it the references of what is paid into it. nil when
// nothing can be paid.
func pay(w locale.Words, o overview) *my.Part {
	part := my.Part{ID: "pay", Title: w.Say("my.pay"), Text: w.Say("my.pay.text")}
	payees := o.payees()
	if len(payees) == 0 {
		return nil
	}
	var unknown []string // where nothing says to which account
	for _, to := range payees {
		profile, has := to.brand.DefaultProfile()
		if !has {
			unknown = append(unknown, w.Say("my.pay.no_account", "business", to.brand.Name))
			continue
		}
		part.Facts.Items = append(part.Facts.Items, components.Fact{Label: w.Say("my.pay.to"), Value: to.brand.Name},
			components.Fact{Label: w.Say("my.pay.bank"), Value: branchWords(profile.BranchCode)},
			components.Fact{Label: w.Say("my.pay.account"), Value: profile.AccountNumber, Mono: true})
		for _, r := range to.owed {
			part.Facts.Items = append(part.Facts.Items, components.Fact{Label: w.Say("my.pay.reference"),
				Value: r.text + ": " + money.Format(r.cents, r.currency)})
		}
	}
	if len(part.Facts.Items) == 0 {
		part.Text = ""
	}
	part.After = strings.Join(unknown, " ")
	return &part
}

func branchWords(code string) string {
	if name := bank.BankName(code); name != "" {
		return name + ", " + code
	}
	return code
}

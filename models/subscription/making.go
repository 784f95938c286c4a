package subscription

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Every is the price of every period; nil where the template's holds.
func (o *Override) Every() *Override {
	if o == nil {
		return nil
	}
	out := *o
	if out.FirstCents = nil; out.says() {
		return &out
	}
	return nil
}

func (o Override) says() bool {
	return o.DebtCents != nil || o.SubtotalOverrideCents != nil || o.TaxOverrideCents != nil ||
		o.DiscountOverrideCents != nil || o.TotalOverrideCents != nil || o.Products != nil || o.FirstCents != nil
}

// begins is the price with another total for the first period.
func (o *Override) begins(cents *int64) *Override {
	if cents == nil {
		return o
	}
	var out Override
	if o != nil {
		out = *o
	}
	out.FirstCents = cents
	return &out
}

// first is the total of the first period, while that is still to be billed; nil: it is billed like any other.
func (o *Override) first() *int64 {
	if o == nil {
		return nil
	}
	return o.FirstCents
}

// firstPeriod is what a subscriber owes for a first period that comes to another total: one line of its own, which
// bears VAT as the lines of a whole period do.
func firstPeriod(p purchase.Purchase, name string, cents int64) purchase.Purchase {
	line := purchase.Product{Name: name + ": first period, pro rata", PriceCents: cents, Quantity: decimal.NewFromInt(1)}
	if of := p.Details.Products; len(of) > 0 && !slices.ContainsFunc(of, func(l purchase.Product) bool {
		return !l.TaxPercent.Equal(of[0].TaxPercent)
	}) {
		line.TaxPercent, line.Category = of[0].TaxPercent, of[0].Category
	}
	line.TotalOverrideCents = &cents
	d := p.Details
	d.Products, d.DebtCents = []purchase.Product{line}, 0
	d.SubtotalOverrideCents, d.TaxOverrideCents, d.DiscountOverrideCents, d.TotalOverrideCents = nil, nil, nil, nil
	p.Details, p.TotalCents = d, cents
	return p
}

// checkFirst holds the total of a first period against the terms that the client confirms.
func checkFirst(w *fault.Problems, p purchase.Purchase, first *int64) {
	const at = "subscription_first_amount_cents"
	switch {
	case first == nil || w.Has(at):
	case *first < 0:
		w.Add(at, "min_value", "Ensure this value is greater than or equal to 0.")
	case *first > money.MaxCents:
		w.Add(at, "max_value", "Ensure this value is less than or equal to %d.", money.MaxCents)
	case p.Details.DirectDebit == nil || p.Details.DirectDebit.Terms == nil || *first == 0:
	default:
		t := p.Details.DirectDebit.Terms
		switch {
		case t.ValueType == mandate.Fixed && *first != t.PriceCents:
			w.Add(at, "invalid", "A FIXED mandate allows no other amount than its price (%d). Leave this out, or use "+
				"VARIABLE or USAGEBASED.", t.PriceCents)
		case *first > t.MaxAmountCents:
			w.Add(at, "max_value", "The mandate allows %d cents a debit at most.", t.MaxAmountCents)
		}
	}
}

// apply is the template's pattern at the price of one subscriber, with everything
// that is wrong with that price.
func (o *Override) apply(t Template) (purchase.Purchase, fault.Problems) {
	p := t.pattern()
	if o == nil {
		return p, nil
	}
	d := p.Details
	if o.Products != nil {
		d.Products = o.Products
	}
	if o.DebtCents != nil {
		d.DebtCents = *o.DebtCents
	}
	for _, one := range []struct{ to, from **int64 }{{&d.SubtotalOverrideCents, &o.SubtotalOverrideCents},
		{&d.TaxOverrideCents, &o.TaxOverrideCents},
		{&d.DiscountOverrideCents, &o.DiscountOverrideCents}, {&d.TotalOverrideCents, &o.TotalOverrideCents}} {
		if *one.from != nil {
			*one.to = *one.from
		}
	}
	total, found := d.TotalCents()
	var wrong fault.Problems
	for _, f := range found {
		if len(f.Path) > len("purchase.") {
			f.Path = f.Path[len("purchase."):]
		}
		wrong = append(wrong, f)
	}
	p.TotalCents, p.Details = total, d
	if dd := d.DirectDebit; dd != nil && dd.Terms != nil && len(wrong) == 0 {
		p.Details.DirectDebit = priced(dd, d)
	}
	return p, wrong
}

// priced are the terms of a mandate at another price. The maximum is raised with a
// FIXED price, and holds otherwise.
func priced(dd *purchase.DirectDebit, d purchase.Details) *purchase.DirectDebit {
	lines, _ := d.LinesCents() // it was added up before
	out, terms := *dd, *dd.Terms
	if terms.ValueType == mandate.Fixed {
		terms.MaxAmountCents = lines
	}
	terms.PriceCents = lines
	if terms.ValueType == mandate.Variable && 2*terms.MaxAmountCents > 3*lines {
		terms.MaxAmountCents = max(lines+lines/2, 1)
	}
	out.Terms = &terms
	return &out
}

// order is what one purchase of a subscriber is made from.
type order struct {
	t     Template
	sub   Subscriber
	brand merchant.Brand
	payer client.Details
}

// orderFor reads what beside the template a purchase needs. NotFound: the client is gone.
func (s *Service) orderFor(ctx context.Context, t Template, sub Subscriber) (order, error) {
	brand, err := s.Purchases.Merchants().Brand(ctx, t.MerchantID, t.BrandID)
	if err != nil {
		return order{}, err
	}
	payer, err := client.Store{DB: s.Store.DB}.ClientDetails(ctx, t.MerchantID, sub.ClientID)
	return order{t, sub, brand, payer}, err
}

// pattern is what each purchase of a subscriber has in common: the template at the subscriber's price and terms. Both
// were checked when they were given; where they no longer fit together the template's hold.
func (s *Service) pattern(o order) purchase.Purchase {
	p, _ := o.sub.Override.apply(o.t)
	if own, wrong := o.withOwn(s.Purchases, p); len(wrong) == 0 {
		p = own
	}
	return p
}

// bill is the purchase of a period, still without its id. Its due counts from the
// billing date, whenever that is looked at.
func (s *Service) bill(o order, billed calendar.Date) purchase.Purchase {
	o.t = o.t.On(billed)
	p := s.pattern(o)
	if first := o.sub.Override.first(); first != nil {
		p = firstPeriod(p, o.t.Name(), *first)
	}
	p = p.For(o.sub.ClientID, o.payer, o.sub.Whitelist)
	p.Method = ""
	p.SubscriberID, p.Product, p.Reference = o.sub.ID, purchase.BySubscription, o.sub.reference()
	p.Issued, p.Due, p.DueGiven = billed, s.dueOf(o.t, billed), true
	p.Options.ForceRecurring, p.Options.SkipCapture = false, false
	p.Options.SendReceipt, p.Options.InvoiceOnFailure = o.sub.Switches.Receipt, o.sub.Switches.InvoiceOnChargeFailure
	p.SettleDay()
	return p
}

func (s *Service) dueOf(t Template, billed calendar.Date) time.Time {
	return s.Purchases.Timetable.DueOn(t.Plan.DueOn(billed)).UTC()
}

// storing is the purchase whose page stores the account: it bills the first period
// when that is payable now, and collects nothing otherwise.
func (s *Service) storing(o order, first calendar.Date, payable bool) purchase.Purchase {
	o.payer = o.sub.Debit.payer(o.payer)
	p := s.bill(o, first)
	p.Product, p.Options.InvoiceOnFailure, p.Options.ForceRecurring = purchase.BySubscriptionInvoice, false, true
	if !payable {
		nothing := int64(0)
		p.Details.TotalOverrideCents, p.TotalCents = &nothing, 0
		p.Details.DebtCents = 0
		p.Issued, p.Product = today(s.Now()), purchase.BySubscription // there is nothing to invoice
	}
	p.Method = p.StoresBy()
	return p
}

// made is a purchase that is ready to be written.
type made struct {
	rec     purchase.Record
	plan    purchase.Forecast // of the stored account
	refused error             // why the stored account cannot be charged
	method  string            // of that account
}

// make prepares the purchase of a period: charged to the stored account, or asked
// for by mail where there is none.
func (s *Service) make(ctx context.Context, o order, billed calendar.Date) (*made, error) {
	m := &made{rec: purchase.Record{Purchase: s.bill(o, billed), Brand: o.brand}}
	var err error
	if m.rec.ReferenceGenerated, err = s.Purchases.NextReference(ctx, o.brand); err != nil {
		return nil, err
	}
	if o.sub.TokenID == uuid.Nil || o.sub.Switches.ConfirmEachOrder {
		m.rec.Product = purchase.BySubscriptionInvoice
		return m, nil
	}
	if m.plan, err = s.Purchases.ForecastPeriod(ctx, m.rec.Purchase, o.sub.TokenID); err != nil {
		return nil, err
	}
	if m.refused = m.plan.Err(); m.refused != nil {
		m.method = purchase.EFT
		if t, wrong := s.Purchases.Tokens().Token(ctx, o.t.MerchantID, o.sub.TokenID); wrong == nil {
			m.method = t.Method
			if t.State == token.Deleting {
				return nil, errHeld
			}
		}
	}
	return m, nil
}

// write keeps the purchase in the transaction of its period.
func (s *Service) write(tx *database.Tx, who actor.Actor, m *made) error {
	m.rec.Begin(tx.NewID(), tx.Now())
	switch {
	case m.refused != nil:
		return s.Purchases.InsertRefused(tx, who, &m.rec, m.refused, m.method)
	case m.plan.Token.ID != uuid.Nil:
		return s.Purchases.InsertCharged(tx, who, &m.rec, m.plan)
	}
	return s.Purchases.InsertInvoiced(tx, who, &m.rec)
}

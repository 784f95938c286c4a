package subscription

import (
	"context"
	"slices"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
)

// Every says how often a plan bills: "every month", "every 2 weeks".
func (p Plan) Every() string {
	noun := string(p.Units)
	if p.Period == 1 {
		return "every " + noun[:len(noun)-1]
	}
	return "every " + plural.Of(p.Period, noun[:len(noun)-1])
}

// Recurs implements purchase.Subscriptions.
func (s *Service) Recurs(ctx context.Context, p purchase.Purchase) (purchase.Recurrence, error) {
	sub, err := s.Store.TemplateClient(ctx, p.MerchantID, p.SubscriberID)
	if err != nil {
		return purchase.Recurrence{}, err
	}
	t, err := s.Store.AnyTemplate(ctx, p.MerchantID, sub.TemplateID)
	if err != nil {
		return purchase.Recurrence{}, err
	}
	o := order{t: t, sub: sub, payer: p.Payer}
	if o.brand, err = s.Purchases.Merchants().Brand(ctx, p.MerchantID, p.BrandID); err != nil {
		return purchase.Recurrence{}, err
	}
	return s.recurrence(o, p), nil
}

// recurrence says what a subscriber is debited, how often, and from when on as things stand today. The purchase is the
// one that stores the account, or bills the first period.
func (s *Service) recurrence(o order, p purchase.Purchase) purchase.Recurrence {
	on := o.sub.NextOn
	if on.IsZero() {
		on = today(s.Now())
	}
	priced, _ := o.sub.Override.apply(o.t.On(on)) // it was checked when it was given
	r := purchase.Recurrence{Title: o.t.Name(), AmountCents: priced.TotalCents, Currency: o.t.Currency,
		Every: o.t.Plan.Every(), Period: o.t.Plan.Period, Units: string(o.t.Plan.Units)}
	if o.t.Plan.Cycles != nil {
		r.Cycles = *o.t.Plan.Cycles
	}
	if p.TotalCents > 0 { // the first debit comes with the agreement
		r.First = s.Purchases.FirstDate(p, o.brand)
		return r
	}
	day := today(s.Now())
	first := o.sub.NextOn
	switch {
	case !first.IsZero():
	case !o.sub.FirstOn.IsZero():
		first = o.sub.FirstOn
	default:
		first = o.t.Plan.Of(o.sub).BillOn(day, 0)
	}
	r.First = s.firstDebit(o, first)
	return r
}

// firstDebit is the debit date of what is billed on a day; zero where that is as soon as the banks allow.
func (s *Service) firstDebit(o order, billed calendar.Date) calendar.Date {
	return s.Purchases.FirstDate(s.bill(o, billed), o.brand)
}

// welcome tells a new subscriber whose account is stored what will be debited. Rec is the purchase of the first period,
// nil where that is not billed yet.
func (s *Service) welcome(tx *database.Tx, o order, sub Subscriber, rec *purchase.Record) {
	if !sub.Switches.InvoiceOnAdd || rec != nil && !slices.Contains(planned, rec.Status) {
		return // a refused account has a letter of its own
	}
	o.sub = sub
	r := s.recurrence(o, purchase.Purchase{})
	if rec != nil && rec.Collection != nil {
		r.First = rec.Collection.ActionDate
	}
	s.Purchases.MailSubscribed(tx, o.brand, o.payer, sub.ID, sub.ClientID, r, rec)
}

// planned are the statuses of a purchase whose debit is under way.
var planned = []purchase.Status{purchase.PendingCharge, purchase.PendingExecute}

// StopWould tells what stopping does to the debits of a subscriber that are under way.
func (s *Service) StopWould(ctx context.Context, sub Subscriber) (purchase.Stop, error) {
	return s.Purchases.StopWould(ctx, sub.MerchantID, sub.ID)
}

// mailStop confirms a stop to the client and tells the business.
func (s *Service) mailStop(tx *database.Tx, p purchase.Purchase, sub Subscriber, stop purchase.Stop) error {
	t, err := s.Store.AnyTemplate(tx.Context(), sub.MerchantID, sub.TemplateID)
	if err != nil {
		return err
	}
	b, err := s.Purchases.Merchants().Brand(tx.Context(), p.MerchantID, p.BrandID)
	if err != nil {
		return err
	}
	stop.Title = t.Name()
	s.Purchases.MailStop(tx, p, b, sub.ID, sub.Version, stop)
	return nil
}

func withdrawnWords(stop purchase.Stop) string {
	text := ""
	if n := len(stop.Withdrawn); n > 0 {
		text += " " + plural.Of(n, "planned debit") + " " + plural.Was(n) + " withdrawn."
	}
	if n := len(stop.Running); n > 0 {
		text += " " + plural.Of(n, "debit") + " at the bank still " + plural.Pick(n, "runs", "run") + "."
	}
	return text
}

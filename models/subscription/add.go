package subscription

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// Add makes a client a subscriber. A client whose account is stored is active at
// once; any other is pending, and gets a purchase whose page stores the account
// (ours: API contract 12.2). What is payable now is billed in the same transaction.
func (s *Service) Add(ctx context.Context, who actor.Actor, id uuid.UUID, in SubscriberInput) (Added, error) {
	var out Added
	err := again(func() error { // from the start: the template or the client may be deleted meanwhile
		return s.forClient(ctx, who, id, &in, true, func(o order) error {
			var err error
			out, err = s.add(ctx, who, o)
			return err
		})
	})
	return out, err
}

// forClient checks who may and what was asked before one client is billed.
func (s *Service) forClient(ctx context.Context, who actor.Actor, id uuid.UUID, in *SubscriberInput, subscription bool,
	do func(order) error) error {
	if err := who.May(actor.Bill); err != nil {
		return err
	}
	t, err := s.Store.Template(ctx, who.MerchantID, id)
	if err != nil {
		return err
	}
	switch {
	case subscription && !t.IsSubscription:
		return notSubscription()
	case !subscription && t.IsSubscription:
		return fault.New(fault.Conflict, "template_is_subscription",
			"This template runs subscriptions; it sends no one-time invoices. Use add_subscriber.")
	}
	if in.Agreed != nil && *in.Agreed != t.TotalCents {
		return fault.New(fault.Conflict, "price_changed", "The price of the template changed after this was approved.")
	}
	w := in.Problems
	in.check(&w, t, s.Purchases, today(s.Now()))
	if in.ClientID == uuid.Nil && !w.Has("client_id") {
		w.Add("client_id", "required", "This field is required.")
	}
	if subscription {
		in.begin(&w, today(s.Now()))
	} else {
		in.once(&w)
	}
	sub := Subscriber{MerchantID: t.MerchantID, TemplateID: t.ID, ClientID: in.ClientID, FirstOn: in.FirstOn,
		Whitelist: in.Whitelist, Switches: in.Switches, FirstCents: in.First,
		Reference: in.Reference, Override: in.Override.begins(in.First), Debit: in.Debit}
	o, err := s.orderFor(ctx, t, sub)
	if fault.Is(err, fault.NotFound) && in.ClientID != uuid.Nil {
		w.NoSuch("client_id", in.ClientID)
	} else if err != nil && in.ClientID != uuid.Nil {
		return err
	}
	s.checkOwn(&w, o, Debit{}, in.First)
	if err := w.Err(); err != nil {
		return err
	}
	if subscription {
		if err := s.Purchases.NotStopped(ctx, t.MerchantID, in.ClientID); err != nil {
			return err
		}
	}
	o.sub.ClientName, o.sub.ClientEmail = o.payer.FullName, o.payer.Email
	return do(o)
}

// payableNow tells whether the first period is billed on that day.
func (o order) payableNow(day calendar.Date) bool {
	if o.t.Paused {
		return false
	}
	if !o.sub.FirstOn.IsZero() {
		return o.sub.FirstOn == day
	}
	return !o.t.Plan.ChargeAtEnd && o.t.Plan.TrialPeriods == 0
}

func (s *Service) add(ctx context.Context, who actor.Actor, o order) (Added, error) {
	day := today(s.Now())
	payable := o.payableNow(day)
	stored, known, err := s.Purchases.TokenFor(ctx, s.bill(o, day), s.fits(ctx, o, day))
	switch {
	case err != nil:
		return Added{}, err
	case known:
		o.sub.TokenID = stored.ID
		return s.addActive(ctx, who, o, day, payable)
	}
	return s.addPending(ctx, who, o, day, payable)
}

func (s *Service) addActive(ctx context.Context, who actor.Actor, o order, day calendar.Date,
	payable bool) (out Added, err error) {
	var m *made
	if payable {
		if m, err = s.make(ctx, o, day); err != nil {
			return out, err
		}
		if m.rec.TotalCents == 0 {
			m = nil
		}
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		sub := o.sub
		sub.begin(tx)
		sub.activate(o.t, day, tx.Now())
		holdTemplate(tx, o.t)
		client.HoldForDebit(tx, sub.MerchantID, sub.ClientID)
		var period Period
		if m != nil {
			m.rec.SubscriberID = sub.ID
			if err := s.write(tx, who, m); err != nil {
				return err
			}
			period = o.t.Plan.period(sub)
			period.PurchaseID, sub.FirstPurchaseID = m.rec.ID, m.rec.ID
			sub.passed(o.t, true)
			rec := m.rec
			out.Purchase = &rec
		}
		insertSubscriber(tx, sub)
		if m != nil {
			insertPeriod(tx, sub.MerchantID, period)
		}
		s.welcome(tx, o, sub, out.Purchase)
		out.Subscriber = sub
		noteSubscriber(tx, who, sub, "subscriber.added", "The client subscribed to "+o.t.Name()+" with a token.",
			nil, sub.terms(o.t))
		return tx.Answered(out)
	})
	return out, err
}

func (s *Service) addPending(ctx context.Context, who actor.Actor, o order, day calendar.Date,
	payable bool) (out Added, err error) {
	first := o.t.Plan.Of(o.sub).BillOn(day, 0)
	if !o.sub.FirstOn.IsZero() {
		first = o.sub.FirstOn
	}
	rec := purchase.Record{Purchase: s.storing(o, first, payable), Brand: o.brand}
	if rec.ReferenceGenerated, err = s.Purchases.NextReference(ctx, o.brand); err != nil {
		return out, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		sub, made := o.sub, rec
		sub.begin(tx)
		sub.Status, made.SubscriberID = Pending, sub.ID
		if payable && made.TotalCents > 0 {
			sub.Cycle = 1 // the first period is billed by the purchase that stores the account
		}
		made.Begin(tx.NewID(), tx.Now())
		sub.FirstPurchaseID = made.ID
		holdTemplate(tx, o.t)
		client.HoldForDebit(tx, sub.MerchantID, sub.ClientID)
		s.Purchases.InsertStoring(tx, who, &made, s.recurrence(o, made.Purchase), sub.Switches.InvoiceOnAdd)
		insertSubscriber(tx, sub)
		noteSubscriber(tx, who, sub, "subscriber.added", "The client was added to "+o.t.Name()+
			" and is asked for a bank account.", nil, sub.terms(o.t))
		out = Added{sub, &made}
		return tx.Answered(out)
	})
	return out, err
}

// SendInvoice makes one purchase after a template that is no subscription, with its
// invoice, and mails it. The recipient is not stored.
func (s *Service) SendInvoice(ctx context.Context, who actor.Actor, id uuid.UUID,
	in SubscriberInput) (purchase.Record, error) {
	in.FirstOn = calendar.Date{}
	var out purchase.Record
	err := s.forClient(ctx, who, id, &in, false, func(o order) error {
		if !o.t.Due.After(s.Now()) {
			return fault.At("due", "due_not_greater_than_now", "The due date of this template has passed. Change it first.")
		}
		if err := s.maySend(ctx, who, s.invoice(o, today(s.Now())).TotalCents); err != nil {
			return err
		}
		rec := purchase.Record{Brand: o.brand}
		var err error
		if rec.ReferenceGenerated, err = s.Purchases.NextReference(ctx, o.brand); err != nil {
			return err
		}
		reference := rec.ReferenceGenerated
		return again(func() error {
			return s.InTx(ctx, func(tx *database.Tx) error {
				rec.Purchase = s.invoice(o, purchase.DayIn(tx.Now(), o.t.Details.Timezone))
				rec.ReferenceGenerated = reference
				rec.Begin(tx.NewID(), tx.Now())
				client.Hold(tx, rec.MerchantID, rec.ClientID)
				if err := s.Purchases.InsertInvoiced(tx, who, &rec); err != nil {
					return err
				}
				out = rec
				return tx.Answered(out)
			})
		})
	})
	return out, err
}

// invoice is the one-time invoice of a template for one client.
func (s *Service) invoice(o order, day calendar.Date) purchase.Purchase {
	p := s.pattern(o).For(o.sub.ClientID, o.sub.Debit.payer(o.payer), o.sub.Whitelist)
	p.Product, p.Reference, p.Issued, p.Due, p.DueGiven = purchase.ByInvoices, o.sub.reference(), o.t.Issued, o.t.Due, true
	if p.Issued.IsZero() {
		p.Issued = day
	}
	p.SettleDay()
	return p
}

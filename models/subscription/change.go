package subscription

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// unbilled tells that no period was billed yet, or that the one which is can still be worded anew.
func (s Subscriber) unbilled() bool { return s.Status == Pending || s.Passed == 0 }

// checkFixed refuses what no longer changes once a subscriber is there.
func (in *SubscriberInput) checkFixed(w *fault.Problems, sub Subscriber) {
	if at := ownPrefix + releaseDate; in.Debit.text(releaseDate) != sub.Debit.text(releaseDate) &&
		sub.Status != Pending && !w.Has(at) {
		w.Add(at, "invalid", "The subscription began, and the day of its first debit can no longer change. Leave this out.")
	}
	same := in.First == nil && sub.FirstCents == nil || in.First != nil && sub.FirstCents != nil &&
		*in.First == *sub.FirstCents
	if at := "subscription_first_amount_cents"; !same && !sub.unbilled() && !w.Has(at) {
		w.Add(at, "invalid", "The first period was billed already. Leave this out.")
	}
}

// restart gives a subscriber who has not begun another day of the first debit, where its DebiCheck fields name one.
func (o *order) restart(w *fault.Problems, in *SubscriberInput, before Debit, now calendar.Date) {
	if o.sub.Status != Pending || in.Debit.text(releaseDate) == before.text(releaseDate) {
		return
	}
	in.FirstOn = calendar.Date{}
	in.begin(w, now)
	o.sub.FirstOn, o.sub.Cycle = in.FirstOn, 0
	if o.payableNow(now) && o.t.priceOf(o.sub) > 0 {
		o.sub.Cycle = 1
	}
}

// checkLive refuses a change that a mandate in force would have to follow: the client confirmed it, and only the client
// can change it (API contract 12.34). What is asked for next may change at any time.
func (s *Service) checkLive(ctx context.Context, w *fault.Problems, before, next Subscriber) error {
	if before.TokenID == uuid.Nil {
		return nil
	}
	t, err := s.Purchases.Tokens().Token(ctx, before.MerchantID, before.TokenID)
	if fault.Is(err, fault.NotFound) || err == nil && !t.Live() {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := s.Purchases.Mandates().Mandate(ctx, before.MerchantID, t.MandateID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	refuse := func(at string) {
		if !w.Has(at) {
			w.Add(at, "mandate_in_force", "The client’s mandate %s is in force and says otherwise. Amend it first: open "+
				"the token, choose “Replace”, and let the client confirm the new terms. Then change this.",
				m.ContractReference)
		}
	}
	for _, at := range next.Debit.against(m) {
		refuse(at)
	}
	if next.Debit.DebtorAccount == before.Debit.DebtorAccount {
		return nil
	}
	same, err := s.sameAccount(ctx, t, next.Debit.DebtorAccount)
	if !same && err == nil {
		refuse("subscription_debtor_account_number")
	}
	return err
}

// reword lets the purchase by which the client is asked for an account ask for the terms as they are now. Where it
// cannot, another takes its place, and the client gets its link.
func (s *Service) reword(tx *database.Tx, who actor.Actor, o order) (first uuid.UUID, err error) {
	anew, err := s.Purchases.RewordIn(tx, who, o.sub.FirstPurchaseID, func(was purchase.Purchase) purchase.Purchase {
		first := was.Issued
		if !o.sub.FirstOn.IsZero() {
			first = o.sub.FirstOn
		}
		return s.storing(o, first, o.sub.billsFirst())
	})
	if err == nil && anew {
		err = s.askAnew(tx.Context(), tx, who, o.t, &o.sub)
	}
	return o.sub.FirstPurchaseID, err
}

// billsFirst tells that the purchase which asks for the account bills the first period, too.
func (s Subscriber) billsFirst() bool { return s.Status == Pending && s.Cycle > 0 }

package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// Several finds those of some purchases that there are, in the order of the ids, with what lists show beside them.
func (s *Service) Several(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Record, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := s.Store.PurchasesOf(ctx, who.MerchantID, ids)
	if err != nil {
		return nil, err
	}
	list := make([]Purchase, 0, len(found))
	for _, id := range ids {
		if p, there := found[id]; there {
			list = append(list, p)
		}
	}
	brands, collections, err := s.BesideAll(ctx, who.MerchantID, list)
	if err != nil {
		return nil, err
	}
	out := make([]Record, len(list))
	for i, p := range list {
		out[i] = Record{Purchase: p, Brand: brands[p.BrandID]}
		if c, ok := collections[p.ID]; ok {
			out[i].Collection = &c
		}
	}
	return out, nil
}

// AgainPlan is what debiting one purchase again would do.
type AgainPlan struct {
	Again
	// Debit is on the day that was chosen; zero where it may not be debited again.
	Debit Forecast
	// Against is what stands against that debit.
	Against fault.Problems
	Day     calendar.Date // what ChargeOn is to be given
}

// PlanAgain plans to debit purchases again, each from the account that failed and on a day that on chooses:
// Again.Soonest for people, Again.OnAgreed for what runs by itself. others are debits that are planned beside them;
// those of this plan join them. It asks the store a handful of questions, however many purchases there are.
func (s *Service) PlanAgain(ctx context.Context, merchantID uuid.UUID, recs []Record,
	on func(Again) calendar.Date, others Planned) ([]AgainPlan, error) {
	now := s.Now()
	plans := make([]AgainPlan, len(recs))
	var asked []int
	var wishes []Wish
	for i, rec := range recs {
		if rec.failedDebit(now) {
			asked, wishes = append(asked, i), append(wishes, Wish{Purchase: rec.Purchase, TokenID: rec.Collection.TokenID})
		}
	}
	if len(asked) == 0 {
		return plans, nil
	}
	k, err := s.accounts(ctx, merchantID, wishes)
	if err != nil {
		return nil, err
	}
	var may []int
	wishes = wishes[:0]
	for _, i := range asked {
		plans[i].Again = s.judgeAgain(k, recs[i], now)
		if plans[i].May() {
			plans[i].Day = on(plans[i].Again)
			may = append(may, i)
			wishes = append(wishes, Wish{Purchase: s.On(recs[i].Purchase, plans[i].Day), TokenID: recs[i].Collection.TokenID})
		}
	}
	if len(may) == 0 {
		return plans, nil
	}
	debits, err := s.forecastsAfter(ctx, merchantID, wishes, now, others)
	if err != nil {
		return nil, err
	}
	for n, i := range may {
		plans[i].Debit, plans[i].Against = debits[n], debits[n].Problems
	}
	return plans, nil
}

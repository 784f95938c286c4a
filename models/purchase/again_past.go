package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/token"
)

// Past is a purchase as it stood at a moment, with the debit that had failed last.
type Past struct {
	Record
	Now time.Time
	// Blocked is the code for which its account was blocked by then; empty: it could be debited.
	Blocked string
}

// PlanAgainPast tells what PlanAgain would have told of purchases on agreed days, each at its moment: by the same
// judge, for what was known then. What a mandate and an account say now counts, but for whether they could be used. It
// asks the store a handful of questions, however many purchases there are.
func (s *Service) PlanAgainPast(ctx context.Context, merchantID uuid.UUID, past []Past) ([]AgainPlan, error) {
	wishes := make([]Wish, len(past))
	for i, p := range past {
		wishes[i] = Wish{Purchase: p.Purchase, TokenID: p.Collection.TokenID}
	}
	k, err := s.accounts(ctx, merchantID, wishes)
	if err != nil {
		return nil, err
	}
	k.debits = nil // of those under way then, none is known
	plans := make([]AgainPlan, len(past))
	for i, p := range past {
		then := k.at(p)
		a := &plans[i]
		if a.Again = s.judgeAgain(then, p.Record, p.Now); !a.May() {
			continue
		}
		a.Day = a.OnAgreed()
		a.Debit = then.forecast(s, Wish{Purchase: s.On(p.Purchase, a.Day), TokenID: p.Collection.TokenID}, p.Now)
		a.Against = a.Debit.Problems
	}
	return plans, nil
}

// at is what was known of the account of one purchase at its moment.
func (k known) at(p Past) known {
	t, m := k.tokens[p.Collection.TokenID], k.mandates[p.Collection.MandateID]
	if t.ID == uuid.Nil {
		return k
	}
	if t.State, t.BlockedCode = token.Active, ""; p.Blocked != "" {
		t.State, t.BlockedCode = token.Blocked, p.Blocked
	}
	t.HeldAt, t.ObjectedAt = time.Time{}, time.Time{}
	if !m.State.Usable() {
		m.State = mandate.ActiveState
	}
	k.tokens, k.mandates = map[uuid.UUID]token.Token{t.ID: t}, map[uuid.UUID]mandate.Mandate{m.ID: m}
	k.last = map[uuid.UUID]collection.Collection{p.ID: *p.Collection}
	return k
}

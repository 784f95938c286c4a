package amendment

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Amendment puts new debit-order details in the place of a stored account, in
// three steps (source: amending): a new purchase, the new details with the client's
// new answer, and the take-over. Until the take-over the old token stays as it is.
type Amendment struct {
	ID, MerchantID        uuid.UUID
	OldTokenID            uuid.UUID
	NewID                 uuid.UUID `gorm:"column:purchase_id"` // of the new purchase, and so of the new token and mandate
	State                 AmendmentState
	Moved                 int // purchases that the take-over moved
	CreatedBy             string
	CreatedAt, FinishedAt time.Time
}

// AmendmentState is where an amendment stands.
type AmendmentState string

// The states of an amendment.
const (
	AmendmentOpen      AmendmentState = "open"
	AmendmentDone      AmendmentState = "done"
	AmendmentAbandoned AmendmentState = "abandoned"
)

// Side is one side of an amendment. Known is false while the new details were
// not given.
type Side struct {
	Known   bool
	Token   token.Token
	Mandate mandate.Mandate
}

// AmendmentSheet is an amendment with both sides and what a take-over would move.
type AmendmentSheet struct {
	Amendment
	Old, New Side
	Source   purchase.Record // the new purchase
	Moves    []Move          // while it is open
}

// Move is a waiting purchase that a take-over collects from the new account.
type Move struct {
	purchase.Purchase
	Old      collection.Collection // scheduled on the old token
	Plan     collection.Plan       // of the debit on the new one; none while that is not known
	Because  []string              // why the client could dispute it
	Stopping string                // why it does not fit the new mandate, and what helps; empty: it fits
}

// Ready tells that the new token works and may take over.
func (s AmendmentSheet) Ready() bool {
	return s.State == AmendmentOpen && s.New.Known && s.New.Token.State == token.Active && s.New.Mandate.State.Usable()
}

// Failed tells that nothing can come of it any more: the new details were refused
// for good or deleted.
func (s AmendmentSheet) Failed() bool {
	switch {
	case s.New.Known && (s.New.Token.State == token.Deleted || s.New.Token.State == token.Superseded ||
		s.New.Token.State == token.Blocked):
		return true
	case s.New.Known && s.New.Mandate.State.Waiting():
		return false
	case s.New.Known && s.New.Token.State == token.Pending && s.New.Mandate.State.Usable() &&
		s.Source.Status == purchase.Failed:
		return true // the first debit of a new EFT account
	}
	return s.Source.Status == purchase.Cancelled || s.Source.Status == purchase.Expired
}

// Stopped lists what keeps the take-over from happening.
func (s AmendmentSheet) Stopped() (out []Move) {
	for _, m := range s.Moves {
		if m.Stopping != "" {
			out = append(out, m)
		}
	}
	return out
}

// MovesCents is the sum that the take-over would collect from the new account.
func (s AmendmentSheet) MovesCents() (sum int64) {
	for _, m := range s.Moves {
		sum = money.Plus(sum, m.TotalCents)
	}
	return sum
}

// Amendment gives an amendment with all that hangs on it.
func (s *Service) Amendment(ctx context.Context, who actor.Actor, id uuid.UUID) (AmendmentSheet, error) {
	if err := who.May(actor.Read); err != nil {
		return AmendmentSheet{}, err
	}
	return s.amendment(ctx, who.MerchantID, id)
}

// AmendmentOf gives the newest amendment that replaces a token; NotFound when there
// is none.
func (s *Service) AmendmentOf(ctx context.Context, who actor.Actor, oldTokenID uuid.UUID) (Amendment, error) {
	if err := who.May(actor.Read); err != nil {
		return Amendment{}, err
	}
	return s.store().Of(ctx, who.MerchantID, oldTokenID)
}

// Replacing gives, of some tokens, the open amendments in which they are to replace another.
func (s *Service) Replacing(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	if err := who.May(actor.Read); err != nil || len(ids) == 0 {
		return nil, err
	}
	return s.store().OpenReplacements(ctx, who.MerchantID, ids)
}

func (s *Service) amendment(ctx context.Context, merchantID, id uuid.UUID) (out AmendmentSheet, err error) {
	if out.Amendment, err = s.store().Amendment(ctx, merchantID, id); err != nil {
		return out, err
	}
	if out.Source, err = s.Purchases.Load(ctx, merchantID, out.NewID); err != nil {
		return out, err
	}
	if out.Old, err = s.side(ctx, merchantID, out.OldTokenID); err != nil {
		return out, err
	}
	if out.New, err = s.side(ctx, merchantID, out.NewID); err != nil || out.State != AmendmentOpen ||
		!out.Old.Token.Live() {
		return out, err
	}
	out.Moves, err = s.moves(ctx, out)
	return out, err
}

func (s *Service) side(ctx context.Context, merchantID, tokenID uuid.UUID) (out Side, err error) {
	if out.Token, err = s.Purchases.Tokens().Token(ctx, merchantID, tokenID); err == nil {
		out.Mandate, err = s.Purchases.Mandates().Mandate(ctx, merchantID, out.Token.MandateID)
	}
	if fault.Is(err, fault.NotFound) {
		return Side{}, nil
	}
	out.Known = err == nil
	return out, err
}

// PlannedFrom lists the purchases with a debit that is planned on a token and not at the bank yet, by their ids.
func (s *Service) PlannedFrom(ctx context.Context, who actor.Actor, tokenID uuid.UUID) ([]purchase.Record, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	waiting, err := s.Purchases.Store.ScheduledFrom(ctx, who.MerchantID, tokenID)
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	ids := make([]uuid.UUID, len(waiting))
	for i, p := range waiting {
		ids[i] = p.ID
	}
	latest, err := s.Purchases.Collections().Latest(ctx, who.MerchantID, ids...)
	out := make([]purchase.Record, 0, len(waiting))
	for _, p := range waiting {
		if c, known := latest[p.ID]; known {
			out = append(out, purchase.Record{Purchase: p, Collection: &c})
		}
	}
	return out, err
}

// moves are the purchases that wait on the old token, each held against the new
// mandate where there is one.
func (s *Service) moves(ctx context.Context, a AmendmentSheet) ([]Move, error) {
	waiting, err := s.Purchases.Store.ScheduledFrom(ctx, a.MerchantID, a.OldTokenID)
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	ids := make([]uuid.UUID, len(waiting))
	for i, p := range waiting {
		ids[i] = p.ID
	}
	latest, err := s.Purchases.Collections().Latest(ctx, a.MerchantID, ids...)
	if err != nil {
		return nil, err
	}
	free, err := s.debitsLeft(ctx, a.New)
	if err != nil {
		return nil, err
	}
	fits, err := s.fits(ctx, a, waiting)
	if err != nil {
		return nil, err
	}
	out := make([]Move, 0, len(waiting))
	for i, p := range waiting {
		m := Move{Purchase: p, Old: latest[p.ID]}
		if fits != nil {
			m.fit(fits[i])
			if m.Stopping == "" && i >= free {
				m.Stopping = "The new mandate allows one debit only. Cancel this purchase, or set up a new mandate for more."
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// fits forecasts what the waiting purchases would be on the new token; nothing while there is none.
func (s *Service) fits(ctx context.Context, a AmendmentSheet,
	waiting []purchase.Purchase) ([]purchase.Forecast, error) {
	if !a.New.Known || !a.New.Mandate.State.Usable() {
		return nil, nil
	}
	wishes := make([]purchase.Wish, len(waiting))
	for i, p := range waiting {
		p.ID = uuid.Nil // as if it were not charged yet
		wishes[i] = purchase.Wish{Purchase: p, TokenID: a.NewID, AtOnce: true}
	}
	return s.Purchases.Forecasts(ctx, a.MerchantID, wishes)
}

// noLimit is more purchases than ever wait on one token.
const noLimit = 1 << 30

// debitsLeft is how many debits a mandate still allows.
func (s *Service) debitsLeft(ctx context.Context, side Side) (int, error) {
	if !side.Known || !side.Mandate.AllowsOneDebit() {
		return noLimit, nil
	}
	used, err := s.Purchases.Collections().CountUnder(ctx, side.Mandate.MerchantID, side.Mandate.ID)
	return max(0, 1-used), err
}

// fit holds a waiting purchase against the new account. Whether that works at all is said for all of them together.
func (m *Move) fit(f purchase.Forecast) {
	m.Plan, m.Because = f.Plan, f.Because
	var against []string
	for _, p := range f.Problems {
		if p.Path != purchase.AtToken {
			against = append(against, p.Message)
		}
	}
	switch {
	case m.Status != purchase.PendingCharge:
		m.Stopping = "Its debit goes to the bank on " + calendar.SayInstant(m.Old.SubmitAt) +
			", from the old account. Take over after that."
	case len(against) > 0:
		m.Stopping = strings.Join(against, " ")
	case m.Plan.Late && m.Plan.ActionDate != m.Old.ActionDate:
		m.Stopping = "From the new account the earliest possible day is " + m.Plan.ActionDate.Format(calendar.DayForm) +
			", and this one runs on " + m.Old.ActionDate.Format(calendar.DayForm) +
			". Cancel it and charge it again for the later day, or wait until it has gone to the bank on " +
			calendar.SayInstant(m.Old.SubmitAt) + ": then the old account is debited one more time."
	}
}

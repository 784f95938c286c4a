package purchase

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Move takes the purchase to another status and keeps the history. The table of
// moves is checked by the caller; a move it does not know is a defect.
func (p *Purchase) Move(to Status, at time.Time) {
	p.Status = to
	p.History = append(slices.Clone(p.History), Change{to, at})
	p.setPassAt()
}

// Attempted notes an attempt to collect, the newest first.
func (p *Purchase) Attempted(a Attempt) {
	if a.Flow == "" {
		a.Flow = p.flow()
	}
	p.Attempts = append([]Attempt{a}, p.Attempts...)
}

func (p Purchase) flow() string { return cmp.Or(p.Options.Source, "api") }

// setPassAt works out when "due passes" acts on the purchase (API contract 3.5
// and 12.10): once, at the moment of due, and never on a failure after due. A
// failure on the SAST day of due keeps "error" until the day is over.
func (p *Purchase) setPassAt() {
	p.PassAt = time.Time{}
	switch p.Status {
	case Created, Sent, Viewed:
		if p.failedAfterDue() { // mailed after a failure at the bank: its due was over by then
			return
		}
		p.PassAt = p.Due
	case Failed:
		failed := p.History[len(p.History)-1].At
		if !failed.Before(p.Due) {
			return
		}
		p.PassAt = p.Due
		if day := calendar.DateOf(p.Due); calendar.DateOf(failed) == day {
			p.PassAt = day.AddDays(1).At(0, 0)
		}
	default:
	}
}

func SayCents(p Purchase) string { return money.Format(p.TotalCents, p.Currency) }

// Get finds a purchase with what is shown beside it.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	if err := who.May(actor.Read); err != nil {
		return Record{}, err
	}
	return s.Load(ctx, who.MerchantID, id)
}

func (s *Service) Load(ctx context.Context, merchantID, id uuid.UUID) (Record, error) {
	p, err := s.Store.Purchase(ctx, merchantID, id)
	if err != nil {
		return Record{}, err
	}
	return s.Beside(ctx, p)
}

func (s *Service) Beside(ctx context.Context, p Purchase) (Record, error) {
	rec := Record{Purchase: p}
	var err error
	if rec.Brand, err = s.Merchants().Brand(ctx, p.MerchantID, p.BrandID); err != nil {
		return rec, err
	}
	if p.RefundingCents > 0 {
		if rec.Refunds, err = s.refundsUnderWay(ctx, p.MerchantID, p.ID); err != nil {
			return rec, err
		}
	}
	if p.CollectionCount == 0 {
		return rec, nil
	}
	latest, err := s.latest(ctx, p.MerchantID, p.ID)
	if c, ok := latest[p.ID]; ok {
		rec.Collection = &c
	}
	return rec, err
}

// Tries is how often a change starts again after another came first. Each loss
// means that somebody else won, so the end is near.
const Tries = 20

// change loads a purchase, lets decide look at it and prepare a move, and writes
// it as compare-and-set. Who loses the race decides again on what is there then.
func (s *Service) change(ctx context.Context, merchantID, id uuid.UUID, decide decision) (Record, error) {
	return s.changeAs(ctx, merchantID, id, decide, func(rec Record) any { return rec })
}

// decision looks at a purchase and prepares the move; no move, no change.
type decision func(rec Record) (func(*database.Tx, *Record) error, error)

// changeAs is change for use cases whose answer is more than the record.
func (s *Service) changeAs(ctx context.Context, merchantID, id uuid.UUID, decide decision,
	answer func(Record) any) (Record, error) {
	var lost error
	for range Tries {
		rec, err := s.Load(ctx, merchantID, id)
		if err != nil {
			return rec, err
		}
		write, err := decide(rec)
		if err != nil || write == nil {
			return rec, err
		}
		from := rec.Status
		err = s.InTx(ctx, func(tx *database.Tx) error {
			next := rec
			if err := write(tx, &next); err != nil {
				return err
			}
			next.UpdatedAt = tx.Now()
			Move(tx, next.Purchase, from)
			rec = next
			return tx.Answered(answer(rec))
		})
		if !errors.Is(err, fault.ErrLost) {
			return rec, err
		}
		lost = err
	}
	return Record{}, fault.New(fault.Conflict, "conflict",
		"This purchase is being changed by another person. Try again.").Because(lost)
}

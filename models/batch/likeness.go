package batch

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/fault"
)

// Likeness is how the ready rows of a draft differ from the last batch that billed much the same clients. A client is
// known by its record; several rows of one client are compared as one.
type Likeness struct {
	Last Batch
	Same int // clients that are billed as before
	Counted
	Rows []Difference // the first of each kind
}

// Counted is how many clients differ, in each way.
type Counted struct{ New, Missing, Changed int }

// All is how many differ.
func (c Counted) All() int { return c.New + c.Missing + c.Changed }

// Difference is one client that is billed another amount than last time, or only in one of the two batches.
type Difference struct {
	N        int       // the first row of the client in this batch; 0: it is missing
	ClientID uuid.UUID // zero: the client is made when the batch is sent
	Name     string
	WasCents *int64 // nil: not in the last batch
	Cents    *int64 // nil: not in this one
}

const (
	// likeAmong is among how many of the newest batches of the brand one like this is looked for.
	likeAmong = 12
	// likeShown is how many differences of each kind are named.
	likeShown = 20
)

// likeness compares a draft with the last batch like it: one of the same brand that billed at least half of the known
// clients of this one. It is nil where there is none.
func (s *Service) likeness(ctx context.Context, b Batch) (*Likeness, error) {
	if !b.Draft() || b.Counts.Ready == 0 {
		return nil, nil //nolint:nilnil // there is nothing to compare
	}
	last, err := s.Store.lastLike(ctx, b, likeAmong)
	if fault.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // there was none
	}
	if err != nil {
		return nil, err
	}
	l, err := s.Store.unlike(ctx, b, last.ID, likeShown)
	l.Last = last
	return &l, err
}

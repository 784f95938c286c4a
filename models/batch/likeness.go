package batch

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
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
	// Priced is who made the amount what it is here; zero of a client that is missing. Template is the change of the price
	// of one of the client's subscriptions, or of the client's own price in one, from the amount of last time to this one;
	// nil: there was none.
	Priced   Priced  `gorm:"-"`
	Template *Priced `gorm:"-"`
	rows     []int   // of the client in this batch
	totals   []int64
}

// Priced is who made an amount what it is, when, and how.
type Priced struct {
	By   string
	At   time.Time
	How  string        // what was changed in the rows, or the name of the template; empty: it came with the rows
	From calendar.Date // of a template: the first day on which it was to be billed; zero: at once
	Own  bool          // of a template: the price was changed for this client alone
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
	if err != nil {
		return nil, err
	}
	return &l, s.priced(ctx, b, l.Rows)
}

// priced tells of each difference who made the amount: the person who changed the row here, or who brought the rows.
func (s *Service) priced(ctx context.Context, b Batch, differ []Difference) error {
	var rows []int
	for _, d := range differ {
		rows = append(rows, d.rows...)
	}
	mends, err := s.Store.mendsOf(ctx, b, rows)
	if err != nil {
		return err
	}
	for i := range differ {
		if differ[i].Cents != nil {
			differ[i].Priced = b.pricedBy(differ[i], mends)
		}
	}
	return s.Store.pricedByTemplates(ctx, b.MerchantID, differ)
}

// pricedBy is the newest change here after which the rows of a client came to another amount. What is kept of a row
// before the columns were chosen anew says nothing about its amount.
func (b Batch) pricedBy(d Difference, mends []Mend) Priced {
	totals := map[int]int64{}
	for i, n := range d.rows {
		totals[n] = d.totals[i]
	}
	for _, m := range mends {
		if len(m.Rows) == 0 {
			break
		}
		for _, was := range m.Was {
			after, ours := totals[was.N]
			if !ours {
				continue
			}
			before := b.read([]Row{{N: was.N, Cells: was.Cells, Broken: was.Broken, Numbers: was.Numbers}}, Day{})[0].Values
			if before.TotalCents != after || was.LeftOut {
				return Priced{By: m.Who, At: m.CreatedAt, How: m.Text}
			}
			totals[was.N] = before.TotalCents
		}
	}
	return Priced{By: b.Creator.Name, At: b.CreatedAt}
}

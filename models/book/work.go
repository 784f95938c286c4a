package book

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// mostLost is how often a piece is tried again that another process was quicker at.
const mostLost = 20

// Work is one process at the work of an import. It may be begun again at any time, in several processes at once: each
// piece locks the import and looks again before it writes.
type Work struct {
	s        *Service
	id       uuid.UUID
	looking  *looking // while it goes on
	together *Together
	matching *matching      // of scans to rows
	scans    map[int][]Scan // by row
	revision int            // of which the rows were seen together
	walk     walk
}

// walk is how far a process has come through the rows. It is never stored: another process begins with the first row.
type walk struct {
	state    State
	revision int
	last     int             // the number of the last row that was done; 0: none
	look     int             // at how many rows the planner looks at the tables again
	handed   map[string]bool // when something is undone: groups that have handed a debit to the bank
}

// Begin goes on with the work of an import.
func (s *Service) Begin(id uuid.UUID) *Work { return &Work{s: s, id: id, revision: -1} }

// Work does everything that waits of an import.
func (s *Service) Work(ctx context.Context, who actor.Actor, id uuid.UUID) (Import, error) {
	w := s.Begin(id)
	for {
		more, err := w.Step(ctx, who)
		if err != nil {
			return Import{}, err
		}
		if !more {
			return s.Store.Import(ctx, who.MerchantID, id)
		}
	}
}

// Step does the next piece, in one transaction: whole or not at all.
func (w *Work) Step(ctx context.Context, who actor.Actor) (more bool, err error) {
	for range mostLost {
		i, err := w.s.Store.Import(ctx, who.MerchantID, w.id)
		if err != nil {
			return false, err
		}
		if i.State == Running || i.State == Undoing {
			if err := w.look(ctx, i); err != nil {
				return false, err
			}
		}
		if i.State == Checking || i.State == Running {
			if seen, err := w.see(ctx, i); err != nil || !seen {
				return true, err
			}
		}
		switch i.State {
		case Checking:
			more, err = w.check(ctx, i)
		case Running:
			more, err = w.run(ctx, who, i)
		case Undoing:
			more, err = w.undo(ctx, who, i)
		default:
			return false, nil
		}
		if !errors.Is(err, fault.ErrLost) {
			return more, err
		}
		w.walk.last = 0
	}
	return false, lost(fault.ErrLost)
}

// on is the walk through the rows of an import as it stands, from the first row when it stands otherwise than before.
func (w *Work) on(i Import) *walk {
	if w.walk.state != i.State || w.walk.revision != i.Revision {
		w.walk = walk{state: i.State, revision: i.Revision}
	}
	return &w.walk
}

// next reads the next rows that wait, from the last one on that was done; and once more from the first one on when none
// is left there.
func (w *Work) next(ctx context.Context, i Import, q RowQuery) ([]Row, error) {
	at := w.on(i)
	for {
		q.After = at.last
		rows, err := w.s.Store.rows(ctx, i.MerchantID, i.ID, q)
		if err != nil || len(rows) > 0 || at.last == 0 {
			return rows, err
		}
		at.last = 0
	}
}

// move writes what became of rows, with what is counted of the import. Rows that another process has moved meanwhile
// are fault.ErrLost.
func (w *Work) move(tx *database.Tx, i *Import, before, after []Row) error {
	if err := moveRows(tx, *i, before[0].State, after); err != nil {
		return err
	}
	i.Counts = i.Counts.with(before, after)
	if err := saveImport(tx, *i); err != nil {
		return err
	}
	w.walk.last = after[len(after)-1].N
	return nil
}

// lookFrom is from how many rows on an import has the planner look at the tables that it fills or empties.
const lookFrom = 1000

// look has the planner look at the tables each time an import has made them several times as large: until PostgreSQL
// does so by itself, pages and the import would be planned for the tables that there were before.
func (w *Work) look(ctx context.Context, i Import) error {
	at := w.on(i)
	if i.Counts.Applied < max(at.look, lookFrom) {
		return nil
	}
	at.look = 4 * i.Counts.Applied
	return w.s.Store.measure(ctx)
}

// many prepares a transaction that adds or takes back much: nobody is told of it, and statements are planned for
// tables as large as they are now. What was planned while they were small would look through all of them for each row.
func many(tx *database.Tx) {
	tx.Hush()
	tx.CopyAll("billing_templates", "clients", "purchases", "mandates", "tokens", "template_clients")
	tx.Later("DISCARD PLANS")
}

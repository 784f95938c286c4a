package book

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

const (
	judgedAtOnce = 1000
	mostLost     = 20
)

// Map fixes what the columns mean and when the old system stops, and has every row rehearsed: Work does it.
func (s *Service) Map(ctx context.Context, who actor.Actor, id uuid.UUID, m Mapping, cutOver Day) (Import, error) {
	if err := who.May(actor.Bill); err != nil {
		return Import{}, err
	}
	wrong := m.Check()
	if err := checkCutOver(cutOver, dayOfMoment(s.Now())); err != nil {
		f, _ := fault.From(err)
		wrong.Add("cut_over", f.Code, "%s", f.Words())
	}
	if err := wrong.Err(); err != nil {
		return Import{}, err
	}
	return s.change(ctx, who, id, func(tx purchase.Tx, i *Import) error {
		if !i.in(ToMap, Checking, Checked) {
			return wrongState(*i)
		}
		if len(m.Columns) > len(i.Format.Header) {
			return fault.At("columns", "max_length", "The file has %d columns.", len(i.Format.Header))
		}
		if m.Choices == nil {
			m.Choices = i.Mapping.Choices
		}
		i.Mapping, i.CutOver = m, cutOver
		i.touched(who)
		if err := remember(tx.Unit(), *i); err != nil {
			return err
		}
		note(tx, who, *i, "import.mapped", "The columns were chosen.", nil, map[string]any{"cut_over": cutOver.String()})
		return s.rehearse(tx, who, i)
	})
}

// Rehearse has every row looked at anew: dates move on from day to day.
func (s *Service) Rehearse(ctx context.Context, who actor.Actor, id uuid.UUID) (Import, error) {
	return s.change(ctx, who, id, func(tx purchase.Tx, i *Import) error {
		if !i.in(Checking, Checked) {
			return wrongState(*i)
		}
		if i.CutOver.Before(dayOfMoment(tx.Now())) {
			i.CutOver = dayOfMoment(tx.Now())
		}
		return s.rehearse(tx, who, i)
	})
}

// rehearse has all rows judged anew.
func (s *Service) rehearse(tx purchase.Tx, who actor.Actor, i *Import) error {
	i.Revision++
	i.State, i.CheckSum = Checking, ""
	if err := freshen(tx.Unit(), *i, nil); err != nil {
		return err
	}
	return s.later(tx, who, i)
}

// Outdated tells that it was rehearsed on another day: first debits may have passed since.
func (s *Service) Outdated(i Import) bool {
	return i.State == Checked && dayOfMoment(i.UpdatedAt) != dayOfMoment(s.Now())
}

// Work is one process at the work of an import. It may be begun again at any time, in several processes at once: each
// piece locks the import and looks again before it writes.
type Work struct {
	s        *Service
	id       uuid.UUID
	together *Together
	revision int
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
		switch i.State {
		case Checking:
			more, err = w.check(ctx, i)
		case Running:
			more, err = w.run(ctx, who, i)
		case Undoing:
			more, err = w.s.undoSome(ctx, who, i)
		default:
			return false, nil
		}
		if !errors.Is(err, fault.ErrLost) {
			return more, err
		}
	}
	return false, lost(fault.ErrLost)
}

// seeTogether looks once at what the rows say with each other.
func (w *Work) seeTogether(ctx context.Context, i Import) error {
	if w.together != nil && w.revision == i.Revision {
		return nil
	}
	t, alone := NewTogether(), w.s.checker(i, nil)
	err := w.s.each(ctx, i, RowQuery{}, func(rows []Row) error {
		for _, r := range rows {
			if !r.LeftOut {
				t.Add(i.Mapping, r, alone.Check(r))
			}
		}
		return nil
	})
	if err == nil {
		w.together, w.revision = t, i.Revision
	}
	return err
}

func (s *Service) checker(i Import, t *Together) Checker {
	return Checker{Header: i.Format.Header, Mapping: i.Mapping, Source: i.Source, Today: dayOfMoment(s.Now()), Together: t}
}

// plans says what rows do: the rehearsal and the run ask it.
func (w *Work) plans(ctx context.Context, i Import, rows []Row) ([]*plan, error) {
	if err := w.seeTogether(ctx, i); err != nil {
		return nil, err
	}
	checker, lines := w.s.checker(i, w.together), make([]Line, len(rows))
	for n, r := range rows {
		lines[n] = checker.Check(r)
	}
	k, err := w.s.know(ctx, i, lines)
	if err != nil {
		return nil, err
	}
	out := make([]*plan, len(rows))
	for n, r := range rows {
		out[n] = k.judge(r, lines[n])
		out[n].known = k
	}
	return out, nil
}

// check judges the next rows; more tells that there are others.
func (w *Work) check(ctx context.Context, seen Import) (more bool, err error) {
	rows, err := w.s.Store.rows(ctx, seen.MerchantID, seen.ID, RowQuery{States: []RowState{Fresh}, Limit: judgedAtOnce})
	if err != nil {
		return false, err
	}
	plans, err := w.plans(ctx, seen, rows)
	if err != nil {
		return false, err
	}
	for n, p := range plans {
		p.into(seen, &rows[n])
		if rows[n].Digest, err = w.s.digest(seen, p, rows[n]); err != nil {
			return false, err
		}
	}
	err = w.s.InTx(ctx, func(tx purchase.Tx) error {
		i, err := lockImport(tx.Unit(), seen.MerchantID, seen.ID)
		switch {
		case err != nil:
			return err
		case i.State != seen.State || i.Revision != seen.Revision:
			return fault.ErrLost
		}
		if more = len(rows) > 0; more {
			if err := saveRows(tx.Unit(), i, rows, false); err != nil {
				return err
			}
			return keep(tx.Unit(), &i)
		}
		i.State, i.UpdatedAt, i.CheckSum = Checked, tx.Now(), w.together.CheckSum()
		return keep(tx.Unit(), &i)
	})
	return more, err
}

func (s *Service) digest(i Import, p *plan, row Row) ([]byte, error) {
	facts, err := p.digest(row)
	return s.Store.Seal.Hash(i.MerchantID, "book_row", facts), err
}

package book

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// judgedAtOnce is how many rows are judged at once: what is known of their clients is read by a handful of questions.
const judgedAtOnce = 1000

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
	return s.change(ctx, who, id, func(tx *database.Tx, i *Import) error {
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
		if err := remember(tx, *i); err != nil {
			return err
		}
		note(tx, who, *i, "import.mapped", "The columns were chosen.", nil, map[string]any{"cut_over": cutOver.String()})
		return s.rehearse(tx, who, i)
	})
}

// Rehearse has every row looked at anew: dates move on from day to day.
func (s *Service) Rehearse(ctx context.Context, who actor.Actor, id uuid.UUID) (Import, error) {
	return s.change(ctx, who, id, func(tx *database.Tx, i *Import) error {
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
func (s *Service) rehearse(tx *database.Tx, who actor.Actor, i *Import) error {
	i.Revision++
	i.State, i.CheckSum, i.Counts = Checking, "", Counts{Fresh: i.Rows}
	if err := freshen(tx, *i); err != nil {
		return err
	}
	return s.later(tx, who, i)
}

// Outdated tells that it was rehearsed on another day: first debits may have passed since.
func (s *Service) Outdated(i Import) bool {
	return i.State == Checked && dayOfMoment(i.UpdatedAt) != dayOfMoment(s.Now())
}

// looking is a first look at all rows of a file, for what they say with each other.
type looking struct {
	revision, last int
	together       *Together
	matching       *matching
}

// looksAtOnce is how often rows are read in one piece of that look: no piece takes long, however many rows there are.
const looksAtOnce = 10

// see looks once at what the rows say with each other; seen tells that all were looked at.
func (w *Work) see(ctx context.Context, i Import) (seen bool, err error) {
	if w.together != nil && w.revision == i.Revision {
		return true, nil
	}
	if w.looking == nil || w.looking.revision != i.Revision {
		scans, err := w.s.Store.scans(ctx, i)
		if err != nil {
			return false, err
		}
		w.looking = &looking{revision: i.Revision, together: NewTogether(), matching: newMatching(scans)}
	}
	l, alone := w.looking, w.s.checker(i, nil)
	for range looksAtOnce {
		rows, err := w.s.Store.rows(ctx, i.MerchantID, i.ID, RowQuery{After: l.last, Limit: 2 * copied})
		if err != nil {
			return false, err
		}
		if len(rows) == 0 {
			l.together.Settle()
			w.together, w.matching, w.scans, w.revision = l.together, l.matching, l.matching.byRow(), i.Revision
			w.looking = nil
			return true, nil
		}
		for _, r := range rows {
			line := alone.Check(r)
			line.Values.Told = alone.told(r, line.Values.Told)
			if r.LeftOut { // the sums of the file are about it all the same
				l.together.count(line)
				continue
			}
			l.together.Add(i.Mapping, r, line)
			l.matching.see(r.N, line.Values)
		}
		l.last = rows[len(rows)-1].N
	}
	return false, nil
}

func (s *Service) checker(i Import, t *Together) Checker {
	return Checker{Header: i.Format.Header, Mapping: i.Mapping, Source: i.Source, Today: dayOfMoment(s.Now()), Together: t}
}

// plans says what rows do: the rehearsal and the run ask it.
func (w *Work) plans(ctx context.Context, i Import, rows []Row) ([]*plan, error) {
	checker, lines := w.s.checker(i, w.together), make([]Line, len(rows))
	for n, r := range rows {
		lines[n] = checker.Check(r)
	}
	k, err := w.s.know(ctx, i, lines, w.scans)
	if err != nil {
		return nil, err
	}
	out := make([]*plan, len(rows))
	for n, r := range rows {
		out[n] = k.judge(r, lines[n])
		out[n].known = k
		k.note(r.N, out[n])
	}
	return out, nil
}

// check judges the next rows; more tells that there are others.
func (w *Work) check(ctx context.Context, seen Import) (more bool, err error) {
	before, err := w.next(ctx, seen, RowQuery{States: []RowState{Fresh}, Limit: judgedAtOnce})
	if err != nil {
		return false, err
	}
	plans, err := w.plans(ctx, seen, before)
	if err != nil {
		return false, err
	}
	rows := slices.Clone(before)
	for n, p := range plans {
		p.into(seen, &rows[n])
		if rows[n].Digest, err = w.s.digest(seen, p, rows[n]); err != nil {
			return false, err
		}
	}
	return len(rows) > 0, w.s.InTx(ctx, func(tx *database.Tx) error {
		i, err := lockImport(tx, seen.MerchantID, seen.ID)
		switch {
		case err != nil:
			return err
		case i.State != seen.State || i.Revision != seen.Revision:
			return fault.ErrLost
		case len(rows) > 0:
			return w.move(tx, &i, before, rows)
		}
		if err := placeScans(tx, i, w.matching.scans); err != nil {
			return err
		}
		i.State, i.UpdatedAt, i.CheckSum = Checked, tx.Now(), w.together.CheckSum()
		if err := countAnew(tx, &i); err != nil {
			return err
		}
		return saveImport(tx, i)
	})
}

func (s *Service) digest(i Import, p *plan, row Row) ([]byte, error) {
	facts, err := p.digest(row)
	return s.Store.Seal.Hash(i.MerchantID, "book_row", facts), err
}

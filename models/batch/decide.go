package batch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Choice says who is billed by a row, and by every other row of the same person.
type Choice struct {
	N        int
	Revision int // of the row, as the person saw it
	Decision Decision
	Client   uuid.UUID // of BillClient
}

// Decide keeps a person's choice of who is billed, and checks the rows of that person again. It tells how many there
// are.
func (s *Service) Decide(ctx context.Context, who actor.Actor, id uuid.UUID, in Choice) (Batch, int, error) {
	touched := 0
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, 0, err
	}
	text, err := s.choice(ctx, who, in)
	if err != nil {
		return Batch{}, 0, err
	}
	b, err := s.edit(ctx, who, id, func(b Batch) (func(*database.Tx, *Batch) error, error) {
		first, err := s.open(ctx, b, in.N)
		if err != nil {
			return nil, err
		}
		if first.Revision != in.Revision {
			return nil, fault.New(fault.Conflict, "row_changed", "Row %d changed since you looked at it. Look at it again.",
				in.N)
		}
		rows, err := s.rowsOfPerson(ctx, b, in)
		if err != nil {
			return nil, err
		}
		touched = len(rows)
		numbers := numbersOf(rows)
		if rows, err = s.judgeTogether(ctx, b, rows); err != nil {
			return nil, err
		}
		return func(tx *database.Tx, b *Batch) error {
			if err := keepMend(tx, who, *b, in.done(numbers), numbers); err != nil {
				return err
			}
			if err := saveRows(tx, *b, rows, false); err != nil {
				return err
			}
			if err := warn(tx, *b, nil); err != nil {
				return err
			}
			tx.Audit(who, audit.Entry{Action: "batch.client_decided", ObjectType: "batch", ObjectID: b.ID, ClientID: in.Client,
				Text:  in.rowsInWords(touched) + ": " + text,
				After: map[string]any{"row": in.N, "rows": touched, "decision": in.Decision, "client": in.Client}})
			return nil
		}, nil
	})
	return b, touched, err
}

// rowsInWords names the row that was chosen for, and how many others it holds for.
func (in Choice) rowsInWords(touched int) string {
	text := fmt.Sprintf("Row %d", in.N)
	if touched > 1 {
		text += " and " + plural.Of(touched-1, "other row")
	}
	return text
}

// done says what was chosen, without naming anybody.
func (in Choice) done(numbers []int) string {
	what := map[Decision]string{CreateClient: "a new client", BillClient: "client chosen",
		Undecided: "client to be chosen again"}[in.Decision]
	return in.rowsInWords(len(numbers)) + ": " + what + "."
}

// choice says in words what a choice means, or what is wrong with it.
func (s *Service) choice(ctx context.Context, who actor.Actor, in Choice) (string, error) {
	switch in.Decision {
	case Undecided:
		return "the client is to be chosen again.", nil
	case CreateClient:
		return "a new client is created.", nil
	case BillClient:
		c, err := s.Clients.Get(ctx, who, in.Client)
		if fault.Is(err, fault.NotFound) {
			return "", fault.At("client_id", "does_not_exist", "Choose one of the clients that were found.")
		}
		return c.Name() + " is billed.", err
	}
	return "", fault.At("decision", "invalid_choice", "Create a client, or choose one.")
}

// rowsOfPerson are the rows that name the same person and have no other decision, with the new one.
func (s *Service) rowsOfPerson(ctx context.Context, b Batch, in Choice) (rows []Row, err error) {
	numbers, err := s.Store.rowsOfPerson(ctx, b, in.N)
	if err != nil {
		return nil, err
	}
	meant := ""
	for _, n := range append([]int{in.N}, numbers...) {
		r, err := s.open(ctx, b, n)
		if err != nil {
			return nil, err
		}
		person := b.read([]Row{r}, Day{})[0].Values.person()
		switch {
		case n == in.N && len(rows) > 0:
			continue
		case n == in.N:
			meant = person
		case person != meant:
			continue // checked by an older release, which took everybody at one address for one person
		}
		if n != in.N && in.Decision == BillClient && !r.has(CauseUnknown, 0) && !r.has(CauseClient, 0) &&
			r.Decision == Undecided {
			continue // it names a client of its own
		}
		r.Decision, r.Chosen, r.Revision = in.Decision, uuid.Nil, b.Revision
		if in.Decision == BillClient {
			r.Chosen = in.Client
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Confirm ticks unusual amounts that are right: by row, the cents that the person saw. It tells of how many rows.
func (s *Service) Confirm(ctx context.Context, who actor.Actor, id uuid.UUID,
	amounts map[int]int64) (Batch, int, error) {
	confirmed := 0
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, 0, err
	}
	b, err := s.change(ctx, who, id, func(tx *database.Tx, b *Batch) (err error) {
		switch {
		case !b.in(Checked):
			return wrongState(*b)
		case len(amounts) == 0:
			return fault.New(fault.Conflict, "nothing_ticked", "Tick the amounts that are right first.")
		}
		numbers := slices.Sorted(maps.Keys(amounts))
		b.Revision++
		b.touched(who)
		if err := keepMend(tx, who, *b, plural.Of(len(numbers), "unusual amount")+" confirmed"+whichRows(numbers)+".",
			numbers); err != nil {
			return err
		}
		if confirmed, err = confirm(tx, *b, amounts); err != nil {
			return err
		}
		if confirmed == 0 {
			return fault.New(fault.Conflict, "amounts_changed",
				"These amounts changed since you looked at them. Look at them again.")
		}
		tx.Audit(who, audit.Entry{Action: "batch.amounts_confirmed", ObjectType: "batch", ObjectID: b.ID,
			Text:  plural.Of(confirmed, "unusual amount") + " " + plural.Was(confirmed) + " confirmed.",
			After: map[string]any{"rows": confirmed, "cents": amounts}})
		return nil
	})
	return b, confirmed, err
}

// Restore takes a row that was left out back in, and checks it again.
func (s *Service) Restore(ctx context.Context, who actor.Actor, id uuid.UUID, n int) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	return s.edit(ctx, who, id, func(b Batch) (func(*database.Tx, *Batch) error, error) {
		rows, err := s.Store.rows(ctx, b.MerchantID, b.ID,
			RowQuery{States: []RowState{Skipped}, After: n - 1, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 || rows[0].N != n {
			return nil, fault.New(fault.Conflict, "row_not_left_out", "Row %d is no longer left out. Look at the rows again.",
				n)
		}
		rows[0].Revision = b.Revision
		if rows, err = s.judgeTogether(ctx, b, rows); err != nil {
			return nil, err
		}
		return func(tx *database.Tx, b *Batch) error {
			if err := keepMend(tx, who, *b, fmt.Sprintf("Row %d included again.", n), []int{n}); err != nil {
				return err
			}
			if err := saveRows(tx, *b, rows, false); err != nil {
				return err
			}
			tx.Audit(who, audit.Entry{Action: "batch.row_restored", ObjectType: "batch", ObjectID: b.ID,
				Text: fmt.Sprintf("Row %d is included again.", n), After: map[string]any{"row": n}})
			return warn(tx, *b, nil)
		}, nil
	})
}

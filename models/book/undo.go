package book

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
)

// undoneAtOnce is how many rows one transaction takes back.
const undoneAtOnce = 500

// Undo takes an import back: what it made goes, what it changed is as before. Rows whose group has handed a debit to
// the bank stay, and what somebody changed since; Kept lists them. Work does it.
func (s *Service) Undo(ctx context.Context, who actor.Actor, id uuid.UUID) (Import, error) {
	return s.change(ctx, who, id, func(tx *database.Tx, i *Import) error {
		if err := i.MayUndo(tx.Now()); err != nil {
			return err
		}
		handed, err := handedOver(tx, *i)
		if err != nil {
			return err
		}
		groups, err := Store{tx.DB()}.groups(tx.Context(), i.MerchantID, i.ID)
		if err != nil {
			return err
		}
		if len(handed) > 0 && len(handed) >= len(groups) {
			return fault.New(fault.Conflict, "undo_over", "The first debits of this import were handed to the bank, so it "+
				"can no "+
				"longer be undone. Stop or change its clients one by one.")
		}
		i.State, i.Kept = Undoing, []Kept{}
		note(tx, who, *i, "import.undoing", fmt.Sprintf("Undoing the import %s was asked for.", i.Name), nil, nil)
		return s.later(tx, who, i)
	})
}

// undo takes the last rows back that were done, in one transaction.
func (w *Work) undo(ctx context.Context, who actor.Actor, seen Import) (more bool, err error) {
	err = w.s.InTx(ctx, func(tx *database.Tx) error {
		many(tx)
		i, err := lockImport(tx, seen.MerchantID, seen.ID)
		if err != nil || i.State != Undoing {
			return err
		}
		at := w.on(i)
		before, err := lastApplied(tx, i, at.last, undoneAtOnce)
		if err == nil && len(before) == 0 && at.last > 0 {
			before, err = lastApplied(tx, i, 0, undoneAtOnce)
		}
		if err != nil {
			return err
		}
		if more = len(before) > 0; !more {
			return w.s.undone(tx, who, &i)
		}
		if at.handed == nil {
			if at.handed, err = handedOver(tx, i); err != nil {
				return err
			}
		}
		before = before[:untilMetAgain(len(before), func(n int) uuid.UUID { return before[n].ClientID })]
		rows := slices.Clone(before)
		b := &back{who: who, i: i, rows: rows, why: make([]string, len(rows))}
		if err := b.take(tx, at.handed); err != nil {
			return err
		}
		i.Kept, i.UpdatedAt = append(i.Kept, b.conclude()...), tx.Now()
		return w.move(tx, &i, before, rows)
	})
	return more, err
}

// undone ends the undoing: the templates go that nobody else uses.
func (s *Service) undone(tx *database.Tx, who actor.Actor, i *Import) error {
	for _, id := range i.Templates {
		if _, err := subscription.RemoveUnused(tx, i.MerchantID, id); err != nil {
			return err
		}
	}
	if err := countAnew(tx, i); err != nil {
		return err
	}
	i.State, i.UndoneAt, i.UpdatedAt = Undone, tx.Now(), tx.Now()
	text := fmt.Sprintf("The import %s was undone.", i.Name)
	if len(i.Kept) > 0 {
		text = fmt.Sprintf("The import %s was undone, but for %s.", i.Name, plural.Of(len(i.Kept), "row"))
	}
	note(tx, who, *i, "import.undone", text, nil, map[string]any{"undone": i.Counts.Undone, "left": len(i.Kept)})
	return saveImport(tx, *i)
}

// back is rows of an import that are taken back together.
type back struct {
	who  actor.Actor
	i    Import
	rows []Row
	why  []string // each of them stays; empty: it is taken back
}

// going are the places of the rows that nothing keeps so far and of which something is taken back.
func (b *back) going() (places []int) {
	for n, r := range b.rows {
		if b.why[n] == "" && r.Verdict != Unchanged && r.Undo != nil {
			places = append(places, n)
		}
	}
	return places
}

// take takes rows back, or says why they stay.
func (b *back) take(tx *database.Tx, handed map[string]bool) error {
	for _, n := range b.going() {
		switch r := b.rows[n]; {
		case handed[r.GroupName]:
			b.why[n] = "a debit of its group was handed to the bank"
		case r.Undo.Unreadable:
			b.why[n] = "what is stored of it before the import was damaged"
		}
	}
	clients, err := client.LockIn(tx, b.i.MerchantID, b.ids(func(r Row) uuid.UUID { return r.ClientID }))
	if err != nil {
		return err
	}
	for _, n := range b.going() {
		if c, there := clients[b.rows[n].ClientID]; !there {
			b.why[n] = "the client was deleted since"
		} else if stamp(c.UpdatedAt) != b.rows[n].Undo.At {
			b.why[n] = "the client was changed since"
		}
	}
	if err := b.hanging(tx); err != nil {
		return err
	}
	if err := b.subscriptions(tx); err != nil {
		return err
	}
	b.removeMade(tx)
	return b.clients(tx, clients)
}

// ids gives what rows have that go, none left out.
func (b *back) ids(of func(Row) uuid.UUID) (ids []uuid.UUID) {
	for _, n := range b.going() {
		if id := of(b.rows[n]); id != uuid.Nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// subscriptions takes those back that the rows made; a row stays whose subscription was changed or has billed.
func (b *back) subscriptions(tx *database.Tx) error {
	gone, err := subscription.RemoveParked(tx, b.i.MerchantID,
		b.ids(func(r Row) uuid.UUID { return r.SubscriberID }))
	if err != nil {
		return err
	}
	for _, n := range b.going() {
		if id := b.rows[n].SubscriberID; id != uuid.Nil && !gone[id] {
			b.why[n] = "its subscription was changed or billed since"
		}
	}
	return nil
}

// clients gives the clients back what they had before, and notes what was taken back.
func (b *back) clients(tx *database.Tx, clients map[uuid.UUID]client.Client) (err error) {
	for _, n := range b.going() {
		row := &b.rows[n]
		c := clients[row.ClientID]
		tx.Audit(b.who, audit.Entry{Action: "client.import_undone", ObjectType: "client", ObjectID: row.ClientID,
			ClientID: row.ClientID, Text: fmt.Sprintf("What the import %s did to %s was taken back.", b.i.Name, c.Name()),
			Before: map[string]any{"import": b.i.ID, "verdict": row.Verdict}})
		if row.Undo.MadeWho || row.Undo.Adds {
			continue
		}
		if c.Details, err = client.FromFull(row.Undo.Before); err != nil {
			return err
		}
		if c.UpdatedAt, err = time.Parse(time.RFC3339Nano, row.Undo.Was); err != nil {
			return err
		}
		client.SaveIn(tx, c)
	}
	return nil
}

// conclude has every row say what became of it, and lists those that stay.
func (b *back) conclude() (kept []Kept) {
	for n := range b.rows {
		r := &b.rows[n]
		r.State = Taken
		switch {
		case b.why[n] != "":
			kept = append(kept, Kept{Row: r.N, Name: r.Name, ClientID: r.ClientID, Why: b.why[n]})
			r.Reason = "Left by the undo: " + b.why[n]
			continue
		case r.Verdict == Created:
			r.ClientID = uuid.Nil
		}
		if r.Verdict != Unchanged && r.Undo != nil {
			r.TokenID, r.SubscriberID = uuid.Nil, uuid.Nil
		}
	}
	return kept
}

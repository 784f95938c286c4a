package merging

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Input says which clients become one.
type Input struct {
	Keep, Gone uuid.UUID
	Chosen     map[string]Side // of the details that differ; those left out are as the kept one has them
	Seen       string          // the digest of what the person was shown
}

// Merge makes one client of two, in one transaction. It is refused when it would do something else than what was seen.
func (s *Service) Merge(ctx context.Context, who actor.Actor, in Input) (m Merge, err error) {
	if err := who.May(mayMerge); err != nil {
		return m, err
	}
	err = s.retried(ctx, func(tx *database.Tx) (wrong error) {
		m, wrong = s.merge(tx, who, in)
		return wrong
	})
	return m, err
}

// retried does it again when another change came first.
func (s *Service) retried(ctx context.Context, do func(*database.Tx) error) error {
	const tries = 5
	return fault.Again(tries, "These clients are being changed at the moment. Try again.",
		func() error { return s.Store.InTx(ctx, do) })
}

// lockBoth locks two clients in the order of their ids, so that two merges of the same ones wait for each other.
func lockBoth(tx *database.Tx, merchantID, a, b uuid.UUID) error {
	ids := []uuid.UUID{a, b}
	slices.SortFunc(ids, func(x, y uuid.UUID) int { return bytes.Compare(x[:], y[:]) })
	for _, id := range slices.Compact(ids) {
		if _, err := client.LockAny(tx, merchantID, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) merge(tx *database.Tx, who actor.Actor, in Input) (Merge, error) {
	if err := lockBoth(tx, who.MerchantID, in.Keep, in.Gone); err != nil {
		return Merge{}, err
	}
	l, err := s.look(tx.Context(), who.MerchantID, in.Keep, in.Gone)
	if err == nil {
		err = l.Err()
	}
	if err != nil {
		return Merge{}, err
	}
	if in.Seen != l.Digest() {
		return Merge{}, fault.New(fault.Conflict, "merge_changed",
			"What would move changed since you looked. Look at it again.")
	}
	before := l.Keep.Details
	m := Merge{ID: tx.NewID(), MerchantID: who.MerchantID, KeptID: in.Keep, GoneID: in.Gone, GoneName: l.Gone.Name(),
		Before: &before, KeptWas: l.Keep.UpdatedAt, GoneWas: l.Gone.UpdatedAt, MadeBy: who.ID, MadeName: who.Name,
		MadeAt: tx.Now(), UndoUntil: tx.Now().Add(UndoTime)}
	if m.Moved, err = move(tx, who.MerchantID, in.Gone, in.Keep); err != nil {
		return m, err
	}
	kept := l.Keep
	kept.Details, kept.UpdatedAt = winning(l.Keep.Details, l.Gone.Details, in.Chosen), tx.Now()
	write(tx, kept, before)
	if won, err := client.TakeOff(tx, who.MerchantID, in.Gone); err != nil || !won {
		return m, lostUnless(err)
	}
	if err := insert(tx, m); err != nil {
		return Merge{}, err
	}
	note(tx, who, m, l, kept)
	return m, nil
}

// write replaces the details of a client where they change, and notes when.
func write(tx *database.Tx, c client.Client, before client.Details) {
	if _, is := client.Changes(before, c.Details); len(is) == 0 {
		client.Touch(tx, c.MerchantID, c.ID, c.UpdatedAt)
		return
	}
	client.SaveIn(tx, c)
}

func lostUnless(err error) error {
	if err != nil {
		return err
	}
	return fault.ErrLost
}

// The actions of a merge in the audit. What is kept of the gone one is on its own time line alone: that of the kept one
// has a line of its own.
const (
	merged, mergedAway    = "client.merged", "client.merged_away"
	unmerged, broughtBack = "client.unmerged", "client.brought_back"
)

// note writes one line for each of the two.
func note(tx *database.Tx, who actor.Actor, m Merge, l Look, kept client.Client) {
	was, is := client.Changes(l.Keep.Details, kept.Details)
	is["merge"], is["gone"], is["moved"] = m.ID, m.GoneID, counts(l.Moves)
	tx.Audit(who, entry(merged, m.KeptID, m.GoneName+" was merged into "+kept.Name()+": "+inShort(l.Moves)+" moved.", was,
		is))
	was, _ = client.Changes(l.Gone.Details, client.Details{})
	tx.Audit(who, entry(mergedAway, m.GoneID, m.GoneName+" was merged into "+kept.Name()+".", was,
		map[string]any{"merge": m.ID, "kept": m.KeptID}))
}

func entry(action string, of uuid.UUID, text string, was, is map[string]any) audit.Entry {
	return audit.Entry{Action: action, ObjectType: "client", ObjectID: of, ClientID: of, Text: text, Before: was,
		After: is}
}

func counts(moves []Moving) map[string]int {
	out := map[string]int{}
	for _, m := range moves {
		out[m.Place] = m.N
	}
	return out
}

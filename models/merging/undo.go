package merging

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Undo is what undoing a merge does: the page shows it, and the undo does it.
type Undo struct {
	Merge   Merge
	Kept    client.Client
	Left    []Moving // that stays with the kept client
	Changed bool     // somebody changed the details of the kept one since: they stay
}

// Lines say what happens, one a line.
func (u Undo) Lines() []string {
	out := []string{u.Merge.GoneName + " is on the list of clients again, with everything that moved and still belongs " +
		"to " + u.Kept.Name() + "."}
	if u.Changed {
		out = append(out, "The details of "+u.Kept.Name()+" stay as they are: they were changed after the merge.")
	} else {
		out = append(out, "The details of "+u.Kept.Name()+" are as before the merge.")
	}
	for _, m := range u.Left {
		out = append(out, m.Words()+" of the time after the merge: Stays with "+u.Kept.Name()+".")
	}
	return out
}

// UndoOf tells what undoing the newest merge into a client would do now; Conflict when there is none, or
// it is too late.
func (s *Service) UndoOf(ctx context.Context, who actor.Actor, kept uuid.UUID) (u Undo, err error) {
	if err := who.May(mayMerge); err != nil {
		return u, err
	}
	all, err := s.Store.into(ctx, who.MerchantID, kept, 1)
	if err != nil {
		return u, err
	}
	if u.Kept, err = s.Store.live(ctx, who.MerchantID, kept); err != nil {
		return u, err
	}
	if len(all) == 0 {
		return u, nothing()
	}
	u.Merge = all[0]
	return s.undoOf(ctx, u)
}

func nothing() error {
	return fault.New(fault.Conflict, "nothing_merged", "Nothing was merged into this client, or it was undone already.")
}

func (s *Service) undoOf(ctx context.Context, u Undo) (_ Undo, err error) {
	if !u.Merge.Undoable(s.Now()) {
		return u, fault.New(fault.Conflict, "undo_over", "A merge can be undone for an hour. That time is over.")
	}
	if not := forbids(u.Kept); len(not) > 0 {
		return u, fault.New(fault.Conflict, "cannot_undo", "%s", strings.Join(not, " "))
	}
	waits, err := s.Store.waits(ctx, u.Merge.MerchantID, u.Merge.KeptID, u.Merge.GoneID)
	if err != nil {
		return u, err
	}
	if len(waits) > 0 {
		return u, fault.New(fault.Conflict, "cannot_undo", "%s", strings.Join(waits, " "))
	}
	charged, err := s.Store.charged(ctx, u.Merge)
	if err != nil {
		return u, err
	}
	if charged {
		return u, fault.New(fault.Conflict, "cannot_undo", "A subscription of %s is charged on an account that came with "+
			"the merge. Give it another account first.", u.Kept.Name())
	}
	u.Changed = !u.Kept.UpdatedAt.Equal(u.Merge.MadeAt)
	u.Left, err = s.Store.left(ctx, u.Merge)
	return u, err
}

// Undo takes the newest merge into a client back, within the hour. Seen is the merge that the person looked at.
func (s *Service) Undo(ctx context.Context, who actor.Actor, kept, seen uuid.UUID) (u Undo, err error) {
	if err := who.May(mayMerge); err != nil {
		return u, err
	}
	all, err := s.Store.into(ctx, who.MerchantID, kept, 1)
	if err != nil {
		return u, err
	}
	if _, err := s.Store.live(ctx, who.MerchantID, kept); err != nil {
		return u, err
	}
	if len(all) == 0 {
		return u, nothing()
	}
	gone := all[0].GoneID
	err = s.retried(ctx, func(tx *database.Tx) (wrong error) {
		u, wrong = s.undo(tx, who, kept, gone, seen)
		return wrong
	})
	return u, err
}

func (s *Service) undo(tx *database.Tx, who actor.Actor, kept, gone, seen uuid.UUID) (u Undo, err error) {
	if err := lockBoth(tx, who.MerchantID, kept, gone); err != nil {
		return u, err
	}
	ctx := tx.Context()
	if u.Kept, err = s.Store.live(ctx, who.MerchantID, kept); err != nil {
		return u, err
	}
	switch u.Merge, err = lastInto(tx, who.MerchantID, kept); {
	case missing(err):
		return u, nothing()
	case err != nil:
		return u, err
	case u.Merge.GoneID != gone:
		return u, fault.ErrLost
	case u.Merge.ID != seen:
		return u, fault.New(fault.Conflict, "merge_changed", "Another merge was done or undone since you looked. "+
			"Look at it again.")
	}
	if u, err = s.undoOf(ctx, u); err != nil {
		return u, err
	}
	m := u.Merge
	if err := moveBack(tx, m); err != nil {
		return u, err
	}
	if back, err := client.BringBack(tx, m.MerchantID, gone, m.GoneWas); err != nil || !back {
		return u, lostUnless(err)
	}
	now := u.Kept
	if !u.Changed {
		now.Details, now.UpdatedAt = *m.Before, m.KeptWas
		write(tx, now, u.Kept.Details)
	}
	m.UndoneBy, m.UndoneName, m.UndoneAt = who.ID, who.Name, tx.Now()
	if won, err := end(tx, m); err != nil || !won {
		return u, lostUnless(err)
	}
	was, is := client.Changes(u.Kept.Details, now.Details)
	was["merge"], is["left"], is["details_kept"] = m.ID, counts(u.Left), u.Changed
	tx.Audit(who, entry(unmerged, kept, "The merge of "+m.GoneName+" into "+now.Name()+" was undone.", was, is))
	tx.Audit(who, entry(broughtBack, gone, m.GoneName+" is a client of its own again: the merge was undone.",
		map[string]any{"merge": m.ID, "kept": kept}, nil))
	return u, nil
}

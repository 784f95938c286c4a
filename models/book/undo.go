package book

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// undoneAtOnce is how many rows one transaction takes back.
const undoneAtOnce = 100

// Undo takes an import back: what it made goes, what it changed is as before. Rows whose group has handed a debit to
// the bank stay, and what somebody changed since; Kept lists them. Work does it.
func (s *Service) Undo(ctx context.Context, who actor.Actor, id uuid.UUID) (Import, error) {
	return s.change(ctx, who, id, func(tx purchase.Tx, i *Import) error {
		if err := i.MayUndo(tx.Now()); err != nil {
			return err
		}
		handed, err := handedOver(tx.Unit(), *i)
		if err != nil {
			return err
		}
		groups, err := Store{tx.Unit().DB()}.groups(tx.Context(), i.MerchantID, i.ID)
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

// undoSome takes the last rows back that were done, in one transaction.
func (s *Service) undoSome(ctx context.Context, who actor.Actor, seen Import) (more bool, err error) {
	err = s.InTx(ctx, func(tx purchase.Tx) error {
		i, err := lockImport(tx.Unit(), seen.MerchantID, seen.ID)
		if err != nil || i.State != Undoing {
			return err
		}
		tx.Unit().Hush()
		rows, err := lastApplied(tx.Unit(), i, undoneAtOnce)
		if err != nil {
			return err
		}
		if more = len(rows) > 0; !more {
			return s.undone(tx, who, &i)
		}
		handed, err := handedOver(tx.Unit(), i)
		if err != nil {
			return err
		}
		for n := range rows {
			why, err := s.takeBack(tx, who, i, &rows[n], handed)
			if err != nil {
				return err
			}
			if rows[n].State = Taken; why != "" {
				i.Kept = append(i.Kept, Kept{Row: rows[n].N, Name: rows[n].Name, ClientID: rows[n].ClientID, Why: why})
				rows[n].Reason = "Left by the undo: " + why
			} else if rows[n].Verdict == Created {
				rows[n].ClientID = uuid.Nil
			}
		}
		if err := saveRows(tx.Unit(), i, rows, false); err != nil {
			return err
		}
		i.UpdatedAt = tx.Now()
		return keep(tx.Unit(), &i)
	})
	return more, err
}

// undone ends the undoing: the templates go that nobody else uses.
func (s *Service) undone(tx purchase.Tx, who actor.Actor, i *Import) error {
	for _, id := range i.Templates {
		if _, err := subscription.RemoveUnused(tx.Unit(), i.MerchantID, id); err != nil {
			return err
		}
	}
	i.State, i.UndoneAt, i.UpdatedAt = Undone, tx.Now(), tx.Now()
	text := fmt.Sprintf("The import %s was undone.", i.Name)
	if len(i.Kept) > 0 {
		text = fmt.Sprintf("The import %s was undone, but for %s.", i.Name, plural.Of(len(i.Kept), "row"))
	}
	note(tx, who, *i, "import.undone", text, nil, map[string]any{"undone": i.Counts.Undone, "left": len(i.Kept)})
	return keep(tx.Unit(), i)
}

// takeBack takes one row back, or says why it stays.
func (s *Service) takeBack(tx purchase.Tx, who actor.Actor, i Import, row *Row, handed map[string]bool) (why string,
	err error) {
	switch {
	case row.Verdict == Unchanged || row.Undo == nil:
		return "", nil
	case handed[row.GroupName]:
		return "a debit of its group was handed to the bank", nil
	case row.Undo.Unreadable:
		return "what is stored of it before the import was damaged", nil
	}
	c, err := client.LockIn(tx.Unit(), i.MerchantID, row.ClientID)
	if fault.Is(err, fault.NotFound) {
		return "the client was deleted since", nil
	}
	if err != nil {
		return "", err
	}
	others, err := othersOf(tx.Unit(), i, *row)
	switch {
	case err != nil:
		return "", err
	case stamp(c.UpdatedAt) != row.Undo.At:
		return "the client was changed since", nil
	case others != "":
		return others, nil
	}
	if row.SubscriberID != uuid.Nil {
		gone, err := subscription.RemoveParked(tx.Unit(), i.MerchantID, row.SubscriberID)
		if err != nil {
			return "", err
		}
		if !gone {
			return "its subscription was changed or billed since", nil
		}
	}
	followup.RemoveNotes(tx.Unit(), i.MerchantID, row.Undo.Notes)
	if err := removeMade(tx.Unit(), i, *row); err != nil {
		return "", err
	}
	if !row.Undo.MadeWho {
		was, err := client.FromFull(row.Undo.Before)
		if err != nil {
			return "", err
		}
		c.Details = was
		if c.UpdatedAt, err = time.Parse(time.RFC3339Nano, row.Undo.Was); err != nil {
			return "", err
		}
		if _, err := client.Rewrite(tx.Unit(), c); err != nil {
			return "", err
		}
	}
	tx.Audit(who, audit.Entry{Action: "client.import_undone", ObjectType: "client", ObjectID: row.ClientID,
		ClientID: row.ClientID, Text: fmt.Sprintf("What the import %s did to %s was taken back.", i.Name, c.Name()),
		Before: map[string]any{"import": i.ID, "verdict": row.Verdict}})
	row.TokenID, row.SubscriberID = uuid.Nil, uuid.Nil
	return "", nil
}

package batch

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Discard deletes a draft with its rows. What was ever sent stays, and so does its batch. An open request to send it
// is withdrawn.
func (s *Service) Discard(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	if err := who.May(actor.Bill); err != nil {
		return err
	}
	_, err := s.change(ctx, who, id, func(tx *database.Tx, b *Batch) error {
		switch {
		case b.Started():
			return fault.New(fault.Conflict, "batch_started",
				"Rows of this batch were sent, so it is kept. Only a draft can be discarded.")
		case !b.Draft():
			return wrongState(*b)
		}
		tx.Audit(who, audit.Entry{Action: "batch.discarded", ObjectType: "batch", ObjectID: b.ID,
			Text:   fmt.Sprintf("The draft %q with %s was discarded.", b.Name, plural.Of(b.Rows, "row")),
			Before: map[string]any{"state": b.State, "rows": b.Rows, "ready_cents": b.Counts.ReadyCents}})
		deleteBatch(tx, *b)
		b.State = Stopped // as a request for a second approver sees it
		return nil
	})
	return err
}

package kit

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/batch"
	"debitdesk/models/fault"
)

// FindBatch finds a batch of the merchant; NotFound otherwise.
type FindBatch func(ctx context.Context, who actor.Actor, id uuid.UUID) (batch.Batch, error)

// narrowToBatch reads the batch that the address narrows a list to. One that is not there is left out with a notice.
func (l *Listing) narrowToBatch(ctx context.Context, who actor.Actor, find FindBatch) (uuid.UUID, error) {
	text := l.Query.Get("batch")
	if text == "" {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(text)
	if err == nil {
		var b batch.Batch
		if b, err = find(ctx, who, id); err == nil {
			l.batch = b.Name
			return id, nil
		}
		if !fault.Is(err, fault.NotFound) {
			return uuid.Nil, err
		}
	}
	l.Unknown("batch", "a batch")
	return uuid.Nil, nil
}

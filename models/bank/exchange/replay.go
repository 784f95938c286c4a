package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// Replay reads a document that came before as if it came now, under the profile of today, and changes nothing.
func (s *Service) Replay(ctx context.Context, who actor.Actor, id uuid.UUID) (d Document, t Trial, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return d, t, err
	}
	if d, err = s.Document(ctx, who, id); err != nil {
		return d, t, err
	}
	from, err := s.reopen(ctx, d)
	if err != nil {
		return d, t, err
	}
	content, err := io.ReadAll(io.LimitReader(from, MostImported+1))
	if err := errors.Join(err, from.Close()); err != nil {
		return d, t, fmt.Errorf("read %s once more: %w", d.FileName, err)
	}
	t, err = s.trial(ctx, who, d.FileName, content, d.MerchantID == uuid.Nil && who.MerchantID != uuid.Nil)
	return d, t, err
}

// reopen opens the bytes of a document that was read.
func (s *Service) reopen(ctx context.Context, d Document) (io.ReadCloser, error) {
	if d.MerchantID == uuid.Nil {
		return s.Box.Reopen(Found{Name: d.FileName, Size: d.Size, SHA256: d.SHA256})
	}
	content, err := s.imported(ctx, d.ID)
	var damaged *Unreadable
	switch {
	case errors.As(err, &damaged):
		return nil, fault.New(fault.Conflict, "damaged", "%s", damaged.Why)
	case err != nil:
		return nil, fault.New(fault.Conflict, "gone", "The bytes of this file are no longer kept. Import it once more.")
	}
	return content, nil
}

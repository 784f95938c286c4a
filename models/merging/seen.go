package merging

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
)

// mostShown is how many merges a client's page tells of.
const mostShown = 20

// Into lists the merges into a client that hold, the newest first.
func (s *Service) Into(ctx context.Context, who actor.Actor, kept uuid.UUID) ([]Merge, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.into(ctx, who.MerchantID, kept, mostShown)
}

// Gone finds all clients who live on in one, for whom the same time line is shown.
func (s *Service) Gone(ctx context.Context, who actor.Actor, kept uuid.UUID) ([]uuid.UUID, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.goneInto(ctx, who.MerchantID, kept)
}

// KeptFor is the client that one who was merged away lives on in; NotFound for others.
func (s *Service) KeptFor(ctx context.Context, who actor.Actor, gone uuid.UUID) (uuid.UUID, error) {
	if err := who.May(actor.Read); err != nil {
		return uuid.Nil, err
	}
	m, err := s.Store.of(ctx, who.MerchantID, gone)
	return m.KeptID, err
}

// inShort are the rows that people are told of, in words: "2 purchases and 1 note"; "nothing" for none.
func inShort(moves []Moving) string {
	said := Words(moves)
	switch n := len(said); {
	case n == 0:
		return "nothing"
	case n == 1:
		return said[0]
	default:
		return strings.Join(said[:n-1], ", ") + " and " + said[n-1]
	}
}

// Words are the rows that people are told of.
func Words(moves []Moving) (out []string) {
	for _, m := range moves {
		if m.One != "" {
			out = append(out, m.Words())
		}
	}
	return out
}

package purchase

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"debitdesk/models/fault"
)

// ReadsIn is the language in which the client of a purchase reads: what is known of the client now, or else what the
// purchase says.
func (s *Service) ReadsIn(ctx context.Context, p Purchase) (string, error) {
	if p.ClientID == uuid.Nil {
		return p.Details.Language, nil
	}
	d, err := s.Read.ClientDetails(ctx, p.MerchantID, p.ClientID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return "", err
	}
	return cmp.Or(d.Language, p.Details.Language), nil
}

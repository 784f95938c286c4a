package purchase

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
)

// ReadsIn is the language in which the client of a purchase reads: what is known of the client now, or else what the
// purchase says.
func (s *Service) ReadsIn(ctx context.Context, p Purchase) (string, error) {
	if p.ClientID == uuid.Nil {
		return p.Details.Language, nil
	}
	d, err := s.Clients().ClientDetails(ctx, p.MerchantID, p.ClientID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return "", err
	}
	return cmp.Or(d.Language, p.Details.Language), nil
}

// reads is the language of a mail about a purchase that is addressed.
func (p Purchase) reads(b merchant.Brand) locale.Language {
	return b.Reads(p.Payer.Language, p.Details.Language)
}

// Addressed is a purchase for a mail about it, with the language in which its client reads now. Where that cannot be
// found out the purchase's own is used: a payment is not refused for it.
func (s *Service) Addressed(ctx context.Context, p Purchase, b merchant.Brand) Purchase {
	if len(b.Offered()) > 0 {
		if known, err := s.ReadsIn(ctx, p); err == nil {
			p.Payer.Language = known
		}
	}
	return p
}

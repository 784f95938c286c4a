package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/token"
)

// ClientTokens lists the live tokens of a client, newest first.
func (s *Service) ClientTokens(ctx context.Context, who actor.Actor, clientID uuid.UUID, ask paging.Ask) (paging.Page[token.Token], error) {
	var none paging.Page[token.Token]
	if err := who.May(actor.Read); err != nil {
		return none, err
	}
	if _, err := s.Read.ClientDetails(ctx, who.MerchantID, clientID); err != nil {
		return none, err
	}
	read, err := s.Lists.TokenPage(ctx, who.MerchantID, clientID, ask)
	if err != nil {
		return none, err
	}
	return paging.Cut(ask, read), nil
}

// ClientToken finds one live token of a client.
func (s *Service) ClientToken(ctx context.Context, who actor.Actor, clientID, id uuid.UUID) (token.Token, error) {
	if err := who.May(actor.Read); err != nil {
		return token.Token{}, err
	}
	t, err := s.Read.Token(ctx, who.MerchantID, id)
	if err == nil && (!t.Live() || t.ClientID != clientID) {
		err = fault.Missing()
	}
	return t, err
}

// HasMandate tells whether the payer's permission stands behind the purchase.
func (p Purchase) HasMandate() bool {
	for _, a := range p.Attempts {
		if a.Type == "authorize" && a.Successful {
			return true
		}
	}
	return p.CollectionCount > 0
}

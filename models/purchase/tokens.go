package purchase

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/token"
)

// ClientTokens lists the live tokens of a client, newest first.
func (s *Service) ClientTokens(ctx context.Context, who actor.Actor, clientID uuid.UUID,
	ask paging.Ask) (paging.Page[token.Token], error) {
	var none paging.Page[token.Token]
	if err := who.May(actor.Read); err != nil {
		return none, err
	}
	if err := s.Clients().KnowsClient(ctx, who.MerchantID, clientID); err != nil {
		return none, err
	}
	read, err := s.Tokens().TokenPage(ctx, who.MerchantID, clientID, ask)
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
	t, err := s.Tokens().Token(ctx, who.MerchantID, id)
	if err == nil && (!t.Live() || t.ClientID != clientID) {
		err = fault.Missing()
	}
	return t, err
}

// begun are the statuses that a purchase with a mandate came by.
var begun = []Status{PendingExecute, PendingCharge, Preauthorized}

// HasMandate tells whether the purchase has a mandate, be it one that the client is
// still asked for or has declined.
func (p Purchase) HasMandate() bool {
	return p.Method != "" && slices.ContainsFunc(p.History,
		func(c Change) bool { return slices.Contains(begun, c.Status) })
}

// AwaitsClient tells that the client's answer to a DebiCheck request is awaited.
func (p Purchase) AwaitsClient() bool {
	return p.Method == DebiCheck && p.Status == PendingExecute && p.CollectionCount == 0
}

// Unconfirmed tells that the client's DebiCheck mandate did not come about: code is
// the attempt error code, why the bank's reason in words.
func (p Purchase) Unconfirmed() (code, why string, is bool) {
	if p.Method != DebiCheck || p.CollectionCount > 0 || p.IsRecurringToken ||
		!slices.Contains([]Status{Failed, Overdue, Expired}, p.Status) || !p.HasMandate() {
		return "", "", false
	}
	for _, a := range p.Attempts {
		if a.Type == "authorize" && a.Error != nil {
			return a.Error.Code, a.Error.Message, true
		}
	}
	return "", "", false
}

// NoToken notes that the purchase stopped being a token; its status stays.
func (p *Purchase) NoToken(who actor.Actor, method string, at time.Time) {
	p.IsRecurringToken, p.UpdatedAt = false, at
	p.Attempted(Attempt{Type: "delete_recurring_token", Successful: true, Method: method, ClientIP: who.IP, At: at})
}

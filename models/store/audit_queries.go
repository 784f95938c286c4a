package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/paging"
)

// Timeline implements audit.Reader.
func (s *Store) Timeline(ctx context.Context, merchantID uuid.UUID, of audit.Subject, ask paging.Ask) (paging.Page[audit.Entry], error) {
	list := s.read(ctx).Where("merchant_id = ?", merchantID)
	if of.PurchaseID != uuid.Nil {
		list = list.Where("purchase_id = ?", of.PurchaseID)
	} else {
		list = list.Where("client_id = ?", of.ClientID)
	}
	var rows []auditRow
	if err := beside(list, ask).Find(&rows).Error; err != nil {
		return paging.Page[audit.Entry]{}, fmt.Errorf("time line: %w", err)
	}
	return paging.Map(paging.Cut(ask, rows), auditRow.domain), nil
}

func (r auditRow) domain() audit.Entry {
	return audit.Entry{ID: r.ID, MerchantID: r.MerchantID, At: r.At.UTC(), Action: r.Action, ObjectType: r.ObjectType, ObjectID: r.ObjectID,
		ClientID: orZero(r.ClientID), PurchaseID: orZero(r.PurchaseID), Text: r.Text, Before: factsOf(r.Before), After: factsOf(r.After),
		Actor: actor.Actor{Kind: actor.Kind(r.ActorKind), ID: orZero(r.ActorID), Name: r.ActorName, MerchantID: r.MerchantID, IP: r.IP, RequestID: r.RequestID}}
}

func factsOf(text *string) map[string]any {
	var facts map[string]any
	if text != nil {
		_ = json.Unmarshal([]byte(*text), &facts) // a column of type jsonb holds valid JSON
	}
	return facts
}

package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Client implements client.Reader.
func (s *Store) Client(ctx context.Context, merchantID, id uuid.UUID) (client.Client, error) {
	return one(ctx, s, clientTable, "merchant_id = $1 AND id = $2 AND deleted_at IS NULL", merchantID, id)
}

// ClientDetails gives what a purchase copies from a client; NotFound for an erased one.
func (s *Store) ClientDetails(ctx context.Context, merchantID, id uuid.UUID) (client.Details, error) {
	c, err := s.Client(ctx, merchantID, id)
	if err == nil && c.Erased() {
		return client.Details{}, fault.Missing()
	}
	return c.Details, err
}

// KnowsClient implements purchase.Reader.
func (s *Store) KnowsClient(ctx context.Context, merchantID, id uuid.UUID) error {
	_, err := s.Client(ctx, merchantID, id)
	return err
}

// Clients implements client.Reader.
func (s *Store) Clients(ctx context.Context, merchantID uuid.UUID, q client.Query) (paging.Page[client.Client], error) {
	var none paging.Page[client.Client]
	of, err := s.clientList(ctx, merchantID, q)
	if err != nil {
		return none, err
	}
	clients, err := find(ctx, s, clientTable, beside(of, q.Ask))
	if err != nil {
		return none, err
	}
	return paging.Cut(q.Ask, clients), nil
}

// CountClients implements client.Reader.
func (s *Store) CountClients(ctx context.Context, merchantID uuid.UUID, q client.Query, atMost int) (int, error) {
	list, err := s.clientList(ctx, merchantID, q)
	if err != nil {
		return 0, err
	}
	var n int64
	err = s.read(ctx).Table("(?) AS counted", list.Select("1").Limit(atMost)).Count(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count clients: %w", err)
	}
	return int(n), nil
}

// clientList is what a query asks for, without order or limit.
func (s *Store) clientList(ctx context.Context, merchantID uuid.UUID, q client.Query) (*gorm.DB, error) {
	list := list(ctx, s, clientTable).Where("merchant_id = ? AND deleted_at IS NULL", merchantID)
	if q.PersonalCode != "" {
		list = list.Where("personal_code_hash = ?", s.seal.Hash(merchantID, identityHash, q.PersonalCode.Reveal()))
	}
	if q.Account != nil {
		list = list.Where("(bank_account_sealed IS NOT NULL) = ?", *q.Account)
	}
	if q.Text == "" {
		return list, nil
	}
	// Programs look a client up by e-mail and take the first result: an address
	// that is somebody's finds exactly those.
	if strings.Contains(q.Text, "@") {
		byEmail := list.Session(&gorm.Session{}).Where("lower(email) = lower(?)", q.Text)
		var n int64
		if err := s.read(ctx).Table("(?) AS found", byEmail.Session(&gorm.Session{}).Select("1").Limit(1)).Count(&n).Error; err != nil {
			return nil, fmt.Errorf("find client by e-mail: %w", err)
		}
		if n > 0 {
			return byEmail, nil
		}
	}
	return list.Session(&gorm.Session{}).Where("search @@ ?::tsquery", searchQuery(q.Text)), nil
}

package clientpage

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/client"
	"debitdesk/models/database"
)

// TableName implements GORM's Tabler.
func (Request) TableName() string { return "client_requests" }

// saveRequest writes a request that this transaction holds.
func saveRequest(tx *database.Tx, r Request) error {
	return database.OneRow(tx.Gorm().Model(&r).Scopes(database.OfMerchant(r.MerchantID)).Where("version = ?", r.Version).
		UpdateColumns(map[string]any{"state": r.State, "answer": r.Answer, "answered_on": r.AnsweredOn,
			"answered_by": r.AnsweredBy, "answerer_id": database.OrNull(r.AnswererID), "updated_at": r.UpdatedAt,
			"version": r.Version + 1}))
}

func lockRequest(tx *database.Tx, merchantID, id uuid.UUID) (r Request, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&r, "id = ?", id).Error
	return r, err
}

// withClient is the scope of the requests of a business, each with the name of its client.
func withClient(merchantID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Select("client_requests.*, coalesce("+client.NameIn("c.")+", '') AS client_name").
			Joins("LEFT JOIN clients c ON c.id = client_requests.client_id").
			Where("client_requests.merchant_id = ?", merchantID)
	}
}

// request finds a request with the name of its client.
func (s Store) request(ctx context.Context, merchantID, id uuid.UUID) (r Request, err error) {
	err = s.Gorm(ctx).Scopes(withClient(merchantID)).Take(&r, "client_requests.id = ?", id).Error
	return r, err
}

// openRequests are the open ones by the day on which they are due.
func (s Store) openRequests(ctx context.Context, merchantID uuid.UUID, limit int) (found []Request, err error) {
	err = s.Gorm(ctx).Scopes(withClient(merchantID)).Where("client_requests.state = ?", RequestOpen).
		Order("due_on, client_requests.id").Limit(limit).Find(&found).Error
	return found, err
}

// closedRequests are those that were answered or withdrawn, the newest request first.
func (s Store) closedRequests(ctx context.Context, merchantID uuid.UUID, limit int) (found []Request, err error) {
	err = s.Gorm(ctx).Scopes(withClient(merchantID)).Where("client_requests.state <> ?", RequestOpen).
		Order("client_requests.id DESC").Limit(limit).Find(&found).Error
	return found, err
}

// requestsOf are those of a client, the newest first.
func (s Store) requestsOf(ctx context.Context, merchantID, clientID uuid.UUID, limit int) (found []Request, err error) {
	err = s.Gorm(ctx).Scopes(withClient(merchantID)).Where("client_requests.client_id = ?", clientID).
		Order("client_requests.id DESC").Limit(limit).Find(&found).Error
	return found, err
}

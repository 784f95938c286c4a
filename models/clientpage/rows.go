package clientpage

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/client"
	"debitdesk/models/database"
)

// Store is where links, visits and what clients did are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Link) TableName() string { return "client_page_links" }

// TableName implements GORM's Tabler.
func (Session) TableName() string { return "client_page_sessions" }

// openVisit is the link of a visit, with when the visit ends.
type openVisit struct {
	Link
	Until time.Time
}

// link finds a link by its hash, whatever became of it; NotFound when there is none.
func (s Store) link(ctx context.Context, hash []byte) (l Link, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Take(&l, "token_hash = ?", hash).Error
	return l, err
}

// openLink notes that a link was opened; false when it does not work any more.
func openLink(tx *database.Tx, l Link, now time.Time) (bool, error) {
	now = database.Instant(now)
	return database.Found(tx.Gorm().Model(&l).Scopes(database.OfMerchant(l.MerchantID), working(now)).
		UpdateColumn("opened_at", gorm.Expr("coalesce(opened_at, ?)", now)))
}

// working is the scope of links that still open the page.
func working(now time.Time) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Where("revoked_at IS NULL AND expires_at > ?", database.Instant(now))
	}
}

// visit finds the link of a visit that goes on; NotFound otherwise. A visit ends with its link.
func (s Store) visit(ctx context.Context, hash []byte, now time.Time) (v openVisit, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Model(&Link{}).
		Select("client_page_links.*, v.expires_at AS until").
		Joins("JOIN client_page_sessions v ON v.link_id = client_page_links.id"+
			" AND v.merchant_id = client_page_links.merchant_id").
		Where("v.token_hash = ? AND v.expires_at > ? AND revoked_at IS NULL", hash, database.Instant(now)).Take(&v).Error
	return v, err
}

// endSession ends a visit; who has its token is whoever it belongs to.
func endSession(tx *database.Tx, hash []byte) error {
	return tx.Gorm().Scopes(database.AcrossMerchants).Delete(&Session{}, "token_hash = ?", hash).Error
}

// endLinks ends the links of a client that work, and tells how many there were.
func endLinks(tx *database.Tx, merchantID, clientID uuid.UUID, why string, now time.Time) (int64, error) {
	ended := tx.Gorm().Model(&Link{}).Scopes(database.OfMerchant(merchantID), working(now)).
		Where("client_id = ?", clientID).
		UpdateColumns(map[string]any{"revoked_at": database.Instant(now), "revoked_why": why})
	if ended.Error != nil {
		return 0, fmt.Errorf("end links: %w", ended.Error)
	}
	return ended.RowsAffected, nil
}

// LinksOf are the newest links of a client.
func (s Store) LinksOf(ctx context.Context, merchantID, clientID uuid.UUID, limit int) (links []Link, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("client_id = ?", clientID).Order("id DESC").
		Limit(limit).Find(&links).Error
	return links, err
}

// sentSince counts the links that were made for a client since a moment.
func sentSince(tx *database.Tx, merchantID, clientID uuid.UUID, since time.Time) (n int64, err error) {
	err = tx.Gorm().Model(&Link{}).Scopes(database.OfMerchant(merchantID)).
		Where("client_id = ? AND created_at > ?", clientID, database.Instant(since)).Count(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count links: %w", err)
	}
	return n, nil
}

// known finds the live clients of a merchant with an e-mail address, or a phone number in its stored form, who have an
// address to which a link can be sent, or with texts a number.
func (s Store) known(ctx context.Context, merchantID uuid.UUID, email, phone string, texts bool,
	limit int) (found []client.Client, err error) {
	err = s.Gorm(ctx).Scopes(client.Live(merchantID)).
		Where("erased_at IS NULL AND (email <> '' OR ? AND phone <> '')", texts).
		Where("? <> '' AND lower(email) = lower(?) OR ? <> '' AND phone = ?", email, email, phone, phone).
		Order("id DESC").Limit(limit).Find(&found).Error
	return found, err
}

// brandOf is the brand whose purchase a client got last; zero for none.
func (s Store) brandOf(ctx context.Context, merchantID, clientID uuid.UUID) (id uuid.UUID, err error) {
	var of []struct{ BrandID uuid.UUID }
	err = s.Gorm(ctx).Table("purchases").Select("brand_id").
		Where("merchant_id = ? AND client_id = ?", merchantID, clientID).Order("id DESC").Limit(1).Find(&of).Error
	if err != nil || len(of) == 0 {
		return uuid.Nil, err
	}
	return of[0].BrandID, nil
}

// Tidy removes visits that are over, and links a month after they ended.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	for _, over := range []struct {
		sql    string
		before time.Time
	}{{`DELETE FROM client_page_sessions WHERE ctid = ANY (ARRAY(SELECT ctid FROM client_page_sessions
			WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now},
		{`DELETE FROM client_page_links WHERE ctid = ANY (ARRAY(SELECT ctid FROM client_page_links
			WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-linksKept)}} {
		if err := s.InChunks(ctx, over.sql, over.before); err != nil {
			return fmt.Errorf("tidy the client's page: %w", err)
		}
	}
	return nil
}

// linksKept is how long a link is kept that does not work any more, for the client's page at the desk.
const linksKept = 30 * 24 * time.Hour

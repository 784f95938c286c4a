package listview

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Store is where settings and views are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Settings) TableName() string { return "list_settings" }

// TableName implements GORM's Tabler.
func (View) TableName() string { return "list_views" }

// AfterFind implements GORM's hook: an address is stored with the ? before it.
func (v *View) AfterFind(*gorm.DB) error {
	v.Query = strings.TrimPrefix(v.Query, "?")
	return nil
}

// asStored is a view as AfterFind reads it.
func asStored(v View) *View {
	v.Query = "?" + v.Query
	return &v
}

// pinnedView is a view in the rail of a person.
type pinnedView struct {
	MerchantID, UserID, ViewID uuid.UUID
	CreatedAt                  time.Time
}

// TableName implements GORM's Tabler.
func (pinnedView) TableName() string { return "list_view_pins" }

// ofPerson is the scope of what one person has.
func ofPerson(merchantID, userID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("merchant_id = ? AND user_id = ?", merchantID, userID) }
}

func (s Store) settings(ctx context.Context, merchantID, userID uuid.UUID, list string) (out Settings, err error) {
	err = s.Gorm(ctx).Scopes(ofPerson(merchantID, userID)).Take(&out, "list = ?", list).Error
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	return out, err
}

func keepSettings(tx *database.Tx, of Settings) error {
	return tx.Gorm().Clauses(clause.OnConflict{UpdateAll: true}).Create(&of).Error
}

// seenBy is the scope of the views that a person sees.
func seenBy(merchantID, userID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Table("list_views AS v").Select(`v.*, p.view_id IS NOT NULL AS pinned, NOT EXISTS (SELECT FROM memberships m
				WHERE m.merchant_id = v.merchant_id AND m.user_id = v.owner_id AND m.disabled_at IS NULL) AS owner_left`).
			Joins(`LEFT JOIN list_view_pins p ON p.merchant_id = v.merchant_id AND p.user_id = ? AND p.view_id = v.id`, userID).
			Where("v.merchant_id = ? AND (v.owner_id = ? OR v.shared) AND v.deleted_at IS NULL", merchantID, userID)
	}
}

func (s Store) views(ctx context.Context, merchantID, userID uuid.UUID, list string) (found []Listed, err error) {
	err = s.Gorm(ctx).Scopes(seenBy(merchantID, userID)).Where("v.list = ?", list).
		Order(clause.OrderBy{Expression: clause.Expr{SQL: "v.owner_id <> ?, lower(v.name), v.id", Vars: []any{userID}}}).
		Find(&found).Error
	return found, err
}

func (s Store) pinned(ctx context.Context, merchantID, userID uuid.UUID) (found []Listed, err error) {
	err = s.Gorm(ctx).Scopes(seenBy(merchantID, userID)).
		Where("v.id IN (SELECT view_id FROM list_view_pins WHERE merchant_id = ? AND user_id = ?)", merchantID, userID).
		Order("p.created_at, v.id").Find(&found).Error
	return found, err
}

// seen counts the views of a list that stand beside one: shared ones, or those of its owner.
func seen(tx *database.Tx, who actor.Actor, v View) (n int64, err error) {
	err = tx.Gorm().Model(&View{}).Scopes(database.OfMerchant(who.MerchantID)).
		Where("list = ? AND deleted_at IS NULL AND shared = ?", v.List, v.Shared).
		Where("(shared OR owner_id = ?)", who.ID).Count(&n).Error
	if err != nil {
		err = fmt.Errorf("count views: %w", err)
	}
	return n, err
}

func insertView(tx *database.Tx, v View) error { return tx.Gorm().Create(asStored(v)).Error }

func saveView(tx *database.Tx, v View) error {
	return database.OneRow(tx.Gorm().Model(&v).Scopes(database.OfMerchant(v.MerchantID)).
		Select("name", "query_sealed", "shared", "updated_at", "deleted_at").UpdateColumns(asStored(v)))
}

func holdView(tx *database.Tx, merchantID, id uuid.UUID) (v View, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&v, "id = ?", id).Error
	return v, err
}

func countPins(tx *database.Tx, who actor.Actor) (n int64, err error) {
	err = tx.Gorm().Model(&pinnedView{}).Scopes(ofPerson(who.MerchantID, who.ID)).Count(&n).Error
	if err != nil {
		err = fmt.Errorf("count pinned views: %w", err)
	}
	return n, err
}

func pin(tx *database.Tx, who actor.Actor, id uuid.UUID, now time.Time) error {
	return tx.Gorm().Clauses(clause.OnConflict{DoNothing: true}).
		Create(&pinnedView{who.MerchantID, who.ID, id, now}).Error
}

func unpin(tx *database.Tx, who actor.Actor, id uuid.UUID) error {
	return tx.Gorm().Scopes(ofPerson(who.MerchantID, who.ID)).Delete(&pinnedView{}, "view_id = ?", id).Error
}

// Forget drops what a person who leaves has chosen for lists, and the views that nobody else sees. Shared views
// stay: an admin can change them.
func Forget(tx *database.Tx, merchantID, userID uuid.UUID) error {
	of := ofPerson(merchantID, userID)
	return errors.Join(tx.Gorm().Scopes(of).Delete(&Settings{}).Error, tx.Gorm().Scopes(of).Delete(&pinnedView{}).Error,
		tx.Gorm().Scopes(database.OfMerchant(merchantID)).Delete(&View{}, "owner_id = ? AND NOT shared", userID).Error)
}

// Tidy drops views whose deletion nobody has undone.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	return s.InChunks(ctx, `DELETE FROM list_views WHERE ctid = ANY (ARRAY(SELECT ctid FROM list_views
		WHERE deleted_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-undoWithin))
}

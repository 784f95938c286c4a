package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
)

// failedSince are the purchases whose debits failed since a day and for which a plan answers, those first that failed
// last.
func (s Store) failedSince(ctx context.Context, p Plan, since calendar.Date, limit int) (ids []uuid.UUID, err error) {
	brand, template := database.OrNull(p.BrandID), database.OrNull(p.TemplateID)
	err = s.Gorm(ctx).Raw(`SELECT p.id FROM collections c JOIN purchases p ON p.id = c.purchase_id
			AND p.merchant_id = c.merchant_id
		WHERE c.merchant_id = ? AND c.state IN ('unpaid', 'disputed', 'dispute_lost') AND c.result_at >= ?
			AND (?::uuid IS NULL OR p.brand_id = ?) AND (?::uuid IS NULL OR p.template_id = ?)
			AND NOT EXISTS (SELECT FROM plans o WHERE o.merchant_id = ? AND o.state = 'active' AND o.id <> ?
				AND (o.template_id = p.template_id AND ?::uuid IS NULL
					OR o.template_id IS NULL AND ?::uuid IS NULL AND o.brand_id = p.brand_id AND ?::uuid IS NULL))
		GROUP BY p.id ORDER BY max(c.result_at) DESC, p.id LIMIT ?`,
		p.MerchantID, since.At(0, 0), brand, brand, template, template, p.MerchantID, p.ID, template, template, brand, limit).
		Find(&ids).Error
	if err != nil {
		err = fmt.Errorf("find what failed: %w", err)
	}
	return ids, err
}

// pasts read what happened to purchases.
func (s *Service) pasts(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]*past, error) {
	recs, err := s.Purchases.Several(ctx, actor.SystemOf(merchantID), ids)
	if err != nil {
		return nil, err
	}
	of, out := map[uuid.UUID]*past{}, make([]*past, 0, len(recs))
	for _, rec := range recs {
		p := &past{rec: rec, blocked: map[string]time.Time{}}
		of[rec.ID], out = p, append(out, p)
	}
	debits, err := s.Store.debitsOf(ctx, merchantID, ids)
	if err != nil {
		return nil, err
	}
	found, err := s.Purchases.SeveralDebits(ctx, actor.SystemOf(merchantID), debits)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b purchase.Record) int {
		return cmp.Compare(a.Collection.Attempt, b.Collection.Attempt)
	})
	for _, rec := range found {
		of[rec.ID].debits = append(of[rec.ID].debits, *rec.Collection)
	}
	if err := s.Store.beside(ctx, merchantID, ids, of); err != nil {
		return nil, err
	}
	for _, p := range out {
		p.line()
	}
	return out, nil
}

// debitsOf are the debits of some purchases.
func (s Store) debitsOf(ctx context.Context, merchantID uuid.UUID, purchases []uuid.UUID) (ids []uuid.UUID, err error) {
	err = s.Gorm(ctx).Table("collections").Scopes(database.OfMerchant(merchantID)).Where("purchase_id IN ?", purchases).
		Pluck("id", &ids).Error
	if err != nil {
		err = fmt.Errorf("find the debits of purchases: %w", err)
	}
	return ids, err
}

// beside reads promises, mails and when accounts were blocked.
func (s Store) beside(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID, of map[uuid.UUID]*past) error {
	var promises []struct {
		ID                   uuid.UUID
		CreatedAt, UpdatedAt time.Time
		DueOn                calendar.Date
		State                string
	}
	err := s.Gorm(ctx).Raw(`SELECT p.id, w.created_at, w.updated_at, w.due_on, w.state FROM purchases p JOIN promises w
			ON w.merchant_id = p.merchant_id AND (w.purchase_id = p.id OR w.purchase_id IS NULL AND w.client_id = p.client_id)
		WHERE p.merchant_id = ? AND p.id IN ? ORDER BY w.created_at`, merchantID, ids).Find(&promises).Error
	if err != nil {
		return fmt.Errorf("read promises: %w", err)
	}
	for _, p := range promises {
		w := promised{made: p.CreatedAt, due: p.DueOn, kept: p.State == "kept"}
		if p.State != "open" {
			w.settled = p.UpdatedAt
		}
		of[p.ID].promises = append(of[p.ID].promises, w)
	}
	var mails []struct {
		PurchaseID uuid.UUID
		CreatedAt  time.Time
	}
	err = s.Gorm(ctx).Table("mails").Scopes(database.OfMerchant(merchantID)).
		Where("purchase_id IN ? AND kind = 'debit_failed'", ids).Find(&mails).Error
	if err != nil {
		return fmt.Errorf("read mails: %w", err)
	}
	for _, m := range mails {
		of[m.PurchaseID].mailed = append(of[m.PurchaseID].mailed, m.CreatedAt)
	}
	var blocked []struct {
		ID   uuid.UUID
		At   time.Time
		Code string
	}
	err = s.Gorm(ctx).Raw(`SELECT DISTINCT ON (p.id, a.after ->> 'code') p.id, a.at,
			coalesce(a.after ->> 'code', '') AS code
		FROM purchases p JOIN collections c ON c.purchase_id = p.id AND c.merchant_id = p.merchant_id
			JOIN audit_entries a ON a.merchant_id = p.merchant_id AND a.client_id = p.client_id
				AND a.action IN ('token.blocked', 'mandate.suspended') AND a.object_id IN (c.token_id, c.mandate_id)
		WHERE p.merchant_id = ? AND p.id IN ? ORDER BY p.id, a.after ->> 'code', a.at`, merchantID, ids).Find(&blocked).Error
	if err != nil {
		return fmt.Errorf("read when accounts were blocked: %w", err)
	}
	for _, b := range blocked {
		of[b.ID].blocked[b.Code] = b.At
	}
	return nil
}

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
	var id [16]byte
	err = s.Pool.Each(ctx, []any{&id}, func() error { ids = append(ids, id); return nil },
		`SELECT p.id FROM collections c JOIN purchases p ON p.id = c.purchase_id AND p.merchant_id = c.merchant_id
		WHERE c.merchant_id = $1 AND c.state IN ('unpaid', 'disputed', 'dispute_lost') AND c.result_at >= $2
			AND ($3::uuid IS NULL OR p.brand_id = $3) AND ($4::uuid IS NULL OR p.template_id = $4)
			AND NOT EXISTS (SELECT FROM plans o WHERE o.merchant_id = $1 AND o.state = 'active' AND o.id <> $5
				AND (o.template_id = p.template_id AND $4::uuid IS NULL
					OR o.template_id IS NULL AND $4::uuid IS NULL AND o.brand_id = p.brand_id AND $3::uuid IS NULL))
		GROUP BY p.id ORDER BY max(c.result_at) DESC, p.id LIMIT $6`,
		database.Native([]any{p.MerchantID, since.At(0, 0), database.OrNull(p.BrandID), database.OrNull(p.TemplateID), p.ID,
			limit})...)
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
	var id [16]byte
	err = s.Pool.Each(ctx, []any{&id}, func() error { ids = append(ids, id); return nil }, `SELECT id FROM collections
		WHERE merchant_id = $1 AND purchase_id = ANY($2::uuid[])`, database.Native([]any{merchantID, purchases})...)
	if err != nil {
		err = fmt.Errorf("find the debits of purchases: %w", err)
	}
	return ids, err
}

// beside reads promises, mails and when accounts were blocked.
func (s Store) beside(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID, of map[uuid.UUID]*past) error {
	var id [16]byte
	var at, settled time.Time
	var text, state string
	args := database.Native([]any{merchantID, ids})
	err := s.Pool.Each(ctx, []any{&id, &at, &settled, &text, &state}, func() error {
		due, err := calendar.ParseDate(text)
		w := promised{made: at, due: due, kept: state == "kept"}
		if state != "open" {
			w.settled = settled
		}
		of[id].promises = append(of[id].promises, w)
		return err
	}, `SELECT p.id, w.created_at, w.updated_at, w.due_on::text, w.state FROM purchases p JOIN promises w
			ON w.merchant_id = p.merchant_id AND (w.purchase_id = p.id OR w.purchase_id IS NULL AND w.client_id = p.client_id)
		WHERE p.merchant_id = $1 AND p.id = ANY($2::uuid[]) ORDER BY w.created_at`, args...)
	if err != nil {
		return fmt.Errorf("read promises: %w", err)
	}
	err = s.Pool.Each(ctx, []any{&id, &at}, func() error { of[id].mailed = append(of[id].mailed, at); return nil },
		`SELECT m.purchase_id, m.created_at FROM mails m WHERE m.merchant_id = $1 AND m.purchase_id = ANY($2::uuid[])
			AND m.kind = 'debit_failed'`, args...)
	if err != nil {
		return fmt.Errorf("read mails: %w", err)
	}
	err = s.Pool.Each(ctx, []any{&id, &at, &text}, func() error { of[id].blocked[text] = at; return nil },
		`SELECT DISTINCT ON (p.id, a.after ->> 'code') p.id, a.at, coalesce(a.after ->> 'code', '')
		FROM purchases p JOIN collections c ON c.purchase_id = p.id AND c.merchant_id = p.merchant_id
			JOIN audit_entries a ON a.merchant_id = p.merchant_id AND a.client_id = p.client_id
				AND a.action IN ('token.blocked', 'mandate.suspended') AND a.object_id IN (c.token_id, c.mandate_id)
		WHERE p.merchant_id = $1 AND p.id = ANY($2::uuid[]) ORDER BY p.id, a.after ->> 'code', a.at`, args...)
	if err != nil {
		return fmt.Errorf("read when accounts were blocked: %w", err)
	}
	return nil
}

package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
)

// Store is where plans and their runs are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Version) TableName() string { return "plan_versions" }

// TableName implements GORM's Tabler.
func (Plan) TableName() string { return "plans" }

// Plans lists the plans of a business, the newest first, ended ones at the end.
func (s Store) Plans(ctx context.Context, merchantID uuid.UUID) (plans []Plan, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("state = 'ended', id DESC").Limit(500).
		Find(&plans).Error
	return plans, err
}

// Plan gives a plan of a business; NotFound otherwise.
func (s Store) Plan(ctx context.Context, merchantID, id uuid.UUID) (p Plan, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&p, "id = ?", id).Error
	return p, err
}

// Versions lists the versions of a plan, the newest first.
func (s Store) Versions(ctx context.Context, merchantID, planID uuid.UUID) (all []Version, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("plan_id = ?", planID).Order("n DESC").Find(&all).Error
	return all, err
}

// Version gives a version of a plan.
func (s Store) Version(ctx context.Context, merchantID, planID uuid.UUID, n int) (v Version, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&v, "plan_id = ? AND n = ?", planID, n).Error
	return v, err
}

// Current gives the version that each plan of a business has, by the plan.
func (s Store) Current(ctx context.Context, merchantID uuid.UUID) (map[uuid.UUID]Version, error) {
	var all []Version
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).
		Where("(plan_id, n) IN (SELECT id, version FROM plans WHERE merchant_id = ?)", merchantID).Find(&all).Error
	of := make(map[uuid.UUID]Version, len(all))
	for _, v := range all {
		of[v.PlanID] = v
	}
	return of, err
}

// lockPlan reads a plan and keeps others from changing it; NotFound otherwise.
func lockPlan(tx *database.Tx, merchantID, id uuid.UUID) (p Plan, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&p, "id = ?", id).Error
	return p, err
}

func insertPlan(tx *database.Tx, p Plan, v Version) {
	tx.Create(&p)
	tx.Create(&v)
}

// changePlan writes a plan that this transaction holds.
func changePlan(tx *database.Tx, p Plan) error {
	return database.OneRow(tx.Gorm().Model(&p).Scopes(database.OfMerchant(p.MerchantID)).
		Select("name", "state", "version", "hold_out", "updated_at").UpdateColumns(p))
}

// place tells whether a brand and a template of the business are there; zero ids are.
func place(tx *database.Tx, merchantID, brandID, templateID uuid.UUID) (brand, template bool, err error) {
	var there struct{ Brand, Template bool }
	b, t := database.OrNull(brandID), database.OrNull(templateID)
	err = tx.Gorm().Raw(`SELECT
			?::uuid IS NULL OR EXISTS (SELECT FROM brands WHERE merchant_id = ? AND id = ?) AS brand,
			?::uuid IS NULL OR EXISTS (SELECT FROM billing_templates WHERE merchant_id = ? AND id = ?) AS template`,
		b, merchantID, b, t, merchantID, t).Take(&there).Error
	if err != nil {
		err = fmt.Errorf("look for a brand and a template: %w", err)
	}
	return there.Brand, there.Template, err
}

// taken tells whether a plan that has not ended answers for the same debits.
func taken(tx *database.Tx, p Plan) (bool, error) {
	var n int64
	err := tx.Gorm().Model(&Plan{}).Scopes(database.OfMerchant(p.MerchantID)).
		Where("state <> ? AND id <> ?", Ended, p.ID).
		Where("brand_id IS NOT DISTINCT FROM ? AND template_id IS NOT DISTINCT FROM ?", database.OrNull(p.BrandID),
			database.OrNull(p.TemplateID)).Count(&n).Error
	if err != nil {
		return false, fmt.Errorf("look for another plan: %w", err)
	}
	return n > 0, nil
}

// endRuns ends what is under way by a plan, and tells how much that is.
func endRuns(tx *database.Tx, merchantID, planID uuid.UUID, why string) (int64, error) {
	ended := tx.Gorm().Model(&Run{}).Scopes(live(merchantID)).Where("plan_id = ?", planID).
		UpdateColumns(map[string]any{"state": Over, "held_for": "", "held_until": nil, "debit_on": nil, "end_reason": why,
			"ended_at": tx.Now(), "updated_at": tx.Now()})
	return ended.RowsAffected, ended.Error
}

// Failure is a debit that failed, as runs begin with it.
type Failure struct {
	ID           uuid.UUID `json:"id"` // of the run, should one begin
	PurchaseID   uuid.UUID `json:"purchase_id"`
	CollectionID uuid.UUID `json:"collection_id"`
	Branch       Branch    `json:"branch"`
	Cause        Cause     `json:"cause"`
	Code         string    `json:"code"`
	FailedOn     string    `json:"failed_on"`
}

// heldOut tells that a client is left to the old way: by a hash of the client and the plan, so that it stays so as long
// as the share does not shrink, and another plan chooses others.
const heldOut = `('x' || left(md5(pl.salt || coalesce(p.client_id, p.id)::text), 8))::bit(32)::bigint % 10000
	< pl.hold_out`

const failures = `jsonb_to_recordset($1::jsonb) AS f (id uuid, purchase_id uuid, collection_id uuid, branch text,
	cause text, code text, failed_on date)`

// begin has plans answer to debits that failed, in the transaction that books them. It asks nothing: both statements
// travel with what is written anyway, and are few however many debits failed. A run that waited for its own debit goes
// on when that fails for the same class of reason; another class ends it, and the plan begins anew with that. What a
// person holds stays held. A run is of the account that was debited last; of one that was deleted, replaced or objected
// to meanwhile, and of a client who had the debits stopped, none begins: the failure is a person's.
func begin(tx *database.Tx, failed []Failure) {
	list, err := json.Marshal(failed)
	if err != nil {
		tx.Fail(fmt.Errorf("begin runs: %w", err))
		return
	}
	now := tx.Now()
	tx.Later(`UPDATE plan_runs r SET collection_id = f.collection_id, cause = f.cause, code = f.code,
			token_id = c.token_id, mandate_id = c.mandate_id, method = c.method, failures = r.failures + 1,
			day = greatest(r.day, f.failed_on), due_at = $2::timestamptz, debit_on = NULL,
			held_for = CASE WHEN e.why = '' AND r.held_for = 'person' THEN 'person' ELSE '' END,
			held_until = CASE WHEN e.why = '' AND r.held_for = 'person' THEN r.held_until END, updated_at = $2::timestamptz,
			state = CASE WHEN e.why <> '' THEN 'ended' WHEN r.held_for = 'person' THEN 'held' ELSE 'waiting' END,
			ended_at = CASE WHEN e.why <> '' THEN $2::timestamptz END, end_reason = e.why
		FROM `+failures+` JOIN collections c ON c.id = f.collection_id
			LEFT JOIN tokens t ON t.id = c.token_id,
			plan_runs had, LATERAL (SELECT CASE WHEN f.cause = 'deceased' THEN 'died'
				WHEN f.cause IN ('disputed', 'stopped') AND had.branch <> f.branch THEN f.cause
				WHEN had.branch <> f.branch THEN 'cause' ELSE plan_stop_of_token(t) END AS why) e
		WHERE r.id = had.id AND had.purchase_id = f.purchase_id AND r.state IN ('waiting', 'held')`, string(list), now)
	tx.Later(`INSERT INTO plan_runs (id, merchant_id, plan_id, version, purchase_id, client_id, token_id, mandate_id,
			subscriber_id, collection_id, method, branch, cause, code, failed_on, day, state, end_reason, due_at, started_at,
			updated_at, ended_at)
		SELECT f.id, p.merchant_id, pl.id, pl.version, p.id, p.client_id, c.token_id, c.mandate_id, p.subscriber_id, c.id,
			c.method, f.branch, f.cause, f.code, f.failed_on, f.failed_on,
			CASE WHEN e.why <> '' THEN 'ended' ELSE 'waiting' END, e.why,
			$2::timestamptz, $2::timestamptz, $2::timestamptz, CASE WHEN e.why <> '' THEN $2::timestamptz END
		FROM `+failures+`
			JOIN purchases p ON p.id = f.purchase_id
			JOIN collections c ON c.id = f.collection_id
			LEFT JOIN tokens t ON t.id = c.token_id
			LEFT JOIN clients k ON k.id = p.client_id
			CROSS JOIN LATERAL (SELECT * FROM plans WHERE merchant_id = p.merchant_id AND state = 'active'
				AND (template_id = p.template_id OR template_id IS NULL)
				AND (brand_id = p.brand_id OR brand_id IS NULL)
				ORDER BY template_id IS NULL, brand_id IS NULL LIMIT 1) pl
			CROSS JOIN LATERAL (SELECT CASE WHEN f.cause = 'deceased' THEN 'died' ELSE coalesce(
				nullif(plan_stop_of_token(t), ''), nullif(plan_stop_of_client(k), ''),
				CASE WHEN `+heldOut+` THEN 'hold_out' ELSE '' END) END AS why) e
		WHERE is_owed(p.status) OR p.status = 'chargeback' AND f.branch = 'stopped'
		ON CONFLICT (purchase_id) WHERE state <> 'ended' DO NOTHING`, string(list), now)
	var dead []Failure
	for _, f := range failed {
		if f.Cause == Deceased {
			dead = append(dead, f)
		}
	}
	if len(dead) == 0 {
		return
	}
	list, _ = json.Marshal(dead)
	tx.Later(`UPDATE plan_runs r SET state = 'ended', end_reason = 'died', held_for = '', held_until = NULL,
			debit_on = NULL, ended_at = $2::timestamptz, updated_at = $2::timestamptz
		FROM `+failures+` JOIN purchases p ON p.id = f.purchase_id
		WHERE r.client_id = p.client_id AND r.state <> 'ended'`, string(list), now)
}

// release lets runs go on whose day has come, and tells how many.
func (s Store) release(ctx context.Context, now time.Time, today string) (int64, error) {
	let := s.Gorm(ctx).Model(&Run{}).Scopes(database.AcrossMerchants).Where("state = ? AND held_until <= ?", Held, today).
		UpdateColumns(map[string]any{"state": Waiting, "held_for": "", "held_until": nil,
			"due_at": gorm.Expr("started_at"), "updated_at": now})
	if let.Error != nil {
		return 0, fmt.Errorf("let runs go on: %w", let.Error)
	}
	return let.RowsAffected, nil
}

// due lists runs whose next step is to be looked at, of all businesses; those of paused plans rest.
func (s Store) due(ctx context.Context, now time.Time, without []uuid.UUID, limit int) (runs []Run, err error) {
	err = s.Gorm(ctx).Raw(`SELECT r.* FROM plan_runs r
		JOIN plans p ON p.id = r.plan_id AND p.state = 'active'
		WHERE r.state = 'waiting' AND r.due_at <= ? AND NOT r.id = ANY(?::uuid[])
		ORDER BY r.due_at, r.id LIMIT ?`, now, database.IDs(without), limit).Find(&runs).Error
	return runs, err
}

// nextDue is the earliest moment after now at which a step is looked at.
func (s Store) nextDue(ctx context.Context, now time.Time, today string) (at time.Time, found bool, err error) {
	var first struct{ At time.Time }
	err = s.Gorm(ctx).Raw(`SELECT least(
			(SELECT min(due_at) FROM plan_runs WHERE state = 'waiting' AND due_at > ?),
			(SELECT min(held_until)::timestamp AT TIME ZONE 'Africa/Johannesburg' FROM plan_runs
				WHERE state = 'held' AND held_until > ?::date)) AS at`, now, today).Take(&first).Error
	return first.At, !first.At.IsZero(), err
}

// overdue tells whether a step waits that is to be looked at by now.
func (s Store) overdue(ctx context.Context, now time.Time, today string) (late bool, err error) {
	err = s.Gorm(ctx).Raw(`SELECT EXISTS (SELECT FROM plan_runs r JOIN plans p ON p.id = r.plan_id
			AND p.state = 'active' WHERE r.state = 'waiting' AND r.due_at <= ?)
		OR EXISTS (SELECT FROM plan_runs WHERE state = 'held' AND held_until <= ?::date)`, now, today).Scan(&late).Error
	if err != nil {
		err = fmt.Errorf("look for steps: %w", err)
	}
	return late, err
}

// postpone has the next step of a run looked at later.
func (s Store) postpone(ctx context.Context, r Run, at time.Time) error {
	err := s.Gorm(ctx).Model(&r).Scopes(database.OfMerchant(r.MerchantID)).
		Where("step = ? AND state = ?", r.Step, Waiting).UpdateColumn("due_at", at).Error
	if err != nil {
		return fmt.Errorf("postpone a step: %w", err)
	}
	return nil
}

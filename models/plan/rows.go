package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

// Store is where plans and their runs are kept.
type Store struct{ *database.DB }

var (
	versionTable = table.New("plan_versions",
		table.JSON("steps", func(v *Version) *Steps { return &v.Steps }, false))
	runTable   = table.New[Run]("plan_runs")
	takenTable = table.New[Taken]("plan_steps")
)

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
func (s Store) Versions(ctx context.Context, merchantID, planID uuid.UUID) ([]Version, error) {
	return database.All(ctx, s.DB, versionTable, "merchant_id = $1 AND plan_id = $2 ORDER BY n DESC", merchantID, planID)
}

// Version gives a version of a plan.
func (s Store) Version(ctx context.Context, merchantID, planID uuid.UUID, n int) (Version, error) {
	return database.One(ctx, s.DB, versionTable, "merchant_id = $1 AND plan_id = $2 AND n = $3", merchantID, planID, n)
}

// Current gives the version that each plan of a business has, by the plan.
func (s Store) Current(ctx context.Context, merchantID uuid.UUID) (map[uuid.UUID]Version, error) {
	all, err := database.All(ctx, s.DB, versionTable, `merchant_id = $1
		AND (plan_id, n) IN (SELECT id, version FROM plans WHERE merchant_id = $1)`, merchantID)
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
	database.Insert(tx, versionTable, v)
}

// changePlan writes a plan that this transaction holds.
func changePlan(tx *database.Tx, p Plan) error {
	return database.OneRow(tx.Gorm().Model(&p).Scopes(database.OfMerchant(p.MerchantID)).
		Select("name", "state", "version", "hold_out", "updated_at").UpdateColumns(p))
}

func insertVersion(tx *database.Tx, v Version) { database.Insert(tx, versionTable, v) }

// place tells whether a brand and a template of the business are there; zero ids are.
func place(tx *database.Tx, merchantID, brandID, templateID uuid.UUID) (brand, template bool, err error) {
	err = tx.DB().Pool.QueryRow(tx.Context(), `SELECT
			$2::uuid IS NULL OR EXISTS (SELECT FROM brands WHERE merchant_id = $1 AND id = $2),
			$3::uuid IS NULL OR EXISTS (SELECT FROM billing_templates WHERE merchant_id = $1 AND id = $3)`,
		database.Native([]any{merchantID, database.OrNull(brandID), database.OrNull(templateID)})...).
		Scan(&brand, &template)
	if err != nil {
		err = fmt.Errorf("look for a brand and a template: %w", err)
	}
	return brand, template, err
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
	return tx.Exec(`UPDATE plan_runs SET state = 'ended', held_for = '', held_until = NULL, debit_on = NULL,
			end_reason = $3, ended_at = $4, updated_at = $4
		WHERE merchant_id = $1 AND plan_id = $2 AND state <> 'ended'`, merchantID, planID, why, tx.Now())
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
// on when that fails for the same class of reason; another class ends it, and the plan begins anew with that.
func begin(tx *database.Tx, failed []Failure) {
	list, err := json.Marshal(failed)
	if err != nil {
		tx.Fail(fmt.Errorf("begin runs: %w", err))
		return
	}
	now := tx.Now()
	tx.Later(`UPDATE plan_runs r SET collection_id = f.collection_id, cause = f.cause, code = f.code,
			failures = r.failures + 1, day = greatest(r.day, f.failed_on), due_at = $2::timestamptz, debit_on = NULL,
			held_for = '', held_until = NULL, updated_at = $2::timestamptz,
			state = CASE WHEN r.branch = f.branch AND f.cause <> 'deceased' THEN 'waiting' ELSE 'ended' END,
			ended_at = CASE WHEN r.branch = f.branch AND f.cause <> 'deceased' THEN NULL ELSE $2::timestamptz END,
			end_reason = CASE WHEN f.cause = 'deceased' THEN 'died' WHEN f.cause IN ('disputed', 'stopped') THEN f.cause
				WHEN r.branch = f.branch THEN '' ELSE 'cause' END
		FROM `+failures+`
		WHERE r.purchase_id = f.purchase_id AND r.state IN ('waiting', 'held')`, string(list), now)
	tx.Later(`INSERT INTO plan_runs (id, merchant_id, plan_id, version, purchase_id, client_id, token_id, mandate_id,
			subscriber_id, collection_id, method, branch, cause, code, failed_on, day, state, end_reason, due_at, started_at,
			updated_at, ended_at)
		SELECT f.id, p.merchant_id, pl.id, pl.version, p.id, p.client_id, c.token_id, c.mandate_id, p.subscriber_id, c.id,
			c.method, f.branch, f.cause, f.code, f.failed_on, f.failed_on,
			CASE WHEN f.cause = 'deceased' OR h.out THEN 'ended' ELSE 'waiting' END,
			CASE WHEN f.cause = 'deceased' THEN 'died' WHEN h.out THEN 'hold_out' ELSE '' END,
			$2::timestamptz, $2::timestamptz, $2::timestamptz,
			CASE WHEN f.cause = 'deceased' OR h.out THEN $2::timestamptz END
		FROM `+failures+`
			JOIN purchases p ON p.id = f.purchase_id
			JOIN collections c ON c.id = f.collection_id
			CROSS JOIN LATERAL (SELECT * FROM plans WHERE merchant_id = p.merchant_id AND state = 'active'
				AND (template_id = p.template_id OR template_id IS NULL)
				AND (brand_id = p.brand_id OR brand_id IS NULL)
				ORDER BY template_id IS NULL, brand_id IS NULL LIMIT 1) pl
			CROSS JOIN LATERAL (SELECT `+heldOut+` AS out) h
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
	tag, err := s.Pool.Exec(ctx, `UPDATE plan_runs SET state = 'waiting', held_for = '', held_until = NULL,
			due_at = started_at, updated_at = $1
		WHERE state = 'held' AND held_until <= $2::date`, now, today)
	if err != nil {
		return 0, fmt.Errorf("let runs go on: %w", err)
	}
	return tag.RowsAffected(), nil
}

// due lists runs whose next step is to be looked at, of all businesses; those of paused plans rest.
func (s Store) due(ctx context.Context, now time.Time, without []uuid.UUID, limit int) ([]Run, error) {
	return database.Collect(ctx, s.DB, runTable, "SELECT "+runTable.Columns("r")+` FROM plan_runs r
		JOIN plans p ON p.id = r.plan_id AND p.state = 'active'
		WHERE r.state = 'waiting' AND r.due_at <= $1 AND NOT r.id = ANY($2::uuid[])
		ORDER BY r.due_at, r.id LIMIT $3`, database.Native([]any{now, database.IDs(without), limit}))
}

// nextDue is the earliest moment after now at which a step is looked at.
func (s Store) nextDue(ctx context.Context, now time.Time, today string) (at time.Time, found bool, err error) {
	var first *time.Time
	err = s.Pool.QueryRow(ctx, `SELECT least(
			(SELECT min(due_at) FROM plan_runs WHERE state = 'waiting' AND due_at > $1),
			(SELECT min(held_until)::timestamp AT TIME ZONE 'Africa/Johannesburg' FROM plan_runs
				WHERE state = 'held' AND held_until > $2::date))`, now, today).Scan(&first)
	if err != nil || first == nil {
		return at, false, err
	}
	return first.UTC(), true, nil
}

// overdue tells whether a step waits that is to be looked at by now.
func (s Store) overdue(ctx context.Context, now time.Time, today string) (late bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM plan_runs r JOIN plans p ON p.id = r.plan_id
			AND p.state = 'active' WHERE r.state = 'waiting' AND r.due_at <= $1)
		OR EXISTS (SELECT FROM plan_runs WHERE state = 'held' AND held_until <= $2::date)`, now, today).Scan(&late)
	if err != nil {
		err = fmt.Errorf("look for steps: %w", err)
	}
	return late, err
}

// postpone has the next step of a run looked at later.
func (s Store) postpone(ctx context.Context, r Run, at time.Time) error {
	_, err := s.Pool.Exec(ctx, `UPDATE plan_runs SET due_at = $4 WHERE merchant_id = $1 AND id = $2 AND step = $3
		AND state = 'waiting'`, database.Native([]any{r.MerchantID, r.ID, r.Step, at})...)
	if err != nil {
		return fmt.Errorf("postpone a step: %w", err)
	}
	return nil
}

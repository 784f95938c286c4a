package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// moved is what a decision makes of a run. Its JSON is what the statement below reads.
type moved struct {
	ID        uuid.UUID `json:"id"`
	Was       int       `json:"was"`
	Version   int       `json:"version"` // by whose steps it was decided
	Step      int       `json:"step"`
	Day       string    `json:"day"`
	State     RunState  `json:"state"`
	HeldFor   string    `json:"held_for"`
	HeldUntil *string   `json:"held_until"`
	DueAt     *string   `json:"due_at"`
	DebitOn   *string   `json:"debit_on"`
	EndReason string    `json:"end_reason"`

	// The step that is over; empty: none is.
	Kind      Kind       `json:"kind"`
	Outcome   Outcome    `json:"outcome"`
	Why       string     `json:"why"`
	Rules     string     `json:"rules"`
	MadeID    *uuid.UUID `json:"made_id"`
	MadeFor   *string    `json:"made_for"`
	Cents     int64      `json:"cents"`
	PlannedOn string     `json:"planned_on"`
	By        string     `json:"by"`
}

// from are the states in which a run takes a decision: a run that acted may be held by its own debit by now.
const (
	fromWaiting = `r.state = 'waiting'`
	fromAct     = `(r.state = 'waiting' OR r.state = 'held' AND r.held_for = 'debit')`
	fromLive    = `r.state <> 'ended'`
)

// move writes decisions in one statement, however many there are, and gives the runs that took them. One that was
// stopped, moved or changed meanwhile takes none: the key of a step is its run and its number.
func move(tx *database.Tx, merchantID uuid.UUID, from string, moves []moved) (map[uuid.UUID]bool, error) {
	list, err := json.Marshal(moves)
	if err != nil {
		return nil, fmt.Errorf("move runs: %w", err)
	}
	var ids []uuid.UUID
	err = tx.Gorm().Raw(`WITH v AS (SELECT * FROM jsonb_to_recordset(?::jsonb) AS v (id uuid, was int, version int,
				step int, day date, state text, held_for text, held_until date, due_at timestamptz, debit_on date,
				end_reason text, kind text, outcome text, why text, rules text, made_id uuid, made_for date, cents bigint,
				planned_on date, by text)),
		turn AS (UPDATE plan_runs r SET step = v.step, day = v.day, debit_on = v.debit_on, due_at = v.due_at,
				updated_at = ?,
				state = CASE WHEN r.held_for = 'debit' AND v.state = 'waiting' THEN r.state ELSE v.state END,
				held_for = CASE WHEN r.held_for = 'debit' AND v.state = 'waiting' THEN r.held_for ELSE v.held_for END,
				held_until = v.held_until, end_reason = v.end_reason,
				ended_at = CASE WHEN v.state = 'ended' THEN ?::timestamptz END
			FROM v WHERE r.id = v.id AND r.merchant_id = ? AND r.step = v.was AND r.version = v.version
				AND `+from+`
			RETURNING r.id, r.merchant_id, r.shift, r.updated_at),
		taken AS (INSERT INTO plan_steps (run_id, n, merchant_id, kind, outcome, why, rules, made_id, made_for, cents,
				planned_on, decided_at, decided_by)
			SELECT v.id, v.was + 1 + turn.shift, turn.merchant_id, v.kind, v.outcome, v.why, v.rules, v.made_id, v.made_for,
				v.cents, v.planned_on, turn.updated_at, v.by
			FROM v JOIN turn USING (id) WHERE v.outcome <> '')
		SELECT id FROM turn`, string(list), tx.Now(), tx.Now(), merchantID).Find(&ids).Error
	if err != nil {
		return nil, fmt.Errorf("move runs: %w", err)
	}
	return among(ids), nil
}

// TableName implements GORM's Tabler.
func (Run) TableName() string { return "plan_runs" }

// TableName implements GORM's Tabler.
func (Taken) TableName() string { return "plan_steps" }

// live is the scope of the runs of a business that have not ended.
func live(merchantID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("merchant_id = ? AND state <> 'ended'", merchantID) }
}

// Run gives a run of a business; NotFound otherwise.
func (s Store) Run(ctx context.Context, merchantID, id uuid.UUID) (r Run, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&r, "id = ?", id).Error
	return r, err
}

// RunsOf lists the runs of a purchase, the newest first.
func (s Store) RunsOf(ctx context.Context, merchantID, purchaseID uuid.UUID) (runs []Run, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("purchase_id = ?", purchaseID).Order("id DESC").
		Limit(20).Find(&runs).Error
	return runs, err
}

// LiveOf lists what is under way for a client, the oldest first.
func (s Store) LiveOf(ctx context.Context, merchantID, clientID uuid.UUID) (runs []Run, err error) {
	err = s.Gorm(ctx).Scopes(live(merchantID)).Where("client_id = ?", clientID).Order("id").Limit(20).Find(&runs).Error
	return runs, err
}

// Taken lists what became of the steps of some runs, in their order.
func (s Store) Taken(ctx context.Context, merchantID uuid.UUID, runs ...uuid.UUID) (steps []Taken, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("run_id IN ?", runs).Order("run_id, n").
		Find(&steps).Error
	return steps, err
}

// UnderWay lists runs of a plan that have not ended, those first that are due first.
func (s Store) UnderWay(ctx context.Context, merchantID, planID uuid.UUID, limit int) (runs []Run, err error) {
	err = s.Gorm(ctx).Scopes(live(merchantID)).Where("plan_id = ?", planID).Order("due_at, id").Limit(limit).
		Find(&runs).Error
	return runs, err
}

// Counts are how many runs of a plan stand where.
type Counts struct {
	Waiting, Held, WithPerson, Ended, Paid int64
	Behind                                 int64 // of those that have not ended, by an earlier version of the plan
	Debits, Mails, Refused                 int64 // of their steps
}

// Count counts the runs of a plan.
func (s Store) Count(ctx context.Context, merchantID, planID uuid.UUID) (c Counts, err error) {
	err = s.Gorm(ctx).Raw(`SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting,
			count(*) FILTER (WHERE state = 'held') AS held, count(*) FILTER (WHERE state = 'with_person') AS with_person,
			count(*) FILTER (WHERE state = 'ended') AS ended, count(*) FILTER (WHERE end_reason = 'paid') AS paid,
			count(*) FILTER (WHERE state <> 'ended'
				AND version < (SELECT version FROM plans WHERE merchant_id = ? AND id = ?)) AS behind
		FROM plan_runs WHERE merchant_id = ? AND plan_id = ?`, merchantID, planID, merchantID, planID).Take(&c).Error
	if err == nil {
		err = s.Gorm(ctx).Raw(`SELECT count(*) FILTER (WHERE t.kind = 'debit_again' AND t.outcome = 'done') AS debits,
				count(*) FILTER (WHERE t.kind IN ('message', 'ask_account') AND t.outcome = 'done') AS mails,
				count(*) FILTER (WHERE t.outcome = 'refused') AS refused
			FROM plan_runs r JOIN plan_steps t ON t.run_id = r.id AND t.merchant_id = r.merchant_id
			WHERE r.merchant_id = ? AND r.plan_id = ?`, merchantID, planID).Take(&c).Error
	}
	if err != nil {
		err = fmt.Errorf("count the runs of a plan: %w", err)
	}
	return c, err
}

// lockRun reads a run and keeps others from moving it; NotFound otherwise.
func lockRun(tx *database.Tx, merchantID, id uuid.UUID) (r Run, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&r, "id = ?", id).Error
	return r, err
}

// known is what the planner needs beside the purchases.
type known struct {
	told   map[uuid.UUID]bool      // purchases about whose failure a mail went out today
	mailed map[uuid.UUID]time.Time // when that was last
	texted map[uuid.UUID]time.Time // and when an SMS went out today
	dead   map[uuid.UUID]bool      // clients
	active map[uuid.UUID]bool      // subscribers
}

// know reads what is known of runs beside their purchases.
func (s Store) know(ctx context.Context, merchantID uuid.UUID, runs []Run, today calendar.Date) (known, error) {
	k := known{told: map[uuid.UUID]bool{}, mailed: map[uuid.UUID]time.Time{}, texted: map[uuid.UUID]time.Time{}}
	var purchases, clients, subscribers []uuid.UUID
	for _, r := range runs {
		purchases, clients = append(purchases, r.PurchaseID), append(clients, r.ClientID)
		subscribers = append(subscribers, r.SubscriberID)
	}
	var dead, active []uuid.UUID
	err := s.Gorm(ctx).Model(&Run{}).Scopes(database.OfMerchant(merchantID)).
		Where("client_id IN ? AND cause = ?", clients, Deceased).Pluck("client_id", &dead).Error
	if err == nil {
		err = s.Gorm(ctx).Table("template_clients").Scopes(database.OfMerchant(merchantID)).
			Where("id IN ? AND status = 'active'", subscribers).Pluck("id", &active).Error
	}
	if err != nil {
		return k, fmt.Errorf("read what is known of runs: %w", err)
	}
	k.dead, k.active = among(dead), among(active)
	return k, s.messaged(ctx, merchantID, purchases, today, &k)
}

// messaged reads when clients were last told of purchases today, by mail and by SMS.
func (s Store) messaged(ctx context.Context, merchantID uuid.UUID, purchases []uuid.UUID, today calendar.Date,
	k *known) error {
	var found []struct {
		ID             uuid.UUID
		Mailed, Texted time.Time
	}
	morning := today.At(0, 0)
	err := s.Gorm(ctx).Raw(`SELECT p.id, (SELECT max(m.created_at) FROM mails m WHERE m.merchant_id = ?
			AND m.purchase_id = p.id AND m.kind IN ('debit_failed', 'reminder') AND m.created_at >= ?) AS mailed,
		(SELECT max(t.created_at) FROM sms_messages t WHERE t.merchant_id = ? AND t.purchase_id = p.id
			AND t.kind = 'reminder' AND t.state <> 'skipped' AND t.created_at >= ?) AS texted
		FROM unnest(?::uuid[]) AS p (id)`, merchantID, morning, merchantID, morning, database.IDs(purchases)).
		Find(&found).Error
	if err != nil {
		return fmt.Errorf("read what clients were told: %w", err)
	}
	for _, f := range found {
		if !f.Mailed.IsZero() {
			k.told[f.ID], k.mailed[f.ID] = true, f.Mailed
		}
		if !f.Texted.IsZero() {
			k.texted[f.ID] = f.Texted
		}
	}
	return nil
}

// errTaken tells that a run was stopped or moved before the step could be taken; what the step did is undone.
var errTaken = fault.New(fault.Conflict, "step_taken", "This step was taken or stopped already.")

// newest is the newest debit of a purchase, inside a transaction; the zero id when there is none.
func newest(tx *database.Tx, merchantID, purchaseID uuid.UUID) (uuid.UUID, error) {
	var ids []uuid.UUID
	err := tx.Gorm().Table("collections").Scopes(database.OfMerchant(merchantID)).Where("purchase_id = ?", purchaseID).
		Order("attempt DESC").Limit(1).Pluck("id", &ids).Error
	switch {
	case err != nil:
		return uuid.Nil, fmt.Errorf("find the debit: %w", err)
	case len(ids) == 0:
		return uuid.Nil, nil
	}
	return ids[0], nil
}

// UnderWayOf counts what is under way by each plan of a business.
func (s Store) UnderWayOf(ctx context.Context, merchantID uuid.UUID) (map[uuid.UUID]int64, error) {
	var found []struct {
		PlanID uuid.UUID
		N      int64
	}
	err := s.Gorm(ctx).Model(&Run{}).Scopes(live(merchantID)).Select("plan_id, count(*) AS n").Group("plan_id").
		Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("count what is under way: %w", err)
	}
	out := map[uuid.UUID]int64{}
	for _, f := range found {
		out[f.PlanID] = f.N
	}
	return out, nil
}

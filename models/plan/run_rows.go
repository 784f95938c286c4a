package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

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
	done := map[uuid.UUID]bool{}
	err = database.Query(tx, func(id *[16]byte) []any { return []any{id} }, func(id [16]byte) { done[id] = true },
		`WITH v AS (SELECT * FROM jsonb_to_recordset($2::jsonb) AS v (id uuid, was int, version int, step int, day date,
				state text, held_for text, held_until date, due_at timestamptz, debit_on date, end_reason text,
				kind text, outcome text, why text, rules text, made_id uuid, made_for date, cents bigint, planned_on date,
				by text)),
		turn AS (UPDATE plan_runs r SET step = v.step, day = v.day, debit_on = v.debit_on, due_at = v.due_at,
				updated_at = $3,
				state = CASE WHEN r.held_for = 'debit' AND v.state = 'waiting' THEN r.state ELSE v.state END,
				held_for = CASE WHEN r.held_for = 'debit' AND v.state = 'waiting' THEN r.held_for ELSE v.held_for END,
				held_until = v.held_until, end_reason = v.end_reason,
				ended_at = CASE WHEN v.state = 'ended' THEN $3::timestamptz END
			FROM v WHERE r.id = v.id AND r.merchant_id = $1 AND r.step = v.was AND r.version = v.version
				AND `+from+`
			RETURNING r.id, r.shift),
		taken AS (INSERT INTO plan_steps (run_id, n, merchant_id, kind, outcome, why, rules, made_id, made_for, cents,
				planned_on, decided_at, decided_by)
			SELECT v.id, v.was + 1 + turn.shift, $1, v.kind, v.outcome, v.why, v.rules, v.made_id, v.made_for, v.cents,
				v.planned_on, $3, v.by
			FROM v JOIN turn USING (id) WHERE v.outcome <> '')
		SELECT id FROM turn`, database.Native([]any{merchantID, string(list), tx.Now()})...)
	if err != nil {
		return nil, fmt.Errorf("move runs: %w", err)
	}
	return done, nil
}

// Run gives a run of a business; NotFound otherwise.
func (s Store) Run(ctx context.Context, merchantID, id uuid.UUID) (Run, error) {
	return database.One(ctx, s.DB, runTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// RunsOf lists the runs of a purchase, the newest first.
func (s Store) RunsOf(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]Run, error) {
	return database.All(ctx, s.DB, runTable, "merchant_id = $1 AND purchase_id = $2 ORDER BY id DESC LIMIT 20", merchantID,
		purchaseID)
}

// LiveOf lists what is under way for a client, the oldest first.
func (s Store) LiveOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]Run, error) {
	return database.All(ctx, s.DB, runTable,
		"merchant_id = $1 AND client_id = $2 AND state <> 'ended' ORDER BY id LIMIT 20", merchantID, clientID)
}

// Taken lists what became of the steps of some runs, in their order.
func (s Store) Taken(ctx context.Context, merchantID uuid.UUID, runs ...uuid.UUID) ([]Taken, error) {
	return database.All(ctx, s.DB, takenTable, "merchant_id = $1 AND run_id = ANY($2::uuid[]) ORDER BY run_id, n",
		merchantID, database.IDs(runs))
}

// UnderWay lists runs of a plan that have not ended, those first that are due first.
func (s Store) UnderWay(ctx context.Context, merchantID, planID uuid.UUID, limit int) ([]Run, error) {
	return database.All(ctx, s.DB, runTable, `merchant_id = $1 AND plan_id = $2 AND state <> 'ended'
		ORDER BY due_at, id LIMIT $3`, merchantID, planID, limit)
}

// Counts are how many runs of a plan stand where.
type Counts struct {
	Waiting, Held, WithPerson, Ended, Paid int64
	Behind                                 int64 // of those that have not ended, by an earlier version of the plan
	Debits, Mails, Refused                 int64 // of their steps
}

// Count counts the runs of a plan.
func (s Store) Count(ctx context.Context, merchantID, planID uuid.UUID) (c Counts, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE state = 'waiting'), count(*) FILTER (WHERE state = 'held'),
			count(*) FILTER (WHERE state = 'with_person'), count(*) FILTER (WHERE state = 'ended'),
			count(*) FILTER (WHERE end_reason = 'paid'), count(*) FILTER (WHERE state <> 'ended'
				AND version < (SELECT version FROM plans WHERE merchant_id = $1 AND id = $2))
		FROM plan_runs WHERE merchant_id = $1 AND plan_id = $2`, database.Native([]any{merchantID, planID})...).
		Scan(&c.Waiting, &c.Held, &c.WithPerson, &c.Ended, &c.Paid, &c.Behind)
	if err == nil {
		err = s.Pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE t.kind = 'debit_again' AND t.outcome = 'done'),
				count(*) FILTER (WHERE t.kind IN ('message', 'ask_account') AND t.outcome = 'done'),
				count(*) FILTER (WHERE t.outcome = 'refused')
			FROM plan_runs r JOIN plan_steps t ON t.run_id = r.id AND t.merchant_id = r.merchant_id
			WHERE r.merchant_id = $1 AND r.plan_id = $2`, database.Native([]any{merchantID, planID})...).
			Scan(&c.Debits, &c.Mails, &c.Refused)
	}
	if err != nil {
		err = fmt.Errorf("count the runs of a plan: %w", err)
	}
	return c, err
}

// lockRun reads a run and keeps others from moving it; NotFound otherwise.
func lockRun(tx *database.Tx, merchantID, id uuid.UUID) (Run, error) {
	return database.One(tx.Context(), tx.DB(), runTable, "merchant_id = $1 AND id = $2 FOR UPDATE", merchantID, id)
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
	k := known{told: map[uuid.UUID]bool{}, mailed: map[uuid.UUID]time.Time{}, texted: map[uuid.UUID]time.Time{},
		dead: map[uuid.UUID]bool{}, active: map[uuid.UUID]bool{}}
	var purchases, clients, subscribers []uuid.UUID
	for _, r := range runs {
		purchases, clients = append(purchases, r.PurchaseID), append(clients, r.ClientID)
		subscribers = append(subscribers, r.SubscriberID)
	}
	var id [16]byte
	for _, ask := range []struct {
		into map[uuid.UUID]bool
		ids  []uuid.UUID
		sql  string
		more []any
	}{
		{k.dead, clients, `SELECT client_id FROM plan_runs WHERE merchant_id = $1 AND client_id = ANY($2::uuid[])
			AND cause = 'deceased'`, nil},
		{k.active, subscribers, `SELECT id FROM template_clients WHERE merchant_id = $1 AND id = ANY($2::uuid[])
			AND status = 'active'`, nil},
	} {
		args := append([]any{merchantID, database.IDs(ask.ids)}, ask.more...)
		if err := s.Pool.Each(ctx, []any{&id}, func() error { ask.into[id] = true; return nil }, ask.sql,
			database.Native(args)...); err != nil {
			return k, fmt.Errorf("read what is known of runs: %w", err)
		}
	}
	return k, s.messaged(ctx, merchantID, purchases, today, &k)
}

// messaged reads when clients were last told of purchases today, by mail and by SMS.
func (s Store) messaged(ctx context.Context, merchantID uuid.UUID, purchases []uuid.UUID, today calendar.Date,
	k *known) error {
	var id [16]byte
	var mailed, texted *time.Time
	err := s.Pool.Each(ctx, []any{&id, &mailed, &texted}, func() error {
		if mailed != nil {
			k.told[id], k.mailed[id] = true, *mailed
		}
		if texted != nil {
			k.texted[id] = *texted
		}
		return nil
	}, `SELECT p.id, (SELECT max(m.created_at) FROM mails m WHERE m.merchant_id = $1 AND m.purchase_id = p.id
			AND m.kind IN ('debit_failed', 'reminder') AND m.created_at >= $3),
		(SELECT max(t.created_at) FROM sms_messages t WHERE t.merchant_id = $1 AND t.purchase_id = p.id
			AND t.kind = 'reminder' AND t.state <> 'skipped' AND t.created_at >= $3)
		FROM unnest($2::uuid[]) AS p (id)`, database.Native([]any{merchantID, database.IDs(purchases), today.At(0, 0)})...)
	if err != nil {
		return fmt.Errorf("read what clients were told: %w", err)
	}
	return nil
}

// errTaken tells that a run was stopped or moved before the step could be taken; what the step did is undone.
var errTaken = fault.New(fault.Conflict, "step_taken", "This step was taken or stopped already.")

// newest is the newest debit of a purchase, inside a transaction; the zero id when there is none.
func newest(tx *database.Tx, purchaseID uuid.UUID) (uuid.UUID, error) {
	var found [16]byte
	err := database.Query(tx, func(v *[16]byte) []any { return []any{v} }, func(v [16]byte) { found = v },
		`SELECT id FROM collections WHERE purchase_id = $1 ORDER BY attempt DESC LIMIT 1`,
		database.Native([]any{purchaseID})...)
	if err != nil {
		err = fmt.Errorf("find the debit: %w", err)
	}
	return found, err
}

// UnderWayOf counts what is under way by each plan of a business.
func (s Store) UnderWayOf(ctx context.Context, merchantID uuid.UUID) (map[uuid.UUID]int64, error) {
	out := map[uuid.UUID]int64{}
	var id [16]byte
	var n int64
	err := s.Pool.Each(ctx, []any{&id, &n}, func() error { out[id] = n; return nil }, `SELECT plan_id, count(*)
		FROM plan_runs WHERE merchant_id = $1 AND state <> 'ended' GROUP BY plan_id`,
		database.Native([]any{merchantID})...)
	if err != nil {
		err = fmt.Errorf("count what is under way: %w", err)
	}
	return out, err
}

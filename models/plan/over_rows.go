package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// alike are runs of one class of reason and state that are behind a version, and over which steps they are.
type alike struct {
	Branch Branch
	State  RunState
	Kinds  string // in their order, with a space between them
	N      int64
}

func (a alike) over() (out []Kind) {
	for _, k := range strings.Fields(a.Kinds) {
		out = append(out, Kind(k))
	}
	return out
}

// behind counts what is under way by versions of a plan before one.
func (s Store) behind(ctx context.Context, merchantID, planID uuid.UUID, version int) (out []alike, err error) {
	var a alike
	err = s.Pool.Each(ctx, []any{&a.Branch, &a.State, &a.Kinds, &a.N}, func() error { out = append(out, a); return nil },
		`SELECT branch, state, kinds, count(*) FROM (SELECT r.branch, r.state,
				coalesce((SELECT string_agg(t.kind, ' ' ORDER BY t.n) FROM plan_steps t
					WHERE t.merchant_id = $1 AND t.run_id = r.id), '') AS kinds
			FROM plan_runs r
			WHERE r.merchant_id = $1 AND r.plan_id = $2 AND r.version < $3 AND r.state <> 'ended') x
		GROUP BY branch, state, kinds ORDER BY branch, state, kinds LIMIT 500`,
		database.Native([]any{merchantID, planID, version})...)
	if err != nil {
		err = fmt.Errorf("count what is behind a version: %w", err)
	}
	return out, err
}

// lockFree keeps others from moving the runs, and leaves out those that are being moved.
const lockFree = " FOR UPDATE SKIP LOCKED"

// movable lists what is under way by versions of a plan before one, in the order of the ids.
func (s Store) movable(ctx context.Context, merchantID, planID uuid.UUID, version int, after uuid.UUID, limit int,
	lock string) ([]Run, error) {
	return database.All(ctx, s.DB, runTable, `merchant_id = $1 AND plan_id = $2 AND id > $4 AND version < $3
		AND state <> 'ended' ORDER BY id LIMIT $5`+lock, merchantID, planID, version, after, limit)
}

// changeVersions moves runs to a version, and gives those that moved. One that took a step or was stopped meanwhile
// does not.
func changeVersions(tx *database.Tx, merchantID uuid.UUID, was, is []Run) (map[uuid.UUID]bool, error) {
	type change struct {
		ID      uuid.UUID `json:"id"`
		Was     int       `json:"was"`
		Old     int       `json:"old"`
		Step    int       `json:"step"`
		Version int       `json:"version"`
		Shift   int       `json:"shift"`
	}
	changes := make([]change, len(was))
	for i, r := range is {
		changes[i] = change{r.ID, was[i].Step, was[i].Version, r.Step, r.Version, r.Shift}
	}
	list, err := json.Marshal(changes)
	if err != nil {
		return nil, fmt.Errorf("move runs to a version: %w", err)
	}
	done := map[uuid.UUID]bool{}
	err = database.Query(tx, func(id *[16]byte) []any { return []any{id} }, func(id [16]byte) { done[id] = true },
		`UPDATE plan_runs r SET version = v.version, step = v.step, shift = v.shift, debit_on = NULL, updated_at = $3,
			due_at = CASE WHEN r.state = 'waiting' THEN $3::timestamptz ELSE r.due_at END
		FROM jsonb_to_recordset($2::jsonb) AS v (id uuid, was int, old int, step int, version int, shift int)
		WHERE r.id = v.id AND r.merchant_id = $1 AND r.step = v.was AND r.version = v.old AND r.state <> 'ended'
		RETURNING r.id`, database.Native([]any{merchantID, string(list), tx.Now()})...)
	if err != nil {
		return nil, fmt.Errorf("move runs to a version: %w", err)
	}
	return done, nil
}

package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

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
	err = s.Gorm(ctx).Raw(`SELECT branch, state, kinds, count(*) AS n FROM (SELECT r.branch, r.state,
				coalesce((SELECT string_agg(t.kind, ' ' ORDER BY t.n) FROM plan_steps t
					WHERE t.merchant_id = ? AND t.run_id = r.id), '') AS kinds
			FROM plan_runs r
			WHERE r.merchant_id = ? AND r.plan_id = ? AND r.version < ? AND r.state <> 'ended') x
		GROUP BY branch, state, kinds ORDER BY branch, state, kinds LIMIT 500`, merchantID, merchantID, planID, version).
		Find(&out).Error
	if err != nil {
		err = fmt.Errorf("count what is behind a version: %w", err)
	}
	return out, err
}

// lockFree is the scope that keeps others from moving the runs, and leaves out those that are being moved.
func lockFree(db *gorm.DB) *gorm.DB {
	return db.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked})
}

// movable lists what is under way by versions of a plan before one, in the order of the ids.
func (s Store) movable(ctx context.Context, merchantID, planID uuid.UUID, version int, after uuid.UUID, limit int,
	also ...func(*gorm.DB) *gorm.DB) (runs []Run, err error) {
	err = s.Gorm(ctx).Scopes(live(merchantID)).Scopes(also...).
		Where("plan_id = ? AND id > ? AND version < ?", planID, after, version).Order("id").Limit(limit).Find(&runs).Error
	return runs, err
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
	var ids []uuid.UUID
	err = tx.Gorm().Raw(`UPDATE plan_runs r SET version = v.version, step = v.step, shift = v.shift, debit_on = NULL,
			updated_at = ?, due_at = CASE WHEN r.state = 'waiting' THEN ?::timestamptz ELSE r.due_at END
		FROM jsonb_to_recordset(?::jsonb) AS v (id uuid, was int, old int, step int, version int, shift int)
		WHERE r.id = v.id AND r.merchant_id = ? AND r.step = v.was AND r.version = v.old AND r.state <> 'ended'
		RETURNING r.id`, tx.Now(), tx.Now(), string(list), merchantID).Find(&ids).Error
	if err != nil {
		return nil, fmt.Errorf("move runs to a version: %w", err)
	}
	return among(ids), nil
}

// among tells which ids are some.
func among(ids []uuid.UUID) map[uuid.UUID]bool {
	out := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}

package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/fault"
	"debitdesk/models/simulation"
)

type simulationRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	MerchantID uuid.UUID
	Kind       string
	State      string
	Ask        string
	Starter    string
	DoneSteps  int
	AllSteps   int
	Result     string
	Note       string
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

func (simulationRow) TableName() string { return "simulations" }

func (r simulationRow) domain() (simulation.Run, error) {
	run := simulation.Run{ID: r.ID, MerchantID: r.MerchantID, Kind: simulation.Kind(r.Kind), State: simulation.State(r.State), Steps: r.DoneSteps, AllSteps: r.AllSteps,
		Note: r.Note, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
	for text, into := range map[string]any{r.Ask: &run.Ask, r.Starter: &run.Starter, r.Result: &run.Result} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return run, fmt.Errorf("read simulation %s: %w", r.ID, err)
		}
	}
	return run, nil
}

// InsertRun implements simulation.Tx.
func (t *Tx) InsertRun(r simulation.Run) error {
	ask, err1 := json.Marshal(r.Ask)
	starter, err2 := json.Marshal(r.Starter)
	result, err3 := json.Marshal(r.Result)
	if err := errors.Join(err1, err2, err3); err != nil {
		return fmt.Errorf("write simulation: %w", err)
	}
	_, err := t.exec(`INSERT INTO simulations (id, merchant_id, kind, state, ask, starter, done_steps, all_steps, result, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9, $9)`, r.ID, r.MerchantID, string(r.Kind), string(r.State), string(ask), string(starter), r.AllSteps, string(result), r.CreatedAt)
	if violates(err, "simulations_one") {
		return fault.New(fault.Conflict, "simulation_running", "The simulator is playing already. There is one clock: wait until that is done.")
	}
	return err
}

// Runs implements simulation.Store.
func (s *Store) Runs(ctx context.Context, merchantID uuid.UUID, limit int) ([]simulation.Run, error) {
	var rows []simulationRow
	if err := s.read(ctx).Order("id DESC").Limit(limit).Find(&rows, "merchant_id = ?", merchantID).Error; err != nil {
		return nil, fmt.Errorf("list simulations: %w", err)
	}
	out := make([]simulation.Run, len(rows))
	for i, r := range rows {
		run, err := r.domain()
		if err != nil {
			return nil, err
		}
		out[i] = run
	}
	return out, nil
}

// OpenRun implements simulation.Store.
func (s *Store) OpenRun(ctx context.Context) (open bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM simulations WHERE state IN ('waiting', 'running'))`).Scan(&open)
	return open, err
}

// ClaimRun implements simulation.Store. Claims run in real time.
func (s *Store) ClaimRun(ctx context.Context, id, claim uuid.UUID, holds time.Duration) (simulation.Run, bool, error) {
	tag, err := s.Pool.Exec(ctx, `UPDATE simulations SET state = 'running', claim = $2, claimed_until = clock_timestamp() + $3::interval WHERE id = $1 AND state = 'waiting'`,
		native([]any{id, claim, holds})...)
	if err != nil || tag.RowsAffected() == 0 {
		return simulation.Run{}, false, err
	}
	row, err := take[simulationRow](ctx, s, "id = $1", id)
	if err != nil {
		return simulation.Run{}, false, missing(err, "find simulation")
	}
	r, err := row.domain()
	return r, err == nil, err
}

// HoldRun implements simulation.Store.
func (s *Store) HoldRun(ctx context.Context, r simulation.Run, claim uuid.UUID, holds time.Duration) error {
	_, err := s.Pool.Exec(ctx, `UPDATE simulations SET done_steps = $3, all_steps = $4, claimed_until = clock_timestamp() + $5::interval, updated_at = $6
		WHERE id = $1 AND claim = $2 AND state = 'running'`, native([]any{r.ID, claim, r.Steps, r.AllSteps, holds, s.Now()})...)
	return err
}

// FinishRun implements simulation.Store.
func (s *Store) FinishRun(ctx context.Context, r simulation.Run, claim uuid.UUID) error {
	result, err := json.Marshal(r.Result)
	if err != nil {
		return fmt.Errorf("write simulation: %w", err)
	}
	_, err = s.Pool.Exec(ctx, `UPDATE simulations SET state = $3, done_steps = $4, all_steps = $5, result = $6, note = $7, updated_at = $8, claim = NULL, claimed_until = NULL
		WHERE id = $1 AND claim = $2 AND state = 'running'`, native([]any{r.ID, claim, string(r.State), r.Steps, r.AllSteps, string(result), r.Note, r.UpdatedAt})...)
	return err
}

// WaitingRuns implements simulation.Store.
func (s *Store) WaitingRuns(ctx context.Context) ([]uuid.UUID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT id FROM simulations WHERE state = 'waiting'`)
	if err != nil {
		return nil, fmt.Errorf("find simulations: %w", err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (id uuid.UUID, err error) {
		err = r.Scan((*[16]byte)(&id))
		return id, err
	})
}

// DropLostRuns implements simulation.Store.
func (s *Store) DropLostRuns(ctx context.Context, note string) error {
	_, err := s.Pool.Exec(ctx, `UPDATE simulations SET state = 'failed', note = $1, claim = NULL, claimed_until = NULL WHERE state = 'running' AND claimed_until < clock_timestamp()`, note)
	return err
}

var _ simulation.Store = (*Store)(nil)

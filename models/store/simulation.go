package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/fault"
	"debitdesk/models/simulation"
	"debitdesk/models/store/table"
)

var (
	simulationTable = table.New[simulation.Run]("simulations")
	holdSimulation  = simulationTable.Write(
		`UPDATE simulations SET @set(done_steps, all_steps), claimed_until = clock_timestamp() + @holds::interval, updated_at = @now
		WHERE id = @id AND claim = @claim AND state = 'running'`, "holds", "now", "claim")
	finishSimulation = simulationTable.Write(
		`UPDATE simulations SET @set(state, done_steps, all_steps, result, note, updated_at), claim = NULL, claimed_until = NULL
		WHERE id = @id AND claim = @claim AND state = 'running'`, "claim")
)

// InsertRun implements simulation.Tx.
func (t *Tx) InsertRun(r simulation.Run) error {
	insert(t, simulationTable, r)
	err := t.flush()
	if violates(err, "simulations_one") {
		return fault.New(fault.Conflict, "simulation_running",
			"The simulator is playing already. There is one clock: wait until that is done.")
	}
	return err
}

// Runs implements simulation.Store.
func (s *Store) Runs(ctx context.Context, merchantID uuid.UUID, limit int) ([]simulation.Run, error) {
	return all(ctx, s, simulationTable, "merchant_id = $1 ORDER BY id DESC LIMIT $2", merchantID, limit)
}

// OpenRun implements simulation.Store.
func (s *Store) OpenRun(ctx context.Context) (open bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM simulations WHERE state IN ('waiting', 'running'))`).Scan(&open)
	return open, err
}

// ClaimRun implements simulation.Store. Claims run in real time.
func (s *Store) ClaimRun(ctx context.Context, id, claim uuid.UUID, holds time.Duration) (simulation.Run, bool, error) {
	tag, err := s.Pool.Exec(ctx,
		`UPDATE simulations SET state = 'running', claim = $2, claimed_until = clock_timestamp() + $3::interval WHERE id = $1 AND state = 'waiting'`,
		native([]any{id, claim, holds})...)
	if err != nil || tag.RowsAffected() == 0 {
		return simulation.Run{}, false, err
	}
	r, err := one(ctx, s, simulationTable, "id = $1", id)
	return r, err == nil, err
}

// HoldRun implements simulation.Store.
func (s *Store) HoldRun(ctx context.Context, r simulation.Run, claim uuid.UUID, holds time.Duration) error {
	_, err := execOne(ctx, s, holdSimulation, r, holds, s.Now(), claim)
	return err
}

// FinishRun implements simulation.Store.
func (s *Store) FinishRun(ctx context.Context, r simulation.Run, claim uuid.UUID) error {
	_, err := execOne(ctx, s, finishSimulation, r, claim)
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
	_, err := s.Pool.Exec(ctx,
		`UPDATE simulations SET state = 'failed', note = $1, claim = NULL, claimed_until = NULL WHERE state = 'running' AND claimed_until < clock_timestamp()`, note)
	return err
}

var _ simulation.Store = (*Store)(nil)

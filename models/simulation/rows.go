package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

var (
	simulationTable = table.New[Run]("simulations")
	holdSimulation  = simulationTable.Write(
		`UPDATE simulations SET @set(done_steps, all_steps), claimed_until = clock_timestamp() + @holds::interval,
			updated_at = @now
		WHERE id = @id AND claim = @claim AND state = 'running'`,
		"holds",
		"now",
		"claim",
	)
	finishSimulation = simulationTable.Write(
		`UPDATE simulations SET @set(state, done_steps, all_steps, result, note, updated_at),
			claim = NULL, claimed_until = NULL
		WHERE id = @id AND claim = @claim AND state = 'running'`,
		"claim",
	)
)

// Store is where runs of the simulator are kept.
type Store struct{ *database.DB }

// insertRun keeps a run; Conflict when another one is open.
func insertRun(tx *database.Tx, r Run) error {
	database.Insert(tx, simulationTable, r)
	err := tx.Flush()
	if database.Violates(err, "simulations_one") {
		return fault.New(fault.Conflict, "simulation_running",
			"The simulator is playing already. There is one clock: wait until that is done.")
	}
	return err
}

// Runs lists the newest runs of a merchant.
func (s Store) Runs(ctx context.Context, merchantID uuid.UUID, limit int) ([]Run, error) {
	return database.All(ctx, s.DB, simulationTable, "merchant_id = $1 ORDER BY id DESC LIMIT $2", merchantID, limit)
}

// OpenRun tells whether any merchant's run is open.
func (s Store) OpenRun(ctx context.Context) (open bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM simulations WHERE state IN ('waiting', 'running'))`).Scan(&open)
	return open, err
}

// ClaimRun takes a waiting run; false when it is taken or over. Claims run in real
// time.
func (s Store) ClaimRun(ctx context.Context, id, claim uuid.UUID, holds time.Duration) (Run, bool, error) {
	tag, err := s.Pool.Exec(
		ctx,
		`UPDATE simulations SET state = 'running', claim = $2, claimed_until = clock_timestamp() + $3::interval
			WHERE id = $1 AND state = 'waiting'`,
		database.Native([]any{id, claim, holds})...)
	if err != nil || tag.RowsAffected() == 0 {
		return Run{}, false, err
	}
	r, err := database.One(ctx, s.DB, simulationTable, "id = $1", id)
	return r, err == nil, err
}

// HoldRun renews a claim and notes the progress.
func (s Store) HoldRun(ctx context.Context, r Run, claim uuid.UUID, holds time.Duration) error {
	_, err := database.ExecOne(ctx, s.DB, holdSimulation, r, holds, s.Now(), claim)
	return err
}

// FinishRun ends a run that is claimed so.
func (s Store) FinishRun(ctx context.Context, r Run, claim uuid.UUID) error {
	_, err := database.ExecOne(ctx, s.DB, finishSimulation, r, claim)
	return err
}

// WaitingRuns are those that nobody has taken.
func (s Store) WaitingRuns(ctx context.Context) ([]uuid.UUID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT id FROM simulations WHERE state = 'waiting'`)
	if err != nil {
		return nil, fmt.Errorf("find simulations: %w", err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (id uuid.UUID, err error) {
		err = r.Scan((*[16]byte)(&id))
		return id, err
	})
}

// DropLostRuns ends runs whose worker is gone.
func (s Store) DropLostRuns(ctx context.Context, note string) error {
	_, err := s.Pool.Exec(
		ctx,
		`UPDATE simulations SET state = 'failed', note = $1, claim = NULL, claimed_until = NULL
			WHERE state = 'running' AND claimed_until < clock_timestamp()`,
		note,
	)
	return err
}

package task

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/queue"
)

// erasure names the lock of a merchant that an erasure holds, and a task that is asked for shares: what is asked for
// meanwhile reads what is there afterwards.
const erasure = "erasure and tasks of "

func besideErasures(tx *database.Tx, merchantID uuid.UUID) error {
	err := tx.Gorm().Exec(`SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 0))`, erasure+merchantID.String()).Error
	if err != nil {
		return fmt.Errorf("wait for an erasure: %w", err)
	}
	return nil
}

// anew are the tasks that only write what is there into a file.
const anew = `kind IN ('` + Export + `', '` + Book + `', '` + Journal + `')`

// openOnes takes what is under way from its workers, so that nothing is written any more of what they have read. An
// export begins anew. Other work goes on where it is, for what it did is done; its file is not kept.
const openOnes = `UPDATE tasks SET claim = NULL,
		claimed_until = CASE state WHEN 'waiting' THEN claimed_until END,
		position = CASE WHEN ` + anew + ` THEN '{}' ELSE position END,
		done = CASE WHEN ` + anew + ` THEN 0 ELSE done END,
		failed = CASE WHEN ` + anew + ` THEN 0 ELSE failed END,
		kept_until = CASE WHEN NOT ` + anew + ` THEN now() END, chunks = 0, file_bytes = 0
	WHERE merchant_id = $1 AND state IN ('waiting', 'running') RETURNING id::text`

// Erase leaves nothing of a person in what tasks of a merchant wrote and were asked for: files name clients, and what
// was asked for may search for one.
func Erase(ctx context.Context, t *database.Tx, tx pgx.Tx, merchantID uuid.UUID) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, erasure+merchantID.String())
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, openOnes, merchantID.String()) // first: a piece that is being kept is waited for
	if err != nil {
		return err
	}
	open, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM task_chunks WHERE task_id IN (SELECT id FROM tasks WHERE merchant_id = $1)`,
		`UPDATE tasks SET input_sealed = '', kept_until = CASE WHEN chunks > 0 THEN LEAST(kept_until, now())
			ELSE kept_until END WHERE merchant_id = $1 AND state NOT IN ('waiting', 'running')`,
	} {
		if _, err := tx.Exec(ctx, sql, merchantID.String()); err != nil {
			return err
		}
	}
	for _, id := range open {
		t.Enqueue(queue.WorkTask{TaskID: uuid.MustParse(id)})
	}
	return nil
}

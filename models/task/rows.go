package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Store is where tasks and their files are kept.
type Store struct{ *database.DB }

func inputPlace(t *Task) seal.Place { return seal.PlaceOf("tasks", "input_sealed", t.MerchantID, t.ID) }

func chunkPlace(t Task, n int) seal.Place {
	return seal.Place{Owner: t.MerchantID, Table: "task_chunks", Column: "content",
		Row: t.ID.String() + "/" + strconv.Itoa(n)}
}

var (
	taskTable = table.New("tasks", table.Column[Task]{Name: "input_sealed", Once: true,
		Write: func(box *seal.Box, t *Task) (any, error) { return box.SealBytes(inputPlace(t), t.Input), nil },
		Read: func(box *seal.Box, t *Task, stored []byte) (err error) {
			t.Input, err = box.OpenBytes(inputPlace(t), stored)
			return err
		}})
	// saveTask writes what a worker did, while the claim is its own.
	saveTask = taskTable.Write(
		`UPDATE tasks SET @set(state, position, total, done, failed, tries, note, file_name, file_type,
		file_bytes, chunks, claim, claimed_until, ended_at, kept_until, updated_at)
		WHERE id = @id AND state = 'running' AND claim = @mine`,
		"mine",
	)
)

func insertTask(tx *database.Tx, t Task) { database.Insert(tx, taskTable, t) }

// countOpen counts the tasks of a merchant that are not over.
func countOpen(tx *database.Tx, merchantID uuid.UUID) (n int, err error) {
	err = tx.DB().Pool.QueryRow(tx.Context(), `SELECT count(*) FROM tasks WHERE merchant_id = $1
		AND state IN ('waiting', 'running')`, database.Native([]any{merchantID})...).Scan(&n)
	if err != nil {
		err = fmt.Errorf("count open tasks: %w", err)
	}
	return n, err
}

// cancelWaiting ends a task that nobody has begun; false when somebody has, or it is over.
func cancelWaiting(tx *database.Tx, t Task, by string, now time.Time) (bool, error) {
	return tx.ExecOne(
		"cancel a task",
		`UPDATE tasks SET state = 'cancelled', stopped_by = $3, ended_at = $4, updated_at = $4
		WHERE merchant_id = $1 AND id = $2 AND state = 'waiting'`,
		t.MerchantID,
		t.ID,
		by,
		now,
	)
}

// stopRunning asks the worker of a task to end it; false when it is over or was asked before.
func stopRunning(tx *database.Tx, t Task, by string, now time.Time) (bool, error) {
	return tx.ExecOne("cancel a task", `UPDATE tasks SET stopping = true, stopped_by = $3, updated_at = $4
		WHERE merchant_id = $1 AND id = $2 AND state = 'running' AND NOT stopping`, t.MerchantID, t.ID, by, now)
}

// chunkBytes is how much of a file one row holds.
const chunkBytes = 1 << 20

// save writes a piece; false when another worker has the task.
func save(tx *database.Tx, t *Task, claim uuid.UUID, piece Piece) (bool, error) {
	before := t.Chunks
	if piece.Anew {
		t.Chunks, t.FileBytes = 0, 0
	}
	first := t.Chunks + 1
	parts := slices.Collect(slices.Chunk(piece.File, chunkBytes))
	t.Chunks += len(parts)
	t.FileBytes += int64(len(piece.File))
	won, err := database.Change(tx, saveTask, *t, claim)
	if err != nil || !won {
		return won, err
	}
	if piece.Anew && before > 0 {
		if _, err := tx.Exec(`DELETE FROM task_chunks WHERE task_id = $1`, t.ID); err != nil {
			return false, fmt.Errorf("begin a file anew: %w", err)
		}
	}
	for i, part := range parts {
		n := first + i
		tx.Later(`INSERT INTO task_chunks (task_id, n, merchant_id, content) VALUES ($1, $2, $3, $4)`, t.ID, n, t.MerchantID,
			tx.DB().Seal.SealBytes(chunkPlace(*t, n), part))
	}
	return true, nil
}

// dropFile removes what was written of a file.
func dropFile(tx *database.Tx, t Task) {
	tx.Later(`DELETE FROM task_chunks WHERE task_id = $1`, t.ID)
}

func countDownload(tx *database.Tx, t Task) {
	tx.Later(`UPDATE tasks SET downloads = downloads + 1 WHERE merchant_id = $1 AND id = $2`, t.MerchantID, t.ID)
}

// Task finds one of the merchant's.
func (s Store) Task(ctx context.Context, merchantID, id uuid.UUID) (Task, error) {
	return database.One(ctx, s.DB, taskTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// Tasks lists those of a merchant, newest first.
func (s Store) Tasks(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) (paging.Page[Task], error) {
	found, err := database.Find(ctx, s.DB, taskTable,
		database.PageOf(database.List(ctx, s.DB, taskTable, "input_sealed"), "merchant_id", merchantID, ask))
	if err != nil {
		return paging.Page[Task]{}, err
	}
	return paging.Cut(ask, found), nil
}

// recent are those of one person that are open, or ended since a moment, newest first.
func (s Store) recent(ctx context.Context, merchantID, askerID uuid.UUID, since time.Time) ([]Task, error) {
	return database.All(ctx, s.DB, taskTable, `merchant_id = $1 AND asker_id = $2 AND updated_at > $3
		AND (state IN ('waiting', 'running') OR ended_at > $3) ORDER BY id DESC LIMIT 20`, merchantID, askerID, since)
}

// claimTask takes an open task that nobody is at, and keeps others from it until a moment; NotFound when there is
// nothing to do. Who asked for it may take it before others.
func (s Store) claimTask(ctx context.Context, id, claim uuid.UUID, now, until time.Time, asker bool) (Task, error) {
	return database.First(
		database.Collect(ctx, s.DB, taskTable, `UPDATE tasks SET state = 'running', claim = $2, claimed_until = $4,
		began_at = coalesce(began_at, $3), updated_at = $3
		WHERE id = $1 AND state IN ('waiting', 'running') AND (claimed_until IS NULL OR claimed_until <= $3
			OR $5 AND state = 'waiting')
		RETURNING `+taskTable.Columns(""), []any{id, claim, now, until, asker}),
	)
}

// stopping tells whether somebody cancelled the task.
func (s Store) stopping(ctx context.Context, t Task) (is bool, by string, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT stopping, stopped_by FROM tasks WHERE merchant_id = $1 AND id = $2`,
		database.Native([]any{t.MerchantID, t.ID})...).Scan(&is, &by)
	if err != nil {
		err = fmt.Errorf("look whether a task was cancelled: %w", err)
	}
	return is, by, err
}

// yieldTask gives a claim back; others may take the task from that moment.
func (s Store) yieldTask(ctx context.Context, id, claim uuid.UUID, tries int, from time.Time) error {
	_, err := s.Pool.Exec(
		ctx,
		`UPDATE tasks SET tries = $3, claimed_until = $4 WHERE id = $1 AND claim = $2 AND state = 'running'`,
		database.Native([]any{id, claim, tries, from})...)
	return err
}

// openTasks are those that nobody is at, oldest first.
func (s Store) openTasks(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT id FROM tasks WHERE state IN ('waiting', 'running')
		AND (claimed_until IS NULL OR claimed_until <= $1) ORDER BY id LIMIT $2`, now, limit)
	if err != nil {
		return nil, fmt.Errorf("find open tasks: %w", err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (id uuid.UUID, err error) {
		return id, r.Scan((*[16]byte)(&id))
	})
}

// Chunk is the n-th part of the file of a task, counted from 1; NotFound when it was deleted.
func (s Store) Chunk(ctx context.Context, t Task, n int) ([]byte, error) {
	var sealed []byte
	err := s.Pool.QueryRow(ctx, `SELECT content FROM task_chunks WHERE task_id = $1 AND n = $2 AND merchant_id = $3`,
		database.Native([]any{t.ID, n, t.MerchantID})...).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing()
	}
	if err != nil {
		return nil, fmt.Errorf("read the file of a task: %w", err)
	}
	part, err := s.Seal.OpenBytes(chunkPlace(t, n), sealed)
	if errors.Is(err, seal.ErrDamaged) {
		err = fault.New(fault.Conflict, "file_unreadable",
			"This file cannot be read: what is stored of it was damaged. Ask for it again.")
	}
	return part, err
}

// tidyChunks is how many parts of files one transaction deletes.
const tidyChunks = 100

// Tidy deletes files that were kept for long enough, and tasks that nobody asks about any more.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	for {
		tag, err := s.Pool.Exec(ctx, `DELETE FROM task_chunks WHERE ctid = ANY (ARRAY(
			SELECT c.ctid FROM tasks t JOIN task_chunks c ON c.task_id = t.id
			WHERE t.chunks > 0 AND t.kept_until < $1 LIMIT $2 FOR UPDATE OF c SKIP LOCKED))`, now, tidyChunks)
		if err != nil {
			return fmt.Errorf("tidy files of tasks: %w", err)
		}
		if tag.RowsAffected() < tidyChunks {
			break
		}
	}
	if err := s.InChunks(ctx, `DELETE FROM tasks WHERE ctid = ANY (ARRAY(SELECT ctid FROM tasks
		WHERE state NOT IN ('waiting', 'running') AND ended_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
		now.Add(-entryKept)); err != nil {
		return fmt.Errorf("tidy tasks: %w", err)
	}
	return nil
}

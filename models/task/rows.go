package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Store is where tasks and their files are kept.
type Store struct{ *database.DB }

func chunkPlace(t Task, n int) seal.Place {
	return seal.Place{Owner: t.MerchantID, Table: "task_chunks", Column: "content",
		Row: t.ID.String() + "/" + strconv.Itoa(n)}
}

// TableName implements GORM's Tabler.
func (Task) TableName() string { return "tasks" }

// part is a part of the file of a task, counted from 1. It is sealed at a place of its own.
type part struct {
	TaskID     uuid.UUID
	N          int
	MerchantID uuid.UUID
	Content    []byte
}

// TableName implements GORM's Tabler.
func (part) TableName() string { return "task_chunks" }

// open are the states of tasks that are not over.
var open = []State{Waiting, Running}

// countOpen counts the tasks of a merchant that are not over.
func countOpen(tx *database.Tx, merchantID uuid.UUID) (int, error) {
	var n int64
	err := tx.Gorm().Model(&Task{}).Scopes(database.OfMerchant(merchantID)).Where("state IN ?", open).Count(&n).Error
	if err != nil {
		err = fmt.Errorf("count open tasks: %w", err)
	}
	return int(n), err
}

// cancelWaiting ends a task that nobody has begun; false when somebody has, or it is over.
func cancelWaiting(tx *database.Tx, t Task, by string, now time.Time) (bool, error) {
	return database.Found(tx.Gorm().Model(&t).Scopes(database.OfMerchant(t.MerchantID)).Where("state = ?", Waiting).
		UpdateColumns(map[string]any{"state": Cancelled, "stopped_by": by, "ended_at": now, "updated_at": now}))
}

// stopRunning asks the worker of a task to end it; false when it is over or was asked before.
func stopRunning(tx *database.Tx, t Task, by string, now time.Time) (bool, error) {
	return database.Found(tx.Gorm().Model(&t).Scopes(database.OfMerchant(t.MerchantID)).
		Where("state = ? AND NOT stopping", Running).
		UpdateColumns(map[string]any{"stopping": true, "stopped_by": by, "updated_at": now}))
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
	won, err := database.Found(tx.Gorm().Model(t).Scopes(database.OfMerchant(t.MerchantID)).
		Where("state = ? AND claim = ?", Running, claim).
		Select("state", "position", "total", "done", "failed", "tries", "note", "file_name", "file_type", "file_bytes",
			"chunks", "claim", "claimed_until", "ended_at", "kept_until", "updated_at").UpdateColumns(*t))
	if err != nil || !won {
		return won, err
	}
	if piece.Anew && before > 0 {
		if err := dropFile(tx, *t); err != nil {
			return false, fmt.Errorf("begin a file anew: %w", err)
		}
	}
	for i, content := range parts {
		n := first + i
		tx.Create(&part{t.ID, n, t.MerchantID, tx.DB().Seal.SealBytes(chunkPlace(*t, n), content)})
	}
	return true, nil
}

// dropFile removes what was written of a file.
func dropFile(tx *database.Tx, t Task) error {
	return tx.Gorm().Scopes(database.OfMerchant(t.MerchantID)).Delete(&part{}, "task_id = ?", t.ID).Error
}

func countDownload(tx *database.Tx, t Task) error {
	return tx.Gorm().Model(&t).Scopes(database.OfMerchant(t.MerchantID)).
		UpdateColumn("downloads", gorm.Expr("downloads + 1")).Error
}

// Task finds one of the merchant's.
func (s Store) Task(ctx context.Context, merchantID, id uuid.UUID) (t Task, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&t, "id = ?", id).Error
	return t, err
}

// Tasks lists those of a merchant, newest first. What was asked for is not read.
func (s Store) Tasks(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) (paging.Page[Task], error) {
	var found []Task
	err := database.PageOf(s.Gorm(ctx).Omit("Input"), "merchant_id", merchantID, ask).Find(&found).Error
	if err != nil {
		return paging.Page[Task]{}, err
	}
	return paging.Cut(ask, found), nil
}

// recent are those of one person that are open, or ended since a moment, newest first.
func (s Store) recent(ctx context.Context, merchantID, askerID uuid.UUID, since time.Time) (found []Task, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("asker_id = ? AND updated_at > ?", askerID, since).
		Where("state IN ? OR ended_at > ?", open, since).Order("id DESC").Limit(20).Find(&found).Error
	return found, err
}

// claimTask takes an open task that nobody is at, and keeps others from it until a moment; NotFound when there is
// nothing to do. Who asked for it may take it before others.
func (s Store) claimTask(ctx context.Context, id, claim uuid.UUID, now, until time.Time, asker bool) (Task, error) {
	var taken []Task
	err := s.Gorm(ctx).Model(&taken).Scopes(database.AcrossMerchants).Clauses(clause.Returning{}).
		Where("id = ? AND state IN ?", id, open).
		Where("claimed_until IS NULL OR claimed_until <= ? OR ? AND state = ?", now, asker, Waiting).
		UpdateColumns(map[string]any{"state": Running, "claim": claim, "claimed_until": until,
			"began_at": gorm.Expr("coalesce(began_at, ?)", now), "updated_at": now}).Error
	return database.First(taken, err)
}

// stopping tells whether somebody cancelled the task.
func (s Store) stopping(ctx context.Context, t Task) (is bool, by string, err error) {
	var row Task
	err = s.Gorm(ctx).Scopes(database.OfMerchant(t.MerchantID)).Select("stopping", "stopped_by").
		Take(&row, "id = ?", t.ID).Error
	if err != nil {
		err = fmt.Errorf("look whether a task was cancelled: %w", err)
	}
	return row.Stopping, row.StoppedBy, err
}

// yieldTask gives a claim back; others may take the task from that moment.
func (s Store) yieldTask(ctx context.Context, id, claim uuid.UUID, tries int, from time.Time) error {
	return s.Gorm(ctx).Model(&Task{}).Scopes(database.AcrossMerchants).
		Where("id = ? AND claim = ? AND state = ?", id, claim, Running).
		UpdateColumns(map[string]any{"tries": tries, "claimed_until": from}).Error
}

// openTasks are those that nobody is at, oldest first.
func (s Store) openTasks(ctx context.Context, now time.Time, limit int) (ids []uuid.UUID, err error) {
	err = s.Gorm(ctx).Model(&Task{}).Scopes(database.AcrossMerchants).
		Where("state IN ? AND (claimed_until IS NULL OR claimed_until <= ?)", open, now).Order("id").Limit(limit).
		Pluck("id", &ids).Error
	if err != nil {
		return nil, fmt.Errorf("find open tasks: %w", err)
	}
	return ids, nil
}

// Chunk is the n-th part of the file of a task, counted from 1; NotFound when it was deleted.
func (s Store) Chunk(ctx context.Context, t Task, n int) ([]byte, error) {
	var kept part
	err := s.Gorm(ctx).Scopes(database.OfMerchant(t.MerchantID)).Take(&kept, "task_id = ? AND n = ?", t.ID, n).Error
	if err != nil {
		return nil, err
	}
	content, err := s.Seal.OpenBytes(chunkPlace(t, n), kept.Content)
	if errors.Is(err, seal.ErrDamaged) {
		err = fault.New(fault.Conflict, "file_unreadable",
			"This file cannot be read: what is stored of it was damaged. Ask for it again.")
	}
	return content, err
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

package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/paging"
	"debitdesk/models/requestlog"
)

type requestRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	MerchantID     uuid.UUID
	At             time.Time
	Method         string
	Path           string
	Query          string
	Route          string
	Status         int
	TookUS         int64 `gorm:"column:took_us"`
	CredentialID   *uuid.UUID
	CredentialName string
	IdempotencyKey string
	Replayed       bool
	DryRun         bool
	RequestID      string
	IP             string `gorm:"column:ip"`
	Request        string
	Answer         string
}

func (requestRow) TableName() string { return "api_requests" }

func (r requestRow) domain() requestlog.Entry {
	return requestlog.Entry{ID: r.ID, MerchantID: r.MerchantID, At: r.At.UTC(), Method: r.Method, Path: r.Path, Query: r.Query, Route: r.Route, Status: r.Status,
		TookMicros: r.TookUS, CredentialID: orZero(r.CredentialID), CredentialName: r.CredentialName, IdempotencyKey: r.IdempotencyKey, Replayed: r.Replayed,
		DryRun: r.DryRun, RequestID: r.RequestID, IP: r.IP, Request: r.Request, Answer: r.Answer}
}

var requestColumns = []string{"id", "merchant_id", "at", "method", "path", "query", "route", "status", "took_us", "credential_id", "credential_name",
	"idempotency_key", "replayed", "dry_run", "request_id", "ip", "request", "answer"}

// InsertRequests writes entries of the log of requests by COPY. It does not wait for
// the disk: after a crash the last ones may be missing.
func (s *Store) InsertRequests(ctx context.Context, entries []requestlog.Entry) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"api_requests"}, requestColumns, pgx.CopyFromSlice(len(entries), func(i int) ([]any, error) {
			e := entries[i]
			return native([]any{e.ID, e.MerchantID, Instant(e.At), e.Method, e.Path, e.Query, e.Route, e.Status, e.TookMicros, orNull(e.CredentialID), e.CredentialName,
				e.IdempotencyKey, e.Replayed, e.DryRun, e.RequestID, e.IP, e.Request, e.Answer}), nil
		}))
		return err
	})
	if err != nil {
		return fmt.Errorf("write the log of requests: %w", err)
	}
	return nil
}

// Requests implements requestlog.Reader.
func (s *Store) Requests(ctx context.Context, merchantID uuid.UUID, f requestlog.Filter, ask paging.Ask) ([]requestlog.Entry, error) {
	q := s.read(ctx).Omit("request", "answer").Where("merchant_id = ?", merchantID)
	only := func(given bool, condition string, args ...any) {
		if given {
			q = q.Where(condition, args...)
		}
	}
	only(f.Method != "", "method = ?", f.Method)
	only(f.Class > 0, "status BETWEEN ? AND ?", f.Class*100, f.Class*100+99)
	only(f.Path != "", "path LIKE ?", "%"+likeText(f.Path)+"%")
	only(f.Credential != uuid.Nil, "credential_id IN (SELECT id FROM credentials c WHERE c.merchant_id = ? AND (c.id = ? OR c.parent_id = ?))", merchantID, f.Credential, f.Credential)
	only(f.Replayed, "replayed")
	only(f.DryRun, "dry_run")
	only(!f.From.IsZero(), "at >= ?", f.From)
	only(!f.To.IsZero(), "at <= ?", f.To)
	only(f.Search != "", "(request_id = ? OR idempotency_key = ? OR path LIKE ?)", f.Search, f.Search, "%"+likeText(f.Search)+"%")
	var rows []requestRow
	if err := beside(q, ask).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list requests: %w", err)
	}
	out := make([]requestlog.Entry, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out, nil
}

// likeText is a text that LIKE takes as it is.
func likeText(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// Request implements requestlog.Reader.
func (s *Store) Request(ctx context.Context, merchantID, id uuid.UUID) (requestlog.Entry, error) {
	row, err := take[requestRow](ctx, s, "merchant_id = $1 AND id = $2", merchantID, id)
	if err != nil {
		return requestlog.Entry{}, missing(err, "find request")
	}
	return row.domain(), nil
}

// tidyRequests removes entries past their time, and of each merchant those above
// the most that are kept. Entries are stamped by the product's clock, which never
// runs behind real time: none goes early.
func (s *Store) tidyRequests(ctx context.Context, now time.Time) error {
	err := s.inChunks(ctx, `DELETE FROM api_requests WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM api_requests WHERE at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-requestlog.Kept))
	if err != nil {
		return fmt.Errorf("tidy the log of requests: %w", err)
	}
	rows, err := s.Pool.Query(ctx, `SELECT m.id, (SELECT r.id FROM api_requests r WHERE r.merchant_id = m.id ORDER BY r.id DESC OFFSET $1 LIMIT 1) FROM merchants m`, s.mostRequests())
	if err != nil {
		return fmt.Errorf("tidy the log of requests: %w", err)
	}
	type limit struct {
		Merchant uuid.UUID
		Last     *uuid.UUID // the newest that goes
	}
	limits, err := pgx.CollectRows(rows, pgx.RowToStructByPos[limit])
	if err != nil {
		return fmt.Errorf("tidy the log of requests: %w", err)
	}
	for _, l := range limits {
		if l.Last == nil {
			continue
		}
		err := s.inChunks(ctx, `DELETE FROM api_requests WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM api_requests WHERE merchant_id = $1 AND id <= $2 LIMIT $3 FOR UPDATE SKIP LOCKED))`, l.Merchant, *l.Last)
		if err != nil {
			return fmt.Errorf("tidy the log of requests: %w", err)
		}
	}
	return nil
}

func (s *Store) mostRequests() int {
	if s.opt.MostRequests > 0 {
		return s.opt.MostRequests
	}
	return requestlog.MostKept
}

// inChunks repeats a deletion, whose last argument is a number of rows, until it
// finds nothing more.
func (s *Store) inChunks(ctx context.Context, deletion string, args ...any) error {
	for {
		tag, err := s.Pool.Exec(ctx, deletion, append(args, tidyChunk)...)
		if err != nil || tag.RowsAffected() < tidyChunk {
			return err
		}
	}
}

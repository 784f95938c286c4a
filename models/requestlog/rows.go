package requestlog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/history"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// TableName implements GORM's Tabler.
func (Entry) TableName() string { return "api_requests" }

// withoutBodies are the columns of requests that a list shows.
var withoutBodies = database.Columns[Entry]("", "request", "answer")

// requestTable is where requests are copied to, many at once.
var requestTable = table.New[Entry]("api_requests")

// Store is where requests are kept.
type Store struct{ *database.DB }

// InsertRequests writes entries of the log of requests by COPY, their bodies packed apart.
// It does not wait for the disk: after a crash the last ones may be missing.
func (s Store) InsertRequests(ctx context.Context, entries []Entry) error {
	entries, bodies, err := packAll(entries)
	if err != nil {
		return fmt.Errorf("write the log of requests: %w", err)
	}
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
		if err := packedTable.Copy(ctx, tx, s.Seal, bodies); err != nil {
			return err
		}
		return requestTable.Copy(ctx, tx, s.Seal, entries)
	})
	if err != nil {
		return fmt.Errorf("write the log of requests: %w", err)
	}
	return nil
}

// mostWalked is how many requests one page looks at under a filter; the next page goes on from there.
const mostWalked = 5_000

// Requests lists a page without bodies.
func (s Store) Requests(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (paging.Page[Entry], error) {
	where, args := "merchant_id = ?", []any{merchantID}
	if !f.From.IsZero() {
		where, args = where+" AND id >= ?", append(args, paging.FromID(f.From))
	}
	if !f.To.IsZero() {
		where, args = where+" AND id < ?", append(args, paging.ToID(f.To))
	}
	fits, fitArgs := f.fits(merchantID)
	direction, beside, from := database.BesideID("id", ask)
	where, args = where+beside+" ORDER BY id "+direction, append(args, from...)
	var found, last []Entry
	if fits == "" {
		err := s.Gorm(ctx).Raw(fmt.Sprintf("SELECT %s FROM api_requests WHERE %s LIMIT %d", withoutBodies, where,
			ask.Fetch()), args...).Find(&found).Error
		return paging.Cut(ask, found), err
	}
	err := s.Gorm(ctx).Raw(fmt.Sprintf(`SELECT * FROM (SELECT %s FROM api_requests WHERE %s LIMIT %d) AS walked
		WHERE %s ORDER BY id %s LIMIT %d`, withoutBodies, where, mostWalked, fits, direction, ask.Fetch()),
		slices.Concat(args, fitArgs)...).Find(&found).Error
	if err != nil || len(found) >= ask.Fetch() {
		return paging.Cut(ask, found), err
	}
	err = s.Gorm(ctx).Raw(fmt.Sprintf("SELECT id FROM api_requests WHERE %s OFFSET %d LIMIT 1", where, mostWalked-1),
		args...).Find(&last).Error
	if err != nil || len(last) == 0 {
		return paging.Cut(ask, found), err
	}
	return paging.CutAt(ask, found, last[0].ID), nil
}

// fits is what is looked at in each request; empty where nothing is asked for.
func (f Filter) fits(merchantID uuid.UUID) (string, []any) {
	var conditions []string
	var args []any
	only := func(given bool, condition string, more ...any) {
		if given {
			conditions, args = append(conditions, condition), append(args, more...)
		}
	}
	only(f.Method != "", "method = ?", f.Method)
	only(f.Class > 0, "status BETWEEN ? AND ?", f.Class*100, f.Class*100+99)
	only(f.Path != "", "path LIKE ?", database.Holding(f.Path))
	only(f.Credential != uuid.Nil,
		"credential_id IN (SELECT id FROM credentials c WHERE c.merchant_id = ? AND (c.id = ? OR c.parent_id = ?))",
		merchantID, f.Credential, f.Credential)
	only(f.Replayed, "replayed")
	only(f.DryRun, "dry_run")
	only(!f.From.IsZero(), "at >= ?", f.From)
	only(!f.To.IsZero(), "at <= ?", f.To)
	only(f.Search != "", "(request_id = ? OR idempotency_key = ? OR path LIKE ?)", f.Search, f.Search,
		database.Holding(f.Search))
	return strings.Join(conditions, " AND "), args
}

// Request is one entry with its bodies; NotFound when there is none.
func (s Store) Request(ctx context.Context, merchantID, id uuid.UUID) (e Entry, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&e, "id = ?", id).Error
	if err == nil {
		err = s.fill(ctx, &e)
	}
	return e, err
}

// Tidy drops the months past their time, and of each merchant the entries above the most
// that are kept. Entries are stamped by the product's clock, which never runs
// behind real time: none goes early.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	_, err := history.Drop(ctx, s.DB, now, history.Dropping{Of: "The log of requests", Period: s.Keep().Requests,
		Tables: []history.Table{{Name: "api_requests"}, {Name: "api_request_bodies"}}})
	if err == nil {
		err = s.trim(ctx, s.Keep().Requests, now)
	}
	if err != nil {
		return fmt.Errorf("tidy the log of requests: %w", err)
	}
	var limits []struct {
		ID   uuid.UUID
		Last *uuid.UUID // the newest that goes
	}
	err = s.Gorm(ctx).Raw(`SELECT m.id, (SELECT r.id FROM api_requests r WHERE r.merchant_id = m.id
			ORDER BY r.id DESC OFFSET ? LIMIT 1) AS last FROM merchants m`, s.mostRequests()).Scan(&limits).Error
	if err != nil {
		return fmt.Errorf("tidy the log of requests: %w", err)
	}
	for _, l := range limits {
		if l.Last == nil {
			continue
		}
		for _, of := range []struct{ table, last string }{{"api_requests", "id"}, {"api_request_bodies", "last_id"}} {
			err := s.InChunks(ctx, fmt.Sprintf(`WITH old AS (
					SELECT id FROM %[1]s WHERE merchant_id = $1 AND id <= $2 AND %[2]s <= $2
					ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
				DELETE FROM %[1]s r USING old WHERE r.merchant_id = $1 AND r.id <= $2
				AND r.id = old.id`, of.table, of.last),
				l.ID, *l.Last)
			if err != nil {
				return fmt.Errorf("tidy the log of requests: %w", err)
			}
		}
	}
	return nil
}

// trim deletes what is past its time in the partition that holds more than months.
func (s Store) trim(ctx context.Context, keep database.Period, now time.Time) error {
	if keep.Forever() {
		return nil
	}
	before := keep.Before(now)
	if err := history.Trim(ctx, s.DB, "api_requests", "old.at < $1", before); err != nil {
		return err
	}
	return history.Trim(ctx, s.DB, "api_request_bodies", "old.last_id < $1", history.FirstID(before))
}

func (s Store) mostRequests() int {
	if s.Options.MostRequests > 0 {
		return s.Options.MostRequests
	}
	return MostKept
}

package debit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/token"
)

// planned are the moments at which something of the product or of the sandbox bank becomes due: a column, and the rows
// in which it counts. Each has an index of just these rows.
var planned = []struct{ at, rows string }{
	{"submit_at", "collections WHERE state = 'scheduled' AND " + notLeaving},
	{"until", "token_deletions WHERE state = 'waiting'"},
	{"expires_at", "approvals WHERE state = 'open'"},
	{"execute_at", "purchases WHERE status = 'pending_charge'"},
	{"final_at", "collections WHERE state = 'provisional'"},
	{"alert_at", "collections WHERE state = 'submitted' AND alerted_at IS NULL"},
	{"pass_at", "purchases WHERE pass_at IS NOT NULL"},
	{"requested_at", "mandate_authentications WHERE state = 'requested' AND mandate_id " + token.NotHeld},
	{"expires_at", "mandate_authentications WHERE state IN ('sent', 'delivered')"},
	{"due_at", "sandbox_answers WHERE delivered_at IS NULL"},
}

// earliest asks for the first moment of each kind, or the first after $1. Each is one entry of its index, whatever the
// plan knows of $1: a question about a moment that is only known later would be planned as if a third of all rows were
// due, and read whole tables.
func earliest(after bool, more ...string) string {
	parts := make([]string, len(planned), len(planned)+len(more))
	for i, p := range planned {
		later := ""
		if after {
			later = " AND " + p.at + " > $1"
		}
		parts[i] = fmt.Sprintf("(SELECT %[1]s AS at FROM %[2]s%[3]s ORDER BY %[1]s LIMIT 1)", p.at, p.rows, later)
	}
	return strings.Join(append(parts, more...), " UNION ALL ")
}

var (
	nextDue = `SELECT at FROM (` + earliest(true,
		`(SELECT next_try_at FROM mails WHERE state = 'queued' AND next_try_at > $1 ORDER BY next_try_at LIMIT 1)`) +
		`) AS planned ORDER BY at LIMIT 1`
	overdue = `SELECT EXISTS (SELECT FROM (` + earliest(false) + `) AS planned WHERE at <= $1)
		OR EXISTS (SELECT FROM collections WHERE recall_due)
		OR ` + undated + `
		OR EXISTS (SELECT FROM mandate_authentications WHERE cancel_due)
		OR EXISTS (SELECT FROM collections c JOIN mandates m ON m.id = c.mandate_id WHERE ` + contestable + `)`
)

// NextDue is the earliest moment after now at which anything becomes due; mails that wait for another try count too.
func (s Store) NextDue(ctx context.Context) (time.Time, bool, error) {
	var at time.Time
	err := s.Pool.QueryRow(ctx, nextDue, s.Now()).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("find what is due next: %w", err)
	}
	return at.UTC(), true, nil
}

// Overdue tells whether something that is due is not done yet, perhaps because
// another process is at it.
func (s Store) Overdue(ctx context.Context) (is bool, err error) {
	if err = s.Pool.QueryRow(ctx, overdue, s.Now()).Scan(&is); err != nil {
		return false, fmt.Errorf("look for what is overdue: %w", err)
	}
	return is, nil
}

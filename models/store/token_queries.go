package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/paging"
	"debitdesk/models/store/table"
	"debitdesk/models/token"
)

//nolint:gosec // columns that are named token are no passwords
var (
	tokenEntries = table.View[token.Entry]()
	tokenLine    = "SELECT " + tokenTable.Columns("t") + ", " + nameOfClient + tokenFrom
)

//nolint:gosec // columns that are named token are no passwords
const tokenFrom = ` FROM tokens t LEFT JOIN clients c ON c.id = t.client_id WHERE `

// Tokens implements token.Lister.
func (s *Store) Tokens(ctx context.Context, merchantID uuid.UUID, f token.Filter, ask paging.Ask) ([]token.Entry, error) {
	where, args := tokenWhere(merchantID, f)
	states := f.States
	if len(states) == 0 {
		states = []token.State{token.Active, token.Blocked}
	}
	names := make([]string, len(states))
	for i, state := range states {
		names[i] = string(state)
	}
	where, args = where+" AND t.state = ANY(?::text[])", append(args, textArray(names))
	direction := "DESC"
	if ask.Newer {
		direction = "ASC"
	}
	if ask.From != uuid.Nil {
		compare := "<"
		if ask.Newer {
			compare = ">"
		}
		where, args = where+" AND t.id "+compare+" ?", append(args, ask.From)
	}
	return seek(ctx, s, tokenEntries, tokenLine+where+fmt.Sprintf(" ORDER BY t.id %s LIMIT %d", direction, ask.Fetch()), args...)
}

func tokenWhere(merchantID uuid.UUID, f token.Filter) (string, []any) {
	where, args := "t.merchant_id = ?", []any{merchantID}
	add := func(condition string, arg any) { where, args = where+" AND "+condition, append(args, arg) }
	if f.BankCode != "" {
		add("t.bank_code = ?", f.BankCode)
	}
	if f.ClientID != uuid.Nil {
		add("t.client_id = ?", f.ClientID)
	}
	if !f.UnusedSince.IsZero() {
		add("coalesce(t.last_used_at, t.created_at) < ?", f.UnusedSince)
	}
	if q := searchQuery(f.Search); q != "" {
		add("c.search @@ ?::tsquery", q)
	}
	if f.Needed {
		where += " AND " + blockedNeeded
	}
	return where, args
}

// CountTokens implements token.Lister.
func (s *Store) CountTokens(ctx context.Context, merchantID uuid.UUID, f token.Filter, limit int64) (map[token.State]int64, error) {
	where, args := tokenWhere(merchantID, f)
	from := tokenFrom
	if f.Search == "" {
		from = " FROM tokens t WHERE "
	}
	var parts []string
	var all []any
	for _, state := range []token.State{token.Active, token.Blocked, token.Deleting, token.Deleted, token.Superseded} {
		parts = append(parts, fmt.Sprintf("(SELECT ?::text AS state, count(*) AS n FROM (SELECT 1%s%s AND t.state = ? LIMIT %d) AS part)", from, where, limit))
		all = append(append(append(all, string(state)), args...), string(state))
	}
	var rows []struct {
		State string
		N     int64
	}
	if err := s.read(ctx).Raw(strings.Join(parts, " UNION ALL "), all...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("count tokens: %w", err)
	}
	counts := map[token.State]int64{}
	for _, r := range rows {
		counts[token.State(r.State)] = r.N
	}
	return counts, nil
}

// TokenEntry implements token.Lister.
func (s *Store) TokenEntry(ctx context.Context, merchantID, id uuid.UUID) (token.Entry, error) {
	return first(seek(ctx, s, tokenEntries, tokenLine+"t.merchant_id = ? AND t.id = ?", merchantID, id))
}

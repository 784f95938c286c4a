package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
)

var mandateEntries = table.View[mandate.Entry]()

// nameOfClient is the client, joined as c, beside a record that a list shows.
const nameOfClient = `coalesce(nullif(c.full_name, ''), nullif(c.legal_name, ''), nullif(c.brand_name, ''), c.email, '') AS client_name, coalesce(c.email, '') AS client_email`

// mandateLine is what a line of the register shows: all but the wording and the consent.
var mandateLine = "SELECT " + mandateTable.Columns("m", "one_debit", "consent_text", "consent_at", "consent_ip",
	"consent_agent", "consent_channel") + ", " + nameOfClient +
	" FROM mandates m LEFT JOIN clients c ON c.id = m.client_id WHERE m.id IN ("

// Mandates implements mandate.Lister: the ids of one page are found in the order
// of an index, and their rows are read with the clients.
func (s *Store) Mandates(ctx context.Context, merchantID uuid.UUID, f mandate.Filter,
	ask paging.Ask) ([]mandate.Entry, error) {
	page, args := mandatePage(merchantID, f, ask)
	direction := "DESC"
	if ask.Newer {
		direction = "ASC"
	}
	return database.Seek(ctx, s.DB, mandateEntries, mandateLine+page+") ORDER BY m.id "+direction, args...)
}

// mandatePage gives the statement that finds the ids of one page. Where states or
// a kind are asked for, each pair of them walks its index in order and stops after
// one page, however many rows there are.
func mandatePage(merchantID uuid.UUID, f mandate.Filter, ask paging.Ask) (string, []any) {
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	order := fmt.Sprintf(" ORDER BY id %s LIMIT %d", direction, ask.Fetch())
	beside, from := "", []any(nil)
	if ask.From != uuid.Nil {
		beside, from = " AND m.id "+compare+" ?", []any{ask.From}
	}
	if database.SearchQuery(f.Search) != "" {
		return mandateSearch(merchantID, f, beside, from, order)
	}
	where, args := mandateWhere(merchantID, f)
	where, args = where+beside, append(args, from...)
	states, kinds := f.States, []mandate.Kind{f.Kind}
	if len(states) == 0 && f.Kind == "" {
		return "SELECT m.id FROM mandates m WHERE " + where + order, args
	}
	if len(states) == 0 {
		states = mandate.States
	}
	if f.Kind == "" {
		kinds = []mandate.Kind{mandate.EFT, mandate.DebiCheck}
	}
	var parts []string
	var all []any
	for _, kind := range kinds {
		for _, state := range states {
			parts = append(parts, "(SELECT m.id FROM mandates m WHERE "+where+" AND m.kind = ? AND m.state = ?"+order+")")
			all = append(append(all, args...), string(kind), string(state))
		}
	}
	return "SELECT id FROM (" + strings.Join(parts, " UNION ALL ") + ") AS found" + order, all
}

func mandateWhere(merchantID uuid.UUID, f mandate.Filter) (string, []any) {
	where, args := "m.merchant_id = ?", []any{merchantID}
	if f.ClientID != uuid.Nil {
		where, args = where+" AND m.client_id = ?", append(args, f.ClientID)
	}
	if f.Waiting {
		where, args = where+" AND "+waits("m.id", "suspended", ""), append(args, merchantID)
	}
	return where, args
}

// mandateSearch looks at the mandates' own words and at those of their clients.
// What it finds is sorted when it is little, and met on the way from the newest
// when it is much, as with purchases.
func mandateSearch(merchantID uuid.UUID, f mandate.Filter, beside string, from []any, order string) (string, []any) {
	where, args := mandateWhere(merchantID, f)
	if f.Kind != "" {
		where, args = where+" AND m.kind = ?", append(args, string(f.Kind))
	}
	if len(f.States) > 0 {
		names := make(database.TextArray, len(f.States))
		for i, state := range f.States {
			names[i] = string(state)
		}
		where, args = where+" AND m.state = ANY(?::text[])", append(args, names)
	}
	q := database.SearchQuery(f.Search)
	found, both := mandatesFound(where, "m.id", few), slices.Concat(args, []any{q}, args, []any{merchantID, q})
	query := fmt.Sprintf(`WITH found AS MATERIALIZED (%[1]s)
		SELECT id FROM ((SELECT m.id FROM found m WHERE (SELECT count(*) FROM found) < %[2]d%[3]s%[4]s)
		UNION ALL (SELECT m.id FROM mandates m LEFT JOIN clients c ON c.id = m.client_id
			WHERE (SELECT count(*) FROM found) >= %[2]d AND %[5]s AND ((m.search @@ ?::tsquery) IS TRUE OR (c.search @@ ?::tsquery) IS TRUE)%[3]s%[4]s)) AS page%[4]s`,
		found, few, beside, order, where)
	return query, slices.Concat(both, from, args, []any{q, q}, from)
}

// mandatesFound is what a search finds, up to limit by the mandates' own words and
// as many by their clients'. Its places are those of where and the words, twice,
// with the merchant before the second words.
func mandatesFound(where, columns string, limit int64) string {
	return fmt.Sprintf(`(SELECT %[1]s FROM mandates m WHERE %[2]s AND m.search @@ ?::tsquery LIMIT %[3]d)
		UNION (SELECT %[1]s FROM clients c JOIN mandates m ON m.client_id = c.id WHERE %[2]s AND c.merchant_id = ? AND c.search @@ ?::tsquery LIMIT %[3]d)`, columns, where, limit)
}

// MandateCounts implements mandate.Lister. It is exact at any moment: what is not
// folded yet is added.
func (s *Store) MandateCounts(ctx context.Context, merchantID uuid.UUID,
	kind mandate.Kind) (map[mandate.State]int64, error) {
	return s.mandateCounts(ctx, `SELECT state, sum(n)::bigint AS n FROM (
			SELECT kind, state, n FROM mandate_counts WHERE merchant_id = ?
			UNION ALL SELECT kind, state, delta FROM mandate_count_deltas WHERE merchant_id = ?) AS parts
		WHERE ? IN ('', kind) GROUP BY state`, merchantID, merchantID, string(kind))
}

// CountMandates implements mandate.Lister.
func (s *Store) CountMandates(ctx context.Context, merchantID uuid.UUID, f mandate.Filter,
	limit int64) (map[mandate.State]int64, error) {
	where, args := mandateWhere(merchantID, f)
	if f.Kind != "" {
		where, args = where+" AND m.kind = ?", append(args, string(f.Kind))
	}
	found := fmt.Sprintf("SELECT m.id, m.state FROM mandates m WHERE %s LIMIT %d", where, limit)
	if q := database.SearchQuery(f.Search); q != "" {
		found, args = mandatesFound(where, "m.id, m.state", limit), slices.Concat(args, []any{q}, args, []any{merchantID, q})
	}
	return s.mandateCounts(ctx, "SELECT state, count(*) AS n FROM ("+found+") AS part GROUP BY state", args...)
}

func (s *Store) mandateCounts(ctx context.Context, query string, args ...any) (map[mandate.State]int64, error) {
	var rows []struct {
		State string
		N     int64
	}
	if err := s.Gorm(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("count mandates: %w", err)
	}
	counts := map[mandate.State]int64{}
	for _, r := range rows {
		if r.N != 0 {
			counts[mandate.State(r.State)] = r.N
		}
	}
	return counts, nil
}

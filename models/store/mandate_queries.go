package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/mandate"
	"debitdesk/models/paging"
)

type mandateEntryRow struct {
	Mandate     mandateRow `gorm:"embedded"`
	ClientName  string
	ClientEmail string
}

// mandateColumns are what a line of the register shows: all but the wording and the consent.
const mandateColumns = `m.id, m.merchant_id, m.brand_id, m.client_id, m.kind, m.state, m.contract_reference, m.profile_code, m.abbreviated_name,
	m.clearing_account, m.period_units, m.deduction_day, m.amount_cents, m.terms, m.holder_name, m.account_mask, m.bank_code, m.account_type,
	m.fallback, m.bank_reference, m.reason_code, m.accepted_at, m.ended_at, m.created_at, m.updated_at,
	coalesce(nullif(c.full_name, ''), nullif(c.legal_name, ''), nullif(c.brand_name, ''), c.email, '') AS client_name, coalesce(c.email, '') AS client_email`

// Mandates implements mandate.Lister: the ids of one page are found in the order
// of an index, and their rows are read with the clients.
func (s *Store) Mandates(ctx context.Context, merchantID uuid.UUID, f mandate.Filter, ask paging.Ask) ([]mandate.Entry, error) {
	page, args := mandatePage(merchantID, f, ask)
	direction := "DESC"
	if ask.Newer {
		direction = "ASC"
	}
	var rows []mandateEntryRow
	query := "SELECT " + mandateColumns + " FROM mandates m LEFT JOIN clients c ON c.id = m.client_id WHERE m.id IN (" + page + ") ORDER BY m.id " + direction
	if err := s.read(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("list mandates: %w", err)
	}
	out := make([]mandate.Entry, len(rows))
	for i, r := range rows {
		out[i] = mandate.Entry{Mandate: r.Mandate.domain(), ClientName: r.ClientName, ClientEmail: r.ClientEmail}
	}
	return out, nil
}

// mandatePage gives the statement that finds the ids of one page. Where states or
// a kind are asked for, each pair of them walks its index in order and stops after
// one page, however many rows there are.
func mandatePage(merchantID uuid.UUID, f mandate.Filter, ask paging.Ask) (string, []any) {
	where, args := mandateWhere(merchantID, f)
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	if ask.From != uuid.Nil {
		where, args = where+" AND id "+compare+" ?", append(args, ask.From)
	}
	order := fmt.Sprintf(" ORDER BY id %s LIMIT %d", direction, ask.Fetch())
	states, kinds := f.States, []mandate.Kind{f.Kind}
	if len(states) == 0 && f.Kind == "" {
		return "SELECT id FROM mandates WHERE " + where + order, args
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
			parts = append(parts, "(SELECT id FROM mandates WHERE "+where+" AND kind = ? AND state = ?"+order+")")
			all = append(append(all, args...), string(kind), string(state))
		}
	}
	return "SELECT id FROM (" + strings.Join(parts, " UNION ALL ") + ") AS found" + order, all
}

// mandateWhere is what a filter asks beside states and kind. A search looks at the
// mandate's own words and at those of its client.
func mandateWhere(merchantID uuid.UUID, f mandate.Filter) (string, []any) {
	where, args := "merchant_id = ?", []any{merchantID}
	if f.ClientID != uuid.Nil {
		where, args = where+" AND client_id = ?", append(args, f.ClientID)
	}
	if q := searchQuery(f.Search); q != "" {
		where += ` AND id IN (SELECT id FROM mandates WHERE merchant_id = ? AND search @@ ?::tsquery
			UNION SELECT m.id FROM clients c JOIN mandates m ON m.client_id = c.id WHERE c.merchant_id = ? AND c.search @@ ?::tsquery)`
		args = append(args, merchantID, q, merchantID, q)
	}
	return where, args
}

// MandateCounts implements mandate.Lister. It is exact at any moment: what is not
// folded yet is added.
func (s *Store) MandateCounts(ctx context.Context, merchantID uuid.UUID, kind mandate.Kind) (map[mandate.State]int64, error) {
	return s.mandateCounts(ctx, `SELECT state, sum(n)::bigint AS n FROM (
			SELECT kind, state, n FROM mandate_counts WHERE merchant_id = ?
			UNION ALL SELECT kind, state, delta FROM mandate_count_deltas WHERE merchant_id = ?) AS parts
		WHERE ? IN ('', kind) GROUP BY state`, merchantID, merchantID, string(kind))
}

// CountMandates implements mandate.Lister.
func (s *Store) CountMandates(ctx context.Context, merchantID uuid.UUID, f mandate.Filter, limit int64) (map[mandate.State]int64, error) {
	where, args := mandateWhere(merchantID, f)
	return s.mandateCounts(ctx, fmt.Sprintf(`SELECT state, count(*) AS n FROM (SELECT state FROM mandates WHERE %s AND ? IN ('', kind) LIMIT %d) AS part
		GROUP BY state`, where, limit), append(args, string(f.Kind))...)
}

func (s *Store) mandateCounts(ctx context.Context, query string, args ...any) (map[mandate.State]int64, error) {
	var rows []struct {
		State string
		N     int64
	}
	if err := s.read(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
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

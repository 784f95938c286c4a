package store

import (
	"context"
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

// mandateColumns is what a line of the register shows: all but the wording and the consent.
var mandateColumns = "SELECT " + mandateTable.Columns("m", "one_debit", "consent_text", "consent_at", "consent_ip",
	"consent_agent", "consent_channel") + ", " + nameOfClient + " FROM "

// Mandates implements mandate.Lister.
func (s *Store) Mandates(ctx context.Context, merchantID uuid.UUID, f mandate.Filter,
	ask paging.Ask) (paging.Page[mandate.Entry], error) {
	direction, _, _ := database.BesideID("m.id", ask)
	w := mandateWalk(merchantID, f)
	if find := s.mandateFinder(merchantID, f, w); find != nil {
		ids, reached, err := s.find(ctx, find, ask)
		if err != nil {
			return paging.Page[mandate.Entry]{}, err
		}
		found, err := database.Seek(ctx, s.DB, mandateEntries, mandateColumns+
			"mandates m LEFT JOIN clients c ON c.id = m.client_id WHERE m.merchant_id = ? AND m.id = ANY(?::uuid[]) ORDER BY m.id "+
			direction, merchantID, idsText(ids))
		return paging.CutAt(ask, found, reached), err
	}
	return walked(ctx, s, mandateEntries, w, ask, func(page string) string {
		return mandateColumns + "(" + page + ") AS m LEFT JOIN clients c ON c.id = m.client_id ORDER BY m.id " + direction
	})
}

// mandateWalk is the way to the mandates of a filter. Where states or a kind are asked
// for, each pair of them stands in an index in order.
func mandateWalk(merchantID uuid.UUID, f mandate.Filter) *walk {
	w := &walk{columns: "*", from: "mandates AS m", alias: "m"}
	states := f.States
	if len(states) == 0 {
		states = mandate.States
	}
	if f.Waiting {
		w.and(waits("m.id", "suspended", ""), merchantID)
	}
	switch {
	case f.ClientID != uuid.Nil || f.Waiting:
		w.and("merchant_id = ?", merchantID)
		if f.ClientID != uuid.Nil {
			w.and("client_id = ?", f.ClientID)
		}
		w.fitting("state = ANY(?::text[]) AND ? IN ('', kind)", database.Texts(states), string(f.Kind))
	case len(f.States) == 0 && f.Kind == "":
		w.and("merchant_id = ?", merchantID)
	default:
		kinds := []mandate.Kind{f.Kind}
		if f.Kind == "" {
			kinds = []mandate.Kind{mandate.EFT, mandate.DebiCheck}
		}
		var parts []string
		for _, kind := range kinds {
			part, args := inStates("mandates", "kind = ? AND state", merchantID, states)
			for n := len(args) - 1; n > 0; n -= 2 { // the kind stands before each state
				args = slices.Insert(args, n, any(string(kind)))
			}
			parts, w.args = append(parts, part[1:len(part)-1]), append(w.args, args...)
		}
		w.from, w.where = "("+strings.Join(parts, " UNION ALL ")+") AS m", "true"
	}
	return w
}

// mandateFinder searches by the mandates' own words and by those of their clients; nil
// without words.
func (s *Store) mandateFinder(merchantID uuid.UUID, f mandate.Filter, of *walk) *finder {
	q := database.SearchFor(merchantID, f.Search)
	if len(q.Words()) == 0 {
		return nil
	}
	const own, client = "(m.search @@ ?::tsquery) IS TRUE",
		"((SELECT c.search FROM clients c WHERE c.id = m.client_id) @@ ?::tsquery) IS TRUE"
	find := &finder{q: q, walk: *of, words: func(query string) (string, []any) {
		return "(" + own + " OR " + client + ")", []any{query, query}
	}}
	find.walk.most = mostJoined
	where, args := of.all()
	merchants := "m.merchant_id = ? AND " + where
	if of.where == "true" { // the states stand in what is read
		names := f.States
		if len(names) == 0 {
			names = mandate.States
		}
		merchants, args = "m.merchant_id = ? AND m.state = ANY(?::text[]) AND ? IN ('', m.kind)",
			[]any{database.Texts(names), string(f.Kind)}
	}
	args = append([]any{merchantID}, args...)
	find.arms = []arm{s.byWords(find, "mandates AS m", "m", merchants, args...),
		s.byClients(find, merchantID, "mandates AS m WHERE m.client_id = k.client AND "+merchants, args...)}
	return find
}

// MandateCounts implements mandate.Lister. It is exact at any moment: what is not
// folded yet is added.
func (s *Store) MandateCounts(ctx context.Context, merchantID uuid.UUID,
	kind mandate.Kind) (map[mandate.State]int64, error) {
	return database.CountByState[mandate.State](ctx, s.DB, `SELECT state, sum(n)::bigint AS n FROM (
			SELECT kind, state, n FROM mandate_counts WHERE merchant_id = ?
			UNION ALL SELECT kind, state, delta FROM mandate_count_deltas WHERE merchant_id = ?) AS parts
		WHERE ? IN ('', kind) GROUP BY state`, merchantID, merchantID, string(kind))
}

// CountMandates implements mandate.Lister.
func (s *Store) CountMandates(ctx context.Context, merchantID uuid.UUID, f mandate.Filter,
	limit int64) (map[mandate.State]int64, error) {
	f.States = nil
	w := mandateWalk(merchantID, f)
	if find := s.mandateFinder(merchantID, f, w); find != nil {
		counts, err := s.countFound(ctx, find, "SELECT state FROM mandates WHERE merchant_id = ? AND id", merchantID)
		return statesOf[mandate.State](counts), err
	}
	w.most = int(limit)
	counts, err := s.countWalked(ctx, w)
	return statesOf[mandate.State](counts), err
}

package mandate

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// entryColumns is what a line of the register shows: all but the wording and the consent.
var entryColumns = "SELECT " + Table.Columns("m", "one_debit", "consent_text", "consent_at", "consent_ip",
	"consent_agent", "consent_channel") + ", " + client.NameColumns + " FROM "

// Mandates gives one page, newest first.
func (s Store) Mandates(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (paging.Page[Entry], error) {
	direction, _, _ := database.BesideID("m.id", ask)
	w := walk(merchantID, f)
	if find := s.search(merchantID, f, w); find != nil {
		ids, reached, err := listing.Find(ctx, s.DB, find, ask)
		if err != nil {
			return paging.Page[Entry]{}, err
		}
		var found []Entry
		err = s.Gorm(ctx).Raw(entriesByID+" ORDER BY m.id "+direction, merchantID, database.IDs(ids)).Find(&found).Error
		return paging.CutAt(ask, found, reached), err
	}
	return listing.PageOf[Entry](ctx, s.DB, w, ask, func(page string) string {
		return entryColumns + "(" + page + ") AS m LEFT JOIN clients c ON c.id = m.client_id ORDER BY m.id " + direction
	})
}

// Entries finds those of some mandates that there are, in no order.
func (s Store) Entries(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (found []Entry, err error) {
	err = s.Gorm(ctx).Raw(entriesByID, merchantID, database.IDs(ids)).Find(&found).Error
	return found, err
}

// entriesByID reads lines of the register; its places are the merchant and the ids.
var entriesByID = entryColumns + "mandates m LEFT JOIN clients c ON c.id = m.client_id" +
	" WHERE m.merchant_id = ? AND m.id = ANY(?::uuid[])"

// markBlocked says of those mandates that could be debited whether their account is blocked.
func (s Store) markBlocked(ctx context.Context, merchantID uuid.UUID, list ...*Mandate) error {
	usable := map[uuid.UUID]*Mandate{}
	var ids []uuid.UUID
	for _, m := range list {
		if m.State.Usable() {
			usable[m.ID], ids = m, append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var found []struct { // the blocked account of a mandate has its id
		ID          uuid.UUID
		BlockedCode string
	}
	err := s.Gorm(ctx).Table("tokens").Select("id", "blocked_code").Scopes(database.OfMerchant(merchantID)).
		Where("id = ANY(?::uuid[]) AND state = 'blocked'", database.IDs(ids)).Find(&found).Error
	for _, t := range found {
		usable[t.ID].AccountBlocked, usable[t.ID].BlockedCode = true, t.BlockedCode
	}
	return err
}

// walk is the way to the mandates of a filter. Where states or a kind are asked
// for, each pair of them stands in an index in order.
func walk(merchantID uuid.UUID, f Filter) *listing.Walk {
	w := &listing.Walk{Columns: "*", From: "mandates AS m", Alias: "m"}
	states := f.States
	if len(states) == 0 {
		states = States
	}
	switch {
	case f.Concern != "" && f.ClientID == uuid.Nil:
		w.From, w.Args = listing.Waiting("mandates", string(f.Concern), "", merchantID)
		w.From, w.Where, w.Key, w.Called = w.From+" AS m", "true", "object_id", "object_id"
		w.Ordered, w.Unsorted = true, true
		w.Fitting("state = ANY(?::text[]) AND ? IN ('', kind)", database.Texts(states), string(f.Kind))
	case f.ClientID != uuid.Nil:
		w.By = "client_id"
		if f.Concern != "" {
			w.And(listing.Waits("m.id", string(f.Concern), ""), merchantID)
		}
		w.And("merchant_id = ? AND client_id = ?", merchantID, f.ClientID)
		w.Fitting("state = ANY(?::text[]) AND ? IN ('', kind)", database.Texts(states), string(f.Kind))
	case len(f.States) == 0 && f.Kind == "":
		w.And("merchant_id = ?", merchantID)
	default:
		kinds := []Kind{f.Kind}
		if f.Kind == "" {
			kinds = []Kind{EFT, DebiCheck}
		}
		var parts []string
		for _, kind := range kinds {
			part, args := listing.InStates("mandates", "kind = "+listing.Literal(kind)+" AND state", merchantID, states)
			parts, w.Args = append(parts, part[1:len(part)-1]), append(w.Args, args...)
		}
		w.From, w.Where = "("+strings.Join(parts, " UNION ALL ")+") AS m", "true"
	}
	if f.looked() {
		beside := f.beside()
		w.Fitting(beside.SQL, beside.Args...)
		w.Most = listing.MostJoined
	}
	return w
}

// beside is what is looked at in each mandate.
func (f Filter) beside() listing.Condition {
	c := f.Facets.Mandate("m")
	if !f.CreatedFrom.IsZero() {
		c.And("m.created_at >= ?", f.CreatedFrom)
	}
	if !f.CreatedTo.IsZero() {
		c.And("m.created_at <= ?", f.CreatedTo)
	}
	return c
}

// search looks by the mandates' own words and by those of their clients; nil
// without words.
func (s Store) search(merchantID uuid.UUID, f Filter, of *listing.Walk) *listing.Search {
	q := database.SearchFor(merchantID, f.Search)
	if len(q.Words()) == 0 {
		return nil
	}
	const own, clients = "(m.search @@ ?::tsquery) IS TRUE",
		"((SELECT c.search FROM clients c WHERE c.id = m.client_id) @@ ?::tsquery) IS TRUE"
	find := &listing.Search{Query: q, Walk: *of, Words: func(query string) (string, []any) {
		return "(" + own + " OR " + clients + ")", []any{query, query}
	}}
	find.Walk.Most = listing.MostJoined
	where, args := of.All()
	merchants := "m.merchant_id = ? AND " + where
	switch {
	case f.Concern != "" && f.ClientID == uuid.Nil: // that they wait stands in what is read
		where, args = of.Fits+" AND "+listing.Waits("m.id", string(f.Concern), ""),
			append(slices.Clone(of.FitArgs), merchantID)
		merchants = "m.merchant_id = ? AND " + where
	case of.Where == "true": // the states stand in what is read
		names := f.States
		if len(names) == 0 {
			names = States
		}
		merchants, args = "m.merchant_id = ? AND m.state = ANY(?::text[]) AND ? IN ('', m.kind)",
			[]any{database.Texts(names), string(f.Kind)}
		if beside := f.beside(); beside.SQL != "" {
			merchants, args = merchants+" AND "+beside.SQL, append(args, beside.Args...)
		}
	}
	args = append([]any{merchantID}, args...)
	find.Arms = []listing.Arm{listing.ByWords(s.DB, find, "mandates AS m", "m", merchants, args...),
		client.Among(s.DB, find, merchantID, "mandates AS m WHERE m.client_id = k.client AND "+merchants, args...)}
	return find
}

// MandateCounts counts all mandates of a merchant by state; an empty kind takes both. It is exact at any
// moment: what is not folded yet is added.
func (s Store) MandateCounts(ctx context.Context, merchantID uuid.UUID,
	kind Kind) (map[State]int64, error) {
	return database.CountByState[State](ctx, s.DB, `SELECT state, sum(n)::bigint AS n FROM (
			SELECT kind, state, n FROM mandate_counts WHERE merchant_id = ?
			UNION ALL SELECT kind, state, delta FROM mandate_count_deltas WHERE merchant_id = ?) AS parts
		WHERE ? IN ('', kind) GROUP BY state`, merchantID, merchantID, string(kind))
}

// CountMandates counts by state what a filter lets through; nil where that is more than
// limit, or a search finds too much to be counted.
func (s Store) CountMandates(ctx context.Context, merchantID uuid.UUID, f Filter,
	limit int64) (map[State]int64, error) {
	f.States = nil
	w := walk(merchantID, f)
	if find := s.search(merchantID, f, w); find != nil {
		return listing.CountFound[State](ctx, s.DB, find,
			"SELECT state FROM mandates WHERE merchant_id = ? AND id", merchantID)
	}
	if f.Concern != "" && f.ClientID == uuid.Nil && f.Kind == "" && !f.looked() { // all of them fit
		if f.Concern == Stopped {
			n, err := listing.CountWaiting(ctx, s.DB, merchantID, string(Stopped))
			return map[State]int64{Suspended: n}, err
		}
		w.Fits, w.FitArgs = "", nil
	}
	if w.Most = int(limit); w.Fits != "" {
		w.Most = listing.MostJoined
	}
	return listing.Count[State](ctx, s.DB, w)
}

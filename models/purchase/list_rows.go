package purchase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/facet"
	"debitdesk/models/paging"
)

// Purchases gives one page, newest first unless another order is asked for.
func (s Store) Purchases(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (page paging.Page[Purchase], err error) {
	if ask.Sort.By != "" {
		return s.purchasesSorted(ctx, merchantID, f, ask)
	}
	var reached uuid.UUID
	var ids []uuid.UUID
	switch {
	case searched(f):
		ids, reached, err = listing.Find(ctx, s.DB, s.finder(merchantID, f), ask)
	case concernKinds[f.Concern] != "" && !owned(f):
		ids, reached, err = listing.ByWalk(s.DB, waitingPurchases(merchantID, f))(ctx, listing.Near{}, ask)
	case f.Concern == "" && f.Facets != facet.Filter{}:
		ids, reached, err = s.purchasesBeside(ctx, merchantID, f, ask)
	case f.Concern == "" && !owned(f) && (f.Narrow() || f.Kind == OnlyStoring):
		ids, reached, err = s.purchasesInRange(ctx, merchantID, f, ask)
	default:
		w := purchaseWalk(merchantID, f)
		switch {
		case f.Concern != "" || owned(f):
			w = ownedWalk(merchantID, f)
		case f.Kind != "":
			w.Fitting(ofKind[f.Kind])
		}
		w.Columns = columns
		return listing.PageOf[Purchase](ctx, s.DB, &w, ask, nil)
	}
	if err != nil {
		return page, err
	}
	direction, _, _ := database.BesideID("id", ask)
	found, err := s.several(ctx, merchantID, ids, "id "+direction)
	return paging.CutAt(ask, found, reached), err
}

// searched tells whether words alone lead to the purchases.
func searched(f Filter) bool {
	return f.Concern == "" && !owned(f) && database.SearchQuery(f.Search) != ""
}

// owned tells whether a filter names one thing that has its purchases in an index.
func owned(f Filter) bool { return ownedBy(f) != "" || f.BatchID != uuid.Nil }

// ownedBy is the column with which the index begins of what a filter names; empty where that is the merchant.
func ownedBy(f Filter) string {
	switch {
	case f.ClientID != uuid.Nil:
		return "client_id"
	case f.TokenID != uuid.Nil:
		return "token_id"
	case f.SubscriberID != uuid.Nil:
		return "subscriber_id"
	case f.TemplateID != uuid.Nil:
		return "template_id"
	}
	return ""
}

// ownedWalk goes through all that a filter lets through, by an index of what it names.
func ownedWalk(merchantID uuid.UUID, f Filter) listing.Walk {
	where, args := purchaseWhere(merchantID, f)
	where, args = withStatuses(f, where, args)
	return listing.Walk{Columns: "*", From: "purchases", Alias: "purchases", By: ownedBy(f), Where: where, Args: args}
}

// purchaseWalk goes through the purchases of a merchant, from the newest on; those of each status stand in an index
// in that order too.
func purchaseWalk(merchantID uuid.UUID, f Filter) listing.Walk {
	w := listing.Walk{Columns: "*", From: "purchases", Alias: "purchases"}
	if f.Facets != (facet.Filter{}) {
		w.Most = mostBeside
	}
	if len(f.Statuses) == 0 {
		w.And("merchant_id = ?", merchantID)
		return w
	}
	w.Where = "true"
	w.From, w.Args = listing.InStates("purchases", "status", merchantID, f.Statuses)
	w.From += " AS purchases"
	return w
}

// finder searches among purchases.
func (s Store) finder(merchantID uuid.UUID, f Filter) *listing.Search {
	q := database.SearchFor(merchantID, f.Search)
	f.Search = ""
	find := &listing.Search{Query: q, Walk: purchaseWalk(merchantID, f), Words: listing.Vector("search")}
	where, args := purchaseWhere(merchantID, f)
	find.Walk.Fitting(where, args...)
	where, args = withStatuses(f, where, args)
	find.Arms = []listing.Arm{listing.ByWords(s.DB, find, "purchases", "purchases", where, args...)}
	return find
}

// withStatuses adds the statuses of a filter to its other conditions.
func withStatuses(f Filter, where string, args []any) (string, []any) {
	if len(f.Statuses) == 0 {
		return where, args
	}
	return where + " AND status = ANY(?::text[])", append(slices.Clone(args), database.Texts(f.Statuses))
}

// purchasesInRange finds purchases by their due date or amount: by the index of that, where they are few, and from
// the newest on where they are many.
func (s Store) purchasesInRange(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
	where, args := purchaseWhere(merchantID, f)
	find := &listing.Search{Walk: purchaseWalk(merchantID, f), Words: func(string) (string, []any) { return "true", nil }}
	find.Walk.Fitting(where, args...)
	direction, beside, from := database.BesideID("id", ask)
	all, more := withStatuses(f, where, args)
	return listing.Few(
		ctx,
		s.DB,
		find,
		ask,
		few,
		fmt.Sprintf(`WITH found AS MATERIALIZED (SELECT id FROM purchases WHERE %s%s LIMIT %d)
		SELECT (SELECT count(*) FROM found), ARRAY(SELECT id FROM found WHERE true%s
		ORDER BY id %s LIMIT %d)`, all, indexOrder(f), few,
			beside, direction, ask.Fetch()),
		slices.Concat(more, from)...)
}

// indexOrder is the order of the index that finds what a filter lets through.
func indexOrder(f Filter) string {
	switch {
	case f.Concern != "" || owned(f) || searched(f):
		return ""
	case !f.DueFrom.IsZero() || !f.DueTo.IsZero():
		return " ORDER BY merchant_id, due"
	case f.MinCents != 0 || f.MaxCents != 0 || f.Kind == OnlyStoring:
		return " ORDER BY merchant_id, total_cents"
	}
	return ""
}

// few is how many rows are sorted rather than met on the way.
const few = 5_000

// MadeByBatch are the purchases of the rows that a batch has sent, voided ones too.
const MadeByBatch = "(SELECT b.purchase_id FROM batch_rows b WHERE b.merchant_id = ? AND b.batch_id = ? " +
	"AND b.state IN ('sent', 'voided'))"

// ofKind are the conditions on the kinds. No index leads to an amount that is not zero, so that none is taken for it.
var ofKind = map[Kind]string{WithAmount: "total_cents <> 0", OnlyStoring: "total_cents = 0"}

func purchaseWhere(merchantID uuid.UUID, f Filter) (string, []any) {
	where, args := database.Bound("merchant_id"), []any{merchantID}
	add := func(condition string, arg any) { where, args = where+" AND "+condition, append(args, arg) }
	if f.ClientID != uuid.Nil {
		add("client_id = ?", f.ClientID)
	}
	if f.TokenID != uuid.Nil {
		add("token_id = ?", f.TokenID)
	}
	if f.TemplateID != uuid.Nil {
		add("template_id = ?", f.TemplateID)
	}
	if f.SubscriberID != uuid.Nil {
		add("subscriber_id = ?", f.SubscriberID)
	}
	if f.BatchID != uuid.Nil {
		where, args = where+" AND id IN "+MadeByBatch, append(args, merchantID, f.BatchID)
	}
	if !f.DueFrom.IsZero() {
		add("due >= ?", f.DueFrom)
	}
	if !f.DueTo.IsZero() {
		add("due <= ?", f.DueTo)
	}
	if f.Reference != "" {
		where, args = where+" AND (reference = ? OR reference_generated = ?)", append(args, f.Reference, f.Reference)
	}
	if f.Kind != "" {
		where += " AND " + ofKind[f.Kind]
	}
	if f.MinCents != 0 {
		add("total_cents >= ?", f.MinCents)
	}
	if f.MaxCents != 0 {
		add("total_cents <= ?", f.MaxCents)
	}
	if q := database.SearchQuery(f.Search); q != "" {
		add("search @@ ?::tsquery", q)
	}
	if f.Concern != "" {
		condition, more := concernWhere(merchantID, f)
		where, args = where+" AND "+condition, append(args, more...)
	}
	if beside := f.Facets.Purchase("purchases"); beside.SQL != "" {
		where, args = where+" AND "+beside.SQL, append(args, beside.Args...)
	}
	return where, args
}

// TotalPurchases counts and sums what a filter lets through, up to limit purchases in all; nil where a search finds
// too much to be counted. It counts in the order of the index that finds the rows, and stops at the limit. What a
// search finds is counted where it is little; nil says that it is not.
func (s Store) TotalPurchases(ctx context.Context, merchantID uuid.UUID, f Filter,
	limit int64) (Totals, error) {
	if searched(f) {
		f.Statuses = nil
		ids, err := listing.FindAll(ctx, s.DB, s.finder(merchantID, f))
		if ids == nil {
			return nil, err
		}
		return s.totals(ctx, fmt.Sprintf(`SELECT state, %s FROM (SELECT p.* FROM unnest(?::uuid[]) AS found (id)
			CROSS JOIN LATERAL (SELECT status AS state, %s FROM purchases WHERE id = found.id
			AND merchant_id = ? OFFSET 0) p) AS part
			GROUP BY state`, summed, randCents), database.IDs(ids), merchantID)
	}
	if f.Concern == "" && f.Facets != (facet.Filter{}) {
		return s.totalsBeside(ctx, merchantID, f)
	}
	where, args := purchaseWhere(merchantID, f)
	order := cmp.Or(indexOrder(f), " ORDER BY merchant_id")
	if by := ownedBy(f); by != "" {
		where, order = strings.ReplaceAll(where, by+" = ?", database.Bound(by)), " ORDER BY "+by
	}
	return s.totals(
		ctx,
		fmt.Sprintf(`SELECT state, %s FROM (SELECT status AS state, %s FROM purchases WHERE %s%s LIMIT %d) AS part
		GROUP BY state`, summed, randCents, where, order, limit),
		args...)
}

// totals reads numbers and sums by state.
func (s Store) totals(ctx context.Context, query string, args ...any) (Totals, error) {
	var found []struct {
		State string
		Tally
	}
	if err := s.Gorm(ctx).Raw(query, args...).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("count purchases: %w", err)
	}
	totals := Totals{}
	for _, f := range found {
		totals[f.State] = f.Tally
	}
	return totals, nil
}

// randCents is what a purchase counts for in a sum: all purchases are in rand. Its index has the amount beside
// the due date.
const randCents = "total_cents AS cents"

// summed counts and sums a part, exactly; what no integer holds is shown as the largest.
const summed = `count(*) AS n, least(coalesce(sum(part.cents), 0), 9223372036854775807)::bigint AS cents`

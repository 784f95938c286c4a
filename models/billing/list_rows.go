package billing

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// invoicesOf is what every list of invoices reads: page is a list of their
// purchases' ids, so that what stands beside is looked up for one page alone.
const invoicesOf = `SELECT i.*, p.status, p.payer_name AS payer, p.payer_email AS email, p.due, p.due_given,
	coalesce(cn.numbers, '') AS credit_note, coalesce(cn.cents, 0)::bigint AS credited_cents,
		coalesce(m.state, '') AS mail_state, coalesce(m.error, '') AS mail_error, coalesce(m.recipient, '') AS mail_to
	FROM invoices i JOIN purchases p ON p.id = i.purchase_id
	LEFT JOIN LATERAL (SELECT string_agg(number, ', ' ORDER BY id) AS numbers, sum(total_cents) AS cents FROM invoices
		WHERE merchant_id = i.merchant_id AND kind = 'credit_note' AND purchase_id = i.purchase_id) AS cn ON true
	LEFT JOIN LATERAL (SELECT state, error, recipient FROM mails WHERE object_id = i.purchase_id AND kind = 'invoice'
	ORDER BY attempt DESC LIMIT 1) AS m ON true
	WHERE i.merchant_id = ? AND i.kind = 'invoice' AND i.purchase_id IN (%s) ORDER BY i.purchase_id %s`

// page is one of the list, newest purchase first (oldest first when the newer side was asked).
func (s Store) page(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (paging.Page[Entry], error) {
	none := paging.Page[Entry]{}
	if ask.Sort.By != "" {
		return s.sorted(ctx, merchantID, f, ask)
	}
	find, look := s.finder(merchantID, f), listing.Find
	if !find.Typed() {
		look = func(ctx context.Context, _ *database.DB, f *listing.Search, ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
			return listing.ByWalk(s.DB, f)(ctx, listing.Near{}, ask)
		}
	}
	ids, reached, err := look(ctx, s.DB, find, ask)
	if err != nil {
		return none, err
	}
	direction, _, _ := database.BesideID("", ask)
	found, err := s.entriesIn(ctx, merchantID, ids, direction)
	return paging.CutAt(ask, found, reached), err
}

// entry finds the invoice of a purchase.
func (s Store) entry(ctx context.Context, merchantID, purchaseID uuid.UUID) (e Entry, err error) {
	err = s.Gorm(ctx).Raw(fmt.Sprintf(invoicesOf, "?", ""), merchantID, purchaseID).Take(&e).Error
	return e, err
}

// entries finds the invoices of some purchases.
func (s Store) entries(ctx context.Context, merchantID uuid.UUID, purchaseIDs []uuid.UUID) ([]Entry, error) {
	return s.entriesIn(ctx, merchantID, purchaseIDs, "")
}

// entriesIn is entries in a direction of the ids of the purchases.
func (s Store) entriesIn(ctx context.Context, merchantID uuid.UUID, purchaseIDs []uuid.UUID,
	direction string) (found []Entry, err error) {
	err = s.Gorm(ctx).Raw(fmt.Sprintf(invoicesOf, "SELECT unnest(?::uuid[])", direction), merchantID,
		database.IDs(purchaseIDs)).Find(&found).Error
	return found, err
}

// The merchant is given to both of these once more, so that the few rows they name
// are found first and not looked for beside each invoice.
const (
	creditedInvoice = `i.purchase_id IN (SELECT cn.purchase_id FROM invoices cn
		WHERE cn.merchant_id = ? AND cn.kind = 'credit_note')`
	// failedInvoice: the newest mail with the invoice was given up.
	failedInvoice = `i.purchase_id IN (SELECT f.object_id FROM mails f
		WHERE f.merchant_id = ? AND f.state = 'failed' AND f.kind = 'invoice'
	AND NOT EXISTS (SELECT 1 FROM mails later WHERE later.object_id = f.object_id AND later.kind = 'invoice'
	AND later.attempt > f.attempt))`
)

// Invoices i with their purchases p, from either side: one after the other, and never all
// of one side first.
const (
	invoicesAlone   = "invoices AS i"
	invoicesInOrder = invoicesAlone + " CROSS JOIN LATERAL (SELECT * FROM purchases " +
		"WHERE merchant_id = i.merchant_id AND id = i.purchase_id OFFSET 0) AS p"
	invoicesSorting = invoicesAlone + " JOIN purchases AS p ON p.merchant_id = i.merchant_id AND p.id = i.purchase_id"
	invoiceOfFilter = "EXISTS (SELECT FROM invoices AS i WHERE i.merchant_id = p.merchant_id AND i.kind = 'invoice' " +
		"AND i.purchase_id = p.id AND %s OFFSET 0)"
)

// walkOf goes through the invoices of a filter, whatever its words. The status of an
// invoice is that of its purchase: most purchases have none, and do not lead there.
func walkOf(merchantID uuid.UUID, f Filter) listing.Walk {
	w := listing.Walk{Columns: "p.status AS state", From: invoicesInOrder, Alone: invoicesAlone,
		Key: "i.purchase_id", Most: listing.MostJoined}
	if statuses := f.State.Statuses(); statuses != nil {
		w.Fitting("p.status = ANY(?::text[])", database.Texts(statuses))
	}
	w.And("i.merchant_id = ? AND i.kind = 'invoice'", merchantID)
	switch f.State {
	case CreditedAs:
		w.And(creditedInvoice, merchantID)
	case MailFailed:
		w.And(failedInvoice, merchantID)
	default:
	}
	if f.BatchID != uuid.Nil {
		w.And("i.purchase_id IN "+purchase.MadeByBatch, merchantID, f.BatchID)
	}
	w.FittingTime("p.due", f.DueFrom, f.DueTo)
	if f.MinCents != 0 {
		w.Fitting("p.total_cents >= ?", f.MinCents)
	}
	if f.MaxCents != 0 {
		w.Fitting("p.total_cents <= ?", f.MaxCents)
	}
	if f.TemplateID != uuid.Nil {
		w.Fitting("p.template_id = ?", f.TemplateID)
	}
	if beside := f.Facets.Purchase("p"); beside.SQL != "" {
		w.Fitting(beside.SQL, beside.Args...)
	}
	return w
}

// finder searches by number (all of it, its beginning, or the serial alone) and by
// what the purchase is found by.
func (s Store) finder(merchantID uuid.UUID, f Filter) *listing.Search {
	find := &listing.Search{Walk: walkOf(merchantID, f), Words: func(string) (string, []any) { return "true", nil }}
	q := database.SearchFor(merchantID, f.Search)
	typed := strings.ToUpper(strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(f.Search, "\x00", ""), "")))
	serial, err := strconv.ParseInt(typed, 10, 64)
	number := strings.HasPrefix(typed, "INV-")
	f.Search = ""
	switch {
	case len(q.Words()) == 0:
		return find
	case number:
		find.Words = func(string) (string, []any) { return "false", nil }
	default:
		find.Query, find.Words = q, listing.Vector("p.search")
		where, args := find.Walk.All()
		find.Arms = []listing.Arm{listing.ByWords(s.DB, find, "purchases AS p", "p",
			"p.merchant_id = ? AND "+fmt.Sprintf(invoiceOfFilter, where), append([]any{merchantID}, args...)...)}
	}
	switch {
	case number || numberForm.MatchString(typed): // of a brand with a prefix of its own, or a reference that looks alike
		find.Or, find.OrArgs = "starts_with(i.number, ?)", []any{typed}
		find.Arms = append(find.Arms, s.byNumber(find, `i.number COLLATE "C" >= ? AND i.number COLLATE "C" < ?`, typed,
			typed+string(utf8.MaxRune)))
	case err == nil:
		find.Or, find.OrArgs = "i.serial = ?", []any{serial}
		find.Arms = append(find.Arms, s.byNumber(find, "i.serial = ?", serial))
	}
	return find
}

// byNumber looks invoices up by an index of their numbers, where they are not many.
func (s Store) byNumber(f *listing.Search, condition string, args ...any) listing.Arm {
	return func(ctx context.Context, _ listing.Near, ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
		direction, beside, from := database.BesideID(f.Walk.ID(), ask)
		where, more := f.Walk.All()
		return listing.Few(
			ctx,
			s.DB,
			f,
			ask,
			listing.MostJoined,
			fmt.Sprintf(`WITH found AS MATERIALIZED (SELECT %s AS id FROM %s WHERE %s AND %s%s LIMIT %d)
			SELECT (SELECT count(*) FROM found), ARRAY(SELECT id FROM found
			ORDER BY id %s LIMIT %d)`, f.Walk.ID(), f.Walk.Source(ask, listing.MostJoined), where,
				condition, beside, listing.MostJoined, direction, ask.Fetch()),
			slices.Concat(more, args, from)...)
	}
}

var numberForm = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,7}-20\d\d(?:-\d{0,9})?$`)

// counts are by state what a filter lets through; nil where that is more than limit, or a search finds too much.
func (s Store) counts(ctx context.Context, merchantID uuid.UUID, f Filter,
	limit int64) (map[State]int64, error) {
	f.State = ""
	find := s.finder(merchantID, f)
	if find.Typed() {
		return s.countFound(ctx, merchantID, find)
	}
	beside := []State{CreditedAs, MailFailed}
	walks := []listing.Walk{find.Walk}
	for _, state := range beside {
		f.State = state
		walks = append(walks, walkOf(merchantID, f))
	}
	parts, err := database.EachAtOnce(ctx, walks, func(ctx context.Context, w listing.Walk) (map[string]int64, error) {
		return s.countOf(ctx, w, limit)
	})
	if err != nil || parts[0] == nil {
		return nil, err
	}
	counts := countsByState(parts[0])
	for i, state := range beside {
		for _, n := range parts[i+1] {
			counts[state] += n
		}
	}
	return counts, nil
}

// countFound counts what a search finds; nil where that is too much.
func (s Store) countFound(ctx context.Context, merchantID uuid.UUID,
	find *listing.Search) (map[State]int64, error) {
	ids, err := listing.FindAll(ctx, s.DB, find)
	if ids == nil {
		return nil, err
	}
	among := database.IDs(ids)
	parts, err := database.CountByState[string](ctx, s.DB, `SELECT state, count(*) AS n FROM (
		SELECT status AS state FROM purchases WHERE merchant_id = ? AND id = ANY(?::uuid[])) AS found GROUP BY state`,
		merchantID, among)
	if err != nil {
		return nil, err
	}
	counts := countsByState(parts)
	beside, err := database.CountByState[State](ctx, s.DB, fmt.Sprintf(`SELECT state, count(*) AS n FROM (
			SELECT DISTINCT '%s' AS state, purchase_id FROM invoices
				WHERE merchant_id = ? AND kind = 'credit_note' AND purchase_id = ANY(?::uuid[])
			UNION ALL SELECT '%s', object_id FROM (SELECT DISTINCT ON (object_id) state, object_id FROM mails
			WHERE merchant_id = ? AND kind = 'invoice'
				AND object_id = ANY(?::uuid[]) ORDER BY object_id, attempt DESC) AS newest WHERE state = 'failed') AS found
		GROUP BY state`, CreditedAs, MailFailed), merchantID, among, merchantID, among)
	maps.Copy(counts, beside)
	return counts, err
}

// countsByState adds the statuses of purchases up to the states of their invoices, and all of them.
func countsByState(parts map[string]int64) map[State]int64 {
	counts := map[State]int64{}
	for part, n := range parts {
		counts[""] += n
		for _, state := range States {
			for _, status := range state.Statuses() {
				if part == string(status) {
					counts[state] += n
				}
			}
		}
	}
	return counts
}

// countOf counts by status, up to limit; nil where more is to be looked at than one
// page looks at.
func (s Store) countOf(ctx context.Context, w listing.Walk, limit int64) (map[string]int64, error) {
	if w.Fits != "" {
		w.Columns = "p.status AS state, p.*"
		w.Alias = "p"
		return listing.Count[string](ctx, s.DB, &w)
	}
	return listing.CountTo[string](ctx, s.DB, &w, limit)
}

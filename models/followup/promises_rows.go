package followup

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/money"
	"debitdesk/models/paging"
)

// standingOf is Promise.Standing of a record p on a day.
func standingOf(today calendar.Date) string {
	return fmt.Sprintf("CASE WHEN p.state <> 'open' THEN p.state WHEN p.paid THEN 'kept' "+
		"WHEN p.due_on < DATE '%s' THEN 'broken' ELSE 'open' END", today)
}

// promiseWalk goes through the promises of a filter.
func promiseWalk(merchantID uuid.UUID, f PromiseFilter, today calendar.Date) *listing.Walk {
	w := &listing.Walk{Columns: "p.*", Alias: "p", Key: "p.id",
		From: "(SELECT p.*, " + promisePaid + " AS paid FROM promises p) AS p"}
	w.And("p.merchant_id = ?", merchantID)
	if f.ClientID != uuid.Nil {
		w.Fitting("p.client_id = ?", f.ClientID)
	}
	if !f.Due.IsZero() {
		w.Fitting("p.due_on >= ?", f.Due.String())
	}
	if !f.DueTo.IsZero() {
		w.Fitting("p.due_on <= ?", f.DueTo.String())
	}
	if f.Standing != "" {
		w.Fitting(standingOf(today)+" = ?", string(f.Standing))
	}
	if f.Search != "" {
		like := database.Holding(f.Search)
		w.Fitting(`(p.text ILIKE ? OR EXISTS (SELECT FROM clients c WHERE c.merchant_id = p.merchant_id
			AND c.id = p.client_id AND (c.full_name ILIKE ? OR c.legal_name ILIKE ? OR c.email ILIKE ?)))`, like, like, like,
			like)
	}
	return w
}

func (s Store) promisePage(ctx context.Context, merchantID uuid.UUID, f PromiseFilter, today calendar.Date,
	ask paging.Ask) (paging.Page[PromiseLine], error) {
	order := " ORDER BY p.id DESC"
	if ask.Newer {
		order = " ORDER BY p.id"
	}
	return listing.PageOf[PromiseLine](ctx, s.DB, promiseWalk(merchantID, f, today), ask, func(page string) string {
		return "SELECT p.*, coalesce(" + client.NameIn("c.") + `, '') AS client, coalesce(w.reference, '') AS reference
			FROM (` + page + `) AS p LEFT JOIN clients c ON c.merchant_id = p.merchant_id AND c.id = p.client_id
			LEFT JOIN purchases w ON w.merchant_id = p.merchant_id AND w.id = p.purchase_id` + order
	})
}

// promiseSums adds promises up by where they stand, those of every standing; nil where there are too many to look at.
func (s Store) promiseSums(ctx context.Context, merchantID uuid.UUID, f PromiseFilter,
	today calendar.Date) (map[PromiseState]PromiseSum, error) {
	f.Standing = ""
	w := promiseWalk(merchantID, f, today)
	w.Columns = standingOf(today) + ` AS state, CASE p.currency WHEN '` + money.ZAR + `' THEN p.amount_cents ELSE 0 END AS
		cents, p.merchant_id, p.client_id, p.due_on, p.text`
	sums, err := listing.Sums[PromiseState](ctx, s.DB, w, "cents")
	if sums == nil {
		return nil, err
	}
	out := map[PromiseState]PromiseSum{}
	for state, sum := range sums {
		out[state] = PromiseSum(sum)
	}
	return out, err
}

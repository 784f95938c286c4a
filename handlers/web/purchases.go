package web

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Purchases serves the pages of purchases.
type Purchases struct {
	Desk    *Desk
	Service *purchase.Service
	Clients *client.Service
	Tokens  *token.Service
	Billing *billing.Service
	Mails   Mails
	Events  Timeline
	Replays Replays
	Exports *Exports
	Batch   FindBatch // finds a batch that the list is narrowed to
	// Subscriptions tells which template and subscriber a purchase follows.
	Subscriptions *subscription.Service
}

const purchases = "purchases"

// concernViews are the views of what waits for somebody. Those with a label are tabs
// while there is any, the first always; the others are reached from home.
var concernViews = []struct {
	label, chip string
	concern     purchase.Concern
}{
	{"Failed", "The last debit failed, and it is not paid", purchase.FailedDebit},
	{"Account gone", "The account was deleted or cannot be charged", purchase.AccountGone},
	{"Not confirmed", "The client did not confirm the mandate", purchase.NotConfirmed},
	{"", "The dispute is not decided", purchase.OpenDispute},
	{"", "The bank has not answered in time", purchase.NoAnswer},
	{"Refunded and returned", "The client has the money twice", purchase.PaidTwice},
	{"", "A refund waits to be paid back", purchase.RefundWaits},
}

// purchaseTabs are the views of the list, in the order of their use.
var purchaseTabs = []struct {
	label    string
	statuses []purchase.Status
}{
	{"Scheduled", []purchase.Status{purchase.PendingCharge}},
	{"Collecting", []purchase.Status{purchase.PendingExecute}},
	{"Paid", []purchase.Status{purchase.Paid}},
	{"Disputed", []purchase.Status{purchase.Chargeback}},
	{"Overdue", []purchase.Status{purchase.Overdue}},
	{"Open", []purchase.Status{purchase.Created, purchase.Sent, purchase.Viewed}},
	{"Accounts", []purchase.Status{purchase.Preauthorized}},
	{"Refunds", []purchase.Status{purchase.PendingRefund, purchase.Refunded}},
	{"Closed", []purchase.Status{purchase.Cancelled, purchase.Expired}},
}

// List serves GET /purchases.
func (p *Purchases) List(c echo.Context) error {
	l := listingOf(c, "/purchases")
	f := purchaseFilter(l)
	ctx, who := c.Request().Context(), access.Actor(c)
	var err error
	if f.BatchID, err = l.narrowToBatch(ctx, who, p.Batch); err != nil {
		return err
	}
	page, err := p.Service.List(ctx, who, f, l.ask)
	if err != nil {
		return err
	}
	unconcerned := f
	unconcerned.Concern, unconcerned.FailedSince = "", time.Time{}
	counts, err := p.Service.Counts(ctx, who, unconcerned)
	if err != nil {
		return err
	}
	concerns, err := p.concerns(ctx, who, f)
	if err != nil {
		return err
	}
	view := p.listView(l, f, page, counts, concerns)
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.PurchaseResults(view))
	}
	return p.Desk.show(c, http.StatusOK, "Purchases", purchases, func(fr layout.Frame) templ.Component { return pages.Purchases(fr, view) })
}

func purchaseFilter(l *listing) purchase.Filter {
	f := purchase.Filter{Search: l.query.Get("q"), MinCents: l.cents("amount_min"), MaxCents: l.cents("amount_max")}
	f.DueFrom, f.DueTo = l.dueRange()
	for _, word := range strings.FieldsFunc(l.query.Get("status"), func(r rune) bool { return r == ',' }) {
		if s := purchase.Status(word); s.Known() && !slices.Contains(f.Statuses, s) {
			f.Statuses = append(f.Statuses, s)
		} else if !s.Known() {
			l.refuse("‘" + word + "’ is not a status. The filter was ignored.")
		}
	}
	l.query.Set("status", joined(f.Statuses))
	if len(f.Statuses) == 0 {
		l.query.Del("status")
	}
	if f.Concern = purchase.Concern(l.query.Get("attention")); f.Concern != "" && !slices.Contains(purchase.Concerns, f.Concern) {
		l.refuse("‘" + string(f.Concern) + "’ is not on the attention list. The filter was ignored.")
		l.query.Del("attention")
		f.Concern = ""
	}
	if day := l.date("failed_since"); !day.IsZero() && f.Concern == purchase.FailedDebit {
		f.FailedSince = day.At(0, 0)
	} else {
		l.query.Del("failed_since")
	}
	for name, into := range map[string]*uuid.UUID{"client": &f.ClientID, "token": &f.TokenID} {
		if id, err := uuid.Parse(l.query.Get(name)); err == nil {
			*into = id
		} else {
			l.query.Del(name)
		}
	}
	return f
}

// concerns counts and sums what needs attention among what the filter lets through:
// the one that is looked at, and the others for their tabs.
func (p *Purchases) concerns(ctx context.Context, who actor.Actor, f purchase.Filter) (map[purchase.Concern]purchase.Tally, error) {
	out := map[purchase.Concern]purchase.Tally{}
	for _, t := range concernViews {
		if t.label == "" && f.Concern != t.concern {
			continue
		}
		of, limit := f, int64(purchase.CountLimit)
		if of.Concern = t.concern; f.Concern != t.concern {
			of.Statuses, of.FailedSince, limit = nil, time.Time{}, tabLimit
		}
		tally, err := p.Service.Tally(ctx, who, of, limit)
		if err != nil {
			return nil, err
		}
		out[t.concern] = tally
	}
	return out, nil
}

func joined(statuses []purchase.Status) string {
	words := make([]string, len(statuses))
	for i, s := range statuses {
		words[i] = string(s)
	}
	return strings.Join(words, ",")
}

func (p *Purchases) listView(l *listing, f purchase.Filter, page paging.Page[purchase.Record], counts map[string]int64, concerns map[purchase.Concern]purchase.Tally) pages.PurchasesView {
	now := p.Desk.Now()
	view := pages.PurchasesView{Notices: l.notices, Tabs: components.Tabs{Label: "Purchases by status", Target: "#results"}}
	about := f.Narrow() // and more than a concern: a concern is counted beside the statuses
	if f.Concern != "" {
		without := f
		without.Concern = ""
		about = without.Narrow()
	}
	cut := about && total(counts, nil) > purchase.CountLimit // the parts of an unfinished count say nothing
	view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: "All", Count: allWords(counts, cut), Href: l.withStatus(nil), Active: len(f.Statuses) == 0 && f.Concern == ""})
	shown := total(counts, f.Statuses)
	known := len(f.Statuses) == 0
	for _, t := range purchaseTabs {
		n, active := total(counts, t.statuses), slices.Equal(t.statuses, f.Statuses) && f.Concern == ""
		known = known || active
		tab := components.Tab{Label: t.label, Count: countWords(n, about), Href: l.withStatus(t.statuses), Active: active}
		if cut {
			tab.Count = ""
		}
		view.Tabs.Items = append(view.Tabs.Items, tab)
		if slices.Contains(t.statuses, purchase.Paid) {
			view.Tabs.Items = append(view.Tabs.Items, l.concernTabs(f, concerns)...)
		}
	}
	view.Filters = p.filterBar(l, f, known)
	rows := purchasesFound(f, counts)
	found := countWords(shown, about)
	if cut && len(f.Statuses) > 0 {
		found = "many"
	}
	sums := ""
	if t, concerned := concerns[f.Concern]; concerned {
		shown, rows = t.N, foundUpTo(t.N)
		found = countWords(t.N, true)
		if rows.exact && t.Cents > 0 {
			sums = " · " + sum(t.Cents, money.ZAR)
		}
	}
	view.Filters.Export = exportMenu(rows, len(purchaseHeads), l.exportHref)
	view.Filters.Found = found + " " + plural(shown, "purchase") + sums
	view.DueFrom = components.DateField{Label: "Due from", Name: "due_from", Value: l.query.Get("due_from")}
	view.DueTo = components.DateField{Label: "Due to", Name: "due_to", Value: l.query.Get("due_to")}
	view.Min = components.MoneyField{Label: "Amount from", Name: "amount_min", Value: l.query.Get("amount_min"), Width: "whole"}
	view.Max = components.MoneyField{Label: "Amount to", Name: "amount_max", Value: l.query.Get("amount_max"), Width: "whole"}
	for _, rec := range page.Items {
		view.Rows = append(view.Rows, purchaseRow(rec, p.Service.Timetable, now))
	}
	view.Pager = pager(l, page, "#results", found, func(r purchase.Record) uuid.UUID { return r.ID })
	view.Empty = p.nothing(l, f, view.Filters.Chips)
	return view
}

// tabLimit is where the count of a tab stops while another is looked at.
const tabLimit = 1000

func tabCount(n int64, active bool) string {
	if !active && n > tabLimit {
		return grouped(tabLimit) + "+"
	}
	return countWords(n, true)
}

// concernTabs are the views of what needs attention, as far as there is any.
func (l *listing) concernTabs(f purchase.Filter, concerns map[purchase.Concern]purchase.Tally) (tabs []components.Tab) {
	for _, t := range concernViews {
		if t.label == "" {
			continue
		}
		n, active := concerns[t.concern].N, f.Concern == t.concern
		if n > 0 || active || t.concern == purchase.FailedDebit {
			tabs = append(tabs, components.Tab{Label: t.label, Count: tabCount(n, active), Href: l.withConcern(t.concern), Active: active && len(f.Statuses) == 0})
		}
	}
	return tabs
}

// pager leads to the pages beside this one.
func pager[T any](l *listing, page paging.Page[T], target, of string, id func(T) uuid.UUID) components.Pager {
	out := components.Pager{Target: target}
	if len(page.Items) == 0 {
		return out
	}
	if page.Newer {
		out.NewerHref = l.side("before", id(page.Items[0]))
	}
	if page.Older {
		out.OlderHref = l.side("after", id(page.Items[len(page.Items)-1]))
	}
	if page.Newer || page.Older {
		out.Text = grouped(int64(len(page.Items))) + " of " + of
	}
	return out
}

// total adds up the counts of these statuses, or of all.
func total(counts map[string]int64, of []purchase.Status) (n int64) {
	for status, count := range counts {
		if len(of) == 0 || slices.Contains(of, purchase.Status(status)) {
			n += count
		}
	}
	return n
}

// countWords writes a count, or "more than" where counting stopped.
func countWords(n int64, limited bool) string {
	if limited && n > purchase.CountLimit {
		return "more than " + grouped(purchase.CountLimit)
	}
	return grouped(n)
}

// allWords is the count of everything, short enough for a tab.
func allWords(counts map[string]int64, cut bool) string {
	if cut {
		return grouped(purchase.CountLimit) + "+"
	}
	return grouped(total(counts, nil))
}

func plural(n int64, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

func (p *Purchases) filterBar(l *listing, f purchase.Filter, tabKnown bool) components.FilterBar {
	bar := components.FilterBar{Action: "/purchases", Target: "#results", Search: f.Search, SearchLabel: "Search purchases", Holder: "Client, e-mail or reference"}
	for _, name := range []string{"status", "client", "token", "attention", "failed_since", "batch"} {
		if value := l.query.Get(name); value != "" {
			bar.Keep = append(bar.Keep, components.Pair{Name: name, Value: value})
		}
	}
	chip := func(name, label string) {
		bar.Chips = append(bar.Chips, components.Chip{Label: label, RemoveHref: l.with(name, "")})
	}
	if !tabKnown {
		words := make([]string, len(f.Statuses))
		for i, s := range f.Statuses {
			words[i] = strings.ToLower(statusWord(s))
		}
		chip("status", "Status is "+strings.Join(words, ", "))
	}
	for _, t := range concernViews {
		if t.concern == f.Concern && (t.label == "" || len(f.Statuses) > 0) { // a tab says it otherwise
			chip("attention", t.chip)
		}
	}
	if !f.FailedSince.IsZero() {
		chip("failed_since", "Failed since "+glue(calendar.DateOf(f.FailedSince).Format(dayForm)))
	}
	if !f.DueFrom.IsZero() {
		chip("due_from", "Due from "+glue(calendar.DateOf(f.DueFrom).Format(dayForm)))
	}
	if !f.DueTo.IsZero() {
		chip("due_to", "Due to "+glue(calendar.DateOf(f.DueTo).Format(dayForm)))
	}
	if f.MinCents != 0 {
		chip("amount_min", "Amount ≥ "+sum(f.MinCents, "ZAR"))
	}
	if f.MaxCents != 0 {
		chip("amount_max", "Amount ≤ "+sum(f.MaxCents, "ZAR"))
	}
	if f.BatchID != uuid.Nil {
		chip("batch", "Batch "+l.batch)
	}
	if f.ClientID != uuid.Nil {
		chip("client", "One client")
	}
	if f.TokenID != uuid.Nil {
		chip("token", "Charged with one account")
	}
	if len(bar.Chips) > 0 {
		bar.ClearHref = "/purchases"
	}
	return bar
}

func purchaseRow(rec purchase.Record, rules collection.Timetable, now time.Time) pages.PurchaseRow {
	row := pages.PurchaseRow{
		Href: "/purchases/" + rec.ID.String(), Reference: reference(rec.Purchase), Note: lineWords(rec.Details), Client: payerName(rec.Purchase), Email: rec.Payer.Email,
		Amount: minus(amountIn(rec.TotalCents, rec.Currency)), Pill: statusPill(rec, rules, now),
	}
	if rec.DueGiven {
		row.Due = dayOf(rec.Due)
	}
	if rec.Collection != nil {
		row.Action = dayTime(rec.Collection.ActionDate)
	}
	row.Result, row.ResultClass = resultWords(rec, now)
	return row
}

func (p *Purchases) nothing(l *listing, f purchase.Filter, chips []components.Chip) components.Empty {
	if !f.Narrow() && len(f.Statuses) == 0 && l.ask.From == uuid.Nil {
		return components.Empty{Icon: "receipt", Title: "No purchase yet", Text: "A purchase is one amount to be collected from one client.",
			Action: components.Button{Label: "New purchase", Href: "/purchases/new", Kind: "plain", Changes: true}}
	}
	e := components.Empty{Kind: components.NothingMatches, ClearHref: "/purchases"}
	if f.Search != "" {
		e.Filters = append(e.Filters, "“"+f.Search+"”")
	}
	for _, t := range concernViews {
		if t.concern == f.Concern && t.label != "" {
			e.Filters = append(e.Filters, t.label)
		}
	}
	for _, c := range chips {
		e.Filters = append(e.Filters, c.Label)
	}
	return e
}

// withConcern is the address of the list of one concern, and withStatus that of some
// statuses: each is a tab, so one takes the other away.
func (l *listing) withConcern(c purchase.Concern) string {
	return l.withTab("attention", string(c))
}

func (l *listing) withStatus(statuses []purchase.Status) string {
	return l.withTab("status", joined(statuses))
}

func (l *listing) withTab(name, value string) string {
	next := *l
	next.query = maps.Clone(l.query)
	for _, tab := range []string{"attention", "failed_since", "status"} {
		next.query.Del(tab)
	}
	return next.with(name, value)
}

// reference is what the merchant calls the purchase: its own reference, else ours.
func reference(p purchase.Purchase) string {
	if p.Reference != "" {
		return p.Reference
	}
	return p.ReferenceGenerated
}

// payerName is who pays, as well as it is known.
func payerName(p purchase.Purchase) string {
	for _, name := range []string{p.Payer.FullName, p.Payer.LegalName, p.Payer.BrandName, p.Payer.Email} {
		if name != "" {
			return name
		}
	}
	return "Client not named yet"
}

// lineWords is what the purchase is for, in one line.
func lineWords(d purchase.Details) string {
	switch len(d.Products) {
	case 0:
		return ""
	case 1:
		return d.Products[0].Name
	}
	return d.Products[0].Name + " and " + counted(int64(len(d.Products)-1), "more line")
}

// amountIn leaves the currency out when it is the rand, which table heads name.
func amountIn(cents int64, currency string) string {
	if currency == money.ZAR {
		return money.Amount(cents)
	}
	return money.Format(cents, currency)
}

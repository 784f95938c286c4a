package bankfiles

import (
	"context"
	"encoding/binary"
	"net/url"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// dayFilter narrows the reconciliation.
type dayFilter struct {
	From, To date
	State    exchange.DayState
}

var dayStates = []exchange.DayState{exchange.DayDiffers, exchange.DayAccepted, exchange.DayUntold, exchange.DayEarly,
	exchange.DayAddsUp}

// OpenFindingsHref is the list of the findings that nobody has dealt with.
const OpenFindingsHref = findingsPath + "?state=open"

// UnmatchedHref is the list of the movements that match nothing.
const UnmatchedHref = movementsPath + "?state=unmatched"

// DiffersHref is the list of the days of the last month that do not add up.
const DiffersHref = daysPath + "?state=differs"

// DiffersBetween is the list of the days between two that do not add up.
func DiffersBetween(first, last date) string {
	return DiffersHref + "&from=" + first.String() + "&to=" + last.String()
}

// dayID names a day where rows are named by ids.
func dayID(d exchange.Day) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[8:], uint64(d.Day.At(0, 0).Unix())) //nolint:gosec // days after 1970
	return id
}

// The days that are shown where nobody says which: a month, and what is handed over for the next days.
const daysBack, daysAhead = 30, 7

func (h *Pages) days() kit.Shown {
	return &kit.List[exchange.Day, dayFilter]{
		Desk:    h.Desk,
		Exports: h.Exports,
		Path:    daysPath,
		Active:  section,
		One:     "bank day",
		Nav:     components.StatusTabs(nav(daysPath)),
		Head: components.PageHead{
			Title: "Reconciliation",
			Sub: "Debits count on their debit date; returns, disputes and refunds on the day of the bank’s answer. " +
				"All sums are in rand.",
		},
		Query: func(ctx context.Context, who actor.Actor, f dayFilter, _ paging.Ask) (paging.Page[exchange.Day], error) {
			all, err := h.Exchange.Days(ctx, who, f.From, f.To)
			var page paging.Page[exchange.Day]
			for _, d := range all {
				if f.State == "" || d.State() == f.State {
					page.Items = append(page.Items, d)
				}
			}
			return page, err
		},
		ID: dayID,
		Count: func(ctx context.Context, who actor.Actor, f dayFilter) (kit.Tally, error) {
			all, err := h.Exchange.Days(ctx, who, f.From, f.To)
			counts := map[exchange.DayState]int64{}
			for _, d := range all {
				counts[d.State()]++
			}
			return kit.TallyOf(counts, kit.Split[exchange.DayState](string(f.State)), false, 0), err
		},
		By: "state",
		Views: []kit.View{kit.ViewOf("Do not add up", "state", exchange.DayDiffers),
			kit.ViewOf("Accepted", "state", exchange.DayAccepted).WhenAny(),
			kit.ViewOf("No statement", "state", exchange.DayUntold), kit.ViewOf("Too early", "state", exchange.DayEarly),
			kit.ViewOf("Add up", "state", exchange.DayAddsUp)},
		Filters: []kit.Filter[dayFilter]{
			kit.StateFilter("state", "a state of a day", dayStates, func(f *dayFilter) *exchange.DayState { return &f.State }),
			kit.DatePeriodFilter("when", "Bank day", func(f *dayFilter) *date { return &f.From },
				func(f *dayFilter) *date { return &f.To }),
			kit.FromDate("from", "From", func(f *dayFilter) *date { return &f.From }),
			kit.ToDate("to", "To", func(f *dayFilter) *date { return &f.To }),
			{Key: "", Read: h.someDays},
		},
		Columns: dayColumns,
		Empty: components.Empty{Icon: "calendar", Title: "Nothing to reconcile in these days",
			Text: "A day appears when debits are handed over for it, or when the bank reports on it."},
		NoMatch: components.Empty{
			Title: "No such day",
			Text:  "Nothing was handed over for these days, and the bank has reported nothing about them.",
		},
	}
}

// someDays are those that are shown where the address does not say which.
func (h *Pages) someDays(l *kit.Listing, f *dayFilter) {
	today := calendar.DateOf(h.Desk.Now())
	if f.To.IsZero() {
		if f.To = today.AddDays(daysAhead); !f.From.IsZero() && f.From.After(f.To) {
			f.To = f.From.AddDays(daysBack)
		}
		l.Query.Set("to", f.To.String())
	}
	if f.From.IsZero() {
		f.From = f.To.AddDays(-daysBack - daysAhead)
		l.Query.Set("from", f.From.String())
	}
}

// Days serves GET /bank/days.
func (h *Pages) Days(c echo.Context) error { return h.days().Show(c) }

// ExportDays serves GET /bank/days/export.
func (h *Pages) ExportDays(c echo.Context) error { return h.days().Export(c) }

// ExportedDays is the list for exports in the background.
func (h *Pages) ExportedDays() kit.Exportable { return h.days() }

func partHref(day date, part exchange.DayPart) string {
	return kit.Address(itemsPath, url.Values{"day": {day.String()}, "part": {string(part)}})
}

func bookedHref(day date) string {
	return kit.Address(movementsPath, url.Values{"from": {day.String()}, "to": {day.String()},
		"state": {string(exchange.EntryMatched)}})
}

// figureColumn leads to what a figure was made of.
func figureColumn(label string, of func(exchange.Day) exchange.Figure, href func(exchange.Day) string,
) kit.Column[exchange.Day] {
	return kit.ColumnOf(label, func(d exchange.Day) components.Cell {
		f := of(d)
		if f.Count == 0 {
			return components.Cell{}
		}
		return components.Cell{Part: components.To(components.Link{Text: words.Minus(money.Amount(f.Cents)), Href: href(d)}),
			Second: words.Grouped(f.Count)}
	}).Number().InFile(label+" (R)", 14, func(d exchange.Day) export.Cell { return export.Amount(of(d).Cents) }).
		InFile(label+", number", 10, func(d exchange.Day) export.Cell { return export.Count(of(d).Count) })
}

func part(p exchange.DayPart) func(exchange.Day) string {
	return func(d exchange.Day) string { return partHref(d.Day, p) }
}

var dayColumns = []kit.Column[exchange.Day]{
	kit.ColumnOf("Day", func(d exchange.Day) components.Cell {
		return components.Cell{Text: words.Glue(d.Day.Format("Mon 2 Jan 2006")), Href: dayHref(d.Day)}
	}).InFile("Day", 14, func(d exchange.Day) export.Cell { return export.Day(d.Day) }),
	figureColumn(
		"Handed over",
		func(d exchange.Day) exchange.Figure { return d.HandedOver },
		part(exchange.PartHandedOver),
	),
	figureColumn("Acknowledged", func(d exchange.Day) exchange.Figure { return d.Acknowledged },
		part(exchange.PartAcknowledged)),
	figureColumn("No answer", func(d exchange.Day) exchange.Figure { return d.Open }, part(exchange.PartOpen)),
	figureColumn("Paid", func(d exchange.Day) exchange.Figure { return d.Paid }, part(exchange.PartPaid)),
	figureColumn("Went back", func(d exchange.Day) exchange.Figure { return d.Back }, part(exchange.PartBack)),
	figureColumn("Expected", func(d exchange.Day) exchange.Figure {
		return exchange.Figure{Count: d.Paid.Count + d.Back.Count, Cents: d.ExpectedCents()}
	}, part(exchange.PartExpected)),
	figureColumn("Booked", func(d exchange.Day) exchange.Figure { return d.Booked },
		func(d exchange.Day) string { return bookedHref(d.Day) }),
	kit.ColumnOf("Difference", func(d exchange.Day) components.Cell {
		cents, told := d.Difference()
		switch {
		case !told:
			return components.Cell{}
		case cents == 0:
			return components.Cell{Text: words.Minus(money.Amount(cents))}
		}
		return components.Cell{Part: components.To(components.Link{Text: words.Minus(money.Amount(cents)),
			Href: dayHref(d.Day)})}
	}).Number().FileText("Accepted because", 40, func(d exchange.Day) string { return d.Note.Note }).
		InFile("Difference (R)", 14, func(d exchange.Day) export.Cell {
			cents, told := d.Difference()
			if !told {
				return export.Cell{}
			}
			return export.Amount(cents)
		}),
	kit.PillColumn("State", 16, func(d exchange.Day) components.Pill { return dayPills[d.State()] }),
}

// partWords are the figures of a day, for the heads of their lists.
var partWords = map[exchange.DayPart]string{exchange.PartHandedOver: "Handed over",
	exchange.PartAcknowledged: "Acknowledged", exchange.PartOpen: "No answer", exchange.PartPaid: "Paid",
	exchange.PartBack: "Went back", exchange.PartExpected: "Expected on the account"}

func (h *Pages) items() kit.Shown {
	l := itemsOf(h, itemsPath, "", func(*exchange.ItemFilter) {})
	l.Exports, l.Nav = h.Exports, components.StatusTabs(nav(daysPath))
	l.Head = components.PageHead{Title: "Items", Back: components.Link{Text: "Reconciliation", Href: daysPath},
		Sub: "What a figure of the reconciliation is made of."}
	l.Title, l.Card = "Items", components.Card{}
	dayPart := kit.Filter[exchange.ItemFilter]{Key: "part", Read: func(l *kit.Listing, f *exchange.ItemFilter) {
		kit.ReadOne("part", "a figure of a day", exchange.DayParts,
			func(f *exchange.ItemFilter) *exchange.DayPart { return &f.Part })(l, f)
		if f.Part != "" && f.Day.IsZero() {
			f.Part = ""
			l.Query.Del("part")
		}
		if f.Part == "" {
			f.Day = date{}
			l.Query.Del("day")
		}
	}, Chip: func(_ *kit.Listing, text string) string { return partWords[exchange.DayPart(text)] }}
	l.Filters = []kit.Filter[exchange.ItemFilter]{outcomeFilter,
		kit.DayFilter("day", "On", func(f *exchange.ItemFilter, day date) { f.Day = day }), dayPart,
		kit.ChoiceFilter("item_state", "a state of an item", "State is ",
			components.Select{Label: "State", Blank: "Any state", Quiet: true, Options: stateOptions()},
			func(f *exchange.ItemFilter) *exchange.ItemState { return &f.State })}
	l.Columns = append(itemColumns(func(i exchange.ItemLine) int64 { return i.DayCents }), itemFileColumn)
	around := l.Around
	l.Around = func(c echo.Context, at *kit.Listing, v *pages.ListView) error {
		if p := exchange.DayPart(at.Query.Get("part")); p != "" {
			day, _ := calendar.ParseDate(at.Query.Get("day")) // it was read before
			v.Head.Title = partWords[p] + ", " + day.Format("Mon 2 Jan 2006")
		}
		return around(c, at, v)
	}
	l.Empty = components.Empty{Icon: "receipt", Title: "Nothing was handed over yet",
		Text: "Debits, refunds and mandate requests appear here when they are handed over to the bank."}
	return l
}

func stateOptions() (out []components.Option) {
	for _, s := range []exchange.ItemState{exchange.ItemWaiting, exchange.ItemLate, exchange.ItemHeld, exchange.ItemSent,
		exchange.ItemRefused, exchange.ItemDropped, exchange.ItemDamaged, exchange.ItemWithdrawn} {
		out = append(out, components.Option{Value: string(s), Text: itemPills[s].Word})
	}
	return out
}

// Items serves GET /bank/items.
func (h *Pages) Items(c echo.Context) error { return h.items().Show(c) }

// ExportItems serves GET /bank/items/export.
func (h *Pages) ExportItems(c echo.Context) error { return h.items().Export(c) }

// ExportedItems is the list for exports in the background.
func (h *Pages) ExportedItems() kit.Exportable { return h.items() }

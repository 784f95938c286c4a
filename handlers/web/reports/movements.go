package reports

import (
	"context"
	"net/url"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/report"
	"debitdesk/views/components"
)

const (
	movementsPath = "/reports/movements"
	partsPath     = "/reports/parts"
)

// MovementsHref is the list of the movements of some days in one direction; empty: in both.
func MovementsHref(direction report.Direction, from, to calendar.Date, currency string) string {
	q := url.Values{"from": {from.String()}, "to": {to.String()}, "direction": {string(direction)},
		"currency": {currency}}
	for name := range q {
		if q.Get(name) == "" {
			q.Del(name)
		}
	}
	return kit.Address(movementsPath, q)
}

// kindWords name the movements of money.
var kindWords = map[string]components.Pill{
	"collected":    {Kind: "done", Word: "Collected"},
	"returned":     {Kind: "bad", Word: "Returned unpaid"},
	"disputed":     {Kind: "bad", Word: "Disputed"},
	"dispute_won":  {Kind: "done", Word: "Dispute won"},
	"refunded":     {Kind: "wait", Word: "Refunded"},
	"paid_by_hand": {Kind: "done", Word: "Marked as paid"},
}

// movementWords name one movement: a payment by hand that was taken back is not marked as paid.
func movementWords(m report.Movement) components.Pill {
	if m.Kind == "paid_by_hand" && m.Cents < 0 {
		return components.Pill{Kind: "wait", Word: "Payment taken back"}
	}
	return kindWords[m.Kind]
}

func (h *Reports) movements() kit.Shown {
	return &kit.List[report.Movement, report.MovementFilter]{
		Desk: h.Desk, Exports: h.Exports, Path: movementsPath, Active: reportsSection, One: "movement",
		Source: "movements of money",
		Head: components.PageHead{Title: "Movements of money", Back: components.Link{Text: "Reports", Href: "/reports"},
			Sub: "Each on the day on which it was booked."},
		Query: h.Money.Movements, ID: func(m report.Movement) uuid.UUID { return m.ID },
		Count: func(ctx context.Context, who actor.Actor, f report.MovementFilter) (kit.Tally, error) {
			sum, err := h.Money.SumMovements(ctx, who, f)
			return h.summed(ctx, who, sum, f.Currency, err)
		},
		By: "direction", Views: []kit.View{{Label: "Came in", Key: "direction", Value: string(report.In)},
			{Label: "Went back", Key: "direction", Value: string(report.Out)}},
		Filters: []kit.Filter[report.MovementFilter]{
			kit.PastDateFilter("when", "Booked", func(f *report.MovementFilter) *calendar.Date { return &f.From },
				func(f *report.MovementFilter) *calendar.Date { return &f.To }),
			kit.FromDate("from", "Booked from", func(f *report.MovementFilter) *calendar.Date { return &f.From }),
			kit.ToDate("to", "Booked to", func(f *report.MovementFilter) *calendar.Date { return &f.To }),
			kit.StateFilter("direction", "a direction", []report.Direction{report.In, report.Out},
				func(f *report.MovementFilter) *report.Direction { return &f.Direction }),
			kindFilter,
			currencyFilter(func(f *report.MovementFilter) *string { return &f.Currency }),
			kit.IdFilter("client", "One client", func(f *report.MovementFilter) *uuid.UUID { return &f.ClientID }),
		},
		Columns: []kit.Column[report.Movement]{
			referenceColumn,
			kit.MomentColumn("Booked", 18, func(m report.Movement) time.Time { return m.At }),
			kit.PillColumn("Movement", 18, func(m report.Movement) components.Pill { return movementWords(m) }),
			kit.ColumnOf("Reason", func(m report.Movement) components.Cell {
				if m.Code == "" {
					return components.Cell{}
				}
				return components.Cell{Text: bank.Label(m.Code)}
			}).FileText("Code", 8, func(m report.Movement) string { return m.Code }),
			amountColumn,
		},
		Empty: components.Empty{Icon: "money", Title: "No money has moved yet",
			Text: "Collected debits, returns, disputes and refunds are listed here."},
	}
}

// summed puts a sum into the foot of a list. Amounts of several currencies are not added up.
func (h *Reports) summed(ctx context.Context, who actor.Actor, sum report.MovementSum, currency string,
	err error) (kit.Tally, error) {
	t := kit.Tally{Found: kit.FoundUpTo(sum.N, sum.N)}
	if err != nil {
		return t, err
	}
	if currency == "" {
		brands, err := h.Brands.Brands(ctx, who.MerchantID)
		if err != nil {
			return t, err
		}
		all := report.Currencies(brands)
		if len(all) != 1 {
			return t, nil
		}
		currency = all[0]
	}
	t.Cents, t.Sum = kit.SumIn(sum.Cents, currency), " · "+words.SumOf(sum.Cents, currency)
	return t, nil
}

// kindFilter takes the movements of one kind.
var kindFilter = kit.Filter[report.MovementFilter]{Key: "kind", Read: func(l *kit.Listing, f *report.MovementFilter) {
	text := l.Query.Get("kind")
	if _, known := kindWords[text]; text != "" && !known {
		l.Unknown("kind", "a kind of movement")
		return
	}
	f.Kind = text
}, Chip: func(_ *kit.Listing, text string) string { return kindWords[text].Word }}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

func currencyFilter[F any](into func(*F) *string) kit.Filter[F] {
	return kit.Filter[F]{Key: "currency", Read: func(l *kit.Listing, f *F) {
		text := l.Query.Get("currency")
		if text != "" && !currencyForm.MatchString(text) {
			l.Unknown("currency", "a currency")
			return
		}
		*into(f) = text
	}, Chip: func(_ *kit.Listing, text string) string { return text }}
}

var (
	referenceColumn = kit.ColumnOf("Purchase", func(m report.Movement) components.Cell {
		return components.Cell{Text: m.Reference, Href: words.PurchasePath(m.PurchaseID), Second: m.Payer}
	}).FileText("Reference", 20, func(m report.Movement) string { return m.Reference }).
		FileText("Client", 28, func(m report.Movement) string { return m.Payer })
	amountColumn = kit.ColumnOf("Amount", func(m report.Movement) components.Cell {
		return components.Cell{Text: words.Sum(m.Cents, m.Currency)}
	}).Number().InFile("Amount", 13, func(m report.Movement) export.Cell { return export.Amount(m.Cents) }).
		FileText("Currency", 9, func(m report.Movement) string { return m.Currency })
)

// Movements serves GET /reports/movements.
func (h *Reports) Movements(c echo.Context) error { return h.movements().Show(c) }

// ExportMovements serves GET /reports/movements/export.
func (h *Reports) ExportMovements(c echo.Context) error { return h.movements().Export(c) }

// ExportedMovements is the list for exports in the background.
func (h *Reports) ExportedMovements() kit.Exportable { return h.movements() }

// partHref is the list of what a part of the balance was made of at the end of a day.
func partHref(part report.Part, asOf calendar.Date, currency string) string {
	return kit.Address(partsPath, url.Values{"part": {string(part)}, "as_of": {asOf.String()}, "currency": {currency}})
}

var partWords = map[report.Part]string{report.Returnable: "May still be returned", report.Owed: "Owed to clients"}

func (h *Reports) parts() kit.Shown {
	return &kit.List[report.Movement, report.PartFilter]{
		Desk: h.Desk, Exports: h.Exports, Path: partsPath, Active: reportsSection, One: "amount",
		Source: "parts of the balance",
		Head: components.PageHead{
			Title: "Parts of the balance",
			Back:  components.Link{Text: "Reports", Href: "/reports"},
			Sub: "Debits that could still be returned at the end of a day, less what of them was refunded; " +
				"and refunds that were not paid out.",
		},
		Query: h.Money.PartRows, ID: func(m report.Movement) uuid.UUID { return m.ID },
		Count: func(ctx context.Context, who actor.Actor, f report.PartFilter) (kit.Tally, error) {
			sum, err := h.Money.SumPart(ctx, who, f)
			return h.summed(ctx, who, sum, f.Currency, err)
		},
		By: "part", Views: []kit.View{{Label: partWords[report.Returnable], Key: "part", Value: string(report.Returnable)},
			{Label: partWords[report.Owed], Key: "part", Value: string(report.Owed)}},
		Filters: []kit.Filter[report.PartFilter]{
			{Key: "part", View: true, Chip: kit.SameChip(""), Read: func(l *kit.Listing, f *report.PartFilter) {
				kit.ReadOne("part", "a part of the balance", report.Parts,
					func(f *report.PartFilter) *report.Part { return &f.Part })(l, f)
				if f.Part == "" {
					f.Part = report.Returnable
					l.Query.Set("part", string(f.Part))
				}
			}},
			kit.DayFilter("as_of", "At the end of", func(f *report.PartFilter, day calendar.Date) { f.AsOf = day }),
			{Key: "", Read: func(l *kit.Listing, f *report.PartFilter) {
				if today := calendar.DateOf(h.Desk.Now()); f.AsOf.IsZero() || f.AsOf.After(today) || f.AsOf.Year < 1 {
					f.AsOf = today
					l.Query.Set("as_of", today.String())
				}
			}},
			currencyFilter(func(f *report.PartFilter) *string { return &f.Currency }),
		},
		Columns: []kit.Column[report.Movement]{
			referenceColumn,
			kit.MomentColumn("Since", 18, func(m report.Movement) time.Time { return m.At }),
			amountColumn,
		},
		NoMatch: components.Empty{Title: "Nothing here", Text: "There was no such amount at the end of that day."},
	}
}

// Parts serves GET /reports/parts.
func (h *Reports) Parts(c echo.Context) error { return h.parts().Show(c) }

// ExportParts serves GET /reports/parts/export.
func (h *Reports) ExportParts(c echo.Context) error { return h.parts().Export(c) }

// ExportedParts is the list for exports in the background.
func (h *Reports) ExportedParts() kit.Exportable { return h.parts() }

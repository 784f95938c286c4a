package clients

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// accountFilter is the day at whose end the account of a client is looked at.
type accountFilter struct {
	AsOf           calendar.Date
	Open, Credited bool
}

// account lists what a client was billed and paid, as it stood at the end of a day.
func (h *Clients) account(one client.Client) kit.Shown {
	path := words.ClientHref(one.ID) + "/account"
	return &kit.List[report.AccountLine, accountFilter]{
		Desk: h.Desk, Exports: h.Exports, Path: path, Active: clientsSection, One: "purchase",
		Source: "account of a client",
		Head: components.PageHead{Title: "Account of " + one.Name(),
			Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)},
			Sub:  "As it stood at the end of a day. What was booked by then counts, whatever day it was for."},
		Query: func(ctx context.Context, who actor.Actor, f accountFilter,
			ask paging.Ask) (paging.Page[report.AccountLine], error) {
			a, err := h.Money.Account(ctx, who, one.ID, f.AsOf)
			return kit.PageOf(f.lines(a), lineID, ask), err
		},
		ID: lineID,
		Count: func(ctx context.Context, who actor.Actor, f accountFilter) (t kit.Tally, err error) {
			a, err := h.Money.Account(ctx, who, one.ID, f.AsOf)
			n := int64(len(f.lines(a)))
			t.Found = kit.FoundUpTo(n, n)
			if a.More {
				t.Found = kit.FoundUpTo(n+1, n)
			}
			switch {
			case f.Credited:
				t.Cents = kit.SumIn(a.CreditedCents, money.ZAR)
			case f.Open:
				t.Cents = kit.SumIn(a.Owing, money.ZAR)
			default:
				t.Cents = kit.SumIn(a.BilledCents, money.ZAR)
			}
			return t, err
		},
		By: "state", Views: []kit.View{{Label: "Still to be paid", Key: "open", Value: "yes"},
			{Label: "Credited", Key: "credited", Value: "yes", Rare: true}},
		Filters: []kit.Filter[accountFilter]{
			kit.DayFilter("as_of", "At the end of", func(f *accountFilter, day calendar.Date) { f.AsOf = day }),
			{Key: "", Read: func(l *kit.Listing, f *accountFilter) {
				if today := calendar.DateOf(h.Desk.Now()); f.AsOf.IsZero() || f.AsOf.After(today) || f.AsOf.Year < 1 {
					f.AsOf = today
					l.Query.Set("as_of", today.String())
				}
			}},
			{Key: "open", View: true, Chip: kit.SameChip(""), Read: kit.OnlyFilter("open", "yes", "a view of the account", "",
				func(f *accountFilter) *bool { return &f.Open }).Read},
			{Key: "credited", View: true, Chip: kit.SameChip(""), Read: kit.OnlyFilter("credited", "yes",
				"a view of the account", "", func(f *accountFilter) *bool { return &f.Credited }).Read},
		},
		Columns: []kit.Column[report.AccountLine]{
			kit.ColumnOf("Purchase", func(l report.AccountLine) components.Cell {
				return components.Cell{Text: l.Reference, Href: words.PurchasePath(l.ID)}
			}).FileText("Reference", 20, func(l report.AccountLine) string { return l.Reference }),
			kit.MomentColumn("Made", 18, func(l report.AccountLine) time.Time { return l.MadeAt }),
			kit.ColumnOf("Status then", func(l report.AccountLine) components.Cell {
				return components.Cell{Text: words.StatusWord(l.Status), Second: "since " + words.Moment(l.ChangedAt).Text}
			}).FileText("Status then", 18, func(l report.AccountLine) string { return words.StatusWord(l.Status) }),
			centsColumn("Billed", report.AccountLine.BilledCents),
			centsColumn("Credited", report.AccountLine.CreditedCents),
			centsColumn("Paid by then", func(l report.AccountLine) int64 { return l.ReceivedCents }),
			centsColumn("Refunded", func(l report.AccountLine) int64 { return l.RefundedCents }),
			centsColumn("Still to be paid", report.AccountLine.OwedCents),
		},
		Around: func(c echo.Context, _ *kit.Listing, v *pages.ListView) error {
			day := h.asOf(c.QueryParam("as_of"))
			a, err := h.Money.Account(c.Request().Context(), access.Actor(c), one.ID, day)
			if err != nil {
				return err
			}
			v.Above = components.Figures(accountStats(a, path, one.ID))
			v.Head.Secondary = append(v.Head.Secondary, components.Button{Label: "Statement (PDF)", Icon: "download",
				Href: path + "/statement.pdf?as_of=" + day.String()})
			if access.Actor(c).Can(actor.Write) && !one.Erased() {
				v.Head.Secondary = append(v.Head.Secondary, components.Button{Label: "Mail statement…", Icon: "mail",
					Href: path + "/mailing?as_of=" + day.String(), Changes: true})
			}
			return nil
		},
		Empty:   components.Empty{Icon: "receipt", Title: "Nothing was billed by then"},
		NoMatch: components.Empty{Title: "Nothing was billed by then"},
	}
}

// lines are those of the account that the filter lets through.
func (f accountFilter) lines(a report.Account) (out []report.AccountLine) {
	for _, l := range a.Lines {
		if (!f.Open || l.OwedCents() != 0) && (!f.Credited || l.CreditedCents() != 0) {
			out = append(out, l)
		}
	}
	return out
}

func lineID(l report.AccountLine) uuid.UUID { return l.ID }

func centsColumn(label string, of func(report.AccountLine) int64) kit.Column[report.AccountLine] {
	return kit.ColumnOf(label, func(l report.AccountLine) components.Cell {
		return components.Cell{Text: words.Sum(of(l), l.Currency)}
	}).Number().InFile(label, 13, func(l report.AccountLine) export.Cell { return export.Amount(of(l)) })
}

// accountStats are what the lines come to.
func accountStats(a report.Account, path string, id uuid.UUID) []components.Stat {
	asOf := "as_of=" + a.AsOf.String()
	open := int64(len(accountFilter{Open: true}.lines(a)))
	stat := func(label, note, href string, cents money.Sum) components.Stat {
		return components.Stat{Label: label, Value: words.SumOf(cents, money.ZAR), Note: note, Href: href,
			Total: components.Total{Cents: cents.String()}}
	}
	movements := "/reports/movements?client=" + id.String() + "&to=" + a.AsOf.String()
	out := []components.Stat{
		stat("Still to be paid", "billed, less credited and paid, with what was refunded, at the end of "+
			words.DayTime(a.AsOf).Text, path+"?"+asOf+"&open=yes", a.Owing),
		stat("Billed", "without what was withdrawn before it was invoiced", path+"?"+asOf, a.BilledCents),
		stat("Credited", "by credit note, or refunded", path+"?"+asOf+"&credited=yes", a.CreditedCents),
		stat("Paid", "all that came in, less what the bank took back", movements, a.PaidCents),
		stat("Refunded", "paid back to the client", movements, a.RefundedCents),
	}
	out[0].Total = components.Total{Count: words.Glued(words.Grouped(open)), Cents: a.Owing.String()}
	return out
}

// Account serves GET /clients/:id/account.
func (h *Clients) Account(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	return h.account(one).Show(c)
}

// ExportAccount serves GET /clients/:id/account/export.
func (h *Clients) ExportAccount(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	return h.account(one).Export(c)
}

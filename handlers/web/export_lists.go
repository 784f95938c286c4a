package web

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// words is a cell with what the page shows.
func words(text string) export.Cell { return export.Text(strings.ReplaceAll(text, money.NBSP, " ")) }

var clientHeads = []export.Head{{Text: "Client", Width: 28}, {Text: "E-mail", Width: 30}, {Text: "Phone", Width: 15}, {Text: "Bank", Width: 18}, {Text: "Account", Width: 13}, {Text: "Added (SAST)", Width: 20}}

func clientCells(c client.Client) []export.Cell {
	row := clientRow(c)
	bankName, account := "", ""
	if c.BankAccount != "" {
		bankName, account = bank.BankName(c.BankCode), c.BankAccount.String()
	}
	return []export.Cell{words(row.Name), words(c.Email), words(row.Phone), words(bankName), words(account), export.Moment(c.CreatedAt)}
}

// Export serves GET /clients/export.
func (h *Clients) Export(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	asked := c.QueryParams()
	for _, place := range []string{"after", "before"} {
		asked.Del(place)
	}
	state, ignored := clientListOf(asked)
	count, err := h.Service.Count(ctx, who, state.query, countUpTo+1)
	if err != nil {
		return err
	}
	return send(c, h.Exports, outgoing[client.Client]{
		list: "clients", filters: state.filters(), refused: ignored, found: clientsFound(count), heads: clientHeads, cells: clientCells,
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[client.Client], error) {
			q := state.query
			q.Ask = ask
			return h.Service.List(ctx, who, q)
		},
		id: func(c client.Client) uuid.UUID { return c.ID },
	})
}

func clientsFound(count int) rowsFound {
	if count > countUpTo {
		return rowsFound{n: countUpTo}
	}
	return rowsFound{n: int64(count), exact: true}
}

var tokenHeads = []export.Head{{Text: "Client", Width: 28}, {Text: "E-mail", Width: 30}, {Text: "Bank", Width: 18}, {Text: "Account", Width: 13}, {Text: "Method", Width: 11}, {Text: "State", Width: 11},
	{Text: "Last used (SAST)", Width: 17}, {Text: "Last success (SAST)", Width: 19}, {Text: "Failures in a row", Width: 17}, {Text: "Stored (SAST)", Width: 14}}

func tokenCells(e token.Entry, now time.Time) []export.Cell {
	row := tokenRow(e, now)
	return []export.Cell{words(row.Client), words(row.Email), words(row.Bank), words(row.Account), words(row.Method), words(row.Pill.Word),
		export.DayOf(e.LastUsedAt), export.DayOf(e.LastSuccessAt), export.Count(int64(e.Failures)), export.DayOf(e.CreatedAt)}
}

// Export serves GET /tokens/export.
func (h *Tokens) Export(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l, now := exportOf(c, "/tokens"), h.Desk.Now()
	f := tokenFilter(l)
	counts, err := h.Register.Counts(ctx, who, f)
	if err != nil {
		return err
	}
	return send(c, h.Exports, outgoing[token.Entry]{
		list: "tokens", filters: l.query, refused: l.notices, found: tokensFound(f, counts), heads: tokenHeads,
		cells: func(e token.Entry) []export.Cell { return tokenCells(e, now) },
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[token.Entry], error) {
			return h.Register.List(ctx, who, f, ask)
		},
		id: func(e token.Entry) uuid.UUID { return e.ID },
	})
}

func tokensFound(f token.Filter, counts map[token.State]int64) rowsFound {
	shown := counts[token.Active] + counts[token.Blocked]
	if len(f.States) > 0 {
		shown = 0
		for _, s := range f.States {
			shown += counts[s]
		}
	}
	if shown > token.CountLimit {
		return rowsFound{n: token.CountLimit}
	}
	return rowsFound{n: shown, exact: true}
}

var mandateHeads = []export.Head{{Text: "Client", Width: 28}, {Text: "E-mail", Width: 30}, {Text: "Method", Width: 11}, {Text: "Bank", Width: 18}, {Text: "Account", Width: 13}, {Text: "Amount (R)", Width: 12},
	{Text: "Maximum (R)", Width: 12}, {Text: "Day", Width: 12}, {Text: "State", Width: 20}, {Text: "Contract", Width: 20}, {Text: "Created (SAST)", Width: 14}}

func mandateCells(e mandate.Entry, now time.Time) []export.Cell {
	row := mandateRow(e, now)
	var price, most export.Cell // blank: what is owed under the agreement
	if e.AmountCents != 0 {
		price = export.Amount(e.AmountCents)
	}
	if t := e.Terms; t != nil {
		price, most = export.Amount(t.PriceCents), export.Amount(t.MaxAmountCents)
	}
	return []export.Cell{words(row.Client), words(row.Email), words(row.Method.Word), words(row.Bank), words(row.Account), price, most,
		words(row.Day), words(row.Pill.Word), words(row.Reference), export.DayOf(e.CreatedAt)}
}

// Export serves GET /mandates/export.
func (h *Mandates) Export(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l, now := exportOf(c, "/mandates"), h.Desk.Now()
	f := mandateFilter(l)
	counts, err := h.Service.Counts(ctx, who, f)
	if err != nil {
		return err
	}
	return send(c, h.Exports, outgoing[mandate.Entry]{
		list: "mandates", filters: l.query, refused: l.notices, found: mandatesFound(f, counts), heads: mandateHeads,
		cells: func(e mandate.Entry) []export.Cell { return mandateCells(e, now) },
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[mandate.Entry], error) {
			return h.Service.List(ctx, who, f, ask)
		},
		id: func(e mandate.Entry) uuid.UUID { return e.ID },
	})
}

func mandatesFound(f mandate.Filter, counts map[mandate.State]int64) rowsFound {
	return foundWithin(f.Narrow(), len(f.States) > 0, countOf(counts, nil), countOf(counts, f.States), mandate.CountLimit)
}

// foundWithin is what counts by status come to: under a filter they stop at a
// limit, and then the part of one status says nothing.
func foundWithin(narrow, someStatuses bool, all, shown, limit int64) rowsFound {
	switch cut := narrow && all > limit; {
	case !cut:
		return rowsFound{n: shown, exact: true}
	case someStatuses:
		return rowsFound{}
	}
	return rowsFound{n: limit}
}

var purchaseHeads = []export.Head{{Text: "Reference", Width: 20}, {Text: "For", Width: 30}, {Text: "Client", Width: 28}, {Text: "E-mail", Width: 30}, {Text: "Amount", Width: 13}, {Text: "Currency", Width: 9},
	{Text: "Status", Width: 18}, {Text: "Due (SAST)", Width: 12}, {Text: "Debit on", Width: 12}, {Text: "Result", Width: 32}}

func purchaseCells(rec purchase.Record, rules collection.Timetable, now time.Time) []export.Cell {
	row := purchaseRow(rec, rules, now)
	var due time.Time
	if rec.DueGiven {
		due = rec.Due
	}
	var debited calendar.Date
	if rec.Collection != nil {
		debited = rec.Collection.ActionDate
	}
	return []export.Cell{words(row.Reference), words(row.Note), words(row.Client), words(row.Email), export.Amount(rec.TotalCents), words(rec.Currency),
		words(row.Pill.Word), export.DayOf(due), export.Day(debited), words(row.Result)}
}

// Export serves GET /purchases/export.
func (p *Purchases) Export(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l, now := exportOf(c, "/purchases"), p.Desk.Now()
	f := purchaseFilter(l)
	var err error
	if f.BatchID, err = l.narrowToBatch(ctx, who, p.Batch); err != nil {
		return err
	}
	found, err := p.found(ctx, who, f)
	if err != nil {
		return err
	}
	return send(c, p.Exports, outgoing[purchase.Record]{
		list: "purchases", filters: l.query, refused: l.notices, found: found, heads: purchaseHeads,
		cells: func(rec purchase.Record) []export.Cell { return purchaseCells(rec, p.Service.Timetable, now) },
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[purchase.Record], error) {
			return p.Service.List(ctx, who, f, ask)
		},
		id: func(rec purchase.Record) uuid.UUID { return rec.ID },
	})
}

// found is how many purchases a filter lets through, as the page of the list says it.
func (p *Purchases) found(ctx context.Context, who actor.Actor, f purchase.Filter) (rowsFound, error) {
	if f.Concern != "" {
		t, err := p.Service.Tally(ctx, who, f, purchase.CountLimit)
		return foundUpTo(t.N), err
	}
	counts, err := p.Service.Counts(ctx, who, f)
	return purchasesFound(f, counts), err
}

// foundUpTo is a count that stops above the limit.
func foundUpTo(n int64) rowsFound {
	if n > purchase.CountLimit {
		return rowsFound{n: purchase.CountLimit}
	}
	return rowsFound{n: n, exact: true}
}

func purchasesFound(f purchase.Filter, counts map[string]int64) rowsFound {
	return foundWithin(f.Narrow(), len(f.Statuses) > 0, total(counts, nil), total(counts, f.Statuses), purchase.CountLimit)
}

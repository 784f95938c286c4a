package books

import (
	"context"
	"encoding/binary"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/paging"
	"debitdesk/views/components"
)

// placeID writes the place of an entry as the id by which lists go on.
func placeID(e journal.Listed) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(e.N))        //nolint:gosec // the number of an entry is above zero
	binary.BigEndian.PutUint16(id[8:], uint16(e.Day.Year)) //nolint:gosec // four digits
	id[10], id[11] = byte(e.Day.Month), byte(e.Day.Day)    //nolint:gosec // a month and a day of one
	return id
}

func placeOf(id uuid.UUID) (p journal.Place) {
	if id == uuid.Nil {
		return p
	}
	p.N = int64(binary.BigEndian.Uint64(id[:8])) //nolint:gosec // as placeID wrote it
	p.Day = calendar.Date{Year: int(binary.BigEndian.Uint16(id[8:])), Month: time.Month(id[10]), Day: int(id[11])}
	return p
}

// file is the list of entries as its file has it: one row for each entry, with a column for each account.
func (h *Books) file() kit.Shown {
	list := &kit.List[journal.Listed, journal.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: entriesPath, Active: section, One: "entry", Many: "entries",
		Head: components.PageHead{Title: "Entries"}, ID: placeID,
		Query: func(ctx context.Context, who actor.Actor, f journal.Filter,
			ask paging.Ask) (page paging.Page[journal.Listed], err error) {
			page.Items, page.Older, err = h.Journal.EntriesBehind(ctx, who, f, placeOf(ask.From), ask.Limit)
			return page, err
		},
		Found: func(ctx context.Context, who actor.Actor, f journal.Filter) (kit.RowsFound, error) {
			n, err := h.Journal.CountEntries(ctx, who, f)
			return kit.FoundAll(n), err
		},
		Filters: []kit.Filter[journal.Filter]{{Read: readFilter}},
		Columns: []kit.Column[journal.Listed]{
			kit.DateColumn("Day", 12, func(e journal.Listed) calendar.Date { return e.Day }),
			kit.DateColumn("True day", 12, func(e journal.Listed) calendar.Date { return e.TrueDay }),
			kit.TextColumn("Id", 14, func(e journal.Listed) string { return e.UID() }),
			kit.TextColumn("What happened", 16, func(e journal.Listed) string { return e.Word() }),
			kit.TextColumn("Reference", 20, func(e journal.Listed) string { return e.Reference }),
			kit.TextColumn("Client", 28, func(e journal.Listed) string { return e.Client }),
			kit.TextColumn("Currency", 9, func(e journal.Listed) string { return e.Currency }),
		},
	}
	column := func(label string, of func(journal.Listed) int64) {
		list.Columns = append(list.Columns, kit.ColumnOf(label, func(journal.Listed) components.Cell {
			return components.Cell{} // the page shows them otherwise
		}).InFile(label, 14, func(e journal.Listed) export.Cell { return export.Amount(of(e)) }))
	}
	for _, r := range journal.Roles {
		column(r.Word(), func(e journal.Listed) int64 { return e.Cents.Of(r) })
	}
	column("Counts as", func(e journal.Listed) int64 { return e.Figure })
	return list
}

// readFilter reads the filters as the page does. What is not understood is said, so that there is no file.
func readFilter(l *kit.Listing, f *journal.Filter) {
	read, _, wrong := filterOf(l.Query)
	for _, p := range append(wrong, read.Problems()...) {
		l.Unknown(p.Leaf(), "understood")
	}
	*f, _, _ = filterOf(l.Query) // from which Unknown has taken what is not understood
}

// entriesFileHref is the address of the list's file with what the page shows.
func entriesFileHref(q url.Values, format string) string {
	file := url.Values{"format": {format}}
	for name := range q {
		if value := q.Get(name); value != "" && name != "after" {
			file.Set(name, value)
		}
	}
	return entriesPath + "/export?" + file.Encode()
}

// ExportEntries serves GET /books/entries/export.
func (h *Books) ExportEntries(c echo.Context) error { return h.file().Export(c) }

// ExportedEntries is the list for exports in the background.
func (h *Books) ExportedEntries() kit.Exportable { return h.file() }

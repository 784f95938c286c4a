package web

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Audit serves the record of who did what.
type Audit struct {
	Desk    *Desk
	Book    *audit.Book
	Keeper  *audit.Keeper
	Exports *Exports
}

const auditRoom = settingsRoom

var actorKinds = []struct {
	kind actor.Kind
	word string
}{
	{actor.User, "Person"}, {actor.Credential, "Program"}, {actor.Payer, "Client"}, {actor.Bank, "Bank"}, {actor.System, "Debitdesk"}, {actor.Operator, "Command line"},
}

func kindWord(k actor.Kind) string {
	for _, one := range actorKinds {
		if one.kind == k {
			return one.word
		}
	}
	return string(k)
}

// List serves GET /audit.
func (h *Audit) List(c echo.Context) error { return h.list(c, components.Note{}) }

func (h *Audit) list(c echo.Context, check components.Note) error {
	l := listingOf(c, "/audit")
	f := auditFilter(l)
	ctx, who := c.Request().Context(), access.Actor(c)
	page, err := h.Book.List(ctx, who, f, l.ask)
	if err != nil {
		return err
	}
	n, err := h.Book.Count(ctx, who, f)
	if err != nil {
		return err
	}
	view := auditView(l, f, page, n)
	view.Check = check
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.AuditResults(view))
	}
	return h.Desk.show(c, http.StatusOK, "Audit", auditRoom, func(fr layout.Frame) templ.Component { return pages.Audit(fr, view) })
}

func auditFilter(l *listing) audit.Filter {
	f := audit.Filter{Search: l.query.Get("q"), Area: l.query.Get("area"), Kind: actor.Kind(l.query.Get("kind")), IP: l.query.Get("ip")}
	unknown := func(name, value string) {
		l.refuse("‘" + value + "’ is not known here. The filter was ignored.")
		l.query.Del(name)
	}
	if f.Area != "" && !slices.Contains(audit.Areas, f.Area) {
		unknown("area", f.Area)
		f.Area = ""
	}
	if f.Kind != "" && kindWord(f.Kind) == string(f.Kind) {
		unknown("kind", string(f.Kind))
		f.Kind = ""
	}
	for name, into := range map[string]*uuid.UUID{"object": &f.ObjectID, "actor": &f.ActorID} {
		if text := l.query.Get(name); text != "" {
			id, err := uuid.Parse(text)
			if err != nil {
				unknown(name, text)
			}
			*into = id
		}
	}
	if day := l.date("from"); !day.IsZero() {
		f.From = day.At(0, 0)
	}
	if day := l.date("to"); !day.IsZero() {
		f.To = day.AddDays(1).At(0, 0).Add(-time.Microsecond)
	}
	return f
}

func auditView(l *listing, f audit.Filter, page paging.Page[audit.Found], n int64) pages.AuditView {
	found := auditCount(n)
	view := pages.AuditView{Notices: l.notices}
	view.Filters = components.FilterBar{Action: "/audit", Target: "#results", Search: f.Search, SearchLabel: "Search the audit", Holder: "Words of an entry, a person, an action",
		Found: found.words(), Export: exportMenu(found, len(auditHeads), l.exportHref)}
	view.Area = components.Select{Label: "About", Name: "area", Blank: "Everything"}
	for _, a := range audit.Areas {
		view.Area.Options = append(view.Area.Options, components.Option{Value: a, Text: capital(a), Selected: a == f.Area})
	}
	view.Kind = components.Select{Label: "By", Name: "kind", Blank: "Anyone"}
	for _, k := range actorKinds {
		view.Kind.Options = append(view.Kind.Options, components.Option{Value: string(k.kind), Text: k.word, Selected: k.kind == f.Kind})
	}
	view.From = components.DateField{Label: "From", Name: "from", Value: l.query.Get("from")}
	view.To = components.DateField{Label: "To", Name: "to", Value: l.query.Get("to")}
	chip := func(name, label string) {
		view.Filters.Chips = append(view.Filters.Chips, components.Chip{Label: label, RemoveHref: l.with(name, "")})
		view.Filters.ClearHref = "/audit"
	}
	for _, one := range []struct{ name, label string }{{"area", "About " + f.Area}, {"kind", "By " + kindWord(f.Kind)}, {"object", "Object " + l.query.Get("object")},
		{"actor", "One actor"}, {"ip", "From " + f.IP}, {"from", "From " + l.query.Get("from")}, {"to", "To " + l.query.Get("to")}} {
		if l.query.Get(one.name) != "" {
			chip(one.name, one.label)
		}
	}
	for _, e := range page.Items {
		view.Rows = append(view.Rows, auditRow(e))
	}
	view.Pager = pager(l, page, "#results", found.words(), func(e audit.Found) uuid.UUID { return e.ID })
	view.Empty = components.Empty{Icon: "shield", Title: "No entries yet", Text: "Every change, and every look at a full number, is listed here with the person who made it."}
	if f != (audit.Filter{}) || l.ask.From != uuid.Nil {
		view.Empty = components.Empty{Kind: components.NothingMatches, ClearHref: "/audit"}
	}
	return view
}

func auditCount(n int64) rowsFound { return rowsFound{min(n, audit.CountLimit), n <= audit.CountLimit} }

func auditRow(e audit.Found) pages.AuditRow {
	return pages.AuditRow{Href: "/audit/" + e.ID.String(), Text: e.Text, Action: e.Action, Actor: actorWords(e.Actor), Kind: kindWord(e.Actor.Kind), IP: e.Actor.IP,
		At: moment(e.At), Link: linkWords(e.N)}
}

// linkWords is empty for an entry that waits to be linked.
func linkWords(n int64) string {
	if n == 0 {
		return "soon"
	}
	return grouped(n)
}

// Show serves GET /audit/:id.
func (h *Audit) Show(c echo.Context) error {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	e, err := h.Book.Entry(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	view := pages.AuditEntryView{Text: e.Text, Changes: auditChanges(e.Entry)}
	fact := func(label, value string, mono bool) {
		if value != "" {
			view.Facts.Items = append(view.Facts.Items, components.Fact{Label: label, Value: value, Mono: mono})
		}
	}
	fact("When", moment(e.At).Title, false)
	fact("Who", actorWords(e.Actor)+" – "+kindWord(e.Actor.Kind), false)
	fact("From", e.Actor.IP, true)
	fact("Request", e.Actor.RequestID, true)
	fact("Action", e.Action, true)
	view.Facts.Items = append(view.Facts.Items, components.Fact{Label: capital(e.ObjectType), Value: e.ObjectID.String(), Mono: true, Copy: e.ObjectID.String(), Href: objectHref(e.Entry)})
	if e.N > 0 {
		fact("Link of the chain", grouped(e.N), false)
		fact("Hash", hex.EncodeToString(e.Hash), true)
	} else {
		fact("Link of the chain", "It is linked within seconds.", false)
	}
	return h.Desk.show(c, http.StatusOK, "Audit entry", auditRoom, func(f layout.Frame) templ.Component { return pages.AuditEntry(f, view) })
}

// objectHref is where the object of an entry is shown; some have no page.
func objectHref(e audit.Entry) string {
	switch {
	case e.PurchaseID != uuid.Nil && e.ObjectType != "token" && e.ObjectType != "mandate":
		return "/purchases/" + e.PurchaseID.String()
	case e.ObjectType == "token":
		return "/tokens/" + e.ObjectID.String()
	case e.ObjectType == "mandate":
		return "/mandates/" + e.ObjectID.String()
	case e.ObjectType == "batch":
		return "/batches/" + e.ObjectID.String()
	case e.ObjectType == "client":
		return "/clients/" + e.ObjectID.String()
	}
	return ""
}

func auditChanges(e audit.Entry) []pages.AuditChange {
	names := map[string]bool{}
	for name := range e.Before {
		names[name] = true
	}
	for name := range e.After {
		names[name] = true
	}
	out := make([]pages.AuditChange, 0, len(names))
	for name := range names {
		before, was := e.Before[name]
		after, is := e.After[name]
		c := pages.AuditChange{Name: capital(fieldWords(name)), Before: "–", After: "–"}
		if was {
			c.Before = factWords(name, before)
		}
		if is {
			c.After = factWords(name, after)
		}
		c.Changed = was && is && c.Before != c.After
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b pages.AuditChange) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Check serves POST /audit/check: it walks the chain and says what it found.
func (h *Audit) Check(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	if err := h.Keeper.Link(ctx); err != nil {
		return err
	}
	found, err := h.Keeper.Verify(ctx, who)
	if err != nil {
		return err
	}
	note := components.Note{Kind: "done", Title: "The chain holds", Text: fmt.Sprintf("%s links were checked, from the first to the signed last one.", grouped(found.Links))}
	if !found.Holds() {
		note = components.Note{Kind: "bad", Title: "The chain is broken at link " + grouped(found.Broken), Text: found.Why + " The database was changed outside Debitdesk. Keep a copy of it, and find out who had access."}
	}
	return h.list(c, note)
}

var auditHeads = []export.Head{{Text: "Link", Width: 9}, {Text: "When (SAST)", Width: 20}, {Text: "Action", Width: 26}, {Text: "What", Width: 60}, {Text: "Who", Width: 26},
	{Text: "Kind", Width: 13}, {Text: "From", Width: 16}, {Text: "Request", Width: 36}, {Text: "Object", Width: 14}, {Text: "Object id", Width: 36}, {Text: "Changes", Width: 60}, {Text: "Hash", Width: 66}}

// Export serves GET /audit/export.
func (h *Audit) Export(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l := exportOf(c, "/audit")
	f := auditFilter(l)
	n, err := h.Book.Count(ctx, who, f)
	if err != nil {
		return err
	}
	return send(c, h.Exports, outgoing[audit.Found]{
		list: "audit entries", filters: l.query, refused: l.notices, found: auditCount(n), heads: auditHeads,
		cells: func(e audit.Found) []export.Cell {
			number := ""
			if e.N > 0 {
				number = strconv.FormatInt(e.N, 10)
			}
			var changes []string
			for _, one := range auditChanges(e.Entry) {
				changes = append(changes, one.Name+": "+one.Before+" → "+one.After)
			}
			return []export.Cell{words(number), words(e.At.In(calendar.SAST).Format("2006-01-02 15:04:05.000000")), words(e.Action), words(e.Text), words(e.Actor.Name), words(kindWord(e.Actor.Kind)),
				words(e.Actor.IP), words(e.Actor.RequestID), words(e.ObjectType), words(e.ObjectID.String()), words(strings.Join(changes, " · ")), words(hex.EncodeToString(e.Hash))}
		},
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[audit.Found], error) {
			return h.Book.List(ctx, who, f, ask)
		},
		id: func(e audit.Found) uuid.UUID { return e.ID },
	})
}

package settings

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
	"debitdesk/handlers/web/developers"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/trail"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Audit serves the record of who did what.
type Audit struct {
	Desk    *kit.Desk
	Book    *trail.Book
	Service *trail.Service
	Exports *kit.Exports
}

const auditSection = words.SettingsSection

var actorKinds = []struct {
	kind actor.Kind
	word string
}{
	{actor.User, "Person"}, {actor.Credential, "Program"}, {actor.Payer, "Client"}, {actor.Bank, "Bank"},
	{actor.System, "Debitdesk"}, {actor.Operator, "Command line"},
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
func (h *Audit) List(c echo.Context) error { return h.list(components.Note{}).Show(c) }

// Export serves GET /audit/export.
func (h *Audit) Export(c echo.Context) error { return h.list(components.Note{}).Export(c) }

// Exported is the list for exports in the background.
func (h *Audit) Exported() kit.Exportable { return h.list(components.Note{}) }

func (h *Audit) list(check components.Note) kit.Shown {
	return &kit.List[trail.Found, trail.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: "/audit", Active: auditSection, One: "audit entry", Many: "audit entries",
		Head: components.PageHead{Title: "Audit",
			Sub: "Who did what, when and from where. Entries cannot be changed; each is linked to the one before."},
		Nav:   pages.AuditNav(check),
		Query: h.Book.List, ID: func(e trail.Found) uuid.UUID { return e.ID },
		Count: func(ctx context.Context, who actor.Actor, f trail.Filter) (kit.Tally, error) {
			n, known, err := h.Book.Count(ctx, who, f)
			if !known {
				return kit.Tally{}, err
			}
			return kit.Tally{Found: kit.FoundUpTo(n, trail.CountLimit)}, err
		},
		Search: kit.Search[trail.Filter]{Label: "Search the audit", Holder: "Words of an entry, a person, an action",
			Set: func(f *trail.Filter, text string) { f.Search = text }},
		Filters: auditFilters(),
		Columns: []kit.Column[trail.Found]{
			kit.FileColumns[trail.Found]().FileText("Link", 9, func(e trail.Found) string {
				if e.N == 0 {
					return ""
				}
				return strconv.FormatInt(e.N, 10)
			}),
			kit.ColumnOf("When", func(e trail.Found) components.Cell {
				return components.Cell{Time: words.Moment(e.At)}
			}).Zoned().
				FileText("When (SAST)", 20, func(e trail.Found) string {
					return e.At.In(calendar.SAST).Format("2006-01-02 15:04:05.000000")
				}).SortBy(paging.Created),
			kit.ColumnOf("What", func(e trail.Found) components.Cell {
				return components.Cell{Text: weblink.HideLogin(e.Text), Href: "/audit/" + e.ID.String(), Second: e.Action,
					Small: "mono"}
			}).FileText("Action", 26, func(e trail.Found) string { return e.Action }).FileText("What", 60,
				func(e trail.Found) string { return weblink.HideLogin(e.Text) }),
			kit.ColumnOf("Who", func(e trail.Found) components.Cell {
				return components.Cell{Text: kit.ActorWords(e.Actor), Second: kindWord(e.Actor.Kind)}
			}).FileText("Who", 26, func(e trail.Found) string { return e.Actor.Name }).
				FileText("Kind", 13, func(e trail.Found) string { return kindWord(e.Actor.Kind) }),
			kit.ColumnOf("From", func(e trail.Found) components.Cell { return components.Cell{Text: e.Actor.IP, Look: "mono"} }).
				FileText("From", 16, func(e trail.Found) string { return e.Actor.IP }).
				FileText("Request", 36, func(e trail.Found) string { return e.Actor.RequestID }).
				FileText("Object", 14, func(e trail.Found) string { return e.ObjectType }).
				FileText("Object id", 36, func(e trail.Found) string { return e.ObjectID.String() }).
				FileText("Changes", 60, changesWords),
			kit.ColumnOf("Link", func(e trail.Found) components.Cell { return components.Cell{Text: linkWords(e.N)} }).Number().
				FileText("Hash", 66, func(e trail.Found) string { return hex.EncodeToString(e.Hash) }),
		}, Sorts: kit.ByAge,
		Empty: components.Empty{Icon: "shield", Title: "No entries yet",
			Text: "Every change, and every look at a full number, is listed here with the person who made it."},
	}
}

func changesWords(e trail.Found) string {
	var changes []string
	for _, one := range auditChanges(e.Entry) {
		changes = append(changes, one.Name+": "+one.Before+" → "+one.After)
	}
	return strings.Join(changes, " · ")
}

// areaWords are the areas whose actions begin with a word that the pages do not use.
var areaWords = map[string]string{ //nolint:gosec // words of a page
	"collection": "debit", "credential": "API credential", "followup": "follow-up", "membership": "person and role"}

func auditFilters() []kit.Filter[trail.Filter] {
	var kinds []components.Option
	for _, k := range actorKinds {
		kinds = append(kinds, components.Option{Value: string(k.kind), Text: k.word})
	}
	areas := kit.Options(trail.Areas...)
	for i := range areas {
		areas[i].Text = words.Capital(cmp.Or(areaWords[areas[i].Text], areas[i].Text))
	}
	area := kit.ChoiceFilter("area", "an area", "", components.Select{Label: "About", Blank: "Everything", Options: areas},
		func(f *trail.Filter) *string { return &f.Area })
	area.Chip = func(_ *kit.Listing, text string) string { return "About " + text }
	object := kit.IdFilter("object", "", func(f *trail.Filter) *uuid.UUID { return &f.ObjectID })
	object.Chip = developers.IdChip("Object ")
	return []kit.Filter[trail.Filter]{
		area,
		kit.ChoiceFilter("kind", "a kind of actor", "By ", components.Select{Label: "By", Blank: "Anyone", Options: kinds},
			func(f *trail.Filter) *actor.Kind { return &f.Kind }),
		object,
		kit.IdFilter("actor", "One actor", func(f *trail.Filter) *uuid.UUID { return &f.ActorID }),
		{Key: "ip", Read: func(l *kit.Listing, f *trail.Filter) { f.IP = l.Query.Get("ip") },
			Chip: func(_ *kit.Listing, text string) string { return "From " + text }},
		kit.PastFilter("when", "Happened", func(f *trail.Filter) *time.Time { return &f.From },
			func(f *trail.Filter) *time.Time { return &f.To }),
		kit.FromDay("from", "From", func(f *trail.Filter) *time.Time { return &f.From }),
		kit.ToDay("to", "To", func(f *trail.Filter) *time.Time { return &f.To }),
	}
}

// linkWords is empty for an entry that waits to be linked.
func linkWords(n int64) string {
	if n == 0 {
		return "soon"
	}
	return words.Grouped(n)
}

// Show serves GET /audit/:id.
func (h *Audit) Show(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	e, err := h.Book.Entry(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	view := pages.AuditEntryView{Text: weblink.HideLogin(e.Text), Changes: auditChanges(e.Entry)}
	fact := func(label, value string, mono bool) {
		if value != "" {
			view.Facts.Items = append(view.Facts.Items, components.Fact{Label: label, Value: value, Mono: mono})
		}
	}
	fact("When", words.Moment(e.At).Title, false)
	fact("Who", kit.ActorWords(e.Actor)+" – "+kindWord(e.Actor.Kind), false)
	fact("From", e.Actor.IP, true)
	fact("Request", e.Actor.RequestID, true)
	fact("Action", e.Action, true)
	view.Facts.Items = append(view.Facts.Items, components.Fact{Label: words.Capital(e.ObjectType),
		Value: e.ObjectID.String(), Mono: true, Copy: e.ObjectID.String(), Href: objectHref(e.Entry)})
	if e.N > 0 {
		fact("Link of the chain", words.Grouped(e.N), false)
		fact("Hash", hex.EncodeToString(e.Hash), true)
	} else {
		fact("Link of the chain", "It is linked within seconds.", false)
	}
	if view.Proof, err = h.logged(c, e); err != nil {
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Audit entry", auditSection,
		func(f layout.Frame) templ.Component { return pages.AuditEntry(f, view) })
}

// objectHref is where the object of an entry is shown; some have no page.
func objectHref(e audit.Entry) string {
	switch {
	case e.PurchaseID != uuid.Nil && e.ObjectType != "token" && e.ObjectType != "mandate":
		return words.PurchasePath(e.PurchaseID)
	case e.ObjectType == "token":
		return words.TokenPath(e.ObjectID)
	case e.ObjectType == "mandate":
		return words.MandatePath(e.ObjectID)
	case e.ObjectType == "batch":
		return "/batches/" + e.ObjectID.String()
	case e.ObjectType == "client":
		return words.ClientHref(e.ObjectID)
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
		c := pages.AuditChange{Name: words.Capital(kit.FieldWords(name)), Before: "–", After: "–"}
		if was {
			c.Before = kit.FactOf(e, name, before)
		}
		if is {
			c.After = kit.FactOf(e, name, after)
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
	if err := h.Service.Link(ctx); err != nil {
		return err
	}
	found, err := h.Service.Verify(ctx, who)
	if err != nil {
		return err
	}
	note := components.Note{Kind: "done", Title: "The chain holds",
		Text: fmt.Sprintf("%s links were checked, from the first to the signed last one.", words.Grouped(found.Links))}
	if found.Dropped > 0 {
		note.Text = fmt.Sprintf(
			"%s links were checked, from link %s to the signed last one. Those before were dropped after "+
				"their time.",
			words.Grouped(found.Links-found.Dropped),
			words.Grouped(found.Dropped+1),
		)
	}
	if !found.Holds() {
		note = components.Note{Kind: "bad", Title: "The chain is broken at link " + words.Grouped(found.Broken),
			Text: found.Why + " The database was changed outside Debitdesk. Keep a copy of it, and find out who had access."}
	}
	return h.list(note).Show(c)
}

// Package find serves the search for anything, as a page and as the palette of every page.
package find

import (
	"context"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/find"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Find serves the search for anything.
type Find struct {
	Desk    *kit.Desk
	Service *find.Service
	// Lists are the lists of the dashboard with their views.
	Lists func() []find.Place
}

// most is how many results the palette shows; the page shows as many of each group.
const most = 8

// Show serves GET /find: the results of a search, and what the person opened last where nothing was typed. The palette
// asks for the same and gets the options alone.
func (h *Find) Show(c echo.Context) error {
	typed, palette := c.QueryParam("q"), kit.FragmentFor(c, "palette-found")
	m := h.Service.Understand(typed)
	v := pages.FindView{Query: m.Text}
	var err error
	if m.Nothing() {
		v.Groups, err = h.recent(c)
	} else {
		v.Groups, err = h.found(c, m, palette)
	}
	if err != nil {
		return err
	}
	v.Said = said(m, v.Groups)
	if palette {
		return html.Send(c, http.StatusOK, pages.Found(v))
	}
	if len(v.Groups) == 0 && !m.Nothing() {
		v.Empty = components.Empty{Icon: "search", Title: "Nothing was found",
			Text: "Try a name, an e-mail or phone number, a reference, an amount such as R 649, a date, or the name of a page."}
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Find anything", "", func(f layout.Frame) templ.Component {
		f.Search = m.Text
		return pages.Find(f, v)
	})
}

// recent is what the person opened last.
func (h *Find) recent(c echo.Context) ([]pages.FindGroup, error) {
	hits, err := h.Service.Recent(c.Request().Context(), access.Actor(c))
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	g := pages.FindGroup{Name: "Recently opened"}
	for _, hit := range hits {
		g.Hits = append(g.Hits, hitView(hit))
	}
	return []pages.FindGroup{g}, nil
}

// ranked is a group with the score of its best.
type ranked struct {
	pages.FindGroup
	best find.Score
}

// found are the results in their groups, the group with the best first.
func (h *Find) found(c echo.Context, m find.Meaning, palette bool) ([]pages.FindGroup, error) {
	ctx := c.Request().Context()
	records, err := h.Service.Find(ctx, access.Actor(c), m)
	if err != nil {
		return nil, err
	}
	groups := h.placesFound(ctx, m)
	for _, of := range records {
		g := ranked{pages.FindGroup{Name: groupNames[of.Kind]}, of.Hits[0].Score}
		if g.best == find.ByLike {
			g.Name = "Clients with a similar name"
		}
		for _, hit := range of.Hits {
			g.Hits = append(g.Hits, hitView(hit))
		}
		if of.Count < 0 || of.Count > len(of.Hits) {
			g.All = allOf(m, of)
		}
		groups = append(groups, g)
	}
	slices.SortStableFunc(groups, func(a, b ranked) int { return int(b.best - a.best) })
	var sizes []find.Group
	for _, g := range groups {
		sizes = append(sizes, find.Group{Name: g.Name, Best: g.best, Size: len(g.Hits)})
	}
	shares := make([]int, len(groups))
	for i := range shares {
		shares[i] = most
	}
	if palette {
		shares = find.Shares(sizes, most)
	}
	var out []pages.FindGroup
	for i, g := range groups {
		if shares[i] == 0 {
			continue
		}
		if n := len(g.Hits); shares[i] < n {
			g.Hits = g.Hits[:shares[i]]
			if of := recordsOf(records, g.Name); of != nil && g.All.Href == "" {
				g.All = allOf(m, *of)
			}
		}
		out = append(out, g.FindGroup)
	}
	return out, nil
}

func recordsOf(all []find.Found, name string) *find.Found {
	for i := range all {
		if groupNames[all[i].Kind] == name {
			return &all[i]
		}
	}
	return nil
}

// placesFound are the pages, acts and chapters that fit and that the person may open.
func (h *Find) placesFound(ctx context.Context, m find.Meaning) (out []ranked) {
	hits := find.FindPlaces(h.places(ctx), m)
	if !m.Day.IsZero() {
		hits = slices.Insert(hits, 0, find.PlaceHit{Place: onDay(m.Day), Score: find.Exactly})
	}
	for _, hit := range hits {
		at := slices.IndexFunc(out, func(g ranked) bool { return g.Name == hit.Group })
		if at < 0 {
			at, out = len(out), append(out, ranked{pages.FindGroup{Name: hit.Group}, hit.Score})
		}
		if len(out[at].Hits) < most {
			out[at].Hits = append(out[at].Hits, pages.FindHit{Icon: hit.Icon, Title: hit.Label, Href: hit.Href})
		}
	}
	return out
}

// said tells how much was found.
func said(m find.Meaning, groups []pages.FindGroup) string {
	n := 0
	for _, g := range groups {
		n += len(g.Hits)
	}
	switch {
	case m.Nothing() && n == 0:
		return "Type a name, a number, an amount, a date or the name of a page."
	case m.Nothing():
		return plural.Of(n, "record") + " that you opened last"
	case n == 0:
		return "Nothing was found for “" + m.Text + "”."
	}
	return plural.Of(n, "result") + " for “" + m.Text + "”"
}

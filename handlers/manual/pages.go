package manual

import (
	"fmt"
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Contents serves GET /manual: the list of chapters, or with ?q= the sections that hold a text.
func Contents(c echo.Context) error {
	b := The()
	query := Query(c.QueryParam("q"))
	if query == "" {
		v := pages.ManualContentsView{Intro: b.Intro}
		for _, g := range b.Groups {
			group := pages.ManualGroup{Title: g.Title}
			for _, one := range g.Chapters {
				group.Chapters = append(group.Chapters, pages.ManualEntry{Title: one.Title, Summary: one.Summary, Href: one.Href()})
			}
			v.Groups = append(v.Groups, group)
		}
		return html.Send(c, http.StatusOK, pages.ManualContents(frame(c, b, "Manual", "", ""), v))
	}
	hits := b.Search(query)
	v := pages.ManualFoundView{Query: query, Count: countWords(len(hits), query)}
	for _, h := range hits {
		one := pages.ManualHit{Title: h.Section.Title, Chapter: h.Chapter.Title, Href: h.Chapter.At(h.Section)}
		for _, p := range h.Snippet {
			one.Snippet = append(one.Snippet, pages.ManualPiece{Text: p.Text, Found: p.Found})
		}
		v.Hits = append(v.Hits, one)
	}
	f := frame(c, b, v.Count, "", query)
	f.Found = v.Count
	return html.Send(c, http.StatusOK, pages.ManualFound(f, v))
}

// Page serves GET /manual/:page, one chapter.
func Page(c echo.Context) error {
	b := The()
	chapter, found := b.Chapter(c.Param("page"))
	if !found {
		return fault.New(fault.NotFound, "not_found", "The manual has no such page. Its contents are at %s.", Path)
	}
	v := pages.ManualPageView{Group: chapter.Group, HTML: chapter.HTML}
	if chapter.Before != nil {
		v.Before = pages.ManualEntry{Title: chapter.Before.Title, Href: chapter.Before.Href()}
	}
	if chapter.After != nil {
		v.After = pages.ManualEntry{Title: chapter.After.Title, Href: chapter.After.Href()}
	}
	return html.Send(c, http.StatusOK, pages.ManualPage(frame(c, b, chapter.Title+" · Manual", chapter.Slug, ""), v))
}

// Picture serves GET /manual/pictures/:name.
func Picture(c echo.Context) error {
	name := path.Join("pictures", path.Base(path.Clean("/"+c.Param("name"))))
	f, err := The().pictures.Open(name)
	if err != nil || path.Ext(name) != ".png" {
		return fault.New(fault.NotFound, "not_found", "The manual has no such picture.")
	}
	defer f.Close() //nolint:errcheck // read from the program itself
	c.Response().Header().Set("Cache-Control", "public, max-age=3600")
	return c.Stream(http.StatusOK, "image/png", f)
}

// frame is what stands around every page of the manual.
func frame(c echo.Context, b *Book, title, slug, query string) layout.ManualFrame {
	in, signedIn := access.Session(c)
	f := layout.ManualFrame{Title: title, Theme: in.User.Theme, SignedIn: signedIn, Query: query}
	for _, g := range b.Groups {
		group := layout.ManualGroup{Title: g.Title}
		for _, one := range g.Chapters {
			link := layout.ManualLink{Title: one.Title, Href: one.Href(), Active: one.Slug == slug}
			for _, s := range one.Sections {
				if link.Active && s.Level == 2 {
					link.Sections = append(link.Sections, layout.ManualLink{Title: s.Title, Href: "#" + s.ID})
				}
			}
			group.Links = append(group.Links, link)
		}
		f.Groups = append(f.Groups, group)
	}
	return f
}

func countWords(n int, query string) string {
	switch n {
	case 0:
		return fmt.Sprintf("Nothing found for “%s”", query)
	case mostHits:
		return fmt.Sprintf("The best %d sections for “%s”", n, query)
	}
	return fmt.Sprintf("%s found for “%s”", plural.Of(n, "section"), query)
}

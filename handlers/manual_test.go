package handlers_test

import (
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/manual"
)

func TestTheManualIsReadWithAndWithoutASession(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	open := h.Call("GET", "/manual", nil, "Accept: text/html").Want(http.StatusOK).Contains("Sign in", "Search the manual",
		`action="/manual"`)
	checkHeaders(t, "the manual", open)
	for _, c := range manual.The().Chapters {
		open.Contains(c.Href(), c.Title)
		page := h.Call("GET", c.Href(), nil, "Accept: text/html").Want(http.StatusOK).Contains(`aria-current="page"`,
			`rel="p`)
		checkHeaders(t, c.Href(), page)
		if tags := inline(page.Body); len(tags) > 0 {
			t.Errorf("%s: %v", c.Href(), tags)
		}
	}
	h.Page(h.A.Staff, "GET", "/manual", nil).Want(http.StatusOK).Contains("Dashboard").Lacks("Sign in")
	h.Call("GET", "/manual/nonsense", nil, "Accept: text/html").Want(http.StatusNotFound).Contains("/manual")
	for _, path := range []string{"/manual/index", "/manual/..%2fstatic.go", "/manual/pictures/index.md",
		"/manual/pictures/..%2findex.md", "/manual/pictures/none.png"} {
		h.Call("GET", path, nil, "Accept: text/html").Want(http.StatusNotFound)
	}
}

func TestTheManualIsSearched(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	find := func(q string) handlertest.Answer {
		return h.Call("GET", "/manual?q="+url.QueryEscape(q), nil, "Accept: text/html").Want(http.StatusOK).Contains(
			`role="status"`)
	}
	find("DEBITDESK_DRAIN").Contains("sections found", `href="/manual/operation#stopping"`, "<mark>DEBITDESK_DRAIN</mark>")
	find("restore backup").Contains("/manual/operation#backup-and-restore")
	find("zebra crossing").Contains("Nothing found for “zebra crossing”", "Check the spelling", "/manual/operation")
	find("<script>x()").Contains("&lt;script&gt;x()").Lacks("<script>x")
	find(strings.Repeat("zebra ", 900)).Contains("Nothing found")
	find("\xff\x00 (?i)[").Contains("Nothing found")
	find("   ").Contains("For programs").Lacks("found for")
}

// Every link of the manual into the product, and every link of the product's pages into the
// manual, leads somewhere.
func TestLinksBetweenTheManualAndThePagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	h := newStreet(t)
	places := map[string]bool{manual.Path: true}
	for _, c := range manual.The().Chapters {
		body := h.Call("GET", c.Href(), nil, "Accept: text/html").Body
		places[c.Href()] = true
		eachTag(body, func(tag html.Token, attr func(string) string) {
			if id := attr("id"); id != "" {
				places[c.Href()+"#"+id] = true
			}
			link := attr("href")
			if !strings.HasPrefix(link, "/") || strings.HasPrefix(link, "/static/") || strings.HasPrefix(link, manual.Path) {
				return
			}
			if got := h.Page(h.A.Owner, "GET", link, nil); got.Status != http.StatusOK && got.Status != http.StatusSeeOther {
				t.Errorf("%s links to %s, which answers %d", c.Slug, link, got.Status)
			}
		})
	}
	written := regexp.MustCompile(`/manual(?:/[a-z0-9-]+)?(?:#[a-z0-9-]+)?`)
	found := 0
	for _, root := range []string{"../views", "../handlers", "../models"} {
		if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "manual" || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(path, "_templ.go") ||
				!strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".templ") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range regexp.MustCompile(`"/manual[^"]*"`).FindAll(text, -1) {
				found++
				if link := written.FindString(string(m)); !places[link] && link != "/manual/pictures" {
					t.Errorf("%s links to %s, which is not in the manual", path, link)
				}
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if found < 2 {
		t.Errorf("only %d links into the manual were looked at", found)
	}
}

func eachTag(page string, see func(tag html.Token, attr func(string) string)) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		if kind != html.StartTagToken {
			continue
		}
		tag := tokens.Token()
		see(tag, func(name string) string {
			for _, a := range tag.Attr {
				if a.Key == name {
					return a.Val
				}
			}
			return ""
		})
	}
}

// What not every installation has is no link in the chapter of all pages: without a bank that takes files, and where no
// sandbox is, it leads nowhere that answers 404.
func TestTheChapterOfPagesLinksToWhatIsThere(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	n := 0
	eachTag(h.Call("GET", "/manual/pages", nil, "Accept: text/html").Want(http.StatusOK).Body,
		func(_ html.Token, attr func(string) string) {
			link, _, _ := strings.Cut(attr("href"), "#")
			if !strings.HasPrefix(link, "/") || strings.HasPrefix(link, "/static/") {
				return
			}
			if n++; strings.HasPrefix(link, "/sandbox") {
				t.Errorf("it links to %s, which live mode lacks", link)
			}
			if got := h.Page(h.A.Owner, "GET", link, nil); got.Status != http.StatusOK && got.Status != http.StatusSeeOther {
				t.Errorf("it links to %s, which answers %d", link, got.Status)
			}
		})
	if n < 20 {
		t.Errorf("%d links were looked at", n)
	}
}

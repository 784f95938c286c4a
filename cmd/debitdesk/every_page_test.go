package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/demo"
	"debitdesk/views/viewtest"
)

// walkers is how many tabs look at pages at once.
const walkers = 2

// Every page of a busy merchant, one of each kind, is open to people with all sorts of eyes and windows: axe finds no
// barrier, nothing scrolls sideways, there is one h1 and at most one primary button, and the browser complains of
// nothing.
func TestEveryPageOfABusyMerchantIsOpenToEverybody(t *testing.T) {
	t.Parallel()
	site := openDemo(t, 26)
	site.tasksInEveryState(t)
	inside, outside := site.pagesInside(t), site.pagesOutside(t)
	if len(inside) < 120 || len(outside) < 20 {
		t.Errorf("only %d and %d pages were found", len(inside), len(outside))
	}
	next := make(chan numbered, len(inside))
	for n, at := range inside {
		next <- numbered{n, at}
	}
	close(next)
	for n := range walkers {
		t.Run(fmt.Sprint("signed in ", n), func(t *testing.T) {
			t.Parallel()
			b := site.tab(t, browser(t))
			b.signInToDemo("admin")
			b.bringsAxe()
			heard := b.listens()
			for page := range next {
				b.examine(page, heard)
			}
		})
	}
	t.Run("signed out", func(t *testing.T) {
		t.Parallel()
		b := site.tab(t, browser(t))
		b.bringsAxe()
		heard := b.listens()
		for n, at := range outside {
			b.examine(numbered{n, at}, heard)
		}
	})
}

// tasksInEveryState adds what no walk makes.
func (s *site) tasksInEveryState(t *testing.T) {
	t.Helper()
	_, err := s.app.Store.Pool.Exec(
		t.Context(),
		`INSERT INTO tasks (id, merchant_id, kind, title, needs, asker_id, asker, state,
			total, done, failed, note, file_name, file_bytes, chunks, created_at, updated_at, began_at,
			kept_until, claim, claimed_until)
		SELECT gen_random_uuid(), m.id, 'export',
			'Export of 12 345 purchases with a name that is much longer than a line of a phone',
			'read', u.user_id, '{"name": "Nomsa Jacobs"}', state, 12345, done, 0, note, 'purchases.csv', bytes, chunks,
			now(), now(), now(), now() + interval '7 days', gen_random_uuid(), now() + interval '1 day'
		FROM merchants m JOIN LATERAL (SELECT user_id FROM memberships WHERE merchant_id = m.id LIMIT 1) AS u ON true,
			(VALUES ('waiting', 0, '', 0, 0), ('running', 6000, '', 0, 0), ('done', 12345, '', 1048576, 1),
				('failed', 900, 'The database did not answer.', 0, 0), ('cancelled', 42, '', 0, 0)) AS s (state,
				done, note, bytes, chunks)
		WHERE m.is_demo`,
	)
	if err != nil {
		t.Fatal(err)
	}
}

// pagesInside are the addresses of the dashboard, one of each kind of page, and one of the records in each state.
func (s *site) pagesInside(t *testing.T) (pages []walk.Address) {
	t.Helper()
	client, err := walk.SignIn(s.url, "admin@kloofstreet.example", demo.Password)
	if err != nil {
		t.Fatal(err)
	}
	w := walk.Walk{Base: s.url, Client: client, Same: 4, Values: 1, Markup: func(path, markup string) {
		for _, problem := range viewtest.Problems(markup) {
			t.Errorf("%s: %s", path, problem)
		}
	}}
	found, err := w.Pages()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, at := range found {
		if !kinds[at.Kind] && onlyEmpty(at.Path) {
			kinds[at.Kind] = true
			pages = append(pages, at)
		}
	}
	for _, path := range append(s.paths(t, `SELECT DISTINCT ON (status, total_cents = 0) '/purchases/' || id FROM purchases
		UNION ALL (SELECT DISTINCT ON (kind, state) '/mandates/' || id FROM mandates)
		UNION ALL (SELECT DISTINCT ON (state) '/tokens/' || id FROM tokens)`),
		"/manual", "/manual?q=backup", "/manual/api", "/manual/operation", "/sandbox/clock", "/sandbox/desk", "/sandbox/mail",
		"/account/proof", "/purchases/01a1fa4e-6093-7bd2-bd45-d740e9bdbbf2", "/nothing-here") {
		if !slices.ContainsFunc(pages, func(at walk.Address) bool { return at.Path == path }) {
			pages = append(pages, walk.Address{Path: path})
			s.wellFormed(t, client, path)
		}
	}
	return pages
}

// wellFormed holds a page that was not walked to the rules of HTML.
func (s *site) wellFormed(t *testing.T, client *http.Client, path string) {
	t.Helper()
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask.Header.Set("Accept", "text/html") // the mail of the sandbox answers programs, too
	res, err := client.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	markup, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range viewtest.Problems(string(markup)) {
		t.Errorf("%s: %s", path, problem)
	}
}

// onlyEmpty leaves out files, and of all searches and filters of a list those that find something.
func onlyEmpty(path string) bool {
	at, err := url.Parse(path)
	file := err == nil && slices.ContainsFunc([]string{".csv", ".pdf", ".zip", "/checkpoint", "/proof"},
		func(end string) bool { return strings.HasSuffix(at.Path, end) })
	if err != nil || file {
		return false
	}
	return at.RawQuery == "" || at.Query().Get("q") == "zzzqq"
}

// pagesOutside are for people who are not signed in: the payers' pages of a purchase in each status, and the way in.
func (s *site) pagesOutside(t *testing.T) (pages []walk.Address) {
	t.Helper()
	for _, path := range append(s.paths(t, `SELECT DISTINCT ON (status, total_cents = 0, method) '/p/' || id FROM purchases
		UNION ALL (SELECT '/p/' || purchase_id || '/invoice' FROM invoices LIMIT 1)
		UNION ALL (SELECT '/p/' || id || '/subscription' FROM purchases WHERE subscriber_id IS NOT NULL LIMIT 1)`),
		"/login", "/reset", "/reset/unknown", "/invite/unknown", "/p/unknown", "/manual/start") {
		pages = append(pages, walk.Address{Path: path, Kind: path})
		s.wellFormed(t, http.DefaultClient, path)
	}
	return pages
}

// paths are the rows of a query.
func (s *site) paths(t *testing.T, query string) (paths []string) {
	t.Helper()
	rows, err := s.app.Store.Pool.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// complaints are what a browser wrote into its console.
type complaints struct {
	mu   sync.Mutex
	said []string
}

func (c *complaints) add(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, text)
}

func (c *complaints) take() (said []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	said, c.said = c.said, nil
	return said
}

// listens collects errors of scripts and what the browser refused, such as by the content policy.
func (b *tab) listens() *complaints {
	b.t.Helper()
	c := &complaints{}
	chromedp.ListenTarget(b.ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			c.add(e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError {
				c.add(fmt.Sprint("console error ", e.Args))
			}
		case *log.EventEntryAdded:
			missing := strings.Contains(e.Entry.Text, "status of 4") // a page that is not there is asked for on purpose
			if e.Entry.Level == log.LevelError && !missing {
				c.add(e.Entry.Text)
			}
		}
	})
	b.do("listen", log.Enable(), runtime.Enable())
	return c
}

// pictured are pages of the album by their kinds.
var pictured = map[string]string{
	"/":                     "demo-home",
	"/purchases":            "demo-purchases",
	"/templates/new":        "demo-template-new",
	"/templates/:id":        "demo-first-templates",
	"/developers/events":    "demo-events",
	"/developers/api":       "demo-reference",
	"/settings/roles":       "demo-roles",
	"/audit":                "demo-audit",
	"/settings/approvals":   "demo-approvals",
	"/developers/simulator": "demo-simulator",
}

// numbered is a page by its place in the walk.
type numbered struct {
	n int
	walk.Address
}

// asked are the looks in which a page is examined: in both widths and both colour schemes, of which one page takes each
// with one, and the next with the other; a record in yet another state is looked at in one. What has the same colours
// is judged once for all pages, so that between them they meet in all four; a page of which there are pictures does by
// itself.
func (p numbered) asked() []look {
	switch {
	case pictures != "" && pictured[p.Kind] != "":
		return looks
	case p.Kind == "": // the same page in another state
		return looks[p.n%len(looks) : p.n%len(looks)+1]
	case p.n%2 == 0:
		return looks[:2]
	default:
		return []look{looks[3], looks[2]}
	}
}

// examine looks at one page.
func (b *tab) examine(at numbered, heard *complaints) {
	b.t.Helper()
	asked := at.asked()
	b.show(asked[0].width, asked[0].height, asked[0].scheme)
	b.open(at.Path)
	for n, l := range asked {
		if n > 0 {
			b.show(l.width, l.height, l.scheme)
		}
		if found := b.barriers(n); found != "" {
			b.t.Errorf("%s (%d pixels, %s) shuts people out:\n%s", at.Path, l.width, l.scheme, found)
		}
		if n < 2 { // the colours do not matter
			if small := b.smallTargets(l.width < looks[0].width); small != "" {
				b.t.Errorf("%s (%d pixels) has targets below 24 pixels:\n%s", at.Path, l.width, small)
			}
		}
		if wide := b.overflow(); wide != "" {
			b.t.Errorf("%s (%d pixels) is wider than its window: %s", at.Path, l.width, wide)
		}
		if name := pictured[at.Kind]; name != "" {
			b.picture(fmt.Sprintf("%s-%d-%s", name, l.width, l.scheme), l.width)
		}
	}
	var heads int
	var primary []string
	b.do("count", chromedp.Evaluate(`document.querySelectorAll("h1").length`, &heads),
		chromedp.Evaluate(`[...document.querySelectorAll(".primary")].filter(e => e.checkVisibility()).map(e => e.innerText)`,
			&primary))
	if heads != 1 {
		b.t.Errorf("%s has %d h1", at.Path, heads)
	}
	if len(primary) > 1 {
		b.t.Errorf("%s has %d primary buttons: %q", at.Path, len(primary), primary)
	}
	if said := heard.take(); len(said) > 0 {
		b.t.Errorf("%s: the browser complains: %s", at.Path, strings.Join(said, "\n"))
	}
}

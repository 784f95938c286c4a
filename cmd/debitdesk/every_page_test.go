package main

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/demo"
)

// walkers is how many tabs look at the pages at once.
const walkers = 2

// Every page of a busy merchant, one of each kind, is open to everybody in both widths and both colours: axe finds no
// barrier, there is one h1 and at most one primary button, nothing scrolls sideways, and the browser complains of
// nothing.
func TestEveryPageIsOpenToEverybody(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	if _, err := site.app.demo(t.Context(), 26); err != nil {
		t.Fatal(err)
	}
	paths := pathsOf(t, site)
	if only := os.Getenv("DEBITDESK_PAGES"); only != "" {
		paths = strings.Fields(only)
	}
	if len(paths) < 100 && os.Getenv("DEBITDESK_PAGES") == "" {
		t.Errorf("only %d pages were found", len(paths))
	}
	t.Logf("%d pages: %s", len(paths), strings.Join(paths, "\n"))
	chromium := browser(t)
	next := make(chan string, len(paths))
	for _, path := range paths {
		next <- path
	}
	close(next)
	for n := range walkers {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			b := site.tab(t, chromium)
			b.signInToDemo("admin")
			heard := b.listens()
			for path := range next {
				b.examine(path, heard)
			}
			t.Log(laps)
		})
	}
}

// pathsOf are the addresses of the dashboard, one of each kind of page, and of what stands outside it.
func pathsOf(t *testing.T, site *site) (paths []string) {
	t.Helper()
	client, err := walk.SignIn(site.url, "admin@kloofstreet.example", demo.Password)
	if err != nil {
		t.Fatal(err)
	}
	w := walk.Walk{Base: site.url, Client: client, Same: 1, Values: 1}
	found, err := w.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range found {
		if wanted(at.Path) {
			paths = append(paths, at.Path)
		}
	}
	return append(append(paths, outside...), payersPages(t, site)...)
}

// wanted leaves out all searches and filters of a list but the one that finds nothing, and files.
func wanted(path string) bool {
	at, err := url.Parse(path)
	if err != nil || strings.HasSuffix(at.Path, ".csv") || strings.HasSuffix(at.Path, ".pdf") {
		return false
	}
	return at.RawQuery == "" || at.Query().Get("q") == "zzzqq"
}

// outside are pages that no link of the dashboard leads to, or none that is followed.
var outside = []string{"/login", "/reset", "/reset/unknown", "/invite/unknown", "/manual", "/manual?q=backup", "/manual/api",
	"/manual/operation", "/sandbox/clock", "/purchases/01a1fa4e-6093-7bd2-bd45-d740e9bdbbf2", "/nothing-here", "/p/unknown"}

// payersPages are the pages of one purchase in each status, with its invoice and its subscription.
func payersPages(t *testing.T, site *site) (paths []string) {
	t.Helper()
	rows, err := site.app.Store.Pool.Query(t.Context(), `SELECT DISTINCT ON (status) '/p/' || id FROM purchases
		UNION ALL (SELECT '/p/' || purchase_id || '/invoice' FROM invoices LIMIT 1)`)
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
			missing := strings.Contains(e.Entry.Text, "status of 4") // the page that is not there is asked for on purpose
			if e.Entry.Level == log.LevelError && !missing {
				c.add(e.Entry.Text)
			}
		}
	})
	b.do("listen", log.Enable(), runtime.Enable())
	return c
}

// Contrast is what differs between the colours; nothing else of axe does.
const (
	wholeAxe    = `{}`
	onlyColours = `{runOnly: ["color-contrast", "link-in-text-block"]}`
	noColours   = `{rules: {"color-contrast": {enabled: false}}}`
)

var lapMu sync.Mutex
var laps = map[string]time.Duration{}

// examine looks at one page in each look.
func (b *tab) examine(path string, heard *complaints) {
	b.t.Helper()
	t0 := time.Now()
	lap := func(what string) { lapMu.Lock(); laps[what] += time.Since(t0); lapMu.Unlock(); t0 = time.Now() }
	b.show(looks[0].width, looks[0].height, looks[0].scheme)
	lap("show")
	b.open(path)
	lap("open")
	b.do("load axe", chromedp.Evaluate(axe+"; true", nil))
	lap("axe")
	for _, l := range []struct {
		look
		rules string
	}{{look{1280, 900, "light"}, wholeAxe}, {look{1280, 900, "dark"}, onlyColours}, {look{390, 844, "dark"}, noColours},
		{look{390, 844, "light"}, onlyColours}} {
		b.show(l.width, l.height, l.scheme)
		lap("show")
		if found := b.barriersBy(l.rules); found != "" {
			b.t.Errorf("%s (%d pixels, %s) shuts people out:\n%s", path, l.width, l.scheme, found)
		}
		lap(fmt.Sprint(l))
		if wide := b.overflow(); wide != "" {
			b.t.Errorf("%s (%d pixels) is wider than its window: %s", path, l.width, wide)
		}
	}
	lap("overflow")
	var heads int
	var primary []string
	b.do("count", chromedp.Evaluate(`document.querySelectorAll("h1").length`, &heads),
		chromedp.Evaluate(`[...document.querySelectorAll(".primary")].filter(e => e.checkVisibility()).map(e => e.innerText)`,
			&primary))
	if heads != 1 {
		b.t.Errorf("%s has %d h1", path, heads)
	}
	if len(primary) > 1 {
		b.t.Errorf("%s has %d primary buttons: %q", path, len(primary), primary)
	}
	if said := heard.take(); len(said) > 0 {
		b.t.Errorf("%s: the browser complains: %s", path, strings.Join(said, "\n"))
	}
}

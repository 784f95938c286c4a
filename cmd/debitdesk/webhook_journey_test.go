package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// listener is a program of the merchant that hears of events.
type listener struct {
	*httptest.Server
	mu     sync.Mutex
	broken bool
	heard  []string
}

func listens(t *testing.T) *listener {
	t.Helper()
	l := &listener{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var event struct {
			Type string `json:"event_type"`
		}
		_ = json.Unmarshal(body, &event)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.broken {
			http.Error(w, "the disk is full", http.StatusInternalServerError)
			return
		}
		l.heard = append(l.heard, event.Type)
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *listener) breaks(broken bool) { l.mu.Lock(); l.broken = broken; l.mu.Unlock() }

func (l *listener) has(event string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(strings.Join(l.heard, " ")+" ", event+" ")
}

// A program is told of a purchase; it breaks, and the desk sees since when; it is
// mended, and hears what it missed.
func TestAWebhookIsMadeBreaksAndIsMended(t *testing.T) {
	t.Parallel()
	site, program := openSite(t), listens(t)
	site.business(t)
	owner := site.tab(t, browser(t))
	owner.signIn()
	owner.open("/developers/webhooks")
	owner.looksAt("webhooks-empty")
	owner.click("New webhook")
	owner.fill("title", "Accounting")
	owner.fill("callback", program.URL+"/hooks")
	owner.looksAt("webhook-new")
	owner.click("Add webhook")
	owner.sees("Nothing delivered yet")
	hook := owner.address()

	client := owner.addsClient("Thandiwe Nkosi", "thandiwe@example.com")
	owner.makesLink(client)
	owner.shownAt(hook, "purchase.created", "Delivered")
	if program.has("purchase.created") != 1 {
		t.Fatal(program.heard)
	}
	owner.looksAt("webhook")

	program.breaks(true)
	owner.makesLink(client)
	owner.shownAt(hook, "Retrying", "HTTP 500")
	owner.movesClock(site.workingDay(3))
	owner.shownAt(hook, "Failing since", "Failed")
	owner.looksAt("webhook-failing")
	owner.open("/developers/webhooks")
	owner.looksAt("webhooks")
	owner.open("/attention")
	owner.sees("Webhooks that fail")

	program.breaks(false)
	owner.open(hook)
	owner.goes("resend events", chromedp.Click(`.note-box a.btn`, byQuery))
	owner.sees("Count the events")
	since := site.app.Store.Now().Add(-30 * 24 * time.Hour).Format("2006-01-02T15:04")
	owner.do("since a month ago", chromedp.SetValue(`[name="since"]`, since, byQuery))
	owner.click("Count the events")
	owner.sees("including events that were delivered before")
	owner.looksAt("webhook-resend")
	owner.goes("resend", chromedp.Click(`main form.confirm button`, byQuery))
	owner.shownAt(hook, "resent", "Fine")
	if program.has("purchase.created") < 3 {
		t.Error(program.heard)
	}
	owner.open("/developers/events")
	owner.looksAt("events")
	owner.goes("open the newest event", chromedp.Click(`main table a.main-link`, byQuery))
	owner.looksAt("event")
	owner.goes("open its delivery", chromedp.Click(`main table a.main-link`, byQuery))
	owner.sees("X-Signature")
	owner.looksAt("delivery")
}

// shownAt opens a page again until it says all that.
func (b *tab) shownAt(path string, texts ...string) {
	b.t.Helper()
	missing := ""
	for range 200 {
		b.open(path)
		missing = ""
		page := b.text("main")
		for _, text := range texts {
			if !strings.Contains(page, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
	}
	b.t.Fatalf("%s never says %q:\n%s", path, missing, b.page())
}

package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/demo"
)

// A person who has only a keyboard signs in, finds a client, an invoice by its number and an act, reads the
// sheet of shortcuts, and goes to a section; where they type, keys are letters. Others do the same on a phone
// and without scripts.
func TestADayWithTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	site := openDemo(t, 8)
	var invoice string
	must(
		t,
		site.app.Store.Pool.QueryRow(t.Context(), `SELECT number FROM invoices WHERE kind = 'invoice'
			ORDER BY id DESC LIMIT 1`).
			Scan(&invoice),
	)
	admin := site.tab(t, browser(t))

	admin.open("/login")
	admin.do("type the address", chromedp.Focus(`[name="email"]`, byQuery))
	admin.presses("admin@kloofstreet.example", kb.Tab)
	if admin.focused() != "password" {
		admin.presses(kb.Tab)
	}
	admin.presses(demo.Password)
	admin.travels(kb.Enter)
	admin.sees("Success rate")

	admin.holdsCtrl("k")
	admin.finds("nkosi THANDI", "Thandiwe Nkosi")
	admin.looksAt("palette")
	if got := admin.text("#palette-said"); !strings.Contains(got, "for “nkosi THANDI”") {
		t.Errorf("%q is announced", got)
	}
	admin.travels(kb.Enter)
	admin.at("/clients/")
	admin.sees("Thandiwe Nkosi")

	admin.presses("/")
	admin.finds("", "Recently opened")
	admin.finds(invoice, invoice+" · ")
	admin.travels(kb.Enter)
	admin.at("/purchases/")
	admin.sees(invoice)

	admin.presses("/")
	admin.finds("move the", "Move the clock")
	admin.presses(kb.ArrowDown, kb.ArrowUp)
	admin.travels(kb.Enter)
	admin.at("/sandbox/clock")

	admin.open("/purchases")
	admin.do("focus the list", chromedp.Focus("main tbody a", byQuery))
	was := admin.focused()
	admin.holdsCtrl("k")
	admin.finds("zzzqq", "Nothing was found for “zzzqq”.")
	admin.presses(kb.Escape)
	admin.do("see it closed", chromedp.WaitNotPresent("#palette[open]", byQuery))
	if got := admin.focused(); got != was {
		t.Errorf("the focus went to %q, not back to %q", got, was)
	}

	admin.presses("?")
	admin.sees("Show keyboard shortcuts")
	admin.looksAt("keys")
	admin.presses(kb.Escape)
	admin.loses("Show keyboard shortcuts")
	admin.travels("g", "c")
	admin.at("/clients")
	admin.travels("n")
	admin.at("/clients/new")
	admin.do("type into the form", chromedp.Focus(`[name="full_name"]`, byQuery))
	admin.presses("gc?n/")
	admin.at("/clients/new")
	if got := admin.value(`[name="full_name"]`); got != "gc?n/" {
		t.Errorf("the field holds %q", got)
	}

	admin.open("/account")
	admin.click("Turn keyboard shortcuts off")
	admin.presses("?", "/", "g", "c")
	admin.at("/account")
	admin.holdsCtrl("k")
	admin.finds("your account", "Your account")
	admin.presses(kb.Escape)
	admin.click("Turn keyboard shortcuts on")

	admin.show(390, 844, "dark")
	admin.open("/")
	admin.do("tap the search", chromedp.Click("#search", byQuery, chromedp.NodeVisible))
	admin.finds("R 649", "649,00")
	if wide := admin.overflow(); wide != "" {
		t.Errorf("on a phone the palette is wider than its window: %s", wide)
	}
	admin.goes("tap the first result", chromedp.Click("#found [role=option]", byQuery, chromedp.NodeVisible))
	admin.at("/purchases/")
	admin.show(looks[0].width, looks[0].height, looks[0].scheme)
	admin.open("/find?q=thandi")
	admin.sees("Thandiwe Nkosi")
	admin.looksAt("find")

	site.findsByPlainHTTP(t, "nkosi thandi", "Thandiwe Nkosi")
	site.findsByPlainHTTP(t, invoice, invoice)
}

// findsByPlainHTTP asks as a browser without scripts does.
func (s *site) findsByPlainHTTP(t *testing.T, typed, want string) {
	t.Helper()
	client, err := walk.SignIn(s.local, "staff@kloofstreet.example", demo.Password)
	must(t, err)
	res, err := client.Get(s.local + "/find?q=" + strings.ReplaceAll(typed, " ", "+"))
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	must(t, err)
	if res.StatusCode != http.StatusOK || !strings.Contains(string(body), want) ||
		!strings.Contains(string(body), `action="/find"`) {
		t.Errorf("%q: %d, without %q", typed, res.StatusCode, want)
	}
}

// finds types into the palette and waits for a result.
func (b *tab) finds(typed, want string) {
	b.t.Helper()
	if typed != "" {
		b.presses(typed)
	}
	b.do(
		"find "+want,
		chromedp.WaitVisible(`//dialog[@id="palette"]//*[contains(normalize-space(.), `+quoted(want)+`)]`, bySearch),
		chromedp.WaitVisible(`#found[data-query="`+typed+`"]`, byQuery),
	)
}

// focused names what has the focus.
func (b *tab) focused() string {
	b.t.Helper()
	var name string
	b.do(
		"read the focus",
		chromedp.Evaluate(`(e => e.id || e.getAttribute("href") || e.tagName)(document.activeElement)`, &name),
	)
	return name
}

func (b *tab) holdsCtrl(key string) {
	b.t.Helper()
	b.do("press ctrl and "+key, chromedp.KeyEvent(key, chromedp.KeyModifiers(input.ModifierCtrl)))
}

// presses strikes the keys of a text one by one, wherever the focus is. As on a real keyboard, a key that a page takes
// for itself types nothing.
func (b *tab) presses(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		for _, key := range text {
			b.do("press "+text, strike(key))
		}
	}
}

func strike(key rune) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		k := kb.Keys[key]
		down := input.DispatchKeyEvent(input.KeyDown).
			WithKey(k.Key).
			WithCode(k.Code).
			WithText(k.Text).
			WithWindowsVirtualKeyCode(k.Windows)
		if k.Shift {
			down = down.WithModifiers(input.ModifierShift)
		}
		if err := down.Do(ctx); err != nil {
			return err
		}
		return input.DispatchKeyEvent(input.KeyUp).
			WithKey(k.Key).
			WithCode(k.Code).
			WithWindowsVirtualKeyCode(k.Windows).
			Do(ctx)
	})
}

// travels presses keys of which the last leads to another page.
func (b *tab) travels(keys ...string) {
	b.t.Helper()
	b.presses(keys[:len(keys)-1]...)
	last := keys[len(keys)-1]
	b.goes("press "+last, strike([]rune(last)[0]))
}

func (b *tab) at(address string) {
	b.t.Helper()
	if got := b.address(); !strings.HasPrefix(got, address) {
		b.t.Errorf("at %s, not at %s", got, address)
	}
}

// value is what a field holds.
func (b *tab) value(selector string) string {
	b.t.Helper()
	return b.read(selector, `e.value`)
}

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A person who has only a keyboard goes from the sheet of keys to a section, makes a new thing of its list, and comes
// back; where they type, keys are letters.
func TestADayWithTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	if _, err := site.app.demo(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	admin := site.tab(t, browser(t))
	admin.signInToDemo("admin")

	admin.presses("?")
	admin.sees("Show the keys")
	admin.looksAt("keys")
	admin.presses(kb.Escape)
	admin.loses("Show the keys")

	admin.travels("g", "c")
	admin.at("/clients")
	admin.travels("n")
	admin.at("/clients/new")
	admin.do("type into the form", chromedp.Focus(`[name="full_name"]`, chromedp.ByQuery))
	admin.presses("gc?n")
	admin.at("/clients/new")
	if got := admin.value(`[name="full_name"]`); got != "gc?n" {
		t.Errorf("the field holds %q", got)
	}
}

// presses types keys, wherever the focus is.
func (b *tab) presses(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		b.do("press "+key, chromedp.KeyEvent(key))
	}
}

// travels presses keys of which the last leads to another page.
func (b *tab) travels(keys ...string) {
	b.t.Helper()
	b.presses(keys[:len(keys)-1]...)
	b.goes("press "+keys[len(keys)-1], chromedp.KeyEvent(keys[len(keys)-1]))
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
	var text string
	b.do("read "+selector, chromedp.Value(selector, &text, chromedp.ByQuery))
	return text
}

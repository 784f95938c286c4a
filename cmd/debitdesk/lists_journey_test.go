package main

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp"
)

// A list is a tool: it is narrowed, sorted, arranged, saved as a view that the team shares, pinned to the menu,
// and taken away as a file with the same rows and columns.
func TestAListIsATool(t *testing.T) {
	t.Parallel()
	site := openDemo(t, 26)
	chromium := browser(t)
	admin := site.tab(t, chromium)
	admin.signInToDemo("admin")
	admin.open("/purchases")
	press := func(b *tab, selector string) {
		t.Helper()
		b.do("press "+selector, chromedp.Click(selector, byQuery, chromedp.NodeVisible))
	}
	press(admin, ".filter-menu > summary")
	admin.pick("answer", "failed")
	admin.pick("debit", "over-30-days-ago")
	admin.looksAt("list-filters")
	press(admin, ".filter-menu button.primary")
	admin.sees("Last bank answer: failed, for any reason")
	admin.sees("Debit date more than 30 days ago")
	if at := admin.address(); at != "/purchases?answer=failed&debit=over-30-days-ago" {
		t.Errorf("the address is %s", at)
	}
	press(admin, `.chip a[aria-label="Remove filter: Debit date more than 30 days ago"]`)
	admin.loses("Debit date more than 30 days ago")
	press(admin, "#sort-amount")
	admin.do("wait for the order", chromedp.WaitVisible(`th[aria-sort="descending"] #sort-amount`, byQuery))

	press(admin, ".display-menu > summary")
	admin.choose("shown", "due")
	admin.choose("density", "compact")
	admin.looksAt("list-display")
	admin.goes("arrange the list", chromedp.Click(".display-menu button.primary", byQuery, chromedp.NodeVisible))
	admin.do("see it arranged", chromedp.WaitVisible("table.dense", byQuery))
	admin.do(
		"open the menu",
		chromedp.Click(`//summary[normalize-space(.)="Save view"]`, bySearch, chromedp.NodeVisible),
	)
	admin.fill("name", "Failed, large first")
	admin.choose("shared", "1")
	admin.goes(
		"save the view",
		chromedp.Click(`form[action="/lists/views"] button`, byQuery, chromedp.NodeVisible),
	)
	admin.do("see its tab", chromedp.WaitVisible(`.tabs a.saved[aria-current="page"]`, byQuery))
	admin.do(
		"open the menu",
		chromedp.Click(`//summary[normalize-space(.)="This view"]`, bySearch, chromedp.NodeVisible),
	)
	admin.click("Show in the menu")
	admin.do("see its number in the menu", chromedp.WaitVisible(`.rail .pins .count`, byQuery))
	admin.looksAt("list-view")

	onPage, inFile := tableOf(admin), fileOf(t, admin)
	if len(onPage) < 3 || onPage[0] != "Reference" || len(inFile) != len(onPage) {
		t.Fatalf("%d lines on the page, %d in the file: %q", len(onPage), len(inFile), onPage)
	}
	for n, first := range onPage {
		if inFile[n] != first {
			t.Errorf("line %d begins with %q on the page and %q in the file", n, first, inFile[n])
		}
	}

	finance := site.tab(t, chromium).withoutScripts()
	finance.signInToDemo("finance")
	finance.open("/purchases")
	finance.goes("open the view", chromedp.Click(`.tabs a.saved`, byQuery, chromedp.NodeVisible))
	finance.sees("Last bank answer: failed, for any reason")
}

// tableOf is what stands first in each line of the table.
func tableOf(b *tab) (first []string) {
	b.t.Helper()
	b.do("read the table", chromedp.Evaluate(`[document.querySelector("main thead th:not(.check)").innerText.trim(),
		...[...document.querySelectorAll("main tbody a.main-link")].map(a => a.innerText.trim())]`, &first))
	return first
}

// fileOf is what stands first in each line of the file that the list offers.
func fileOf(t *testing.T, b *tab) (first []string) {
	t.Helper()
	var text string
	b.do(
		"read the file",
		chromedp.Evaluate(`fetch(document.querySelector('main a[href*="format=csv"]').href).then(a => a.text()).then(text =>
		JSON.stringify(text.replace(/^\uFEFF/, "").trim().split(/\r?\n/).map(line => line.split(",")[0])))`, &text, awaited),
	)
	if err := json.Unmarshal([]byte(text), &first); err != nil {
		t.Fatal(err)
	}
	return first
}

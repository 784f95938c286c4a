package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Rows are ticked, looked at beside the list and acted on by keyboard; without scripts plain forms do the same.
func TestManyRowsByKeyboardAndWithoutScripts(t *testing.T) {
	t.Parallel()
	site := openDemo(t, 26)
	chromium := browser(t)
	const list = "/purchases?attention=failed"
	admin := site.tab(t, chromium)
	admin.signInToDemo("admin")
	admin.open(list)
	admin.presses("j", "x", "j", "j", "X")
	admin.sees("3 purchases selected")
	admin.looksAt("purchases-ticked")
	admin.presses(" ")
	admin.do("look at the row", chromedp.WaitVisible(`#peek [data-peek-title]:focus`, byQuery))
	admin.looksAt("purchase-peek")
	admin.presses(kb.Escape)
	admin.do("go back to the row", chromedp.WaitVisible(`tr.here a.main-link:focus`, byQuery))
	admin.goes("remind", chromedp.Click(`button[value="remind"]`, byQuery, chromedp.NodeVisible))
	admin.sees("What will happen")
	admin.looksAt("rehearsal")
	admin.submit()
	admin.at(list)
	admin.open("/templates?kind=subscription")
	admin.open(admin.attribute("main a.main-link", "href") + "?status=active")
	admin.presses("j", "x")
	admin.sees("1 subscriber selected")
	admin.goes("pause", chromedp.Click(`button[value="pause"]`, byQuery, chromedp.NodeVisible))
	admin.sees("Pause 1 subscriber?")
	admin.looksAt("subscribers-rehearsal")
	admin.submit()
	admin.sees("1 subscriber paused.")
	admin.open("/mandates")
	admin.presses("j", "x")
	admin.sees("1 mandate selected")
	admin.looksAt("mandates-ticked")

	plain := site.tab(t, chromium).withoutScripts()
	plain.signInToDemo("finance")
	plain.open(list)
	plain.do("tick a row", chromedp.Click(`[data-row]`, byQuery, chromedp.NodeVisible))
	plain.goes("cancel", chromedp.Click(`button[value="cancel"]`, byQuery, chromedp.NodeVisible))
	plain.sees("1 purchase selected")
	plain.sees("Keep them")
	plain.submit()
	plain.sees("1 purchase cancelled.")
}

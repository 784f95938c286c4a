package main

import (
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// holds lets answers wait: what the page asks for is sent once goesOn is called.
func (b *tab) holds() {
	b.t.Helper()
	b.do("hold what is asked", chromedp.Evaluate(`(() => {
		window.waits = [];
		const send = window.sends ||= XMLHttpRequest.prototype.send;
		XMLHttpRequest.prototype.send = function (...all) { window.waits.push(() => send.apply(this, all)); };
	})()`, nil))
}

func (b *tab) goesOn() {
	b.t.Helper()
	b.do("send what was held", chromedp.Evaluate(
		`XMLHttpRequest.prototype.send = window.sends, window.waits.forEach((go) => go()), undefined`, nil))
}

// lines waits for so many lines of a form, and for no answer being on its way.
func (b *tab) lines(n int) {
	b.t.Helper()
	b.do(strconv.Itoa(n)+" lines", chromedp.Poll(`document.querySelectorAll("#lines .line").length === `+strconv.Itoa(n)+
		` && !document.querySelector(".htmx-request, .htmx-settling")`, nil))
}

// totals waits until the summary of a purchase gives so many rand.
func (b *tab) totals(rand string) {
	b.t.Helper()
	b.do("total "+rand, chromedp.Poll(
		`document.querySelector("#summary .big-money")?.textContent === "R\u00a0`+rand+`"`, nil))
}

func (b *tab) types(id, text string) {
	b.t.Helper()
	b.do("type into "+id, chromedp.Evaluate(`(() => {
		const field = document.getElementById("`+id+`");
		field.focus();
		field.setSelectionRange(field.value.length, field.value.length);
	})()`, nil))
	b.presses(text)
}

// Lines come and go while somebody types on: what is typed meanwhile stays, with the focus, and the total follows. A
// panel that the server draws anew waits until the finger is off it.
func TestWhatSomebodyIsAtWorkOnIsNotTakenAway(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	site.atNine(t)
	owner := site.tab(t, browser(t))
	owner.signIn()

	owner.open("/purchases/new")
	owner.types("name-1", "Membership")
	owner.types("price-1", "10")
	owner.holds()
	owner.do("add a line", chromedp.Click(`button[name="add"]`, byQuery))
	owner.types("price-1", "5")
	owner.goesOn()
	owner.lines(2)
	owner.hasFocus("price-1")
	owner.totals("105,00")
	if got := owner.value("#price-1"); got != "105" {
		t.Errorf("typed while a line was added, and the price is %q", got)
	}
	owner.do("add a line", chromedp.Click(`button[name="add"]`, byQuery))
	owner.lines(3)
	owner.hasFocus("name-3")
	owner.types("name-3", "Towel")
	owner.types("price-3", "2")
	owner.holds()
	owner.do("remove the second line", chromedp.Click(`[aria-label="Remove line 2"]`, byQuery))
	owner.types("price-3", "0")
	owner.goesOn()
	owner.lines(2)
	owner.hasFocus("price-2")
	owner.totals("125,00")
	owner.looksAt("purchase-lines")
	owner.do("remove it too", chromedp.Click(`[aria-label="Remove line 2"]`, byQuery))
	owner.lines(1)
	owner.hasFocus("name-1")
	owner.totals("105,00")
	owner.holds()
	owner.do("add a line", chromedp.Click(`button[name="add"]`, byQuery))
	owner.do("add a line", chromedp.Click(`button[name="add"]`, byQuery))
	owner.goesOn()
	owner.lines(3)

	asked := site.asks(t, "4055558120")
	owner.open("/purchases")
	owner.do("select a purchase and ask for a file", chromedp.Click(`[data-row]`, byQuery),
		chromedp.WaitVisible(`form[data-choose] [value^="export"]`, byQuery),
		chromedp.Evaluate(`document.querySelector('form[data-choose] [value^="export"]').click()`, nil))
	owner.do("go on with the same list",
		chromedp.Evaluate(`document.querySelector('form[data-choose] [value="note"]').click()`, nil))
	owner.sees("Add a note to 1 purchase")

	owner.open(asked)
	owner.sees("is on the client’s phone")
	const headline = ".live h2"
	before := owner.text(headline)
	var at struct{ X, Y float64 }
	owner.do("find the steps", chromedp.Evaluate(`(() => {
		document.addEventListener("htmx:sseBeforeMessage",
			(event) => { if (event.detail.data.includes("No answer")) document.body.dataset.told = ""; }, true);
		const { x, y } = document.querySelector(".live-steps").getBoundingClientRect();
		return { X: x + 4, Y: y + 4 } })()`, &at))
	once := chromedp.ClickCount(1)
	owner.do("press there", chromedp.MouseEvent(input.MousePressed, at.X, at.Y, chromedp.ButtonLeft, once))
	if err := site.app.Store.Clock.MoveTo(t.Context(), site.app.Store.Now().Add(121*time.Second)); err != nil {
		t.Fatal(err)
	}
	owner.do("the server tells of the end", chromedp.WaitReady(`body[data-told]`, byQuery))
	if got := owner.text(headline); got != before {
		t.Errorf("the panel was redrawn under the finger: %q", got)
	}
	owner.do("let go", chromedp.MouseEvent(input.MouseReleased, at.X, at.Y, chromedp.ButtonLeft, once))
	owner.sees("No answer from the client")
}

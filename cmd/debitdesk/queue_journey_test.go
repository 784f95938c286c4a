package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"debitdesk/models/demo"
)

// From sign-in to an emptied queue with the keyboard alone: each thing takes two keys. At 390 pixels the same page is
// used by touch.
func TestTheQueueIsEmptiedWithTheKeyboard(t *testing.T) {
	t.Parallel()
	site := openDemo(t, 8)
	chromium := browser(t)
	staff := site.tab(t, chromium)
	staff.open("/login")
	staff.do("type who it is", chromedp.Focus(`[name="email"]`, byQuery))
	staff.presses("staff@kloofstreet.example", kb.Tab)
	staff.do("the password is next", chromedp.Focus(`[name="password"]`, byQuery))
	staff.presses(demo.Password)
	staff.travels(kb.Enter)
	staff.sees("Success rate")
	keys := 2
	staff.travels("g", "a")
	staff.do("the queue is there", chromedp.WaitVisible(`#queue [data-item]`, byQuery))
	staff.looksAt("queue")
	count := func() (n int) {
		staff.do("count", chromedp.Evaluate(`document.querySelectorAll("[data-item][id]").length`, &n))
		return n
	}
	is := func(what, script string) {
		t.Helper()
		var so bool
		if staff.do(what, chromedp.Evaluate(script, &so)); !so {
			t.Errorf("%s: not so", what)
		}
	}
	things := count()
	if things == 0 {
		t.Fatal("nothing waits in the demo data")
	}
	staff.presses("j")
	for range 60 { // what cannot be put off stands first, and "a" opens it
		var on bool
		staff.do("where the focus is", chromedp.Evaluate(`document.activeElement.matches("[data-item][id]")`, &on))
		if on {
			break
		}
		is("each line offers something", `document.activeElement.querySelector(".queue-acts > .btn, [data-open]") !== null`)
		staff.presses("j")
	}
	keys++
	staff.presses("x")
	is("the line in focus is ticked", `document.activeElement.querySelector("input[type=checkbox]").checked`)
	is("the bar of what is ticked is there", `(() => {
		const bar = document.activeElement.closest(".queue").parentElement.querySelector(".queue-many");
		const at = bar.getBoundingClientRect();
		return bar.open && at.top < innerHeight && bar.textContent.includes("1 selected");
	})()`)
	staff.looksAt("queue-ticked")
	staff.presses("x")
	is("and is gone with the tick", `document.querySelector(".queue-many[open]") === null`)
	for n := things; n > 0; n = count() {
		staff.presses("s")
		staff.do("the form opens", chromedp.WaitVisible(`.queue-form #act [name="until"]:focus`, byQuery))
		is("its line is in sight", `(() => {
			const at = document.activeElement.closest("[data-item]").getBoundingClientRect();
			return at.bottom > 56 && at.top < innerHeight &&
				document.activeElement.getBoundingClientRect().bottom <= innerHeight;
		})()`)
		staff.presses(kb.Enter)
		keys += 2
		staff.do(
			"it leaves",
			chromedp.Poll(
				fmt.Sprintf(`document.querySelectorAll("[data-item]").length < %d && !document.querySelector(".htmx-request")`, n),
				nil,
			),
		)
		is("one message stands", `document.querySelectorAll("#toasts > .toast").length === 1 &&
			document.querySelector("#toasts form") !== null`)
		is("the number beside the section follows", `(() => {
			const badge = document.getElementById("attention-badge"), tab = document.querySelector(".tabs .count").textContent;
			return badge.textContent === tab || badge.hidden && tab === "0";
		})()`)
		if count() > 0 {
			staff.do("the next has the focus", chromedp.WaitVisible(`[data-item]:focus`, byQuery))
		}
		if keys > 400 {
			t.Fatalf("%d keys, and %d things are left", keys, count())
		}
	}
	staff.sees("Done today")
	t.Logf("%d things took %d keys", things, keys)
	if things < 26 && keys != 3+2*things {
		t.Errorf("%d things took %d keys", things, keys)
	}

	phone := site.tab(t, chromium)
	phone.signInToDemo("finance")
	phone.show(390, 844, "light")
	phone.open("/attention?whose=later")
	phone.sees("Shown again on")
	phone.do(
		"log a call",
		chromedp.Click(`[data-item] .menu summary`, byQuery, chromedp.NodeVisible),
		chromedp.Click(`[data-item] [data-do="c"]`, byQuery, chromedp.NodeVisible),
		chromedp.WaitVisible(`.queue-form [name="outcome"]`, byQuery),
		chromedp.WaitNotVisible(`.queue-form [name="due_on"]`, byQuery),
		chromedp.SetValue(`.queue-form [name="outcome"]`, "promised", byQuery),
		chromedp.WaitVisible(`.queue-form [name="due_on"]`, byQuery),
		chromedp.SetValue(`.queue-form [name="outcome"]`, "reached", byQuery),
		chromedp.Click(`.queue-form button.primary`, byQuery),
	)
	phone.sees("Call logged.")
	phone.do("open a menu", chromedp.Click(`[data-item] .menu summary`, byQuery, chromedp.NodeVisible))
	if wide := phone.overflow(); wide != "" {
		t.Errorf("wider than a phone: %s", wide)
	}

	// What was written down stands on the client's page and on those of what belongs to it.
	var purchase, client string
	if err := site.app.Store.Pool.QueryRow(t.Context(), `SELECT p.id::text, p.client_id::text
		FROM purchases p JOIN collections c
		ON c.purchase_id = p.id WHERE p.status = 'error' AND p.client_id IS NOT NULL LIMIT 1`).
		Scan(&purchase, &client); err != nil {
		t.Fatal(err)
	}
	staff.open("/purchases/" + purchase)
	staff.do(
		"write a note",
		chromedp.Click(`#notes a[href*="do=note"]`, byQuery, chromedp.NodeVisible),
		chromedp.WaitVisible(`#notes-form [name="text"]`, byQuery),
		chromedp.SendKeys(`#notes-form [name="text"]`, "Pays on Friday", byQuery),
		chromedp.Click(`#notes-form button.primary`, byQuery),
	)
	staff.sees("Note added.")
	staff.open("/clients/" + client)
	staff.sees("Pays on Friday")
	staff.sees("Account as of today")
	staff.looksAt("client-desk")
	for _, path := range []string{"/attention", "/clients/" + client, "/clients/" + client + "/notes?do=call",
		"/purchases/" + purchase,
		"/calendar", "/calendar?view=week", "/calendar?view=day", "/calendar/holidays?day=" + site.workingDay(14).String()} {
		phone.open(path)
		if wide := phone.overflow(); wide != "" {
			t.Errorf("%s is wider than a phone: %s", path, wide)
		}
	}
}

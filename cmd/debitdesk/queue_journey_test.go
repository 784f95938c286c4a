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
	site := openSite(t)
	if _, err := site.app.demo(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	chromium := browser(t)
	staff := site.tab(t, chromium)
	staff.open("/login")
	staff.do("type who it is", chromedp.Focus(`[name="email"]`, chromedp.ByQuery))
	staff.presses("staff@kloofstreet.example", kb.Tab)
	staff.do("the password is next", chromedp.Focus(`[name="password"]`, chromedp.ByQuery))
	staff.presses(demo.Password)
	staff.travels(kb.Enter)
	staff.sees("Success rate")
	keys := 2
	staff.travels("g", "a")
	staff.do("the queue is there", chromedp.WaitVisible(`#queue [data-item]`, chromedp.ByQuery))
	staff.looksAt("queue")
	count := func() (n int) {
		staff.do("count", chromedp.Evaluate(`document.querySelectorAll("[data-item]").length`, &n))
		return n
	}
	things := count()
	if things == 0 {
		t.Fatal("nothing waits in the demo data")
	}
	staff.presses("j")
	keys++
	for n := things; n > 0; n = count() {
		staff.presses("s")
		staff.do("the form opens", chromedp.WaitVisible(`.queue-form #act [name="until"]:focus`, chromedp.ByQuery))
		staff.presses(kb.Enter)
		keys += 2
		staff.do("it leaves", chromedp.Poll(fmt.Sprintf(`document.querySelectorAll("[data-item]").length < %d && !document.querySelector(".htmx-request")`, n),
			nil))
		if count() > 0 {
			staff.do("the next has the focus", chromedp.WaitVisible(`[data-item]:focus`, chromedp.ByQuery))
		}
		if keys > 400 {
			t.Fatalf("%d keys, and %d things are left", keys, count())
		}
	}
	staff.sees("Snoozed and closed today")
	t.Logf("%d things took %d keys", things, keys)
	if things < 26 && keys != 3+2*things {
		t.Errorf("%d things took %d keys", things, keys)
	}

	phone := site.tab(t, chromium)
	phone.signInToDemo("finance")
	phone.show(390, 844, "light")
	phone.open("/attention?whose=later")
	phone.sees("Shown again on")
	phone.do("log a call", chromedp.Click(`[data-item] [data-do="c"]`, chromedp.ByQuery, chromedp.NodeVisible),
		chromedp.WaitVisible(`.queue-form [name="outcome"]`, chromedp.ByQuery), chromedp.Click(`.queue-form button.primary`, chromedp.ByQuery))
	phone.sees("Call logged.")
	if wide := phone.overflow(); wide != "" {
		t.Errorf("wider than a phone: %s", wide)
	}
}

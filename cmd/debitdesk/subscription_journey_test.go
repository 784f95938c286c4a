package main

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Finance makes a subscription while its dates follow the form, adds a client whose
// account is stored, and sees a month billed and, after a pause, a month skipped.
func TestASubscriptionIsBilledMonthByMonth(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	client := owner.addsClient("Thandiwe Nkosi", "thandiwe@example.com")
	link := owner.makesLink(client)
	site.tab(t, chromium).givesAccount(link, "Thandiwe Nkosi", "62001230101")

	owner.open("/templates")
	owner.sees("No template yet")
	owner.looksAt("templates-empty")
	owner.open("/templates/new")
	owner.fill("title", "Gym membership")
	owner.fill("name", "Membership")
	owner.fill("price", "649,00")
	owner.set("start", "2099-01-31")
	owner.do("tell the form", chromedp.Evaluate(
		`document.querySelector('[name="start"]').dispatchEvent(new Event('change', {bubbles: true}))`, nil))
	owner.sees("every month on the 31st (last day in shorter months)")
	owner.sees("28\u00a0Feb\u00a02099")
	owner.looksAt("template-new")
	owner.click("Save template")
	owner.sees("No subscriber yet")
	owner.looksAt("template-without-subscribers")
	template := owner.address()

	owner.open("/templates/" + idIn(template, "/templates/") + "/subscribers/new?client=" + idIn(client, "/clients/"))
	owner.looksAt("subscriber-new")
	owner.click("Add the subscriber")
	owner.sees("Pause this subscriber")
	owner.sees("Billed next on")
	owner.looksAt("subscriber")
	subscriber := owner.address()
	if n := strings.Count(owner.text("main"), "Show the purchase"); n != 2 { // the fact, and one period
		t.Fatalf("%d links to purchases after adding", n)
	}
	site.later(t, 32*24*time.Hour)
	owner.open(subscriber)
	if n := strings.Count(owner.text("main"), "Show the purchase"); n != 3 {
		t.Fatalf("%d links to purchases after a month:\n%s", n, owner.text("main"))
	}
	owner.click("Pause this subscriber")
	owner.sees("Resume this subscriber")
	site.later(t, 32*24*time.Hour)
	owner.open(subscriber)
	owner.sees("Skipped")
	owner.sees("this subscriber was paused")
	owner.looksAt("subscriber-paused")
	owner.open(template)
	owner.looksAt("template")

	var purchase string
	if err := site.app.Store.Pool.QueryRow(t.Context(),
		`SELECT id::text FROM purchases WHERE subscriber_id IS NOT NULL ORDER BY id DESC LIMIT 1`).Scan(
		&purchase); err != nil {
		t.Fatal(err)
	}
	payer := site.tab(t, chromium)
	payer.open("/p/" + purchase + "/subscription/")
	payer.looksAt("payer-subscription")
	payer.click("Stop this subscription")
	payer.sees("What stopping means")
	payer.looksAt("payer-subscription-stop")
	payer.click("Yes, stop it")
	payer.sees("This subscription is stopped")
}

// idIn is the id that follows the beginning of an address.
func idIn(address, begins string) string {
	_, id, _ := strings.Cut(address, begins)
	id, _, _ = strings.Cut(id, "/")
	id, _, _ = strings.Cut(id, "?")
	return id
}

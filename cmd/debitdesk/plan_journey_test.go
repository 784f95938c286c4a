package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/locale"
)

// Staff make a plan, rehearse it, see it act and change it while it is under way. The client whose debit failed
// does the rest in isiZulu, from a link by SMS, and staff see the same.
func TestAPlanActsAndItsClientHelpsItself(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	if err := site.app.Store.Clock.MoveTo(t.Context(), site.workingDay(1).At(10, 0)); err != nil { // when SMS go out
		t.Fatal(err)
	}
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	owner.failsOnce(site, "Pieter Botha", "pieter@example.com")
	plan := owner.makesPlan(site)
	client, failed := owner.failsOnce(site, "Sipho Dube", "sipho@example.com")
	owner.open("/attention?whose=later")
	owner.sees("A plan is at work")
	owner.sees("Sipho Dube")
	owner.looksAt("attention-later")
	owner.open(failed)
	owner.sees("The plan “Late payers” is at work on it.") // and not that nothing more happens
	owner.sees("A plan is at work until")
	owner.sees("Wait 20 days, until")
	owner.changesPlan(plan)

	site.speaksZulu(t, client)
	owner.allowsDays(site)
	owner.charges(client, "Next month", "150.00", site.workingDay(12))
	owner.open(client + "/page")
	owner.click("Send link by SMS")
	phone := site.tab(t, chromium)
	link := owner.texted(`/my/link/\S+`)
	phone.open(link)
	phone.submit()
	zulu := locale.In(locale.Zulu)
	phone.sees(zulu.Say("my.owe"))
	phone.looksAt("my-zulu")
	used := map[string]bool{}
	acts := func(kind string, fill func()) {
		t.Helper()
		phone.open("/my/")
		phone.goes("act "+kind, chromedp.Click(`main a[href^="/my/acts/`+kind+`/"]`, byQuery, chromedp.NodeVisible))
		fill()
		phone.choose("by_sms", "yes")
		phone.submit()
		phone.sees(zulu.Say("my.code.title"))
		phone.fill("code", owner.code(used))
		phone.submit()
		phone.sees(zulu.Say("my.done.title"))
		phone.speaks("/my/", locale.Zulu)
	}
	lastDay := func() {
		phone.do("choose a day", chromedp.Evaluate(`(() => { const s = document.querySelector('select[name="day"]');
			s.value = s.options[s.options.length - 1].value })()`, nil))
	}
	acts("promise", lastDay)
	acts("day", lastDay)
	acts("invoice", func() {})
	acts("privacy", func() { phone.choose("request", "access") })

	owner.open(client)
	for _, seen := range []string{"promise", "moved a debit", "invoice",
		"a request was received"} {
		if said := owner.text("main"); !strings.Contains(strings.ToLower(said), seen) {
			t.Errorf("the page of the client says nothing of %q:\n%s", seen, said)
		}
	}
	owner.open(failed)
	owner.sees("Held")
	owner.open("/requests")
	owner.sees("Sipho Dube")
}

// failsOnce is a client whose debit comes back for lack of money.
func (b *tab) failsOnce(site *site, name, email string) (client, purchase string) {
	b.t.Helper()
	client = b.addsClient(name, email)
	link := b.makesLink(client)
	b.givesAccount(link, name, "62001239002")
	purchase = b.charges(client, "Membership", "649.00", site.workingDay(7))
	site.later(b.t, 12*24*time.Hour)
	b.open(purchase)
	b.sees("Not enough money")
	return client, purchase
}

// makesPlan writes a plan and rehearses it on what failed before.
func (b *tab) makesPlan(site *site) string {
	b.t.Helper()
	b.open("/plans/new")
	b.fill("name", "Late payers")
	for name, value := range map[string]string{"money.0": "message", "money.1": "wait_days", "money.2": "task"} {
		b.pick(name, value)
	}
	b.set("money.1.n", "20")
	b.set("money.2.text", "Call the client.")
	b.looksAt("plan-new")
	b.submit()
	b.sees("When a debit fails because of a lack of money")
	plan := b.address()
	b.looksAt("plan")
	b.click("Rehearse on past failures")
	b.set("since", calendar.DateOf(site.app.Store.Now()).AddDays(-30).String())
	b.submit()
	b.sees("Pieter Botha")
	b.looksAt("plan-rehearsal")
	return plan
}

// changesPlan has what is under way go on by the version it began with, and then moves it over.
func (b *tab) changesPlan(plan string) {
	b.t.Helper()
	b.open(plan)
	b.click("Change plan")
	b.set("money.1.n", "25")
	b.submit()
	b.sees("Version 2")
	b.sees("Version 1")
	b.click("Move to version 2…")
	b.sees("Move 1 purchase to version 2?")
	b.looksAt("plan-moving")
	b.submit()
	b.sees("1 purchase moved.")
}

// speaksZulu is a client who reads isiZulu, of a brand that offers it.
func (s *site) speaksZulu(t *testing.T, client string) {
	t.Helper()
	var merchant, brand uuid.UUID
	if err := s.app.Store.Pool.QueryRow(t.Context(), `SELECT merchant_id, id FROM brands`).Scan(&merchant,
		&brand); err != nil {
		t.Fatal(err)
	}
	s.offers(t, merchant, brand, "zu")
	s.execute(t, `UPDATE clients SET language = 'zu' WHERE id = $1`, client[strings.LastIndexByte(client, '/')+1:])
}

// allowsDays lets clients move the days of their debits.
func (b *tab) allowsDays(site *site) {
	b.t.Helper()
	b.open("/settings/brands/" + site.paths(b.t, `SELECT id::text FROM brands`)[0] + "/page")
	b.looksAt("settings-page")
	b.pick("day", "on")
	b.submit()
}

// texted waits for a text on the phones of the sandbox.
func (b *tab) texted(pattern string) (found string) {
	b.t.Helper()
	return b.onPhone(regexp.MustCompile(pattern), map[string]bool{})
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// code is the newest that came by SMS.
func (b *tab) code(used map[string]bool) string {
	b.t.Helper()
	return b.onPhone(sixDigits, used)
}

// onPhone looks at the phones until one shows what fits and was not used.
func (b *tab) onPhone(form *regexp.Regexp, used map[string]bool) string {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		b.open("/sandbox/phone")
		for _, found := range form.FindAllString(b.text("main"), -1) {
			if !used[found] {
				used[found] = true
				return found
			}
		}
		b.do("wait", chromedp.Sleep(readAgain))
	}
	b.t.Fatalf("no phone shows %s", form)
	return ""
}

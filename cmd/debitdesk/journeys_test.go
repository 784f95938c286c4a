package main

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"debitdesk/cmd/app"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/demo"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
)

const password = "a password of length"

// business sets up a merchant whose admin can sign in.
func (s *site) business(t *testing.T) {
	t.Helper()
	m, _, err := s.app.Services.Merchants.Create(t.Context(),
		merchant.New{Slug: "gym", Name: "Kloof Street Fitness", Brand: app.FirstBrand(true)})
	if err != nil {
		t.Fatal(err)
	}
	admin := user.Input{Email: "owner@gym.example", Name: "Nomsa Jacobs", Password: password, Role: actor.Admin}
	if _, err := s.app.Services.Users.Create(t.Context(), actor.OperatorOf(m.ID), admin); err != nil {
		t.Fatal(err)
	}
}

func (b *tab) signIn() {
	b.t.Helper()
	b.open("/")
	b.looksAt("sign-in")
	b.fill("email", "owner@gym.example")
	b.fill("password", password)
	b.click("Sign in")
	b.sees("To be collected today")
}

// The first paragraph of what the product is for, as a person walks it: a new
// client, the account stored by the payer's link without taking money, a charge
// for a day of next week, the clock moved, and the money collected; of another
// client it comes back, with the reason.
func TestFromABankAccountToCollectedMoney(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	owner.looksAt("home-empty")
	nextWeek := site.workingDay(7)

	client := owner.addsClient("Thandiwe Nkosi", "thandiwe@example.com")
	link := owner.makesLink(client)
	payer := site.tab(t, chromium)
	payer.givesAccount(link, "Thandiwe Nkosi", "62001230101")
	paid := owner.charges(client, "Monthly membership", "649.00", nextWeek)
	owner.looksAt("purchase-waiting")
	owner.chargesInHaste(client, "Towel", "20.00", nextWeek)

	other := owner.addsClient("Pieter Botha", "pieter@example.com")
	link = owner.makesLink(other)
	site.tab(t, chromium).givesAccount(link, "Pieter Botha", "62001239002")
	unpaid := owner.charges(other, "Family membership", "1199.00", nextWeek)

	owner.movesClock(nextWeek)
	owner.open(paid)
	owner.sees("Paid, provisional")
	owner.looksAt("purchase-provisional")
	owner.movesClock(nextWeek.AddDays(12))
	owner.open(paid)
	owner.sees("The bank can no longer return it")
	owner.looksAt("purchase-paid")
	owner.open(unpaid)
	owner.sees("Not enough money")
	owner.looksAt("purchase-unpaid")
	owner.open("/")
	owner.looksAt("home")
	owner.open("/attention")
	owner.looksAt("attention")
}

// workingDay is the first day so far ahead on which banks work.
func (s *site) workingDay(ahead int) calendar.Date {
	day := calendar.DateOf(s.app.Store.Now()).AddDays(ahead)
	for days := calendar.New(); !days.IsBusinessDay(day); {
		day = day.AddDays(1)
	}
	return day
}

// phoneOf is a phone number of one's own, so that no client looks like another.
func phoneOf(email string) string {
	return fmt.Sprintf("082 %07d", crc32.ChecksumIEEE([]byte(email))%10_000_000)
}

// addsClient gives the address of the new client.
func (b *tab) addsClient(name, email string) string {
	b.t.Helper()
	b.open("/clients")
	b.looksAt("clients")
	b.open("/clients/new")
	b.looksAt("client-new")
	b.fill("full_name", name)
	b.fill("email", email)
	b.fill("phone", phoneOf(email))
	b.click("Add client")
	b.sees("No token yet")
	b.looksAt("client")
	return b.address()
}

// makesLink asks for the account and gives the payer's link.
func (b *tab) makesLink(client string) string {
	b.t.Helper()
	b.open(client)
	b.click("Store a bank account")
	b.sees("Make the link")
	b.looksAt("account-new")
	b.click("Make the link")
	b.sees("The client’s link")
	b.looksAt("purchase-link")
	return strings.TrimSuffix(b.attribute(`img.qr`, "src"), "/qr")
}

// givesAccount is the payer, who has the link and no session.
func (b *tab) givesAccount(purchase, name, account string) {
	b.t.Helper()
	b.open("/p/" + purchase[strings.LastIndexByte(purchase, '/')+1:] + "/")
	b.sees("Your agreement")
	b.looksAt("payer")
	b.fill("full_name", name)
	b.pick("bank_code", "250655")
	b.fill("account_number", account)
	b.pick("account_type", "CURRENT")
	b.choose("consent", "yes")
	b.submit()
	b.sees("stored")
	b.looksAt("payer-done")
}

// charges makes a purchase that is debited on that day, and gives its address.
func (b *tab) charges(client, what, rand string, day calendar.Date) string {
	b.t.Helper()
	b.open(client)
	b.sees("Active")
	b.looksAt("client-with-account")
	b.click("New purchase")
	b.sees("Description")
	b.fill("name", what)
	b.fill("price", rand)
	b.choose("way", "charge")
	b.choose("due", day.String())
	b.looksAt("purchase-new")
	b.submit()
	b.sees("Scheduled")
	return b.address()
}

// chargesInHaste fills the form faster than the server answers what it says: the day is chosen while the days are on
// their way, and the button is pressed while its label is. Neither is taken back.
func (b *tab) chargesInHaste(client, what, rand string, day calendar.Date) {
	b.t.Helper()
	b.open(client)
	b.click("New purchase")
	b.fill("name", what)
	b.fill("price", rand)
	b.choose("way", "link")
	b.sees("Record and send link")
	b.do("choose the day before the days come", chromedp.Evaluate(`new Promise(done => {
		const pick = selector => document.querySelector(selector).click();
		document.addEventListener("htmx:beforeSend", () => pick('[name="due"][value="`+day.String()+`"]'), {once: true});
		document.addEventListener("htmx:afterSettle", () => document.querySelector('[name="due"]:checked') && done());
		pick('[name="way"][value="charge"]');
	})`, nil, awaited))
	var chosen string
	b.do("read the day", chromedp.Evaluate(`document.querySelector('[name="due"]:checked')?.value || ""`, &chosen))
	if chosen != day.String() {
		b.t.Errorf("the day %s was chosen while the days were drawn anew; the form says %q", day, chosen)
	}
	b.choose("way", "link")
	b.sees("Record and send link")
	var at struct{ X, Y float64 }
	b.do("find the button", chromedp.Evaluate(`(() => {
		const button = document.querySelector("main button.primary");
		button.scrollIntoView({block: "center"});
		const {x, y, width, height} = button.getBoundingClientRect();
		return {x: x + width / 2, y: y + height / 2} })()`, &at))
	once := chromedp.ClickCount(1)
	b.do("press the button while its label changes",
		chromedp.MouseEvent(input.MousePressed, at.X, at.Y, chromedp.ButtonLeft, once),
		chromedp.Evaluate(`new Promise(done => {
			document.addEventListener("htmx:afterRequest", done, {once: true});
			document.querySelector('[name="way"][value="charge"]').click() }).then(() => true)`, nil, awaited))
	b.goes("release the button", chromedp.MouseEvent(input.MouseReleased, at.X, at.Y, chromedp.ButtonLeft, once))
	b.sees("Scheduled")
}

// movesClock goes to the evening of a day.
func (b *tab) movesClock(to calendar.Date) {
	b.t.Helper()
	b.open("/sandbox/clock")
	b.looksAt("sandbox-clock")
	b.setsClock(to, "18:00")
}

// setsClock moves it by the form of its page, which is open, and waits for what was done on the way: the day alone may
// stand on the page already.
func (b *tab) setsClock(to calendar.Date, at string) {
	b.t.Helper()
	b.set("date", to.String())
	b.set("time", at)
	b.click("Move the clock")
	b.sees("On the way:")
}

// Scripts only improve: the same work by plain links and forms.
func TestTheMainJobIsDoneWithoutScripts(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	chromium := browser(t)
	owner := site.tab(t, chromium).withoutScripts()
	owner.open("/login")
	owner.fill("email", "owner@gym.example")
	owner.fill("password", password)
	owner.click("Sign in")
	owner.sees("To be collected today")
	client := owner.addsClient("Naledi Mokoena", "naledi@example.com")
	link := owner.makesLink(client)
	site.tab(t, chromium).withoutScripts().givesAccount(link, "Naledi Mokoena", "62001230102")
	day := site.workingDay(7)
	paid := owner.charges(client, "Monthly membership", "649.00", day)
	owner.movesClock(day)
	owner.open(paid)
	owner.sees("Paid, provisional")
}

// What comes up on a day with many members: one is found, a charge is called
// off, money is given back, an account is deleted by whoever may, and told what
// that breaks.
func TestADayAtTheDesk(t *testing.T) {
	t.Parallel()
	site := openDemo(t, 8)
	chromium := browser(t)
	admin := site.tab(t, chromium)
	admin.signInToDemo("admin")

	admin.open("/clients")
	admin.sees("Pieter Adams")
	admin.fill("q", "thandi") // the list follows as one types
	admin.loses("Pieter Adams")
	admin.sees("Thandiwe Nkosi")

	admin.open("/purchases?status=pending_charge")
	admin.opensFirst()
	admin.click("Cancel purchase…")
	admin.looksAt("ask-cancel")
	admin.submit()
	admin.sees("Cancelled")

	admin.open("/purchases?status=paid")
	admin.opensFirst()
	admin.click("Refund…")
	admin.looksAt("ask-refund")
	admin.submit()
	admin.sees("Refund pending")

	admin.open("/tokens?state=active")
	admin.opensFirst()
	admin.click("Delete token…")
	admin.sees("no scheduled purchase uses it")
	admin.looksAt("ask-delete")
	admin.fill("confirm", strings.Fields(admin.text("main label[for$=confirm]"))[1][:4]) // "Type 1234, the last digits …"
	admin.submit()
	admin.sees("deleted")

	staff := site.tab(t, chromium)
	staff.signInToDemo("staff")
	staff.open("/tokens?state=active")
	staff.opensFirst()
	staff.sees("Only an admin can delete tokens")
}

func (b *tab) signInToDemo(who string) {
	b.t.Helper()
	b.open("/login")
	b.fill("email", who+"@kloofstreet.example")
	b.fill("password", demo.Password)
	b.click("Sign in")
	b.sees("Success rate")
}

func (b *tab) opensFirst() {
	b.t.Helper()
	b.goes("open the first", chromedp.Click(`main tbody a`, byQuery, chromedp.NodeVisible))
}

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/simulation"
)

// setUp is what staff fill in to set up a DebiCheck mandate for a new client.
type setUp struct {
	name, email, account string
	fallback             bool
}

// setsUp fills the form in and sends it; the address is the mandate's.
func (b *tab) setsUp(m setUp) string {
	b.t.Helper()
	b.open("/mandates/new?method=debicheck")
	b.looksAt("mandate-new-empty")
	b.choose("client_id", "new")
	b.fill("full_name", m.name)
	b.fill("email", m.email)
	b.fill("phone", phoneOf(m.email))
	b.fill("personal_code", "8501015000085")
	b.pick("bank_code", "632005")
	b.fill("bank_account", m.account)
	b.pick("account_type", "CURRENT")
	b.fill("name", "Gym membership")
	b.fill("price", "1000")
	b.fill("max_amount_cents", "1500")
	if m.fallback {
		b.choose("do_delayed_on_auth_failure", "")
		b.sees("if the client does not answer in time and the fallback takes over")
	}
	b.sees("R\u00a01\u00a0500,00")
	b.sees("may be disputed")
	b.looksAt("mandate-new")
	// Pressed by a script: the card with the button sticks to the window and moves as it is scrolled to.
	b.goes("send", chromedp.Evaluate(`document.querySelector("main button.primary").click()`, nil))
	return b.address()
}

// taps is the payer's thumb on the phone of the sandbox.
func (b *tab) taps(answer string) {
	b.t.Helper()
	b.open("/sandbox/phone")
	b.sees("Approve a DebiCheck debit order")
	b.looksAt("phone")
	b.click(answer)
	b.sees("Recently finished")
}

// later moves the clock and does what becomes due on the way.
func (s *site) later(t *testing.T, by time.Duration) {
	t.Helper()
	var merchantID uuid.UUID
	if err := s.app.Store.Pool.QueryRow(t.Context(), `SELECT id FROM merchants`).Scan(&merchantID); err != nil {
		t.Fatal(err)
	}
	who := actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: merchantID, Name: "Owner"}
	if _, err := s.app.Services.Controls.Move(t.Context(), who, simulation.ClockMove{Advance: by}); err != nil {
		t.Fatal(err)
	}
}

// Staff set a mandate up, everybody sees the payer's answer at once, and the first
// debit is collected, which the payer cannot dispute.
func TestADebiCheckMandateIsAcceptedInTime(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	site.atNine(t)
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	mandate := owner.setsUp(setUp{name: "Nomvula Dlamini", email: "nomvula@example.com", account: "4000008480"})
	owner.sees("Waiting for the client’s answer")
	colleague := site.tab(t, chromium)
	colleague.signIn()
	colleague.taps("Accept")
	owner.sees("Accepted by the client") // without a reload
	owner.sees("Active")
	owner.open(mandate)
	owner.looksAt("mandate-active")
	owner.open("/mandates")
	owner.sees("Nomvula Dlamini")
	owner.looksAt("mandates")
	site.later(t, 45*24*time.Hour)
	owner.open(mandate)
	owner.sees("Collected")
	if row := owner.text("main tbody tr"); !strings.Contains(row, "Collected") || !strings.Contains(row, "No") {
		t.Errorf("the debit reads %q", row)
	}
}

// Nobody answers for 120 seconds; the fallback that was asked for takes over, and
// 48 hours later the mandate is registered without an answer.
func TestAMandateThatIsIgnoredFallsBack(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	site.atNine(t)
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	mandate := owner.setsUp(setUp{name: "Sipho Khumalo", email: "sipho@example.com", account: "4000008480",
		fallback: true})
	owner.sees("Waiting for the client’s answer")
	colleague := site.tab(t, chromium)
	colleague.signIn()
	colleague.open("/sandbox/phone")
	colleague.sees("Approve a DebiCheck debit order")
	colleague.click("Ignore")
	site.later(t, 121*time.Second)
	owner.sees("48 hours") // the fallback, without a reload
	owner.open(mandate)
	owner.sees("No answer from the client")
	owner.looksAt("mandate-fallback")
	colleague.open("/sandbox/phone")
	colleague.sees("text message")
	colleague.click("Ignore")
	site.later(t, 49*time.Hour)
	owner.open(mandate)
	owner.sees("Registered")
	owner.looksAt("mandate-registered")
}

// Outside the window the form asks by the delayed kind and says why.
func TestOutsideTheWindowTheFormAsksLater(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	site.atNine(t)
	now := site.app.Store.Now()
	if err := site.app.Store.Clock.MoveTo(t.Context(),
		(calendar.TimeOfDay{Hour: 21}).On(calendar.DateOf(now))); err != nil {
		t.Fatal(err)
	}
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	owner.open("/mandates/new?method=debicheck")
	owner.sees("Delayed for now")
	owner.sees("from 03:00 to 20:30")
	owner.looksAt("mandate-new-closed")
	mandate := owner.setsUp(setUp{name: "Lerato Mokoena", email: "lerato@example.com", account: "4000008480"})
	owner.sees("47 h")
	owner.looksAt("mandate-delayed")
	payer := site.tab(t, chromium)
	payer.open("/p" + mandate[len("/mandates"):] + "/")
	payer.sees("Waiting for your answer")
	payer.looksAt("payer-waits")
	colleague := site.tab(t, chromium).withoutScripts()
	colleague.open("/login")
	colleague.fill("email", "owner@gym.example")
	colleague.fill("password", password)
	colleague.click("Sign in")
	colleague.open("/sandbox/phone")
	colleague.click("Decline")
	owner.sees("Declined by the client")
	payer.sees("You declined")
}

// A customer's account is replaced in three steps: the old one stays in use until
// the customer has confirmed the new one, and what waits moves with consent.
func TestAnAccountIsReplacedInThreeSteps(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	site.atNine(t)
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	client := owner.addsClient("Zanele Cele", "zanele@example.com")
	link := owner.makesLink(client)
	site.tab(t, chromium).givesAccount(link, "Zanele Cele", "62001230101")
	waiting := owner.charges(client, "Monthly membership", "649.00", site.workingDay(12))

	owner.open(client)
	owner.goes("replace", chromedp.Click(`main a[href$="/amendment"]`, byQuery, chromedp.NodeVisible))
	owner.sees("In use now")
	owner.looksAt("amendment-new")
	owner.choose("method", "debicheck")
	owner.choose("account", "known")
	owner.fill("full_name", "Zanele Cele")
	owner.fill("id_number", "8501015000085")
	owner.fill("phone", "082 123 4567")
	owner.pick("bank_code", "632005")
	owner.fill("account_number", "4000008480")
	owner.fill("name", "Monthly membership")
	owner.fill("price", "649")
	owner.fill("max_amount_cents", "800")
	owner.submit()
	owner.sees("Nothing was sent yet")
	owner.looksAt("amendment-review")
	owner.submit()
	owner.sees("Waiting for the client’s answer")
	owner.looksAt("amendment-waits")
	amendment := owner.address()
	colleague := site.tab(t, chromium)
	colleague.signIn()
	colleague.taps("Accept")
	owner.sees("and not from") // the consent, without a reload
	owner.looksAt("amendment-take-over")
	owner.choose("consent", "")
	owner.submit()
	owner.sees("The new details are in use")
	owner.open(amendment)
	owner.looksAt("amendment-done")
	owner.open(waiting)
	owner.sees("•••• 8480")
	site.later(t, 20*24*time.Hour)
	owner.open(waiting)
	owner.sees("Paid")
}

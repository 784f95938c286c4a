package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

// cast is a client with a stored account.
type cast struct {
	*handlertest.Server
	client, token string
	day           calendar.Date // the earliest day of a debit
}

func withAccount(t *testing.T) cast {
	t.Helper()
	h := handlertest.New(t)
	client := strings.TrimPrefix(add(h, thandi()), "/clients/")
	k := cast{Server: h, client: client,
		day: h.Purchases.Timetable.EarliestActionDate(h.Purchases.Calendar, h.Store.Now())}
	page := k.capture(t, nil)
	k.token = strings.TrimPrefix(page, "/tokens/")
	return k
}

// newPurchase is a form that charges the stored account.
func (k cast) newPurchase(pairs ...string) url.Values {
	form := url.Values{"form_key": {uuid.NewString()}, "client_id": {k.client}, "name": {"Gym membership"},
		"price": {"1 234,50"}, "quantity": {"2"},
		"reference": {"INV-7"}, "way": {"charge"}, "recurring_token": {k.token}, "due": {k.day.String()}}
	return with(form, pairs...)
}

// made is the address of a new purchase.
func (k cast) made(t *testing.T, pairs ...string) string {
	t.Helper()
	return k.Page(k.A.Staff, "POST", "/purchases", k.newPurchase(pairs...)).Want(http.StatusSeeOther).Header.Get(
		"Location")
}

func TestAPurchaseIsMadeAndChargedInOneForm(t *testing.T) {
	k := withAccount(t)
	k.Page(k.A.Staff, "GET", "/purchases/new?client="+k.client, nil).Want(http.StatusOK).
		Contains("Thandi Nkosi", "Absa •••• 3456", `value="charge" checked`,
			"Too soon: a debit order needs two business days", "banks are closed")
	page := k.made(t)
	k.Page(k.A.Staff, "GET", page, nil).Want(http.StatusOK).
		Contains("2\u00a0469,00", "Scheduled", "Will be handed to the bank on", "can be cancelled until then", "INV-7",
			"TESTMERCH1", "The debit is scheduled for", "Planned",
			"The bank can no longer return the debit", "Last day on which the client can dispute the debit").
		Lacks("4055123456")
	if got := k.Count(`SELECT count(*) FROM collections WHERE state = 'scheduled' AND amount_cents = 246900`); got != 1 {
		t.Errorf("%d debits, want 1", got)
	}
}

func TestAPartThatWasPaidAnotherWayIsRecorded(t *testing.T) {
	k := withAccount(t)
	page := k.made(t, "way", "record", "due", "", "recurring_token", "")
	k.Page(k.A.Staff, "GET", page+"/payment", nil).Want(http.StatusOK).Contains("Amount paid", "value=\"2\u00a0469,00\"",
		"How it was paid", "In cash", "Reference")
	paid := url.Values{"form_key": {uuid.NewString()}, "paid_on": {calendar.DateOf(k.Store.Now()).String()},
		"amount": {"9999"}, "method": {"goats"}, "reference": {strings.Repeat("x", 101)}}
	k.Page(k.A.Staff, "POST", page+"/payment", paid).Want(http.StatusUnprocessableEntity).Contains(
		"which is still to be paid", "is not a way to pay", "no more than 100 characters")
	paid = with(paid, "form_key", uuid.NewString(), "amount", "469,00", "method", "cash", "reference", "R-17")
	k.Page(k.A.Staff, "POST", page+"/payment", paid).Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "GET", page, nil).Want(http.StatusOK).Contains("Paid so far", "Still to be paid", "2\u00a0000,00",
		"in cash, reference R-17", "Take back the payment")
	k.Page(k.A.Finance, "POST", page+"/payment/return", url.Values{"form_key": {uuid.NewString()}}).
		Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "GET", page, nil).Want(http.StatusOK).Lacks("Paid so far")
}

func TestTheSameFormMakesOnePurchase(t *testing.T) {
	k := withAccount(t)
	form := k.newPurchase()
	first := k.Page(k.A.Staff, "POST", "/purchases", form).Want(http.StatusSeeOther).Header.Get("Location")
	second := k.Page(k.A.Staff, "POST", "/purchases", form).Want(http.StatusSeeOther).Header.Get("Location")
	if first != second {
		t.Errorf("the second post went to %s, the first to %s", second, first)
	}
	if n := k.Count(`SELECT count(*) FROM collections`); n != 1 {
		t.Errorf("%d debits, want 1", n)
	}
}

func TestEveryProblemOfANewPurchaseIsSaidBesideItsInput(t *testing.T) {
	k := withAccount(t)
	form := k.newPurchase("client_id", "", "due", "2020-01-01", "recurring_token", "")
	form["name"], form["price"], form["quantity"] = []string{"", "Towel"}, []string{"1,234", "10"}, []string{"x", "1"}
	k.Page(k.A.Staff, "POST", "/purchases", form).Want(http.StatusUnprocessableEntity).
		Contains("Choose the client.", "Say what the purchase is for.", "could be thousands or decimals",
			"Enter a number above 0.", "Too soon", "Choose the account to debit.",
			`href="#price-1"`, `value="1,234"`, `value="Towel"`)
	if n := k.Count(`SELECT count(*) FROM purchases WHERE total_cents > 0`); n != 0 {
		t.Errorf("%d purchases, want none", n)
	}
}

func TestButtonsChangeTheLinesWithoutScripts(t *testing.T) {
	k := withAccount(t)
	k.Page(k.A.Staff, "POST", "/purchases", k.newPurchase("add", "yes")).Want(http.StatusOK).Contains(`id="name-2"`,
		`value="Gym membership"`)
	two := k.newPurchase("remove", "0")
	two["name"], two["price"], two["quantity"] = []string{"Gym", "Towel"}, []string{"1", "2"}, []string{"1", "1"}
	k.Page(k.A.Staff, "POST", "/purchases", two).Want(http.StatusOK).Contains(`value="Towel"`).Lacks(`id="name-2"`,
		`value="Gym"`)
	k.Page(k.A.Staff, "POST", "/purchases", k.newPurchase("client_id", "", "client_id_q", "thandi", "find",
		"client_id")).Want(http.StatusOK).Contains("Thandi Nkosi")
}

func TestThePreviewSaysWhatWouldHappen(t *testing.T) {
	k := withAccount(t)
	k.Page(k.A.Staff, "POST", "/purchases/preview", k.newPurchase("client_shown", k.client)).Want(http.StatusOK).
		Contains("Charge R\u00a02\u00a0469,00", "Debited from Absa •••• 3456",
			"can be cancelled until then").Lacks(`id="ways"`, "<html")
	k.Page(k.A.Staff, "POST", "/purchases/preview", k.newPurchase("client_shown", "")).Want(http.StatusOK).Contains(
		`id="ways"`, `hx-swap-oob="true"`)
	k.Page(k.A.Staff, "POST", "/purchases/preview",
		k.newPurchase()).Want(http.StatusOK).Lacks("the same amount on the same day")
	k.made(t)
	k.Page(k.A.Staff, "POST", "/purchases/preview",
		k.newPurchase()).Want(http.StatusOK).Contains("the same amount on the same day: INV-7")
	k.Page(k.A.Staff, "POST", "/purchases/preview", k.newPurchase("quantity", "1")).Want(http.StatusOK).Lacks(
		"the same amount on the same day")
	k.Page(k.A.Staff, "POST", "/purchases/preview", k.newPurchase("price", "1,234")).Want(http.StatusOK).Lacks("Charge R")
}

func TestTheLinkGoesToThePayer(t *testing.T) {
	k := withAccount(t)
	page := k.made(t, "way", "link", "due", "")
	k.Page(k.A.Staff, "GET", page, nil).Want(http.StatusOK).
		Contains(handlertest.BaseURL+"/p/"+strings.TrimPrefix(page, "/purchases/")+"/", "is on its way to thandi@example.com",
			page+"/qr", "mailed once")
	if n := k.Count(`SELECT count(*) FROM mails WHERE recipient = 'thandi@example.com' AND kind = 'invoice'`); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
	picture := k.Page(k.A.Staff, "GET", page+"/qr", nil).Want(http.StatusOK)
	if !strings.HasPrefix(picture.Body, "\x89PNG") || picture.Header.Get("Content-Type") != "image/png" {
		t.Error("the code is no picture")
	}
}

func TestARecordedPurchaseIsChargedLaterOnAnotherDay(t *testing.T) {
	k := withAccount(t)
	page := k.made(t, "way", "record", "due", "")
	k.Page(k.A.Staff, "GET", page+"/charge", nil).Want(http.StatusOK).Contains("Absa •••• 3456", "Charge R")
	k.Page(k.A.Staff, "GET", page+"/charge/plan?due="+k.day.String(), nil).Want(http.StatusOK).Contains("To the bank",
		`id="plan"`)
	k.Page(k.A.Staff, "GET", page+"/charge/plan?due=2020-01-01", nil).Want(http.StatusOK).Contains("Too soon")
	form := url.Values{"recurring_token": {k.token}}
	k.Page(k.A.Staff, "POST", page+"/charge", form).Want(http.StatusUnprocessableEntity).Contains(
		"Choose the day of the debit.")
	form.Set("due_other", "2020-01-01")
	k.Page(k.A.Staff, "POST", page+"/charge", form).Want(http.StatusUnprocessableEntity).Contains("Too soon",
		`value="2020-01-01"`)
	form.Set("due_other", k.day.String())
	k.Page(k.A.Staff, "POST", page+"/charge", form).Want(http.StatusSeeOther)
	if n := k.Count(`SELECT count(*) FROM purchases WHERE status = 'pending_charge' AND due_given AND due = $1`,
		k.Purchases.Timetable.DueOn(k.day)); n != 1 {
		t.Errorf("%d scheduled on that day, want 1", n)
	}
	k.Page(k.A.Staff, "GET", page+"/charge", nil).Want(http.StatusOK).Contains("This is not possible")
}

func TestEachActAsksFirst(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	k.Page(k.A.Staff, "GET", page+"/cancellation", nil).Want(http.StatusOK).Contains("Cancel R",
		"is dropped; the bank has not seen it", "Cancel purchase")
	k.Page(k.A.Staff, "POST", page+"/cancellation", url.Values{}).Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "GET", page, nil).Contains("The purchase is cancelled.", "nothing will be collected")
	k.Page(k.A.Staff, "GET", page+"/cancellation", nil).Contains("cannot be cancelled")
	// Two people at once: the second is told, not shown an error.
	k.Page(k.A.Staff, "POST", page+"/cancellation", url.Values{}).Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "GET", page, nil).Contains("This purchase is already cancelled")
}

func TestMoneyThatCameInByHandIsRecordedAndGivenBack(t *testing.T) {
	k := withAccount(t)
	page := k.made(t, "way", "record", "due", "")
	tomorrow := calendar.DateOf(k.Store.Now()).AddDays(1).String()
	k.Page(k.A.Staff, "POST", page+"/payment", url.Values{"paid_on": {tomorrow}}).Want(
		http.StatusUnprocessableEntity).Contains("cannot be in the future", `value="`+tomorrow+`"`)
	k.Page(k.A.Staff, "POST", page+"/payment", url.Values{"paid_on": {calendar.DateOf(k.Store.Now()).String()}}).Want(
		http.StatusSeeOther)
	k.Page(k.A.Staff, "GET", page, nil).Contains("Marked as paid", "Finance or an admin can do it.")
	k.Page(k.A.Staff, "GET", page+"/refund", nil).Want(http.StatusForbidden).Contains("Not allowed")
	k.Page(k.A.Staff, "POST", page+"/refund", url.Values{"amount": {"1"}}).Want(http.StatusForbidden)
	for _, wrong := range []string{"", "0", "2 469,01", "1,234"} {
		k.Page(k.A.Finance, "POST", page+"/refund", url.Values{"amount": {wrong}}).Want(http.StatusUnprocessableEntity)
	}
	k.Page(k.A.Finance, "GET", page+"/refund", nil).Contains(`value="2` + "\u00a0" + `469,00"`)
	k.Page(k.A.Finance, "POST", page+"/refund", url.Values{"amount": {"469"}}).Want(http.StatusSeeOther)
	k.Page(k.A.Finance, "GET", page, nil).Contains("Refunded", "R\u00a0469,00")
	k.Page(k.A.Finance, "GET", page+"/settlement", nil).Contains("No refund of this purchase is waiting")
}

func TestTheListIsFilteredByItsAddress(t *testing.T) {
	k := withAccount(t)
	k.made(t)
	k.made(t, "reference", "SMALL", "price", "5", "quantity", "1", "way", "record", "due", "")
	for query, want := range map[string][2]string{ // shows, hides
		"":                            {"INV-7", "\x00"},
		"?status=pending_charge":      {"INV-7", "SMALL"},
		"?status=created,sent,viewed": {"SMALL", "INV-7"},
		"?q=small":                    {"SMALL", "INV-7"},
		"?amount_min=100":             {"INV-7", "SMALL"},
		"?amount_max=R5,00":           {"SMALL", "INV-7"},
		"?due_from=" + k.day.String(): {"INV-7", "SMALL"},
		"?due_to=" + k.day.String():   {"INV-7", "\x00"},
		"?q=nothing":                  {"Nothing matches", "INV-7"},
		"?status=odd&due_from=x&amount_min=y&after=z": {"is not a status", "\x00"},
	} {
		k.Page(k.A.Staff, "GET", "/purchases"+query, nil).Want(http.StatusOK).Contains(want[0]).Lacks(want[1])
	}
	k.Page(k.A.Staff, "GET", "/purchases", nil, "HX-Request: true", "HX-Target: results").Want(http.StatusOK).Contains(
		`id="results"`).Lacks("<html")
	k.Page(k.B.Owner, "GET", "/purchases", nil).Want(http.StatusOK).Contains("No purchase yet").Lacks("INV-7")
}

func TestTheListIsWalkedBothWays(t *testing.T) {
	k := withAccount(t)
	for range 51 {
		k.made(t, "form_key", uuid.NewString(), "way", "record", "due", "", "reference", "")
	}
	// The stored account is a row of the list too.
	k.exec(t, `UPDATE purchases SET total_cents = 100 WHERE total_cents = 0`)
	older := regexp.MustCompile(`href="(/purchases\?after=[0-9a-f-]+)"`)
	newer := regexp.MustCompile(`href="(/purchases\?before=[0-9a-f-]+)"`)
	first := k.Page(k.A.Staff, "GET", "/purchases", nil).Want(http.StatusOK)
	second := k.Page(k.A.Staff, "GET", older.FindStringSubmatch(first.Body)[1], nil).Want(http.StatusOK)
	rows := func(body string) int { return strings.Count(body, `class="main-link"`) }
	if rows(first.Body) != 50 || rows(second.Body) != 2 {
		t.Fatalf("%d and %d rows, want 50 and 2", rows(first.Body), rows(second.Body))
	}
	if newer.MatchString(first.Body) || older.MatchString(second.Body) {
		t.Error("the ends of the list lead further")
	}
	back := k.Page(k.A.Staff, "GET", newer.FindStringSubmatch(second.Body)[1], nil).Want(http.StatusOK)
	if rows(back.Body) != 50 {
		t.Errorf("%d rows on the way back, want 50", rows(back.Body))
	}
}

func TestABankAnswerIsSaidInPlainWords(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	id := uuid.MustParse(strings.TrimPrefix(page, "/purchases/"))
	k.exec(t, `UPDATE purchases SET status = 'error' WHERE id = $1`, id)
	k.exec(t, `UPDATE collections SET state = 'unpaid', result_code = '02', result_at = now() WHERE purchase_id = $1`, id)
	k.Page(k.A.Staff, "GET", page, nil).Contains("Not enough money (02)", "May I debit again?", "What helps:")
	k.Page(k.A.Staff, "GET", "/purchases?status=error", nil).Contains("Not enough money (02)")
	k.Page(k.A.Staff, "GET", "/", nil).Contains("1 debit failed since yesterday", "R\u00a02\u00a0469,00")
	k.Page(k.A.Staff, "GET", "/attention", nil).Contains("Failed debits", "Not enough money (02)", page)
}

func (k cast) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := k.Store.Pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func TestStrangersFindNoDebitsOfOthers(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	k.ExerciseStranger(func(route, name string) string {
		switch {
		case strings.HasPrefix(route, "/purchases/:id"):
			return strings.TrimPrefix(page, "/purchases/")
		case strings.HasPrefix(route, "/tokens/:id"), strings.HasPrefix(route, "/mandates/:id"):
			if name == "file" {
				return k.evidence(t)
			}
			return k.token
		case strings.HasPrefix(route, "/clients/:id/accounts"):
			return k.client
		}
		return ""
	})
}

func (k cast) evidence(t *testing.T) (id string) {
	t.Helper()
	if err := k.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM mandate_evidence`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestDatesOfTheListAreWholeDaysInSAST(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	id := strings.TrimPrefix(page, "/purchases/")
	for _, c := range []struct {
		due  time.Time
		seen bool
	}{
		{k.day.At(0, 0), true}, {k.day.AddDays(1).At(0, 0).Add(-time.Microsecond), true},
		{k.day.At(0, 0).Add(-time.Microsecond), false}, {k.day.AddDays(1).At(0, 0), false},
	} {
		k.exec(t, `UPDATE purchases SET due = $2 WHERE id = $1`, id, c.due)
		got := k.Page(k.A.Staff, "GET", "/purchases?due_from="+k.day.String()+"&due_to="+k.day.String(),
			nil).Want(http.StatusOK)
		if strings.Contains(got.Body, "INV-7") != c.seen {
			t.Errorf("due %s: seen %v, want %v", c.due, !c.seen, c.seen)
		}
	}
}

func TestEveryStatusHasWords(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	for _, status := range purchase.Statuses {
		k.exec(t, `UPDATE purchases SET status = $2 WHERE id = $1`, strings.TrimPrefix(page, "/purchases/"), string(status))
		k.Page(k.A.Owner, "GET", page, nil).Want(http.StatusOK).Lacks(`class="pill "`)
		k.Page(k.A.Owner, "GET", "/purchases?status="+string(status), nil).Want(http.StatusOK).Contains("INV-7")
	}
}

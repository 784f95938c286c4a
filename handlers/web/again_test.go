package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"debitdesk/models/calendar"
)

// nextNamed is the next day of a month on which a mandate for that day runs, worked
// out apart: the first such day after the failed debit, moved off closed days.
func (b business) nextNamed(after calendar.Date, day int) calendar.Date {
	for d := after.AddDays(1); ; d = d.AddDays(1) {
		if d.Day == min(day, d.LastDayOfMonth().Day) {
			return b.Purchases.Calendar.Shift(d, calendar.Previous)
		}
	}
}

// failed is a purchase whose debit failed, with the day of that debit.
func (b business) failed(client, token string) (id string, on calendar.Date) {
	b.t.Helper()
	id = b.charged(client, token, 30007, 4)
	for range 12 {
		b.later(1)
		if b.Count(`SELECT count(*) FROM collections WHERE purchase_id = $1 AND state = 'unpaid'`, id) == 1 {
			break
		}
	}
	if err := b.Store.Pool.QueryRow(b.t.Context(), `SELECT action_date FROM collections WHERE purchase_id = $1`,
		id).Scan(&on); err != nil {
		b.t.Fatal(err)
	}
	return id, on
}

func (b business) chargeOn(id, token string, day calendar.Date) (status int, page string) {
	b.t.Helper()
	a := b.Page(b.A.Finance, "POST", "/purchases/"+id+"/charge",
		url.Values{"recurring_token": {token}, "due_other": {day.String()}, "form_key": {day.String() + id}})
	return a.Status, plain(a.Body)
}

func TestADebitThatFailedRunsAgainOnTheNextDateOfTheMandate_and_every_page_says_so(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009102")
	b.must(`UPDATE mandates SET deduction_day = 15 WHERE id = $1`, token)
	id, failed := b.failed(client, token)
	next := b.nextNamed(failed, 15)
	said := "Yes, on " + next.Format("Mon 2 Jan")
	page := b.Page(b.A.Finance, "GET", "/purchases/"+id, nil).Want(http.StatusOK)
	for what, body := range map[string]string{"the purchase": page.Body,
		"the token": b.Page(b.A.Finance, "GET", "/tokens/"+token, nil).Body,
		"the form":  b.Page(b.A.Finance, "GET", "/purchases/"+id+"/charge", nil).Body} {
		if !contains(plain(body), said, "or later: that is the next date that the mandate names.") {
			t.Errorf("%s does not say %q", what, said)
		}
	}
	page.Contains(`<span>Charge a token</span>`)
	if form := plain(b.Page(b.A.Finance, "GET", "/purchases/"+id+"/charge", nil).Body); !contains(form,
		"The earliest day is "+next.Format("Mon 2 Jan"), "it may run again on "+next.Format("Mon 2 Jan")) {
		t.Error("the picker offers days before the next date")
	}
	if status, body := b.chargeOn(id, token, next.AddDays(-3)); status != http.StatusUnprocessableEntity ||
		!contains(body, "Not enough money (02)", "the earliest debit date is "+next.Format("Mon 2 Jan 2006")) {
		t.Errorf("before the next date: %d", status)
	}
	if n := b.Count(`SELECT count(*) FROM collections WHERE purchase_id = $1`, id); n != 1 {
		t.Fatalf("%d debits", n)
	}
	if status, _ := b.chargeOn(id, token, next); status != http.StatusSeeOther {
		t.Errorf("on the next date: %d", status)
	}
	if n := b.Count(`SELECT count(*) FROM collections WHERE purchase_id = $1 AND action_date = $2`, id, next); n != 1 {
		t.Error("the second debit does not run on the next date")
	}
}

func TestAnAccountThatIsBlockedIsNotToBeDebitedAgain_and_no_page_says_otherwise(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	b.must(`UPDATE tokens SET soft_failures = 1, failures = 1 WHERE id = $1`, token)
	id, _ := b.failed(client, token)
	b.Page(b.A.Finance, "GET", "/purchases/"+id,
		nil).Want(http.StatusOK).Contains(
		"No, this account cannot be debited: it is blocked because of “Blocked before submission: repeatedly unpaid (60)”.",
		"Collecting again needs a new mandate.", "<span>Store a bank account</span>").
		Lacks("Yes, on", "<span>Charge a token</span>")
	b.Page(b.A.Finance, "GET", "/tokens/"+token,
		nil).Want(http.StatusOK).Contains("May I debit again? No, not from this account.").Lacks("Yes, on")
	b.Page(b.A.Finance, "GET", "/purchases", nil).Lacks("Yes, on")
	b.Page(b.A.Finance, "GET", "/attention", nil).Contains("the account is now blocked")
	other, second := b.stored("4000000001")
	b.must(`UPDATE tokens SET client_id = $1 WHERE id = $2`, client, second)
	_ = other
	b.Page(b.A.Finance, "GET", "/purchases/"+id, nil).Want(http.StatusOK).Contains("Not from this account: it is blocked",
		"You can debit", "•••• 0001", "<span>Charge a token</span>")
	day := b.Purchases.Timetable.EarliestDue(b.Purchases.Calendar, b.Store.Now())
	if status, body := b.chargeOn(id, second, day); status != http.StatusSeeOther {
		t.Errorf("another account, on the earliest day: %d %.300s", status, body)
	}
}

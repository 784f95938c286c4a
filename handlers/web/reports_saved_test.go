package web_test

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/models/calendar"
)

var savedMail = regexp.MustCompile(`action="(/reports/saved/[^"/]*)/mail"`)

// A report is saved, opened, mailed once a month whoever comes round, not mailed to who may not see it, and deleted.
func TestAReportIsSavedAndMailedOnceAMonth(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000000101")
	b.charged(client, token, 10001, 4)
	b.later(20)
	form := url.Values{"name": {""}, "period": {"week"}, "than": {"before"}, "monthly": {"yes"}}
	b.Page(b.A.Staff, "POST", "/reports/saved", form).Want(http.StatusUnprocessableEntity).Contains(
		"Give the report a name.", "Choose one of the periods.", "How debits went")
	form = url.Values{"name": {"Board meeting"}, "period": {"month"}, "than": {"before"}, "method": {"eft"},
		"monthly": {"yes"}}
	b.Page(b.A.Staff, "POST", "/reports/saved", form).Want(http.StatusSeeOther)
	page := b.Page(b.A.Staff, "GET", "/reports", nil).Want(http.StatusOK)
	page.Contains("Board meeting", "Last month, beside the days before, EFT", "Stop the mails")
	b.Page(b.A.Owner, "GET", "/reports", nil).Want(http.StatusOK).Lacks("Board meeting")
	address := savedMail.FindStringSubmatch(page.Body)[1]
	b.Page(b.A.Owner, "POST", address+"/deletion", nil).Want(http.StatusNotFound)

	run := func() {
		var both sync.WaitGroup
		var wrong [2]error
		for n := range wrong {
			both.Go(func() { wrong[n] = b.Deps.Reports.Saved.Run(t.Context()) })
		}
		both.Wait()
		if err := errors.Join(wrong[:]...); err != nil {
			t.Fatal(err)
		}
	}
	mails := func(want int) {
		t.Helper()
		if n := b.Count(`SELECT count(*) FROM mails WHERE kind = 'monthly_report'`); n != want {
			t.Errorf("%d mails, want %d", n, want)
		}
	}
	nextMonth := func(day int) {
		now := calendar.DateOf(b.Store.Now())
		if err := b.Store.Clock.MoveTo(t.Context(), calendar.On(now.Year, now.Month+1, day).At(9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	run()
	mails(0) // it was saved in this month
	nextMonth(8)
	run()
	run()
	mails(1)
	var pdf []byte
	if err := b.Store.Pool.QueryRow(t.Context(), `SELECT decode(attachments -> 0 ->> 'content', 'base64') FROM mails
		WHERE kind = 'monthly_report'`).Scan(&pdf); err != nil || !strings.HasPrefix(string(pdf), "%PDF") {
		t.Errorf("no PDF: %v, %d bytes", err, len(pdf))
	}
	b.Page(b.A.Staff, "POST", address+"/mail", url.Values{"monthly": {"0"}}).Want(http.StatusSeeOther)
	b.Page(b.A.Staff, "POST", address+"/mail", url.Values{"monthly": {"1"}}).Want(http.StatusSeeOther)
	run()
	mails(1) // switched off and on again, it is of this month all the same
	b.exec(`UPDATE memberships SET disabled_at = now() WHERE user_id = $1`, b.A.Staff.ID)
	nextMonth(8)
	run()
	b.exec(`UPDATE memberships SET disabled_at = NULL WHERE user_id = $1`, b.A.Staff.ID)
	run()
	mails(1)
	if n := b.Count(`SELECT count(*) FROM saved_reports WHERE note LIKE '%no longer on the team%'`); n != 1 {
		t.Error("the report does not say why it was not mailed")
	}
	nextMonth(1)
	for day := calendar.DateOf(b.Store.Now()); !b.Deps.Reports.Saved.Calendar.IsBusinessDay(day); day = day.AddDays(1) {
		run()
		mails(1)
		if err := b.Store.Clock.MoveTo(t.Context(), b.Store.Now().Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	run()
	mails(2)
	b.Page(b.A.Staff, "POST", address+"/deletion", nil).Want(http.StatusSeeOther)
	b.Page(b.A.Staff, "GET", "/reports", nil).Want(http.StatusOK).Lacks("Board meeting")
	if n := b.Count(`SELECT count(*) FROM audit_entries WHERE action LIKE 'report.%'`); n != 4 {
		t.Errorf("%d entries in the audit", n)
	}
}

func (b business) exec(sql string, args ...any) {
	b.t.Helper()
	if _, err := b.Store.Pool.Exec(b.t.Context(), sql, args...); err != nil {
		b.t.Fatal(err)
	}
}

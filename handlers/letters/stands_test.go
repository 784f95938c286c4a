package letters

import (
	"strings"
	"testing"
	"time"

	"debitdesk/models/locale"
	"debitdesk/models/purchase"
)

// A reminder of a purchase whose payment was taken back does not tell the client of a debit that failed.
func TestAReminderTellsOfNoFailureWhereAPaymentWasTakenBack(t *testing.T) {
	due := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	rec := purchase.Record{}
	rec.Status, rec.Due, rec.TotalCents, rec.Currency = purchase.Failed, due, 45000, "ZAR"
	for _, one := range []struct {
		back time.Time
		want string
	}{{due.AddDate(0, 0, -1), "is not paid yet. It is due on"}, {due.AddDate(0, 0, 1), "was due on"}} {
		rec.History = []purchase.Change{{Status: purchase.Paid, At: due.AddDate(0, 0, -2)},
			{Status: purchase.Failed, At: one.back}}
		if got := standsSentence(locale.In(locale.English), rec); !strings.Contains(got, one.want) {
			t.Errorf("%q lacks %q", got, one.want)
		}
		failed := rec
		failed.Attempts = []purchase.Attempt{{Type: "execute", At: one.back, Error: &purchase.AttemptError{Code: "x"}}}
		if got := standsSentence(locale.In(locale.English), failed); !strings.Contains(got, "could not debit") {
			t.Errorf("of a debit that failed: %q", got)
		}
	}
}

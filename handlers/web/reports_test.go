package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"debitdesk/handlers/handlertest"
)

// A page never shows other days than those it was asked for without a word.
func TestTheTurnoverSaysWhichDaysItCannotTake(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	const reversed, noDay = "The last day is before the first.", "Enter a day such as "
	for query, c := range map[string]struct{ has, lacks string }{
		"from=2027-03-10&to=2026-01-01": {reversed, noDay},
		"from=2027-02-30&to=2099-03-01": {noDay, reversed},
		"from=2026-01-01&to=soon":       {noDay, reversed},
		"from=2026-01-01&to=2026-12-31": {"", noDay},
		"":                              {"", reversed},
	} {
		a := h.Page(h.A.Finance, "GET", "/reports?"+query, nil).Want(http.StatusOK).Lacks(c.lacks)
		if c.has != "" {
			a.Contains(c.has)
		}
	}
}

// A statement is about days that have begun.
func TestAStatementDoesNotBeginInTheFuture(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	form := url.Values{"period_from": {"2950-01-01"}, "period_to": {"2950-01-31"}, "currency": {"ZAR"}, "format": {"csv"}}
	h.Page(h.A.Finance, "POST", "/reports/statements", form).Want(http.StatusUnprocessableEntity).Contains(
		"This day has not begun.")
	if n := h.Count(`SELECT count(*) FROM company_statements`); n != 0 {
		t.Errorf("%d statements were asked for", n)
	}
}

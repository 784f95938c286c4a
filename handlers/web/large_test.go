package web_test

import (
	"net/http"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/money"
)

// Amounts of before the limit, which no int64 holds together, are shown exactly; and
// what is stored in other currencies is not added to rand.
func TestFiguresBeyondInt64AreExactAndBreakNoPage(t *testing.T) {
	t.Parallel()
	k := handlertest.New(t)
	k.Count(`WITH x AS (INSERT INTO ledger_entries (id, merchant_id, purchase_id, kind, amount_cents, currency, at, day)
		SELECT gen_random_uuid(), $1, gen_random_uuid(), 'paid_by_hand', CASE WHEN n > 1025 THEN 77777
		ELSE 9000000000000000 END, CASE WHEN n > 1025 THEN 'USD' ELSE 'ZAR' END, $2,
		($2::timestamptz AT TIME ZONE 'Africa/Johannesburg')::date
		FROM generate_series(1, 1026) AS n RETURNING 1) SELECT count(*) FROM x`, k.A.ID, k.Store.Now())
	plain := func(path string) string { return k.API("GET", path, nil).Want(http.StatusOK).Body }
	if got := plain("/account/json/balance/"); !strings.Contains(got, `"gross_balance":9225000000000000000,`) ||
		!strings.Contains(got, `"USD":{"balance":77777,`) {
		t.Errorf("the balance is %s", got)
	}
	if got := plain("/account/json/turnover/"); !strings.Contains(got, `"turnover":9225000000000000000,`) {
		t.Errorf("the turnover is %s", got)
	}
	want := strings.ReplaceAll("R 92 250 000 000 000 000,00", " ", money.NBSP)
	k.Page(k.A.Finance, "GET", "/", nil).Want(http.StatusOK).Contains(want).Lacks("777,77")
	k.Page(k.A.Finance, "GET", "/reports", nil).Want(http.StatusOK).Contains(want)
	k.Page(k.A.Finance, "GET", "/reports?currency=USD", nil).Want(http.StatusOK).Contains("USD" + money.NBSP +
		"777,77").Lacks(want)
	k.API("POST", "/company_statements/?currency=ZAR", `{"format":"csv"}`).Want(http.StatusCreated)
	k.Page(k.A.Finance, "GET", "/attention", nil).Want(http.StatusOK)
}

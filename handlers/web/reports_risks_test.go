package web_test

import (
	"net/http"
	"testing"
)

// Ten accounts failed eight times in a row, and one of them is debited again.
func TestTheReportSaysWhichDebitsAreLikelyToFailAndWhy(t *testing.T) {
	b := newBusiness(t)
	const path = "/reports/coming/risks"
	client, token := b.stored("4000000101")
	b.charged(client, token, 45_000, 10)
	if _, err := b.Store.Pool.Exec(t.Context(), `UPDATE tokens SET failures = 8 WHERE id = $1`, token); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Store.Pool.Exec(t.Context(), `INSERT INTO collections
		SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'attempt',
			-10 * account - month, 'state', 'unpaid', 'result_code', '02',
			'token_id', CASE WHEN account = 0 THEN c.token_id ELSE md5(account::text)::uuid END,
			'action_date', c.action_date - 30 * month))).*
		FROM collections c CROSS JOIN generate_series(0, 9) AS account
			CROSS JOIN generate_series(1, 8) AS month`); err != nil {
		t.Fatal(err)
	}
	b.Page(b.A.Reader, "GET", path, nil).Want(http.StatusOK).Contains("1 debit", "R\u00a0450,00",
		"The last one failed: Not enough money (02). 6 of the 6 before it failed.", "debits with the same last result",
		"Will probably not come in")
	var purchase string
	if err := b.Store.Pool.QueryRow(t.Context(), `SELECT purchase_id::text FROM collections WHERE state = 'scheduled'`).
		Scan(&purchase); err != nil {
		t.Fatal(err)
	}
	b.Page(b.A.Staff, "GET", "/purchases/"+purchase, nil).Want(http.StatusOK).Contains("Likely to fail",
		"debits with the same last result failed (")
	b.Page(b.B.Staff, "GET", path, nil).Want(http.StatusOK).Contains("No planned debit is likely to fail",
		"It cannot be tried on the past yet").Lacks("450,00")
	b.Page(b.A.Staff, "GET", "/reports/coming", nil).Want(http.StatusOK).Contains(path)
}

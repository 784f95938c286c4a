package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/storetest"
)

func TestFindingsOfNoBusinessAreListedAndSettledFromTheCommandLine(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": storetest.DSN(t), "DEBITDESK_DATA": t.TempDir()}
	var of [2]struct {
		ID string `json:"merchant_id"`
	}
	for n := range of {
		got := typed(t, env, "", "merchant", "create", fmt.Sprintf("shop-%d", n), "--name", "Shop")
		must(t, json.Unmarshal([]byte(got.out), &of[n]))
	}
	db, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	must(t, err)
	defer func() { must(t, db.Close(t.Context())) }()
	for n, owner := range []any{nil, of[0].ID} {
		_, err = db.Exec(t.Context(), `INSERT INTO bank_findings (id, merchant_id, kind, subject, text, opened_at)
			VALUES ($1, $2, 'strange_account', $3, $4, now())`, fmt.Sprintf("00000000-0000-7000-8000-00000000000%d", n+1),
			owner, fmt.Sprint(n), fmt.Sprintf("Matter %d.", n))
		must(t, err)
	}
	if got := typed(t, env, "", "bank", "findings"); got.code != exitOK || !strings.Contains(got.out, "Matter 0.") ||
		strings.Contains(got.out, "Matter 1.") {
		t.Error("what concerns no business alone is listed:", got)
	}
	first := "00000000-0000-7000-8000-000000000001"
	settle := func(args ...string) line { return typed(t, env, "", append([]string{"bank", "findings"}, args...)...) }
	if got := settle("--settle", first); got.code == exitOK || !strings.Contains(got.err, "Say what was done") {
		t.Error("without a note:", got)
	}
	if got := settle("--settle", "00000000-0000-7000-8000-000000000002", "--note", "Seen."); got.code == exitOK {
		t.Error("a finding of a business was settled by the operator:", got)
	}
	if got := settle("--settle", "one"); got.code != exitUsage {
		t.Error("no id:", got)
	}
	if got := settle("--settle", first, "--note", "The bank was told."); got.code != exitOK {
		t.Error(got)
	}
	if got := settle("--settle", first, "--note", "Again."); got.code != exitFailed ||
		!strings.Contains(got.err, "has settled this already") {
		t.Error("settled twice:", got)
	}
	if got := settle("--json"); strings.TrimSpace(got.out) != "[]" {
		t.Error("nothing is left:", got)
	}
	for _, one := range of {
		var n int
		must(t, db.QueryRow(t.Context(), `SELECT count(*) FROM audit_entries WHERE merchant_id = $1
			AND action = 'bank.finding_settled'`, one.ID).Scan(&n))
		if n != 1 {
			t.Errorf("each business learns once that a finding was settled: %d", n)
		}
	}
}

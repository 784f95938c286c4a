package kit

import (
	"encoding/json"
	"testing"

	"debitdesk/models/audit"
)

// What stands together in an entry is written in words, as everything else is.
func TestDetailsOfAnEntryAreWords(t *testing.T) {
	t.Parallel()
	var e audit.Entry
	if err := json.Unmarshal([]byte(`{"number": 1, "passed": true, "due": 1795423521,
		"terms": {"max_amount_cents": 22500, "adjustment_rate": 6.5, "adjustment_amount_cents": null, "value_type": "FIXED", "verify_account": false}}`),
		&e.After); err != nil {
		t.Fatal(err)
	}
	const want = "due: 23 Nov 2026, 10:45 · number: 1 · passed: yes · " +
		"terms: adjustment rate 6,5, max amount R\u00a0225,00, value type FIXED, verify account no"
	if got := changeWords(e); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

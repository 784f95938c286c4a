package kit

import (
	"encoding/json"
	"strings"
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

// States are said as the pages say them, whatever they are called in the database.
func TestStatesOfAnEntryAreWords(t *testing.T) {
	t.Parallel()
	for of, want := range map[string]string{
		"mandate":    "state: waiting for the client → registered, not answered",
		"collection": "state: pending authentication → registered unauthenticated",
	} {
		e := audit.Entry{ObjectType: of, Before: map[string]any{"state": "pending_authentication"},
			After: map[string]any{"state": "registered_unauthenticated"}}
		if got := changeWords(e); got != want {
			t.Errorf("%s: got %q, want %q", of, got, want)
		}
	}
	e := audit.Entry{ObjectType: "purchase", After: map[string]any{"status": "pending_charge", "state": ""}}
	if got := changeWords(e); !strings.HasPrefix(got, "state: nothing · status: ") || strings.Contains(got, "_") {
		t.Errorf("got %q", got)
	}
}

// Addresses in entries that were written when they could hold a password are shown without it.
func TestAddressesOfAnEntryHoldNoPassword(t *testing.T) {
	t.Parallel()
	const address = "https://anna:geheim@shop.example/in"
	e := audit.Entry{ObjectType: "webhook", Before: map[string]any{"callback": address},
		After: map[string]any{"callback": address, "all": []any{address}, "more": map[string]any{"url": address}}}
	if got := changeWords(e); strings.Contains(got, "geheim") || strings.Count(got, "https://••••@shop.example/in") != 4 {
		t.Errorf("got %q", got)
	}
}

package merging_test

import (
	"testing"

	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merging"
)

// Two who look alike and are not the same stay away from the list of duplicates and from what a merge proposes, until a
// person takes it back; both time lines tell of it, once.
func TestClientsWhoAreNotTheSameAreKeptApart(t *testing.T) {
	t.Parallel()
	h := open(t)
	one := h.add(client.Details{FullName: "Thandi Nkosi", Email: "thandi@example.com", BankAccount: "4055123456",
		BankCode: "632005"})
	other := h.add(client.Details{FullName: "Thandi Nkosi", Email: "thandi@example.com", BankAccount: "4055123456",
		BankCode: "632005"})
	listed := func(want int, when string) {
		t.Helper()
		pairs, _, err := h.merging.Duplicates(t.Context(), h.who, merging.Place{})
		must(t, err)
		likely, err := h.merging.Likely(t.Context(), h.who, h.get(one))
		must(t, err)
		apart, err := h.merging.Apart(t.Context(), h.who)
		must(t, err)
		if len(pairs) != want || len(likely) != want || len(apart) != 1-want {
			t.Errorf("%s: %d pairs, %d likely, %d kept apart", when, len(pairs), len(likely), len(apart))
		}
	}
	listed(1, "before")
	must(t, h.merging.KeepApart(t.Context(), h.who, other.ID, one.ID))
	must(t, h.merging.KeepApart(t.Context(), h.who, one.ID, other.ID)) // the same, said again
	listed(0, "kept apart")
	must(t, h.merging.LetMeet(t.Context(), h.who, one.ID, other.ID))
	listed(1, "taken back")
	if n := h.count(`SELECT count(*) FROM audit_entries
		WHERE action IN ('client.kept_apart', 'client.apart_undone')`); n != 4 {
		t.Errorf("the audit has %d entries, want 4", n)
	}
	stranger, _ := h.merchant("other")
	if err := h.merging.KeepApart(t.Context(), stranger, one.ID, other.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	wants(t, h.merging.KeepApart(t.Context(), h.who, one.ID, one.ID), "invalid")
}

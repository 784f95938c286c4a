package collection_test

import (
	"slices"
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/rulebook"
)

func TestOnlyTheListedMovesAreAllowed(t *testing.T) {
	allowed := map[collection.State][]collection.State{
		collection.Scheduled: {collection.Submitted, collection.Cancelled, collection.Unpaid},
		collection.Submitted: {collection.InTracking, collection.Provisional, collection.Successful, collection.Unpaid,
			collection.Disputed, collection.Recalled},
		collection.InTracking:  {collection.Successful, collection.Unpaid, collection.Disputed, collection.Recalled},
		collection.Provisional: {collection.Final, collection.Unpaid, collection.Disputed},
		collection.Successful:  {collection.Disputed},
		collection.Final:       {collection.Unpaid, collection.Disputed},
		collection.Disputed:    {collection.DisputeWon, collection.DisputeLost},
	}
	for _, from := range collection.States() {
		for _, to := range collection.States() {
			if got, want := from.MayBecome(to), slices.Contains(allowed[from], to); got != want {
				t.Errorf("%s to %s: %v, want %v", from, to, got, want)
			}
		}
		if from.Ended() != (len(allowed[from]) == 0) {
			t.Errorf("%s: ended %v", from, from.Ended())
		}
		if from.Label() == "" {
			t.Errorf("%s has no words", from)
		}
	}
}

func TestRepeatedAndLateAnswersChangeNothing(t *testing.T) {
	for _, c := range []struct {
		from collection.State
		kind bank.MessageKind
		want collection.State
		ok   bool
	}{
		{collection.Submitted, bank.Provisional, collection.Provisional, true},
		{collection.Provisional, bank.Provisional, collection.Provisional, false},
		{collection.Final, bank.Provisional, collection.Final, false},
		{collection.Unpaid, bank.Provisional, collection.Unpaid, false},
		{collection.Unpaid, bank.Unpaid, collection.Unpaid, false},
		{collection.Final, bank.Unpaid, collection.Unpaid, true},
		{collection.Submitted, bank.Disputed, collection.Disputed, true},
		{collection.Disputed, bank.Provisional, collection.Disputed, false},
		{collection.Disputed, bank.DisputeWon, collection.DisputeWon, true},
		{collection.DisputeWon, bank.DisputeLost, collection.DisputeWon, false},
		{collection.Scheduled, bank.Provisional, collection.Scheduled, false},
		{collection.Submitted, bank.RefundSettled, collection.Submitted, false},
	} {
		if got, ok := c.from.After(c.kind); got != c.want || ok != c.ok {
			t.Errorf("%s after %s: %s %v", c.from, c.kind, got, ok)
		}
	}
}

func TestSettlementFollowsTheState(t *testing.T) {
	for state, want := range map[collection.State]string{
		collection.Submitted: "", collection.Provisional: "provisional", collection.Final: "final",
		collection.Successful: "final", collection.Unpaid: "", collection.Disputed: "", collection.DisputeWon: "final",
		collection.DisputeLost: "",
	} {
		if got := state.Settlement(); got != want {
			t.Errorf("%s: %q, want %q", state, got, want)
		}
		if state.Collected() != (want != "") {
			t.Errorf("%s: collected %v", state, state.Collected())
		}
	}
}

func TestAnEFTCollectionMayBeDisputedWhileThereIsMoney(t *testing.T) {
	c := collection.Collection{Method: bank.EFT}
	c.Schedule(tt.Plan(cal, sast(t, "2026-12-01 12:00:00"), calendar.Previous, sast(t, "2026-11-23 09:00:00")))
	if because, may := c.MayBeDisputed(); !may || !slices.Equal(because, []string{"eft"}) {
		t.Errorf("scheduled: %v %v", because, may)
	}
	c.State = collection.Unpaid
	if because, may := c.MayBeDisputed(); may || because == nil || len(because) != 0 {
		t.Errorf("unpaid: %v %v", because, may)
	}
	if c.ActionDate.String() != "2026-12-01" || c.Service != collection.TwoDay {
		t.Errorf("schedule: %+v", c)
	}
}

func TestResultsSpeakPlainWords(t *testing.T) {
	if got := collection.ResultOf("02"); got != (collection.Result{Code: "02", ISO: "AM04", Text: "Not enough money"}) {
		t.Errorf("%+v", got)
	}
	if collection.ResultOf("02").IsZero() || !(collection.Result{}).IsZero() {
		t.Error("zero result")
	}
}

func TestTheRetryGuardBlocks(t *testing.T) {
	for _, c := range []struct {
		name, code string
		before     int
		blocked    bool
		inRow      int
	}{
		{"the first soft unpaid", "02", 0, false, 1},
		{"the second in a row", "02", 1, true, 2},
		{"effects not cleared counts too", "22", 1, true, 2},
		{"a third, should it come", "02", 2, true, 3},
		{"a success starts anew", "00", 1, false, 0},
		{"information changes nothing", "14", 1, false, 1},
		{"a recall changes nothing", "28", 1, false, 1},
		{"a debit that was not run changes nothing", "NR", 1, false, 1},
		{"hard at once", "12", 0, true, 0},
		{"a stop at once", "04", 0, true, 0},
		{"a dispute at once", "34", 0, true, 0},
		{"blocked by the bank", "60", 0, true, 0},
		{"an unknown code", "77", 0, true, 0},
	} {
		got := tt.Judge(c.code, c.before, day(t, "2026-11-25"))
		if got.Blocked != c.blocked || got.SoftInRow != c.inRow {
			t.Errorf("%s: %+v", c.name, got)
		}
		if got.Blocked != (got.Reason != "") || got.Blocked != (got.Remedy != "") {
			t.Errorf("%s: a block says why and what helps: %+v", c.name, got)
		}
	}
	book, err := rulebook.Default().ForBank("test", "netcash", nil)
	if err != nil {
		t.Fatal(err)
	}
	patient, on := collection.TimetableBy(book), day(t, "2026-11-25")
	if patient.Judge("02", 1, on).Blocked || !patient.Judge("02", 2, on).Blocked {
		t.Error("the limit is the bank's")
	}
	if tt.For(bank.DebiCheck).Judge("02", 40, on).Blocked {
		t.Error("a DebiCheck mandate is the client's bank's to end")
	}
}

func TestTheStatementLineHasThreeFixedParts(t *testing.T) {
	got, err := collection.StatementLine("Testmerch1", "DD000644", collection.FreeText(day(t, "2026-12-01")))
	if err != nil || got != "TESTMERCH1DD000644      261201" {
		t.Errorf("%q %v", got, err)
	}
	got, err = collection.StatementLine("GYM", "ABCDEFGHIJ1234", "")
	if err != nil || got != "GYM       ABCDEFGHIJ1234      " || len(got) != 30 {
		t.Errorf("%q %v", got, err)
	}
	for _, parts := range [][3]string{{"ELEVENCHARS", "A", ""}, {"A", "FIFTEENCHARSABC", ""}, {"A", "B", "SEVENCH"},
		{"CAFÉ", "A", ""}, {"A\nB", "A", ""}} {
		if line, err := collection.StatementLine(parts[0], parts[1], parts[2]); err == nil {
			t.Errorf("%v was taken as %q", parts, line)
		}
	}
}

func TestShortNamesAreInCapitals(t *testing.T) {
	if name, ok := collection.ShortName(" Joe's "); ok {
		t.Errorf("an apostrophe was taken: %q", name)
	}
	for text, want := range map[string]bool{"Gym & Co.": true, "TENLETTERS": true, "ELEVENCHARS": false, "": false} {
		if name, ok := collection.ShortName(text); ok != want {
			t.Errorf("%q: %q %v", text, name, ok)
		}
	}
}

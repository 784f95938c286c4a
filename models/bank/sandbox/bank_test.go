package sandbox_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/banktest"
	"debitdesk/models/bank/sandbox"
	"debitdesk/models/collection"
	"debitdesk/models/rulebook/rulebooktest"
)

type desk struct {
	t    *testing.T
	bank *sandbox.Bank
	now  time.Time
}

func open(t *testing.T) *desk { return openBy(t, tt) }

func openBy(t *testing.T, by collection.Timetable) *desk {
	d := &desk{t: t, now: action.AddDays(-10).At(9, 0)}
	d.bank = sandbox.New(newMemory(), func() time.Time { return d.now }, by, cal)
	return d
}

func (d *desk) submit(account bank.AccountNumber) uuid.UUID {
	d.t.Helper()
	id := uuid.New()
	if _, err := d.bank.Submit(context.Background(),
		[]bank.Instruction{{ID: id, Method: bank.EFT, Account: account, ActionDate: action}}); err != nil {
		d.t.Fatal(err)
	}
	return id
}

// take fetches and acknowledges, and gives "kind code" of each message.
func (d *desk) take() (got []string) {
	d.t.Helper()
	messages, err := d.bank.Fetch(context.Background(), 100)
	if err != nil {
		d.t.Fatal(err)
	}
	var ids []string
	for _, m := range messages {
		got, ids = append(got, string(m.Kind)+" "+m.Code), append(ids, m.ID)
	}
	if err := d.bank.Acknowledge(context.Background(), ids); err != nil {
		d.t.Fatal(err)
	}
	return got
}

func (d *desk) expect(what string, want ...string) {
	d.t.Helper()
	if got := d.take(); !slices.Equal(got, want) {
		d.t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestTheSandboxPlaysTheScriptOfEveryGateway(t *testing.T) {
	banktest.Exercise(t, func(t *testing.T) banktest.Bench {
		d := open(t)
		return banktest.Bench{
			Gateway:    d.bank,
			Verifier:   d.bank,
			MerchantID: uuid.New(),
			ActionDate: action,
			MoveTo:     func(at time.Time) { d.now = at },
			Branch:     "632005",
			Pays:       "4000000000",
			Returns:    "4000009002",
			Disputes:   "4000009030",
			Declines:   "4000008002",
			Ignores:    "4000008480",
		}
	})
}

func TestForcedResultsReplaceWhatIsNotDelivered(t *testing.T) {
	for _, c := range []struct {
		name    string
		account bank.AccountNumber
		outcome sandbox.Outcome
		want    []string
	}{
		{"unpaid instead of paid", "4000000000", sandbox.Outcome{Code: "02"}, []string{"unpaid 02"}},
		{"paid instead of unpaid", "4000009002", sandbox.Outcome{Code: "00"}, []string{"provisional 00"}},
		{"an answer where there was silence", "4000009901", sandbox.Outcome{Code: "12"}, []string{"unpaid 12"}},
		{"redirected is paid", "4000000000", sandbox.Outcome{Code: "14"}, []string{"provisional 14"}},
		{"a recall", "4000000000", sandbox.Outcome{Code: "28"}, []string{"recalled 28"}},
		{"a stop before the money came", "4000000000", sandbox.Outcome{Code: "36"}, []string{"unpaid 36"}},
		{"a dispute proves that it was paid", "4000009002", sandbox.Outcome{Dispute: "34"},
			[]string{"provisional 00", "disputed 34"}},
	} {
		d := open(t)
		id := d.submit(c.account)
		if err := d.bank.Force(context.Background(), id, c.outcome); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		d.expect(c.name, c.want...)
		d.now = action.AddDays(90).At(12, 0)
		d.expect(c.name + ": nothing of the script is left")
	}
}

func TestForcedAfterTheMoneyCame(t *testing.T) {
	for outcome, want := range map[sandbox.Outcome]string{
		{Dispute: "30"}: "disputed 30",
		{Code: "34"}:    "disputed 34",
		{Code: "02"}:    "unpaid 02",
	} {
		d := open(t)
		id := d.submit("4000000000")
		d.now = action.At(17, 0)
		d.expect("collected", "provisional 00")
		if err := d.bank.Force(context.Background(), id, outcome); err != nil {
			t.Fatal(err)
		}
		d.expect("forced", want)
	}
}

func TestForceRefusesWhatTheBankDoesNotKnow(t *testing.T) {
	d := open(t)
	id := d.submit("4000000000")
	for _, o := range []sandbox.Outcome{{}, {Code: "77"}, {Dispute: "02"}, {Code: "02", Dispute: "30"}, {Dispute: "99"}} {
		if err := d.bank.Force(context.Background(), id, o); !errors.Is(err, sandbox.ErrOutcome) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := d.bank.Force(context.Background(), uuid.New(), sandbox.Outcome{Code: "02"}); !errors.Is(err,
		bank.ErrUnknown) {
		t.Errorf("not handed over: %v", err)
	}
}

func TestALateDisputeIsWonByAProofInTime(t *testing.T) {
	for _, c := range []struct {
		name string
		at   time.Time // of the proof
		err  error
		want string
	}{
		{"before the dispute", action.AddDays(40).At(12, 0), bank.ErrTooLate, "dispute_lost 30"},
		{"with the dispute", action.AddDays(41).At(6, 0), nil, "dispute_won 30"},
		{"on the thirtieth day", action.AddDays(71).At(23, 59), nil, "dispute_won 30"},
		{"a day late", action.AddDays(72).At(6, 0), bank.ErrTooLate, "dispute_lost 30"},
	} {
		d := openBy(t, collection.TimetableBy(rulebooktest.WithProof()))
		id := d.submit("4000009430")
		d.now = action.AddDays(40).At(12, 0)
		d.expect(c.name, "provisional 00")
		d.now = c.at
		proof := bank.Proof{InstructionID: id, Document: []byte("mandate")}
		for range 2 {
			if err := d.bank.Contest(context.Background(), proof); !errors.Is(err, c.err) {
				t.Errorf("%s: %v, want %v", c.name, err, c.err)
			}
		}
		d.now = action.AddDays(90).At(12, 0)
		d.expect(c.name, "disputed 30", c.want)
	}
}

// Since 13 April 2026 nothing is contested: day 41 lies inside the window, and after day 60 no dispute is heard.
func TestAfterTheLastDayNoDisputeIsHeard(t *testing.T) {
	d := open(t)
	d.submit("4000009430")
	d.submit("4000009630")
	forced := d.submit("4000000000")
	d.now = action.AddDays(60).At(23, 59)
	d.expect("until the last day", "provisional 00", "provisional 00", "provisional 00", "disputed 30")
	d.now = action.AddDays(61).At(0, 0)
	if err := d.bank.Force(context.Background(), forced, sandbox.Outcome{Dispute: "34"}); !errors.Is(err,
		bank.ErrOutOfWindow) {
		t.Errorf("a dispute on day 61: %v", err)
	}
	d.now = action.AddDays(120).At(12, 0)
	d.expect("after it", "dispute_rejected 30")
}

func TestADisputeOnTheLastDayIsHeard(t *testing.T) {
	d := open(t)
	id := d.submit("4000000000")
	d.now = action.AddDays(60).At(23, 59)
	d.expect("paid", "provisional 00")
	if err := d.bank.Force(context.Background(), id, sandbox.Outcome{Dispute: "34"}); err != nil {
		t.Fatal(err)
	}
	d.now = action.AddDays(120).At(12, 0)
	d.expect("disputed", "disputed 34")
}

func TestADisputeInsideTheWindowCannotBeContested(t *testing.T) {
	d := open(t)
	id := d.submit("4000009030")
	d.now = action.AddDays(12).At(12, 0)
	d.expect("disputed", "provisional 00", "disputed 30")
	if err := d.bank.Contest(context.Background(), bank.Proof{InstructionID: id}); !errors.Is(err, bank.ErrTooLate) {
		t.Errorf("%v", err)
	}
}

func TestOnlyDebitOrdersAreTaken(t *testing.T) {
	d := open(t)
	in := []bank.Instruction{{ID: uuid.New(), Method: "card", ActionDate: action},
		{ID: uuid.New(), Method: bank.EFT, ActionDate: action, Account: "4000000000"}}
	receipts, err := d.bank.Submit(context.Background(), in)
	if err != nil || !receipts[0].Refused || receipts[0].Reason == "" || receipts[1].Refused || receipts[1].Repeat {
		t.Errorf("%+v %v", receipts, err)
	}
}

func TestAccountsAreVerifiedBySuffix(t *testing.T) {
	for account, want := range map[bank.AccountNumber]struct {
		failures, warnings int
		checked            bool
	}{
		"4000000000": {0, 0, true},
		"4000008002": {0, 0, true},
		"4000007001": {1, 0, true},
		"4000007002": {1, 0, true},
		"4000007003": {1, 0, true},
		"4000007004": {1, 0, true},
		"4000007005": {0, 2, true},
		"4000007006": {0, 0, false},
		"110000002":  {0, 0, true},
	} {
		v, err := open(t).bank.Verify(context.Background(), bank.Verification{Account: account})
		if err != nil || len(v.Failures()) != want.failures || len(v.Warnings()) != want.warnings ||
			v.Checked() != want.checked {
			t.Errorf("%s: %+v %v", account.Tail(), v, err)
		}
	}
}

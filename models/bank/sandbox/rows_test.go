package sandbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/banktest"
	"debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/storetest"
)

func TestTheSandboxBankPlaysTheScriptOfEveryGatewayOnItsLedger(t *testing.T) {
	action := calendar.On(2026, time.December, 1)
	banktest.Exercise(t, func(t *testing.T) banktest.Bench {
		now := action.AddDays(-10).At(9, 0)
		b := sandbox.New(sandbox.Store{DB: storetest.Open(t).DB}, func() time.Time { return now },
			collection.DefaultTimetable(),
			calendar.New())
		return banktest.Bench{
			Gateway: b, Verifier: b, MerchantID: uuid.New(), ActionDate: action, MoveTo: func(at time.Time) { now = at },
			Branch: "632005", Pays: "4000000000", Returns: "4000009002", Disputes: "4000009030", Declines: "4000008002",
			Ignores: "4000008480",
		}
	})
}

func TestTheLedgerCountsAnAccountAndDoesNotKeepItsNumber(t *testing.T) {
	s := storetest.Open(t)
	ctx, l := context.Background(), sandbox.Store{DB: s.DB}
	merchant := uuid.New()
	order := func(account bank.AccountNumber) sandbox.Order {
		return sandbox.Order{ID: uuid.New(), MerchantID: merchant, Kind: sandbox.Collection, Account: account,
			AmountCents: 100, ActionDate: calendar.On(2026, 12, 1)}
	}
	var counts []int
	script := func(_ sandbox.Order, previous int) []sandbox.Entry {
		counts = append(counts, previous)
		return []sandbox.Entry{{Seq: 1, Kind: bank.Provisional, Code: "00", DueAt: s.Now()}}
	}
	a, b := order("4000009102"), order("4000009102")
	refund := order("4000009102")
	refund.Kind, refund.ActionDate = sandbox.Refund, calendar.Date{}
	for _, batch := range [][]sandbox.Order{{a, order("4000000000"), refund, b, a}, {a, order("4000009102")}} {
		if _, err := l.Save(ctx, batch, script); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{0, 0, 1, 1, 2}; len(counts) != len(want) || counts[3] != want[3] || counts[4] != want[4] {
		t.Errorf("earlier orders of the account: %v, want %v", counts, want)
	}
	var text string
	if err := s.Pool.QueryRow(ctx, `SELECT string_agg(i::text, ' ') FROM sandbox_instructions i`).Scan(
		&text); err != nil || strings.Contains(text, a.Account.Reveal()) {
		t.Errorf("the number can be read in %q (%v)", text, err)
	}
}

func TestNumbersOfReplacedAnswersAreNotUsedAgain(t *testing.T) {
	s := storetest.Open(t)
	ctx, l := context.Background(), sandbox.Store{DB: s.DB}
	o := sandbox.Order{ID: uuid.New(), MerchantID: uuid.New(), Kind: sandbox.Collection,
		ActionDate: calendar.On(2026, 12, 1)}
	one := func(sandbox.Order, int) []sandbox.Entry {
		return []sandbox.Entry{{Seq: 1, Kind: bank.Unpaid, Code: "02", DueAt: s.Now()}}
	}
	if _, err := l.Save(ctx, []sandbox.Order{o}, one); err != nil {
		t.Fatal(err)
	}
	for _, entries := range [][]sandbox.Entry{{}, {{Kind: bank.Provisional, Code: "00", DueAt: s.Now()}}} {
		if err := l.Replace(ctx, o.ID, func(sandbox.Record) ([]sandbox.Entry, error) { return entries, nil }); err != nil {
			t.Fatal(err)
		}
	}
	due, err := l.Due(ctx, s.Now(), 10)
	if err != nil || len(due) != 1 || due[0].Entry.Seq != 2 {
		t.Errorf("%+v %v", due, err)
	}
}

package exchange_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
)

func TestATrialSaysWhatAFileWouldDoAndChangesNothing(t *testing.T) {
	b := open(t, byBooking)
	b.own()
	ids, message := b.sent(2, thursday)
	paid, odd := booked(ids[0], 15000, true, thursday), stray(900, false, exchange.ByStatement)
	paid.Account, odd.BankOwnCode = "50100000001", "SVC"
	unknown := status(uuid.New(), "RJCT", "AM04")
	b.Decoder = playback{acknowledged(message), paid, odd, unknown}
	before := b.number(`SELECT count(*) FROM bank_entries`) + b.number(`SELECT count(*) FROM bank_findings`)
	for range 2 {
		trial, err := b.Try(t.Context(), b.who, "sample.xml", []byte("sample"))
		must(t, err)
		if len(trial.Parts) != 4 {
			t.Fatalf("%+v", trial)
		}
		for n, want := range []string{"Nothing follows", "The movement is matched", `add "SVC" to fee_codes`,
			"of no item that is known"} {
			if got := strings.Join(trial.Parts[n].Lines(), "\n"); !strings.Contains(got, want) {
				t.Errorf("%s says %q, want %q", trial.Parts[n].Said, got, want)
			}
		}
	}
	after := b.number(`SELECT count(*) FROM bank_entries`) + b.number(`SELECT count(*) FROM bank_findings`)
	if after != before || len(b.outcomes()) != 0 {
		t.Errorf("the trial left something: %d, %d, %v", before, after, b.outcomes())
	}
	trial, err := b.Try(t.Context(), b.neighbour("62000000001"), "sample.xml", []byte("sample"))
	must(t, err)
	if trial.Parts[1].ItemID != uuid.Nil {
		t.Error("another business learns of the debit")
	}
	b.Decoder = exchangetest.Codec{}
	if trial, err := b.Try(t.Context(), b.who, "sample.xml", []byte("{")); err != nil || trial.Why == "" {
		t.Errorf("a file that cannot be read: %+v %v", trial, err)
	}
}

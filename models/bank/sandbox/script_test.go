package sandbox_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

var (
	cal    = calendar.New()
	tt     = collection.DefaultTimetable()
	action = calendar.Date{Year: 2026, Month: 12, Day: 14} // a Monday before the Day of Reconciliation
)

func lines(account bank.AccountNumber, previous int) []string {
	var out []string
	for i, e := range sandbox.Script(bank.Instruction{ActionDate: action, Account: account}, previous, tt, cal) {
		if e.Seq != i+1 {
			out = append(out, "numbered wrongly")
		}
		out = append(out, fmt.Sprintf("%s %s %s", e.DueAt.In(calendar.SAST).Format("2006-01-02 15:04"), e.Kind, e.Code))
	}
	return out
}

const (
	paid        = "2026-12-14 17:00 provisional 00"
	nextMorning = "2026-12-15 06:00 unpaid "
)

// The whole suffix table for EFT, by the first and by the second collection from the account.
func TestTheSuffixTable(t *testing.T) {
	disputed := func(code string) []string { return []string{paid, "2026-12-24 06:00 disputed " + code} }
	late := []string{paid, "2027-01-24 06:00 disputed 30"}
	type row struct{ first, second []string }
	both := func(l ...string) row { return row{l, l} }
	table := map[string]row{
		"9102": {[]string{nextMorning + "02"}, []string{paid}},
		"9202": {[]string{nextMorning + "02"}, []string{paid}},
		"9430": both(late...),
		"9630": both(paid, "2027-02-13 06:00 dispute_rejected 30"),
		"9500": both(paid, "2026-12-21 06:00 unpaid 02"),
		"9900": both(paid, paid),
		"9901": both(),
		"7001": both(nextMorning + "26"),
		"7002": both(nextMorning + "12"),
		"7004": both(nextMorning + "03"),
	}
	for _, suffix := range []string{"0000", "1234", "7003", "7005", "7006", "8001", "8002", "8003", "8120", "8480", "8500",
		"8600", "9014", "9028"} {
		table[suffix] = both(paid)
	}
	for _, suffix := range []string{"8700", "9002", "9302"} {
		table[suffix] = both(nextMorning + "02")
	}
	for _, code := range []string{"03", "04", "05", "06", "08", "10", "12", "16", "18", "22", "26", "56"} {
		table["90"+code] = both(nextMorning + code)
	}
	for _, code := range []string{"30", "32", "34", "36"} {
		table["90"+code] = both(disputed(code)...)
	}
	for suffix, want := range table {
		for _, carrier := range []bank.AccountNumber{"400000", "6200000"} {
			account := carrier + bank.AccountNumber(suffix)
			if got := lines(account, 0); !slices.Equal(got, want.first) {
				t.Errorf("%s first: %v, want %v", suffix, got, want.first)
			}
			for _, previous := range []int{1, 2} {
				if got := lines(account, previous); !slices.Equal(got, want.second) {
					t.Errorf("%s after %d: %v, want %v", suffix, previous, got, want.second)
				}
			}
		}
	}
	for account, want := range map[bank.AccountNumber][]string{
		"110000001": {paid},
		"110000002": {nextMorning + "02"},
		"210000001": disputed("30"),
	} {
		if got := lines(account, 1); !slices.Equal(got, want) {
			t.Errorf("mock %s: %v, want %v", account.Reveal(), got, want)
		}
	}
}

func TestCarriersOfTheTableAreValidAccounts(t *testing.T) {
	for branch, account := range map[string]bank.AccountNumber{
		"632005": "4000009002", "470010": "4000009002", "198765": "4000009002", "051001": "4000009002",
		"250655": "62000009002",
	} {
		if got := bank.ValidateAccount(branch, account, bank.Current); !got.OK() {
			t.Errorf("%s: %+v", got.Bank, got.Problems)
		}
	}
}

func TestNothingAnswersWhenThePurchaseTurnsPending(t *testing.T) {
	for _, suffix := range []string{"0000", "9002", "9030", "9500", "9900"} {
		for _, e := range sandbox.Script(bank.Instruction{ActionDate: action, Account: bank.AccountNumber("400000" + suffix)},
			0, tt, cal) {
			if !e.DueAt.After(tt.ExecuteAt(action.At(12, 0), action)) {
				t.Errorf("%s answers at %s", suffix, e.DueAt)
			}
		}
	}
}

func TestALateReturnComesWhileSuccessIsStillProvisional(t *testing.T) {
	entries := sandbox.Script(bank.Instruction{ActionDate: action, Account: "4000009500"}, 0, tt, cal)
	if last := entries[len(entries)-1]; !last.DueAt.Before(tt.FinalAt(cal, action)) ||
		tt.FinalAt(cal, action).Sub(last.DueAt) != 24*time.Hour {
		t.Errorf("the return at %s, final at %s", last.DueAt, tt.FinalAt(cal, action))
	}
}

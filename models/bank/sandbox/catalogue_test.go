package sandbox

import (
	"testing"

	"debitdesk/models/bank"
)

func TestCatalogue_names_every_account_that_answers_otherwise_and_says_what(t *testing.T) {
	listed := map[bank.AccountNumber]Magic{}
	for _, m := range Catalogue() {
		if _, twice := listed[m.Account]; twice || m.Collection == "" {
			t.Errorf("%s: listed twice, or without a word", m.Account.Reveal())
		}
		listed[m.Account] = m
	}
	for tail, o := range endings {
		if m := listed[carrier+bank.AccountNumber(tail)]; m.Collection != o.words() || outcomeOf(m.Account) != o {
			t.Errorf("%s is listed as %q", tail, m.Collection)
		}
	}
	for account, o := range mocks {
		if listed[account].Collection != o.words() {
			t.Errorf("%s is not listed", account.Reveal())
		}
	}
	for tail := range checkWords {
		if verify(carrier+bank.AccountNumber(tail)) == bank.AllYes() {
			t.Errorf("%s passes every check", tail)
		}
	}
}

func TestEnding_is_an_account_that_ends_so_each_time(t *testing.T) {
	for code, want := range map[string]string{"02": "9002", "04": "9004", "06": "9006", "12": "9012", "30": "", "00": ""} {
		if got := Ending(code, false); got != want {
			t.Errorf("%s is by %q, want %q", code, got, want)
		}
	}
	if got := Ending("30", true); got != "9030" {
		t.Errorf("disputes are by %q", got)
	}
}

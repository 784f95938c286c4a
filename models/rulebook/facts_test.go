package rulebook_test

import (
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

func TestDebitsFromOtherCountriesOfTheMonetaryArea(t *testing.T) {
	b := rulebook.Default()
	allowing := forBank(t, "", rulebook.Instead{Key: "cma.debit_allowed", Value: true, From: "2024-01-01",
		Proof: "a letter"})
	for _, c := range []struct {
		branch, on string
		book       *rulebook.Book
		country    string
		allowed    bool
	}{
		{"282672", "2024-09-06", b, "Namibia", true},
		{"282672", "2024-09-09", b, "Namibia", false},
		{"282672", "2024-09-09", allowing, "Namibia", true},
		{"282672", "2024-09-30", allowing, "Namibia", false},
		{"87373", "2026-11-24", b, "Namibia", false},
		{"462005", "2026-11-24", b, "", true},
		{"460005", "2026-11-24", b, "", true},
	} {
		country, allowed := c.book.CMA(c.branch, day(t, c.on))
		if country != c.country || allowed != c.allowed {
			t.Errorf("%s on %s: %q %v", c.branch, c.on, country, allowed)
		}
	}
	if !b.MaySeemForeign("289999", day(t, "2026-11-24")) || b.MaySeemForeign("462005", day(t, "2026-11-24")) {
		t.Error("only branches that begin with 28 may be foreign by their look")
	}
}

func TestVATAndInvoicesAreJudgedByTheDayOfTheSupply(t *testing.T) {
	b := rulebook.Default()
	for supply, want := range map[string]int64{"2018-03-31": 1400, "2018-04-01": 1500, "2025-05-05": 1500} {
		if got, _ := b.VAT(day(t, supply), calendar.Date{}); got != want {
			t.Errorf("%s: %d", supply, got)
		}
	}
	announced := day(t, "2025-05-05")
	if quoted, _ := b.VAT(announced, day(t, "2025-04-15")); quoted != 1550 {
		t.Errorf("a quote of 15 April 2025 for 5 May: %d", quoted)
	}
	if later, _ := b.VAT(announced, day(t, "2025-04-25")); later != 1500 {
		t.Errorf("a quote after the increase was withdrawn: %d", later)
	}
	if got := rulebook.VATIn(11500, 1500); got != 1500 {
		t.Errorf("R 115,00 hold %d", got)
	}
	on := day(t, "2026-11-24")
	for cents, want := range map[int64]string{5000: "none", 5001: "abridged", 500000: "abridged", 500001: "full"} {
		if got := b.InvoiceForm(cents, on); got != want {
			t.Errorf("%d: %s", cents, got)
		}
	}
	if !b.MustRegister(150_000_000, day(t, "2026-03-31")) || b.MustRegister(150_000_000, day(t, "2026-04-01")) {
		t.Error("R 1,5 million of turnover: compulsory until 31 March 2026")
	}
}

func TestLimitsAreExactToTheCentAndTheDebit(t *testing.T) {
	b, on := rulebook.Default(), day(t, "2026-11-24")
	if !b.WithinFactor(19_999, 29_998, on) || b.WithinFactor(19_999, 29_999, on) {
		t.Error("one and a half times R 199,99")
	}
	for _, c := range []struct {
		key       string
		some, all int64
		over      bool
	}{{"ratio.unpaid", 100, 1000, false}, {"ratio.unpaid", 101, 1000, true}, {"ratio.dispute", 5, 1000, false},
		{"ratio.dispute", 6, 1000, true}} {
		if b.OverRatio(c.key, c.some, c.all, on) != c.over {
			t.Errorf("%s: %d of %d", c.key, c.some, c.all)
		}
	}
	if got := b.KeptUntil(day(t, "2019-11-25")); got != day(t, "2026-11-25") {
		t.Errorf("a mandate last debited on 25 November 2019 is kept until %s", got)
	}
}

func TestRegisteredMandatesTookThePlaceOfRMS(t *testing.T) {
	march := forBank(t, "",
		rulebook.Instead{Key: "rms.allowed", Stream: rulebook.RMS, Value: false, From: "2025-03-10", Proof: "a letter"})
	for _, c := range []struct {
		on   string
		book *rulebook.Book
		want bool
	}{{"2025-03-07", rulebook.Default(), true}, {"2025-05-12", rulebook.Default(), false},
		{"2025-04-01", rulebook.Default(), true}, {"2025-04-01", march, false}, {"2025-03-07", march, true}} {
		if got := c.book.On("rms.allowed", rulebook.RMS, day(t, c.on)).Bool(); got != c.want {
			t.Errorf("%s: %v", c.on, got)
		}
	}
}

func TestRequestsToPayHaveALimitAtEachBank(t *testing.T) {
	at := func(b *rulebook.Book, key, on string, scopes ...string) int64 {
		v, _ := b.Value(rulebook.Question{Key: key, Stream: rulebook.PayShap, Day: day(t, on), Scopes: scopes})
		return v.Int()
	}
	b := rulebook.Default()
	if got := at(b, "payshap.request_max", "2026-11-24", "bank:fnb"); got != 300_000 {
		t.Errorf("FNB takes %d: sources disagree, and the lowest holds", got)
	}
	if got := at(b, "payshap.request_max", "2026-11-24", "provider:stitch/bank:fnb", "bank:fnb"); got != 1_000_000 {
		t.Errorf("FNB as Stitch reads it: %d", got)
	}
	if max, n := at(b, "payshap.request_max", "2026-11-24", "bank:capitec"),
		at(b, "payshap.requests_per_day", "2026-11-24", "bank:capitec"); max != 50_000 || n != 2 {
		t.Errorf("Capitec takes %d, %d times a day", max, n)
	}
	if b.On("payshap.request_live", rulebook.PayShap, day(t, "2024-12-01")).Bool() ||
		!b.On("payshap.request_live", rulebook.PayShap, day(t, "2024-12-02")).Bool() {
		t.Error("requests to pay began on 2 December 2024")
	}
}

func TestARequestToPayIsHeldAgainstTheLimitsOfItsBank(t *testing.T) {
	b, stitch := rulebook.Default(), []string{"provider:stitch/bank:fnb"}
	for _, c := range []struct {
		bank  string
		cents int64
		th    int64 // of the day
		on    string
		first []string // scopes that are nearer than the bank's
		may   bool
	}{
		{"fnb", 300_000, 1, "2026-11-24", nil, true},
		{"fnb", 300_001, 1, "2026-11-24", nil, false},
		{"fnb", 300_001, 1, "2026-11-24", stitch, true},
		{"capitec", 50_000, 2, "2026-11-24", nil, true},
		{"capitec", 50_001, 1, "2026-11-24", nil, false},
		{"capitec", 100, 3, "2026-11-24", nil, false},
		{"nedbank", 100, 1, "2024-12-01", nil, false},
		{"nedbank", 100, 1, "2024-12-02", nil, true},
	} {
		read := func(key string) rulebook.Value {
			v, _ := b.Value(rulebook.Question{Key: key, Stream: rulebook.PayShap, Day: day(t, c.on),
				Scopes: append(c.first, "bank:"+c.bank)})
			return v
		}
		perDay := read("payshap.requests_per_day")
		may := read("payshap.request_live").Bool() && c.cents <= read("payshap.request_max").Int() &&
			(perDay.None() || c.bank != "capitec" || c.th <= perDay.Int())
		if may != c.may {
			t.Errorf("%+v: %v", c, may)
		}
	}
}

func TestProvidersReadTheEndOfARequestDifferently(t *testing.T) {
	on := day(t, "2026-11-24")
	for provider, want := range map[string]string{"": "20:00", "kwik": "20:30", "stratcol": "21:00", "precium": "22:30"} {
		if got := forBank(t, provider).On("dc.tt1b.until", rulebook.DebiCheck, on).Text(); got != want {
			t.Errorf("%q: %s, want %s", provider, got, want)
		}
	}
}

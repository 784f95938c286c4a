package rulebook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

func day(t *testing.T, text string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func forBank(t *testing.T, provider string, rows ...rulebook.Instead) *rulebook.Book {
	t.Helper()
	b, err := rulebook.Default().ForBank("acme", provider, rows)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheTableIsWhole(t *testing.T) {
	for _, r := range rulebook.Default().Rows() {
		if r.Key == "" || r.Stream == "" || r.Scope == "" || r.JudgedBy == "" || r.Source.Site == "" ||
			!strings.Contains("ABCDEF", r.Sure) || r.Sure == "" {
			t.Errorf("%s is not whole: %+v", r.ID, r)
		}
		switch r.Status {
		case rulebook.InForce, rulebook.Coming, rulebook.Withdrawn:
		default:
			t.Errorf("%s is %q", r.ID, r.Status)
		}
		switch r.Override {
		case rulebook.ByNobody, rulebook.ByBank, rulebook.ByTighter, rulebook.ByFree:
		default:
			t.Errorf("%s may be replaced by %q", r.ID, r.Override)
		}
		if !r.To.IsZero() && !r.To.After(r.From) || !r.KnownTo.IsZero() && !r.KnownTo.After(r.KnownFrom) {
			t.Errorf("%s ends before it begins", r.ID)
		}
		if found, ok := rulebook.Default().Row(r.ID); !ok || found.Key != r.Key {
			t.Errorf("%s is not found by its id", r.ID)
		}
	}
}

func TestNoTwoRowsOfOneScopeHoldOnOneDay(t *testing.T) {
	rows := rulebook.Default().Rows()
	twin := rows[0]
	twin.ID, twin.From = "twin", day(t, "2026-04-12")
	if _, err := rulebook.New(append(rows, twin)...); err == nil || !strings.Contains(err.Error(), "same day") {
		t.Errorf("an overlapping row was taken: %v", err)
	}
	twin.From, twin.To = day(t, "2026-04-13"), day(t, "2027-01-01")
	if _, err := rulebook.New(append(rows, twin)...); err != nil {
		t.Errorf("a row that begins when another ends: %v", err)
	}
	if _, err := rulebook.Default().ForBank("acme", "", []rulebook.Instead{
		{Key: "eft.return_window", Value: 3.0, From: "2026-01-01", Proof: "a letter"},
		{Key: "eft.return_window", Value: 5.0, From: "2026-06-01", Proof: "a letter"}}); err == nil {
		t.Error("a bank has two values on one day")
	}
}

func TestALawWinsOverTheBankAndTheBankOverItsProviderAndTheScheme(t *testing.T) {
	const key = "dc.tt1.answer_s"
	on := day(t, "2026-11-24")
	if got := rulebook.Default().On(key, rulebook.DebiCheck, on).Int(); got != 120 {
		t.Errorf("the scheme: %d", got)
	}
	if got := forBank(t, "banktech").On(key, rulebook.DebiCheck, on).Int(); got != 180 {
		t.Errorf("the provider: %d", got)
	}
	own := rulebook.Instead{Key: key, Value: 90.0, From: "2026-11-24", Proof: "letter of 1 November"}
	b := forBank(t, "banktech", own)
	if got := b.On(key, rulebook.DebiCheck, on).Int(); got != 90 {
		t.Errorf("the bank: %d", got)
	}
	if got := b.On(key, rulebook.DebiCheck, day(t, "2026-11-23")).Int(); got != 180 {
		t.Errorf("before its day: %d", got)
	}
	for _, wrong := range []rulebook.Instead{
		{Key: "dispute.redebit", Value: true, From: "2026-01-01", Proof: "x"},  // nobody
		{Key: "retention.mandate", Value: 1.0, From: "2026-01-01", Proof: "x"}, // a merchant, if stricter
		{Key: "dispute.auto_days", Value: 40.0, From: "2026-01-01"},            // no proof
		{Key: "dispute.auto_days", Value: 40.0, From: "soon", Proof: "x"},      // no day
		{Key: "dispute.auto_days", Value: "forty", From: "2026-01-01", Proof: "x"},
		{Key: "dispute.auto_day", Value: 40.0, From: "2026-01-01", Proof: "x"}, // no such rule
	} {
		if _, err := rulebook.Default().ForBank("acme", "", []rulebook.Instead{wrong}); err == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
	if _, err := rulebook.Default().ForBank("acme", "nobody", nil); err == nil {
		t.Error("a provider without a reading was taken")
	}
}

func TestAMerchantsRowCountsOnlyWhereItIsStricter(t *testing.T) {
	for cents, want := range map[int64]int64{800: 800, 1200: 1000} {
		rows := rulebook.Default().Rows()
		own := rulebook.Row{ID: "own", Key: "ratio.unpaid", Stream: rulebook.AnyStream, Scope: "merchant:m",
			Value: rulebook.Int(cents), Status: rulebook.InForce}
		keep := rulebook.Row{ID: "keep", Key: "retention.mandate", Stream: rulebook.AnyStream, Scope: "merchant:m",
			Value: rulebook.Int(cents / 100), Status: rulebook.InForce}
		b, err := rulebook.New(append(rows, own, keep)...)
		if err != nil {
			t.Fatal(err)
		}
		q := rulebook.Question{Key: "ratio.unpaid", Stream: rulebook.EFT, Day: day(t, "2026-11-01"), Merchant: "m"}
		if v, _ := b.Value(q); v.Int() != want {
			t.Errorf("a ratio of %d is %d, want %d", cents, v.Int(), want)
		}
		q.Key = "retention.mandate"
		if v, _ := b.Value(q); v.Int() != max(7, cents/100) {
			t.Errorf("%d years are %d", cents/100, v.Int())
		}
	}
}

func TestAComingRowNeverDecidesAndIsNotEnactedBackwards(t *testing.T) {
	rows := rulebook.Default().Rows()
	coming := rulebook.Row{ID: "soon", Key: "eft.return_window", Stream: rulebook.AnyStream, Scope: rulebook.Scheme,
		Value: rulebook.Int(9), Status: rulebook.Coming, From: day(t, "2026-01-01")}
	b, err := rulebook.New(append(rows, coming)...)
	if err != nil {
		t.Fatal(err)
	}
	on := day(t, "2026-11-24")
	if got := b.On("eft.return_window", rulebook.EFT, on).Int(); got != 4 {
		t.Errorf("a coming row decides: %d", got)
	}
	for _, from := range []calendar.Date{on, on.AddDays(-1)} {
		if _, err := coming.Enact(from, on); err == nil {
			t.Errorf("it was enacted on %s from %s", on, from)
		}
	}
	if now, err := coming.Enact(on.AddDays(1), on); err != nil || now.Status != rulebook.InForce || now.KnownFrom != on {
		t.Errorf("%+v %v", now, err)
	}
}

// An announcement that was withdrawn was right to be shown while it stood.
func TestWhatIsKnownDependsOnTheDayOfTheQuestion(t *testing.T) {
	b, supply := rulebook.Default(), day(t, "2025-05-05")
	for asked, want := range map[string]int64{"2025-03-11": 1500, "2025-03-12": 1550, "2025-04-15": 1550,
		"2025-04-24": 1500, "2025-04-25": 1500, "2025-05-05": 1500} {
		if got, row := b.VAT(supply, day(t, asked)); got != want || row == "" {
			t.Errorf("known on %s: %d by %s, want %d", asked, got, row, want)
		}
	}
	d := b.Disputes(rulebook.EFT, day(t, "2026-05-04"), day(t, "2026-02-23"))
	if d.AutoDays != 40 || !d.Defence {
		t.Errorf("before it was announced: %+v", d)
	}
	if d = b.Disputes(rulebook.EFT, day(t, "2026-05-04"), day(t, "2026-02-24")); d.AutoDays != 60 || d.Defence {
		t.Errorf("after it was announced: %+v", d)
	}
}

func TestWhereNoRowHoldsTheCautiousValueDoes(t *testing.T) {
	b := rulebook.Default()
	d := b.Disputes(rulebook.RM, day(t, "2026-04-01"), calendar.Date{})
	if d.AutoDays != 365 || !strings.Contains(d.Rows, "dispute.auto_days/rm/cautious") {
		t.Errorf("no rule is known of the days: %+v", d)
	}
	if b.On("rms.allowed", rulebook.RMS, day(t, "2021-06-01")).Bool() {
		t.Error("RMS before its first day")
	}
}

func TestValuesAreTypedInJSON(t *testing.T) {
	for key, want := range map[string]string{"dispute.auto_days": `60`, "dispute.defence": `false`,
		"dispute.proof_days": `null`, "dispute.count": `"calendar"`, "dc.max_factor": `"3/2"`,
		"rm.same_day_cutoff": `"12:00"`,
		"cma.prefix_warn":    `["28"]`} {
		for _, r := range rulebook.List(rulebook.Default(), calendar.New(), rulebook.Filter{On: day(t, "2026-11-24"),
			Key: key}) {
			got, err := json.Marshal(r.Value)
			if r.Scope != rulebook.Scheme {
				continue
			}
			if err != nil || string(got) != want {
				t.Errorf("%s: %s %v", key, got, err)
			}
		}
	}
}

func TestDeclaredHolidaysAreRows(t *testing.T) {
	on := day(t, "2026-11-04")
	rows := rulebook.List(rulebook.Default(), calendar.New(), rulebook.Filter{On: on, Key: rulebook.HolidayKey})
	if len(rows) != 1 || rows[0].Value.Text() != "Election day" || rows[0].From != on || rows[0].To != on.AddDays(1) ||
		rows[0].KnownFrom != day(t, "2026-08-07") {
		t.Errorf("%+v", rows)
	}
	if n := len(rulebook.List(rulebook.Default(), calendar.New(), rulebook.Filter{On: on, All: true})); n < 140 {
		t.Errorf("%d rows in all", n)
	}
}

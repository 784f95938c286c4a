package plan

import (
	"slices"
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// The table of follow-up.md, section 4: what may follow each code, whatever a plan says.
func TestWhatMayFollowEachCode(t *testing.T) {
	table := []struct {
		codes []string
		may   []Kind // of those that act
	}{
		{[]string{"02", "22"}, []Kind{Message, DebitAgain, AskAccount, Pause, Task, Stop}},
		{[]string{"03", "05", "12", "16", "26"}, []Kind{Message, AskAccount, Pause, Task, Stop}},
		{[]string{"04", "30", "32", "34", "36"}, []Kind{Pause, Task, Stop}},
		{[]string{"06", "56"}, []Kind{Message, Pause, Task, Stop}},
		{[]string{"08", "10"}, []Kind{Pause, Task, Stop}},
		{[]string{"18"}, []Kind{Task, Stop}},
		{[]string{bank.CodeNotRun}, []Kind{DebitAgain, Task, Stop}},
		{[]string{bank.CodeBlocked}, []Kind{AskAccount, Pause, Task, Stop}},
		{[]string{"99", "", "XX"}, []Kind{Pause, Task, Stop}},
	}
	var named []string
	for _, row := range table {
		named = append(named, row.codes...)
		for _, code := range row.codes {
			for _, k := range Kinds {
				if k.Waits() {
					continue
				}
				if is, want := Allowed(k, CauseOf(code)), slices.Contains(row.may, k); is != want {
					t.Errorf("%s after %q: %t", k, code, is)
				}
			}
		}
	}
	for _, c := range bank.ReturnCodes() {
		if c.Failed() && !slices.Contains(named, c.Code) {
			t.Errorf("nothing is said of the code %s", c.Code)
		}
	}
}

// The planner never acts against the table, in whatever order the steps of a plan are.
func TestThePlannerNeverActsAgainstTheTable(t *testing.T) {
	cal := calendar.New()
	now := calendar.On(2026, time.November, 26).At(10, 0)
	for cause, b := range branchOf {
		for _, k := range Kinds {
			steps := []Step{{Kind: k, N: 1}}
			r := Run{Cause: cause, Branch: b, Day: calendar.On(2026, time.November, 25)}
			f := Facts{Now: now, Owed: true, Sub: true, Debit: Debit{May: true, On: calendar.On(2026, time.December, 24)}}
			if m := Next(steps, r, f, cal); m.What == Act && !k.Waits() && !Allowed(k, cause) {
				t.Errorf("%s acts after %s", k, cause)
			} else if (m.What == Refuse) && m.Why == "" {
				t.Errorf("%s is refused after %s without a reason", k, cause)
			}
		}
	}
}

func TestPayDays(t *testing.T) {
	cal := calendar.New()
	for _, c := range []struct{ n, month, day, wantMonth, wantDay int }{ // follow-up.md, section 6
		{25, 10, 1, 10, 23}, {25, 11, 26, 12, 24}, {31, 1, 4, 1, 29}, {15, 11, 1, 11, 13}, {25, 10, 23, 11, 25},
	} {
		year := 2026
		if c.month == 1 {
			year = 2027
		}
		want := calendar.On(year, time.Month(c.wantMonth), c.wantDay)
		if is := payDay(c.n, calendar.On(year, time.Month(c.month), c.day), cal); is != want {
			t.Errorf("the pay day %d after %d/%d is %s, want %s", c.n, c.day, c.month, is, want)
		}
	}
}

func TestAWaitForTheLikelyPayDayFallsBackToTheFixedOne(t *testing.T) {
	steps := []Step{{Kind: WaitLikely, N: 25}, {Kind: Task}}
	r := Run{Branch: Money, Cause: NoFunds, Day: calendar.On(2026, time.November, 2)}
	for likely, want := range map[int]calendar.Date{0: calendar.On(2026, time.November, 25),
		15: calendar.On(2026, time.November, 13), 31: calendar.On(2026, time.November, 30)} {
		m := Next(steps, r, Facts{Now: r.Day.At(12, 0), Owed: true, PayDay: likely}, calendar.New())
		if m.What != Rest || m.Day != want {
			t.Errorf("with the likely pay day %d it waits until %s, want %s", likely, m.Day, want)
		}
	}
	if got := (Step{Kind: WaitLikely, N: 25}).Label(); got !=
		"wait for the client’s likely pay day, or day 25 of the month where it cannot be told" {
		t.Error(got)
	}
}

func TestMessagesKeepTheirHours(t *testing.T) {
	cal := calendar.New()
	at := func(day, hour int) time.Time { return calendar.On(2026, time.December, day).At(hour, 0) }
	for _, c := range []struct{ now, want time.Time }{
		{at(4, 7), at(4, 8)}, {at(4, 12), at(4, 12)}, {at(4, 20), at(5, 9)}, {at(5, 13), at(7, 8)}, {at(6, 10), at(7, 8)},
		{at(16, 10), at(17, 8)}, // the Day of Reconciliation
	} {
		is := c.now
		if m := (Move{}).apart(time.Time{}, c.now, cal); m.What == Rest {
			is = m.At
		}
		if !is.Equal(c.want) {
			t.Errorf("at %s: %s, want %s", c.now, is, c.want)
		}
	}
}

func TestAPlanSaysWhatCouldNeverRun(t *testing.T) {
	s := &Service{}
	for _, c := range []struct {
		branch Branch
		steps  []Step
		at     int
	}{
		{Objection, []Step{{Kind: DebitAgain}}, 0}, {Objection, []Step{{Kind: Task}, {Kind: Message}}, 1},
		{AccountGone, []Step{{Kind: DebitAgain}}, 0}, {BanksFault, []Step{{Kind: Message}}, 0},
		{Money, []Step{{Kind: Stop}, {Kind: Task}}, 1}, {Money, []Step{{Kind: WaitDays, N: 3}}, 0},
		{Money, []Step{{Kind: WaitDays, N: 0}, {Kind: Task}}, 0}, {Money, []Step{{Kind: "fly"}}, 0},
		{Money, []Step{{Kind: WaitPayDay, N: 32}, {Kind: Task}}, 0}, {Money, []Step{{Kind: WaitLikely}, {Kind: Task}}, 0},
	} {
		in := Input{Name: "x", Steps: Steps{c.branch: c.steps}}
		if wrong := s.check(&in); !wrong.Has(At(c.branch, c.at)) {
			t.Errorf("%s %v: %v", c.branch, c.steps, wrong)
		}
	}
	in := Input{Name: " ", Steps: Steps{}}
	if wrong := s.check(&in); !wrong.Has("name") {
		t.Error("a plan needs no name")
	}
}

// A client is told of the same on two channels only an hour apart (follow-up.md, section 13), and on each once a day.
func TestMessagesOnTwoChannelsAreAnHourApart(t *testing.T) {
	cal, noon := calendar.New(), calendar.On(2026, time.December, 4).At(12, 0)
	bySMS, either := Step{Kind: Message, Channel: BySMS}, Step{Kind: Message, Channel: Either}
	for name, c := range map[string]struct {
		step Step
		f    Facts
		want What
		at   time.Time
	}{
		"mail": {Step{Kind: Message}, Facts{}, Act, time.Time{}},
		"SMS":  {bySMS, Facts{}, Act, time.Time{}},
		"SMS after a mail": {bySMS, Facts{Told: true, MailedAt: noon.Add(-20 * time.Minute)}, Rest,
			noon.Add(40 * time.Minute)},
		"SMS long after a mail": {bySMS, Facts{Told: true, MailedAt: noon.Add(-2 * time.Hour)}, Act, time.Time{}},
		"mail after an SMS": {Step{Kind: Message}, Facts{TextedAt: noon.Add(-time.Minute)}, Rest,
			noon.Add(59 * time.Minute)},
		"a second SMS":               {bySMS, Facts{TextedAt: noon.Add(-3 * time.Hour)}, Skip, time.Time{}},
		"a second mail":              {Step{Kind: Message}, Facts{Told: true}, Skip, time.Time{}},
		"SMS to a blocked number":    {bySMS, Facts{Textable: "blocked"}, Refuse, time.Time{}},
		"either, with an address":    {either, Facts{Textable: "blocked"}, Act, time.Time{}},
		"either, without an address": {either, Facts{Mailable: "none"}, Act, time.Time{}},
		"either, with neither":       {either, Facts{Mailable: "none", Textable: "none"}, Refuse, time.Time{}},
		"mail, without an address":   {Step{Kind: Message}, Facts{Mailable: "none"}, Refuse, time.Time{}},
		"SMS, without an address":    {bySMS, Facts{Mailable: "none"}, Act, time.Time{}},
	} {
		c.f.Now, c.f.Owed = noon, true
		m := Next([]Step{c.step}, Run{Cause: NoFunds, Branch: Money}, c.f, cal)
		if m.What != c.want || !m.At.Equal(c.at) {
			t.Errorf("%s: %s at %s; want %s at %s", name, m.What, m.At, c.want, c.at)
		}
	}
}

package planner

import (
	"slices"
	"strings"
	"time"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/planner"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// tallyWords are a number of things and what they come to: "12 debits · R 5 000,00".
func tallyWords(t purchase.Tally, noun string) string {
	return plural.Of(t.N, noun) + " · " + words.Sum(t.Cents, money.ZAR)
}

// debitsFigure leads to the debits that it counts.
func debitsFigure(noun string, t purchase.Tally, outcome string, from, to calendar.Date) components.Figure {
	return kit.Opens(tallyWords(t, noun), purchases.DebitsOf(outcome, "", from, to), t.N, t.Cents)
}

// dayView is one day: its debits, and everything else that happens on it in the order of time.
func (h *Planner) dayView(d planner.Day, now time.Time) pages.PlannerDay {
	day := pages.PlannerDay{ISO: d.Date.String(), Number: d.Date.Format("2"),
		Name: d.Date.Format("Monday, 2 January 2006"), Short: words.Glue(d.Date.Format("Mon 2 Jan")),
		Href: href("day", d.Date), Closed: d.Closed != "", Holiday: d.Holiday}
	if d.Debits.All.N > 0 {
		day.Debits = debitsFigure("debit", d.Debits.All, "standing", d.Date, d.Date)
	}
	for _, part := range []struct {
		kind, noun, outcome string
		tally               purchase.Tally
	}{{"progress", "not answered", "open", d.Debits.Open}, {"done", "collected", "collected", d.Debits.Collected},
		{"bad", "failed", "failed", d.Debits.Failed}, {"bad", "disputed", "disputed", d.Debits.Disputed}} {
		if part.tally.N > 0 {
			day.Outcomes = append(day.Outcomes, pages.PlannerLine{Kind: part.kind,
				Figure: kit.Opens(words.Grouped(part.tally.N)+" "+part.noun+" · "+words.Sum(part.tally.Cents, money.ZAR),
					purchases.DebitsOf(part.outcome, "", d.Date, d.Date), part.tally.N, part.tally.Cents)})
		}
	}
	day.Lines = h.lines(d, now)
	return day
}

// lines are what happens on a day beside its debits, in the order of time. Major lines stand in the month too.
func (h *Planner) lines(d planner.Day, now time.Time) (lines []pages.PlannerLine) {
	add := func(moment time.Time, l pages.PlannerLine) {
		l.At = at(moment)
		lines = append(lines, l)
	}
	if d.Bills.N > 0 || d.BillsMore {
		add(d.Date.At(0, 0), billsLine(d))
	}
	if d.Promises.N > 0 {
		text := "Clients promised to pay."
		if d.Date.Before(calendar.DateOf(now)) {
			text = "Clients promised to pay, and did not."
		}
		add(d.Date.At(0, 0), pages.PlannerLine{Icon: "phone", Kind: "wait", Short: "Promised", Text: text,
			Figure: kit.Opens(tallyWords(d.Promises, "promise"), promisesHref(d.Date), d.Promises.N, d.Promises.Cents)})
	}
	for _, f := range d.Finals {
		add(f.At, pages.PlannerLine{Icon: "done", Kind: "done", Short: "Final",
			Text: "No answer by now means paid: from here on debits of " + words.SayDay(f.Of, now) + " cannot be returned.",
			Figure: kit.Opens(tallyWords(f.Debits, "debit"), purchases.DebitsOf("undecided", bank.EFT, f.Of, f.Of),
				f.Debits.N, f.Debits.Cents)})
	}
	if r := d.Returns; r.Debits.N > 0 {
		add(r.At, pages.PlannerLine{Icon: "undo", Kind: "wait", Short: "Returns", Minor: true,
			Text: "Returns can arrive, of debits of " + words.SayDay(r.From, now) + " to " + words.SayDay(r.To, now) + ".",
			Figure: kit.Opens(tallyWords(r.Debits, "debit"), purchases.DebitsOf("undecided", bank.EFT, r.From, r.To),
				r.Debits.N, r.Debits.Cents)})
	}
	for _, cut := range d.CutOffs {
		l := pages.PlannerLine{Icon: "clock", Kind: "progress", Short: "Cut-off", Minor: cut.Debits.N == 0,
			Text: "Cut-off: nothing is waiting to go to the bank yet."}
		if cut.Debits.N > 0 {
			l.Text = "Cut-off: these debits go to the bank, and can be cancelled until then."
			l.Figure = kit.Opens(tallyWords(cut.Debits, "debit"), purchases.DebitsAtHref(cut.At), cut.Debits.N, cut.Debits.Cents)
		}
		add(cut.At, l)
	}
	for _, a := range d.Answers {
		method := "EFT"
		if a.Method == bank.DebiCheck {
			method = "DebiCheck"
		}
		add(a.At, pages.PlannerLine{Icon: "bank", Kind: "progress", Short: "Answers", Minor: true,
			Text: "First answer of the bank to " + method + " debits of this day.",
			Figure: kit.Opens(tallyWords(a.Debits, "debit"), purchases.DebitsOf("open", a.Method, d.Date, d.Date), a.Debits.N,
				a.Debits.Cents)})
	}
	slices.SortStableFunc(lines, func(a, b pages.PlannerLine) int { return strings.Compare(a.At, b.At) })
	return lines
}

// billsLine tells of the subscriptions that bill on a day.
func billsLine(d planner.Day) pages.PlannerLine {
	l := pages.PlannerLine{Icon: "repeat", Kind: "progress", Short: "Bill", Text: "Subscriptions bill."}
	if d.BillsMore {
		l.Figure = components.Figure{Text: "more than " + plural.Of(d.Bills.N, "subscription"), Href: turnsHref(d.Date)}
		return l
	}
	l.Figure = kit.Opens(tallyWords(d.Bills, "subscription"), turnsHref(d.Date), d.Bills.N, d.Bills.Cents)
	return l
}

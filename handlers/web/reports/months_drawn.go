package reports

import (
	"debitdesk/handlers/web/words"
	"debitdesk/models/analysis"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// monthPart is one way in which debits of a month went. Its reasons add up to it.
type monthPart struct {
	word, outcome string
	purchase.Tally
	reasons      []analysis.MonthReason
	total, share bool
}

// disputeStates are the states of disputed debits, with the words and the name in the address of each,
// and what stands behind a reason.
var disputeStates = map[collection.State][3]string{
	collection.Disputed:    {"Disputed, not decided", "dispute_open", "not decided"},
	collection.DisputeWon:  {"Dispute won", "dispute_won", "won"},
	collection.DisputeLost: {"Dispute lost", "dispute_lost", "lost"},
}

// state names the state of a reason.
func (p monthPart) state(r analysis.MonthReason) string {
	if words, disputed := disputeStates[r.State]; disputed {
		return words[0]
	}
	return p.word
}

func reasonWord(code string) string {
	if code == "" {
		return ""
	}
	return bank.Label(code)
}

// monthParts are the ways in which the debits of a method went, for the page and its file.
func monthParts(m analysis.MethodMonth) []monthPart {
	of := func(outcome collection.Outcome) (out []analysis.MonthReason) {
		for _, r := range m.Reasons {
			if r.State.Outcome() == outcome {
				out = append(out, r)
			}
		}
		return out
	}
	answered := m.Answered()
	return []monthPart{
		{word: "Collected for good", outcome: "settled", Tally: m.Final, share: true},
		{word: "Collected, may still be returned", outcome: "returnable", Tally: m.Provisional, share: true},
		{word: "Failed", outcome: "failed", Tally: m.Unpaid, share: true, reasons: of(collection.OutcomeFailed)},
		{word: "Disputed", outcome: "disputed", Tally: m.Disputed, share: true, reasons: of(collection.OutcomeDisputed)},
		{word: "Not answered yet", outcome: "open", Tally: m.Open},
		{word: "All debits", outcome: "standing", total: true,
			Tally: purchase.Tally{N: answered.N + m.Open.N, Cents: answered.Cents + m.Open.Cents}},
		{word: "Withdrawn before the bank ran them", outcome: "withdrawn", Tally: m.Withdrawn},
	}
}

func monthGroup(m analysis.MonthEnd, of analysis.MethodMonth) pages.MonthGroup {
	q := analysis.Question{From: m.First, To: m.Last, Method: of.Method}
	g := pages.MonthGroup{Title: "All methods"}
	if of.Method != "" {
		g.Title = words.Method(of.Method)
	}
	answered := of.Answered().N
	row := func(word string, t purchase.Tally, share bool, outcome string, more ...string) pages.MonthRow {
		r := pages.MonthRow{What: word, Cents: words.Sum(t.Cents, money.ZAR),
			N: components.Figure{Text: words.Grouped(t.N), Href: listOf(q, outcome, m.First, m.Last, more...),
				Total: components.TotalOf(t.N, t.Cents)}}
		if share && answered > 0 {
			r.Share = words.Share(report.Ratio(t.N, answered))
		}
		return r
	}
	for _, p := range monthParts(of) {
		if p.N == 0 && !p.total {
			continue
		}
		one := row(p.word, p.Tally, p.share, p.outcome)
		one.Strong = p.total
		g.Rows = append(g.Rows, one)
		for _, r := range p.reasons {
			outcome, code, word := p.outcome, r.Code, reasonWord(r.Code)
			if code == "" {
				code, word = purchase.NoCode, "Without a reason"
			}
			if states, disputed := disputeStates[r.State]; disputed {
				outcome, word = states[1], word+", "+states[2]
			}
			sub := row(word, r.Tally, p.share, outcome, "reason", code)
			sub.Reason = true
			g.Rows = append(g.Rows, sub)
		}
	}
	return g
}

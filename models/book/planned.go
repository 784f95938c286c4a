package book

import (
	"fmt"
	"slices"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/book/source"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// OldPlan is a debit that the old system is to make: from an account, or under the reference of a contract.
type OldPlan struct {
	Account   bank.AccountNumber
	Reference string
	On        Day
}

// planWidth is how many cells a planned debit has, behind those of the heading.
const planWidth = 3

func (p OldPlan) cells(width int) []string {
	out := make([]string, width+planWidth)
	copy(out[width:], []string{p.Account.Reveal(), p.Reference, p.On.String()})
	return out
}

// planIn reads a planned debit from the last cells of its row.
func planIn(cells []string) (p OldPlan) {
	if len(cells) < planWidth {
		return p
	}
	last := cells[len(cells)-planWidth:]
	p.Account, p.Reference = bank.AccountNumber(last[0]), last[1]
	p.On, _ = calendar.ParseDate(last[2])
	return p
}

// plan keeps a planned debit; accounts count without the zeros in front, whatever the bank.
func (t *Together) plan(p OldPlan) {
	if p.On.IsZero() {
		return
	}
	if t.plans == nil {
		t.plans = map[uint64][]Day{}
	}
	for _, key := range p.keys() {
		k := t.key(planField, key)
		t.plans[k] = append(t.plans[k], p.On)
	}
}

const planField Field = "plan"

func (p OldPlan) keys() (out []string) {
	if p.Account != "" {
		out = append(out, "account "+p.Account.Key())
	}
	if p.Reference != "" {
		out = append(out, "reference "+strings.ToUpper(p.Reference))
	}
	return out
}

// plansOf are the days on which the old system is to debit what a row brings, the earliest first.
func (t *Together) plansOf(v Values) (days []Day) {
	if len(t.plans) == 0 {
		return nil
	}
	for _, reference := range []string{v.Reference, v.OldMandate} {
		for _, key := range (OldPlan{Account: v.Details.BankAccount, Reference: reference}).keys() {
			days = append(days, t.plans[t.key(planField, key)]...)
		}
	}
	slices.SortFunc(days, func(a, b Day) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(days)
}

// planned reads a file of debits that the old system is to make, as rows that are no clients.
func planned(extra Extra, first, width int) (rows []sheet.Row, with source.With, err error) {
	other, err := loaded(extra)
	if err != nil {
		return nil, with, err
	}
	with = source.With{File: shortName(extra.Name), Report: other.report}
	m := other.mapping
	day := m.Column(NextDebit)
	if day < 0 {
		day = m.Column(LastDebit)
	}
	reference := max(m.Column(OldMandate), m.Column(Reference))
	account := m.Column(Account)
	if day < 0 || account < 0 && reference < 0 {
		return nil, with, fault.At("planned", "no_plan", "The file of planned debits needs a column with the day of each "+
			"debit, and one with the account number or the mandate reference.")
	}
	for _, r := range other.rows {
		p := OldPlan{Account: bank.CleanAccount(cellAt(r, account)), Reference: cellAt(r, reference)}
		p.On, err = calendar.ParseWritten(cellAt(r, day), m.Columns[day].Dates)
		row := sheet.Row{Number: first + r.Number, Broken: []sheet.Problem{{Code: source.Planned,
			Message: fmt.Sprintf("row %d of %s: a debit that the old system plans on %s", r.Number, with.File,
				p.On.Format(dayForm))}}}
		if isAside(r) || err != nil || len(p.keys()) == 0 {
			with.Alone++
			row.Broken[0] = sheet.Problem{Code: source.Aside, Message: fmt.Sprintf("row %d of %s is not a planned debit that "+
				"is understood", r.Number, with.File)}
		} else {
			with.Joined++
			row.Cells = p.cells(width)
		}
		rows = append(rows, row)
	}
	return rows, with, nil
}

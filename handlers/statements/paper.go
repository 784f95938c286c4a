// Package statements puts the movements of money into a file for spreadsheet
// programs. It must not know how they are found, nor who may see them.
package statements

import (
	"fmt"
	"io"
	"strings"
	"time"

	"debitdesk/handlers/web/export"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/statement"
)

// New begins a statement that is written to w.
func New(w io.Writer) statement.Paper { return &paper{to: w} }

type paper struct {
	to   io.Writer
	zone *time.Location
	out  export.Writer
	st   statement.Statement
}

var kinds = map[string]string{"collected": "Collected", "returned": "Returned unpaid", "disputed": "Disputed",
	"dispute_won": "Dispute won", "refunded": "Refunded", "paid_by_hand": "Paid by hand"}

func (p *paper) Open(st statement.Statement, opening money.Sum) (err error) {
	if p.zone, err = time.LoadLocation(st.Timezone); err != nil {
		return fmt.Errorf("zone of a statement: %w", err)
	}
	p.st = st
	currency := strings.Join(st.Filter.Currencies, ",")
	p.out, err = export.Open(export.Format(st.Format), p.to,
		export.Table{Name: "Statement " + currency, Made: st.CreatedAt, Heads: []export.Head{
			{Text: "Moment (" + st.Timezone + ")", Width: 20}, {Text: "Movement", Width: 18}, {Text: "Reference", Width: 18},
			{Text: "Client", Width: 26},
			{Text: "Account", Width: 14}, {Text: "Method", Width: 11}, {Text: "Code", Width: 7},
			{Text: "Amount " + currency, Width: 14}, {Text: "Balance " + currency, Width: 14},
			{Text: "Purchase id", Width: 38}}})
	if err != nil {
		return err
	}
	return p.out.Row([]export.Cell{export.MomentIn(st.Filter.From, p.zone), export.Text("Opening balance"), {}, {}, {}, {},
		{}, {}, amount(opening), {}})
}

func (p *paper) Line(l statement.Line, balance money.Sum) error {
	word := kinds[l.Kind]
	switch {
	case l.Kind == "paid_by_hand" && l.AmountCents < 0:
		word = "Payment taken back"
	case word == "":
		word = l.Kind
	}
	return p.out.Row([]export.Cell{export.MomentIn(l.At, p.zone), export.Text(word), export.Text(l.Reference),
		export.Text(l.Payer), export.Text(l.Account), export.Text(l.Method),
		export.Text(l.Code), export.Amount(l.AmountCents), amount(balance), export.Text(l.PurchaseID.String())})
}

// Close writes what came in, what went out, and the balance they leave.
func (p *paper) Close(s statement.Sums) error {
	for _, one := range []struct {
		word  string
		cells []export.Cell
	}{
		{"Total in", []export.Cell{amount(s.InCents), {}}},
		{"Total out", []export.Cell{amount(money.Sum{}.Minus(s.OutCents)), {}}},
		{"Closing balance", []export.Cell{export.Count(s.Rows), amount(s.ClosingCents)}},
	} {
		row := []export.Cell{{}, export.Text(one.word), {}, {}, {}, {}, {}}
		if one.word == "Closing balance" {
			row[0], row[2] = export.MomentIn(closed(p.st), p.zone), export.Text(plural.Of(s.Rows, "movement"))
			one.cells[0] = amount(s.InCents.Minus(s.OutCents))
		}
		if err := p.out.Row(append(append(row, one.cells...), export.Cell{})); err != nil {
			return err
		}
	}
	return p.out.Finish()
}

// closed is when the balance was as it closes: at the end of the period, or, while that is not over, when the file was
// begun.
func closed(st statement.Statement) time.Time {
	if end := st.Filter.To; !end.IsZero() && (st.BeganAt.IsZero() || end.Before(st.BeganAt)) {
		return end
	}
	return st.BeganAt
}

func (p *paper) Release() {
	if p.out != nil {
		p.out.Release()
	}
}

// amount is a figure; where no cell holds it as a number, its digits.
func amount(s money.Sum) export.Cell {
	if cents, ok := s.Int64(); ok {
		return export.Amount(cents)
	}
	return export.Text(s.Plain())
}

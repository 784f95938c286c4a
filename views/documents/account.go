package documents

import (
	"bytes"
	"fmt"
)

// Account is a statement of account of one or more A4 pages.
type Account struct {
	Bill               // its head and its parties; it has no lines and no sums of that kind
	Heads    [7]string // of the columns: day, what, and the amounts
	Rows     []AccountRow
	Totals   AccountRow // what the rows come to
	Empty    string     // in the place of rows
	Remarks  []string   // below the totals
	AgeTitle string
	Ages     []BillSum // what is owed by age; nil: nothing is
	PayTitle string
	PayText  string
	Pay      []Fact
	PayAfter []string
}

// AccountRow is one line of a statement.
type AccountRow struct {
	Day, Reference, Text string
	Amounts              [5]string // billed, credited, paid, refunded, still owed
}

// Widths of the columns of a statement, in millimetres.
const (
	dayWidth    = 21.0
	amountWidth = 20.5
	whatWidth   = width - dayWidth - 5*amountWidth
)

// RenderAccount gives the statement as PDF. The same statement gives the same bytes.
func RenderAccount(a Account) ([]byte, error) {
	s := begin(Paper{Kind: a.Title, Reference: a.Number, IssuerName: a.IssuerName, Test: a.Test, Subject: a.Subject,
		Made: a.Made, Title: a.Title, Frame: a.Frame, Logo: a.Logo})
	s.billHead(a.Bill)
	s.parties(a.Bill)
	s.accountRows(a)
	s.ages(a)
	s.howToPay(a)
	var out bytes.Buffer
	if err := s.Output(&out); err != nil {
		return nil, fmt.Errorf("render a statement of account: %w", err)
	}
	return out.Bytes(), nil
}

func (s sheet) accountRows(a Account) {
	s.accountHeads(a)
	for _, r := range a.Rows {
		s.accountRow(a, r, "")
	}
	if len(a.Rows) == 0 {
		s.SetFont(font, "", textSize)
		s.black()
		s.MultiCell(width, line+2, a.Empty, "", "L", false)
	}
	s.accountRow(a, a.Totals, "B")
	s.SetFont(font, "", smallSize)
	s.grey()
	for _, text := range a.Remarks {
		s.Ln(1)
		s.MultiCell(width, 4, text, "", "L", false)
	}
}

func (s sheet) accountHeads(a Account) {
	s.SetFont(font, "", smallSize)
	s.grey()
	s.SetFillColor(240, 243, 247)
	widths := [7]float64{dayWidth, whatWidth, amountWidth, amountWidth, amountWidth, amountWidth, amountWidth}
	rows := 1
	for i, head := range a.Heads {
		rows = max(rows, len(s.SplitText(head, widths[i]-2)))
	}
	top, height, x := s.GetY(), 4*float64(rows)+2, margin
	s.Rect(margin, top, width, height, "F")
	for i, head := range a.Heads {
		align := "L"
		if i > 1 {
			align = "R"
		}
		s.SetXY(x, top+1)
		s.MultiCell(widths[i], 4, head, "", align, false)
		x += widths[i]
	}
	s.SetXY(margin, top+height+1)
}

// accountRow is kept together on a page; the heads stand on each page.
func (s sheet) accountRow(a Account, r AccountRow, weight string) {
	s.SetFont(font, weight, smallSize)
	references := s.SplitText(r.Reference, whatWidth-2)
	s.SetFont(font, "", smallSize)
	var texts []string
	if r.Text != "" {
		texts = s.SplitText(r.Text, whatWidth-2)
	}
	days := s.SplitText(r.Day, dayWidth-2)
	height := 4*float64(max(len(references)+len(texts), len(days), 1)) + 2
	if _, page := s.GetPageSize(); s.GetY()+height > page-margin-4 {
		s.AddPage()
		s.accountHeads(a)
	}
	top := s.GetY()
	s.black()
	s.SetFont(font, weight, smallSize)
	s.SetXY(margin, top)
	for _, t := range days {
		s.CellFormat(dayWidth, 4, t, "", 2, "L", false, 0, "")
	}
	s.SetXY(margin+dayWidth, top)
	for _, t := range references {
		s.CellFormat(whatWidth, 4, t, "", 2, "L", false, 0, "")
	}
	s.SetFont(font, "", smallSize)
	s.grey()
	for _, t := range texts {
		s.CellFormat(whatWidth, 4, t, "", 2, "L", false, 0, "")
	}
	s.black()
	s.SetXY(margin+dayWidth+whatWidth, top)
	for _, amount := range r.Amounts {
		s.fitted(amountWidth, weight, amount, 0)
	}
	s.SetXY(margin, top+height)
	s.SetDrawColor(226, 230, 236)
	s.Line(margin, s.GetY()-1, margin+width, s.GetY()-1)
}

// fitted writes an amount in a size in which it fits its column, whatever it comes to.
func (s sheet) fitted(w float64, weight, text string, ln int) {
	size := smallSize
	for s.SetFont(font, weight, size); size > 4 && s.GetStringWidth(text) > w-2; s.SetFont(font, weight, size) {
		size -= 0.5
	}
	s.CellFormat(w, 4, text, "", ln, "R", false, 0, "")
}

// ages stand side by side, each under its name.
func (s sheet) ages(a Account) {
	if len(a.Ages) == 0 {
		return
	}
	s.title(a.AgeTitle)
	column := width / float64(len(a.Ages))
	s.SetFont(font, "", smallSize)
	s.grey()
	rows := 1
	for _, age := range a.Ages {
		rows = max(rows, len(s.SplitText(age.Label, column-2)))
	}
	top, height := s.GetY(), 4*float64(rows)+1
	for i, age := range a.Ages {
		s.SetXY(margin+column*float64(i), top)
		s.MultiCell(column, 4, age.Label, "", "R", false)
	}
	s.SetXY(margin, top+height)
	s.black()
	for _, age := range a.Ages {
		weight := ""
		if age.Total {
			weight = "B"
		}
		s.fitted(column, weight, age.Amount, 0)
	}
	s.Ln(5)
}

func (s sheet) title(text string) {
	s.ensureSpace(24)
	s.Ln(5)
	s.SetFont(font, "B", 11)
	s.black()
	s.MultiCell(width, 6, text, "", "L", false)
	s.Ln(1)
}

func (s sheet) howToPay(a Account) {
	if len(a.Pay)+len(a.PayAfter) == 0 {
		return
	}
	s.title(a.PayTitle)
	s.SetFont(font, "", textSize)
	if a.PayText != "" {
		s.MultiCell(width, line, a.PayText, "", "L", false)
		s.Ln(1)
	}
	for _, f := range a.Pay {
		s.fact(f)
	}
	s.SetFont(font, "", textSize)
	s.black()
	for _, text := range a.PayAfter {
		s.MultiCell(width, line, text, "", "L", false)
	}
}

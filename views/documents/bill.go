package documents

import (
	"bytes"
	"fmt"
	"time"

	"github.com/go-pdf/fpdf"
)

// Bill is an invoice or a credit note of one or more A4 pages.
type Bill struct {
	Title, Number string
	IssuerName    string   // whose letterhead it carries
	Issuer        []string // the lines below the name
	Recipient     []string
	Facts         []Fact
	Lines         []BillLine
	VATHead       bool // lines have their VAT in a column of its own
	Sums          []BillSum
	Notes         string
	PayAt         string // the address where it is paid; empty: nothing is to be paid
	Test          string // a banner on each page; empty for none
	Subject       string // for the file's properties alone
	Made          time.Time
	Frame         Frame
	Logo          []byte // at the right of the title, as PNG; nil: none
	Labels        Labels
}

// Labels are the words of a bill that no value brings with it.
type Labels struct{ From, To, Description, VAT, Amount, PayOnline string }

// BillLine is one line of what was sold.
type BillLine struct{ Text, Quantity, VAT, Amount string }

// BillSum is one line below the lines.
type BillSum struct {
	Label, Amount string
	Total         bool
}

// Widths of the columns, in millimetres.
const (
	moneyWidth = 34.0
	partyWidth = width/2 - 4
)

// RenderBill gives the bill as PDF. The same bill gives the same bytes.
func RenderBill(b Bill) ([]byte, error) {
	p := Paper{Kind: b.Title, Reference: b.Number, IssuerName: b.IssuerName, Test: b.Test,
		Subject: b.Subject, Made: b.Made,
		Title: b.Title, Frame: b.Frame, Logo: b.Logo}
	s := begin(p)
	s.billHead(b)
	s.parties(b)
	s.lines(b)
	s.pay(b)
	var out bytes.Buffer
	if err := s.Output(&out); err != nil {
		return nil, fmt.Errorf("render %s: %w", b.Number, err)
	}
	return out.Bytes(), nil
}

func (s sheet) billHead(b Bill) {
	beside, below := s.logo()
	s.SetFont(font, "B", 20)
	s.black()
	s.MultiCell(beside, 10, b.Title, "", "L", false)
	s.SetFont(font, "B", 11)
	s.MultiCell(beside, 6, b.Number, "", "L", false)
	s.SetY(max(s.GetY(), below))
	s.Ln(3)
	s.SetDrawColor(190, 196, 204)
	s.Line(margin, s.GetY(), margin+width, s.GetY())
	s.Ln(5)
}

// parties stand side by side, and the facts below them.
func (s sheet) parties(b Bill) {
	top := s.GetY()
	s.party(margin, top, b.Labels.From, append([]string{b.IssuerName}, b.Issuer...))
	left := s.GetY()
	s.party(margin+width/2+4, top, b.Labels.To, b.Recipient)
	s.SetXY(margin, max(left, s.GetY()))
	s.Ln(4)
	for _, f := range b.Facts {
		s.fact(f)
	}
	s.Ln(4)
}

func (s sheet) party(x, y float64, label string, rows []string) {
	s.SetXY(x, y)
	s.SetFont(font, "", smallSize)
	s.grey()
	s.CellFormat(partyWidth, line, label, "", 2, "L", false, 0, "")
	s.black()
	for i, r := range rows {
		weight := ""
		if i == 0 {
			weight = "B"
		}
		s.SetFont(font, weight, textSize)
		s.SetX(x)
		s.MultiCell(partyWidth, line, r, "", "L", false)
	}
}

func (s sheet) lines(b Bill) {
	text := width - moneyWidth
	if b.VATHead {
		text -= moneyWidth
	}
	s.columns(b, text)
	s.SetFont(font, "", textSize)
	for _, l := range b.Lines {
		rows := s.SplitText(l.Text, text-2)
		if l.Quantity != "" {
			rows = append(rows, l.Quantity)
		}
		height := line*float64(max(len(rows), 1)) + 2
		s.ensureSpace(height)
		top := s.GetY()
		s.black()
		for i, r := range rows {
			if l.Quantity != "" && i == len(rows)-1 {
				s.grey()
			}
			s.SetX(margin)
			s.CellFormat(text, line, r, "", 2, "L", false, 0, "")
		}
		s.black()
		s.SetXY(margin+text, top)
		s.amounts(b, l.VAT, l.Amount)
		s.SetDrawColor(226, 230, 236)
		s.SetXY(margin, top+height)
		s.Line(margin, s.GetY()-0.5, margin+width, s.GetY()-0.5)
		s.Ln(0.5)
	}
	s.sums(b)
}

// columns is the head of the table.
func (s sheet) columns(b Bill, text float64) {
	s.SetFont(font, "", smallSize)
	s.grey()
	s.SetFillColor(240, 243, 247)
	s.CellFormat(text, 6, b.Labels.Description, "", 0, "L", true, 0, "")
	if b.VATHead {
		s.CellFormat(moneyWidth, 6, b.Labels.VAT, "", 0, "R", true, 0, "")
	}
	s.CellFormat(moneyWidth, 6, b.Labels.Amount, "", 1, "R", true, 0, "")
	s.Ln(1)
}

func (s sheet) amounts(b Bill, vat, amount string) {
	if b.VATHead {
		s.CellFormat(moneyWidth, line, vat, "", 0, "R", false, 0, "")
	}
	s.CellFormat(moneyWidth, line, amount, "", 1, "R", false, 0, "")
}

// sums keep together on a page.
func (s sheet) sums(b Bill) {
	s.ensureSpace(float64(len(b.Sums))*6 + 4)
	s.Ln(2)
	for _, sum := range b.Sums {
		weight, size := "", textSize
		if sum.Total {
			weight, size = "B", 11.5
		}
		s.SetFont(font, weight, size)
		s.black()
		s.CellFormat(width-moneyWidth, 6, sum.Label, "", 0, "R", false, 0, "")
		s.CellFormat(moneyWidth, 6, sum.Amount, "", 1, "R", false, 0, "")
	}
}

func (s sheet) pay(b Bill) {
	if b.PayAt != "" {
		s.ensureSpace(20)
		s.Ln(6)
		s.SetFont(font, "B", textSize)
		s.SetTextColor(31, 94, 255)
		s.CellFormat(width, 6, b.Labels.PayOnline, "", 1, "L", false, 0, b.PayAt)
		s.SetFont(font, "", smallSize)
		s.grey()
		s.CellFormat(width, line, b.PayAt, "", 1, "L", false, 0, b.PayAt)
	}
	if b.Notes != "" {
		s.ensureSpace(20)
		s.Ln(5)
		s.SetFont(font, "", textSize)
		s.black()
		s.MultiCell(width, line, b.Notes, "", "L", false)
	}
}

// begin opens a document with its banner, its foot and its first page.
func begin(p Paper) sheet {
	p.Frame = p.Frame.orEnglish()
	f := fpdf.New("P", "mm", "A4", "")
	f.SetCatalogSort(true)
	f.SetCreationDate(p.Made.UTC())
	f.SetModificationDate(p.Made.UTC())
	f.SetTitle(property(p.Title+" "+p.Reference), true)
	f.SetAuthor(property(p.IssuerName), true)
	f.SetSubject(property(p.Subject), true)
	f.SetCreator("Debitdesk", true)
	f.SetProducer("Debitdesk", true)
	f.SetLang(p.Frame.Language)
	addFonts(f)
	f.SetMargins(margin, margin, margin)
	f.SetAutoPageBreak(true, margin+4)
	f.AliasNbPages(pages)
	s := sheet{Fpdf: f, p: p, replaced: new(bool)}
	f.SetHeaderFunc(s.testBanner)
	f.SetFooterFunc(s.foot)
	f.AddPage()
	return s
}

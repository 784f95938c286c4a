package documents

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// Measures, in millimetres but for the fonts, which are in points.
const (
	margin     = 20.0
	width      = 210 - 2*margin
	labelWidth = 58.0
	line       = 5.0
	footer     = 14.0
	textSize   = 9.5
	smallSize  = 8.0
	font       = "go"

	pageWidth = 45.0  // of the number of a page, at its foot
	pages     = "{n}" // what the library replaces by how many pages there are
)

// Render gives the paper as PDF. The same paper gives the same bytes.
func Render(p Paper) ([]byte, error) {
	s := begin(p)
	s.head()
	for _, part := range p.Sections {
		s.section(part)
	}
	var out bytes.Buffer
	if err := s.Output(&out); err != nil {
		return nil, fmt.Errorf("render %s: %w", p.Kind, err)
	}
	return out.Bytes(), nil
}

func addFonts(f *fpdf.Fpdf) {
	f.AddUTF8FontFromBytes(font, "", goregular.TTF)
	f.AddUTF8FontFromBytes(font, "B", gobold.TTF)
}

// sheet is a paper that is being drawn.
type sheet struct {
	*fpdf.Fpdf
	p        Paper
	replaced *bool // something on this page could not be drawn as it was written
}

// testBanner says on each page that nothing of this is real money.
func (s sheet) testBanner() {
	if s.p.Test == "" {
		return
	}
	s.SetFillColor(255, 236, 179)
	s.SetTextColor(92, 60, 0)
	s.SetFont(font, "B", smallSize)
	s.Rect(0, 0, 210, 8, "F")
	lines := s.SplitText(s.p.Test, width+margin)
	s.SetY((8 - 4*float64(len(lines))) / 2)
	for _, l := range lines {
		s.SetX(0)
		s.CellFormat(210, 4, l, "", 1, "CM", false, 0, "")
	}
	s.SetXY(margin, margin)
}

func (s sheet) foot() {
	s.SetY(-footer)
	s.SetFont(font, "", smallSize)
	s.grey()
	if *s.replaced {
		note := s.SplitText(strings.ReplaceAll(s.p.Frame.Unprintable, "{sign}", string(missing)), width-2)
		s.SetY(-footer - 4*float64(len(note)))
		for _, l := range note {
			s.CellFormat(width, 4, l, "", 1, "L", false, 0, "")
		}
		*s.replaced = false
	}
	page := strings.NewReplacer("{page}", strconv.Itoa(s.PageNo()), "{pages}", pages).Replace(s.p.Frame.Page)
	s.CellFormat(width-pageWidth, line, s.p.Kind+" "+s.p.Reference, "", 0, "L", false, 0, "")
	s.CellFormat(pageWidth, line, page, "", 0, "R", false, 0, "")
}

func (s sheet) head() {
	beside, below := s.logo()
	s.SetFont(font, "B", 12)
	s.black()
	s.MultiCell(beside, 6, s.p.IssuerName, "", "L", false)
	s.SetFont(font, "", smallSize)
	s.grey()
	for _, l := range s.p.Address {
		s.MultiCell(beside, 4, l, "", "L", false)
	}
	s.SetY(max(s.GetY(), below))
	s.Ln(3)
	s.SetDrawColor(190, 196, 204)
	s.Line(margin, s.GetY(), margin+width, s.GetY())
	s.Ln(6)
	s.SetFont(font, "", textSize)
	s.MultiCell(width, line, s.p.Kind, "", "L", false)
	s.black()
	s.SetFont(font, "B", 18)
	s.MultiCell(width, 9, s.p.Title, "", "L", false)
	s.SetFont(font, "B", 11)
	s.MultiCell(width, 7, s.p.Reference, "", "L", false)
	s.Ln(2)
	s.SetFillColor(240, 243, 247)
	s.SetFont(font, "", textSize)
	s.SetCellMargin(3)
	s.MultiCell(width, 6, s.p.Standing, "", "L", true)
	s.SetCellMargin(1)
	s.Ln(2)
}

// section keeps its heading with what follows.
func (s sheet) section(part Section) {
	s.ensureSpace(24)
	s.Ln(4)
	s.SetFont(font, "B", 11)
	s.black()
	s.MultiCell(width, 6, part.Title, "", "L", false)
	s.Ln(1)
	for _, fact := range part.Facts {
		s.fact(fact)
	}
	if len(part.Facts) > 0 && len(part.Text) > 0 {
		s.Ln(2)
	}
	if part.Note != "" {
		s.SetFont(font, "", smallSize)
		s.grey()
		s.MultiCell(width, 4, part.Note, "", "L", false)
		s.Ln(1.5)
	}
	s.SetFont(font, "", textSize)
	s.black()
	for _, text := range part.Text {
		s.MultiCell(width, line, text, "", "L", false)
		s.Ln(1.5)
	}
}

// fact is one line of two columns, kept together on a page.
func (s sheet) fact(f Fact) {
	s.SetFont(font, "", textSize)
	labels, values := s.SplitText(f.Label, labelWidth-2), s.SplitText(f.Value, width-labelWidth-2)
	height := line*float64(max(len(labels), len(values), 1)) + 1
	s.ensureSpace(height)
	top := s.GetY()
	s.grey()
	s.MultiCell(labelWidth, line, f.Label, "", "L", false)
	s.SetXY(margin+labelWidth, top)
	s.black()
	s.MultiCell(width-labelWidth, line, f.Value, "", "L", false)
	s.SetXY(margin, top+height)
}

// ensureSpace begins a new page when less than that is left on this one.
func (s sheet) ensureSpace(height float64) {
	if _, page := s.GetPageSize(); s.GetY()+height > page-margin-4 {
		s.AddPage()
	}
}

func (s sheet) black() { s.SetTextColor(20, 24, 31) }
func (s sheet) grey()  { s.SetTextColor(88, 98, 112) }

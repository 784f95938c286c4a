package sheet

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/xuri/excelize/v2"

	"debitdesk/models/fault"
)

// A workbook of MaxRows rows unzips to less than this, and to less than so many times its own size. Sheets and their
// texts beyond a megabyte are unzipped to disk; everything else is held in memory and therefore bounded more tightly.
const (
	maxUnzipped = 160 << 20
	maxInMemory = 24 << 20
	toDiskAbove = 1 << 20
	maxRatio    = 100
	freeOfRatio = 8 << 20 // so much may come of however little
	maxParts    = 2000
)

// workbook is one sheet of an .xlsx file.
type workbook struct {
	file  *excelize.File
	sheet string
	dates bool // some cells are formatted as dates: their numbers are serial
	done  func()
}

func (w *workbook) close() error {
	defer w.done()
	return w.file.Close()
}

func (f *File) openWorkbook(src io.ReadSeeker, told Told) error {
	if err := guardZip(src); err != nil {
		return err
	}
	done, err := turn()
	if err != nil {
		return err
	}
	w := &workbook{done: done}
	err = safely(func() (err error) {
		w.file, err = excelize.OpenReader(src, excelize.Options{UnzipSizeLimit: maxUnzipped, UnzipXMLSizeLimit: toDiskAbove,
			ShortDatePattern: "yyyy-mm-dd", LongDatePattern: "yyyy-mm-dd"})
		return err
	})
	if err != nil {
		done()
		return unreadWorkbook(err)
	}
	w.dates = hasDates(w.file)
	f.rows = w
	if err := w.choose(&f.Format, told.Sheet); err != nil {
		_ = w.close()
		return err
	}
	return nil
}

func unreadWorkbook(err error) error {
	return fault.New(fault.Invalid, "unread_workbook",
		"The workbook cannot be read. Open it in a spreadsheet program and save it as .xlsx again.").Because(err)
}

// choose takes the sheet that was told, else the first that holds something.
func (w *workbook) choose(f *Format, told string) error {
	f.Sheets = w.file.GetSheetList()
	for _, name := range f.Sheets {
		if told != "" && name != told {
			continue
		}
		w.sheet, f.Sheet = name, name
		err := w.each(0, func(r Row) error {
			if !blank(r.Cells) {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		if told != "" && err != nil {
			return err
		}
	}
	if w.sheet == "" {
		return fault.At("sheet", "does_not_exist", "The workbook has no sheet %q.", told)
	}
	return empty()
}

// each walks the sheet twice at once: the numbers as they are stored, and, where cells are dates, as they are shown.
func (w *workbook) each(_ int, see func(Row) error) error {
	stored, err := w.walk(excelize.Options{RawCellValue: true})
	if err != nil {
		return err
	}
	defer stored.close()
	var shown *walk
	if w.dates {
		if shown, err = w.walk(excelize.Options{}); err != nil {
			return err
		}
		defer shown.close()
	}
	for n := 1; ; n++ {
		cells, more, err := stored.next()
		if err != nil || !more {
			return err
		}
		var words []string
		if shown != nil {
			if words, _, err = shown.next(); err != nil {
				return err
			}
		}
		if len(cells) > MaxColumns && blank(cells[MaxColumns:]) {
			cells = cells[:MaxColumns]
		}
		for i := range cells {
			word := ""
			if i < len(words) {
				word = words[i]
			}
			cells[i] = tidy(strings.ToValidUTF8(cellText(cells[i], word), "\uFFFD"))
		}
		if err := see(Row{Number: n, Cells: cells}); err != nil {
			return err
		}
	}
}

// walk is one pass over the rows of a sheet.
type walk struct {
	rows    *excelize.Rows
	options excelize.Options
}

func (w *workbook) walk(o excelize.Options) (*walk, error) {
	o.UnzipSizeLimit, o.UnzipXMLSizeLimit = maxUnzipped, toDiskAbove
	o.ShortDatePattern, o.LongDatePattern = "yyyy-mm-dd", "yyyy-mm-dd"
	p := &walk{options: o}
	err := safely(func() (err error) {
		p.rows, err = w.file.Rows(w.sheet)
		return err
	})
	if err != nil {
		return nil, unreadWorkbook(err)
	}
	return p, nil
}

func (p *walk) next() (cells []string, more bool, err error) {
	err = safely(func() error {
		if more = p.rows.Next(); !more {
			return p.rows.Error()
		}
		var err error
		cells, err = p.rows.Columns(p.options)
		return err
	})
	if err != nil {
		return nil, false, unreadWorkbook(err)
	}
	return cells, more, nil
}

func (p *walk) close() { _ = p.rows.Close() }

// safely turns a panic over a malformed workbook into an error: the file comes from anybody.
func safely(do func() error) (err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("malformed workbook: %v", wrong)
		}
	}()
	return do()
}

var (
	dateFormat = regexp.MustCompile(`numFmtId="(?:1[4-7]|22|2[7-9]|3[0-6]|5[0-8])"`)
	formatCode = regexp.MustCompile(`formatCode="([^"]*)"`)
	notLetters = regexp.MustCompile(`\[[^\]]*\]|&quot;.*?&quot;|\\.|General`)
)

// hasDates tells whether the workbook has a style for dates at all; without one the second pass is saved.
func hasDates(file *excelize.File) bool {
	content, _ := file.Pkg.Load("xl/styles.xml")
	styles, _ := content.([]byte)
	if dateFormat.Match(styles) {
		return true
	}
	for _, m := range formatCode.FindAllSubmatch(styles, -1) {
		if strings.ContainsAny(strings.ToLower(notLetters.ReplaceAllString(string(m[1]), "")), "dy") {
			return true
		}
	}
	return false
}

var (
	longNumber = regexp.MustCompile(`^-?\d+\.\d+(?:E-\d{1,2})?$|^-?\d+E-\d{1,2}$`)
	exactly    = int32(15) // digits that a spreadsheet keeps; further ones are the noise of binary fractions
)

// cellText is the stored text, a day as YYYY-MM-DD where the cell shows one, and 1.1 for the stored 1.1000000000000001.
func cellText(stored, shown string) string {
	if day, ok := dayShown(stored, shown); ok {
		return day
	}
	if !longNumber.MatchString(stored) {
		return stored
	}
	d, err := decimal.NewFromString(stored)
	if err != nil {
		return stored
	}
	places := exactly - int32(d.NumDigits()) - d.Exponent() //nolint:gosec // some dozens of digits
	if d.NumDigits() <= int(exactly) && !strings.Contains(stored, "E") {
		return stored
	}
	return d.Round(places).String()
}

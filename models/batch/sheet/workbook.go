package sheet

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"

	"debitdesk/models/fault"
)

// A workbook unzips to less than its limits say, and to less than so many times its own size. Sheets and their
// texts beyond a megabyte are unzipped to disk; everything else is held in memory and therefore bounded more tightly.
const (
	maxInMemory = 24 << 20
	toDiskAbove = 1 << 20
	maxRatio    = 100
	freeOfRatio = 8 << 20 // so much may come of however little
	maxParts    = 2000
)

// workbook is one sheet of an .xlsx file.
type workbook struct {
	file   *excelize.File
	sheet  string
	limits Limits
	// numbers are the columns, from 0, of the numbers with decimals in a row.
	numbers map[int][]int
	shown   bool // what some cells show counts, beside what they store
	done    func()
}

func (w *workbook) close() error {
	defer w.done()
	return w.file.Close()
}

func (f *File) openWorkbook(src io.ReadSeeker, told Told) error {
	if err := guardZip(src, f.limits); err != nil {
		return err
	}
	done, err := turn()
	if err != nil {
		return err
	}
	w := &workbook{done: done, limits: f.limits}
	err = safely(func() (err error) {
		w.file, err = excelize.OpenReader(src, excelize.Options{UnzipSizeLimit: f.limits.unzipped,
			UnzipXMLSizeLimit: toDiskAbove, ShortDatePattern: "yyyy-mm-dd", LongDatePattern: "yyyy-mm-dd"})
		return err
	})
	if err != nil {
		done()
		return unreadWorkbook(err)
	}
	w.shown = hasShown(w.file)
	f.rows = w
	err = w.choose(&f.Format, told.Sheet)
	if uncalculated := w.calculated(src); uncalculated != nil {
		err = uncalculated
	}
	if err != nil {
		_ = w.close()
	}
	return err
}

func unreadWorkbook(err error) error {
	return fault.New(fault.Invalid, "unread_workbook",
		"The workbook cannot be read. Open it in a spreadsheet program and save it as .xlsx again.").Because(err)
}

// choose takes the sheet that was told, else the first that holds something. A hidden sheet is read only when it is
// told: who sends the file does not see it.
func (w *workbook) choose(f *Format, told string) error {
	told = strings.TrimSpace(told)
	var fit []string
	for _, name := range w.file.GetSheetList() {
		visible := w.isVisible(name)
		if visible {
			f.Sheets = append(f.Sheets, name)
		}
		if told == "" && visible || told != "" && strings.EqualFold(strings.TrimSpace(name), told) {
			fit = append(fit, name)
		}
	}
	if told != "" && len(fit) == 0 {
		return fault.At("sheet", "does_not_exist", "The workbook has no sheet “%s”. Choose one of these: %s.", told,
			strings.Join(f.Sheets, ", "))
	}
	for _, name := range fit {
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
	return empty()
}

// isVisible tells whether a person who opens the workbook sees the sheet.
func (w *workbook) isVisible(name string) bool {
	visible := true
	_ = safely(func() error { // a sheet whose name or state cannot be read is one like the others
		found, err := w.file.GetSheetVisible(name)
		visible = found || err != nil
		return nil
	})
	return visible
}

// each walks the sheet twice at once: the numbers as they are stored, and, where that counts, as they are shown.
func (w *workbook) each(_ int, see func(Row) error) error {
	stored, err := w.walk(excelize.Options{RawCellValue: true})
	if err != nil {
		return err
	}
	defer stored.close()
	var shown *walk
	if w.shown {
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
		hidden := stored.rows.GetRowOpts().Hidden
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
		if err := see(Row{Number: n, Cells: cells, Numbers: w.numbersIn(n, cells), hidden: hidden}); err != nil {
			return err
		}
	}
}

// numbersIn are the columns of a row whose cells are numbers with decimals.
func (w *workbook) numbersIn(row int, cells []string) (columns []int) {
	for _, i := range w.numbers[row] {
		if i < len(cells) {
			columns = append(columns, i)
		}
	}
	return columns
}

// walk is one pass over the rows of a sheet.
type walk struct {
	rows    *excelize.Rows
	options excelize.Options
}

func (w *workbook) walk(o excelize.Options) (*walk, error) {
	o.UnzipSizeLimit, o.UnzipXMLSizeLimit = w.limits.unzipped, toDiskAbove
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

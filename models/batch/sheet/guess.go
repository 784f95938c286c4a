package sheet

import (
	"bufio"
	"regexp"
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// separators in the order of preference when nothing tells them apart.
const separators = ",;\t"

// separatorOf takes the separator that cuts most rows into as many cells as the first one. told says that the text
// names it in a line of its own, "sep=;".
func separatorOf(start string) (sep string, told bool) {
	first, _, _ := strings.Cut(start, "\n")
	first = strings.Trim(strings.TrimSpace(strings.ToLower(first)), `"`)
	if rest, found := strings.CutPrefix(first, "sep="); found && len(rest) == 1 && strings.Contains(separators+"|", rest) {
		return rest, true
	}
	if strings.HasPrefix(strings.ToLower(start), "sep=\t") {
		return "\t", true
	}
	best, most := ",", 0
	for _, c := range separators {
		if score := regularity(start, byte(c)); score > most { //nolint:gosec // one of a few ASCII signs
			best, most = string(c), score
		}
	}
	return best, false
}

// regularity is larger the more rows have the commonest number of cells, at least two; among equals, the more cells.
func regularity(start string, sep byte) int {
	r := &records{in: bufio.NewReader(strings.NewReader(start)), sep: sep}
	widths := map[int]int{}
	for range sampleRows {
		rec, err := r.next()
		if err != nil {
			break
		}
		if !blank(rec.cells) && len(rec.cells) > 1 && len(rec.broken) == 0 {
			widths[len(rec.cells)]++
		}
	}
	most := 0
	for width, rows := range widths {
		most = max(most, rows*1000+min(width, 999))
	}
	return most
}

// guess finds the heading and the marks in the first rows.
func (f *File) guess(sample []Row, told Told) error {
	if len(sample) == 0 {
		return empty()
	}
	widest, at := 0, -1
	for _, r := range sample {
		widest = max(widest, filled(r.Cells))
	}
	for i, r := range sample {
		if told.HeaderRow > 0 && r.Number == told.HeaderRow {
			at = i
		}
	}
	switch {
	case told.HeaderRow > 0 && at < 0:
		return fault.At("header_row", "invalid",
			"Row %d is blank or not among the first rows. Choose the row that names the columns.", told.HeaderRow)
	case told.HeaderRow == 0:
		at = headerAmong(sample, widest)
	}
	f.takeHeader(sample, at)
	f.Format.Decimal, f.Format.Dates = MarksIn(sample[at+1:])
	return nil
}

func (f *File) takeHeader(sample []Row, at int) {
	if at >= 0 {
		header := sample[at].Cells
		for len(header) > 1 && strings.TrimSpace(header[len(header)-1]) == "" && !f.usesColumn(sample, len(header)-1) {
			header = header[:len(header)-1]
		}
		f.Format.HeaderRow = sample[at].Number
		for _, h := range header {
			f.Format.Header = append(f.Format.Header, strings.Join(strings.Fields(h), " "))
		}
		return
	}
	widths, best := map[int]int{}, 0
	for _, r := range sample {
		widths[len(r.Cells)]++
	}
	for width, rows := range widths {
		if rows > widths[best] || rows == widths[best] && width > best {
			best = width
		}
	}
	f.Format.Header = make([]string, best)
}

// usesColumn tells whether a column without a heading holds something.
func (f *File) usesColumn(sample []Row, column int) bool {
	for _, r := range sample {
		if len(r.Cells) > column && strings.TrimSpace(r.Cells[column]) != "" {
			return true
		}
	}
	return false
}

// headerAmong gives the first row that names at least half as many columns as the fullest row fills, or -1 when such a
// row already holds data. Titles above the heading fill less.
func headerAmong(sample []Row, widest int) int {
	const deepest = 10
	for i, r := range sample[:min(len(sample), deepest)] {
		if filled(r.Cells)*2 < widest || widest > 2 && filled(r.Cells) < 2 {
			continue
		}
		for _, c := range r.Cells {
			if value.MatchString(strings.TrimSpace(c)) {
				return -1
			}
		}
		return i
	}
	return -1
}

// value is what no heading looks like: a number, an amount, a date, an e-mail address.
var value = regexp.MustCompile(`^(?:[^@\s]+@[^@\s]+\.[^@\s]+|[+-]?(?i:R|ZAR)?[ \x{00a0}]?[\d][\d\s.,/:+()\x{00a0}-]*)$`)

func filled(cells []string) int {
	n := 0
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			n++
		}
	}
	return n
}

// MarksIn tells which decimal mark and which order of dates rows show; nothing where they show none or both.
func MarksIn(rows []Row) (money.Mark, calendar.Order) {
	decimals, orders := map[money.Mark]bool{}, map[calendar.Order]bool{}
	for _, r := range rows {
		for _, c := range r.Cells {
			if order := calendar.OrderIn(c); order != calendar.Unordered {
				orders[order] = true
			} else if mark := money.MarkIn(c); mark != money.Unmarked {
				decimals[mark] = true
			}
		}
	}
	return only(decimals), only(orders)
}

func only[T ~string](seen map[T]bool) (one T) {
	if len(seen) == 1 {
		for one = range seen {
			return one
		}
	}
	return one
}

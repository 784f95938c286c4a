package source

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
)

// cell is a text of a line, from 0, without blanks around it; empty where the line ends before.
func cell(r sheet.Row, n int) string {
	if n < 0 || n >= len(r.Cells) {
		return ""
	}
	return strings.TrimSpace(r.Cells[n])
}

func blank(r sheet.Row) bool { return strings.TrimSpace(strings.Join(r.Cells, "")) == "" }

var digits = regexp.MustCompile(`^\d+$`)

// whole is a whole number that is not negative.
func whole(text string) (n int64, ok bool) {
	if !digits.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

var decimals = regexp.MustCompile(`^(\d{1,12})(?:\.(\d{1,4}))?$`)

// centsIn reads rands with a point and at most four decimals; not exact where a part of a cent would be lost.
func centsIn(text string) (cents int64, exact bool) {
	m := decimals.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	part := m[2] + strings.Repeat("0", 4-len(m[2]))
	n, err := strconv.ParseInt(m[1]+part[:2], 10, 64)
	return n, err == nil && part[2:] == "00"
}

// isoDay writes CCYYMMDD as people and other columns do; zeros are no day, and anything else stays as it is.
func isoDay(text string) string {
	if !digits.MatchString(text) || len(text) != 8 {
		return text
	}
	if strings.Trim(text, "0") == "" {
		return ""
	}
	iso := text[:4] + "-" + text[4:6] + "-" + text[6:]
	if _, err := calendar.ParseDate(iso); err != nil {
		return text
	}
	return iso
}

var (
	guid     = regexp.MustCompile(`(?i)[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}`)
	longRuns = regexp.MustCompile(`\d{7,}`)
)

// mention is a short text that a file says about itself, for a person; empty where it could be a credential or a number
// of a person.
func mention(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool { return unicode.IsControl(c) || c == ' ' }), " ")
	if guid.MatchString(text) || longRuns.MatchString(text) && !digits.MatchString(text) {
		return ""
	}
	if letters := []rune(text); len(letters) > 40 {
		text = string(letters[:39]) + "…"
	}
	return text
}

// plain is a heading without blanks and signs, in small letters.
func plain(heading string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, heading)
}

// unfit notes that the layout does not allow what is in a column, from 0.
func unfit(r *sheet.Row, column int, message string) {
	r.Broken = append(r.Broken, sheet.Problem{Column: column + 1, Code: Unfit, Message: message})
}

// fit cuts a row to so many cells, and says where it had fewer or more.
func fit(r *sheet.Row, width int) {
	for len(r.Cells) > width && strings.TrimSpace(r.Cells[len(r.Cells)-1]) == "" {
		r.Cells = r.Cells[:len(r.Cells)-1]
	}
	switch have := len(r.Cells); {
	case have > width:
		r.Cells, r.Broken = r.Cells[:width], append(r.Broken, sheet.Extra(have, width))
	case have < width:
		r.Broken = append(r.Broken, sheet.Problem{Column: have + 1, Code: sheet.TooFewCells,
			Message: "The line has fewer values than the layout names."})
		for len(r.Cells) < width {
			r.Cells = append(r.Cells, "")
		}
	}
}

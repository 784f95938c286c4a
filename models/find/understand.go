// Package find looks for anything of a merchant by what a person typed: it understands numbers, amounts, days and
// phone numbers, asks every kind of record at once, and puts what is found in order. It must not know pages.
package find

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/money"
)

// Meaning is what a person may have meant by what they typed. All that fits is looked for.
type Meaning struct {
	Text     string        // as it was typed, without odd spaces
	Words    []string      // in lower case and without accents; each begins a word of what is found
	Phone    string        // the beginning of a phone number, as phones are kept: 2782…
	Identity bank.IDNumber // a whole identity number
	Digits   string        // the last four of an account
	Number   string        // the beginning of the number of an invoice or credit note: INV-2026-
	Serial   int64         // such a number by its last part alone; Prefix is then what stands first, if anything does
	Prefix   string
	Cents    int64 // an amount
	Day      calendar.Date
	// IDs from First to Last begin as it was typed; both are the same for a whole id.
	First, Last uuid.UUID
}

// Nothing tells that there is nothing to look for.
func (m Meaning) Nothing() bool { return m.Text == "" }

const (
	longestText = 200 // runes
	mostWords   = 8
	shortestID  = 8 // digits
)

var (
	odd = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2010", "-",
		"\u2011", "-", "\u2013", "-")
	aboutPhone = regexp.MustCompile(`^(?:\+|0)[\d() .-]{2,18}$`)
	maskedTail = regexp.MustCompile(`^(?:[•*x.…]+\s*)?(\d{4})$`)
	wholeID    = regexp.MustCompile(`(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}`)
	partOfID   = regexp.MustCompile(`(?i)^[0-9a-f]{8}(?:-[0-9a-f-]{0,27}|[0-9a-f]{0,24})$`)
	numbered   = regexp.MustCompile(`^([A-Z][A-Z0-9]{0,7}?)[ -]*(?:(20\d\d)-)?(\d{0,9})$`)
	wholeYear  = regexp.MustCompile(`^20\d\d$`)
	joined     = regexp.MustCompile(`^(\pL+)(\d+)$`)
)

// Understand reads what a person typed on a day.
func Understand(typed string, today calendar.Date) (m Meaning) {
	typed = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, odd.Replace(strings.ToValidUTF8(typed, "")))
	m.Text = strings.Join(strings.Fields(typed), " ")
	if utf8.RuneCountInString(m.Text) > longestText {
		m.Text = strings.TrimSpace(string([]rune(m.Text)[:longestText]))
	}
	if m.Text == "" {
		return m
	}
	if id := bank.CleanID(m.Text); len(id) == 13 && digitsAlone(id.Reveal()) {
		m.Identity = id
		return m
	}
	if m.First, m.Last = idsOf(m.Text); m.First != uuid.Nil && m.First == m.Last {
		return m // an address or a sentence with an id in it is about that
	}
	m.Words = strings.Fields(database.Fold(m.Text))
	m.Words = m.Words[:min(len(m.Words), mostWords)]
	m.Phone = phoneOf(m.Text)
	if tail := maskedTail.FindStringSubmatch(m.Text); tail != nil {
		m.Digits = tail[1]
	}
	m.Prefix, m.Number, m.Serial = numberOf(m.Text)
	m.Cents = centsOf(m.Text)
	m.Day = DayOf(m.Text, today)
	return m
}

func digitsAlone(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// idsOf finds a whole id anywhere in a text, such as an address of a page, or one that is begun.
func idsOf(text string) (first, last uuid.UUID) {
	if whole := wholeID.FindString(text); whole != "" {
		id, err := uuid.Parse(whole)
		if err == nil {
			return id, id
		}
	}
	part := strings.ReplaceAll(text, "-", "")
	if !partOfID.MatchString(text) || len(part) < shortestID {
		return uuid.Nil, uuid.Nil
	}
	fill := func(with string) (id uuid.UUID) {
		b, err := hex.DecodeString(part + strings.Repeat(with, 32-len(part)))
		if err == nil {
			copy(id[:], b)
		}
		return id
	}
	return fill("0"), fill("f")
}

// phoneOf gives the form in which a phone number is kept, also of one that is only begun.
func phoneOf(text string) string {
	if whole, ok := bank.NormalisePhone(text); ok {
		return whole
	}
	if !aboutPhone.MatchString(text) {
		return ""
	}
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
	switch international := strings.HasPrefix(text, "+") || strings.HasPrefix(digits, "00"); {
	case international:
		digits = strings.TrimPrefix(digits, "00") // no country's code begins with 0
	case strings.HasPrefix(digits, "0"):
		digits = "27" + digits[1:]
	}
	if len(digits) < 4 || digits[0] == '0' || len(digits) > 15 {
		return ""
	}
	return digits
}

// numberOf reads the number of an invoice: INV-2026-000123, the beginning of it, INV-123 or inv 000123 for the same
// one of any year, and 000123 alone.
func numberOf(text string) (prefix, begins string, serial int64) {
	upper := strings.ToUpper(text)
	if digitsAlone(upper) {
		n, err := strconv.ParseInt(upper, 10, 64)
		if err != nil || n > 999_999_999 {
			n = 0
		}
		return "", "", n
	}
	m := numbered.FindStringSubmatch(upper)
	switch {
	case m == nil:
		return "", "", 0
	case m[2] != "": // with its year
		return "", m[1] + "-" + m[2] + "-" + m[3], 0
	case m[3] == "" && !strings.HasSuffix(upper, "-"):
		return "", "", 0
	case m[3] == "" || wholeYear.MatchString(m[3]):
		return "", m[1] + "-" + m[3], 0
	}
	n, err := strconv.ParseInt(m[3], 10, 64)
	if err != nil {
		return "", "", 0
	}
	return m[1] + "-", "", n
}

// centsOf reads an amount. Digits alone are rand, too.
func centsOf(text string) int64 {
	n, err := money.Parse(text)
	if err != nil || n <= 0 || strings.HasPrefix(text, "0") && digitsAlone(text) {
		return 0
	}
	return n
}

// DayOf reads a day: "1 Dec", "Dec 1", "1/12", "2026-12-01", "today", "tomorrow", "yesterday" or a weekday, which is
// the next one. A day without a year is the one nearest to today.
func DayOf(text string, today calendar.Date) calendar.Date {
	text = strings.ToLower(text)
	for n, word := range []string{"yesterday", "today", "tomorrow"} {
		if len(text) >= 4 && strings.HasPrefix(word, text) {
			return today.AddDays(n - 1)
		}
	}
	for n := range 7 {
		day := today.AddDays(n)
		if name := strings.ToLower(day.Weekday().String()); len(text) >= 3 && strings.HasPrefix(name, text) {
			return day
		}
	}
	if digitsAlone(text) { // a number, not the serial number of a spreadsheet
		return calendar.Date{}
	}
	if day, err := calendar.ParseWritten(text, calendar.DayFirst); err == nil {
		return day
	}
	var best calendar.Date
	for _, year := range []int{today.Year - 1, today.Year, today.Year + 1} {
		for _, between := range []string{" ", "/"} {
			day, err := calendar.ParseWritten(text+between+strconv.Itoa(year), calendar.DayFirst)
			if err == nil && (best.IsZero() || apart(day, today) < apart(best, today)) {
				best = day
			}
		}
	}
	return best
}

func apart(a, b calendar.Date) time.Duration { return a.At(0, 0).Sub(b.At(0, 0)).Abs() }

// Wanted is how the words are asked for: each of them begins a word of a record. Letters and digits that were typed as
// one word may be two, as in KSF-1022.
func (m Meaning) Wanted() []database.Beginning {
	var out []database.Beginning
	for _, word := range m.Words {
		one := database.Beginning{{word}}
		if parts := joined.FindStringSubmatch(word); parts != nil {
			one = append(one, []string{parts[1], parts[2]})
		}
		out = append(out, one)
	}
	if m.Phone != "" { // the words are the parts of a number
		return []database.Beginning{{m.Words, {m.Phone}}}
	}
	return out
}

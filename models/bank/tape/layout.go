// Package tape knows the records of the clearing house with 180 characters: where their fields are, how a bank's
// transmission wraps them, and what their totals are. It must not know what a record is for.
package tape

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"debitdesk/models/calendar"
)

// Length is a record without its line end. A bank's transmission puts four characters in front and ends at 198.
const (
	Length   = 180
	Wrapping = 4
	Wrapped  = 198
)

// The records.
const (
	FileHeader   = "02"
	UserHeader   = "04"
	Credit       = "10"
	CreditContra = "12"
	Debit        = "50"
	DebitContra  = "52"
	UserTrailer  = "92"
	FileTrailer  = "94"
)

// Field is a place in a record: where it begins, counted from 1, and how long it is.
type Field struct{ Start, Length int }

// At is a field.
func At(start, length int) Field { return Field{Start: start, Length: length} }

// The fields of a transaction and its contra. (public writers and readers of the form, four that agree)
var (
	Branch        = At(3, 6)
	Account       = At(9, 11) // the merchant's
	UserCode      = At(20, 4)
	Sequence      = At(24, 6)
	HomingBranch  = At(30, 6)
	HomingAccount = At(36, 11) // zeros where it is too long: it then is in LongAccount
	Type          = At(47, 1)
	Amount        = At(48, 11) // cents
	Action        = At(59, 6)  // YYMMDD
	Class         = At(65, 2)
	Tax           = At(67, 1)
	Filler        = At(68, 3)
	Reference     = At(71, 30) // what the payer sees: 10 + 14 + 6
	Name          = At(101, 30)
	LongAccount   = At(131, 20)
	End           = At(151, 16)
	Institution   = At(167, 2)
	Last          = At(169, 12)
)

// The fields of a user trailer, beside its code, sequences and days.
var (
	DebitCount  = At(31, 6)
	CreditCount = At(37, 6)
	ContraCount = At(43, 6)
	DebitSum    = At(49, 12)
	CreditSum   = At(61, 12)
	Hash        = At(73, 12)
)

// Record is one line of the form, filled with blanks.
type Record []byte

// New is an empty record of a kind.
func New(kind string) Record {
	r := Record(strings.Repeat(" ", Length))
	copy(r, kind)
	return r
}

// Read takes a line without its transmission. A letter of another alphabet takes one place and is a blank.
func Read(line string) Record {
	r := New("")
	copy(r, strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return ' '
		}
		return c
	}, line))
	return r
}

// Put writes a text to the left of its field, cut to its length.
func (r Record) Put(f Field, text string) {
	copy(r[f.Start-1:f.Start-1+f.Length], text)
}

// Number writes digits to the right of their field, with zeros in front.
func (r Record) Number(f Field, digits string) {
	if missing := f.Length - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	r.Put(f, digits[len(digits)-f.Length:])
}

// Count writes a number into a field.
func (r Record) Count(f Field, n int64) { r.Number(f, strconv.FormatInt(n, 10)) }

// Get reads a field with what is in it, blanks and all.
func (r Record) Get(f Field) string { return string(r[f.Start-1 : f.Start-1+f.Length]) }

// Trimmed reads a field without the blanks around it.
func (r Record) Trimmed(f Field) string { return strings.TrimSpace(r.Get(f)) }

// Kind is what the record is.
func (r Record) Kind() string { return string(r[:2]) }

// Homing is what a record adds to the hash: the account, and the last eleven digits of a long one.
func (r Record) Homing() int64 {
	long := r.Trimmed(LongAccount)
	if len(long) > HomingAccount.Length {
		long = long[len(long)-HomingAccount.Length:]
	}
	return DigitsOf(r.Trimmed(HomingAccount)) + DigitsOf(long)
}

// HashTotal keeps twelve digits of a sum of accounts.
func HashTotal(sum int64) int64 { return sum % 1_000_000_000_000 }

// DigitsOf is a number, or zero for what is none.
func DigitsOf(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Day reads YYMMDD of this century; drafts have zeros.
func Day(text string) calendar.Date {
	if len(text) != 6 || strings.Trim(text, "0123456789") != "" {
		return calendar.Date{}
	}
	d, err := calendar.ParseDate("20" + text[:2] + "-" + text[2:4] + "-" + text[4:])
	if err != nil {
		return calendar.Date{}
	}
	return d
}

// Lines of the form, apart from their transmission.
var (
	transaction = regexp.MustCompile(`^(?:10|50)[0-9]{17}.{4}[0-9]{24}[0-9]{11}[0-9]{6}`)
	user        = regexp.MustCompile(`^04.{4}[0-9]{24,}`)
	known       = regexp.MustCompile(`^(?:02|04|10|12|50|52|92|94)`)
	frame       = regexp.MustCompile(`^(?:000|999)[LT ]`)
	inFrame     = regexp.MustCompile(`^[0-9]{3}[LT ](?:02|04|10|12|50|52|92|94)`)
)

// Is tells that a document begins as such a tape does.
func Is(head []byte) bool {
	lines := strings.FieldsFunc(strings.TrimPrefix(string(head), "\ufeff"),
		func(r rune) bool { return r == '\r' || r == '\n' })
	is := false
	for n, line := range lines {
		line, _ = Unwrap(line)
		if line == "" {
			continue
		}
		if !known.MatchString(line) && n < len(lines)-1 { // the last may be cut
			return false
		}
		is = is || transaction.MatchString(line) || user.MatchString(line)
	}
	return is
}

// Unwrap takes a line out of a bank's transmission; the lines that only frame it are empty. test tells that the
// transmission is marked as a test.
func Unwrap(line string) (record string, test bool) {
	switch {
	case inFrame.MatchString(line) && !transaction.MatchString(line) && !user.MatchString(line):
		return line[Wrapping:], line[Wrapping-1] == 'T'
	case frame.MatchString(line):
		return "", line[Wrapping-1] == 'T'
	default:
		return line, false
	}
}

// SplitLines ends a line at CR, LF or both; a bufio.SplitFunc.
func SplitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if at := bytes.IndexAny(data, "\r\n"); at >= 0 {
		return at + 1, data[:at], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// Package acb spells debits as the tape of the clearing house with records of 180 characters, and reads the returns
// that banks give in that form. What it writes is a draft for people: no bank has taken one. It must not know files,
// SQL or what follows from a return.
package acb

import (
	"strconv"
	"strings"
)

// recordLength is a record without its line end. A bank's transmission puts four characters in front and ends at 198.
const (
	recordLength = 180
	wrapping     = 4
	wrapped      = 198
)

// The records.
const (
	fileHeader   = "02"
	userHeader   = "04"
	credit       = "10"
	creditContra = "12"
	debit        = "50"
	debitContra  = "52"
	userTrailer  = "92"
	fileTrailer  = "94"
)

// field is a place in a record: where it begins, counted from 1, and how long it is.
type field struct{ at, length int }

// The fields of a transaction and its contra. (public writers and readers of the form, four that agree)
var (
	branchField    = field{3, 6}
	accountField   = field{9, 11} // the merchant's
	userCodeField  = field{20, 4}
	sequenceField  = field{24, 6}
	homingBranch   = field{30, 6}
	homingAccount  = field{36, 11} // zeros where it is too long: it then stands in longAccount
	typeField      = field{47, 1}
	amountField    = field{48, 11} // cents
	actionField    = field{59, 6}  // YYMMDD
	classField     = field{65, 2}
	taxField       = field{67, 1}
	fillerField    = field{68, 3}
	referenceField = field{71, 30} // what the payer sees: 10 + 14 + 6
	nameField      = field{101, 30}
	longAccount    = field{131, 20}
	endField       = field{151, 16}
	institution    = field{167, 2}
	lastField      = field{169, 12}
)

// record is one line of the form, filled with blanks.
type record []byte

func newRecord(kind string) record {
	r := record(strings.Repeat(" ", recordLength))
	copy(r, kind)
	return r
}

// put writes a text to the left of its field, cut to its length.
func (r record) put(f field, text string) {
	copy(r[f.at-1:f.at-1+f.length], text)
}

// number writes digits to the right of their field, with zeros in front.
func (r record) number(f field, digits string) {
	if missing := f.length - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	r.put(f, digits[len(digits)-f.length:])
}

func (r record) count(f field, n int64) { r.number(f, strconv.FormatInt(n, 10)) }

// get reads a field with what stands in it, blanks and all.
func (r record) get(f field) string { return string(r[f.at-1 : f.at-1+f.length]) }

func (r record) trimmed(f field) string { return strings.TrimSpace(r.get(f)) }

// kind is what the record is.
func (r record) kind() string { return string(r[:2]) }

// homing is what a record adds to the hash: the account, and the last eleven digits of a long one.
func (r record) homing() int64 {
	long := r.trimmed(longAccount)
	if len(long) > homingAccount.length {
		long = long[len(long)-homingAccount.length:]
	}
	return digitsOf(r.trimmed(homingAccount)) + digitsOf(long)
}

// hashTotal keeps twelve digits of a sum of accounts.
func hashTotal(sum int64) int64 { return sum % 1_000_000_000_000 }

// digitsOf is a number, or zero for what is none.
func digitsOf(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

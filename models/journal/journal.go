// Package journal knows the books of a merchant: which entry each document and each movement of money posts, to which
// accounts of the merchant's package, and which months are closed. The database posts the entries, in the transaction
// that writes the row; this package reads them. It must not know how a file of a package is written.
package journal

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Kind is what an entry is of.
type Kind string

// The kinds of entries. Those of movements are called as the movements are.
const (
	Invoiced      Kind = "invoice"
	Credited      Kind = "credit_note"
	Collected     Kind = "collected"
	Returned      Kind = "returned"
	Disputed      Kind = "disputed"
	DisputeWon    Kind = "dispute_won"
	PaidByHand    Kind = "paid_by_hand"
	RefundAsked   Kind = "refund_asked"
	RefundDropped Kind = "refund_dropped"
	Refunded      Kind = "refunded"
	WrittenOff    Kind = "written_off"
	BroughtIn     Kind = "taken_over" // owed elsewhere before the business came here
	FeeTaken      Kind = "fee"
	PaidOut       Kind = "payout"
	Released      Kind = "released"   // what a provider had held back
	TakenBack     Kind = "taken_back" // a fee, payout or release
)

var kindWords = map[Kind]string{Invoiced: "Invoice", Credited: "Credit note", Collected: "Collected",
	Returned: "Returned", Disputed: "Disputed", DisputeWon: "Dispute won", PaidByHand: "Marked as paid",
	RefundAsked: "Refund owed", RefundDropped: "Refund withdrawn", Refunded: "Refund paid",
	WrittenOff: "Written off", BroughtIn: "Taken over", FeeTaken: "Fee", PaidOut: "Payout",
	Released: "Released", TakenBack: "Taken back"}

// Kinds are all kinds in the order in which people choose one.
var Kinds = []Kind{Invoiced, Credited, Collected, Returned, Disputed, DisputeWon, PaidByHand, RefundAsked,
	RefundDropped, Refunded, WrittenOff, BroughtIn, FeeTaken, PaidOut, Released, TakenBack}

// Word is what people call entries of the kind.
func (k Kind) Word() string { return kindWords[k] }

// prefix begins the ids of entries by what they are of: ledger, invoice, credit note, refund, write-off,
// open item taken over, what a person recorded.
func (k Kind) prefix() string {
	switch k {
	case Invoiced:
		return "inv"
	case Credited:
		return "cn"
	case RefundAsked, RefundDropped:
		return "ref"
	case WrittenOff:
		return "off"
	case BroughtIn:
		return "open"
	case FeeTaken, PaidOut, Released, TakenBack: // as Recorded has them
		return "rec"
	default:
		return "led"
	}
}

// Recorded tells whether a person records entries of the kind.
func (k Kind) Recorded() bool { return k.prefix() == "rec" }

// Cents are the amounts of an entry or a balance in cents, by the place of the role in Roles: above zero is a debit.
type Cents [roleCount]int64

// Of is the amount of one role.
func (c Cents) Of(r Role) int64 { return c[r.place()] }

// Plus adds amounts role by role.
func (c Cents) Plus(o Cents) Cents {
	for i, cents := range o {
		c[i] += cents
	}
	return c
}

// Sum is zero for whatever balances.
func (c Cents) Sum() (sum int64) {
	for _, cents := range c {
		sum += cents
	}
	return sum
}

// Entry is one entry of the journal, or those of one day, kind and brand together. Dates are SAST.
type Entry struct {
	N                 int64 // its number; of several, that of the first
	Merged            int   // how many it is; 0: it is one
	Kind              Kind
	BrandID           uuid.UUID
	PurchaseID        uuid.UUID
	SourceID          uuid.UUID     // the movement, document or refund that it is of; zero where several are one
	Day               calendar.Date // it is booked on
	TrueDay           calendar.Date // it was; another one where that month was closed
	Currency          string
	Code              string // the bank's
	Reference, Client string // empty where several are one
	Cents             Cents
}

// UID is the same in every export, so that a second import is known by it.
func (e Entry) UID() string {
	if e.Merged > 0 {
		return fmt.Sprintf("day-%04d%02d%02d-%s-%d", e.Day.Year, e.Day.Month, e.Day.Day, e.Kind.prefix(), e.N)
	}
	return fmt.Sprintf("%s-%d", e.Kind.prefix(), e.N)
}

// Word is what people call the entry: one that undoes another of its kind is called by that.
func (e Entry) Word() string {
	switch {
	case e.Merged > 0: // both ways, perhaps
	case e.Kind == PaidByHand && e.Cents.Of(Bank) < 0:
		return "Payment taken back"
	case e.Kind == WrittenOff && e.Cents.Of(BadDebts) < 0:
		return "Write-off taken back"
	}
	return e.Kind.Word()
}

// Text says in a few words what it is: "Collected KSF-1022".
func (e Entry) Text() string {
	text := e.Word()
	switch {
	case e.Merged > 0:
		text += fmt.Sprintf(" (%d)", e.Merged)
	case e.Code != "" && e.Kind == Returned:
		text += " " + e.Code
	}
	if e.Reference != "" {
		text += " " + e.Reference
	}
	if e.TrueDay != e.Day {
		text += ", was " + e.TrueDay.String()
	}
	return text
}

// Line is one side of an entry.
type Line struct {
	Role    Role
	Account Account
	Cents   int64
}

// Lines are the sides of an entry in the order of the roles, each with the account that it goes to.
func (b *Book) Lines(e Entry) (out []Line) {
	for i, cents := range e.Cents {
		if cents != 0 {
			out = append(out, Line{Role: Roles[i], Account: b.Accounts.Of(Roles[i], e.BrandID), Cents: cents})
		}
	}
	return out
}

// Month is a calendar month.
type Month struct {
	Year int
	Mon  time.Month
}

// MonthOf is the month that a day is in.
func MonthOf(d calendar.Date) Month { return Month{d.Year, d.Month} }

// ParseMonth reads 2026-10.
func ParseMonth(text string) (Month, error) {
	d, err := calendar.ParseDate(text + "-01")
	if err != nil || d.Year < 1900 || d.Year > 2999 {
		return Month{}, fmt.Errorf("%q is not a month: write it as 2026-10", text)
	}
	return MonthOf(d), nil
}

// First is the first day of the month.
func (m Month) First() calendar.Date { return calendar.On(m.Year, m.Mon, 1) }

// Last is the last day of the month.
func (m Month) Last() calendar.Date { return m.Next().First().AddDays(-1) }

// Next is the month after.
func (m Month) Next() Month { return MonthOf(m.First().AddDays(31)) }

// String is 2026-10.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m.Year, m.Mon) }

// Words is October 2026.
func (m Month) Words() string { return fmt.Sprintf("%s %d", m.Mon, m.Year) }

// IsZero tells that no month is meant.
func (m Month) IsZero() bool { return m == Month{} }

// Service holds the use cases of the books.
type Service struct {
	Store Store
	Most  int // entries in one file, or documents written at once; 0: as many as usual
}

// Store is where the journal is kept.
type Store struct{ *database.DB }

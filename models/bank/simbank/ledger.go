package simbank

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"debitdesk/models/calendar"
)

// Entry is one movement on an account of the merchant's, for one debit or refund, however the bank books it.
type Entry struct {
	Day      calendar.Date
	At       time.Time
	Account  string // the merchant's
	Cents    int64  // positive when money came in
	What     string // collected, returned or refunded
	ID       string // InstrId of the debit or refund
	EndToEnd string
	Group    string // PmtInfId
	Message  string // MsgId
	Code     string // ISO, or the bank's own, of a return

	order *order
	event event
}

// Entries is the bank's ledger as far as its last round, in the order in which it was booked.
func (b *Bank) Entries() []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.entries(b.until)
}

func (b *Bank) entries(now time.Time) []Entry {
	var out []Entry
	for _, f := range b.files {
		for _, o := range f.Orders {
			for _, e := range o.Plan {
				if e.Book == 0 || !o.happens(e, now) {
					continue
				}
				one := Entry{Day: calendar.DateOf(e.At), At: e.At, Account: o.Creditor, Cents: int64(e.Book) * o.Cents,
					What: what(o, e), ID: o.ID, EndToEnd: o.EndToEnd, Group: o.Group, Message: f.ID, order: o, event: e}
				if e.Code != nil {
					one.Code = e.Code.Code
				}
				out = append(out, one)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Entry) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.order.number, y.order.number))
	})
	return out
}

func what(o *order, e event) string {
	switch {
	case o.Kind == refund:
		return "refunded"
	case e.Book > 0:
		return "collected"
	}
	return "returned"
}

// single tells whether an entry is booked alone. Returns and refunds always are.
func (b *Bank) single(e Entry) bool {
	if e.What != "collected" || b.settings.Booking == Single {
		return true
	}
	return b.settings.Booking == AsAsked && e.order.Single
}

// entriesName is the ledger for people and programs: a line for each entry.
const entriesName = "entries.csv"

// writeEntries writes the ledger anew when it has grown.
func (b *Bank) writeEntries(now time.Time) error {
	var text strings.Builder
	text.WriteString("day,account,cents,what,instruction,end_to_end,group,message,code\n")
	for _, e := range b.entries(now) {
		fmt.Fprintf(&text, "%s,%s,%d,%s,%s,%s,%s,%s,%s\n", e.Day, e.Account, e.Cents, e.What, field(e.ID), field(e.EndToEnd),
			field(e.Group), field(e.Message), e.Code)
	}
	there, err := os.ReadFile(filepath.Join(b.settings.State, entriesName))
	if err != nil && !errors.Is(err, os.ErrNotExist) || err == nil && string(there) == text.String() {
		return err
	}
	return b.memory.disk.lay(b.settings.State, entriesName, []byte(text.String()))
}

// field keeps a text of a message from breaking the line.
func field(text string) string {
	return strings.NewReplacer(",", " ", "\n", " ", "\r", " ", `"`, " ").Replace(text)
}

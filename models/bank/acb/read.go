package acb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/tape"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// What no honest tape comes near.
const (
	maxLine    = 4 << 10
	maxBytes   = 256 << 20
	maxRecords = 500_000
)

// Decoder reads returned debits: records as the debits had, with the reason in them. Where a bank writes it ReasonAt
// says, counted from 1; zero: it is the only pair of digits that stands alone where the form has blanks.
type Decoder struct{ ReasonAt int }

var _ exchange.Decoder = Decoder{}

// Decode implements exchange.Decoder.
func (d Decoder) Decode(r io.Reader, each func(exchange.Event) error) (exchange.Arrival, error) {
	rd := &reader{decoder: d, each: each, arrival: exchange.Arrival{Name: "ACB 180"}}
	lines := bufio.NewScanner(io.LimitReader(r, maxBytes))
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	lines.Split(tape.SplitLines)
	for lines.Scan() {
		if err := rd.line(lines.Text()); err != nil {
			return rd.arrival, err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return rd.arrival, unreadable("One of its lines is longer than %d kB.", maxLine>>10)
	}
	if lines.Err() != nil {
		return rd.arrival, fmt.Errorf("read the tape: %w", lines.Err())
	}
	return rd.arrival, rd.end()
}

// unreadable is why a file will never be read.
var unreadable = exchange.CannotRead

// reader is one reading of one tape.
type reader struct {
	decoder         Decoder
	each            func(exchange.Event) error
	arrival         exchange.Arrival
	records         int
	returned, plain int // transactions with a reason, and without one
	opened, closed  bool
	test            bool
	made            calendar.Date
	sum             struct{ debits, credits, cents, back, hash int64 } // of the user that is read
}

func (rd *reader) line(text string) error {
	text, test := tape.Unwrap(strings.TrimPrefix(text, "\ufeff"))
	rd.test = rd.test || test
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if rd.records++; rd.records > maxRecords {
		return unreadable("It has more than %d records.", maxRecords)
	}
	r := tape.Read(text)
	switch r.Kind() {
	case tape.FileHeader:
		rd.opened, rd.made = true, tape.Day(r.Get(tape.At(23, 6)))
		rd.arrival.ID = strings.TrimSpace(r.Get(tape.At(7, 8)))
	case tape.UserHeader:
		if made := tape.Day(r.Get(tape.At(7, 6))); !made.IsZero() {
			rd.made = made
		}
		rd.sum.debits, rd.sum.credits, rd.sum.cents, rd.sum.back, rd.sum.hash = 0, 0, 0, 0, 0
	case tape.Credit, tape.Debit:
		return rd.transaction(r)
	case tape.CreditContra, tape.DebitContra:
		rd.count(r)
	case tape.UserTrailer:
		return rd.trailer(r)
	case tape.FileTrailer:
		rd.closed = true
	default:
		return unreadable("Line %d is not a record of this form.", rd.records)
	}
	return nil
}

// count adds a record to the totals of its user. A contra is on the side of the money that it balances.
func (rd *reader) count(r tape.Record) {
	cents := tape.DigitsOf(r.Trimmed(tape.Amount))
	rd.sum.hash += r.Homing()
	if kind := r.Kind(); kind == tape.Debit || kind == tape.CreditContra {
		rd.sum.debits, rd.sum.cents = rd.sum.debits+1, rd.sum.cents+cents
	} else {
		rd.sum.credits, rd.sum.back = rd.sum.credits+1, rd.sum.back+cents
	}
}

// transaction is one debit or credit that came back.
func (rd *reader) transaction(r tape.Record) error {
	rd.count(r)
	code := rd.reason(r)
	if code == "" {
		rd.plain++ // a tape to the bank has no reasons at all
		return nil
	}
	rd.returned++
	cents := tape.DigitsOf(r.Trimmed(tape.Amount))
	on, by := rd.made, exchange.ByMessageDay
	if action := tape.Day(r.Get(tape.Action)); on.Before(action) { // nothing comes back before it ran
		on, by = action, exchange.ByValueDay
	}
	e := exchange.Event{Kind: exchange.OnEntry, Path: fmt.Sprintf("r%d", rd.records), Status: "BOOK", Reversal: true,
		Credit: r.Kind() == tape.Credit, HasAmount: cents > 0, AmountCents: cents, EntryCents: cents, Currency: "ZAR",
		Account: bank.AccountNumber(strings.TrimLeft(r.Trimmed(tape.Account), "0")), BookedOn: on, BookedBy: by,
		ValueOn: tape.Day(r.Get(tape.Action)), StatementLine: r.Get(tape.Reference), Told: exchange.ByNotification,
		Reasons: []exchange.Reason{{Code: code, Own: true}}, BankOwnCode: "ACB " + r.Kind(),
		Reference: r.Trimmed(tape.UserCode) + r.Trimmed(tape.Sequence),
		Text:      bank.MaskNumbers(strings.Join(strings.Fields(r.Get(tape.Reference)), " ")),
		Raw: fmt.Appendf(nil, "%s %s %s %d %s %s", r.Kind(), r.Get(tape.UserCode), r.Get(tape.Sequence), cents,
			r.Get(tape.Action), code)}
	if cents == 0 {
		e.Problem = fmt.Sprintf("The amount of record %d cannot be read.", rd.records)
	}
	return rd.each(e)
}

var alone = regexp.MustCompile(`(?:^|[^0-9])0?([0-9]{2})(?:[^0-9]|$)`)

// reason is the return code of a record: two digits; empty when it has none.
func (rd *reader) reason(r tape.Record) string {
	if at := rd.decoder.ReasonAt; at > 0 && at < tape.Length {
		code := string(r[at-1 : at+1])
		if strings.Trim(code, "0123456789") != "" || code == "00" {
			return ""
		}
		return code
	}
	for _, f := range []tape.Field{tape.End, tape.Last, tape.Filler} {
		if found := alone.FindAllStringSubmatch(r.Get(f), 2); len(found) == 1 && found[0][1] != "00" {
			return found[0][1]
		}
	}
	return ""
}

// trailer compares the totals of a user with what was read.
func (rd *reader) trailer(r tape.Record) error {
	said := func(f tape.Field) int64 { return tape.DigitsOf(r.Trimmed(f)) }
	var wrong []string
	if n := said(tape.DebitCount) + said(tape.CreditCount); n != rd.sum.debits+rd.sum.credits {
		wrong = append(wrong, fmt.Sprintf("it counts %s, and has %d", plural.Of(int(n), "record"),
			rd.sum.debits+rd.sum.credits))
	}
	if out, in := said(tape.DebitSum), said(tape.CreditSum); out != rd.sum.cents || in != rd.sum.back {
		wrong = append(wrong, fmt.Sprintf("it adds up to %s of debits and %s of credits, and has %s and %s",
			money.Format(out, "ZAR"), money.Format(in, "ZAR"), money.Format(rd.sum.cents, "ZAR"),
			money.Format(rd.sum.back, "ZAR")))
	}
	if said(tape.Hash) != tape.HashTotal(rd.sum.hash) {
		wrong = append(wrong, "the sum of its account numbers is another one")
	}
	if len(wrong) == 0 {
		return nil
	}
	return rd.each(exchange.Event{Kind: exchange.OnMore, Path: fmt.Sprintf("r%d", rd.records),
		Problem: "Its trailer does not agree with it: " + strings.Join(wrong, "; ") + "."})
}

// end tells whether the tape was an answer, and whole.
func (rd *reader) end() error {
	switch {
	case rd.opened && !rd.closed:
		return exchange.ErrUnfinished
	case rd.returned == 0 && rd.plain > 0:
		return unreadable("It is a tape of debits to the bank (ACB 180), not of returned ones: no record has a reason. If " +
			"your bank writes the reason elsewhere, say where in its profile (acb_reason_at).")
	case rd.returned == 0:
		return unreadable("It is a tape (ACB 180) without a returned debit.")
	}
	if rd.plain > 0 {
		err := rd.each(exchange.Event{Kind: exchange.OnMore, Path: "plain",
			Problem: plural.Of(rd.plain, "record") + " in it without a reason: not counted."})
		if err != nil {
			return err
		}
	}
	if rd.test {
		return rd.each(exchange.Event{Kind: exchange.OnMore, Path: "test", Problem: "The bank marks this file as a test."})
	}
	return nil
}

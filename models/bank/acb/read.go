package acb

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
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
		line, _ = unwrap(line)
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

// unwrap takes a line out of a bank's transmission; the lines that only frame it are empty. test tells that the
// transmission is marked as a test.
func unwrap(line string) (record string, test bool) {
	switch {
	case inFrame.MatchString(line) && !transaction.MatchString(line) && !user.MatchString(line):
		return line[wrapping:], line[wrapping-1] == 'T'
	case frame.MatchString(line):
		return "", line[wrapping-1] == 'T'
	default:
		return line, false
	}
}

// Decode implements exchange.Decoder.
func (d Decoder) Decode(r io.Reader, each func(exchange.Event) error) (exchange.Arrival, error) {
	rd := &reader{decoder: d, each: each, arrival: exchange.Arrival{Name: "ACB 180"}}
	lines := bufio.NewScanner(io.LimitReader(r, maxBytes))
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	lines.Split(splitLines)
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

// splitLines ends a line at CR, LF or both.
func splitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if at := bytes.IndexAny(data, "\r\n"); at >= 0 {
		return at + 1, data[:at], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
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
	text, test := unwrap(strings.TrimPrefix(text, "\ufeff"))
	rd.test = rd.test || test
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if rd.records++; rd.records > maxRecords {
		return unreadable("It has more than %d records.", maxRecords)
	}
	r := newRecord("")
	copy(r, strings.Map(func(c rune) rune { // a letter of another alphabet takes one place
		if c < ' ' || c > '~' {
			return ' '
		}
		return c
	}, text))
	switch r.kind() {
	case fileHeader:
		rd.opened, rd.made = true, dayIn(r.get(field{23, 6}))
		rd.arrival.ID = strings.TrimSpace(r.get(field{7, 8}))
	case userHeader:
		if made := dayIn(r.get(field{7, 6})); !made.IsZero() {
			rd.made = made
		}
		rd.sum.debits, rd.sum.credits, rd.sum.cents, rd.sum.back, rd.sum.hash = 0, 0, 0, 0, 0
	case credit, debit:
		return rd.transaction(r)
	case creditContra, debitContra:
		rd.count(r)
	case userTrailer:
		return rd.trailer(r)
	case fileTrailer:
		rd.closed = true
	default:
		return unreadable("Line %d is not a record of this form.", rd.records)
	}
	return nil
}

// count adds a record to the totals of its user. A contra is on the side of the money that it balances.
func (rd *reader) count(r record) {
	cents := digitsOf(r.trimmed(amountField))
	rd.sum.hash += r.homing()
	if kind := r.kind(); kind == debit || kind == creditContra {
		rd.sum.debits, rd.sum.cents = rd.sum.debits+1, rd.sum.cents+cents
	} else {
		rd.sum.credits, rd.sum.back = rd.sum.credits+1, rd.sum.back+cents
	}
}

// transaction is one debit or credit that came back.
func (rd *reader) transaction(r record) error {
	rd.count(r)
	code := rd.reason(r)
	if code == "" {
		rd.plain++ // a tape to the bank has no reasons at all
		return nil
	}
	rd.returned++
	cents := digitsOf(r.trimmed(amountField))
	on, by := rd.made, exchange.ByMessageDay
	if action := dayIn(r.get(actionField)); on.Before(action) { // nothing comes back before it ran
		on, by = action, exchange.ByValueDay
	}
	e := exchange.Event{Kind: exchange.OnEntry, Path: fmt.Sprintf("r%d", rd.records), Status: "BOOK", Reversal: true,
		Credit: r.kind() == credit, HasAmount: cents > 0, AmountCents: cents, EntryCents: cents, Currency: "ZAR",
		Account: bank.AccountNumber(strings.TrimLeft(r.trimmed(accountField), "0")), BookedOn: on, BookedBy: by,
		ValueOn: dayIn(r.get(actionField)), StatementLine: r.get(referenceField), Told: exchange.ByNotification,
		Reasons: []exchange.Reason{{Code: code, Own: true}}, BankOwnCode: "ACB " + r.kind(),
		Reference: r.trimmed(userCodeField) + r.trimmed(sequenceField),
		Text:      bank.MaskNumbers(strings.Join(strings.Fields(r.get(referenceField)), " ")),
		Raw: fmt.Appendf(nil, "%s %s %s %d %s %s", r.kind(), r.get(userCodeField), r.get(sequenceField), cents,
			r.get(actionField), code)}
	if cents == 0 {
		e.Problem = fmt.Sprintf("The amount of record %d cannot be read.", rd.records)
	}
	return rd.each(e)
}

var alone = regexp.MustCompile(`(?:^|[^0-9])0?([0-9]{2})(?:[^0-9]|$)`)

// reason is the return code of a record: two digits; empty when it has none.
func (rd *reader) reason(r record) string {
	if at := rd.decoder.ReasonAt; at > 0 && at < recordLength {
		code := string(r[at-1 : at+1])
		if strings.Trim(code, "0123456789") != "" || code == "00" {
			return ""
		}
		return code
	}
	for _, f := range []field{endField, lastField, fillerField} {
		if found := alone.FindAllStringSubmatch(r.get(f), 2); len(found) == 1 && found[0][1] != "00" {
			return found[0][1]
		}
	}
	return ""
}

// trailer compares the totals of a user with what was read.
func (rd *reader) trailer(r record) error {
	said := func(f field) int64 { return digitsOf(r.trimmed(f)) }
	var wrong []string
	if n := said(debitCount) + said(creditCount); n != rd.sum.debits+rd.sum.credits {
		wrong = append(wrong, fmt.Sprintf("it counts %s, and has %d", plural.Of(int(n), "record"),
			rd.sum.debits+rd.sum.credits))
	}
	if out, in := said(debitSum), said(creditSum); out != rd.sum.cents || in != rd.sum.back {
		wrong = append(wrong, fmt.Sprintf("it adds up to %s of debits and %s of credits, and has %s and %s",
			money.Format(out, "ZAR"), money.Format(in, "ZAR"), money.Format(rd.sum.cents, "ZAR"),
			money.Format(rd.sum.back, "ZAR")))
	}
	if said(hashField) != hashTotal(rd.sum.hash) {
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

// dayIn reads YYMMDD of this century; drafts have zeros.
func dayIn(text string) calendar.Date {
	if strings.Trim(text, "0123456789") != "" {
		return calendar.Date{}
	}
	d, err := calendar.ParseDate("20" + text[:2] + "-" + text[2:4] + "-" + text[4:])
	if err != nil {
		return calendar.Date{}
	}
	return d
}

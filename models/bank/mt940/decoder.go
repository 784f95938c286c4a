// Package mt940 reads customer statements in the form MT940 of SWIFT into the events of the exchange. It knows fields
// and lines; it must not know what follows from a movement.
package mt940

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

// What no honest statement comes near.
const (
	maxLine    = 4 << 10
	maxBytes   = 256 << 20
	maxEntries = 500_000
	maxWords   = 1_000 // characters of the text of a movement
)

// Decoder reads statements: one or many in a file, with the envelope of the network around each or without.
type Decoder struct{}

var _ exchange.Decoder = Decoder{}

// Is tells that a document begins as such a statement does.
func Is(head []byte) bool { return begins.Match(head) }

var begins = regexp.MustCompile(`^[\s\x{FEFF}]*(?:\{1:[^}]*\}(?:\{[23]:[^}]*\})*\{4:\s*)?:20:`)

// other is a message of another type in the envelope.
var other = regexp.MustCompile(`\{2:[IO]([0-9]{3})`)

// field is one field of a statement: its tag, and its lines.
type field struct {
	tag   string
	lines []string
}

var tagged = regexp.MustCompile(`^:([0-9]{2}[A-Z]?):(.*)$`)

// Decode implements exchange.Decoder.
func (Decoder) Decode(r io.Reader, each func(exchange.Event) error) (exchange.Arrival, error) {
	rd := &reader{each: each, arrival: exchange.Arrival{Name: "MT940"}}
	lines := bufio.NewScanner(io.LimitReader(r, maxBytes))
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	var open *field
	for lines.Scan() {
		line := clean(lines.Bytes())
		if kind := other.FindStringSubmatch(line); kind != nil && kind[1] != "940" {
			return rd.arrival, unreadable("It holds a message MT%s. Only MT940 is read.", kind[1])
		}
		if at := strings.LastIndex(line, "{4:"); at >= 0 {
			line = line[at+len("{4:"):]
		}
		switch m := tagged.FindStringSubmatch(line); {
		case m != nil:
			if err := rd.take(open); err != nil {
				return rd.arrival, err
			}
			open = &field{m[1], []string{m[2]}}
		case ends(line):
			if err := errors.Join(rd.take(open), rd.end()); err != nil {
				return rd.arrival, err
			}
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return rd.arrival, unreadable("One of its lines is longer than %d kB.", maxLine>>10)
	}
	if lines.Err() != nil {
		return rd.arrival, fmt.Errorf("read the statement: %w", lines.Err())
	}
	if err := errors.Join(rd.take(open), rd.end()); err != nil {
		return rd.arrival, err
	}
	if rd.statements == 0 {
		return rd.arrival, unreadable("It holds no statement.")
	}
	return rd.arrival, nil
}

// ends tells the end of a message.
func ends(line string) bool { return line == "-" || line == "-}" || strings.HasPrefix(line, "-}{") }

func clean(line []byte) string {
	text := strings.TrimRight(string(line), "\r\n")
	if !utf8.ValidString(text) {
		if latin, err := charmap.Windows1252.NewDecoder().String(text); err == nil {
			text = latin
		}
	}
	return strings.TrimPrefix(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' {
			return -1
		}
		return r
	}, text), "\ufeff")
}

// unreadable is why a file will never be read.
var unreadable = exchange.CannotRead

// reader is one reading of one file.
type reader struct {
	each       func(exchange.Event) error
	arrival    exchange.Arrival
	statements int
	entries    int
	open       bool // a statement has begun
	of         exchange.Event
	currency   string
	entry      *exchange.Event // the last movement, which waits for its text
	net        int64
	opening    *int64
	closing    *int64
	closedOn   calendar.Date
}

// take reads one field.
func (rd *reader) take(f *field) error {
	if f == nil {
		return nil
	}
	text := strings.TrimSpace(strings.Join(f.lines, "\n"))
	switch {
	case f.tag == "20":
		if err := rd.end(); err != nil {
			return err
		}
		rd.begin(text)
	case !rd.open:
	case f.tag == "25":
		rd.of.Account = bank.AccountNumber(accountIn(text))
	case f.tag == "28C" || f.tag == "28":
		number, _, _ := strings.Cut(text, "/")
		rd.of.Number = whole(number)
	case strings.HasPrefix(f.tag, "60"), strings.HasPrefix(f.tag, "62"):
		return rd.balance(f.tag, text)
	case f.tag == "61":
		return rd.movement(f.lines)
	case f.tag == "34F":
		return unreadable("It is a report during the day (MT942). Ask the bank for camt.052, or for statements.")
	case f.tag == "86":
		rd.words(f.lines)
	}
	return nil
}

func (rd *reader) begin(reference string) {
	rd.statements++
	*rd = reader{each: rd.each, arrival: rd.arrival, statements: rd.statements, entries: rd.entries, open: true,
		of: exchange.Event{StatementID: id(reference), Told: exchange.ByStatement}}
	if rd.statements == 1 {
		rd.arrival.ID = id(reference)
	}
}

// balance reads a balance. One between two parts of a statement is passed over: the statement goes on.
func (rd *reader) balance(tag, text string) error {
	if err := rd.flush(); err != nil {
		return err
	}
	e := rd.of
	e.Kind, e.Opening = exchange.OnBalance, strings.HasPrefix(tag, "60")
	e.Path = fmt.Sprintf("s%d.%s", rd.statements, strings.ToLower(tag))
	e.Raw = []byte(":" + tag + ":" + text)
	m := balanceForm.FindStringSubmatch(text)
	if m == nil {
		e.Problem = "A balance cannot be read."
		return rd.each(e)
	}
	rd.currency = m[3]
	e.Credit, e.Currency = m[1] == "C", m[3]
	e.BookedOn = day(m[2])
	e.AmountCents, e.HasAmount = cents(m[4])
	if !e.HasAmount || e.BookedOn.IsZero() {
		e.Problem = "The amount or the day of a balance cannot be read."
	}
	if strings.HasSuffix(tag, "M") {
		return nil
	}
	signed := e.SignedCents()
	if e.Opening {
		rd.opening = &signed
	} else {
		rd.closing, rd.closedOn = &signed, e.BookedOn
	}
	return rd.each(e)
}

// end says that a statement has ended, and whether it adds up.
func (rd *reader) end() error {
	if !rd.open {
		return nil
	}
	if err := rd.flush(); err != nil {
		return err
	}
	rd.open = false
	e := rd.of
	e.Kind, e.Path, e.Currency = exchange.OnStatement, fmt.Sprintf("s%d", rd.statements), rd.currency
	e.From, e.Until = rd.closedOn, rd.closedOn
	e.Raw = []byte(":20:" + e.StatementID)
	if rd.opening != nil && rd.closing != nil && *rd.opening+rd.net != *rd.closing {
		e.Problem = fmt.Sprintf("The opening balance and the entries give %s, but the closing balance is %s.",
			money.Format(*rd.opening+rd.net, rd.currency), money.Format(*rd.closing, rd.currency))
	}
	return rd.each(e)
}

// flush says the movement that waited for its text.
func (rd *reader) flush() error {
	e := rd.entry
	if e == nil {
		return nil
	}
	rd.entry = nil
	if e.HasAmount {
		rd.net += e.SignedCents()
	}
	return rd.each(*e)
}

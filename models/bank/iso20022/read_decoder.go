package iso20022

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

// maxEvents is more than a bank says in one document.
const maxEvents = 500_000

// Decoder reads the answers of a bank: status reports (pain.002), account reports, statements and notifications
// (camt.052, .053, .054), answers to mandate requests (pain.012) and to recalls (camt.029), of any version. It goes by
// the namespace, knows elements by their names whatever their prefix, and passes over those it does not know.
type Decoder struct{}

var _ exchange.Decoder = Decoder{}

// Decode reads one document as it streams in and calls each with every event. See exchange.Decoder.
func (Decoder) Decode(r io.Reader, each func(exchange.Event) error) (exchange.Arrival, error) {
	source, err := openSource(r)
	if err != nil {
		return exchange.Arrival{}, err
	}
	rd := &reader{scanner: newScanner(source), each: each}
	err = rd.document()
	return rd.arrival, rd.explain(err)
}

// reader is one reading of one document.
type reader struct {
	*scanner
	each      func(exchange.Event) error
	stopped   error // what each answered
	events    int
	passed    []string // why messages in it were passed over
	arrival   exchange.Arrival
	createdAt time.Time     // when the message that is read was made
	madeOn    calendar.Date // the day on which the message that is read was made, as it writes it
	read      int           // messages so far
	closed    bool          // the root element has ended
	seen      string        // the name of the root element
}

// form is one family of messages: the element that holds everything, and how it is read.
type form struct {
	holder string
	read   func(*reader) error
}

var forms = map[string]form{
	"pain.002": {"CstmrPmtStsRpt", (*reader).statusReport},
	"pain.012": {"MndtAccptncRpt", (*reader).mandateAnswers},
	"camt.029": {"RsltnOfInvstgtn", (*reader).recallAnswers},
	"camt.052": {"BkToCstmrAcctRpt", accounts("Rpt")},
	"camt.053": {"BkToCstmrStmt", accounts("Stmt")},
	"camt.054": {"BkToCstmrDbtCdtNtfctn", accounts("Ntfctn")},
}

var formName = regexp.MustCompile(`\b([a-z]{4}\.\d{3})\.\d{3}\.\d{2}\b`)

// document finds the message, within an envelope or alone, and reads it to the end.
func (rd *reader) document() error {
	for {
		token, err := rd.next()
		if errors.Is(err, io.EOF) && rd.closed {
			return rd.found()
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if rd.seen == "" {
				rd.seen = t.Name.Local
			}
			if err := rd.open(t); err != nil {
				return err
			}
		case xml.EndElement:
			rd.closed = rd.closed || rd.depth == 0
		}
	}
}

func (rd *reader) found() error {
	for n, why := range rd.passed {
		if rd.read == 0 {
			return unreadable("%s", why)
		}
		err := rd.say(exchange.Event{Kind: exchange.OnMore, Path: fmt.Sprintf("x%d", n+1), Problem: why})
		if err != nil {
			return err
		}
	}
	if rd.read == 0 {
		return unreadable("It holds no ISO 20022 message: its first element is ‘%s’.", clip(rd.seen, 40))
	}
	return nil
}

// open looks at an element on the way to the message.
func (rd *reader) open(start xml.StartElement) error {
	if name := formName.FindStringSubmatch(start.Name.Space); name != nil {
		return rd.message(name[1], name[0], start.Name.Local)
	}
	for family, f := range forms {
		if f.holder == start.Name.Local {
			return rd.message(family, family, start.Name.Local)
		}
	}
	return nil // an envelope, or a document that does not say what it is
}

// message reads the message that begins here.
func (rd *reader) message(family, name, element string) error {
	if family == "head.001" { // the header of an envelope
		return rd.skip()
	}
	f, known := forms[family]
	if !known {
		return rd.pass(name, family)
	}
	if element == f.holder {
		return rd.holder(f, name)
	}
	held := false
	err := rd.children(func(child string) error {
		if child != f.holder {
			return rd.skip()
		}
		held = true
		return rd.holder(f, name)
	})
	rd.closed = rd.closed || rd.depth == 0
	switch {
	case err != nil || held:
		return err
	case tooOld(name):
		return unreadable("It is a %s, a version that is too old to be read. Ask the bank for a newer one.", name)
	}
	return unreadable("It calls itself %s, but has no element ‘%s’.", name, f.holder)
}

// tooOld tells the first version of a form, whose elements have other names.
func tooOld(name string) bool { return strings.HasSuffix(name, ".01") || name == "pain.002.001.02" }

// pass passes over a message that is no answer. It is the reason why a document cannot be read when there is nothing
// else in it, and otherwise a problem of the document.
func (rd *reader) pass(name, family string) error {
	why := fmt.Sprintf("%s is not a kind of answer that is read here.", name)
	if ours[family] != "" {
		why = fmt.Sprintf("It is a message to the bank (%s, %s), not an answer.", name, ours[family])
	}
	if err := rd.skip(); err != nil {
		return err
	}
	rd.closed = rd.closed || rd.depth == 0
	rd.passed = append(rd.passed, why)
	return nil
}

// holder reads one message: its element has begun.
func (rd *reader) holder(f form, name string) error {
	if rd.read++; rd.read == 1 {
		rd.arrival.Name = name
	}
	rd.madeOn, rd.createdAt = calendar.Date{}, time.Time{}
	err := f.read(rd)
	rd.closed = rd.closed || rd.depth == 0
	return err
}

// ours are the messages that go to the bank.
var ours = map[string]string{"pain.001": "payments", "pain.008": "debits", "pain.009": "mandate requests",
	"pain.010": "mandate amendments", "pain.011": "mandate cancellations", "camt.055": "recalls",
	"pain.007": "reversals"}

// explain says what stopped the reading in the words of the port.
func (rd *reader) explain(err error) error {
	var refused *exchange.Unreadable
	var syntax *xml.SyntaxError
	switch {
	case err == nil:
		return nil
	case rd.stopped != nil:
		return rd.stopped
	case errors.As(err, &refused):
		return refused
	case rd.source.failed != nil:
		return fmt.Errorf("read the document: %w", rd.source.failed)
	case rd.source.ended && !rd.closed:
		return exchange.ErrUnfinished
	case errors.As(err, &syntax):
		return unreadable("It is not well-formed XML: line %d, %s.", syntax.Line, clip(syntax.Msg, 120))
	default:
		return unreadable("It is not well-formed XML: %s.", clip(err.Error(), 120))
	}
}

// header takes what the document says of itself.
func (rd *reader) header(n *node) {
	rd.made(n.id("MsgId"), n.words("CreDtTm"))
}

// made notes the id of a message and when it was made. The document is called by its first.
func (rd *reader) made(id, created string) {
	rd.madeOn = dayOf(created)
	rd.createdAt, _ = parseTime(created)
	if rd.read == 1 {
		rd.arrival.ID, rd.arrival.CreatedAt = id, rd.createdAt
	}
}

// say hands an event on. What the second message of a document says stands elsewhere than what the first does.
func (rd *reader) say(e exchange.Event) error {
	if rd.read > 1 {
		place := fmt.Sprintf("d%d.", rd.read)
		e.Path = place + e.Path
		if e.EntryPath != "" {
			e.EntryPath = place + e.EntryPath
		}
	}
	if rd.events++; rd.events > maxEvents {
		return unreadable("It says more than %d things.", maxEvents)
	}
	if e.At.IsZero() {
		e.At = rd.createdAt
	}
	if err := rd.each(e); err != nil {
		rd.stopped = err
		return err
	}
	return nil
}

// setTime takes the moment of an answer.
func setTime(e *exchange.Event, text string) {
	if text == "" {
		return
	}
	at, ok := parseTime(text)
	if !ok {
		complain(e, "‘%s’ is not a time.", quoted(text))
		return
	}
	e.At = at
}

// reasonsOf reads all reasons that stand in the children of a name.
func reasonsOf(n *node, name string) (list []exchange.Reason) {
	for _, r := range n.all(name) {
		reason := exchange.Reason{Code: clip(r.words("Rsn", "Cd"), 35), Text: maskedProse(r, "AddtlInf")}
		if own := r.words("Rsn", "Prtry"); reason.Code == "" && own != "" {
			reason.Code, reason.Own = clip(own, 35), true
		}
		if reason != (exchange.Reason{}) {
			list = append(list, reason)
		}
	}
	return list
}

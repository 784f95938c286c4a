package iso20022

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
)

// Dialect is how one bank wants its messages written: where ISO 20022 leaves a choice, this says which.
type Dialect struct {
	// Forms is in which message each kind is written, such as pain.008.001.08. A kind without one is not written.
	Forms map[exchange.Kind]string
	// PartyName and PartyID say who sends. Without a name it is the creditor.
	PartyName, PartyID string
	// CreditorBranch is the branch of creditors that name none.
	CreditorBranch string
	// BranchScheme is the code that says what a branch number is; empty: it is not said.
	BranchScheme string
	// AccountScheme is the code that says what an account number is; empty: it is not said.
	AccountScheme string
	// AccountTypes is what the payers' account types are called. CreditorAccountType is the merchant's.
	AccountTypes        map[bank.AccountType]string
	CreditorAccountType string
	// Services is what the methods are called. A method without an entry is not collected by.
	Services map[bank.Method]Service
	// Registered is what DebiCheck debits are called that can be disputed; empty: as all others.
	Registered Service
	// RefundService is what refunds are called.
	RefundService Service
	// UserCodeAt and AbbreviatedNameAt are where the two stand.
	UserCodeAt, AbbreviatedNameAt Place
	// StatementLineAt is where the text for the payer's statement stands: at Remittance or EndToEnd.
	StatementLineAt Place
	// EndToEnd is what the end-to-end id is.
	EndToEnd EndToEnd
	// UETR adds a unique reference to debits and refunds. BatchBooking asks for one entry for each group.
	UETR, BatchBooking bool
	// Offset writes the creation time with +02:00 instead of as plain local time.
	Offset bool
	// NameLength is where names are cut.
	NameLength int
	// Channels is what the ways of asking a payer are called: DELAYED, FALLBACK.
	Channels map[string]string
	// RecallReason and CancelReason are the codes of a recall and of a mandate's cancellation.
	RecallReason, CancelReason string
}

// Service is what one method is called. A value is the bank's own name; "Cd:" before it makes it an ISO code.
type Service struct{ LocalInstrument, ServiceLevel string }

// Place is an element in which something is written.
type Place string

// The places.
const (
	Nowhere        Place = "none"
	CreditorScheme Place = "CdtrSchmeId" //nolint:gosec // no secret, an element
	Initiator      Place = "InitgPty"
	CreditorID     Place = "Cdtr"
	Remittance     Place = "Ustrd"
	EndToEndID     Place = "EndToEndId"
)

// EndToEnd is what the end-to-end id of an item is.
type EndToEnd string

// What it may be.
const (
	ByID       EndToEnd = "uuid32"         // our id, as 32 hexadecimal digits
	ByLine     EndToEnd = "statement_line" // the text on the payer's statement
	ByPosition EndToEnd = "sequence"       // the group's id and a number of six digits
)

// The elements that hold a kind's whole message, by its form.
var roots = map[string]string{"pain.008": "CstmrDrctDbtInitn", "pain.001": "CstmrCdtTrfInitn",
	"pain.009": "MndtInitnReq", "pain.011": "MndtCxlReq", "camt.055": "CstmrPmtCxlReq", "pain.007": "CstmrPmtRvsl"}

var written = map[exchange.Kind][]string{
	exchange.Debits: {"pain.008.001.02", "pain.008.001.08", "pain.008.001.09", "pain.008.001.10",
		"pain.008.001.11"},
	exchange.Refunds: {"pain.001.001.03", "pain.001.001.09", "pain.001.001.10", "pain.001.001.11",
		"pain.001.001.12"},
	exchange.Mandates:      {"pain.009.001.05", "pain.009.001.07", "pain.009.001.08"},
	exchange.Cancellations: {"pain.011.001.05", "pain.011.001.07", "pain.011.001.08"},
	exchange.Recalls:       {"camt.055.001.09", "pain.007.001.10"},
}

// Forms lists the messages in which a kind can be written, the oldest first.
func Forms(k exchange.Kind) []string { return slices.Clone(written[k]) }

// Old tells that a form comes from before 2019: it knows no UETR, no tracking days and no date with a choice.
func Old(form string) bool { return form == "pain.008.001.02" || form == "pain.001.001.03" }

// CancellationOf is the message that cancels mandates which were asked for in a form: the versions go together.
func CancellationOf(request string) string {
	return strings.Replace(request, "pain.009.", "pain.011.", 1)
}

// Reverses tells that a form recalls debits as reversals: one message is about the debits of one earlier message.
func Reverses(form string) bool { return strings.HasPrefix(form, "pain.007.") }

// Encoder writes messages in one bank's dialect.
type Encoder struct{ d Dialect }

// NewEncoder makes one.
func NewEncoder(d Dialect) *Encoder {
	if d.StatementLineAt == EndToEndID {
		d.EndToEnd = ByLine
	}
	return &Encoder{d}
}

// Name is the form in which a kind is written; empty when the bank does not take it.
func (e *Encoder) Name(k exchange.Kind) string { return e.d.Forms[k] }

// Encode writes a message. It says what is wrong before it writes the first byte.
func (e *Encoder) Encode(w io.Writer, m exchange.Outgoing) error {
	if err := e.agrees(m); err != nil {
		return err
	}
	d := newDocument(w, m.Name)
	_, _ = d.out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<Document xmlns="` + space + m.Name + `">`)
	d.block(roots[m.Name[:len("pain.008")]], func() {
		switch m.Kind {
		case exchange.Debits:
			e.debits(d, m)
		case exchange.Refunds:
			e.refunds(d, m)
		case exchange.Mandates:
			e.mandates(d, m)
		case exchange.Cancellations:
			e.cancellations(d, m)
		case exchange.Recalls:
			if Reverses(m.Name) {
				e.reversals(d, m)
			} else {
				e.recalls(d, m)
			}
		}
	})
	_, _ = d.out.WriteString("\n</Document>\n")
	if err := d.out.Flush(); err != nil {
		return fmt.Errorf("write message %s: %w", m.ID, err)
	}
	if err := d.allowed.err(); err != nil {
		return fmt.Errorf("write message %s: %w", m.ID, err)
	}
	return nil
}

// agrees tells whether a message can be written: its form, its orders, its counts and sums.
func (e *Encoder) agrees(m exchange.Outgoing) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("message %s cannot be written: "+format, append([]any{m.ID}, args...)...)
	}
	if !slices.Contains(written[m.Kind], m.Name) {
		return bad("%s are not written as %q", m.Kind, m.Name)
	}
	if why := identifier(m.ID); why != "" {
		return bad("its id %s", why)
	}
	if Reverses(m.Name) && len(byMessage(m)) > 1 {
		return bad("it recalls debits of %d messages, and %s names one alone", len(byMessage(m)), m.Name)
	}
	count, sum := 0, int64(0)
	for _, g := range m.Groups {
		if why := identifier(g.ID); why != "" {
			return bad("the id of group %q %s", g.ID, why)
		}
		cents := int64(0)
		for _, i := range g.Items {
			if kindOf(i.Order) != m.Kind {
				return bad("item %s is not one of the %s", i.ID, m.Kind)
			}
			if why := e.checkAs(m.Name, i.Order); why != "" {
				return bad("item %s: %s", i.ID, why)
			}
			cents += centsOf(i.Order)
		}
		if len(g.Items) != g.Count || cents != g.SumCents {
			return bad("group %s has %d items of %s, not %d of %s", g.ID, len(g.Items), decimal(cents), g.Count,
				decimal(g.SumCents))
		}
		count, sum = count+g.Count, sum+g.SumCents
	}
	if count != m.Count || sum != m.SumCents || count == 0 {
		return bad("its groups have %d items of %s, not %d of %s", count, decimal(sum), m.Count, decimal(m.SumCents))
	}
	return nil
}

func kindOf(o exchange.Order) exchange.Kind {
	switch {
	case o.Debit != nil:
		return exchange.Debits
	case o.Refund != nil:
		return exchange.Refunds
	case o.Request != nil:
		return exchange.Mandates
	case o.Recall != nil:
		return exchange.Recalls
	case o.Cancel != nil:
		return exchange.Cancellations
	default:
		return ""
	}
}

// centsOf is what an order adds to the sum: mandates and their cancellations move no money.
func centsOf(o exchange.Order) int64 {
	switch {
	case o.Debit != nil:
		return o.Debit.AmountCents
	case o.Refund != nil:
		return o.Refund.AmountCents
	case o.Recall != nil:
		return o.Recall.AmountCents
	default:
		return 0
	}
}

// coded splits a value of the dialect into the element of the choice and its text.
func coded(value, otherwise string) (tag, text string) {
	for _, tag := range []string{"Cd", "Prtry"} {
		if text, is := strings.CutPrefix(value, tag+":"); is {
			return tag, text
		}
	}
	return otherwise, value
}

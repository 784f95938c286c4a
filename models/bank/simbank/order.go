package simbank

import (
	"time"

	"debitdesk/models/calendar"
)

// kind is what one order asks.
type kind string

const (
	debit        kind = "debit"
	refund       kind = "refund"
	request      kind = "mandate"
	recall       kind = "recall"
	cancellation kind = "cancellation"
)

// order is one item of a message: what it asks and, once judged, what will become of it.
type order struct {
	Kind         kind          `json:"kind"`
	Group        string        `json:"group,omitempty"`
	ID           string        `json:"id,omitempty"` // InstrId, MndtReqId or CxlId
	EndToEnd     string        `json:"end_to_end,omitempty"`
	Of           string        `json:"of,omitempty"` // the id that a recall or a cancellation is about
	Cents        int64         `json:"cents,omitempty"`
	Currency     string        `json:"currency,omitempty"`
	Day          calendar.Date `json:"day,omitzero"`
	Creditor     string        `json:"creditor,omitempty"` // the merchant's account
	CreditorName string        `json:"creditor_name,omitempty"`
	Account      string        `json:"account,omitempty"` // the payer's
	Branch       string        `json:"branch,omitempty"`
	Holder       string        `json:"holder,omitempty"`
	Mandate      string        `json:"mandate,omitempty"`
	Line         string        `json:"line,omitempty"`
	Service      string        `json:"service,omitempty"`
	Tracking     int           `json:"tracking,omitempty"`
	Single       bool          `json:"single,omitempty"` // booked alone, not with its group

	Refused *reason   `json:"refused,omitempty"`
	Plan    []event   `json:"plan,omitempty"`
	Done    bool      `json:"done,omitempty"`   // of a recall: it was in time
	Target  int       `json:"target,omitempty"` // of a recall or cancellation: the number of the order that it ends
	ended   time.Time // nothing of the plan happens from then on
	in      string    // of a reversal: the message of the debit
	group   int       // while it is judged: which group of its message, from 1
	number  int       // from 1, over all messages
	file    *file
}

// event is one thing that becomes of an order at a moment.
type event struct {
	At      time.Time `json:"at"`
	Book    int       `json:"book,omitempty"`   // 1: the merchant's account is credited; -1: debited
	Status  string    `json:"status,omitempty"` // reported in a pain.002
	Notify  bool      `json:"notify,omitempty"` // reported in a camt.054
	Answer  string    `json:"answer,omitempty"` // of the payer to a mandate request, in a pain.012
	Code    *reason   `json:"code,omitempty"`
	Mandate string    `json:"mandate,omitempty"` // the bank's mandate reference
}

// The payer's answers.
const (
	yes = "accepted"
	no  = "rejected"
)

// happens tells whether an event of the order takes place by now.
func (o *order) happens(e event, now time.Time) bool {
	return !e.At.After(now) && (o.ended.IsZero() || e.At.Before(o.ended))
}

// file is one message that the bank has taken.
type file struct {
	Number  int       `json:"number"`
	Name    string    `json:"name"` // of the file
	SHA256  string    `json:"sha256"`
	At      time.Time `json:"at"`
	Message string    `json:"message"` // such as pain.008.001.08
	ID      string    `json:"id"`
	Created string    `json:"created,omitempty"`
	Count   int       `json:"count"` // as found, not as said
	Cents   int64     `json:"cents"`
	Refused *reason   `json:"refused,omitempty"`
	Silent  bool      `json:"silent,omitempty"` // taken and run, and never answered
	Groups  []group   `json:"groups,omitempty"`
	Orders  []*order  `json:"orders,omitempty"`
}

// group is a part of a message with one account and day.
type group struct {
	ID      string  `json:"id"`
	Count   int     `json:"count"`
	Cents   int64   `json:"cents"`
	Refused *reason `json:"refused,omitempty"`
}

// Package statement knows the files that say how money moved: who asks for one, how
// it is made in the background, and that its sums close. It must not know how a
// file is written, nor SQL.
package statement

import (
	"io"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/money"
	"debitdesk/models/report"
)

// Status is where a statement stands. Only pending and running ones move.
type Status string

// The statuses (ours).
const (
	Pending   Status = "pending"
	Running   Status = "running"
	Finished  Status = "finished"
	Cancelled Status = "cancelled"
	Failed    Status = "error"
)

// Open tells that it may still change.
func (s Status) Open() bool { return s == Pending || s == Running }

// Format is the kind of file.
type Format string

// The formats of the contract.
const (
	CSV  Format = "csv"
	XLSX Format = "xlsx"
)

// Statement is one file that was asked for.
type Statement struct {
	ID, MerchantID       uuid.UUID
	IsTest               bool
	Format               Format
	Timezone             string        // IANA; moments in the file are told in it
	Query                string        // as it stood in the address
	Filter               report.Filter `gorm:"serializer:json"`
	Status               Status
	Note                 string // why it ended in error, for a person
	Rows                 int64  // movements in the file
	BeganAt, FinishedAt  time.Time
	CreatedAt, UpdatedAt time.Time
}

// Line is one movement as a statement shows it.
type Line struct {
	At          time.Time
	Kind        string // of the ledger: collected, returned, disputed, dispute_won, refunded, paid_by_hand
	PurchaseID  uuid.UUID
	Reference   string
	Payer       string
	Account     string // masked; empty for money that came by hand
	Method      string
	Code        string // the bank's
	AmountCents int64  // positive: to the merchant
}

// Sums are what a statement opens and closes with, in cents.
type Sums struct {
	OpeningCents, InCents, OutCents, ClosingCents money.Sum // OutCents is not negative
	Rows                                          int64
}

// Book is the ledger as it stood at one moment.
type Book struct {
	Sums Sums // by the database, on their own
	// Each gives the movements, oldest first.
	Each func(fn func(Line) error) error
}

// Paper writes one file; the closing line comes with Close.
type Paper interface {
	Open(s Statement, opening money.Sum) error
	Line(l Line, balance money.Sum) error
	Close(sums Sums) error
	Release()
}

// NewPaper begins a file that is written to w.
type NewPaper func(w io.Writer) Paper

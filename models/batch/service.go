package batch

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// Day is a calendar date.
type Day = calendar.Date

// Ref names a batch.
type Ref struct{ MerchantID, ID uuid.UUID }

// RowQuery says which rows are read, in the order of the file.
type RowQuery struct {
	States       []RowState
	Cause        string // of bad rows; empty: any
	Warned       bool   // only those with a warning
	Unusual      bool   // only those with an unusual amount that nobody has ticked yet
	Disputable   bool   // only those whose debit the client could dispute
	Since        int    // only those that changed in this revision or later; 0: all
	ChargeWanted bool   // only those whose debit is still to be planned
	After        int
	Limit        int
}

// DueTotal is what falls due on one day: invoices and cents.
type DueTotal struct {
	Due   Day
	Rows  int
	Cents int64
}

// DebitTotal is what is debited on one day by one method.
type DebitTotal struct {
	Method     string
	Date       Day
	Rows       int
	Cents      int64
	Disputable int // of Rows
}

// Changed is what else happens, in the transaction of a change, to what belongs to a batch.
type Changed func(*database.Tx, actor.Actor, Batch) error

// Service holds the use cases of batches.
type Service struct {
	Store     Store
	Billing   *billing.Service
	Purchases *purchase.Service
	Clients   *client.Service
	Timetable collection.Timetable
	Now       func() time.Time
	// Approvals gives what ends the open request for a second approver when a batch is not any more what the request is
	// about; nil: nobody is ever asked.
	Approvals func(ctx context.Context, merchantID, batchID uuid.UUID) (Changed, error)
	// Failed hears of rows that could not be made for a reason of ours; nil hears nothing.
	Failed func(ctx context.Context, b Ref, row int, err error)
	taken  func(rows int) // hears how many rows a worker takes up; nil but in tests
}

// Get finds a batch.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	if err := who.May(actor.Read); err != nil {
		return Batch{}, err
	}
	return s.Store.Batch(ctx, who.MerchantID, id)
}

// List gives one page of batches, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Batch], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Batch]{}, err
	}
	return s.Store.list(ctx, who.MerchantID, f, ask)
}

// Rows gives rows of a batch in the order of the file, their cells masked.
func (s *Service) Rows(ctx context.Context, who actor.Actor, id uuid.UUID, q RowQuery) ([]Row, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	b, err := s.Store.Batch(ctx, who.MerchantID, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.rows(ctx, who.MerchantID, id, q)
	for i := range rows {
		rows[i].Cells = b.Mapping.mask(rows[i].Cells)
	}
	return rows, err
}

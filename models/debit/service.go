// Package debit runs the debits: it hands them to the bank, turns what is due
// and applies the bank's answers. It must not know a particular bank or who asked.
package debit

import (
	"context"
	"sync"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// Service runs the debits of all merchants. Every method may be repeated, may run
// in several processes at once, and may be ended at any moment.
type Service struct {
	InTx      func(context.Context, func(*database.Tx) error) error
	Store     Store
	Bank      bank.Gateway
	Purchases *purchase.Service
	Now       func() time.Time
	Timetable collection.Timetable
	Limits    mandate.Limits
	Chunk     int // records in one transaction; 0: 500
	// FinishDeletions ends the deletions of stored accounts whose time is over, and tells how many; nil: there are none.
	FinishDeletions func(context.Context) (int, error)
	// Expire ends requests for a second person that nobody answered, and tells how
	// many; nil: there are none.
	Expire func(context.Context) (int, error)
	// Failed hears, in the transaction that books them, of the debits that failed or were disputed; nil: nothing does.
	Failed func(tx *database.Tx, failed []collection.Collection)

	answering sync.Mutex // who takes the bank's answers: all would be given the same
}

const defaultChunk = 500

func (s *Service) chunk() int {
	if s.Chunk > 0 {
		return s.Chunk
	}
	return defaultChunk
}

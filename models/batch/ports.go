package batch

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/rulebook"
	"debitdesk/models/token"
)

// Day is a calendar date.
type Day = calendar.Date

// Tx is what the use cases of batches write, all in one transaction. Who holds a batch's lock is alone with its rows.
type Tx interface {
	// Context is what reads inside this transaction are given: they go by its connection.
	Context() context.Context
	// Unit is the unit of work itself, for the rows of other concepts.
	Unit() *database.Tx
	audit.Log
	Now() time.Time
	NewID() uuid.UUID
	Enqueue(queue.Job)
	Answered(result any) error
	InsertMail(m mail.Mail)

	InsertBatch(b Batch)
	// AddRows writes rows as they were read, many at a time.
	AddRows(b Batch, rows []Row) error
	// LockBatch reads a batch and keeps others from working on it; NotFound otherwise.
	LockBatch(merchantID, id uuid.UUID) (Batch, error)
	// FreeBatch lets the next worker claim a batch.
	FreeBatch(b Batch)
	// ClaimBatch keeps workers away from a batch for as long as a claim lasts.
	ClaimBatch(b Batch)
	// SaveBatch counts the rows and writes the batch; b gets the counts.
	SaveBatch(b *Batch) error
	// RowsIn reads rows in one of the states whose number is above after, in order.
	RowsIn(b Batch, states []RowState, after, limit int) ([]Row, error)
	// RowAt reads one row; NotFound when there is none.
	RowAt(b Batch, n int) (Row, error)
	// RowsAt reads rows by their numbers, in order.
	RowsAt(b Batch, numbers []int) ([]Row, error)
	// KeepMend keeps a change with the rows before it, DropMend forgets one, DropMends all of a batch.
	KeepMend(m Mend)
	DropMend(m Mend)
	DropMends(b Batch)
	// DeleteBatch deletes a draft with its rows.
	DeleteBatch(b Batch)
	// SaveRows writes what became of rows; cells too when withCells.
	SaveRows(b Batch, rows []Row, withCells bool) error
	// SaveCharges writes what became of the charges of rows, and nothing else.
	SaveCharges(b Batch, rows []Row) error
	// DropCharges gives up the debits that are still to be planned.
	DropCharges(b Batch, why string)
	// MoveRows takes all rows in the states from to another; only those numbered, when any are. It tells how many.
	MoveRows(b Batch, from []RowState, to RowState, why string, numbered []int) (int, error)
	// ForgetDecisions forgets who is billed by rows that nothing has become of yet, and what was ticked.
	ForgetDecisions(b Batch)
	// Confirm notes that an unusual amount is right, where it still is that amount. It tells of how many rows.
	Confirm(b Batch, amounts map[int]int64) (int, error)
	// Warn finds ready rows that a person should look at.
	Warn(b Batch, since time.Time) error
	// RememberMapping keeps a mapping for the next file with the same heading.
	RememberMapping(b Batch) error
	// MarkUnusual notes ready rows whose amount is far from what is usual; only those numbered, when any are.
	MarkUnusual(b Batch, numbered []int) error
}

// Keys name clients.
type Keys struct {
	IDs        []uuid.UUID
	Emails     []string
	Identities []bank.IDNumber
}

// Reader finds batches. Everything is bounded by the merchant; unknown ids and those of others are NotFound.
type Reader interface {
	// OwnRules are the stricter values that a merchant chose.
	OwnRules(ctx context.Context, merchantID uuid.UUID) ([]rulebook.Own, error)
	Batch(ctx context.Context, merchantID, id uuid.UUID) (Batch, error)
	Batches(ctx context.Context, merchantID uuid.UUID, f Filter, ask paging.Ask) (paging.Page[Batch], error)
	// BatchRows reads rows in the states (all when none) whose number is above after.
	BatchRows(ctx context.Context, merchantID, id uuid.UUID, q RowQuery) ([]Row, error)
	// Causes counts bad rows by what is wrong.
	Causes(ctx context.Context, merchantID, id uuid.UUID) (map[string]int, error)
	// MatchClients finds live clients by id, e-mail address (any case) or identity number.
	MatchClients(ctx context.Context, merchantID uuid.UUID, by Keys) ([]client.Client, error)
	// MadeBy tells which of the clients a batch has made.
	MadeBy(ctx context.Context, b Batch, clients []uuid.UUID) (map[uuid.UUID]bool, error)
	// RowsOfPerson numbers the bad and ready rows that name the same person as a row.
	RowsOfPerson(ctx context.Context, b Batch, n int) ([]int, error)
	// RowsDebiting reads the ready rows that debit one of the accounts, in order.
	RowsDebiting(ctx context.Context, merchantID, id uuid.UUID, tokens []uuid.UUID) ([]Row, error)
	// Digest is a short name for a text, which only this installation can make. It reads nothing.
	Digest(merchantID uuid.UUID, text string) []byte
	// DebitTotals adds up the debits of ready rows by method and debit date.
	DebitTotals(ctx context.Context, merchantID, id uuid.UUID) ([]DebitTotal, error)
	// PlannedDebits adds up the debits that were planned for sent rows, by method and debit date.
	PlannedDebits(ctx context.Context, merchantID, id uuid.UUID) ([]DebitTotal, error)
	// Mends lists changes of a draft that can be undone, the newest first, without the rows before them.
	Mends(ctx context.Context, merchantID, id uuid.UUID) ([]Mend, error)
	// Mend finds one of them with the rows before it; NotFound when there is none.
	Mend(ctx context.Context, merchantID, batchID, id uuid.UUID) (Mend, error)
	// NewClients lists who would be made of ready rows, each once.
	NewClients(ctx context.Context, merchantID, id uuid.UUID, limit int) ([]Row, error)
	// DueTotals adds up ready rows by their due date.
	DueTotals(ctx context.Context, merchantID, id uuid.UUID) ([]DueTotal, error)
	// Voidable adds up the sent rows whose purchases have one of the statuses; those whose debit the bank has only where
	// it can be recalled.
	Voidable(ctx context.Context, merchantID, id uuid.UUID, statuses []purchase.Status, recalls bool) (Voidable, error)
	// SentBefore finds another batch with the same content that was sent; NotFound when there is none.
	SentBefore(ctx context.Context, b Batch) (Batch, error)
	// LastLike is the newest of some batches of the brand that billed at least half of the known clients of a draft;
	// NotFound when there is none.
	LastLike(ctx context.Context, b Batch, among int) (Batch, error)
	// Unlike compares a draft with a batch, and names so many differences of each kind.
	Unlike(ctx context.Context, b Batch, last uuid.UUID, limit int) (Likeness, error)
	// MappingFor finds what was chosen for a heading before.
	MappingFor(ctx context.Context, merchantID uuid.UUID, headerHash []byte) (Mapping, bool, error)
	// BatchesAtWork names batches that have work and whose last claim is over.
	BatchesAtWork(ctx context.Context, lasts time.Duration) ([]Ref, error)
	// ClaimBatch claims a batch that has work for one worker: when the last claim is the one held, or is over. Claims run
	// in real time and are named by their moment.
	ClaimBatch(ctx context.Context, ref Ref, held time.Time, lasts time.Duration) (at time.Time, mine bool, err error)
	// LeaveBatch gives back the claim that is held, if it still is the last one.
	LeaveBatch(ctx context.Context, ref Ref, held time.Time) error
	// BatchRef finds the merchant of a batch, for the work that goes on by itself.
	BatchRef(ctx context.Context, id uuid.UUID) (Ref, error)
	// TakeNumbers reserves n numbers of a brand's counter and gives the first.
	TakeNumbers(ctx context.Context, brandID uuid.UUID, name string, n int) (first int64, err error)
	// Demands gives what the merchant wants a second person for.
	Demands(ctx context.Context, merchantID uuid.UUID) (merchant.Demands, error)
	// TokensOfClients lists the live tokens of clients, the newest of each first.
	TokensOfClients(ctx context.Context, merchantID uuid.UUID, clients []uuid.UUID) (map[uuid.UUID][]token.Token, error)
	Brand(ctx context.Context, merchantID, brandID uuid.UUID) (merchant.Brand, error)
	Brands(ctx context.Context, merchantID uuid.UUID) ([]merchant.Brand, error)
}

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
type Changed func(Tx, actor.Actor, Batch) error

// Service holds the use cases of batches.
type Service struct {
	InTx      func(context.Context, func(Tx) error) error
	Read      Reader
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
}

// Get finds a batch.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	if err := who.May(actor.Read); err != nil {
		return Batch{}, err
	}
	return s.Read.Batch(ctx, who.MerchantID, id)
}

// List gives one page of batches, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Batch], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Batch]{}, err
	}
	return s.Read.Batches(ctx, who.MerchantID, f, ask)
}

// Rows gives rows of a batch in the order of the file, their cells masked.
func (s *Service) Rows(ctx context.Context, who actor.Actor, id uuid.UUID, q RowQuery) ([]Row, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	b, err := s.Read.Batch(ctx, who.MerchantID, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.Read.BatchRows(ctx, who.MerchantID, id, q)
	for i := range rows {
		rows[i].Cells = b.Mapping.mask(rows[i].Cells)
	}
	return rows, err
}

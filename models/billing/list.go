package billing

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/facet"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// State is how an invoice stands, as the list sorts them.
type State string

// The states of an invoice. Each invoice is in one of those that a status decides. What was credited and what could not
// be mailed is told beside them: something was taken back; the newest mail with the invoice was given up.
const (
	Sent       State = "sent"
	Viewed     State = "viewed"
	Scheduled  State = "scheduled"
	Overdue    State = "overdue"
	Paid       State = "paid"
	Disputed   State = "disputed"
	Closed     State = "closed"
	CreditedAs State = "credited"
	MailFailed State = "mail_failed"
)

// Parts are the states that all invoices divide into, in the order a merchant thinks of them; States are all.
var (
	Parts  = []State{Sent, Viewed, Scheduled, Overdue, Paid, Disputed, Closed}
	States = append(slices.Clone(Parts), CreditedAs, MailFailed)
)

// Statuses are those of the purchases behind a state; nil where others decide.
func (s State) Statuses() []purchase.Status {
	switch s {
	case Sent:
		return []purchase.Status{purchase.Created, purchase.Sent}
	case Viewed:
		return []purchase.Status{purchase.Viewed}
	case Scheduled:
		return []purchase.Status{purchase.PendingCharge, purchase.PendingExecute}
	case Overdue:
		return purchase.Late
	case Paid:
		return []purchase.Status{purchase.Paid, purchase.PendingRefund, purchase.Refunded, purchase.Cleared,
			purchase.Settled, purchase.Preauthorized, purchase.PendingCapture, purchase.Hold}
	case Disputed:
		return []purchase.Status{purchase.Chargeback}
	case Closed:
		return []purchase.Status{purchase.Cancelled, purchase.Expired, purchase.Blocked, purchase.PendingRelease,
			purchase.Released}
	case CreditedAs, MailFailed:
	}
	return nil
}

// Filter narrows the list of invoices; its zero value takes all.
type Filter struct {
	State          State     // empty: all
	BatchID        uuid.UUID // sent by it
	Search         string
	DueFrom, DueTo time.Time // both inclusive; zero: open
	MinCents       int64
	MaxCents       int64     // 0: open
	TemplateID     uuid.UUID // made after it
	Facets         facet.Filter
}

// Entry is an invoice in a list, with what became of it.
type Entry struct {
	Invoice
	Status        purchase.Status
	Payer         string // name, as the purchase has it now
	Email         string
	Due           time.Time
	DueGiven      bool
	CreditNote    string // the numbers of its credit notes; empty: none
	CreditedCents int64  // what they take back
	MailState     string // of the newest mail with the invoice; empty: none was queued
	MailError     string
	MailTo        string
}

// TakenBack tells that nothing is left of the invoice.
func (e Entry) TakenBack() bool { return e.CreditNote != "" && e.CreditedCents >= e.TotalCents }

// Sorts are the orders of the list of invoices. When one is due, and for whom it is, its purchase says.
var Sorts = paging.Sorts{"number": 0, "amount": 0, "due": sortedJoined, "client": sortedJoined}

// sortedJoined is how many invoices are sorted by what stands elsewhere.
const sortedJoined = 2_500

// List gives a page of invoices, newest purchase first; pages lie beside purchases.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Entry], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Entry]{}, err
	}
	return s.Store.page(ctx, who.MerchantID, f, ask)
}

// CountLimit is where counts stop: above it a page says "more than". Each invoice is
// counted by the status of its purchase.
const CountLimit = 1000

// Counts gives the number of invoices by state, and of all under the empty state.
// Counting stops at CountLimit + 1 in all; nothing is known where a search finds too much.
func (s *Service) Counts(ctx context.Context, who actor.Actor, f Filter) (map[State]int64, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.counts(ctx, who.MerchantID, f, CountLimit+1)
}

// Sum is what invoices of one currency come to.
type Sum struct {
	Currency string
	N        int64
	Cents    money.Sum
}

// Sum is what all invoices of a filter come to, which are n by their count; false where they are too many to be
// summed, or of several currencies.
func (s *Service) Sum(ctx context.Context, who actor.Actor, f Filter, n int64) (Sum, bool, error) {
	if err := who.May(actor.Read); err != nil {
		return Sum{}, false, err
	}
	sums, err := s.Store.sums(ctx, who.MerchantID, f, CountLimit+1)
	if err != nil || len(sums) != 1 || sums[0].N != n {
		return Sum{}, false, err
	}
	return sums[0], true, nil
}

// Several finds the invoices of those of some purchases that have one, in no order.
func (s *Service) Several(ctx context.Context, who actor.Actor, purchaseIDs []uuid.UUID) ([]Entry, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.entries(ctx, who.MerchantID, purchaseIDs)
}

// Entry gives the invoice of one purchase with what became of it; NotFound when it
// has none.
func (s *Service) Entry(ctx context.Context, who actor.Actor, purchaseID uuid.UUID) (Entry, error) {
	if err := who.May(actor.Read); err != nil {
		return Entry{}, err
	}
	return s.Store.entry(ctx, who.MerchantID, purchaseID)
}

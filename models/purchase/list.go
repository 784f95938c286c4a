package purchase

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/collection"
	"debitdesk/models/facet"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/paging"
)

// Filter narrows the list of purchases; its zero value takes all.
type Filter struct {
	Statuses       []Status
	ClientID       uuid.UUID
	TokenID        uuid.UUID // charged with it
	TemplateID     uuid.UUID // made after it
	SubscriberID   uuid.UUID // of its periods
	BatchID        uuid.UUID // made by it
	DueFrom, DueTo time.Time // both inclusive; zero: open
	MinCents       int64
	MaxCents       int64 // 0: open
	Search         string
	Reference      string // exactly, given or generated; Besides Search, which leads to it
	Kind           Kind
	Concern        Concern   // why it waits for somebody; empty: does not matter
	FailedSince    time.Time // with FailedDebit: the bank's answer came at or after it; zero: open
	Facets         facet.Filter
}

// Kind tells purchases with an amount from those that only store an account or ask for a mandate, whose amount is zero.
// The zero value takes both.
type Kind string

// The kinds.
const (
	WithAmount  Kind = "amount"
	OnlyStoring Kind = "accounts"
)

// Concern is why a purchase waits for somebody. Each is a fact that ends when
// somebody has dealt with it; none ends by the passing of time.
type Concern string

// The concerns.
const (
	// FailedDebit: the last answer of the bank was that the debit failed, and the
	// purchase is still to be paid, whatever its status. It ends when the purchase is
	// debited again, paid, cancelled, or expires under a strict due date.
	FailedDebit Concern = "failed"
	// NotConfirmed: the client did not confirm the DebiCheck mandate that the purchase
	// asked for. It ends as FailedDebit does, or when the client is asked again.
	NotConfirmed Concern = "unconfirmed"
	// AccountGone: the debit was dropped, or could not be made, because its token was
	// deleted or could not be charged. It ends as FailedDebit does.
	AccountGone Concern = "account_gone"
	// OpenDispute: the client disputed the debit, and the dispute is not decided.
	OpenDispute Concern = "disputed"
	// NoAnswer: the bank should have answered and has not.
	NoAnswer Concern = "silent"
	// RefundWaits: money is to be paid back.
	RefundWaits Concern = "refund"
	// NeverDebited: the purchase is overdue, and no debit was ever planned for it.
	NeverDebited Concern = "overdue"
	// ClosedDay: its planned debit lies on a day that was proclaimed closed since.
	ClosedDay Concern = "closed_day"
	// PaidTwice: a refund was paid out, and the debit was returned or disputed as well,
	// so that the client has more back than was paid. It ends when the money is paid
	// again, or the dispute is won.
	PaidTwice Concern = "refunded_returned"
)

// Concerns lists all of them in the order of their weight.
var Concerns = []Concern{FailedDebit, AccountGone, NotConfirmed, OpenDispute, NoAnswer, PaidTwice, RefundWaits,
	NeverDebited, ClosedDay}

// Tally is a number of purchases and what they come to, in cents of rand.
type Tally struct{ N, Cents int64 }

// Totals are the purchases of each status; nil is not known.
type Totals map[string]Tally

// TotalsByKind are those of each kind; the empty kind is both.
type TotalsByKind map[Kind]Totals

// Counts are the numbers of the totals alone.
func (t Totals) Counts() map[string]int64 {
	if t == nil {
		return nil
	}
	counts := make(map[string]int64, len(t))
	for status, of := range t {
		counts[status] = of.N
	}
	return counts
}

// Cents is what the purchases of some statuses come to; of all, where none is named.
func (t Totals) Cents(statuses ...Status) (cents int64) {
	for status, of := range t {
		if len(statuses) == 0 || slices.Contains(statuses, Status(status)) {
			cents = money.Plus(cents, of.Cents)
		}
	}
	return cents
}

// Narrow tells whether anything but the status and the kind is filtered.
func (f Filter) Narrow() bool {
	return f.ClientID != uuid.Nil || f.TokenID != uuid.Nil || f.TemplateID != uuid.Nil || f.SubscriberID != uuid.Nil ||
		f.BatchID != uuid.Nil || !f.DueFrom.IsZero() || !f.DueTo.IsZero() || f.MinCents != 0 || f.MaxCents != 0 ||
		f.Search != "" || f.Concern != "" || f.Facets != facet.Filter{}
}

// Sorts are the orders of the list of purchases.
var Sorts = paging.Sorts{paging.Created: 0, "due": 0, "amount": 0, "client": CountLimit / 2,
	"reference": CountLimit / 2, "debit": 2_500}

// List gives a page of purchases, newest first, with what is shown beside them.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Record], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Record]{}, err
	}
	page, err := s.Store.Purchases(ctx, who.MerchantID, f, ask)
	if err != nil {
		return paging.Page[Record]{}, err
	}
	brands, collections, err := s.BesideAll(ctx, who.MerchantID, page.Items)
	if err != nil {
		return paging.Page[Record]{}, err
	}
	return paging.Map(page, func(p Purchase) Record {
		rec := Record{Purchase: p, Brand: brands[p.BrandID]}
		if c, ok := collections[p.ID]; ok {
			rec.Collection = &c
		}
		return rec
	}), nil
}

func (s *Service) BesideAll(ctx context.Context, merchantID uuid.UUID,
	list []Purchase) (map[uuid.UUID]merchant.Brand, map[uuid.UUID]collection.Collection, error) {
	if len(list) == 0 {
		return nil, nil, nil
	}
	all, err := s.Merchants().Brands(ctx, merchantID)
	if err != nil {
		return nil, nil, err
	}
	brands := make(map[uuid.UUID]merchant.Brand, len(all))
	for _, b := range all {
		brands[b.ID] = b
	}
	var ids []uuid.UUID
	for _, p := range list {
		if p.CollectionCount > 0 {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		return brands, nil, nil
	}
	collections, err := s.latest(ctx, merchantID, ids...)
	return brands, collections, err
}

// CountLimit is where counts under a filter stop: above it a page says "more than".
const CountLimit = 10_000

// Totals gives the purchases of each status, whichever the filter names. Without a narrow filter they are exact, and
// those of every kind; under one they are those of its kind, and stop at CountLimit + 1 purchases in all.
func (s *Service) Totals(ctx context.Context, who actor.Actor, f Filter) (TotalsByKind, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	if !f.Narrow() {
		return s.Store.PurchaseTotals(ctx, who.MerchantID)
	}
	totals, err := s.Store.TotalPurchases(ctx, who.MerchantID, f, CountLimit+1)
	return TotalsByKind{f.Kind: totals}, err
}

// Tally counts and sums what a filter with a concern lets through.
func (s *Service) Tally(ctx context.Context, who actor.Actor, f Filter) (Tally, error) {
	if err := who.May(actor.Read); err != nil {
		return Tally{}, err
	}
	return s.Store.TallyPurchases(ctx, who.MerchantID, f)
}

package report

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
)

// Filter narrows the movements of money; its zero value takes all. What a list
// names is joined by "or", and the lists by "and".
type Filter struct {
	Currencies []string    `json:"currencies,omitempty"`
	Brands     []uuid.UUID `json:"brands,omitempty"`
	BrandsAt   string      `json:"-"`                   // what the caller calls them, for refusals; empty: brand
	Methods    []string    `json:"methods,omitempty"`   // eft, debicheck
	Products   []string    `json:"products,omitempty"`  // as purchases have it
	Flows      []string    `json:"flows,omitempty"`     // of the newest attempt
	Countries  []string    `json:"countries,omitempty"` // of the client's bank
	Terminals  []string    `json:"terminals,omitempty"` // there are none: any name matches nothing
	Tokenized  *bool       `json:"tokenized,omitempty"` // paid from a stored account
	Statuses   []string    `json:"statuses,omitempty"`  // of the purchase
	Totals     []int64     `json:"totals,omitempty"`    // of the purchase, in cents
	Lines      []string    `json:"lines,omitempty"`     // part of the name of a product
	Kinds      []string    `json:"kinds,omitempty"`     // of the movement, as it has it
	Query      string      `json:"query,omitempty"`     // words that begin words of the purchase
	Paid       Period      `json:"paid,omitzero"`       // when the purchase was paid
	Updated    Period      `json:"updated,omitzero"`    // when the purchase last changed
	From       time.Time   `json:"from,omitzero"`       // movements at or after it; zero: open
	To         time.Time   `json:"to,omitzero"`         // movements at or before it; zero: open
}

// Period is from one moment to another, both inclusive; a zero moment leaves its end open.
type Period struct {
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

// Narrow tells whether the purchase behind a movement decides.
func (f Filter) Narrow() bool {
	return len(f.Brands)+len(f.Methods)+len(f.Products)+len(f.Flows)+len(f.Countries)+len(f.Terminals)+
		len(f.Statuses)+len(f.Totals)+len(f.Lines) > 0 || f.Tokenized != nil || f.Query != "" || f.Paid != Period{} ||
		f.Updated != Period{}
}

// Balance is what the movements of one currency come to, in cents.
type Balance struct {
	GrossCents money.Sum // all movements: collected, won back and paid by hand, less returned, disputed and refunded
	FeeCents   money.Sum // Debitdesk sells no payments and takes no fee: always 0
	// Collected debits that may still be returned unpaid (EFT, until the return window closes), less refunds under way,
	// which fall away with them.
	ReservedCents money.Sum
	OwedCents     money.Sum // refunds that were promised and are not settled
}

// NetCents is the balance after fees.
func (b Balance) NetCents() money.Sum { return b.GrossCents.Minus(b.FeeCents) }

// AvailableCents is what the merchant can rely on: the balance without what may
// be returned and without what is owed back. It may be negative.
func (b Balance) AvailableCents() money.Sum {
	return b.NetCents().Minus(b.ReservedCents).Minus(b.OwedCents)
}

// Side is one direction of the turnover: what moved, in cents and not negative,
// in how many movements.
type Side struct {
	Cents money.Sum
	N     int64
}

// Turnover is what came in and what went out.
type Turnover struct{ Incoming, Outgoing Side }

// Money answers how much came in, went out and is there.
type Money struct{ Store Store }

// Balance gives each currency that was asked for, or all that the merchant trades in.
func (s *Money) Balance(ctx context.Context, who actor.Actor, f Filter) (map[string]Balance, error) {
	brands, err := s.Allow(ctx, who, f)
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Balances(ctx, who.MerchantID, f)
	if err != nil {
		return nil, err
	}
	wanted := f.Currencies
	if len(wanted) == 0 {
		wanted = Currencies(brands)
	}
	for _, currency := range wanted {
		if _, known := found[currency]; !known {
			found[currency] = Balance{}
		}
	}
	return found, nil
}

// Turnover sums one currency, since others cannot be added to it: the first that
// was asked for, else the one the merchant's oldest brand trades in.
func (s *Money) Turnover(ctx context.Context, who actor.Actor, f Filter) (Turnover, error) {
	brands, err := s.Allow(ctx, who, f)
	if err != nil {
		return Turnover{}, err
	}
	if len(f.Currencies) == 0 {
		f.Currencies = Currencies(brands)
	}
	f.Currencies = f.Currencies[:1]
	return s.Store.Turnover(ctx, who.MerchantID, f)
}

// Allow checks who asks, and that the brands of the filter are the merchant's.
func (s *Money) Allow(ctx context.Context, who actor.Actor, f Filter) ([]merchant.Brand, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	brands, err := merchant.Store(s.Store).Brands(ctx, who.MerchantID)
	if err != nil {
		return nil, err
	}
	var wrong fault.Problems
	for _, id := range f.Brands {
		if !slices.ContainsFunc(brands, func(b merchant.Brand) bool { return b.ID == id }) {
			wrong.NoSuch(cmp.Or(f.BrandsAt, "brand"), id)
		}
	}
	if !f.From.IsZero() && !f.To.IsZero() && f.To.Before(f.From) {
		wrong.Add("to", "min_value", "The period ends before it begins.")
	}
	return brands, wrong.Err()
}

// Currencies are those of the brands, the oldest brand's first; ZAR when there is none.
func Currencies(brands []merchant.Brand) []string {
	var out []string
	for _, b := range brands {
		if !slices.Contains(out, b.Currency) {
			out = append(out, b.Currency)
		}
	}
	if len(out) == 0 {
		out = []string{"ZAR"}
	}
	return out
}

package journal

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// Filter is which entries a list shows. What is empty lets everything through.
type Filter struct {
	From, To calendar.Date
	Currency string // ZAR where it is empty
	Role     Role
	Kind     Kind
	Box      Box    // of the VAT201: entries that its figure is made of
	About    string // the reference of a purchase, fee or payout, or the number of a document
	// Cents finds entries with that amount on a side, or with half of it: what is booked on the wrong side makes a
	// difference of twice its amount.
	Cents int64
}

// Listed is an entry in a list. Figure is what it adds to the role or field that the list is of.
type Listed struct {
	Entry
	Figure int64
}

// Place is where a page of a list begins: behind that entry. Zero: at the newest.
type Place struct {
	Day calendar.Date
	N   int64
}

// List is one page of entries, newest first. Sum and Total are of all pages.
type List struct {
	Entries []Listed
	Sum     int64
	Total   int64
	Next    Place // zero: this is the last page
}

const pageOfEntries = 50

// Of tells whether the list is of one figure.
func (f Filter) Of() bool { return f.Role != "" || f.Box != "" }

func (f *Filter) check() (wrong fault.Problems) {
	if f.Currency == "" {
		f.Currency = "ZAR"
	}
	if !currencyForm.MatchString(f.Currency) {
		wrong.Add("currency", "invalid", "%q is not a currency. Use three capitals, such as ZAR.", f.Currency)
	}
	if f.Role != "" && f.Role.place() < 0 {
		wrong.Add("role", "invalid_choice", "%q is not an account.", f.Role)
	}
	if f.Kind != "" && f.Kind.Word() == "" {
		wrong.Add("kind", "invalid_choice", "%q is not a kind of entry.", f.Kind)
	}
	if _, known := boxes[f.Box]; f.Box != "" && !known {
		wrong.Add("box", "invalid_choice", "%q is not a field of the sheet.", f.Box)
	}
	if !f.From.IsZero() && !f.To.IsZero() && f.To.Before(f.From) {
		wrong.Add("to", "invalid", "The last day is before the first.")
	}
	return wrong
}

// Problems are what is wrong with the filter, each by its field.
func (f Filter) Problems() fault.Problems { return f.check() }

// readable refuses who may not read, and what is wrong with the filter, which becomes whole.
func (f *Filter) readable(who actor.Actor) error {
	if err := who.May(actor.Read); err != nil {
		return err
	}
	wrong := f.check()
	return wrong.Err()
}

// Entries lists a page of entries, with the sum of all that the filter lets through.
func (s *Service) Entries(ctx context.Context, who actor.Actor, f Filter, after Place) (List, error) {
	if err := f.readable(who); err != nil {
		return List{}, err
	}
	return s.Store.entries(ctx, who.MerchantID, f, after)
}

// CountEntries counts what the filter lets through.
func (s *Service) CountEntries(ctx context.Context, who actor.Actor, f Filter) (n int64, err error) {
	if err := f.readable(who); err != nil {
		return 0, err
	}
	n, _, err = s.Store.countEntries(ctx, who.MerchantID, f)
	return n, err
}

// EntriesBehind lists at most so many entries behind a place, uncounted, and tells whether there are more.
func (s *Service) EntriesBehind(ctx context.Context, who actor.Actor, f Filter, after Place, most int) ([]Listed, bool,
	error) {
	if err := f.readable(who); err != nil {
		return nil, false, err
	}
	return s.Store.entriesBehind(ctx, who.MerchantID, f, after, most)
}

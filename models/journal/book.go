package journal

import (
	"cmp"
	"context"
	"regexp"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

// mostEntries is how many entries one file has at most, as far as the service says nothing else.
const mostEntries = 200_000

// TooMany is the code of what is refused because it is more than one file holds. Parts divides it.
const TooMany = "too_many"

// Ask is which entries are asked for.
type Ask struct {
	From, To calendar.Date // inclusive
	Currency string
	ByDay    bool // one entry for each day, kind and brand
	Format   string
	// Documents asks for invoices and credit notes alone.
	Documents bool
	// Piece tells of a part of one day that no file holds whole: its number, from 1 on. It has the entries whose numbers
	// are above After, up to UpTo; of the last there is no end, and UpTo is 0.
	Piece       int   `json:",omitempty"`
	After, UpTo int64 `json:",omitempty"`
}

// Book is the journal of some days.
type Book struct {
	Ask
	Mapping
	Opening []Entry // what was posted before From, one for each brand
	Entries []Entry
	// Documents are those of the entries, with what is printed on them, where they were asked for.
	Documents []Document
	Repeats   Repeats // among all documents that were asked for
}

// Title names the first and the last entry.
func (b *Book) Title() string {
	if len(b.Entries) == 0 {
		return "Debitdesk journal without an entry"
	}
	return "Debitdesk journal " + b.first() + " to " + b.last()
}

// Closing is what the roles come to at the end of To.
func (b *Book) Closing() (sum Cents) {
	for _, e := range b.Opening {
		sum = sum.Plus(e.Cents)
	}
	for _, e := range b.Entries {
		sum = sum.Plus(e.Cents)
	}
	return sum
}

// Problems are what is wrong with what is asked for, each by its field.
func (a Ask) Problems() fault.Problems { return a.check() }

func (a *Ask) check() (wrong fault.Problems) {
	if a.Currency == "" {
		a.Currency = "ZAR"
	}
	if !currencyForm.MatchString(a.Currency) {
		wrong.Add("currency", "invalid", "%q is not a currency. Use three capitals, such as ZAR.", a.Currency)
	}
	switch {
	case a.From.IsZero() || a.From.Year < 1900:
		wrong.Add("from", "invalid", "Enter the first day, such as 2026-10-01.")
	case a.To.IsZero() || a.To.Year > 2999:
		wrong.Add("to", "invalid", "Enter the last day, such as 2026-10-31.")
	case a.To.Before(a.From):
		wrong.Add("to", "invalid", "The last day is before the first.")
	}
	return wrong
}

// Export gives the journal of some days, for a file in a format, and keeps who took it. fits says what the format
// refuses, before anything is kept.
func (s *Service) Export(ctx context.Context, who actor.Actor, ask Ask,
	fits func(*Book) fault.Problems) (Book, error) {
	if err := who.May(actor.Books); err != nil {
		return Book{}, err
	}
	if err := ask.check().Err(); err != nil {
		return Book{}, err
	}
	b, err := s.read(ctx, who, ask, fits)
	if err != nil {
		return b, err
	}
	return b, s.exported(ctx, who, ask, len(b.Entries), b.first(), b.last())
}

// exported keeps who took which entries.
func (s *Service) exported(ctx context.Context, who actor.Actor, ask Ask, n int, first, last string) error {
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{Action: "books.exported", ObjectType: "books", ObjectID: who.MerchantID,
			Text: "The journal from " + ask.From.String() + " to " + ask.To.String() + " was exported: " +
				plural.Of(n, "entry") + ".",
			After: map[string]any{"format": ask.Format, "currency": ask.Currency, "by_day": ask.ByDay, "entries": n,
				"first": first, "last": last}})
		return nil
	})
}

// read reads a book as far as one file holds it.
func (s *Service) read(ctx context.Context, who actor.Actor, ask Ask, fits func(*Book) fault.Problems) (Book, error) {
	most := s.most()
	b, err := s.Store.book(ctx, who.MerchantID, ask, most+1)
	if err != nil {
		return b, err
	}
	b.Ask = ask
	if len(b.Entries) > most {
		return b, fault.At("to", TooMany, "There are more than %s entries in these days. Choose fewer days, or one "+
			"entry for each day and kind.", plural.Number(most))
	}
	if b.Mapping, err = s.Store.mapping(ctx, who.MerchantID); err != nil {
		return b, err
	}
	wrong := fits(&b)
	return b, wrong.Err()
}

// most is how many entries one file has at most.
func (s *Service) most() int { return cmp.Or(s.Most, mostEntries) }

func (b *Book) first() string {
	if len(b.Entries) == 0 {
		return ""
	}
	return b.Entries[0].UID()
}

func (b *Book) last() string {
	if len(b.Entries) == 0 {
		return ""
	}
	return b.Entries[len(b.Entries)-1].UID()
}

// Sums are what stands in the books at the end of a month, and what moved in it, of one currency.
type Sums struct {
	Currency        string
	Balance, Posted Cents
}

// Sums gives the balances and the turnover of a month by role.
func (s *Service) Sums(ctx context.Context, who actor.Actor, m Month) (out []Sums, err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	known, err := s.Store.currencies(ctx, who.MerchantID)
	if err != nil {
		return nil, err
	}
	stands, err := s.Store.balances(ctx, who.MerchantID, m.Next().First())
	if err != nil {
		return nil, err
	}
	moved, err := s.Store.turnover(ctx, who.MerchantID, m.First(), m.Last())
	if err != nil {
		return nil, err
	}
	for _, currency := range known {
		out = append(out, Sums{Currency: currency, Balance: stands[currency], Posted: moved[currency]})
		delete(stands, currency)
	}
	for currency, cents := range stands {
		out = append(out, Sums{Currency: currency, Balance: cents, Posted: moved[currency]})
	}
	return out, nil
}

// Difference is a figure of the journal that differs from the rows that it is of.
type Difference struct{ Figure, What, Kept, Facts string }

// Check compares the journal with the rows that it is of, as they stand at one moment: each entry with its row and to
// zero, the refunds payable with the refunds, VAT not yet due with what is owed, money in transit of each day with what
// moved, and what was closed with what is there.
func (s *Service) Check(ctx context.Context, who actor.Actor) ([]Difference, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.differences(ctx, who.MerchantID)
}

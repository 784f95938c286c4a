package journal

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/rulebook"
)

// Basis is how VAT is accounted for on invoices of a day and later: when the invoice is issued, or as money comes in
// (industry: VAT Act, section 15).
type Basis struct {
	MerchantID uuid.UUID     `gorm:"primaryKey"`
	From       calendar.Date `gorm:"primaryKey;column:from_day"`
	Payments   bool
}

// Word is what people call the basis.
func (b Basis) Word() string {
	if b.Payments {
		return "payments basis"
	}
	return "invoice basis"
}

// Bases are those that were chosen, newest first. Before the first, invoice basis holds.
func (s *Service) Bases(ctx context.Context, who actor.Actor) ([]Basis, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.bases(ctx, who.MerchantID)
}

// ChooseBasis sets the basis of the invoices from a day on. Those before stay on theirs.
func (s *Service) ChooseBasis(ctx context.Context, who actor.Actor, b Basis) error {
	if err := who.May(actor.Books); err != nil {
		return err
	}
	if b.From.IsZero() || b.From.Year < 1991 || b.From.Year > 2999 {
		return fault.At("from", "invalid", "Enter the first day, such as 2027-03-01.")
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := holdBooks(tx, who.MerchantID); err != nil {
			return err
		}
		in := Store{tx.DB()}
		last, err := in.lastInvoiced(tx.Context(), who.MerchantID)
		if err != nil {
			return err
		}
		if !last.IsZero() && !b.From.After(last) {
			return fault.At("from", "min_value", "Invoices were issued until %s. Choose a later day.", last)
		}
		before, err := in.bases(tx.Context(), who.MerchantID)
		if err != nil {
			return err
		}
		if err := keepBasis(tx, who.MerchantID, b); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "books.vat_basis", ObjectType: "books", ObjectID: who.MerchantID,
			Text:   "Invoices from " + b.From.String() + " are on " + b.Word() + ".",
			Before: map[string]any{"basis": basisOn(before, b.From).Word()},
			After:  map[string]any{"basis": b.Word(), "from": b.From.String()}})
		return nil
	})
}

// basisOn is the basis that holds on a day.
func basisOn(bases []Basis, on calendar.Date) Basis {
	for _, b := range bases {
		if !b.From.After(on) {
			return b
		}
	}
	return Basis{}
}

// Box is a field of the VAT201, of those that the desk has figures for.
type Box string

// The fields.
const (
	BoxStandard  Box = "1"
	BoxUntaxed   Box = "2-3"
	BoxOutput    Box = "4"
	BoxRecovered Box = "12"
	BoxInput     Box = "15"
	BoxBad       Box = "17"
)

// Boxes are those whose figures are made of entries.
var Boxes = []Box{BoxStandard, BoxUntaxed, BoxOutput, BoxRecovered, BoxInput, BoxBad}

// Sheet is what the desk has for a VAT201, in cents of rands.
type Sheet struct {
	From, To calendar.Date
	Basis    Basis // on the last day
	Mixed    bool  // some invoices of it are on the other basis
	Cents    map[Box]int64
}

// TotalOutput is field 13, and TotalInput field 19 as far as the desk knows: of suppliers it has fees alone.
func (s Sheet) TotalOutput() int64 { return s.Cents[BoxOutput] + s.Cents[BoxRecovered] }

// TotalInput is field 19.
func (s Sheet) TotalInput() int64 { return s.Cents[BoxInput] + s.Cents[BoxBad] }

// Payable is field 20: above zero it is to be paid.
func (s Sheet) Payable() int64 { return s.TotalOutput() - s.TotalInput() }

const mostMonths = 12

// VAT gives the sheet of some months that end with one. What is standard-rated of an invoice with lines at 0 % follows
// from its VAT.
func (s *Service) VAT(ctx context.Context, who actor.Actor, m Month, months int) (out Sheet, err error) {
	if err := who.May(actor.Read); err != nil {
		return out, err
	}
	if months < 1 || months > mostMonths {
		return out, fault.At("months", "invalid", "Choose from 1 to %d months.", mostMonths)
	}
	out = Sheet{From: calendar.On(m.Year, m.Mon-time.Month(months-1), 1), To: m.Last()}
	bases, err := s.Store.bases(ctx, who.MerchantID)
	if err != nil {
		return out, err
	}
	out.Basis = basisOn(bases, out.To)
	out.Cents, out.Mixed, err = s.Store.vat(ctx, who.MerchantID, out.From, out.To, out.Basis.Payments)
	return out, err
}

// rateOn is the standard rate of VAT on a day, in basis points.
func rateOn(day calendar.Date) int64 {
	rate, _ := rulebook.Default().VAT(day, calendar.Date{})
	return rate
}

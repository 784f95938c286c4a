package rulebook

import (
	"fmt"
	"strings"

	"debitdesk/models/calendar"
)

// CMA tells in which other country of the Common Monetary Area a branch lies, and whether a debit of it may be
// collected on a day. Codes are compared whole: prefixes belong to several countries.
func (b *Book) CMA(branch string, day calendar.Date) (country string, allowed bool) {
	if len(branch) == 5 {
		branch = "0" + branch
	}
	for _, entry := range b.On("cma.branches", AnyStream, day).List() {
		if code, where, _ := strings.Cut(entry, " "); code == branch {
			return where, b.On("cma.debit_allowed", AnyStream, day).Bool()
		}
	}
	return "", true
}

// MaySeemForeign: all known branches that begin so lie abroad.
func (b *Book) MaySeemForeign(branch string, day calendar.Date) bool {
	for _, prefix := range b.On("cma.prefix_warn", AnyStream, day).List() {
		if prefix != "" && strings.HasPrefix(branch, prefix) {
			return true
		}
	}
	return false
}

// VAT is the rate for a supply on a day, in basis points, as known on another.
func (b *Book) VAT(supply, known calendar.Date) (basisPoints int64, row string) {
	v, id := b.Value(Question{Key: "vat.rate_bp", Stream: AnyStream, Day: supply, Known: known})
	return v.Int(), id
}

// VATIn is the tax in a sum that includes it, rounded half up to the cent.
func VATIn(cents, basisPoints int64) int64 {
	return (2*cents*basisPoints + 10_000 + basisPoints) / (2 * (10_000 + basisPoints))
}

// InvoiceForm is which tax invoice a supply of a sum needs: none, abridged or full.
func (b *Book) InvoiceForm(cents int64, supply calendar.Date) string {
	switch {
	case cents <= b.On("invoice.none_upto_c", AnyStream, supply).Int():
		return "none"
	case cents <= b.On("invoice.full_above_c", AnyStream, supply).Int():
		return "abridged"
	}
	return "full"
}

// MustRegister tells whether a turnover makes a business register for VAT on a day.
func (b *Book) MustRegister(turnoverCents int64, day calendar.Date) bool {
	return turnoverCents > b.On("vat.register_c", AnyStream, day).Int()
}

// WithinFactor tells whether a maximum lies within what a mandate of a price may have.
func (b *Book) WithinFactor(priceCents, maxCents int64, sent calendar.Date) bool {
	over, under := b.On("dc.max_factor", DebiCheck, sent).Ratio()
	return under*maxCents <= over*priceCents
}

// OverRatio tells whether so many of all are above a ratio such as ratio.unpaid; at the limit they are not.
func (b *Book) OverRatio(key string, some, all int64, month calendar.Date) bool {
	return some*10_000 > all*b.On(key, AnyStream, month).Int()
}

// KeptUntil is the last day on which the proof of a mandate must still be kept.
func (b *Book) KeptUntil(lastDebit calendar.Date) calendar.Date {
	years := b.On("retention.mandate", AnyStream, lastDebit).Int()
	return lastDebit.AddMonths(12*int(years), lastDebit.Day)
}

// CutOff reads a cut-off such as "2 12:00": business days before the debit date, and the time of day.
func (b *Book) CutOff(key, stream string, day calendar.Date) (businessDays int, at calendar.TimeOfDay, err error) {
	value := b.On(key, stream, day).Text()
	days, clock, _ := strings.Cut(value, " ")
	if _, err = fmt.Sscan(days, &businessDays); err == nil {
		at, err = calendar.ParseTimeOfDay(clock)
	}
	if err != nil {
		err = fmt.Errorf("%s is %q: %w", key, value, err)
	}
	return businessDays, at, err
}

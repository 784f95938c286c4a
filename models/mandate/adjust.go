package mandate

import (
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

var hundred = decimal.NewFromInt(100)

// On is the price and the maximum in cents on a day, after the adjustments since the mandate was accepted: one for each
// whole period, counted from the day of acceptance as months count from their anchor day. NEVER and REPO adjust
// nothing:
// the repo rate moves on no fixed date. An adjustment by rate rounds half up, once each time; the price does not fall
// below 0 nor the maximum below 1. A zero accepted means that nothing was accepted yet.
func (t Terms) On(accepted, day calendar.Date) (priceCents, maxCents int64) {
	return t.after(t.AdjustmentCategory.periods(accepted, day))
}

// after applies so many adjustments.
func (t Terms) after(times int) (priceCents, maxCents int64) {
	priceCents, maxCents = t.PriceCents, t.MaxAmountCents
	for range times {
		price, most := t.adjust(priceCents, 0), t.adjust(maxCents, 1)
		if price == priceCents && most == maxCents {
			break // nothing changes any more
		}
		priceCents, maxCents = price, most
	}
	return priceCents, maxCents
}

// adjust is one adjustment of an amount, which stays between least and money.MaxCents.
func (t Terms) adjust(cents, least int64) int64 {
	switch {
	case t.AdjustmentRate != nil && !tooWide(*t.AdjustmentRate):
		changed := decimal.NewFromInt(cents).Mul(hundred.Add(*t.AdjustmentRate)).Shift(-2).Round(0)
		if changed.GreaterThan(decimal.NewFromInt(money.MaxCents)) {
			return money.MaxCents
		}
		return max(changed.IntPart(), least)
	case t.AdjustmentAmountCents != nil:
		changed, fits := money.Add(cents, *t.AdjustmentAmountCents)
		if !fits {
			changed = *t.AdjustmentAmountCents // the end that it ran over; brought back below
		}
		return min(max(changed, least), money.MaxCents)
	}
	return cents
}

// months is the length of one period, 0 where nothing is adjusted on fixed dates.
func (c Category) months() int {
	switch c {
	case Quarterly:
		return 3
	case Biannually:
		return 6
	case Annually:
		return 12
	case Never, Repo:
	}
	return 0
}

// periods counts the whole periods from accepted to day.
func (c Category) periods(accepted, day calendar.Date) int {
	length := c.months()
	if length == 0 || accepted.IsZero() || !day.After(accepted) {
		return 0
	}
	n := ((day.Year-accepted.Year)*12 + int(day.Month) - int(accepted.Month)) / length
	if accepted.AddMonths(n*length, accepted.Day).After(day) {
		n--
	}
	return max(n, 0)
}

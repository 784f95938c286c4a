package mandate_test

import (
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
)

func day(t *testing.T, text string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func terms(change func(*mandate.Terms)) mandate.Terms {
	t := mandate.Terms{ValueType: mandate.Variable, Authentication: mandate.RealTime, DebitSequence: mandate.Recurring,
		AdjustmentCategory: mandate.Never,
		MaxAmountCents:     150000, PriceCents: 100000}
	if change != nil {
		change(&t)
	}
	return t
}

func TestAdjustmentsFallOnTheDayOfAcceptance(t *testing.T) {
	for _, c := range []struct {
		category      mandate.Category
		accepted, day string
		times         int64
	}{
		{mandate.Quarterly, "2026-01-15", "2026-01-15", 0}, {mandate.Quarterly, "2026-01-15", "2026-04-14", 0},
		{mandate.Quarterly, "2026-01-15", "2026-04-15", 1},
		{mandate.Quarterly, "2026-01-15", "2027-01-14", 3}, {mandate.Quarterly, "2026-01-15", "2027-01-15", 4},
		{mandate.Quarterly, "2025-11-30", "2026-02-27", 0},
		{mandate.Quarterly, "2025-11-30", "2026-02-28", 1}, // no 30 February
		{mandate.Quarterly, "2025-11-30", "2026-05-29", 1},
		{mandate.Quarterly, "2025-11-30", "2026-05-30", 2}, // and the 30th again
		{mandate.Biannually, "2026-08-31", "2027-02-27", 0}, {mandate.Biannually, "2026-08-31", "2027-02-28", 1},
		{mandate.Biannually, "2026-08-31", "2027-08-30", 1},
		{mandate.Annually, "2024-02-29", "2025-02-27", 0}, {mandate.Annually, "2024-02-29", "2025-02-28", 1},
		{mandate.Annually, "2024-02-29", "2028-02-28", 3}, {mandate.Annually, "2024-02-29", "2028-02-29", 4},
		{mandate.Repo, "2020-01-01", "2026-01-01", 0}, {mandate.Never, "2020-01-01", "2026-01-01", 0},
		{mandate.Annually, "2026-01-15", "2020-01-01", 0},
	} {
		up := terms(func(t *mandate.Terms) { t.AdjustmentCategory, t.AdjustmentAmountCents = c.category, ref(int64(100)) })
		if price, most := up.On(day(t, c.accepted), day(t, c.day)); price != 100000+c.times*100 ||
			most != 150000+c.times*100 {
			t.Errorf("%s, accepted %s, on %s: %d and %d, want %d times", c.category, c.accepted, c.day, price, most, c.times)
		}
	}
	up := terms(func(t *mandate.Terms) { t.AdjustmentCategory, t.AdjustmentRate = mandate.Annually, rate("6") })
	if price, _ := up.On(calendar.Date{}, day(t, "2030-01-01")); price != 100000 {
		t.Errorf("adjusted before acceptance: %d", price)
	}
}

func TestRatesCompoundAndRoundHalfUpEachTime(t *testing.T) {
	for _, c := range []struct {
		rate        string
		price, max  int64
		years       int
		wantP, want int64
	}{
		{"6", 100000, 150000, 1, 106000, 159000}, {"6", 100000, 150000, 2, 112360, 168540},
		{"6", 333, 499, 1, 353, 529},                       // 352.98, 528.94
		{"5", 10, 30, 1, 11, 32}, {"5", 10, 30, 2, 12, 34}, // 10.5 → 11; 31.5 → 32; 11.55 → 12; 33.6 → 34
		{"-50", 1, 1, 1, 1, 1}, {"-50", 3, 5, 1, 2, 3}, {"-100", 10000, 15000, 1, 0, 1}, {"-100", 10000, 15000, 9, 0, 1},
		{"0", 333, 499, 7, 333, 499},
		{"0.00001", 1, 1, 100, 1, 1}, {"100", money.MaxCents, money.MaxCents, 3, money.MaxCents, money.MaxCents},
		{"4.75", 12345, 18517, 1, 12931, 19397},
	} {
		up := mandate.Terms{AdjustmentCategory: mandate.Annually, AdjustmentRate: rate(c.rate), PriceCents: c.price,
			MaxAmountCents: c.max}
		if p, most := up.On(day(t, "2026-01-31"), calendar.On(2026+c.years, 1, 31)); p != c.wantP || most != c.want {
			t.Errorf("%s %% of %d and %d after %d years: %d and %d, want %d and %d", c.rate, c.price, c.max, c.years, p, most,
				c.wantP, c.want)
		}
	}
}

func TestAmountsStayWithinTheirEnds(t *testing.T) {
	for _, c := range []struct{ amount, wantP, want int64 }{
		{-100000, 0, 50000}, {-149999, 0, 1}, {-150000, 0, 1}, {-money.MaxCents, 0, 1},
		{money.MaxCents, money.MaxCents, money.MaxCents}, {-9223372036854775808, 0, 1},
		{9223372036854775807, money.MaxCents, money.MaxCents},
	} {
		up := terms(func(t *mandate.Terms) { t.AdjustmentCategory, t.AdjustmentAmountCents = mandate.Annually, &c.amount })
		if p, most := up.On(day(t, "2026-01-01"), day(t, "2027-01-01")); p != c.wantP || most != c.want {
			t.Errorf("%d: %d and %d, want %d and %d", c.amount, p, most, c.wantP, c.want)
		}
	}
}

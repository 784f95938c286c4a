package subscription_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/subscription"
)

// The billing dates were written down by hand from a wall calendar of 2027 and
// 2028; 2028 is a leap year.
var written = []struct {
	name   string
	anchor string
	plan   func(*subscription.Plan)
	dates  string
}{
	{
		"each month on the 28th",
		"2027-01-28",
		func(*subscription.Plan) {},
		"2027-01-28 2027-02-28 2027-03-28 2027-04-28 2027-05-28 2027-06-28 2027-07-28 2027-08-28 2027-09-28 2027-10-28 " +
			"2027-11-28 2027-12-28 2028-01-28 2028-02-28 2028-03-28",
	},
	{
		"each month on the 29th",
		"2027-01-29",
		func(*subscription.Plan) {},
		"2027-01-29 2027-02-28 2027-03-29 2027-04-29 2027-05-29 2027-06-29 2027-07-29 2027-08-29 2027-09-29 2027-10-29 " +
			"2027-11-29 2027-12-29 2028-01-29 2028-02-29 2028-03-29",
	},
	{
		"each month on the 30th",
		"2027-01-30",
		func(*subscription.Plan) {},
		"2027-01-30 2027-02-28 2027-03-30 2027-04-30 2027-05-30 2027-06-30 2027-07-30 2027-08-30 2027-09-30 2027-10-30 " +
			"2027-11-30 2027-12-30 2028-01-30 2028-02-29 2028-03-30",
	},
	{
		"each month on the 31st",
		"2027-01-31",
		func(*subscription.Plan) {},
		"2027-01-31 2027-02-28 2027-03-31 2027-04-30 2027-05-31 2027-06-30 2027-07-31 2027-08-31 2027-09-30 2027-10-31 " +
			"2027-11-30 2027-12-31 2028-01-31 2028-02-29 2028-03-31",
	},
	{
		"at the end of each month from the 31st",
		"2027-01-31",
		func(p *subscription.Plan) { p.ChargeAtEnd = true },
		"2027-02-28 2027-03-31 2027-04-30 2027-05-31 2027-06-30 2027-07-31 2027-08-31 2027-09-30 2027-10-31 2027-11-30 " +
			"2027-12-31 2028-01-31 2028-02-29 2028-03-31",
	},
	{
		"two free months",
		"2027-01-31",
		func(p *subscription.Plan) { p.TrialPeriods = 2 },
		"2027-03-31 2027-04-30 2027-05-31 2027-06-30 2027-07-31 2027-08-31 2027-09-30 2027-10-31 2027-11-30 2027-12-31 " +
			"2028-01-31 2028-02-29 2028-03-31",
	},
	{
		"two free months, at the end",
		"2027-01-30",
		func(p *subscription.Plan) { p.TrialPeriods, p.ChargeAtEnd = 2, true },
		"2027-04-30 2027-05-30 2027-06-30 2027-07-30 2027-08-30 2027-09-30 2027-10-30 2027-11-30 2027-12-30 " +
			"2028-01-30 2028-02-29 2028-03-30",
	},
	{"each quarter", "2027-01-30", func(p *subscription.Plan) { p.Period = 3 },
		"2027-01-30 2027-04-30 2027-07-30 2027-10-30 2028-01-30"},
	{"each 13 months into a leap day", "2027-01-31", func(p *subscription.Plan) { p.Period = 13 },
		"2027-01-31 2028-02-29"},
	{
		"every four weeks",
		"2027-01-28",
		func(p *subscription.Plan) { p.Period, p.Units = 4, subscription.Weeks },
		"2027-01-28 2027-02-25 2027-03-25 2027-04-22 2027-05-20 2027-06-17 2027-07-15 2027-08-12 2027-09-09 2027-10-07 " +
			"2027-11-04 2027-12-02 2027-12-30 2028-01-27 2028-02-24 2028-03-23",
	},
	{"every eight weeks with one free, at the end", "2027-01-29", func(p *subscription.Plan) {
		p.Period, p.Units, p.TrialPeriods, p.ChargeAtEnd = 8, subscription.Weeks, 1, true
	}, "2027-05-21 2027-07-16 2027-09-10 2027-11-05 2027-12-31 2028-02-25"},
	{
		"every 30 days",
		"2027-01-28",
		func(p *subscription.Plan) { p.Period, p.Units = 30, subscription.Days },
		"2027-01-28 2027-02-27 2027-03-29 2027-04-28 2027-05-28 2027-06-27 2027-07-27 2027-08-26 2027-09-25 2027-10-25 " +
			"2027-11-24 2027-12-24 2028-01-23 2028-02-22 2028-03-23",
	},
	{"every 45 days with two free", "2027-01-31", func(p *subscription.Plan) {
		p.Period, p.Units, p.TrialPeriods = 45,
			subscription.Days, 2
	},
		"2027-05-01 2027-06-15 2027-07-30 2027-09-13 2027-10-28 2027-12-12 2028-01-26 2028-03-11"},
}

// until is where fourteen months after the first anchors end.
var until = calendar.On(2028, time.March, 31)

func TestPeriodsOfFourteenMonthsFallOnTheWrittenDates(t *testing.T) {
	t.Parallel()
	for _, w := range written {
		t.Run(w.name, func(t *testing.T) {
			plan := subscription.Default()
			w.plan(&plan)
			anchor, err := calendar.ParseDate(w.anchor)
			must(t, err)
			want := strings.Fields(w.dates)
			var got []string
			for _, d := range plan.Dates(anchor, len(want)) {
				got = append(got, d.String())
			}
			if !slices.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
			if next := plan.BillOn(anchor, len(want)); !next.After(until) {
				t.Errorf("the table ends before %s", next)
			}
		})
	}
}

func TestTheDeskBillsFourteenMonthsOnTheWrittenDates(t *testing.T) {
	t.Parallel()
	h := openAt(t, calendar.On(2027, time.January, 28).At(8, 0))
	ids := map[int][]string{}
	subs := make([]subscription.Subscriber, len(written))
	for d := calendar.On(2027, time.January, 28); !d.After(until); d = d.AddDays(1) {
		if at := d.At(0, 0); at.After(h.store.Now()) {
			h.jump(at)
		}
		for i, w := range written {
			if w.anchor != d.String() {
				continue
			}
			h.jump(later(h.store.Now(), d.At(8, 0)))
			plan := subscription.Default()
			w.plan(&plan)
			clientID, _ := h.stored("4000000000")
			subs[i] = h.add(h.template(plan), clientID).Subscriber
		}
	}
	for i, w := range written {
		ids[i] = h.issued(subs[i].ID)
		if want := strings.Fields(w.dates); !slices.Equal(ids[i], want) {
			t.Errorf("%s: billed %v\nwant %v", w.name, ids[i], want)
		}
		if n := h.number(`SELECT count(*) FROM purchases WHERE subscriber_id = $1`, subs[i].ID); int(n) != len(ids[i]) {
			t.Errorf("%s: %d purchases for %d periods", w.name, n, len(ids[i]))
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func TestDueCountsFromTheBillingDate(t *testing.T) {
	t.Parallel()
	cases := []struct {
		n     int
		units subscription.Units
		want  string
	}{
		{7, subscription.Days, "2027-02-07 2027-03-07 2027-04-07"},
		{2, subscription.Weeks, "2027-02-14 2027-03-14 2027-04-14"},
		{1, subscription.Months, "2027-02-28 2027-03-28 2027-04-30"}, // each billing day is an anchor of its own
		{1, subscription.Days, "2027-02-03 2027-03-03 2027-04-02"},   // too soon: the earliest action date, and no closed day
	}
	h := openAt(t, calendar.On(2027, time.January, 31).At(0, 0))
	for _, c := range cases {
		plan := subscription.Default()
		plan.DuePeriod, plan.DueUnits = c.n, c.units
		clientID, _ := h.stored("4000000000")
		id := h.add(h.template(plan), clientID).Subscriber.ID
		defer func() {
			var got []string
			for _, b := range h.billed(id) {
				got = append(got, b.Due)
				if b.Product != "billing_subscriptions" || b.Status != "pending_charge" || b.Cents != 10000 {
					t.Errorf("%d %s: %+v", c.n, c.units, b)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(strings.Fields(c.want)) {
				t.Errorf("due %d %s: %v, want %v", c.n, c.units, got, c.want)
			}
		}()
	}
	h.jump(day(time.February, 28).At(0, 0))
	h.jump(day(time.March, 31).At(0, 0))
}

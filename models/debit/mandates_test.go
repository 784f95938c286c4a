package debit_test

import (
	"slices"
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// what has become of a request for a mandate of R100, made on Monday 1 February
// 2027 at 09:00, by the account that it is asked for.
func TestEveryDocumentedAccountIsAskedAndDebitedAsItSays(t *testing.T) {
	t.Parallel()
	h := open(t)
	type stands struct {
		at      time.Time
		mandate mandate.State
		token   token.State
		status  purchase.Status
		attempt string
		debit   collection.State // empty: none
		because []string
	}
	// The requests are made within a moment after the start: before is surely before
	// a limit that counts from a request, after surely behind it.
	before := func(d time.Duration) time.Time { return start.Add(d - time.Second) }
	after := func(d time.Duration) time.Time { return start.Add(d + 30*time.Second) }
	tuesday := day(2).At(6, 0)
	const (
		pending, active, declined, silent, broken = mandate.Pending, mandate.ActiveState, mandate.Rejected,
			mandate.NoResponse, mandate.FailedAtBank
		waiting, paid, failed = purchase.PendingExecute, purchase.Paid, purchase.Failed
		none, live, blocked   = token.Pending, token.Active, token.Blocked
		funds, rejected       = "insufficient_funds", "payment_rejected_other_reason"
	)
	asks := func(at time.Time) stands { return stands{at, pending, none, waiting, "", "", nil} }
	lives := func(at time.Time) stands { return stands{at, active, live, waiting, "", collection.Scheduled, nil} }
	pays := func(at time.Time) stands { return stands{at, active, live, paid, "", collection.Successful, nil} }
	fails := func(code string, k token.State) stands {
		return stands{tuesday, active, k, failed, code, collection.Unpaid, nil}
	}
	no := func(at time.Time, m mandate.State, code string) stands {
		return stands{at, m, none, failed, code, "", nil}
	}
	overdue := stands{after(130 * time.Hour), declined, none, purchase.Overdue, "authorization_failed", "",
		nil} // no fallback has begun
	fallback := []string{mandate.BecauseFallback}
	cases := []struct {
		ask   asking
		looks []stands
	}{
		{asking{account: "4000000000"}, []stands{asks(before(5 * time.Second)), lives(after(5 * time.Second)),
			pays(tuesday)}},
		{asking{account: "4000000000", how: mandate.Delayed}, []stands{asks(before(time.Hour)), lives(after(time.Hour)),
			pays(tuesday)}},
		{asking{account: "4000007005"}, []stands{pays(tuesday)}},
		{asking{account: "4000007006"}, []stands{pays(tuesday)}},
		{asking{account: "4000007003"}, []stands{pays(tuesday)}},
		{asking{account: "4000007001"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000007002"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000007004"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000008001"}, []stands{asks(before(119 * time.Second)), lives(after(119 * time.Second)),
			pays(tuesday)}},
		{asking{account: "4000008002"}, []stands{asks(before(5 * time.Second)),
			no(after(5*time.Second), declined, "authorization_failed")}},
		{asking{account: "4000008002", fallback: true}, []stands{overdue}},
		{asking{account: "4000008002", how: mandate.Delayed},
			[]stands{asks(before(time.Hour)), no(after(time.Hour), declined, "authorization_failed")}},
		{asking{account: "4000008003"}, []stands{no(after(5*time.Second), declined, "authorization_failed")}},
		{asking{account: "4000008003", how: mandate.Delayed, fallback: true}, []stands{overdue}},
		{asking{account: "4000008120"}, []stands{asks(before(120 * time.Second)),
			no(after(120*time.Second), silent, "timeout")}},
		{asking{account: "4000008120", fallback: true},
			[]stands{asks(after(120 * time.Second)), asks(before(47*time.Hour + 120*time.Second)),
				{after(47*time.Hour + 120*time.Second), active, live, waiting, "", collection.Scheduled, fallback},
				{day(4).At(6, 0), active, live, paid, "", collection.Successful, fallback}}},
		{asking{account: "4000008120", how: mandate.Delayed},
			[]stands{asks(before(47 * time.Hour)), lives(after(47 * time.Hour)), pays(day(4).At(6, 0))}},
		{asking{account: "4000008480"}, []stands{no(after(120*time.Second), silent, "timeout")}},
		{asking{account: "4000008480", how: mandate.Delayed},
			[]stands{asks(before(48 * time.Hour)), no(after(48*time.Hour), silent, "timeout")}},
		{asking{account: "4000008480", fallback: true}, []stands{asks(before(48*time.Hour + 120*time.Second)),
			{after(48*time.Hour + 120*time.Second), mandate.Registered, live, waiting, "", collection.Scheduled, fallback},
			{day(4).At(6, 0), mandate.Registered, live, paid, "", collection.Successful, fallback}}},
		{asking{account: "4000008480", how: mandate.Delayed, fallback: true},
			[]stands{asks(after(48 * time.Hour)), asks(before(96 * time.Hour)),
				{after(96 * time.Hour), mandate.Registered, live, waiting, "", collection.Scheduled, fallback}}},
		{asking{account: "4000008500"}, []stands{asks(before(5 * time.Second)),
			no(after(5*time.Second), broken, "acquirer_internal_error")}},
		{asking{account: "4000008600"}, []stands{lives(after(5 * time.Second)),
			{day(2).At(5, 59), active, live, waiting, "", collection.Submitted, nil},
			{tuesday, mandate.Suspended, blocked, failed, rejected, collection.Unpaid, nil}}},
		{asking{account: "4000008700"}, []stands{fails(funds, live)}},
		{asking{account: "4000009002"}, []stands{fails(funds, live)}},
		{asking{account: "4000009102"}, []stands{fails(funds, live)}},
		{asking{account: "4000009202"}, []stands{{tuesday, active, live, waiting, "", collection.InTracking, nil},
			{day(5).At(5, 59), active, live, waiting, "", collection.InTracking, nil}, pays(day(5).At(6, 0))}},
		{asking{account: "4000009302"}, []stands{{day(12).At(5, 59), active, live, waiting, "", collection.InTracking, nil},
			{day(12).At(6, 0), active, live, failed, funds, collection.Unpaid, nil}}},
		{asking{account: "4000009003"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009004"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009005"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009006"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009008"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009010"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009012"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009016"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009018"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009022"}, []stands{fails(funds, live)}},
		{asking{account: "4000009026"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009056"}, []stands{fails(rejected, blocked)}},
		{asking{account: "4000009030"}, []stands{pays(tuesday), pays(day(12).At(6, 0))}}, // the bank refuses the dispute
		{asking{account: "4000009032"}, []stands{pays(day(12).At(6, 0))}},
		{asking{account: "4000009034"}, []stands{pays(day(12).At(6, 0))}},
		{asking{account: "4000009036"}, []stands{pays(day(12).At(6, 0))}},
		{asking{account: "4000009034", kind: mandate.Variable, most: 15000, collect: 9000}, []stands{
			{tuesday, active, live, paid, "", collection.Successful, []string{mandate.BecauseAmountDiffers}},
			{day(12).At(6, 0), active, blocked, purchase.Chargeback, "", collection.Disputed,
				[]string{mandate.BecauseAmountDiffers}}}},
		{asking{account: "4000009430"}, []stands{pays(day(45).At(6, 0))}},
		{asking{account: "4000009500"}, []stands{pays(tuesday), pays(day(9).At(6, 0))}},
		{asking{account: "4000009900"}, []stands{pays(tuesday)}},
		{asking{account: "4000009901"}, []stands{{day(45).At(6, 0), active, live, waiting, "", collection.Submitted, nil}}},
		{asking{account: bank.MockAccepted}, []stands{pays(tuesday)}},
		{asking{account: bank.MockUnpaid}, []stands{fails(funds, live)}},
		{asking{account: bank.MockDispute}, []stands{pays(day(12).At(6, 0))}},
	}
	made := make([]purchase.Record, len(cases))
	var moments []time.Time
	for i, c := range cases {
		c.ask.cents = 10000
		made[i] = h.request(c.ask)
		if made[i].Status != waiting || made[i].IsRecurringToken || h.token(made[i].ID).State != none {
			t.Errorf("%s begins %s with a token that is %s", c.ask.account.Reveal(), made[i].Status, h.token(made[i].ID).State)
		}
		for _, look := range c.looks {
			moments = append(moments, look.at)
		}
	}
	h.run()
	slices.SortFunc(moments, time.Time.Compare)
	for _, moment := range slices.CompactFunc(moments, time.Time.Equal) {
		h.to(moment)
		for i, c := range cases {
			for _, want := range c.looks {
				if !want.at.Equal(moment) {
					continue
				}
				rec := h.get(made[i].ID)
				got := stands{moment, h.mandate(rec.ID).State, h.token(rec.ID).State, rec.Status, lastError(rec), "", why(rec)}
				if rec.Collection != nil {
					got.debit = rec.Collection.State
				}
				same := got.mandate == want.mandate && got.token == want.token && got.status == want.status &&
					got.attempt == want.attempt &&
					got.debit == want.debit && slices.Equal(got.because, want.because)
				if !same {
					t.Errorf("%s %s fallback %t after %s: %+v\nwant %+v", c.ask.account.Reveal(), c.ask.how, c.ask.fallback,
						moment.Sub(start), got, want)
				}
				if rec.IsRecurringToken != (got.token != none) {
					t.Errorf("%s: is_recurring_token %t with a token that is %s", c.ask.account.Reveal(), rec.IsRecurringToken,
						got.token)
				}
				if h.ledger(rec.ID) != shown(rec.Purchase) {
					t.Errorf("%s: the purchase shows %d, the ledger %d", c.ask.account.Reveal(), shown(rec.Purchase), h.ledger(rec.ID))
				}
			}
		}
	}
	if n := h.number(`SELECT count(*) FROM bank_messages WHERE outcome = ''`); n != 0 {
		t.Errorf("%d messages of the bank have no outcome", n)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'collection.dispute_rejected'`); n != 6 {
		t.Errorf("%d refused disputes are noted, want 6", n)
	}
}

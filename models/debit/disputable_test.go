package debit_test

import (
	"slices"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/simulation"
)

// A charge says at once whether the payer could dispute it, and the payer's bank
// agrees: what was confirmed is not disputed.
func TestOnlyDebitsOutsideWhatWasConfirmedAreDisputed(t *testing.T) {
	t.Parallel()
	h := open(t)
	on := day(10)
	amount, date, fallback := mandate.BecauseAmountDiffers, mandate.BecauseDateDiffers, mandate.BecauseFallback
	cases := []struct {
		name    string
		ask     asking
		cents   int64
		day     calendar.Date
		because []string
	}{
		{"as confirmed", asking{account: "4000000000"}, 10000, on, nil},
		{"as confirmed, within a variable mandate", asking{account: "4000000000", kind: mandate.Variable, most: 15000}, 10000,
			on, nil},
		{"another amount", asking{account: "4000000000", kind: mandate.Variable, most: 15000}, 15000, on, []string{amount}},
		{"another date", asking{account: "4000000000", anyDay: true}, 10000, day(11), []string{date}},
		{"another amount and date", asking{account: "4000000000", kind: mandate.UsageBased, most: 90000, anyDay: true}, 90000,
			day(11), []string{amount, date}},
		{"as asked, but nobody answered", asking{account: "4000008480", fallback: true}, 10000, on, []string{fallback}},
		{"as asked, answered in the fallback", asking{account: "4000008120", fallback: true}, 10000, on, []string{fallback}},
	}
	tokens, charged := make([]purchase.Record, len(cases)), make([]purchase.Record, len(cases))
	for i, c := range cases {
		c.ask.cents, c.ask.noFirst, c.ask.due = 10000, true, noon(on) // the deduction day is the 10th
		tokens[i] = h.ask(c.ask)
	}
	h.to(start.Add(49 * time.Hour))
	for i, c := range cases {
		charged[i] = h.mustCharge(tokens[i].ID, c.cents, c.day)
		if got := why(charged[i]); !slices.Equal(got, c.because) {
			t.Errorf("%s: disputable because of %v, want %v", c.name, got, c.because)
		}
	}
	h.to(day(11).At(7, 0))
	for i, c := range cases {
		rec, err := h.controls.Force(ctx, h.who, charged[i].ID, simulation.BankAnswer{Dispute: "34"})
		if len(c.because) == 0 {
			refusedAs(t, err, fault.Invalid, "dispute_rejected", "refuses")
			if rec = h.get(charged[i].ID); rec.Status != purchase.Paid || rec.Collection.State != collection.Successful ||
				h.ledger(rec.ID) != c.cents {
				t.Errorf("%s: %s, %s, ledger %d", c.name, rec.Status, rec.Collection.State, h.ledger(rec.ID))
			}
			continue
		}
		must(t, err)
		if rec.Status != purchase.Chargeback || rec.Collection.State != collection.Disputed || h.ledger(rec.ID) != 0 {
			t.Errorf("%s: %s, %s, ledger %d", c.name, rec.Status, rec.Collection.State, h.ledger(rec.ID))
		}
	}
}

func TestAChargeOutsideTheTermsChangesNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	on := day(10)
	fixed := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(on)})
	variable := h.ask(asking{account: "4000000000", cents: 10001, noFirst: true, due: noon(on), kind: mandate.Variable,
		most: 15001})
	h.to(start.Add(time.Minute))
	for _, c := range []struct {
		token purchase.Record
		cents int64
		day   calendar.Date
		words string
	}{
		{fixed, 9999, on, "exactly"}, {fixed, 10001, on, "above the maximum"}, {fixed, 10000, day(11), "on the 10th"},
		{variable, 15002, on, "above the maximum"}, {variable, 10001, day(9), "on the 10th"},
	} {
		_, err := h.charge(c.token.ID, c.cents, c.day)
		kind := fault.Conflict
		if c.day != on {
			kind = fault.Invalid // at due
		}
		refusedAs(t, err, kind, "purchase_charge_error", c.words)
	}
	if n := h.number(`SELECT count(*) FROM collections`) +
		h.number(
			`SELECT count(*) FROM purchases WHERE status NOT IN ('created', 'preauthorized') OR status = 'created'
				AND jsonb_array_length(attempts) > 0`,
		); n != 0 {
		t.Errorf("%d traces of refused charges", n)
	}
	h.mustCharge(variable.ID, 15001, on)
	h.mustCharge(fixed.ID, 10000, on)
}

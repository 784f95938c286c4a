package main

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/analysis"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

// debitRow is a debit as its own row tells of it.
type debitRow struct {
	Purchase uuid.UUID
	Day      calendar.Date
	State    collection.State
	Code     string
	Attempt  int
	Cents    int64
}

// How debits went is counted once more, from each debit, and not from what is kept by day.
func TestHowDebitsWentIsWhatEachDebitSays(t *testing.T) {
	t.Parallel()
	app := openDemo(t, 26).app
	var merchantID uuid.UUID
	must(t, app.Store.Pool.QueryRow(t.Context(), `SELECT merchant_id FROM collections LIMIT 1`).Scan(
		(*[16]byte)(&merchantID)))
	who := actor.Actor{Kind: actor.User, Role: actor.Staff, MerchantID: merchantID}
	today := calendar.DateOf(app.Store.Now())
	q := analysis.Question{From: today.AddDays(-200), To: today.AddDays(40)}
	p, err := app.Services.Analysis.Look(t.Context(), who, q, q.Earlier())
	must(t, err)

	rows, err := app.Store.Pool.Query(t.Context(), `SELECT purchase_id, action_date, state, result_code, attempt,
			amount_cents FROM collections WHERE merchant_id = $1 AND action_date BETWEEN $2 AND $3
		ORDER BY purchase_id, attempt`, merchantID,
		q.From, q.To)
	must(t, err)
	debits, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d debitRow, err error) {
		err = row.Scan((*[16]byte)(&d.Purchase), &d.Day, &d.State, &d.Code, &d.Attempt, &d.Cents)
		return d, err
	})
	must(t, err)
	if len(debits) < 20 {
		t.Fatalf("the demo has %d debits", len(debits))
	}
	weekdays := map[time.Weekday]report.Outcome{}
	reasons := map[string]purchase.Tally{}
	failed := map[uuid.UUID]bool{}
	var all report.Outcome
	var open purchase.Tally
	for _, d := range debits {
		o := weekdays[d.Day.Weekday()]
		switch d.State.Outcome() {
		case collection.OutcomeCollected:
			o.Collected, all.Collected = o.Collected+1, all.Collected+1
		case collection.OutcomeFailed:
			o.Unpaid, all.Unpaid, failed[d.Purchase] = o.Unpaid+1, all.Unpaid+1, true
		case collection.OutcomeDisputed:
			o.Disputed, all.Disputed = o.Disputed+1, all.Disputed+1
		case collection.OutcomeOpen:
			if !d.Day.Before(today) && d.Day.Before(today.AddDays(30)) {
				open = purchase.Tally{N: open.N + 1, Cents: open.Cents + d.Cents}
			}
		}
		weekdays[d.Day.Weekday()] = o
		if s := d.State.Outcome(); s == collection.OutcomeFailed || s == collection.OutcomeDisputed {
			r := reasons[d.Code]
			reasons[d.Code] = purchase.Tally{N: r.N + 1, Cents: r.Cents + d.Cents}
		}
	}
	if p.All.Outcome() != all || all.Unpaid == 0 || all.Disputed == 0 {
		t.Errorf("in all %+v, want %+v", p.All.Outcome(), all)
	}
	for _, g := range p.Weekdays {
		if g.Outcome() != weekdays[g.Weekday] {
			t.Errorf("%s: %+v, want %+v", g.Weekday, g.Outcome(), weekdays[g.Weekday])
		}
	}
	for name, outcome := range map[string]func() report.Outcome{
		"days":    func() report.Outcome { return summed(p.Days) },
		"methods": func() report.Outcome { return summed(p.Methods) },
		"brands":  func() report.Outcome { return summed(p.Brands) },
		"months": func() (o report.Outcome) {
			for _, m := range p.Months {
				o = added(o, m.Outcome())
			}
			return o
		},
		"spans": func() (o report.Outcome) {
			for _, s := range p.Spans {
				o = added(o, s.Outcome())
			}
			return o
		}} {
		if got := outcome(); got != all {
			t.Errorf("the %s come to %+v, want %+v", name, got, all)
		}
	}
	told := map[string]purchase.Tally{}
	for _, r := range p.Reasons {
		told[r.Code] = r.All
	}
	if !reflect.DeepEqual(told, reasons) {
		t.Errorf("reasons %v, want %v", told, reasons)
	}
	ended := int64(0)
	for _, c := range p.Endings {
		ended += c.All.N
	}
	if ended != int64(len(failed)) {
		t.Errorf("%d failures ended, want %d", ended, len(failed))
	}
	o, err := app.Services.Analysis.Coming(t.Context(), who)
	must(t, err)
	if planned, _, band := o.Sum(30); planned != open || band.Low > band.Expected || band.Expected > band.High {
		t.Errorf("planned %+v, want %+v, band %+v", planned, open, band)
	}
}

func summed(groups []analysis.Group) (o report.Outcome) {
	for _, g := range groups {
		o = added(o, g.Outcome())
	}
	return o
}

func added(a, b report.Outcome) report.Outcome {
	return report.Outcome{Collected: a.Collected + b.Collected, Unpaid: a.Unpaid + b.Unpaid,
		Disputed: a.Disputed + b.Disputed}
}

// A purchase whose debit failed ends in one place, and moves there as things happen.
func TestAFailureEndsWhereThePurchaseStands(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	bought := v.charged("4000009002", 30007)
	v.api(200, "POST", "/sandbox/clock", `{"advance":"20d"}`)
	var merchantID uuid.UUID
	must(t, v.app.Store.Pool.QueryRow(t.Context(), `SELECT merchant_id FROM brands WHERE id = $1`, v.brand).Scan(
		(*[16]byte)(&merchantID)))
	who := actor.Actor{Kind: actor.User, Role: actor.Staff, MerchantID: merchantID}
	ends := func(want analysis.Ending) {
		t.Helper()
		today := calendar.DateOf(v.app.Store.Now())
		q := analysis.Question{From: today.AddDays(-60), To: today}
		p, err := v.app.Services.Analysis.Look(t.Context(), who, q, analysis.Question{})
		must(t, err)
		if len(p.Endings) != 1 || p.Endings[0].By[want] != (purchase.Tally{N: 1, Cents: 30007}) || p.Endings[0].All.N != 1 {
			t.Errorf("want %s: %+v", want, p.Endings)
		}
	}
	ends(analysis.StillOwed)
	v.exec(`INSERT INTO write_offs (id, merchant_id, purchase_id, amount_cents, vat_cents, currency, day, reason, by_name,
		created_at) VALUES (gen_random_uuid(), $1, $2, 30007, 0, 'ZAR', current_date, 'x', 'x', now())`, merchantID.String(),
		bought)
	ends(analysis.WrittenOff)
	v.api(200, "POST", "/api/v1/purchases/"+bought+"/mark_as_paid/", "")
	ends(analysis.ByHand)
}

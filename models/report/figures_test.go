package report_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/money"
	"debitdesk/models/ownrule"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/rulebook"
	"debitdesk/models/storetest"
)

// openAt is a merchant that has done nothing, at a moment.
func openAt(t *testing.T, now time.Time) (*database.DB, actor.Actor, *report.Service) {
	t.Helper()
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true,
		Machine: storetest.StandingClock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, now)
	who := actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: uuid.New(), ID: uuid.New(), Name: "Thandi"}
	if _, err := s.Pool.Exec(t.Context(), `INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
		VALUES ($1, 'gym', 'Gym', true, now(), now())`, who.MerchantID); err != nil {
		t.Fatal(err)
	}
	return s, who, &report.Service{Store: report.Store{DB: s}, Now: s.Now, Calendar: calendar.New(),
		Timetable: collection.DefaultTimetable()}
}

// A merchant that has done nothing sees nothing but its limits: those of the clearing rules, or its own from their day.
func TestFiguresOfAnEmptyMerchantAreNothingButItsLimits(t *testing.T) {
	s, who, figures := openAt(t, calendar.On(2026, time.November, 20).At(9, 0))
	for _, want := range []int64{1000, 500} {
		f, err := figures.Figures(t.Context(), who)
		if err != nil || f.Limits.Unpaid != want || f.Limits.Own[0] != (want == 500) {
			t.Errorf("limits %+v, want %d: %v", f.Limits, want, err)
		}
		if f.NetCents != money.SumOf(0) || f.Outcome != (report.Outcome{}) || f.Today != (purchase.Tally{}) ||
			len(f.Days) != 30 {
			t.Errorf("%+v", f)
		}
		rules := &ownrule.Service{Store: ownrule.Store{DB: s}, Book: rulebook.Default()}
		if want == 500 {
			continue
		}
		if _, err := rules.Set(t.Context(), who, ownrule.Input{Key: "ratio.unpaid", Value: 500,
			From: calendar.On(2026, time.November, 21)}); err != nil {
			t.Fatal(err)
		}
		storetest.StartAt(t, s.Clock, calendar.On(2026, time.November, 21).At(9, 0))
	}
	if start, err := figures.Start(t.Context(), who); start != (report.Start{}) || err != nil {
		t.Errorf("%+v, %v", start, err)
	}
	if a, err := figures.ClientAccount(t.Context(), who, uuid.New()); a.Older || len(a.Planned) > 0 || err != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// A Friday morning: the cut-off is at noon, and Monday is no part of tomorrow.
func TestWhatIsComingIsCountedByDebitDateAndByTheNextCutOff(t *testing.T) {
	friday := calendar.On(2026, time.November, 20)
	s, who, figures := openAt(t, friday.At(9, 0))
	if _, err := s.Pool.Exec(t.Context(), `ALTER TABLE collections DROP CONSTRAINT collections_purchase_id_fkey,
		DROP CONSTRAINT collections_mandate_id_fkey`); err != nil { // the debits stand alone
		t.Fatal(err)
	}
	for _, d := range []struct {
		state    collection.State
		on       calendar.Date
		submitAt time.Time
		cents    int64
	}{
		{collection.Submitted, friday, friday.At(8, 0), 1},
		{collection.Final, friday, friday.At(8, 0), 10}, // answered
		{collection.Scheduled, friday.AddDays(1), friday.At(12, 0), 100},
		{collection.Scheduled, friday.AddDays(3), friday.At(12, 0), 1000},
		{collection.Scheduled, friday.AddDays(3), friday.At(12, 0).Add(time.Second), 10_000}, // the cut-off after
	} {
		if _, err := s.Pool.Exec(t.Context(), `INSERT INTO collections (id, merchant_id, brand_id, client_id, purchase_id,
				attempt, token_id, mandate_id, method, state, amount_cents, currency, action_date, original_date, submit_at,
				execute_at, service, statement_line, created_at, updated_at)
			VALUES ($1, $2, $1, $1, $1, 1, $1, $1, 'eft', $3, $4, 'ZAR', $5, $5, $6, $6, '', '', $6, $6)`,
			s.NewID(), who.MerchantID, string(d.state), d.cents, d.on, d.submitAt); err != nil {
			t.Fatal(err)
		}
	}
	f, err := figures.Figures(t.Context(), who)
	if err != nil || f.Today != (purchase.Tally{N: 1, Cents: 1}) || f.Tomorrow != (purchase.Tally{N: 1, Cents: 100}) {
		t.Errorf("today %+v, tomorrow %+v: %v", f.Today, f.Tomorrow, err)
	}
	if !f.NextCutOff.Equal(friday.At(12, 0)) || f.ToSubmit != (purchase.Tally{N: 2, Cents: 1100}) {
		t.Errorf("by %s: %+v", f.NextCutOff, f.ToSubmit)
	}
}

package report_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/money"
	"debitdesk/models/ownrule"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/rulebook"
	"debitdesk/models/store"
	"debitdesk/models/store/storetest"
)

// A merchant that has done nothing sees nothing but its limits: those of the clearing rules, or its own from their day.
func TestFiguresOfAnEmptyMerchantAreNothingButItsLimits(t *testing.T) {
	s, err := store.Open(t.Context(), storetest.DSN(t), store.Options{Sandbox: true, Machine: storetest.StandingClock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, calendar.On(2026, time.November, 20).At(9, 0))
	who := actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: uuid.New(), ID: uuid.New(), Name: "Thandi"}
	if _, err := s.Pool.Exec(t.Context(), `INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
		VALUES ($1, 'gym', 'Gym', true, now(), now())`, who.MerchantID); err != nil {
		t.Fatal(err)
	}
	figures := &report.Service{Store: report.Store{DB: s.DB}, Now: s.Now, Calendar: calendar.New(),
		Timetable: collection.DefaultTimetable(), Debits: s.TallyDebits}
	for _, want := range []int64{1000, 500} {
		f, err := figures.Figures(t.Context(), who)
		if err != nil || f.Limits.Unpaid != want || f.Limits.Own[0] != (want == 500) {
			t.Errorf("limits %+v, want %d: %v", f.Limits, want, err)
		}
		if f.NetCents != money.SumOf(0) || f.Outcome != (report.Outcome{}) || f.Today != (purchase.Tally{}) ||
			len(f.Days) != 30 {
			t.Errorf("%+v", f)
		}
		rules := &ownrule.Service{Store: ownrule.Store{DB: s.DB}, Book: rulebook.Default()}
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

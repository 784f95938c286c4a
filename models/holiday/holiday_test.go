package holiday_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/holiday"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

func TestAnAdminOfTheOnlyBusinessAddsAHoliday(t *testing.T) {
	ctx := t.Context()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(ctx, storetest.DSN(t), database.Options{Seal: box, Sandbox: true,
		Machine:  storetest.StandingClock(),
		MaxConns: 4, Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, calendar.On(2026, time.November, 23).At(9, 0))
	merchant := func(slug string) actor.Actor {
		id := s.NewID()
		_, err := s.Pool.Exec(ctx, `INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
			VALUES ($1, $2, $2, true, $3, $3)`, id, slug, s.Now())
		must(t, err)
		return actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: id, Name: "Owner"}
	}
	admin := merchant("gym")
	days := &holiday.Service{Store: holiday.Store{DB: s}}
	staff := admin
	staff.Role = actor.Staff
	change := calendar.Change{Day: calendar.On(2027, time.January, 11), Name: "Election day"}
	if _, err := days.Add(ctx, staff, change); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff: %v", err)
	}
	_, err = days.Add(ctx, admin, change)
	must(t, err)
	known, err := days.Store.ProclaimedDays(ctx)
	must(t, err)
	if len(known) != 1 || known[0].Name != "Election day" || known[0].KnownFrom != calendar.On(2026, time.November, 23) {
		t.Errorf("%+v", known)
	}
	var who string
	must(t, s.Pool.QueryRow(ctx, `SELECT actor_name FROM audit_entries WHERE action = 'calendar.day_added'`).Scan(&who))
	if who != "Owner" {
		t.Errorf("the audit names %q", who)
	}
	merchant("school")
	if _, err := days.Add(ctx, admin, change); !fault.Is(err, fault.Forbidden) {
		t.Errorf("beside another business: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

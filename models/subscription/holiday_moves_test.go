package subscription_test

import (
	"strings"
	"testing"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

func TestDebitsOnANewHolidayMoveWhenAnAdminConfirms(t *testing.T) {
	t.Parallel()
	h := open(t)
	holiday := day(time.February, 17) // a Wednesday
	clientID, tokenID := h.stored("4000000000")
	planned, err := h.charge(clientID, tokenID, holiday.At(12, 0))
	must(t, err)
	beside, err := h.charge(clientID, tokenID, day(time.February, 18).At(12, 0))
	must(t, err)
	if planned.Collection.ActionDate != holiday {
		t.Fatalf("it runs on %s", planned.Collection.ActionDate)
	}
	by := h.purchases.Calendar.With(calendar.Change{Day: holiday, Name: "Day of mourning"})
	before, err := h.purchases.HolidayMoves(ctx, h.who, holiday, by)
	must(t, err)
	if len(before.All) != 1 || before.All[0].ID != planned.ID || before.All[0].To != day(time.February, 16) {
		t.Fatalf("%+v", before.All)
	}
	_, err = h.purchases.MoveOffHoliday(ctx, h.who, holiday, before.Digest())
	if !fault.HasCode(err, "no_holiday") {
		t.Errorf("before it is a holiday: %v", err)
	}
	h.purchases.Calendar.Replace(calendar.Change{Day: holiday, Name: "Day of mourning"})
	if rec := h.get(planned.ID); rec.Collection.ActionDate != holiday {
		t.Error("it moved by itself")
	}
	staff := h.who
	staff.Role = actor.Finance
	if _, err := h.purchases.MoveOffHoliday(ctx, staff, holiday, before.Digest()); !fault.Is(err, fault.Forbidden) {
		t.Errorf("finance: %v", err)
	}
	if _, err := h.purchases.MoveOffHoliday(ctx, h.who, holiday, "other"); !fault.HasCode(err, "stakes_grew") {
		t.Errorf("something else was seen: %v", err)
	}
	for n, want := range []int{1, 0} {
		moved, err := h.purchases.MoveOffHoliday(ctx, h.who, holiday, before.Digest())
		if must(t, err); moved != want {
			t.Errorf("round %d moved %d", n, moved)
		}
	}
	rec := h.get(planned.ID)
	if c := rec.Collection; c.ActionDate != day(time.February, 16) || c.State != collection.Scheduled ||
		!c.SubmitAt.Before(planned.Collection.SubmitAt) || !strings.Contains(c.StatementLine, "270216") {
		t.Errorf("it runs on %s, goes at %s: %s", c.ActionDate, c.SubmitAt, c.StatementLine)
	}
	if h.get(beside.ID).Collection.ActionDate != day(time.February, 18) {
		t.Error("a debit beside the holiday moved")
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'collection.moved_off_holiday'`); n != 1 {
		t.Errorf("%d entries", n)
	}
	h.purchases.Calendar.Replace() // it is taken back
	h.to(day(time.February, 10).At(10, 0))
	if h.get(planned.ID).Collection.ActionDate != day(time.February, 16) {
		t.Error("it moved back by itself")
	}
	h.to(day(time.March, 20).At(10, 0))
	if status := h.get(planned.ID).Status; status != purchase.Paid {
		t.Errorf("in the end %s", status)
	}
}

func TestADebitThatTheBankHasStaysOnANewHoliday(t *testing.T) {
	t.Parallel()
	h := open(t)
	holiday := day(time.February, 17)
	clientID, tokenID := h.stored("4000000000")
	planned, err := h.charge(clientID, tokenID, holiday.At(12, 0))
	must(t, err)
	h.to(planned.Collection.SubmitAt.Add(time.Minute))
	h.purchases.Calendar.Replace(calendar.Change{Day: holiday, Name: "Day of mourning"})
	all, err := h.purchases.HolidayMoves(ctx, h.who, holiday, h.purchases.Calendar)
	must(t, err)
	if len(all.All) != 1 || !all.All[0].To.IsZero() || !strings.Contains(all.All[0].Why, "with the bank already") {
		t.Errorf("%+v", all.All)
	}
	if moved, err := h.purchases.MoveOffHoliday(ctx, h.who, holiday, all.Digest()); moved != 0 || err != nil {
		t.Errorf("moved %d: %v", moved, err)
	}
}

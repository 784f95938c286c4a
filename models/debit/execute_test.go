package debit_test

import (
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

func (h *house) wantStatus(p purchase.Record, want purchase.Status) {
	h.t.Helper()
	if got := h.get(p.ID).Status; got != want {
		h.t.Errorf("at %s the purchase is %s, want %s", h.store.Now(), got, want)
	}
}

// The release before keeps the moment with the debit alone, and may serve beside this one.
func TestAChargeOfTheReleaseBeforeTurnsPendingExecuteInTime(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.mustCharge(h.stored(), 5000, calendar.On(2027, time.February, 12))
	h.exec(`UPDATE purchases SET execute_at = NULL WHERE id = $1`, p.ID)
	if late, err := h.debits.Overdue(ctx); err != nil || !late {
		t.Errorf("nothing would date it: %v", err)
	}
	h.to(p.Collection.ExecuteAt.Add(-time.Minute))
	h.wantStatus(p, purchase.PendingCharge)
	h.to(p.Collection.ExecuteAt)
	h.wantStatus(p, purchase.PendingExecute)
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'purchase.pending_execute' AND object_id = $1
		AND text = 'The due date has come. The account is debited on 12 Feb 2027.'`, p.ID); n != 1 {
		t.Errorf("%d entries", n)
	}
}

// A debit that was planned for the Friday before a Sunday runs on the Monday when its deadline was missed.
func TestADebitThatIsPlannedAgainStartsOnItsNewDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.stored()
	p := h.mustCharge(id, 5000, calendar.On(2027, time.February, 14))
	deadline, before := p.Collection.SubmitAt, p.Collection.ExecuteAt
	h.to(deadline.Add(-5 * time.Minute))
	d := h.setAside(id)
	h.to(deadline.Add(time.Minute))
	_, err := h.deletions.Undo(ctx, h.who, d.ID)
	must(t, err)
	after := h.get(p.ID).Collection.ExecuteAt
	if !after.After(before) {
		t.Fatalf("starts at %s as before", after)
	}
	h.to(after.Add(-time.Minute))
	h.wantStatus(p, purchase.PendingCharge)
	h.to(after)
	h.wantStatus(p, purchase.PendingExecute)
}

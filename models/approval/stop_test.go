package approval_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/approval"
	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/clientstop"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// member is a client whose account is stored.
func (h *house) member() (clientID, tokenID uuid.UUID) {
	h.t.Helper()
	ctx := context.Background()
	clients := &client.Service{Store: client.Store{DB: h.store}, Now: h.store.Now}
	c, err := clients.Create(ctx, h.asker, client.Input{Details: client.Details{Email: "n@example.org",
		FullName: "N Dlamini", BankAccount: "62000000123", BankCode: "632005", AccountType: bank.Current}})
	must(h.t, err)
	rec, err := h.purchases.Create(ctx, h.asker, purchase.Input{ClientID: c.ID, BrandID: h.brand, Currency: "ZAR",
		Details: one(0), DirectDebit: &purchase.DirectDebitInput{},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true}})
	must(h.t, err)
	return c.ID, rec.ID
}

func TestStaffAskToStopEverythingAndAnotherPersonConfirms(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	clientID, tokenID := h.member()
	ask := func() approval.Approval {
		t.Helper()
		a, err := h.approvals.Ask(ctx, h.staff, approval.StopClient, approval.Subject{Client: clientID}, "He is ill.")
		must(t, err)
		return a
	}
	stopped := func() int {
		return h.count(`SELECT count(*) FROM clients c JOIN tokens t ON t.client_id = c.id
			WHERE c.id = $1 AND c.stopped_at IS NOT NULL AND t.id = $2 AND t.held_at IS NOT NULL`, clientID, tokenID)
	}
	a := ask()
	if stopped() != 0 || h.count(`SELECT count(*) FROM mails WHERE kind = 'approval_asked'`) != 3 {
		t.Error("it was not only asked for, of all who may agree")
	}
	_, err := h.approvals.Ask(ctx, h.staff, approval.StopClient, approval.Subject{Client: clientID}, "Again.")
	wantCode(t, err, "already_asked")
	if _, err := h.says(h.staff, a, true); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff confirmed it: %v", err)
	}
	_, err = h.approvals.Decide(ctx, h.finance, a.ID, approval.Verdict{Words: "He pays."})
	must(t, err)
	if stopped() != 0 {
		t.Error("it was refused and done")
	}
	a = ask()
	_, err = h.says(h.finance, a, true)
	must(t, err)
	if stopped() != 1 {
		t.Error("it was confirmed and not done")
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'client.stopped' AND actor_id = $1
		AND after->>'approved_by' = 'Aisha' AND after->>'reason' = 'He is ill.'`, h.staff.ID); n != 1 {
		t.Errorf("%d entries name who asked and who confirmed", n)
	}
	_, err = h.approvals.Ask(ctx, h.staff, approval.StopClient, approval.Subject{Client: clientID}, "Again.")
	wantCode(t, err, "already_stopped")
	if _, err := h.approvals.Ask(ctx, h.stranger, approval.StopClient, approval.Subject{Client: clientID},
		"x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
}

func TestAStopThatSomebodyWasQuickerWithIsNotConfirmedTwice(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	clientID, _ := h.member()
	a, err := h.approvals.Ask(ctx, h.staff, approval.StopClient, approval.Subject{Client: clientID}, "He is ill.")
	must(t, err)
	_, err = h.stops.StopClient(ctx, h.second, clientstop.StopInput{ClientID: clientID, Reason: "He called."})
	must(t, err)
	_, err = h.says(h.finance, a, true)
	wantCode(t, err, "nothing_left")
}

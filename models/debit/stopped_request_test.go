package debit_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/clientstop"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// stop stops everything that is debited from the client of a purchase; the function that it gives undoes that.
func (h *house) stop(clientID uuid.UUID) (undo func()) {
	h.t.Helper()
	stop, err := h.stops.StopClient(context.Background(), h.who,
		clientstop.StopInput{ClientID: clientID, Reason: "The client wants nothing debited."})
	must(h.t, err)
	return func() {
		_, err := h.stops.ResumeClient(context.Background(), h.who, clientID, stop.ID)
		must(h.t, err)
	}
}

// ofClient is what debicheck makes, for a client of the book who has not been asked yet.
func (h *house) ofClient(account bank.AccountNumber) purchase.Record {
	h.t.Helper()
	clients := &client.Service{Store: client.Store{DB: h.store}, Now: h.store.Now}
	c, err := clients.Create(context.Background(), h.who, client.Input{Details: asksPayer(account)})
	must(h.t, err)
	return h.asks(purchase.Input{ClientID: c.ID}, mandate.Delayed, false)
}

// asking is how far the last request for a mandate has come.
func (h *house) asking(id uuid.UUID) mandate.AuthState { return h.asked(id)[0].State }

func TestNobodyIsAskedForAMandateWhileEverythingIsStopped(t *testing.T) {
	t.Parallel()
	h := open(t)
	resumed, over := h.ofClient("4000008000"), h.ofClient("4000008000")
	undo := h.stop(resumed.ClientID)
	h.stop(over.ClientID)
	h.to(start.Add(time.Hour))
	for _, rec := range []purchase.Record{resumed, over} {
		if got := h.asking(rec.ID); got != mandate.AuthRequested {
			t.Errorf("while everything is stopped the request is %s", got)
		}
	}
	undo()
	h.to(start.Add(2 * time.Hour))
	if got := h.asking(resumed.ID); got == mandate.AuthRequested {
		t.Error("the request did not leave after the stop was undone")
	}
	h.to(start.Add(72 * time.Hour))
	if got, m := h.asking(over.ID), h.mandateOf(over.ID); got.Open() || m.State.Waiting() {
		t.Errorf("nobody was asked in time, and the request is %s, the mandate %s", got, m.State)
	}
}

func TestAnAccountThatIsConfirmedWhileEverythingIsStoppedIsNotDebited(t *testing.T) {
	t.Parallel()
	h := open(t)
	rec := h.ofClient("4000008120")
	h.to(start.Add(time.Minute))
	if got := h.asking(rec.ID); got != mandate.AuthSent && got != mandate.AuthDelivered {
		t.Fatalf("the request is %s", got)
	}
	undo := h.stop(rec.ClientID)
	h.to(start.Add(20 * 24 * time.Hour))
	if m, tok := h.mandateOf(rec.ID), h.token(rec.ID); m.State != mandate.ActiveState || tok.State != token.Active ||
		!tok.Held() {
		t.Fatalf("the mandate is %s, the token %s, held: %v", m.State, tok.State, tok.Held())
	}
	if c := h.get(rec.ID).Collection; c == nil || c.State != collection.Scheduled {
		t.Fatalf("the first debit is %+v", c)
	}
	if n := h.ledger(rec.ID); n != 0 {
		t.Errorf("%d cents were moved while everything was stopped", n)
	}
	undo()
	h.to(start.Add(40 * 24 * time.Hour))
	if n := h.ledger(rec.ID); n != rec.TotalCents {
		t.Errorf("%d cents came after the stop was undone", n)
	}
}

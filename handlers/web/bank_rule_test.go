package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"

	"debitdesk/models/allocation"
	"debitdesk/models/database"
	"debitdesk/models/merchant"
)

// rules is the service that a worker runs.
func (h eft) rules() *allocation.Service {
	return &allocation.Service{Store: allocation.Store{DB: h.Store}, Purchases: h.Purchases, Movements: h.Exchange,
		Alone: (&merchant.Service{Store: merchant.Store{DB: h.Store}}).Alone}
}

// run lets a worker look at what came.
func (h eft) run(want int) {
	h.t.Helper()
	if n, err := h.rules().Run(h.t.Context()); err != nil || n != want {
		h.t.Errorf("the rule booked %d movements, want %d: %v", n, want, err)
	}
}

func (h eft) switchTo(what string) {
	h.t.Helper()
	h.Page(h.A.Owner, "POST", "/bank/rule", url.Values{"rule": {what}}).Want(303)
}

func TestTheRuleForEFTIsOffUntilAnAdminSwitchesItOn(t *testing.T) {
	h := eftServer(t)
	first := h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	before := h.came(45000, "KSF-1032")
	h.run(0)
	h.Page(h.A.Finance, "GET", "/bank/rule", nil).Want(403)
	h.Page(h.A.Finance, "POST", "/bank/rule", url.Values{"rule": {"on"}}).Want(403)
	h.Page(h.A.Owner, "GET", "/bank/rule", nil).Want(200).Contains("Off", "Switch on",
		"Of 1 movement of the last 90 days that waited for a person, the rule would have booked 1 (R\u00a0450,00).")
	h.switchTo("on")
	h.Page(h.A.Owner, "GET", "/bank/rule", nil).Want(200).Contains("Switch off", "Switched on by")
	h.run(0) // what waited before is left to people
	second := h.owes("Piet Botha", "KSF-1033", 30000)
	at := h.came(30000, "FEES KSF 1033")
	h.run(1)
	h.run(0)
	if h.status(first) == "paid" || h.status(second) != "paid" {
		t.Error(h.status(first), h.status(second))
	}
	h.look(at).Contains("Paid by EFT", "booked by Rule for EFT payments", "Undo")
	h.look("/purchases/" + second).Contains("Rule for EFT payments")
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE actor_name = 'Rule for EFT payments'
		AND action IN ('purchase.marked_as_paid', 'bank.entry_paid') AND actor_kind = 'system'`); n != 2 {
		t.Errorf("%d entries of the audit name the rule", n)
	}
	bankPost(h.Server, before+"/payments", pays(0, first, "450,00")).Contains("The payment is booked.")
	h.Page(h.A.Owner, "GET", "/bank/rule", nil).Want(200).Contains("would have booked 2 (R\u00a0750,00)",
		"People booked 2 of these on the same purchase.") // of both, the purchase as it stood
	h.switchTo("off")
	h.owes("Piet Botha", "KSF-1034", 30000)
	h.came(30000, "KSF-1034")
	h.run(0)
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'bank.eft_rule_changed'`); n != 2 {
		t.Errorf("%d entries of the audit", n)
	}
	h.holds(75000)
}

func TestTheRuleForEFTBooksOnlyWhereNothingElseCanBeMeant(t *testing.T) {
	h := eftServer(t)
	h.switchTo("on")
	h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	h.owes("Nomsa Dlamini", "KSF-1039", 45000)
	h.owes("Sipho Zulu", "SAME-1", 20000)
	h.owes("Lerato Mokoena", "SAME-1", 21000)
	h.owes("Piet Botha", "2026", 20000)
	part := h.owes("Piet Botha", "KSF-1050", 20000)
	bankPost(h.Server, h.came(5000, "")+"/payments", pays(0, part, "50,00"))
	for _, one := range []struct {
		why, text string
		cents     int64
	}{
		{"less than is owed", "KSF-1032", 44999},
		{"more than is owed", "KSF-1032", 45001},
		{"a part of the reference", "KSF-103", 45000},
		{"more than the reference", "KSF-1032-1", 45000},
		{"the client's name alone", "DLAMINI", 45000},
		{"two purchases", "KSF-1032 KSF-1039", 45000},
		{"two of the same reference, of which one agrees", "SAME-1", 20000},
		{"a year", "FEES 2026", 20000},
		{"many numbers", "A1111 B2222 C3333 D4444 E5555 F6666 KSF-1032", 45000},
		{"all of the purchase, of which a part is paid", "KSF-1050", 20000},
	} {
		at := h.came(one.cents, one.text)
		if n, err := h.rules().Run(t.Context()); err != nil || n != 0 {
			t.Errorf("%s: %d, %v", one.why, n, err)
		}
		h.look(at).Contains("Unmatched")
	}
	out := h.Unmatched(45000, false, bankMonday)
	back := h.Unmatched(45000, true, bankMonday)
	dollars := h.Unmatched(45000, true, bankMonday)
	h.exec(`UPDATE bank_entries SET remittance = 'KSF-1032', reversal = id = $2, currency = CASE id WHEN $3 THEN 'USD'
		ELSE 'ZAR' END WHERE id IN ($1, $2, $3)`, [16]byte(out), [16]byte(back), [16]byte(dollars))
	h.run(0)
	_, purchases := h.HandOver(1, 15000, bankThursday) // a debit is planned
	var name string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT coalesce(nullif(reference, ''), reference_generated)
		FROM purchases WHERE id = $1`, [16]byte(purchases[0])).Scan(&name); err != nil {
		t.Fatal(err)
	}
	h.came(15000, name)
	h.run(0)
	h.came(15000, "KSF-1050") // what is left of the part
	h.run(1)
	h.came(45000, "PAYMENT ksf 1039 THANKS")
	h.run(1)
	h.holds(5000 + 15000 + 45000)
}

// What a person took back is theirs: the rule never books that movement again.
func TestTheRuleForEFTLeavesAMovementAloneAfterAnUndo(t *testing.T) {
	h := eftServer(t)
	h.switchTo("on")
	owed := h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	at := h.came(45000, "KSF-1032")
	h.run(1)
	h.look("/bank/movements").Contains("by Rule for EFT payments")
	bankPost(h.Server, at+"/payments/return", h.bookedFor(owed)).Contains("The payment is taken back.")
	h.run(0)
	h.switchTo("off")
	h.switchTo("on")
	h.run(0)
	h.look(at).Contains("Unmatched")
	h.holds(0)
	bankPost(h.Server, at+"/payments", pays(0, owed, "450,00")).Contains("The payment is booked.")
	bankPost(h.Server, at+"/payments/return", h.bookedFor(owed))
	h.run(0)
	other := h.came(45000, "KSF-1032") // decided by a person before the rule came round
	bankPost(h.Server, other+"/payments", pays(0, owed, "450,00"))
	bankPost(h.Server, other+"/payments/return", h.bookedFor(owed))
	h.run(0)
	h.came(45000, "KSF-1032") // another movement is looked at as any other
	h.run(1)
	h.holds(45000)
}

// Two processes that look at once, and one that is stopped at any step, book each movement once.
func TestTheRuleForEFTBooksOnceHoweverOftenItRuns(t *testing.T) {
	h := eftServer(t)
	h.switchTo("on")
	for n := range 6 {
		h.owes("Nomsa Dlamini", fmt.Sprintf("KSF-20%02d", n), 10000)
		h.came(10000, fmt.Sprintf("KSF-20%02d", n))
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if _, err := h.rules().Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	h.holds(60000)
	h.owes("Piet Botha", "KSF-3001", 10000)
	h.came(10000, "KSF-3001")
	s, stopped := h.rules(), *h.Purchases
	s.Purchases = &stopped
	stopped.InTx = func(ctx context.Context, do func(*database.Tx) error) error {
		return h.Purchases.InTx(ctx, func(tx *database.Tx) error { return errors.Join(do(tx), errors.New("killed")) })
	}
	if n, err := s.Run(t.Context()); err == nil || n != 0 {
		t.Errorf("a transaction that was cut off counts: %d, %v", n, err)
	}
	h.holds(60000)
	h.run(1)
	h.holds(70000)
}

// Where the business wants a second approver for what directs money, nobody switches the rule on alone.
func TestTheRuleForEFTWaitsForASecondApprover(t *testing.T) {
	h := eftServer(t)
	h.exec(`UPDATE merchants SET approve_settings = true WHERE id = $1`, [16]byte(h.A.ID))
	h.Page(h.A.Owner, "POST", "/bank/rule", url.Values{"rule": {"on"}}).Want(200).Contains("Ask for approval",
		"booked without a person")
	h.Page(h.A.Owner, "POST", "/bank/rule", url.Values{"rule": {"on"}, "reason": {"Less work."}}).Want(303)
	h.Page(h.A.Owner, "GET", "/bank/rule", nil).Want(200).Contains("Switch on the rule for EFT payments, asked by")
	if n := h.Count(`SELECT count(*) FROM merchants WHERE eft_rule_since IS NOT NULL`); n != 0 {
		t.Error("it is on before the second approver agreed")
	}
	var request string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT '/approvals/' || id FROM approvals`).Scan(&request); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "GET", request, nil).Want(200).Contains("Approve: switch on the rule for EFT payments",
		"which owes just that amount")
	h.Page(h.A.Finance, "POST", request+"/decision", url.Values{"answer": {"yes"}}).Want(303)
	if n := h.Count(`SELECT count(*) FROM merchants WHERE eft_rule_since IS NOT NULL AND eft_rule_by <> ''`); n != 1 {
		t.Error("it is off after the second approver agreed")
	}
	h.switchTo("off") // needs nobody
	if n := h.Count(`SELECT count(*) FROM merchants WHERE eft_rule_since IS NOT NULL`); n != 0 {
		t.Error("it is on")
	}
}

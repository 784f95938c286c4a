package tests

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/attention"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/followup"
	"debitdesk/models/plan"
	"debitdesk/models/purchase"
)

var errUndone = errors.New("undone")

// Whatever settles a purchase, or takes the permission away, stops its run in the same transaction. (follow-up.md,
// section 5)
func TestEachStopIsInTheTransactionOfItsEvent(t *testing.T) {
	h := open(t)
	h.plan(usual)
	stops := []struct {
		name   string
		sql    string // of the event; ? is the purchase
		state  plan.RunState
		reason string
	}{
		{"paid", `UPDATE purchases SET status = 'paid', updated_at = now() WHERE id = ?`, plan.Over, "paid"},
		{"cancelled", `UPDATE purchases SET status = 'cancelled', updated_at = now() WHERE id = ?`, plan.Over, "cancelled"},
		{"disputed", `UPDATE purchases SET status = 'chargeback', updated_at = now() WHERE id = ?`, plan.Over, "disputed"},
		{"another debit", `UPDATE purchases SET status = 'pending_charge', updated_at = now() WHERE id = ?`, plan.Held, ""},
		{"promise", `INSERT INTO promises (id, merchant_id, purchase_id, amount_cents, currency, due_on, state, author,
				created_at, updated_at) SELECT gen_random_uuid(), merchant_id, id, 100, 'ZAR', '2026-12-10', 'open', 'x', now(),
				now() FROM purchases WHERE id = ?`, plan.Held, ""},
		{"promise of the client", `INSERT INTO promises (id, merchant_id, client_id, amount_cents, currency, due_on, state,
				author, created_at, updated_at) SELECT gen_random_uuid(), merchant_id, client_id, 100, 'ZAR', '2026-12-10',
				'open', 'x', now(), now() FROM purchases WHERE id = ?`, plan.Held, ""},
		{"token deleted", `UPDATE tokens SET state = 'deleting', updated_at = now()
			WHERE id = (SELECT token_id FROM purchases WHERE id = ?)`, plan.Over, "token_deleted"},
		{"client objected", `UPDATE tokens SET objected_at = now(), held_at = now(), updated_at = now()
			WHERE id = (SELECT token_id FROM purchases WHERE id = ?)`, plan.Over, "objected"},
		{"account replaced", `UPDATE tokens SET state = 'superseded', updated_at = now()
			WHERE id = (SELECT token_id FROM purchases WHERE id = ?)`, plan.Over, "account_replaced"},
		{"mandate cancelled", `UPDATE mandates SET state = 'cancelled', updated_at = now()
			WHERE id = (SELECT token_id FROM purchases WHERE id = ?)`, plan.Over, "mandate_ended"},
		{"mandate suspended", `UPDATE mandates SET state = 'suspended', updated_at = now()
			WHERE id = (SELECT token_id FROM purchases WHERE id = ?)`, plan.Over, "mandate_ended"},
		{"client stopped", `UPDATE clients SET stopped_at = now(), updated_at = now()
			WHERE id = (SELECT client_id FROM purchases WHERE id = ?)`, plan.Over, "client_asked"},
		{"written off", `INSERT INTO followups (merchant_id, object_id, kind, at, state, hidden_until, reason, actor, acted_at)
			SELECT merchant_id, id, 'failed', now(), 'closed', 'infinity', 'written_off', 'x', now() FROM purchases
			WHERE id = ?`, plan.Over, "written_off"},
	}
	id := h.failing("02")[0]
	for _, s := range stops {
		err := h.store.InTx(ctx, func(tx *database.Tx) error {
			tx.Exec(s.sql, id)
			runs, err := plan.Store{DB: tx.DB()}.RunsOf(tx.Context(), h.who.MerchantID, id)
			if err != nil {
				return err
			}
			if r := runs[0]; r.State != s.state || r.EndReason != s.reason {
				t.Errorf("%s: in its transaction the run is %s %q", s.name, r.State, r.EndReason)
			}
			return errUndone
		})
		if !errors.Is(err, errUndone) {
			t.Errorf("%s: %v", s.name, err)
		}
		if r := h.run(id); r.State != plan.Waiting {
			t.Fatalf("%s: undone, the run is %s", s.name, r.State)
		}
	}
}

// A promise holds the run until the day after; then it goes on from where it was.
func TestAPromiseHoldsUntilTheDayAfter(t *testing.T) {
	h := open(t)
	h.plan(plan.Steps{plan.Money: {{Kind: plan.WaitDays, N: 2}, {Kind: plan.Task}}})
	id := h.failing("02")[0]
	_, err := h.use.Followups.AddPromise(ctx, h.who, about(id), followup.Promising{DueOn: dec(4)})
	must(t, err)
	if r := h.run(id); r.State != plan.Held || r.HeldFor != plan.ForPromise || r.HeldUntil != dec(5) {
		t.Fatalf("the run is %+v", r)
	}
	h.to(dec(4).At(20, 0))
	if r := h.run(id); r.State != plan.Held {
		t.Errorf("on the promised day the run is %s", r.State)
	}
	h.to(dec(5).At(1, 0))
	if r := h.run(id); r.State != plan.WithPerson {
		t.Errorf("on the day after the run is %s", r.State)
	}
}

// Promises about one purchase that are written down at once are taken one after the other: the last one stands.
func TestOfPromisesAtOnceOneStands(t *testing.T) {
	h := open(t)
	h.plan(usual)
	for _, id := range h.failing("02", "02", "02", "02") {
		var all sync.WaitGroup
		for d := range 4 {
			all.Go(func() {
				if _, err := h.use.Followups.AddPromise(ctx, h.who, about(id), followup.Promising{DueOn: dec(4 + d)}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := h.number(`SELECT count(*) FROM promises WHERE purchase_id = $1 AND state = 'open'`, id); n != 1 {
			t.Errorf("%d promises are open", n)
		}
	}
}

// What a person does about one purchase is audited, and the plan heeds it.
func TestAPersonSkipsHoldsAndEnds(t *testing.T) {
	h := open(t)
	h.plan(usual)
	id := h.failing("02")[0]
	r := h.run(id)
	do := func(what plan.ByHand, until calendar.Date) {
		t.Helper()
		_, err := h.use.Plans.Do(ctx, h.who, id, r.ID, what, until)
		must(t, err)
		r = h.run(id)
	}
	do(plan.HoldRun, dec(30))
	h.to(dec(23).At(9, 0))
	if n := h.number(`SELECT count(*) FROM collections WHERE purchase_id = $1`, id); n != 1 || r.State != plan.Held {
		t.Errorf("held: %d debits, %s", n, r.State)
	}
	do(plan.Resume, calendar.Date{})
	do(plan.SkipStep, calendar.Date{})
	if taken := h.taken(r); len(taken) != 2 || taken[1].Outcome != plan.Skipped || taken[1].DecidedBy != "Owner" {
		t.Errorf("the steps are %+v", taken)
	}
	do(plan.EndRun, calendar.Date{})
	if r.State != plan.Over || r.EndReason != "person" {
		t.Errorf("the run is %+v", r)
	}
	if _, err := h.use.Plans.Do(ctx, h.who, id, r.ID, plan.Resume, calendar.Date{}); err == nil {
		t.Error("an ended run goes on")
	}
	n := h.number(`SELECT count(*) FROM audit_entries WHERE purchase_id = $1 AND action LIKE 'plan.run_%'`, id)
	if n != 4 {
		t.Errorf("%d audit entries", n)
	}
	reader := actor.Actor{Kind: actor.User, Role: actor.ReadOnly, MerchantID: h.who.MerchantID}
	if _, err := h.use.Plans.Do(ctx, reader, id, r.ID, plan.EndRun, calendar.Date{}); err == nil {
		t.Error("a read-only person ends a run")
	}
	stranger, _ := h.merchant("stranger")
	if _, err := h.use.Plans.Do(ctx, stranger, id, r.ID, plan.EndRun, calendar.Date{}); err == nil {
		t.Error("a stranger ends a run")
	}
}

// Another debit that fails for the same reason does not undo what a person decided, and the run is of its account.
func TestADebitThatFailsMeanwhileLeavesAPersonsHold(t *testing.T) {
	h := open(t)
	h.plan(usual)
	id := h.failing("02")[0]
	_, err := h.use.Plans.Do(ctx, h.who, id, h.run(id).ID, plan.HoldRun, dec(30))
	must(t, err)
	rec, err := h.use.Purchases.Get(ctx, h.who, id)
	must(t, err)
	other := h.account(rec.ClientID)
	_, err = h.use.Purchases.ChargeOn(ctx, h.who, id, other, dec(2))
	must(t, err)
	h.to(dec(3).At(9, 0))
	h.answer(id, "02")
	if r := h.run(id); r.State != plan.Held || r.HeldFor != plan.ForPerson || r.HeldUntil != dec(30) || r.Failures != 2 {
		t.Errorf("the run is %+v", r)
	}
	_, err = h.use.Plans.Do(ctx, h.who, id, h.run(id).ID, plan.Resume, calendar.Date{})
	must(t, err)
	h.exec(`UPDATE tokens SET state = 'deleting', updated_at = now() WHERE id = $1`, other)
	if r := h.run(id); r.EndReason != "token_deleted" {
		t.Errorf("after the account was deleted the run is %+v", r)
	}
}

// What was stopped while a debit was with the bank stays stopped when it fails: no plan writes or debits, and the
// failure waits for a person.
func TestNoPlanBeginsAfterAStop(t *testing.T) {
	for why, sql := range map[string]string{
		"token_deleted":    `UPDATE tokens SET state = 'deleted' WHERE id = $1`,
		"account_replaced": `UPDATE tokens SET state = 'superseded' WHERE id = $1`,
		"objected":         `UPDATE tokens SET objected_at = now(), held_at = now() WHERE id = $1`,
		"client_asked": `UPDATE clients SET stopped_at = now()
			WHERE id = (SELECT client_id FROM purchases WHERE token_id = $1 LIMIT 1)`,
	} {
		h := open(t)
		h.plan(usual)
		clientID, tokenID := h.stored()
		id := h.charged(clientID, tokenID, nov(25))
		h.to(nov(26).At(9, 0))
		h.exec(sql, tokenID)
		h.answer(id, "02")
		if r := h.run(id); r.State != plan.Over || r.EndReason != why || len(h.taken(r)) != 0 {
			t.Errorf("%s: the run is %s, %q", why, r.State, r.EndReason)
		}
		now, err := h.use.Attention.Items(ctx, h.who, attention.Everyones)
		must(t, err)
		if !has(now.Failed, id) && !has(now.AccountGone, id) {
			t.Errorf("%s: the failure waits for nobody: %+v", why, now)
		}
	}
}

// An account that a client gave on the page can be debited again once its first debit is paid. A plan answers where
// that fails.
func TestAPlanAnswersToAFirstDebitThatFails(t *testing.T) {
	h := open(t)
	h.plan(usual)
	clientID, _ := h.stored()
	rec, err := h.use.Purchases.Create(ctx, h.who, purchase.Input{ClientID: clientID, BrandID: h.brand, Currency: "ZAR",
		Details: one(10000), Options: purchase.Options{Whitelist: []string{"eft"}}})
	must(t, err)
	given, err := h.use.Purchases.GiveAccount(ctx, actor.PayerOf(h.who.MerchantID, "N Dlamini", "192.0.2.1", ""), rec.ID,
		purchase.Account{FullName: "N Dlamini", IDNumber: "8501015000085", Phone: "27821234567", BankCode: "632005",
			AccountNumber: "4000009002", Consented: true})
	must(t, err)
	h.to(given.Collection.ActionDate.AddDays(1).At(9, 0))
	if h.number(`SELECT count(*) FROM collections WHERE purchase_id = $1 AND state = 'unpaid'`, rec.ID) == 0 {
		h.answer(rec.ID, "02")
	}
	// It cannot debit an account that never paid, so it hands over.
	if r := h.run(rec.ID); r.State != plan.WithPerson || r.Code != "02" {
		t.Errorf("the run is %+v", r)
	}
}

// Two processes that take steps at once make one debit and one mail of each.
func TestTwoProcessesTakeEachStepOnce(t *testing.T) {
	h := open(t)
	h.plan(plan.Steps{plan.Money: {{Kind: plan.Message}}, plan.BanksFault: {{Kind: plan.DebitAgain}, {Kind: plan.Task}}})
	_, other := h.process()
	// Nothing takes steps while the failures are booked.
	plans := h.use.Controls.Plans
	h.use.Controls.Plans = nil
	ids := h.failing("NR", "02", "NR", "02", "NR", "NR")
	h.use.Controls.Plans = plans
	var both sync.WaitGroup
	for _, use := range []*plan.Service{h.use.Plans, other.Plans, h.use.Plans, other.Plans} {
		both.Go(func() {
			if _, err := use.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	_, err := h.use.Plans.Run(ctx)
	must(t, err)
	for i, id := range ids {
		debits := h.number(`SELECT count(*) FROM collections WHERE purchase_id = $1`, id)
		steps := h.number(`SELECT count(*) FROM plan_steps s JOIN plan_runs r ON r.id = s.run_id WHERE r.purchase_id = $1
			AND s.outcome = 'done'`, id)
		want := int64(2)
		if i == 1 || i == 3 {
			want = 1
		}
		if debits != want || steps != 1 {
			t.Errorf("purchase %d: %d debits, %d steps", i, debits, steps)
		}
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE kind = 'reminder'`); n != 2 {
		t.Errorf("%d reminders", n)
	}
}

// A process that is killed between two steps, or within one, leaves nothing half done: what the step did and that it
// was taken are one.
func TestAProcessThatIsKilledTakesNoStepTwice(t *testing.T) {
	h := open(t)
	h.plan(plan.Steps{plan.BanksFault: {{Kind: plan.DebitAgain}, {Kind: plan.Task}}})
	plans := h.use.Controls.Plans
	h.use.Controls.Plans = nil
	id := h.failing("NR")[0]
	h.use.Controls.Plans = plans
	h.exec(`CREATE FUNCTION killed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'killed'; END $$`)
	h.exec(`CREATE TRIGGER killed BEFORE INSERT ON plan_steps EXECUTE FUNCTION killed()`)
	if _, err := h.use.Plans.Run(ctx); err == nil {
		t.Error("the step did not fail")
	}
	if n := h.number(`SELECT count(*) FROM collections WHERE purchase_id = $1`, id); n != 1 {
		t.Errorf("%d debits: the one of the step that died is there", n)
	}
	h.exec(`DROP TRIGGER killed ON plan_steps`)
	h.to(h.store.Now().Add(1e9 * 60 * 20))
	_, other := h.process()
	for range 2 {
		_, err := other.Plans.Run(ctx)
		must(t, err)
	}
	if n := h.number(`SELECT count(*) FROM collections WHERE purchase_id = $1`, id); n != 2 {
		t.Errorf("%d debits, want 2", n)
	}
}

// One plan at most answers for a debit, and only its own business sees it.
func TestAPlanBelongsToOneBusiness(t *testing.T) {
	h := open(t)
	p := h.plan(usual)
	if _, err := h.use.Plans.Create(ctx, h.who, plan.Input{Name: "Second", Steps: usual}); err == nil {
		t.Error("two plans answer for the same debits")
	}
	stranger, brand := h.merchant("stranger")
	if _, err := h.use.Plans.SetState(ctx, stranger, p.ID, plan.Paused); err == nil {
		t.Error("a stranger pauses the plan")
	}
	if _, err := h.use.Plans.Create(ctx, h.who, plan.Input{Name: "Theirs", BrandID: brand, Steps: usual}); err == nil {
		t.Error("a plan is for a stranger's brand")
	}
	if _, err := h.use.Plans.Rehearse(ctx, stranger, p.ID, nov(1)); err == nil {
		t.Error("a stranger rehearses the plan")
	}
	staff := actor.Actor{Kind: actor.User, Role: actor.Staff, MerchantID: h.who.MerchantID, ID: uuid.New()}
	if _, err := h.use.Plans.Change(ctx, staff, p.ID, plan.Input{Name: "x", Steps: usual}); err == nil {
		t.Error("staff change a plan")
	}
}

// A run keeps the version it began with, rests while its plan is paused, and ends with it.
func TestARunKeepsItsVersion(t *testing.T) {
	h := open(t)
	p := h.plan(usual)
	id := h.failing("02")[0]
	_, err := h.use.Plans.Change(ctx, h.who, p.ID, plan.Input{Name: "Monthly", Steps: plan.Steps{
		plan.Money: {{Kind: plan.Stop}}}})
	must(t, err)
	_, err = h.use.Plans.SetState(ctx, h.who, p.ID, plan.Paused)
	must(t, err)
	h.to(dec(22).At(11, 0))
	if r := h.run(id); r.Version != 1 || r.State != plan.Waiting || h.purchase(id).CollectionCount != 1 {
		t.Errorf("paused, the run is %+v", r)
	}
	_, err = h.use.Plans.SetState(ctx, h.who, p.ID, plan.Active)
	must(t, err)
	_, err = h.use.Plans.Run(ctx)
	must(t, err)
	if r := h.run(id); r.State != plan.Held || h.purchase(id).CollectionCount != 2 {
		t.Errorf("let go on, the run is %+v", r)
	}
	_, err = h.use.Plans.SetState(ctx, h.who, p.ID, plan.Ended)
	must(t, err)
	if r := h.run(id); r.State != plan.Over || r.EndReason != "plan_ended" {
		t.Errorf("ended, the run is %+v", r)
	}
}

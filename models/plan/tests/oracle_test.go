package tests

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/followup"
	"debitdesk/models/plan"
	"debitdesk/models/rulebook"
	"debitdesk/models/simulation"
	"debitdesk/models/storetest/thorough"
)

// Random plans, answers of the bank and acts of staff: no debit of a plan is against a rule, none is made twice, and
// nothing goes on after what stops it. The oracle reads the rows of the rulebook and of the database, and not the
// planner.
func TestNoDebitOfAPlanIsAgainstARule(t *testing.T) {
	for seed := range uint64(thorough.Times(3, 60)) {
		luck := rand.New(rand.NewPCG(seed, 31)) //nolint:gosec // a game
		h := open(t)
		h.plan(anyPlan(luck))
		codes := []string{"02", "02", "02", "22", "12", "04", "NR", "06", "18", "10"}
		luck.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
		ids := h.failing(codes...)
		for day := nov(28); day.Before(calendar.On(2027, time.March, 1)); day = day.AddDays(9 + luck.IntN(6)) {
			h.to(day.At(8+luck.IntN(10), 0))
			id := ids[luck.IntN(len(ids))]
			h.anyAct(luck, id)
			for _, id := range ids {
				c := h.purchase(id).Collection
				if c.State.AtBank() || c.State == collection.Provisional {
					_, _ = h.use.Controls.Force(ctx, h.who, id, anyAnswer(luck)) // what the bank has ended is refused
				}
			}
		}
		h.judge(ids)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func anyPlan(luck *rand.Rand) plan.Steps {
	steps := plan.Steps{}
	for _, b := range plan.Branches {
		for range luck.IntN(7) {
			k := plan.Kinds[luck.IntN(len(plan.Kinds)-1)] // all but the last, which stops
			if plan.Offered(k, b) {
				s := plan.Step{Kind: k}
				if k.Waits() {
					s.N = 1 + luck.IntN(20)
				}
				steps[b] = append(steps[b], s)
			}
		}
		for len(steps[b]) > 0 && steps[b][len(steps[b])-1].Kind.Waits() {
			steps[b] = steps[b][:len(steps[b])-1]
		}
	}
	steps[plan.Money] = append(steps[plan.Money], plan.Step{Kind: plan.DebitAgain}, plan.Step{Kind: plan.DebitAgain})
	steps[plan.BanksFault] = append(steps[plan.BanksFault], plan.Step{Kind: plan.DebitAgain})
	return steps
}

// anyAct does what staff do: a promise, another debit, marking as paid, cancelling, or the buttons of the plan.
func (h *house) anyAct(luck *rand.Rand, id uuid.UUID) {
	h.t.Helper()
	rec := h.purchase(id)
	runs := h.runs(id)
	switch luck.IntN(7) { // what is refused is refused
	case 0:
		_, _ = h.use.Followups.AddPromise(ctx, h.who, about(id), followup.Promising{
			DueOn: calendar.DateOf(h.store.Now()).AddDays(luck.IntN(12))})
	case 1:
		if a, err := h.use.Purchases.Again(ctx, rec); err == nil && a.May() {
			_, _ = h.use.Purchases.ChargeOn(ctx, h.who, id, a.Account.ID, a.From)
		}
	case 2:
		_, _ = h.use.Purchases.Cancel(ctx, h.who, id)
	default:
		if len(runs) > 0 {
			do := []plan.ByHand{plan.SkipStep, plan.HoldRun, plan.Resume, plan.EndRun}[luck.IntN(4)]
			_, _ = h.use.Plans.Do(ctx, h.who, id, runs[0].ID, do, calendar.Date{})
		}
	}
}

// judge looks at every debit that a plan made.
func (h *house) judge(ids []uuid.UUID) {
	h.t.Helper()
	book, cal, made := rulebook.Default(), calendar.New(), 0
	for _, id := range ids {
		rows, err := h.store.Pool.Query(ctx, `SELECT c.action_date::text, c.result_code, c.state, c.created_at,
				EXISTS (SELECT FROM plan_steps s WHERE s.made_id = c.id)
			FROM collections c WHERE c.purchase_id = $1 ORDER BY c.attempt`, id)
		must(h.t, err)
		type debit struct {
			on          calendar.Date
			code, state string
			created     time.Time
			planned     bool
		}
		var all []debit
		for rows.Next() {
			var d debit
			var text string
			must(h.t, rows.Scan(&text, &d.code, &d.state, &d.created, &d.planned))
			d.on, err = calendar.ParseDate(text)
			must(h.t, err)
			all = append(all, d)
		}
		must(h.t, rows.Err())
		for i, d := range all {
			if !d.planned {
				continue
			}
			made++
			soft := 0
			for _, before := range all[:i] {
				switch class := bank.CodeOf(before.code).Class; class {
				case bank.Soft:
					soft++
				case bank.NotRun, bank.Info:
				case bank.Success:
					soft = 0
				default:
					h.t.Errorf("a plan debited on %s after the code %s", d.on, before.code)
				}
				if before.on == d.on && bank.CodeOf(before.code).Class == bank.Soft {
					h.t.Errorf("two debits of %s: eft.presentments_per_cycle", d.on)
				}
			}
			if limit := book.On("eft.unpaid_in_row_ends", rulebook.EFT, d.on).Int(); limit > 0 && soft >= int(limit) {
				h.t.Errorf("a plan debited on %s after %d failures in a row: eft.unpaid_in_row_ends", d.on, soft)
			}
			if last := all[i-1]; bank.CodeOf(last.code).Class == bank.Soft {
				named := slices.ContainsFunc([]int{-1, 0, 1}, func(m int) bool {
					return cal.Shift(calendar.On(d.on.Year, d.on.Month+time.Month(m), 25), calendar.Previous) == d.on
				})
				if !named || !d.on.After(last.on) {
					h.t.Errorf("a plan debited on %s, which the mandate for the 25th does not name after %s", d.on, last.on)
				}
			}
			if n := h.number(`SELECT count(*) FROM promises WHERE purchase_id = $1 AND created_at < $2 AND due_on >= $3::date
				AND (state = 'open' OR updated_at > $2)`, id, d.created, calendar.DateOf(d.created).String()); n > 0 {
				h.t.Errorf("a plan debited on %s though a promise was open", d.on)
			}
		}
	}
	h.t.Logf("%d debits of plans", made)
	for what, sql := range map[string]string{
		"runs live beside each other": `SELECT count(*) FROM (SELECT purchase_id FROM plan_runs WHERE state <> 'ended'
			GROUP BY purchase_id HAVING count(*) > 1) x`,
		"runs live though the purchase is settled": `SELECT count(*) FROM plan_runs r JOIN purchases p ON p.id = r.purchase_id
			WHERE r.state = 'waiting' AND p.status IN ('paid', 'cancelled', 'expired', 'refunded')`,
		"runs wait beside a debit": `SELECT count(*) FROM plan_runs r JOIN purchases p ON p.id = r.purchase_id
			WHERE r.state = 'waiting' AND p.status IN ('pending_charge', 'pending_execute')`,
		"debits made by two steps": `SELECT count(*) FROM (SELECT made_id FROM plan_steps WHERE made_id IS NOT NULL
			GROUP BY made_id HAVING count(*) > 1) x`,
		"steps that are overdue": `SELECT count(*) FROM plan_runs WHERE state = 'waiting' AND due_at < product_now() -
			interval '1 day'`,
		"mails after a stop, a dispute or a death": `SELECT count(*) FROM plan_steps s JOIN plan_runs r ON r.id = s.run_id
			WHERE s.outcome = 'done' AND s.kind IN ('message', 'ask_account', 'debit_again')
				AND r.cause IN ('stopped', 'disputed', 'deceased', 'insolvent', 'unclear')
				AND s.decided_at > r.updated_at`,
	} {
		if n := h.number(sql); n != 0 {
			h.t.Errorf("%d %s", n, what)
		}
	}
}

// anyAnswer is what the bank says of a debit.
func anyAnswer(luck *rand.Rand) simulation.BankAnswer {
	if luck.IntN(8) == 0 {
		return simulation.BankAnswer{Dispute: "34"}
	}
	return simulation.BankAnswer{Code: []string{"00", "02", "02", "02", "22", "04", "12", "NR"}[luck.IntN(8)]}
}

// A morning of failures is begun and planned in sets: a piece of the work is one transaction, however many runs it
// moves.
func TestAMorningOfFailuresIsPlannedInSets(t *testing.T) {
	h := open(t)
	id := h.failing("02")[0]
	h.plan(plan.Steps{plan.Money: {{Kind: plan.WaitDays, N: 9}, {Kind: plan.Task}}})
	const many = 3000
	h.exec(`INSERT INTO purchases SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
		FROM purchases p, generate_series(1, $2) WHERE p.id = $1`, id, many)
	h.exec(`INSERT INTO collections
		SELECT (jsonb_populate_record(c, jsonb_build_object('id', p.id, 'purchase_id', p.id))).*
		FROM collections c, purchases p WHERE c.purchase_id = $1 AND p.client_id = c.client_id AND p.collection_count > 0
			AND p.id <> $1`, id)
	var failed []collection.Collection
	base := *h.purchase(id).Collection
	rows, err := h.store.Pool.Query(ctx, `SELECT id FROM collections WHERE id = purchase_id`)
	must(t, err)
	for rows.Next() {
		c := base
		must(t, rows.Scan((*[16]byte)(&c.ID)))
		c.PurchaseID = c.ID
		failed = append(failed, c)
	}
	must(t, rows.Err())
	if len(failed) != many {
		t.Fatalf("%d failures", len(failed))
	}
	must(t, h.store.InTx(ctx, func(tx *database.Tx) error { plan.Begin(tx, failed); return nil }))
	if n := h.number(`SELECT count(*) FROM plan_runs WHERE state = 'waiting' AND step = 0`); n != many {
		t.Fatalf("%d runs began", n)
	}
	n, err := h.use.Plans.Run(ctx)
	must(t, err)
	if n != many {
		t.Errorf("%d decisions for %d runs", n, many)
	}
	if n := h.number(`SELECT count(DISTINCT xmin::text) FROM plan_runs`); n > many/500+1 {
		t.Errorf("%d transactions for %d runs", n, many)
	}
	if n := h.number(`SELECT count(*) FROM plan_runs WHERE due_at = '2026-12-04 06:00Z'`); n != many {
		t.Errorf("%d runs wait until 4 December, 08:00", n)
	}
}

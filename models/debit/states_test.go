package debit_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/debit"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/storetest/thorough"
)

// Whatever payers, banks, clocks, staff and processes do, in whatever order, a
// mandate stays what the payer made of it. One house serves all sequences: what
// came before is part of the world that must not matter.
func TestTheStatesHoldWhateverHappens(t *testing.T) {
	t.Parallel()
	h := open(t)
	seen := map[mandate.State]int{}
	thorough.Check(t, func(t *rapid.T) {
		w := &world{T: t, h: h, stood: map[uuid.UUID]mandate.State{}, seen: seen, line: &line{Gateway: h.bank}}
		w.engine = h.engine(w.line)
		w.create()
		for range rapid.IntRange(5, 12).Draw(t, "steps") {
			w.again = uuid.Nil
			rapid.SampledFrom(acts).Draw(t, "act").do(w)
			w.check()
		}
	})
	for _, s := range []mandate.State{mandate.Pending, mandate.ActiveState, mandate.Rejected, mandate.NoResponse} {
		if seen[s] == 0 {
			t.Errorf("no sequence came by a mandate that is %s", s)
		}
	}
}

type act struct {
	name string
	do   func(*world)
}

func (a act) String() string { return a.name }

var acts = []act{
	{"create", (*world).create}, {"accept", (*world).accepts}, {"reject", (*world).rejects}, {"ignore", (*world).ignores},
	{"repeat messages", (*world).repeats}, {"forge a message", (*world).forges}, {"forge a message", (*world).forges},
	{"move the clock", (*world).moves},
	{"move the clock", (*world).moves}, {"wait long", (*world).waits}, {"wait long", (*world).waits},
	{"accept", (*world).accepts}, {"charge", (*world).charges}, {"forge about a debit", (*world).forgesDebit},
	{"ask again", (*world).asksAgain}, {"give other details", (*world).givesAgain},
	{"forge about a debit", (*world).forgesDebit}, {"charge", (*world).charges}, {"charge", (*world).charges},
	{"delete the token", (*world).deletes}, {"run twice", (*world).runsTwice}, {"two runners", (*world).race},
}

// world is one sequence: its mandates, and how each of them stood last.
type world struct {
	*rapid.T
	h        *house
	line     *line
	engine   *debit.Service
	mandates []uuid.UUID
	charged  []uuid.UUID
	stood    map[uuid.UUID]mandate.State
	seen     map[mandate.State]int
	again    uuid.UUID // asked again in this step
}

// may passes refusals of the rules and stops at everything else.
func (w *world) may(err error) bool {
	if err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.NotFound) {
		w.Fatal(err)
	}
	return err == nil
}

func (w *world) one() uuid.UUID { return rapid.SampledFrom(w.mandates).Draw(w.T, "mandate") }

// oneThat is a mandate of which fits is true, else any.
func (w *world) oneThat(fits func(mandate.State) bool) uuid.UUID {
	var some []uuid.UUID
	for _, id := range w.mandates {
		if fits(w.h.mandate(id).State) {
			some = append(some, id)
		}
	}
	if len(some) == 0 {
		return w.one()
	}
	return rapid.SampledFrom(some).Draw(w.T, "mandate")
}

func (w *world) create() {
	a := asking{cents: 10000, most: 10000, anyDay: true,
		account: bank.AccountNumber("400000" + rapid.SampledFrom([]string{"0000", "8001", "8002", "8003", "8120", "8480",
			"8480", "8500", "8600", "9002", "9202", "9034"}).Draw(w.T, "account")),
		how:      rapid.SampledFrom([]mandate.Method{mandate.RealTime, mandate.Delayed}).Draw(w.T, "how"),
		fallback: rapid.Bool().Draw(w.T, "fallback"), noFirst: rapid.Bool().Draw(w.T, "no first"),
		once: rapid.IntRange(0, 3).Draw(w.T, "once") == 0,
	}
	if rapid.Bool().Draw(w.T, "variable") {
		a.kind, a.most = mandate.Variable, 15000
	}
	if !w.h.purchases.Window.Open(w.h.store.Now()) {
		a.how = mandate.Delayed
	}
	rec, err := w.h.purchases.Create(ctx, w.h.who, a.input(w.h.brand))
	if err != nil {
		w.Fatal(err)
	}
	w.mandates = append(w.mandates, rec.ID)
	if rapid.Bool().Draw(w.T, "run") {
		w.run(w.engine)
	}
}

func (w *world) answers(answer string) {
	_, err := w.h.controls.AnswerMandate(ctx, w.h.who, w.oneThat(mandate.State.Waiting), answer)
	w.may(err)
}

func (w *world) accepts() { w.answers("accept") }
func (w *world) rejects() { w.answers("reject") }
func (w *world) ignores() { w.answers("ignore") }

// run tries again when two changes met, as the jobs do.
func (w *world) run(engine *debit.Service) {
	var err error
	for range 5 {
		if _, err = engine.Run(ctx); !errors.Is(err, fault.ErrLost) {
			break
		}
	}
	if err != nil {
		w.Error(err)
	}
}

// changes counts everything that a message could change.
func (w *world) changes() int64 {
	return w.h.number(
		`SELECT (SELECT count(*) FROM audit_entries)
			+ (SELECT count(*) FROM bank_messages) + (SELECT coalesce(sum(version), 0) FROM purchases)`,
	)
}

// repeats delivers again what the bank said about the mandates of this sequence.
func (w *world) repeats() {
	w.run(w.engine)
	var old []bank.Message
	for _, id := range w.mandates {
		for _, a := range w.h.asked(id) {
			rows, err := w.h.store.Pool.Query(ctx,
				`SELECT message_id, kind, code, at FROM bank_messages WHERE instruction_id = $1`,
				a.ID)
			must(w.h.t, err)
			for rows.Next() {
				m := bank.Message{InstructionID: a.ID, Raw: []byte("{}")}
				must(w.h.t, rows.Scan(&m.ID, &m.Kind, &m.Code, &m.At))
				old = append(old, m)
			}
			rows.Close()
		}
	}
	if len(old) == 0 {
		return
	}
	before := w.changes()
	w.line.say(rapid.Permutation(old).Draw(w.T, "order")...)
	w.run(w.engine)
	if after := w.changes(); after != before {
		w.Fatalf("messages that came again made %d changes", after-before)
	}
}

// forges says something about a request, now, early or too late.
func (w *world) forges() {
	a := rapid.SampledFrom(w.h.asked(w.one())).Draw(w.T, "request")
	kind := rapid.SampledFrom([]bank.MessageKind{bank.MandateDelivered, bank.MandateAccepted, bank.MandateAccepted,
		bank.MandateRejected,
		bank.MandateUnanswered, bank.MandateFailed, bank.MandateSuspended}).Draw(w.T, "kind")
	code := map[bank.MessageKind]string{bank.MandateRejected: bank.CodeRefused, bank.MandateUnanswered: bank.CodeNoAnswer,
		bank.MandateFailed: bank.CodeSystemError, bank.MandateSuspended: bank.CodeDebtorCancelled}[kind]
	at := w.h.store.Now().Add(rapid.SampledFrom([]time.Duration{0, -time.Minute, -49 * time.Hour}).Draw(w.T, "ago"))
	w.line.say(about(a, kind, code, at))
	w.run(w.engine)
}

var steps = []time.Duration{time.Second, 6 * time.Second, 119 * time.Second, 2 * time.Minute, time.Hour, 22 * time.Hour,
	47 * time.Hour, 49 * time.Hour}

func (w *world) moves() {
	w.h.to(w.h.store.Now().Add(rapid.SampledFrom(steps).Draw(w.T, "time")))
}

// forgesDebit says something about a debit under a mandate.
func (w *world) forgesDebit() {
	rec := w.h.get(rapid.SampledFrom(slices.Concat(w.mandates, w.charged)).Draw(w.T, "purchase"))
	if rec.Collection == nil {
		return
	}
	kind := rapid.SampledFrom([]bank.MessageKind{bank.Successful, bank.Unpaid, bank.InTracking, bank.Disputed,
		bank.DisputeWon, bank.DisputeLost, bank.Recalled}).Draw(w.T, "kind")
	code := map[bank.MessageKind]string{bank.Successful: "00", bank.InTracking: "02", bank.Recalled: "28",
		bank.Unpaid: rapid.SampledFrom([]string{"02", bank.CodeNotRun}).Draw(w.T, "code")}[kind]
	if code == "" {
		code = "34"
	}
	msg := about(mandate.Authentication{ID: rec.Collection.ID}, kind, code, w.h.store.Now())
	msg.Channel, msg.Reference = "", ""
	w.line.say(msg)
	w.run(w.engine)
}

// givesAgain is the payer on the hosted page, with another account.
func (w *world) givesAgain() {
	id := w.oneThat(mandate.State.Unanswered)
	if _, err := w.h.purchases.GiveAccount(ctx, actor.PayerOf(w.h.who.MerchantID, "N Dlamini", "192.0.2.1", ""), id,
		purchase.Account{
			FullName: "N Dlamini", IDNumber: "8001015009087", Phone: "27821234567", BankCode: "632005",
			AccountNumber: "4000000000", Consented: true}); w.may(err) {
		w.again = id
	}
}

// waits until every time to answer has ended.
func (w *world) waits() { w.h.to(w.h.store.Now().Add(98 * time.Hour)) }

func (w *world) asksAgain() {
	id := w.oneThat(mandate.State.Unanswered)
	if _, err := w.h.purchases.AskAgain(ctx, w.h.who, id,
		rapid.SampledFrom([]mandate.Method{mandate.RealTime, mandate.Delayed}).Draw(w.T, "how")); w.may(err) {
		w.again = id
	}
}

func (w *world) charges() {
	id, day := w.oneThat(mandate.State.Usable), calendar.DateOf(w.h.store.Now()).AddDays(rapid.IntRange(3, 6).Draw(w.T,
		"ahead"))
	m := w.h.mandate(id)
	p, err := w.h.charge(id, rapid.SampledFrom([]int64{1, 9999, 10000, 10000, 10000, 10000, 10001, 15000, 15001}).Draw(w.T,
		"cents"), day)
	if !w.may(err) {
		return
	}
	w.charged = append(w.charged, p.ID)
	if !m.State.Usable() || p.TotalCents > m.Terms.MaxAmountCents || m.Terms.ValueType == mandate.Fixed &&
		p.TotalCents != m.Terms.PriceCents {
		w.Fatalf("%d cents are to be collected under a mandate that is %s and allows %s of %d", p.TotalCents, m.State,
			m.Terms.ValueType, m.Terms.MaxAmountCents)
	}
}

func (w *world) deletes() {
	w.may(w.h.deletions.DeleteToken(ctx, w.h.program(), uuid.Nil, w.oneThat(mandate.State.Usable)))
}

// runsTwice repeats a run. The clock goes on by microseconds, so what falls due in this moment is done before.
func (w *world) runsTwice() {
	for range 20 {
		w.run(w.engine)
		late, err := w.h.debits.Overdue(ctx)
		must(w.h.t, err)
		at, found, err := w.h.debits.NextDue(ctx)
		must(w.h.t, err)
		if soon := found && at.Sub(w.h.store.Now()) < time.Second; soon {
			must(w.h.t, w.h.store.Clock.MoveTo(ctx, at))
		} else if !late {
			break
		}
	}
	before := w.changes()
	w.run(w.engine)
	if after := w.changes(); after != before {
		w.Fatalf("a repeated run made %d changes", after-before)
	}
}

// race lets two processes wake up after the time has moved on without them.
func (w *world) race() {
	must(w.h.t, w.h.store.Clock.MoveTo(ctx, w.h.store.Now().Add(rapid.SampledFrom(steps).Draw(w.T, "time"))))
	var wait sync.WaitGroup
	for _, engine := range []*debit.Service{w.engine, w.h.engine(w.h.bank)} {
		wait.Go(func() { w.run(engine) })
	}
	wait.Wait()
}

// none are queries that find what must never be, in the whole database.
var none = map[string]string{
	"two live tokens from one mandate": `SELECT count(*) FROM (SELECT 1 FROM tokens WHERE state IN ('active', 'blocked')
		GROUP BY mandate_id HAVING count(*) > 1) AS x`,
	"a live token under a mandate that is not usable": `SELECT count(*) FROM tokens t
		JOIN mandates m ON m.id = t.mandate_id
		WHERE t.state = 'active' AND m.state NOT IN ('active', 'registered_unauthenticated')`,
	"a token that nobody accepted": `SELECT count(*) FROM tokens t WHERE t.method = 'debicheck'
		AND t.state <> 'pending' AND NOT EXISTS
		(SELECT FROM mandate_authentications a WHERE a.mandate_id = t.mandate_id
		AND (a.state = 'accepted' OR a.state = 'no_response' AND a.method = 'FALLBACK'))`,
	"a request after the answer that made a token": `SELECT count(*) FROM mandate_authentications a
		JOIN mandate_authentications b ON b.mandate_id = a.mandate_id AND b.number > a.number
		WHERE a.state = 'accepted' OR a.state = 'no_response' AND a.method = 'FALLBACK'`,
	"money above the terms": `SELECT count(*) FROM collections c JOIN mandates m ON m.id = c.mandate_id
		WHERE m.kind = 'debicheck'
		AND (c.amount_cents > (m.terms::jsonb ->> 'max_amount_cents')::bigint OR m.terms::jsonb ->> 'value_type' = 'FIXED'
		AND c.amount_cents <> (m.terms::jsonb ->> 'price_cents')::bigint)`,
	"a second debit under a once-off mandate": `SELECT count(*) FROM (SELECT 1 FROM collections
		WHERE once_off AND state IN ('successful', 'disputed', 'dispute_won') GROUP BY mandate_id HAVING count(*) > 1) AS x`,
	"a purchase that waits for nothing": `SELECT count(*) FROM purchases p WHERE p.status = 'pending_execute'
		AND NOT EXISTS (SELECT FROM mandate_authentications a WHERE a.mandate_id = p.id
		AND a.state IN ('requested', 'sent', 'delivered'))
		AND NOT EXISTS (SELECT FROM collections c WHERE c.purchase_id = p.id
		AND c.state IN ('scheduled', 'submitted', 'in_tracking'))`,
	"two open requests": `SELECT count(*) FROM (SELECT 1 FROM mandate_authentications
		WHERE state IN ('requested', 'sent', 'delivered') GROUP BY mandate_id HAVING count(*) > 1) AS x`,
	"a message without an outcome": `SELECT count(*) FROM bank_messages WHERE outcome = ''`,
	"a purchase that turned by a way that does not exist": `SELECT count(*) FROM purchases
		WHERE is_recurring_token AND status IN ('created', 'sent', 'viewed')`,
}

func (w *world) check() {
	for what, query := range none {
		if n := w.h.number(query); n != 0 {
			w.Errorf("%s: %d", what, n)
		}
	}
	for _, id := range w.mandates {
		was, is := w.stood[id], w.h.mandate(id).State
		w.seen[is]++
		if was != "" && !reaches(was, is) {
			w.Errorf("a mandate went from %s to %s", was, is)
		}
		if was.Unanswered() && is != was && w.again != id {
			w.Errorf("a mandate that was %s became %s and nobody asked again", was, is)
		}
		w.stood[id] = is
	}
	for _, id := range slices.Concat(w.mandates, w.charged) {
		rec := w.h.get(id)
		for i, c := range rec.History[1:] {
			if from := rec.History[i].Status; !purchase.CanMove(from, c.Status) {
				w.Errorf("a purchase went from %s to %s", from, c.Status)
			}
		}
		if got, want := w.h.ledger(id), shown(rec.Purchase); got != want {
			w.Errorf("the statement says %d, the purchase (%s) %d", got, rec.Status, want)
		}
	}
}

// reaches tells whether a mandate may come from one state to another, by others.
func reaches(from, to mandate.State) bool {
	known := []mandate.State{from}
	for i := 0; i < len(known); i++ {
		for _, next := range mandate.States {
			if known[i].MayBecome(next) && !slices.Contains(known, next) {
				known = append(known, next)
			}
		}
	}
	return slices.Contains(known, to)
}

package debit_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/debit"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/storetest/thorough"
	"debitdesk/models/upkeep"
)

// Whatever staff, banks and clocks do to a purchase, and in whatever order, its
// ledger, its status, what can be refunded and the balance tell of the same money.
func TestTheMoneyAgreesAfterEveryHistory(t *testing.T) {
	t.Parallel()
	const atOnce = 100
	steps := thorough.Times(3_000, 10_500)
	//nolint:gosec // a test that repeats itself
	w := &histories{house: open(t), t: t, rand: rand.New(rand.NewPCG(20261122, 7)), seen: map[string]int{}}
	w.line = &gateway{Gateway: w.bank}
	w.engine = w.house.engine(w.line)
	w.engine.Chunk = 200
	for range atOnce {
		w.lives = append(w.lives, w.life())
	}
	for w.steps < steps && !t.Failed() {
		w.round()
	}
	for _, what := range []string{"paid", "pending_refund", "refunded", "error", "chargeback", "cancelled",
		"won after a refund", "refunded and returned", "paid again", "dropped", "two under way"} {
		if w.seen[what] == 0 {
			t.Errorf("no history came by: %s", what)
		}
	}
}

// histories are purchases that live at the same time, so that one run of the engine
// serves them all.
type histories struct {
	*house
	t      *testing.T
	rand   *rand.Rand
	line   *gateway
	engine *debit.Service
	lives  []*life
	steps  int
	seen   map[string]int
}

// life is one purchase and what was done to it.
type life struct {
	id, token uuid.UUID
	age       int
	acts      []string
	stood     standing
}

func (w *histories) life() *life {
	token := w.house.tokenise("4000009901", 10000) // its own bank keeps silent
	return &life{id: token.ID, token: token.ID, stood: standing{Status: token.Status}}
}

func (w *histories) round() {
	var messages []bank.Message
	for i, l := range w.lives {
		if l.age >= 25 || l.stood.Status == purchase.Cancelled {
			w.lives[i] = w.life()
			continue
		}
		if m := w.act(l); m != nil {
			messages = append(messages, *m)
			if w.rand.IntN(8) == 0 { // banks repeat themselves
				messages = append(messages, *m)
			}
		}
		l.age++
		w.steps++
	}
	must(w.t, w.store.Clock.MoveTo(ctx, w.store.Now().Add(time.Duration(w.rand.IntN(36))*time.Hour)))
	w.line.fetched = func(others []bank.Message) []bank.Message {
		out := append(messages, others...)
		messages = nil
		return out
	}
	_, err := w.engine.Run(ctx)
	must(w.t, err)
	w.exec(
		`UPDATE tokens SET state = 'active', blocked_code = '', soft_failures = 0, failures = 0
			WHERE state IN ('blocked', 'pending')`,
	)
	if w.rand.IntN(3) == 0 {
		_, err := upkeep.Store{DB: w.store}.FoldFigures(ctx)
		must(w.t, err)
	}
	w.agree()
}

// act does one thing to a purchase, or gives what the bank says about it.
func (w *histories) act(l *life) *bank.Message {
	noted := func(what string, err error) *bank.Message {
		if err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Invalid) {
			w.t.Fatalf("%s after %s: %v", what, strings.Join(l.acts, ", "), err)
		}
		if err != nil {
			what += " refused"
		}
		l.acts = append(l.acts, what)
		return nil
	}
	kinds := []bank.MessageKind{bank.Provisional, bank.Provisional, bank.Unpaid, bank.Disputed, bank.DisputeWon,
		bank.DisputeLost, bank.Recalled}
	switch l.stood.Collection { // say mostly what may follow
	case collection.Disputed:
		kinds = []bank.MessageKind{bank.DisputeWon, bank.DisputeWon, bank.DisputeLost, bank.Unpaid}
	case collection.Provisional, collection.Final:
		kinds = []bank.MessageKind{bank.Unpaid, bank.Disputed}
	case collection.Submitted:
		kinds = []bank.MessageKind{bank.Provisional, bank.Provisional, bank.Provisional, bank.Unpaid, bank.Disputed}
	default:
	}
	switch n := w.rand.IntN(20); {
	case n < 7 && l.stood.CollectionID != uuid.Nil:
		kind := kinds[w.rand.IntN(len(kinds))]
		codes := codesOf[kind]
		l.acts = append(l.acts, string(kind))
		return w.message(l.stood.CollectionID, kind, codes[w.rand.IntN(len(codes))])
	case n < 8 && len(l.stood.Refunds) > 0:
		kind := []bank.MessageKind{bank.RefundSettled, bank.RefundFailed}[w.rand.IntN(2)]
		l.acts = append(l.acts, string(kind))
		return w.message(l.stood.Refunds[w.rand.IntN(len(l.stood.Refunds))], kind, "12")
	case n < 12:
		var cents *int64
		if part := 1 + w.rand.Int64N(6000); w.rand.IntN(2) == 0 {
			cents = &part
		}
		_, err := w.purchases.Refund(ctx, w.who, l.id, cents)
		return noted("refund", err)
	case n < 13:
		_, err := w.purchases.SettleRefund(ctx, w.who, l.id)
		return noted("settle by hand", err)
	case n < 14:
		_, err := w.purchases.MarkAsPaid(ctx, w.who, l.id, nil)
		return noted("mark as paid", err)
	case n < 17:
		if l.stood.Status == purchase.Failed || l.stood.Status == purchase.Overdue {
			_, err := w.purchases.Charge(ctx, w.who, l.id, l.token)
			return noted("charge", err)
		}
	case n < 18 && l.age > 5:
		_, err := w.purchases.Cancel(ctx, w.who, l.id)
		return noted("cancel", err)
	}
	l.acts = append(l.acts, "nothing")
	return nil
}

func (w *histories) message(about uuid.UUID, kind bank.MessageKind, code string) *bank.Message {
	at := w.store.Now()
	if kind == bank.Disputed && w.rand.IntN(3) == 0 {
		at = at.AddDate(0, 0, 60) // after the days in which the money goes back at once
	}
	return &bank.Message{ID: uuid.NewString(), InstructionID: about, Kind: kind, Code: code, At: at, Raw: []byte("{}")}
}

// standing is a purchase as the database has it.
type standing struct {
	Status                               purchase.Status
	Net, Ledger, Refunded, Refunding     int64
	Payment                              *purchase.Payment
	Payments                             int
	History                              []purchase.Change
	Settled, Pending, Overpaid, HandedUp int64 // of refunds; HandedUp are with the bank before the debit was final
	Dropped                              int
	UnderWay                             int
	Collection                           collection.State
	CollectionID                         uuid.UUID
	Refunds                              []uuid.UUID
	Won, Returned                        int
}

func (s standing) purchase() purchase.Purchase {
	return purchase.Purchase{Status: s.Status, Payment: s.Payment, RefundedCents: s.Refunded, RefundingCents: s.Refunding,
		NetCents: s.Net}
}

func (w *histories) agree() {
	w.t.Helper()
	now := map[uuid.UUID]standing{}
	ids := make([]string, len(w.lives))
	for i, l := range w.lives {
		ids[i] = l.id.String()
	}
	rows, err := w.store.Pool.Query(
		ctx,
		`SELECT p.id::text, p.status, p.net_cents, coalesce(e.sum, 0), p.refunded_cents, p.refunding_cents,
			p.payment, p.payment_count, p.history,
			coalesce(r.settled, 0), coalesce(r.pending, 0), p.overpaid_cents, coalesce(r.too_early, 0),
			coalesce(r.dropped, 0), coalesce(r.under_way, 0),
			coalesce(c.state, ''), coalesce(c.id::text, ''), coalesce(r.ids, '{}'), coalesce(e.won, 0), coalesce(e.returned, 0)
		FROM purchases p
		LEFT JOIN LATERAL (SELECT sum(amount_cents)::bigint AS sum, count(*) FILTER (WHERE kind = 'dispute_won') AS won,
		count(*) FILTER (WHERE kind = 'returned') AS returned
			FROM ledger_entries WHERE purchase_id = p.id) e ON true
		LEFT JOIN LATERAL (SELECT * FROM collections WHERE purchase_id = p.id ORDER BY attempt DESC LIMIT 1) c ON true
		LEFT JOIN LATERAL (SELECT sum(f.amount_cents) FILTER (WHERE f.state = 'settled')::bigint AS settled,
			sum(f.amount_cents) FILTER (WHERE f.state = 'pending')::bigint AS pending,
			sum(f.amount_cents) FILTER (WHERE f.handed_over AND d.state = 'provisional')::bigint AS too_early,
			count(*) FILTER (WHERE f.state = 'dropped') AS dropped, count(*) FILTER (WHERE f.state = 'pending') AS under_way,
			array_agg(f.id::text) AS ids
			FROM refunds f LEFT JOIN collections d ON d.id = f.collection_id WHERE f.purchase_id = p.id) r ON true
		WHERE p.id = ANY($1::text[]::uuid[])`,
		ids,
	)
	must(w.t, err)
	defer rows.Close()
	for rows.Next() {
		var s standing
		var id, status, state, collectionID string
		var payment *string
		var history []byte
		var refunds []string
		must(w.t, rows.Scan(&id, &status, &s.Net, &s.Ledger, &s.Refunded, &s.Refunding, &payment, &s.Payments, &history,
			&s.Settled, &s.Pending, &s.Overpaid, &s.HandedUp, &s.Dropped, &s.UnderWay, &state, &collectionID, &refunds, &s.Won,
			&s.Returned))
		s.Status, s.Collection = purchase.Status(status), collection.State(state)
		if payment != nil {
			must(w.t, json.Unmarshal([]byte(*payment), &s.Payment))
		}
		must(w.t, json.Unmarshal(history, &s.History))
		if collectionID != "" {
			s.CollectionID = uuid.MustParse(collectionID)
		}
		for _, r := range refunds {
			s.Refunds = append(s.Refunds, uuid.MustParse(r))
		}
		now[uuid.MustParse(id)] = s
	}
	must(w.t, rows.Err())
	for _, l := range w.lives {
		l.stood = now[l.id]
		for _, wrong := range l.stood.wrong() {
			w.t.Errorf("%s\nafter %s\n%+v", wrong, strings.Join(l.acts, ", "), l.stood)
		}
		w.note(l.stood)
	}
	w.balance()
	wrong, err := upkeep.Store{DB: w.store}.WrongFigures(ctx)
	must(w.t, err)
	for _, f := range wrong {
		w.t.Errorf("after %d steps: %s", w.steps, f)
	}
}

// wrong are the sentences that are not true of a purchase.
func (s standing) wrong() (all []string) {
	is := func(ok bool, format string, args ...any) {
		if !ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	var paid int64
	if s.Payment != nil {
		paid = s.Payment.AmountCents
	}
	is(s.Net == s.Ledger, "the purchase says %d, its movements come to %d", s.Net, s.Ledger)
	is(s.Ledger+s.Refunded == paid, "%d is paid, but the movements without refunds come to %d", paid, s.Ledger+s.Refunded)
	is(s.Refunded == s.Settled+s.Overpaid && s.Refunding == s.Pending,
		"%d refunded, %d of it twice, and %d under way, but the refunds say %d and %d", s.Refunded, s.Overpaid, s.Refunding,
		s.Settled, s.Pending)
	is(s.HandedUp == 0, "%d are with the bank and the debit is not final", s.HandedUp)
	left := s.purchase().RefundableCents()
	switch {
	case s.Payment == nil:
		is(left == 0, "%d can be refunded of nothing", left)
		is(!slices.Contains([]purchase.Status{purchase.Paid, purchase.PendingRefund, purchase.Refunded}, s.Status),
			"it is %s without a payment", s.Status)
	case s.Status == purchase.Chargeback: // a late dispute: the merchant has the money while the mandate is looked at
		is(left == 0, "%d can be refunded during a dispute", left)
	default:
		is(left == max(s.Net-s.Pending, 0), "%d can be refunded of %d with %d settled and %d under way", left, paid,
			s.Settled, s.Pending)
		want := purchase.Paid
		if s.Settled > 0 {
			want = purchase.Refunded
		}
		if s.Pending > 0 {
			want = purchase.PendingRefund
		}
		is(s.Status == want, "it is %s and should be %s", s.Status, want)
	}
	for i, c := range s.History[1:] {
		is(purchase.CanMove(s.History[i].Status, c.Status), "it went from %s to %s", s.History[i].Status, c.Status)
	}
	return all
}

func (w *histories) note(s standing) {
	w.seen[string(s.Status)]++
	for what, is := range map[string]bool{
		"won after a refund": s.Won > 0 && s.Settled > 0 && s.Status == purchase.Refunded, "refunded and returned": s.Net < 0,
		"dropped": s.Dropped > 0, "two under way": s.UnderWay > 1,
		"paid again": s.Payments > 1 && s.Returned > 0 && s.Payment != nil, "late dispute": s.Status == purchase.Chargeback &&
			s.Payment != nil,
	} {
		if is {
			w.seen[what]++
		}
	}
}

// balance compares the figures of the merchant with sums of their own.
func (w *histories) balance() {
	w.t.Helper()
	found, err := report.Store{DB: w.store}.Balances(ctx, w.who.MerchantID, report.Filter{})
	must(w.t, err)
	b := found["ZAR"]
	gross := w.number(`SELECT coalesce(sum(net_cents), 0)::bigint FROM purchases`)
	owed := w.number(`SELECT coalesce(sum(amount_cents), 0)::bigint FROM refunds WHERE state = 'pending'`)
	reserved := w.number(
		`SELECT coalesce(sum(greatest(amount_cents - (SELECT coalesce(sum(r.amount_cents), 0) FROM refunds r
			WHERE r.collection_id = c.id AND r.state = 'pending'), 0)), 0)::bigint
		FROM collections c WHERE state = 'provisional'`,
	)
	if b.GrossCents != money.SumOf(gross) || b.OwedCents != money.SumOf(owed) || b.ReservedCents != money.SumOf(reserved) {
		w.t.Errorf("the balance is %+v, the purchases come to %d, %d is owed and %d may come back", b, gross, owed, reserved)
	}
}

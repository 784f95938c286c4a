package exchange_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

// bench is an exchange on a database, with a clock that the test moves.
type bench struct {
	*exchange.Service
	t     *testing.T
	store *database.DB
	box   *exchangetest.Box
	who   actor.Actor
}

var monday = calendar.On(2027, time.January, 11)

func open(t *testing.T, change func(*exchange.Rules)) *bench {
	t.Helper()
	keys, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(
		t.Context(),
		storetest.DSN(t),
		database.Options{Seal: keys, Sandbox: true, Machine: storetest.StandingClock(),
			MaxConns: 10, Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }},
	)
	must(t, err)
	t.Cleanup(s.Close)
	b := &bench{t: t, store: s, box: exchangetest.NewBox()}
	storetest.StartAt(t, s.Clock, monday.At(9, 0))
	rules := exchangetest.Rules()
	if change != nil {
		change(&rules)
	}
	b.Service = &exchange.Service{Store: exchange.Store{DB: s}, Rules: rules,
		Encoder: exchangetest.Codec{Account: "50100000001"}, Decoder: exchangetest.Codec{Account: "50100000001"},
		Box: b.box, Calendar: calendar.New(), Now: s.Now, Chunk: 3}
	m, brand := s.NewID(), s.NewID()
	b.exec(
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, 'gym', 'Gym', true, $2, $2)`,
		m,
		s.Now(),
	)
	b.exec(`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
		VALUES ($1, $2, 'Gym', 'DD', $3, $3)`, brand, m, s.Now())
	b.who = actor.Actor{Kind: actor.User, Role: actor.Finance, MerchantID: m, Name: "Fatima"}
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bench) exec(sql string, args ...any) {
	b.t.Helper()
	_, err := b.store.Pool.Exec(b.t.Context(), sql, args...)
	must(b.t, err)
}

func (b *bench) number(sql string, args ...any) (n int) {
	b.t.Helper()
	must(b.t, b.store.Pool.QueryRow(b.t.Context(), sql, args...).Scan(&n))
	return n
}

func (b *bench) at(t time.Time) { b.t.Helper(); must(b.t, b.store.Clock.MoveTo(b.t.Context(), t)) }

func (b *bench) work() {
	b.t.Helper()
	for {
		moved, err := b.Run(b.t.Context())
		must(b.t, err)
		if moved == 0 {
			return
		}
	}
}

// debits hands over debits for a day, and gives their ids.
func (b *bench) debits(n int, day calendar.Date) (ids []uuid.UUID) {
	b.t.Helper()
	for range n {
		ids = append(ids, uuid.New())
	}
	b.submit(ids, day)
	return ids
}

func (b *bench) submit(ids []uuid.UUID, day calendar.Date) []bank.Receipt {
	b.t.Helper()
	var all []bank.Instruction
	for _, id := range ids {
		all = append(all, bank.Instruction{ID: id, MerchantID: b.who.MerchantID, Method: bank.EFT, AmountCents: 15000,
			Currency: "ZAR", ActionDate: day, Branch: "632005", Account: "4047527520", AccountType: bank.Current,
			HolderName: "N Dlamini", StatementLine: "GYM", Sequence: bank.RecurringDebit,
			Creditor: bank.Creditor{Name: "Gym", AbbreviatedName: "GYM", Account: "50100000001", Branch: "250655"}})
	}
	receipts, err := b.Submit(b.t.Context(), all)
	must(b.t, err)
	return receipts
}

// sent hands over debits, cuts them and lets somebody take the message; it gives the message's id.
func (b *bench) sent(n int, day calendar.Date) (ids []uuid.UUID, message string) {
	b.t.Helper()
	ids = b.debits(n, day)
	cut, err := b.CutNow(b.t.Context(), b.who)
	must(b.t, err)
	b.work()
	for name := range b.box.Out {
		delete(b.box.Out, name)
	}
	b.work()
	return ids, cut[0]
}

// arrive lets the bank say something.
func (b *bench) arrive(name string, events ...exchange.Event) {
	b.t.Helper()
	b.box.In[name] = exchangetest.Arrival(events...)
	b.work()
}

var acknowledged, status, booked = exchangetest.Acknowledged, exchangetest.Status, exchangetest.Booked

// outcomes are the answers that the product is told, by item.
func (b *bench) outcomes() map[uuid.UUID][]string {
	b.t.Helper()
	messages, err := b.Fetch(b.t.Context(), 10000)
	must(b.t, err)
	out := map[uuid.UUID][]string{}
	for _, m := range messages {
		out[m.InstructionID] = append(out[m.InstructionID], string(m.Kind)+" "+m.Code)
	}
	return out
}

func (b *bench) findings() (kinds []string) {
	b.t.Helper()
	rows, err := b.store.Pool.Query(b.t.Context(), `SELECT kind FROM bank_findings WHERE closed_at IS NULL ORDER BY kind`)
	must(b.t, err)
	kinds, err = pgx.CollectRows(rows, pgx.RowTo[string])
	must(b.t, err)
	return kinds
}

// arriveRevealed is arrive for events with an account, which no JSON of them shows.
func (b *bench) arriveRevealed(name string, events ...exchange.Event) {
	b.t.Helper()
	b.Decoder = playback(events)
	b.box.In[name] = []byte(name)
	b.work()
	b.Decoder = exchangetest.Codec{Account: "50100000001"}
}

type playback []exchange.Event

func (p playback) Decode(_ io.Reader, each func(exchange.Event) error) (exchange.Arrival, error) {
	for n, e := range p {
		e.Path = fmt.Sprintf("e%d", n)
		if err := each(e); err != nil {
			return exchange.Arrival{}, err
		}
	}
	return exchange.Arrival{Name: "events"}, nil
}

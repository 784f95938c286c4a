package exchange_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/queue"
	"debitdesk/models/store"
	"debitdesk/models/store/seal"
	"debitdesk/models/store/storetest"
)

// The rules of the exchange are tried with messages of one line for each item and arrivals that are events in JSON:
// whatever a bank's form is, these rules are the same.

type codec struct{ broken error }

func (codec) Name(k exchange.Kind) string { return "lines." + string(k) }

func (codec) FileName(m exchange.Message) string { return m.ID + ".txt" }

func (codec) Check(o exchange.Order) string {
	if o.Debit != nil && o.Debit.HolderName == "" {
		return "The account holder has no name."
	}
	return ""
}

func (c codec) Encode(w io.Writer, m exchange.Outgoing) error {
	for _, g := range m.Groups {
		for _, i := range g.Items {
			if _, err := fmt.Fprintf(w, "%s %s %d\n", g.ID, i.ID, i.AmountCents); err != nil {
				return err
			}
		}
	}
	return c.broken
}

func (codec) Tally(r io.Reader, m exchange.Outgoing) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), "\n"); n != m.Count {
		return fmt.Errorf("%d lines for %d items", n, m.Count)
	}
	return nil
}

func (codec) Decode(r io.Reader, each func(exchange.Event) error) (exchange.Arrival, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return exchange.Arrival{}, err
	}
	var events []exchange.Event
	if err := json.Unmarshal(text, &events); err != nil {
		return exchange.Arrival{}, &exchange.Unreadable{Why: "It is not JSON."}
	}
	for n, e := range events {
		e.Path = fmt.Sprintf("e%d", n)
		if err := each(e); err != nil {
			return exchange.Arrival{}, err
		}
	}
	return exchange.Arrival{Name: "events"}, nil
}

// box is the folders of a bank, in memory.
type box struct {
	out, in      map[string][]byte
	placed       []string // every name that was placed, as often as it was
	kept, put    []string
	failsToPlace error
}

func (b *box) Place(_ context.Context, name string, hash []byte, content io.Reader, check func(io.Reader) error) error {
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(text); !bytes.Equal(sum[:], hash) {
		return errors.New("other bytes than were written down")
	}
	if err := check(bytes.NewReader(text)); err != nil {
		return err
	}
	if was, there := b.out[name]; there && !bytes.Equal(was, text) {
		return errors.New("other bytes under this name")
	}
	b.out[name], b.placed = text, append(b.placed, name)
	return b.failsToPlace
}

func (b *box) Waiting(_ context.Context, name string) (bool, error) { return b.out[name] != nil, nil }

func (b *box) Find(context.Context) (found []exchange.Found, _ error) {
	for name, text := range b.in {
		sum := sha256.Sum256(text)
		found = append(found, exchange.Found{Name: name, Size: int64(len(text)), SHA256: sum[:]})
	}
	return found, nil
}

func (b *box) Open(f exchange.Found) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b.in[f.Name])), nil
}

func (b *box) Keep(f exchange.Found, _ time.Time) error {
	delete(b.in, f.Name)
	b.kept = append(b.kept, f.Name)
	return nil
}

func (b *box) Reject(f exchange.Found, why string) error {
	delete(b.in, f.Name)
	b.put = append(b.put, f.Name+": "+why)
	return nil
}

// bench is an exchange on a database, with a clock that the test moves.
type bench struct {
	*exchange.Service
	t     *testing.T
	store *store.Store
	box   *box
	who   actor.Actor
}

var monday = calendar.On(2027, time.January, 11)

func open(t *testing.T, change func(*exchange.Rules)) *bench {
	t.Helper()
	keys, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := store.Open(t.Context(), storetest.DSN(t), store.Options{Seal: keys, Sandbox: true, MaxConns: 10,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	b := &bench{t: t, store: s, box: &box{out: map[string][]byte{}, in: map[string][]byte{}}}
	b.at(monday.At(9, 0))
	rules := exchange.Rules{Name: "lines", Cuts: []calendar.TimeOfDay{{Hour: 8}, {Hour: 11, Minute: 30}},
		Deadline: calendar.TimeOfDay{Hour: 12}, LeadDays: map[bank.Method]int{bank.EFT: 2, bank.DebiCheck: 1},
		Success:   map[bank.Method]exchange.Success{bank.EFT: exchange.BySilence, bank.DebiCheck: exchange.ByReport},
		SilenceAt: calendar.TimeOfDay{Hour: 6}, AckWithin: time.Hour, MaxItems: 100,
		Capabilities: bank.Capabilities{DebiCheck: true, Refunds: true, RecallOne: true}}
	if change != nil {
		change(&rules)
	}
	b.Service = &exchange.Service{InTx: store.Runner[exchange.Tx](s), Read: s, Rules: rules, Encoder: codec{},
		Decoder: codec{}, Box: b.box, Calendar: calendar.New(), Now: s.Now, Chunk: 3}
	m, brand := s.NewID(), s.NewID()
	b.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, 'gym', 'Gym', true, $2, $2)`,
		m, s.Now())
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
	for name := range b.box.out {
		delete(b.box.out, name)
	}
	b.work()
	return ids, cut[0]
}

// arrive lets the bank say something.
func (b *bench) arrive(name string, events ...exchange.Event) {
	b.t.Helper()
	text, err := json.Marshal(events)
	must(b.t, err)
	b.box.in[name] = text
	b.work()
}

func acknowledged(message string) exchange.Event {
	return exchange.Event{Kind: exchange.OnMessage, MessageID: message, Status: "ACTC"}
}

func status(id uuid.UUID, status string, reasons ...string) exchange.Event {
	e := exchange.Event{Kind: exchange.OnItem, InstructionID: strings.ReplaceAll(id.String(), "-", ""), Status: status}
	for _, r := range reasons {
		e.Reasons = append(e.Reasons, exchange.Reason{Code: r})
	}
	return e
}

func booked(id uuid.UUID, cents int64, credit bool, on calendar.Date, reasons ...string) exchange.Event {
	e := status(id, "BOOK", reasons...)
	e.Kind, e.HasAmount, e.AmountCents, e.Credit, e.BookedOn = exchange.OnEntry, true, cents, credit, on
	return e
}

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
	b.box.in[name] = []byte(name)
	b.work()
	b.Decoder = codec{}
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

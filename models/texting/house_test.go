package texting_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/locale"
	"debitdesk/models/queue"
	"debitdesk/models/sms"
	"debitdesk/models/storetest"
	"debitdesk/models/texting"
)

// provider takes messages, or answers what it is told to.
type provider struct {
	mu      sync.Mutex
	taken   []sms.Outgoing
	fail    error
	repeats time.Duration
	enter   func(sms.Outgoing) // called while a message is handed over
	reports []sms.Report
	replies []sms.Reply
}

func (p *provider) Send(_ context.Context, m sms.Outgoing) (string, error) {
	if p.enter != nil {
		p.enter(m)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return "", p.fail
	}
	p.taken = append(p.taken, m)
	return "p-" + m.ID.String(), nil
}

func (p *provider) Reports(sms.Call) ([]sms.Report, error) { return p.reports, nil }
func (p *provider) Replies(sms.Call) ([]sms.Reply, error)  { return p.replies, nil }
func (p *provider) Limits() sms.Limits                     { return sms.Limits{Name: "Test", Repeats: p.repeats} }

type house struct {
	*database.DB
	*texting.Service
	t        *testing.T
	provider *provider
	merchant uuid.UUID
	client   uuid.UUID
	raised   []string
	jobs     []queue.Job
}

// noted words confirmations by their kind and language.
type noted struct{}

func (noted) Noted(kind, business string, reads locale.Language) string {
	return sms.Shorten(business) + ": " + kind + " " + string(reads)
}

const phone = "+27821234567"

// open begins on a Monday at 10:00, when messages may go out.
func open(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, provider: &provider{}}
	box, err := seal.NewBox([]seal.Key{{ID: "t", Secret: make([]byte, 32)}}, make([]byte, 32))
	h.must(err)
	h.DB, err = database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, Seal: box,
		Enqueue: func(_ context.Context, _ pgx.Tx, jobs []queue.Job) error {
			h.jobs = append(h.jobs, jobs...)
			return nil
		}})
	h.must(err)
	t.Cleanup(h.DB.Close)
	h.Service = &texting.Service{Store: texting.Store{DB: h.DB}, Clients: client.Store{DB: h.DB}, Gateway: h.provider,
		Calendar: calendar.New(), Letters: noted{}, Raise: func(_ *database.Tx, _ sms.Message, why string) error {
			h.raised = append(h.raised, why)
			return nil
		}}
	h.at(calendar.On(2031, time.March, 3).At(10, 0))
	h.merchant, h.client = h.NewID(), h.NewID()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
		VALUES ($1, 'kloof', 'Kloof Street Gym', true, now(), now())`, h.merchant.String())
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	_, err := h.Pool.Exec(h.t.Context(), sql, args...)
	h.must(err)
}

func (h *house) at(moment time.Time) {
	h.t.Helper()
	h.must(h.Clock.MoveTo(h.t.Context(), moment))
}

// queue writes a message about something.
func (h *house) queue(about uuid.UUID, text string) (m sms.Message, err error) {
	h.t.Helper()
	err = h.DB.InTx(h.t.Context(), func(tx *database.Tx) error {
		m, err = h.Queue(tx, sms.Message{MerchantID: h.merchant, ClientID: h.client, ObjectID: about, Kind: sms.Reminder,
			Attempt: 1, To: "082 123 4567", Text: text})
		return err
	})
	return m, err
}

func (h *house) queued(text string) sms.Message {
	h.t.Helper()
	m, err := h.queue(uuid.New(), text)
	h.must(err)
	return m
}

func (h *house) find(id uuid.UUID) sms.Message {
	h.t.Helper()
	m, err := h.Service.Store.Message(h.t.Context(), h.merchant, id)
	h.must(err)
	return m
}

// state wants a message in a state.
func (h *house) state(m sms.Message, want sms.State) sms.Message {
	h.t.Helper()
	got := h.find(m.ID)
	if got.State != want {
		h.t.Errorf("the message is %s (%s); want %s", got.State, got.Why, want)
	}
	return got
}

func (h *house) send(m sms.Message) {
	h.t.Helper()
	h.must(h.Send(h.t.Context(), m.ID))
}

func (h *house) due() {
	h.t.Helper()
	_, err := h.SendDue(h.t.Context())
	h.must(err)
}

func (h *house) report(r ...sms.Report) {
	h.t.Helper()
	h.provider.reports = r
	h.must(h.Reports(h.t.Context(), sms.Call{}))
}

func (h *house) answer(id, text string) {
	h.t.Helper()
	h.provider.replies = []sms.Reply{{ProviderID: id, From: "27821234567", Text: text}}
	h.must(h.Replies(h.t.Context(), sms.Call{}))
}

func (h *house) count(sql string, args ...any) (n int) {
	h.t.Helper()
	h.must(h.Pool.QueryRow(h.t.Context(), sql, args...).Scan(&n))
	return n
}

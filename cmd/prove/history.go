package prove

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/actor"
	"debitdesk/models/merchant"
)

// The size of a history. It is small, so that acts meet at the same things.
const (
	lanes    = 3 // people and programs that act at once
	rounds   = 8 // in each, every lane does its acts at once with the others
	together = 3 // acts of one lane in a round
	settling = 75 * 24 * time.Hour
)

// history is one play.
type history struct {
	*place
	seed    uint64
	rand    *rand.Rand // of what is decided between rounds
	desk    *Desk
	db      *pgxpool.Pool
	line    line
	servers [2]*server
	client  *http.Client
	who     actor.Actor
	brand   merchant.Brand
	token   string    // of the API
	plan    string    // billing template
	again   uuid.UUID // plan for debits that fail
	till    *till
	notes   notes
	moved   bool // the clock has, so the bank has had its say
	round   int

	clients, tokens, purchases, mandates []string // what there was when the round began
	debicheck                            map[string]bool
	stood                                map[string]string // class of each purchase after the last move of the clock

	mu    sync.Mutex
	owner map[string]string // client of a purchase or token
	acts  []string
	wrong []string
}

// lane is one who acts. What it makes is seen by the others from the next round on, so that the same seed picks the
// same things however the acts of a round interleave.
type lane struct {
	*history
	n    int
	rand *rand.Rand
	on   *server
	calm bool // the clock and the bank stand still in this round

	newClients, newTokens, newPurchases, newMandates []string
}

func (h *history) found(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrong = append(h.wrong, fmt.Sprintf(format, args...))
}

func (h *history) did(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acts = append(h.acts, fmt.Sprintf("%2d ", h.round)+fmt.Sprintf(format, args...))
}

func (h *history) owns(client, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.owner[id] = client
}

func (h *history) ownerOf(id string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.owner[id]
}

// history plays one from an empty database to the checks at its end.
func (p *place) history(ctx context.Context, seed uint64) (h *history, err error) {
	//nolint:gosec // it is to repeat itself
	h = &history{place: p, seed: seed, rand: rand.New(rand.NewPCG(seed, 0)), servers: [2]*server{{}, {}},
		client:    caller(p.Transport),
		debicheck: map[string]bool{}, owner: map[string]string{},
		stood: map[string]string{}}
	dsn, drop, err := p.fresh(ctx)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, h.leave(), drop()) }()
	if h.db, err = eyes(ctx, dsn); err != nil {
		return h, err
	}
	h.line.db = h.db
	if h.desk, err = p.Open(ctx, dsn, p.folder); err != nil {
		return h, err
	}
	for _, s := range h.servers {
		if err := p.start(ctx, s, dsn); err != nil {
			return h, err
		}
	}
	if err := h.begin(ctx); err != nil {
		return h, err
	}
	for h.round = 1; h.round <= rounds && len(h.wrong) == 0; h.round++ {
		if err := h.play(ctx, dsn); err != nil {
			return h, err
		}
	}
	if len(h.wrong) == 0 {
		err = h.end(ctx)
	}
	if err == nil && len(h.wrong) == 0 && p.After != nil {
		err = p.After(ctx, &Played{h, h.db})
	}
	return h, err
}

func (h *history) leave() (err error) {
	for _, s := range h.servers {
		err = errors.Join(err, s.kill())
	}
	if h.till != nil {
		err = errors.Join(err, h.till.Close())
	}
	if h.desk != nil {
		err = errors.Join(err, h.desk.Close())
	}
	if h.db != nil {
		h.db.Close()
	}
	return err
}

// play is one round: everybody acts at once. In a calm one that is all. In the others the clock moves on meanwhile,
// answers of the bank go astray before, and servers end or lose their connections in the midst of it.
func (h *history) play(ctx context.Context, dsn string) error {
	calm := h.round%2 == 1
	all := make([]*lane, lanes)
	for n := range all {
		//nolint:gosec // it is to repeat itself
		r := rand.New(rand.NewPCG(h.seed, uint64(h.round*lanes+n+1)))
		all[n] = &lane{history: h, n: n, rand: r, on: h.servers[r.IntN(len(h.servers))], calm: calm}
	}
	began := h.notes.tick()
	var wait sync.WaitGroup
	if !calm {
		if err := h.disturb(ctx); err != nil {
			return err
		}
		days := 1 + h.rand.IntN(9)
		both, killed, broken := h.rand.IntN(3) == 0, -1, false
		if h.may(Kill) {
			killed = h.rand.IntN(len(h.servers))
			h.did("a server is killed")
		}
		if broken = h.may(Failover); broken {
			h.did("every connection to the database ends")
		}
		mover := h.servers[h.rand.IntN(len(h.servers))]
		to := h.desk.Store.Now().AddDate(0, 0, days)
		h.did("the clock goes on by %d days", days)
		for _, s := range h.servers {
			if s == mover || both {
				wait.Go(func() {
					h.call(ctx, s, http.MethodPost, "/sandbox/clock", "", map[string]string{"now": to.Format(time.RFC3339Nano)})
				})
			}
		}
		delay := time.Duration(h.rand.IntN(300)) * time.Millisecond
		wait.Go(func() { h.interrupt(ctx, delay, killed, broken) })
	}
	for _, l := range all {
		wait.Go(func() {
			for range together {
				l.act(ctx)
			}
		})
	}
	wait.Wait()
	for _, l := range all {
		h.clients, h.tokens = append(h.clients, l.newClients...), append(h.tokens, l.newTokens...)
		h.mandates = append(h.mandates, l.newMandates...)
		for _, id := range l.newPurchases { // one under a shared key is several people's
			if !slices.Contains(h.purchases, id) {
				h.purchases = append(h.purchases, id)
			}
		}
	}
	if calm {
		return nil
	}
	h.moved = true
	for _, s := range h.servers {
		if s.address() == "" {
			if err := h.start(ctx, s, dsn); err != nil {
				return err
			}
		}
	}
	return h.settle(ctx, began)
}

// may draws whether a fault of the options happens now.
func (h *history) may(f Fault) bool {
	drawn := h.rand.IntN(3) == 0 // in any case, so that the rest of the acts stays the same without the fault
	return drawn && slices.Contains(h.Faults, f)
}

func (h *history) disturb(ctx context.Context) error {
	for _, f := range []Fault{Delayed, Doubled, Reordered, Lost} {
		if !h.may(f) {
			continue
		}
		said, err := h.line.disturb(ctx, f, h.rand)
		if err != nil {
			return err
		}
		if said != "" {
			h.did("%s", said)
		}
	}
	return nil
}

func (h *history) interrupt(ctx context.Context, delay time.Duration, killed int, broken bool) {
	if killed < 0 && !broken {
		return
	}
	time.Sleep(delay)
	if broken {
		if err := h.line.breakConnections(ctx); err != nil {
			h.found("connections cannot be ended: %v", err)
		}
	}
	if killed >= 0 {
		if err := h.servers[killed].kill(); err != nil {
			h.found("a server cannot be killed: %v", err)
		}
	}
}

// tries is how often what a fault cut off is begun again.
const tries = 5

// settle does what is due by the clock as it stands, and notes what became of the purchases meanwhile.
func (h *history) settle(ctx context.Context, began int64) (err error) {
	if err := h.line.lapse(ctx); err != nil {
		return err
	}
	for range tries {
		if err = h.desk.Controls.Live(ctx, h.desk.Store.Now()); err == nil {
			break
		}
	}
	if err != nil {
		h.found("what is due cannot be done: %v", err)
		return nil
	}
	now, err := h.statuses(ctx)
	if err != nil {
		return err
	}
	for id, status := range now {
		h.stood[id] = standing(status)
		if !h.debicheck[id] {
			h.notes.add(lanes, "purchase", id, began, asked{what: "became"}, given{how: done, is: standing(status)})
		}
	}
	wrong, err := h.money(ctx)
	if err != nil {
		return err
	}
	for _, one := range wrong {
		h.found("%s", one)
	}
	return nil
}

// end lets the bank say what was lost, moves on until every window is closed, and looks at everything.
func (h *history) end(ctx context.Context) error {
	if err := h.line.repeat(ctx, h.desk.Store.Now().AddDate(0, 0, -4)); err != nil {
		return err
	}
	began := h.notes.tick()
	h.did("the bank repeats itself, and %d days go by", int(settling.Hours()/24))
	to := map[string]string{"now": h.desk.Store.Now().Add(settling).Format(time.RFC3339Nano)}
	var a answer
	for n := 0; n < tries && !a.known; n++ { // connections that a failover broke are noticed one by one
		a = h.call(ctx, h.servers[n%len(h.servers)], http.MethodPost, "/sandbox/clock", "", to)
	}
	if !a.ok() && !a.says("min_value") { // it was moved, and the answer got lost
		h.found("the clock was not moved to the end: %d %.200s", a.status, a.body)
		return nil
	}
	if err := h.settle(ctx, began); err != nil {
		return err
	}
	for _, s := range h.servers { // what they have under way in the background comes to its end
		if err := s.end(syscall.SIGTERM); err != nil {
			return err
		}
	}
	if err := h.settle(ctx, began); err != nil {
		return err
	}
	wrong, err := h.check(ctx)
	if err != nil {
		return err
	}
	for _, one := range append(wrong, h.notes.check()...) {
		h.found("%s", one)
	}
	return nil
}

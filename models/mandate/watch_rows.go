package mandate

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// mandateChannel is where the database's triggers name mandates that changed.
const mandateChannel = "debitdesk_mandate"

// How soon a lost connection is opened again. The wait doubles from the first to
// the last.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Watch tells pages that are open which mandates have changed. A process has one,
// with one connection to the database beside the pool, whatever the number of
// pages; a subscriber costs a few bytes and no goroutine.
type Watch struct {
	cfg    *pgx.ConnConfig
	log    *slog.Logger
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex
	heard   uint64 // changes of any mandate, since the start
	watched map[uuid.UUID]*topic
	closed  bool
}

// topic is one mandate that somebody watches.
type topic struct {
	version uint64
	ears    map[chan struct{}]struct{}
}

// Watch starts listening. Close it before the database.
func (s Store) Watch(ctx context.Context) (*Watch, error) {
	w := &Watch{cfg: database.Dedicated(s.Direct, "debitdesk watch"), log: s.Options.Log, watched: map[uuid.UUID]*topic{}}
	if w.log == nil {
		w.log = slog.Default()
	}
	conn, err := w.connect(ctx)
	if err != nil {
		return nil, err
	}
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.Clock.OnMove(w.wakeAll) // what is left of a time limit depends on the clock
	w.done.Go(func() { w.follow(ctx, conn) })
	return w, nil
}

// Subscribe gives a channel that has something in it as soon as the mandate may
// have changed; changes that nobody took yet are one. It is closed when nothing
// will be told any more. Call cancel when done.
func (w *Watch) Subscribe(id uuid.UUID) (changed <-chan struct{}, cancel func()) {
	ear := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		close(ear)
		return ear, func() {}
	}
	t := w.watched[id]
	if t == nil {
		t = &topic{version: w.heard, ears: map[chan struct{}]struct{}{}}
		w.watched[id] = t
	}
	t.ears[ear] = struct{}{}
	return ear, func() { w.forget(id, ear) }
}

func (w *Watch) forget(id uuid.UUID, ear chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.watched[id]; t != nil {
		delete(t.ears, ear)
		if len(t.ears) == 0 {
			delete(w.watched, id)
		}
	}
}

// Version grows with each change of the mandate: what was read under one version
// is good for everybody who asks under the same. It means something while the
// mandate is subscribed to.
func (w *Watch) Version(id uuid.UUID) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.watched[id]; t != nil {
		return t.version
	}
	return w.heard
}

// Watchers is how many subscriptions there are.
func (w *Watch) Watchers() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.watched {
		n += len(t.ears)
	}
	return n
}

// Close ends all subscriptions and the connection. Closing twice changes nothing.
func (w *Watch) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		for _, t := range w.watched {
			for ear := range t.ears {
				close(ear)
			}
		}
		clear(w.watched)
	}
	w.mu.Unlock()
	w.cancel()
	w.done.Wait()
}

func (w *Watch) wake(id uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard++
	if t := w.watched[id]; t != nil {
		t.wake(w.heard)
	}
}

func (w *Watch) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard++
	for _, t := range w.watched {
		t.wake(w.heard)
	}
}

func (t *topic) wake(version uint64) {
	t.version = version
	for ear := range t.ears {
		select {
		case ear <- struct{}{}:
		default: // it has yet to take the change before
		}
	}
}

func (w *Watch) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, w.cfg)
	if err != nil {
		return nil, fmt.Errorf("watch mandates: %w", err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+mandateChannel); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("watch mandates: %w", err)
	}
	return conn, nil
}

// follow passes on what the database tells until ctx ends. After a connection was
// lost everybody is woken once: a change may have been missed.
func (w *Watch) follow(ctx context.Context, conn *pgx.Conn) {
	wait := firstRetry
	for {
		if conn != nil {
			err := w.listen(ctx, conn)
			_ = conn.Close(context.WithoutCancel(ctx))
			if ctx.Err() != nil {
				return
			}
			w.log.Warn("watching mandates again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		var err error
		if conn, err = w.connect(ctx); err != nil {
			conn, wait = nil, min(2*wait, lastRetry)
			continue
		}
		wait = firstRetry
		w.wakeAll()
	}
}

func (w *Watch) listen(ctx context.Context, conn *pgx.Conn) error {
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if id, err := uuid.Parse(n.Payload); err == nil {
			w.wake(id)
		}
	}
}

// AskingNow tells whether any client is being asked about a mandate, or any bank has
// yet to hear that an answer is not wanted any more. It reads partial indexes that
// hold nothing else.
func (s Store) AskingNow(ctx context.Context) (asking bool, err error) {
	err = s.Gorm(ctx).Raw(`SELECT EXISTS (SELECT FROM mandate_authentications
			WHERE state IN ('requested', 'sent', 'delivered'))
		OR EXISTS (SELECT FROM mandate_authentications WHERE cancel_due)`).Scan(&asking).Error
	if err != nil {
		return false, fmt.Errorf("look for open authentications: %w", err)
	}
	return asking, nil
}

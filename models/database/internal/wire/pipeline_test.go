package wire

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// server answers each query with no rows, and notes what each round trip asked.
type server struct {
	mu     sync.Mutex
	trips  [][]string
	answer func() // comes before an answer; nil: nothing does
}

func (s *server) SendBatch(_ context.Context, batch *pgx.Batch) pgx.BatchResults {
	var asked []string
	for _, q := range batch.QueuedQueries {
		asked = append(asked, q.SQL)
	}
	s.mu.Lock()
	s.trips = append(s.trips, asked)
	s.mu.Unlock()
	if s.answer != nil {
		s.answer()
	}
	return answers{failedBatch{}, batch}
}

type answers struct {
	failedBatch
	batch *pgx.Batch
}

func (a answers) Close() (err error) {
	for _, q := range a.batch.QueuedQueries {
		err = errors.Join(err, q.Fn(a))
	}
	return err
}

func (s *server) ask(ctx context.Context, sql string) error {
	return PipelineOf(ctx).Send(ctx, s, Query{SQL: sql, Rows: func(pgx.Rows) error { return nil }})
}

func pipelined(ctx context.Context, patience time.Duration, reads ...func(context.Context) error) error {
	p := &Pipeline{ctx: ctx, busy: 1, patience: patience}
	return p.run(p.share(ctx), reads)
}

func TestReadersShareTheirRoundTrips(t *testing.T) {
	t.Parallel()
	s := &server{}
	twice := func(ctx context.Context) error { return errors.Join(s.ask(ctx, "a"), s.ask(ctx, "c")) }
	once := func(ctx context.Context) error { return s.ask(ctx, "b") }
	if err := pipelined(t.Context(), time.Hour, twice, once); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(s.trips[0]); len(s.trips) != 2 || !slices.Equal(s.trips[0], []string{"a", "b"}) {
		t.Errorf("asked %v", s.trips)
	}
}

func TestAReaderThatWaitsForSomethingElseHoldsUpTheOthersOnce(t *testing.T) {
	t.Parallel()
	s := &server{}
	answered := make(chan struct{})
	err := pipelined(t.Context(), time.Millisecond, func(context.Context) error {
		<-answered
		return nil
	}, func(ctx context.Context) error {
		defer close(answered)
		if err := s.ask(ctx, "a"); err != nil {
			return err
		}
		p := PipelineOf(ctx)
		p.mu.Lock()
		p.patience = time.Hour
		p.mu.Unlock()
		return s.ask(ctx, "b")
	})
	if err != nil || len(s.trips) != 2 {
		t.Errorf("asked %v, %v", s.trips, err)
	}
}

func TestAReaderThatGivesUpIsNotSentAndWaitsForNobody(t *testing.T) {
	t.Parallel()
	s := &server{}
	gone := make(chan struct{})
	err := pipelined(t.Context(), time.Hour, func(ctx context.Context) error {
		<-gone
		return s.ask(ctx, "b")
	}, func(ctx context.Context) error {
		defer close(gone)
		own, cancel := context.WithCancel(ctx)
		cancel()
		if err := s.ask(own, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("told %v", err)
		}
		return nil
	})
	if err != nil || len(s.trips) != 1 || !slices.Equal(s.trips[0], []string{"b"}) {
		t.Errorf("asked %v, %v", s.trips, err)
	}
}

func TestAReaderThatGivesUpWaitsForWhatWasSent(t *testing.T) {
	t.Parallel()
	own, cancel := context.WithCancel(t.Context())
	s := &server{answer: cancel}
	var came bool
	err := pipelined(t.Context(), time.Hour, func(ctx context.Context) error {
		return PipelineOf(ctx).Send(own, s, Query{SQL: "a", Rows: func(pgx.Rows) error { came = true; return nil }})
	})
	if err != nil || !came {
		t.Errorf("told %v, rows came: %t", err, came)
	}
}

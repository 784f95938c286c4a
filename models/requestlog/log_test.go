package requestlog_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/requestlog"
)

// kept is a log whose writes can be looked at.
type kept struct {
	requestlog.Log
	mu      sync.Mutex
	entries []requestlog.Entry
	fails   error
	dropped int
}

func newKept() *kept {
	k := &kept{}
	k.Log.Now, k.Log.NewID = func() time.Time { return time.Unix(1_800_000_000, 0) }, uuid.New
	k.Log.Dropped = func(n int) { k.mu.Lock(); k.dropped += n; k.mu.Unlock() }
	k.Log.Write = func(_ context.Context, e []requestlog.Entry) error {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.fails == nil {
			k.entries = append(k.entries, e...)
		}
		return k.fails
	}
	return k
}

func TestEverythingIsWrittenInItsOrderAndTheRestAtTheEnd(t *testing.T) {
	k := newKept()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { k.Run(ctx); close(done) }()
	const n = 5_000 // more than one write
	for i := range n {
		k.Add(requestlog.Entry{Status: i})
	}
	stop()
	<-done
	if len(k.entries) != n || k.dropped != 0 {
		t.Fatalf("%d written, %d dropped", len(k.entries), k.dropped)
	}
	for i, e := range k.entries {
		if e.Status != i || e.ID == uuid.Nil || e.At.IsZero() {
			t.Fatalf("entry %d is %+v", i, e)
		}
	}
}

func TestWhatFindsNoRoomIsDroppedAndCounted(t *testing.T) {
	k := newKept()
	for range 20_001 {
		k.Add(requestlog.Entry{})
	}
	if k.dropped == 0 {
		t.Error("the buffer has no bound")
	}
	k.Flush(t.Context())
	if len(k.entries)+k.dropped != 20_001 {
		t.Errorf("%d written and %d dropped", len(k.entries), k.dropped)
	}
	k.dropped = 0
	big := requestlog.Entry{Request: strings.Repeat("x", 1<<20)}
	for range 7 {
		k.Add(big)
	}
	if k.dropped != 0 {
		t.Errorf("%d dropped below the bound", k.dropped)
	}
	for range 3 {
		k.Add(big)
	}
	if k.dropped != 3 {
		t.Errorf("%d dropped, want 3", k.dropped)
	}
}

func TestAFailedWriteLosesWhatItHadAndNoMore(t *testing.T) {
	k := newKept()
	k.fails = errors.New("no database")
	for range 3_000 {
		k.Add(requestlog.Entry{})
	}
	k.Flush(t.Context())
	if k.dropped != 3_000 {
		t.Errorf("%d counted as dropped", k.dropped)
	}
	k.fails = nil
	k.Add(requestlog.Entry{})
	if k.Flush(t.Context()); len(k.entries) != 1 {
		t.Errorf("%d written afterwards", len(k.entries))
	}
}

package mandates

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// drawing is an event that was made once for everybody who watches a mandate.
type drawing struct {
	event []byte
	final bool

	version uint64
	made    time.Time // when its making began, by the real clock; zero before
	ready   chan struct{}
	err     error
}

const (
	// A drawing shows how much time is left, so that it is good for a moment only.
	drawingLife = 250 * time.Millisecond
	// So many are made at once: a change of many mandates leaves connections to the
	// database for everybody else.
	drawnAtOnce = 6
	drawTime    = 10 * time.Second
)

type drawingKey struct{ merchant, mandate uuid.UUID }

// drawings keeps each drawing for a moment and has it made once, however many ask.
type drawings struct {
	mu    sync.Mutex
	kept  map[drawingKey]*drawing
	swept time.Time
	slots chan struct{}
}

// get gives the drawing of a version, made by draw unless somebody else has made
// it or is at it.
func (d *drawings) get(ctx context.Context, merchant, id uuid.UUID, version uint64,
	draw func(context.Context, *drawing) error) (*drawing, error) {
	key := drawingKey{merchant, id}
	one, mine := d.take(key, version, time.Now())
	if mine {
		d.make(ctx, key, one, draw)
	}
	select {
	case <-one.ready:
		return one, one.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take finds a drawing that is good, or puts down an empty one for the caller to make.
func (d *drawings) take(key drawingKey, version uint64, now time.Time) (one *drawing, mine bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one = d.kept[key]; one != nil && one.version >= version && (one.made.IsZero() || now.Sub(one.made) < drawingLife) {
		return one, false
	}
	if d.kept == nil {
		d.kept, d.slots = map[drawingKey]*drawing{}, make(chan struct{}, drawnAtOnce)
	}
	if now.Sub(d.swept) > time.Second {
		for k, old := range d.kept {
			if !old.made.IsZero() && now.Sub(old.made) > drawTime {
				delete(d.kept, k)
			}
		}
		d.swept = now
	}
	one = &drawing{version: version, ready: make(chan struct{})}
	d.kept[key] = one
	return one, true
}

// make draws for all who wait: that the first of them goes away does not matter.
func (d *drawings) make(ctx context.Context, key drawingKey, one *drawing, draw func(context.Context, *drawing) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawTime)
	defer cancel()
	one.err = context.Canceled // of a draw that panics
	defer func() {
		if one.err != nil {
			d.drop(key, one)
		}
		close(one.ready)
	}()
	d.slots <- struct{}{}
	defer func() { <-d.slots }()
	d.mu.Lock()
	one.made = time.Now()
	d.mu.Unlock()
	one.err = draw(ctx, one)
}

func (d *drawings) drop(key drawingKey, one *drawing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept[key] == one {
		delete(d.kept, key)
	}
}

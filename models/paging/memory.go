package paging

import (
	"context"
	"errors"
	"sync"
)

// memory holds what was looked up for one answer.
type memory struct {
	mu    sync.Mutex
	looks map[string]*look
}

// look is how something is looked up, and what came of it.
type look struct {
	done  chan struct{}
	found any
	err   error
	await []Group // of those who wait for it
}

type memoryKey struct{}

// Remembering is a context for one answer, in which what Once looked up is looked up once: a list and its counts search
// the same, one after the other or side by side.
func Remembering(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryKey{}, &memory{looks: map[string]*look{}})
}

// Group is told when one of those who read side by side waits for what another one looks up, and when it goes on. It
// may hear of the second first.
type Group interface {
	Waits()
	GoesOn()
}

type groupKey struct{}

// Grouped is a context for those who read side by side.
func Grouped(ctx context.Context, g Group) context.Context {
	return context.WithValue(ctx, groupKey{}, g)
}

// Once looks something up, unless the same was looked up for this answer. What looks up asks for nothing else by Once.
func Once[T any](ctx context.Context, key string, ask func() (T, error)) (T, error) {
	m, remembers := ctx.Value(memoryKey{}).(*memory)
	if !remembers {
		return ask()
	}
	l, mine, waits := m.look(ctx, key)
	if !mine {
		if waits != nil {
			waits.Waits()
		}
		<-l.done
		if found, is := l.found.(T); is || l.err != nil {
			return found, l.err
		}
		return ask()
	}
	l.err = errGone // where ask panics
	defer m.end(key, l)
	found, err := ask()
	l.found, l.err = found, err
	return found, err
}

var errGone = errors.New("what was looked up was given up")

// look is the one of a key; mine says that it is for the caller to do it. Who waits for it tells their group; nobody
// waits for what is done.
func (m *memory) look(ctx context.Context, key string) (l *look, mine bool, waits Group) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, known := m.looks[key]
	if !known {
		l = &look{done: make(chan struct{})}
		m.looks[key] = l
		return l, true, nil
	}
	select {
	case <-l.done:
	default:
		if waits, _ = ctx.Value(groupKey{}).(Group); waits != nil {
			l.await = append(l.await, waits)
		}
	}
	return l, false, waits
}

// end tells those who wait. What failed is looked up again by whoever asks next.
func (m *memory) end(key string, l *look) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.err != nil {
		delete(m.looks, key)
	}
	for _, g := range l.await {
		g.GoesOn()
	}
	close(l.done)
}

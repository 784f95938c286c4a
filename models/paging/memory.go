package paging

import (
	"context"
	"sync"
)

// memory holds what was looked up for one answer.
type memory struct{ found sync.Map }

type memoryKey struct{}

// Remembering is a context for one answer, in which what Once looked up is looked up once: a list and its counts search
// the same. What is looked up at once is not waited for.
func Remembering(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryKey{}, &memory{})
}

// Once looks something up, unless the same was looked up for this answer.
func Once[T any](ctx context.Context, key string, look func() (T, error)) (T, error) {
	kept, remembers := ctx.Value(memoryKey{}).(*memory)
	if !remembers {
		return look()
	}
	if any, known := kept.found.Load(key); known {
		if found, is := any.(T); is {
			return found, nil
		}
	}
	found, err := look()
	if err == nil {
		kept.found.Store(key, found)
	}
	return found, err
}

package paging

import "context"

// memory holds what was looked up for one answer.
type memory map[string]any

type memoryKey struct{}

// Remembering is a context for one answer, in which what Once looked up is looked up once: a list and its counts search
// the same. One goroutine uses it.
func Remembering(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryKey{}, memory{})
}

// Once looks something up, unless the same was looked up for this answer.
func Once[T any](ctx context.Context, key string, look func() (T, error)) (T, error) {
	kept, _ := ctx.Value(memoryKey{}).(memory)
	if found, known := kept[key].(T); known {
		return found, nil
	}
	found, err := look()
	if err == nil && kept != nil {
		kept[key] = found
	}
	return found, err
}

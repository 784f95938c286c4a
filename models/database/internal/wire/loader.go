package wire

import "context"

// Loader is a data loader: look-ups that arrive while others are under way are one question, which begins after each
// of its callers has asked. It keeps nothing, so that no answer is older than its question.
type Loader[K comparable, V any] struct{ Batcher[*load[K, V]] }

// load is what one caller looks up.
type load[K comparable, V any] struct {
	key   K
	found V
}

// Find is how the values of several keys are found: one value for each key, in the order of the keys.
type Find[K comparable, V any] func(ctx context.Context, keys []K) ([]V, error)

// Load looks up one key, alone or with what others look up.
func (l *Loader[K, V]) Load(ctx context.Context, key K, find Find[K, V]) (none V, err error) {
	batch := func(ctx context.Context, loads []*load[K, V]) error {
		keys := make([]K, len(loads))
		for i, one := range loads {
			keys[i] = one.key
		}
		found, err := find(ctx, keys)
		if err != nil {
			return err
		}
		for i, one := range loads {
			one.found = found[i]
		}
		return nil
	}
	mine := &load[K, V]{key: key}
	if err := l.Do(ctx, mine, Policy[*load[K, V]]{
		Unbatched: 1, Compatible: func(_, _ *load[K, V]) bool { return true }, Batch: batch,
		One: func(one *load[K, V]) error { return batch(ctx, []*load[K, V]{one}) },
	}); err != nil {
		return none, err // the batch may still write to mine
	}
	return mine.found, nil
}

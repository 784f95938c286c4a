package wire

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestWhatManyAskForAtTheSameMomentIsOneQuestion(t *testing.T) {
	t.Parallel()
	var l Loader[int, int]
	l.Patience = time.Hour
	var questions atomic.Int32
	held, open := make(chan struct{}), make(chan struct{})
	odd := errors.New("thirteen")
	find := func(_ context.Context, keys []int) ([]int, error) {
		questions.Add(1)
		out := make([]int, len(keys))
		for i, key := range keys {
			switch {
			case key == 13:
				return nil, odd
			case key == 0:
				close(held)
				<-open
			}
			out[i] = key * key
		}
		return out, nil
	}
	var wg sync.WaitGroup
	ask := func(key int) {
		wg.Go(func() {
			got, err := l.Load(context.Background(), key, find)
			if key == 13 && !errors.Is(err, odd) || key != 13 && (err != nil || got != key*key) {
				t.Errorf("%d: %d, %v", key, got, err)
			}
		})
	}
	ask(0)
	<-held
	keys := []int{1, 2, 2, 3, 4}
	for _, key := range keys {
		ask(key)
	}
	for l.Waiting() < len(keys) {
		runtime.Gosched()
	}
	close(open)
	wg.Wait()
	if n := int(questions.Load()); n != 2 {
		t.Errorf("%d questions", n)
	}
	for _, key := range append(keys, 13) {
		ask(key)
	}
	wg.Wait()
}

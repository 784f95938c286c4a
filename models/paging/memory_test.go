package paging_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"debitdesk/models/paging"
)

func TestWhatOneAnswerLooksUpTwiceIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	look := func(ctx context.Context, key string, err error) int {
		n, _ := paging.Once(ctx, key, func() (int, error) { asked++; return asked, err })
		return n
	}
	one, other := paging.Remembering(t.Context()), paging.Remembering(t.Context())
	look(one, "a", errors.New("lost"))
	for _, got := range []struct{ got, want int }{{look(one, "a", nil), 2}, {look(one, "a", nil), 2},
		{look(one, "b", nil), 3},
		{look(other, "a", nil), 4}, {look(t.Context(), "a", nil), 5}, {look(t.Context(), "a", nil), 6}} {
		if got.got != got.want {
			t.Errorf("%d, want %d", got.got, got.want)
		}
	}
}

// group counts those of a group who wait for another.
type group struct{ waits, goesOn atomic.Int32 }

func (g *group) Waits()  { g.waits.Add(1) }
func (g *group) GoesOn() { g.goesOn.Add(1) }

func TestWhatIsLookedUpSideBySideIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	for _, fails := range []error{nil, errors.New("lost")} {
		var g group
		ctx := paging.Grouped(paging.Remembering(t.Context()), &g)
		asked, found, begun, answer := 0, [2]int{}, make(chan struct{}), make(chan struct{})
		errs := [2]error{}
		var all sync.WaitGroup
		all.Go(func() {
			found[0], errs[0] = paging.Once(ctx, "a", func() (int, error) {
				asked++
				close(begun)
				<-answer
				return 7, fails
			})
		})
		<-begun
		all.Go(func() {
			found[1], errs[1] = paging.Once(ctx, "a", func() (int, error) { asked++; return 8, nil })
		})
		for g.waits.Load() == 0 {
			runtime.Gosched()
		}
		if g.goesOn.Load() != 0 {
			t.Error("goes on without an answer")
		}
		close(answer)
		all.Wait()
		if asked != 1 || found != [2]int{7, 7} && fails == nil || errs != [2]error{fails, fails} || g.goesOn.Load() != 1 {
			t.Errorf("asked %d times, found %v, %v, went on %d", asked, found, errs, g.goesOn.Load())
		}
		again, err := paging.Once(ctx, "a", func() (int, error) { return 9, nil })
		if want := map[bool]int{true: 9, false: 7}[fails != nil]; again != want || err != nil {
			t.Errorf("then %d, %v, want %d", again, err, want)
		}
	}
}

func TestWhoPanicsLetsOthersGoOn(t *testing.T) {
	t.Parallel()
	ctx := paging.Remembering(t.Context())
	func() {
		defer func() { _ = recover() }()
		_, _ = paging.Once(ctx, "a", func() (int, error) { panic("lost") })
	}()
	if found, err := paging.Once(ctx, "a", func() (int, error) { return 1, nil }); found != 1 || err != nil {
		t.Errorf("found %d, %v", found, err)
	}
}

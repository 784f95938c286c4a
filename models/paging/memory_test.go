package paging_test

import (
	"context"
	"errors"
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

package debit_test

import (
	"sync"
	"testing"
	"time"
)

// BenchmarkManyDueAtOnce runs 1 000 debits that share their moments, from the
// hand-over to the end of the return window.
func BenchmarkManyDueAtOnce(b *testing.B) {
	const many = 1000
	for b.Loop() {
		b.StopTimer()
		h := open(b)
		h.debits.Chunk = 0
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for range many / 8 {
					h.tokenise("4000000000", 10000)
				}
			})
		}
		wait.Wait()
		c := h.tokenise("4000000000", 10000).Collection
		b.StartTimer()
		for _, step := range []struct {
			name string
			at   time.Time
		}{{"hand-over", c.SubmitAt}, {"start", c.ExecuteAt}, {"answer", c.ActionDate.At(17, 0)}, {"close", c.FinalAt}} {
			must(b, h.store.Clock.MoveTo(ctx, step.at))
			began := time.Now()
			if _, err := h.debits.Run(ctx); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(time.Since(began).Milliseconds()), step.name+"-ms")
		}
	}
}

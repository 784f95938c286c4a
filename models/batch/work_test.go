package batch_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"debitdesk/models/batch"
)

// together has several workers work on one batch at the same time, and tells how many rows they took up.
func (h *house) together(workers int, b batch.Batch) int {
	h.t.Helper()
	var taken atomic.Int64
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range workers {
		engine := h.engine()
		engine.CountTaken(&taken)
		all.Go(func() {
			<-begin
			if err := engine.Work(context.Background(), b.ID); err != nil {
				h.t.Error(err)
			}
		})
	}
	close(begin)
	all.Wait()
	return int(taken.Load())
}

func TestWorkersOfOneBatchDoNoRowInVain(t *testing.T) {
	h := open(t)
	const rows = 2_500 // more than are checked before the answer
	b := h.upload(file(rows))
	b, err := h.batches.Map(ctx, h.who, b.ID, b.Mapping)
	must(t, err)
	if n := h.together(4, b); n != rows {
		t.Errorf("%d rows were judged to check %d", n, rows)
	}
	b = h.created(b)
	b = h.start(b, order(b))
	if n := h.together(4, b); n != rows {
		t.Errorf("%d rows were judged to send %d", n, rows)
	}
	h.isWhole(h.get(b), rows)
}

func TestWorkersOfOneBatchVoidNoRowInVain(t *testing.T) {
	h := open(t)
	const rows = 200
	b := h.checked(file(rows))
	b = h.work(h.start(b, order(b)))
	b, err := h.batches.Void(ctx, h.who, b.ID)
	must(t, err)
	if n := h.together(4, b); n != rows {
		t.Errorf("%d rows were taken up to void %d", n, rows)
	}
	if b = h.get(b); b.State != batch.Done || b.Counts.Voided != rows {
		t.Errorf("%s %+v", b.State, b.Counts)
	}
}

// BenchmarkWorkersOfOneBatch tells how many rows are checked, and sent, in a second.
func BenchmarkWorkersOfOneBatch(bench *testing.B) {
	const rows = 5_000
	for _, workers := range []int{1, 2, 6} {
		bench.Run(fmt.Sprint(workers), func(bench *testing.B) {
			var checking, sending time.Duration
			for range bench.N {
				h := open(bench)
				b := h.upload(file(rows))
				b, err := h.batches.Map(ctx, h.who, b.ID, b.Mapping)
				must(bench, err)
				began := time.Now()
				h.together(workers, b)
				checking += time.Since(began)
				b = h.created(b)
				b = h.start(b, order(b))
				began = time.Now()
				h.together(workers, b)
				sending += time.Since(began)
			}
			bench.ReportMetric(rows*float64(bench.N)/checking.Seconds(), "checked/s")
			bench.ReportMetric(rows*float64(bench.N)/sending.Seconds(), "sent/s")
		})
	}
}

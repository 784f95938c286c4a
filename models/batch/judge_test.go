package batch_test

import (
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/batch"
	"debitdesk/models/database"
)

func TestJudgingAsksTheDatabaseOncePerPieceAndNotPerRow(t *testing.T) {
	h := open(t)
	const many = 20
	for i := range many {
		h.stored(fmt.Sprintf("charged%d@example.org", i))
	}
	asked := func(rows int) (checking, sending int64) {
		text := strings.Builder{}
		text.WriteString("email,amount,due,charge\n")
		for i := range rows {
			fmt.Fprintf(&text, "charged%d@example.org,100,2027-03-01,yes\n", i)
		}
		b := h.upload(text.String())
		before := h.store.Pool.Stat().AcquireCount()
		b, err := h.batches.Map(ctx, h.who, b.ID, b.Mapping)
		must(t, err)
		checking = h.store.Pool.Stat().AcquireCount() - before
		o := order(b)
		o.AcceptWarnings = true
		b = h.start(b, o)
		before = h.store.Pool.Stat().AcquireCount()
		must(t, h.batches.Work(ctx, b.ID))
		sending = h.store.Pool.Stat().AcquireCount() - before
		if b = h.get(b); b.State != batch.Done || b.Counts.Sent != rows || b.Counts.Uncharged != 0 {
			t.Fatalf("%s %+v", b.State, b.Counts)
		}
		return checking, sending
	}
	fewChecks, fewSends := asked(2)
	manyChecks, manySends := asked(many)
	const notes = 2 // to other processes, which come whenever they come
	if manyChecks > fewChecks+notes || manySends > fewSends+notes {
		t.Errorf("to check and send 2 rows the database was asked %d and %d times, %d rows %d and %d times", fewChecks,
			fewSends, many, manyChecks, manySends)
	}
}

func TestWarningsOfABatchReadEachRowAFewTimesWhateverTheStatisticsSay(t *testing.T) {
	h := open(t)
	const rows = 300
	b := h.upload(file(rows))
	h.exec(`ANALYZE batch_rows`) // when no row is ready yet
	b, err := h.batches.Map(ctx, h.who, b.ID, b.Mapping)
	must(t, err)
	b = h.created(b)
	must(t, h.store.InTx(ctx, func(tx *database.Tx) error {
		var before, after int
		const read = `SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
			WHERE relname = 'batch_rows'`
		b, err := batch.Lock(tx, h.who.MerchantID, b.ID)
		must(t, err)
		must(t, h.store.Pool.QueryRow(tx.Context(), read).Scan(&before))
		must(t, batch.NoteWarnings(tx, b, start))
		must(t, batch.MarkUnusual(tx, b, nil))
		must(t, h.store.Pool.QueryRow(tx.Context(), read).Scan(&after))
		if n := after - before; n < rows || n > 10*rows {
			t.Errorf("%d rows were read of a batch of %d", n, rows)
		}
		return nil
	}))
}

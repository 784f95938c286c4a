package tests

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
	"debitdesk/models/storetest"
)

// heard waits until more was written than n, as far as a process knows.
func heard(t *testing.T, a *database.Activity, n int64) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if now, known := a.Writes(); now > n && known {
			return
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("nothing was heard")
		}
	}
}

func writes(a *database.Activity) int64 { n, _ := a.Writes(); return n }

func TestWhatOneProcessWritesIsHeardByOthersAndWhatItReadsIsNot(t *testing.T) {
	t.Parallel()
	dsn := storetest.DSN(t)
	open := func() *database.DB {
		s, err := database.Open(t.Context(), dsn, database.Options{Sandbox: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	one, other := open(), open()
	if _, known := other.Activity.Writes(); known || other.Activity.Quiet() != 0 {
		t.Error("a process that does not listen takes silence for quiet")
	}
	other.Activity.Follow()
	heard(t, other.Activity, 0) // what it missed before it listened counts as one

	before := writes(one.Activity)
	if err := one.InTx(t.Context(), func(tx *database.Tx) error {
		_, err := database.All(tx.Context(), tx.DB(), purchase.Table, `pass_at <= $1 LIMIT 1 FOR NO KEY UPDATE`, tx.Now())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Pool.Exec(t.Context(), `DELETE FROM audit_progress WHERE false`); err != nil {
		t.Fatal(err)
	}
	if n := writes(one.Activity); n != before {
		t.Errorf("what found nothing to write counts: %d, before %d", n, before)
	}
	for what, write := range map[string]func() error{
		"a unit of work": func() error {
			return one.InTx(t.Context(), func(tx *database.Tx) error {
				tx.Audit(actor.SystemOf(uuid.New()), audit.Entry{Action: "a.b", ObjectType: "x", ObjectID: uuid.New(), Text: "x"})
				return nil
			})
		},
		"a statement of its own": func() error {
			_, err := one.Pool.Exec(t.Context(), `UPDATE sandbox_clock SET offset_micros = offset_micros`)
			return err
		},
	} {
		mine, theirs := writes(one.Activity), writes(other.Activity)
		if err := write(); err != nil {
			t.Fatal(err)
		}
		if n := writes(one.Activity); n != mine+1 {
			t.Errorf("%s: the process itself counts %d writes, want 1", what, n-mine)
		}
		heard(t, other.Activity, theirs)
	}
}

func TestTheLastWriteIsToldBeforeAProcessEnds(t *testing.T) {
	t.Parallel()
	dsn := storetest.DSN(t)
	one, err := database.Open(t.Context(), dsn, database.Options{Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	other, err := database.Open(t.Context(), dsn, database.Options{Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	other.Activity.Follow()
	heard(t, other.Activity, 0)
	before := writes(other.Activity)
	one.Activity.Note()
	one.Activity.Note() // comes while others are being told of the first
	one.Close()
	heard(t, other.Activity, before)
}

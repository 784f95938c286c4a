package trail_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/trail"
	"debitdesk/models/database"
)

type signer struct{ key ed25519.PrivateKey }

func newSigner(seed byte) signer {
	return signer{ed25519.NewKeyFromSeed(append(make([]byte, 31), seed))}
}

func (s signer) Sign(data []byte) (string, []byte) { return "k", ed25519.Sign(s.key, data) }
func (s signer) Check(_ string, data, signature []byte) bool {
	return ed25519.Verify(s.key.Public().(ed25519.PublicKey), data, signature)
}

func (s signer) Public() map[string][]byte {
	return map[string][]byte{"k": s.key.Public().(ed25519.PublicKey)}
}

// notes writes so many entries that are alike.
func (s house) notes(merchant uuid.UUID, n int) {
	s.t.Helper()
	for range n {
		s.note(merchant, "entry")
	}
}

func (s house) note(merchant uuid.UUID, text string) {
	s.t.Helper()
	err := s.InTx(s.t.Context(), func(tx *database.Tx) error {
		tx.Audit(actor.SystemOf(merchant), audit.Entry{Action: "thing.done", ObjectType: "thing", ObjectID: merchant,
			Text: text, After: map[string]any{"n": 1, "a": "b"}})
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
}

// unguarded does what only somebody with the database in hand could do.
func (s house) unguarded(sql string, args ...any) {
	s.t.Helper()
	for _, table := range []string{"audit_entries", "audit_links", "audit_trees", "audit_tiles"} {
		s.run(`ALTER TABLE ` + table + ` DISABLE TRIGGER ALL`)
	}
	s.run(sql, args...)
	for _, table := range []string{"audit_entries", "audit_links", "audit_trees", "audit_tiles"} {
		s.run(`ALTER TABLE ` + table + ` ENABLE TRIGGER ALL`)
	}
}

// linkAll waits until every entry is in its chain: a transaction of another test that
// began before holds the linking up, as it would on a server.
func (s house) linkAll(k *trail.Service) {
	s.t.Helper()
	for ctx, cancel := context.WithTimeout(s.t.Context(), 4*time.Minute); ; {
		if err := k.Link(ctx); err != nil {
			cancel()
			s.t.Fatal(err)
		}
		if s.number(
			`SELECT count(*) FROM audit_entries e WHERE NOT EXISTS (SELECT FROM audit_links l WHERE l.entry_id = e.id)`) == 0 {
			cancel()
			return
		}
	}
}

func verify(t *testing.T, k *trail.Service, merchant uuid.UUID) trail.Checked {
	t.Helper()
	got, err := k.Verify(t.Context(), actor.OperatorOf(merchant))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEveryEntryIsLinkedOnceWhateverRunsAtOnce(t *testing.T) {
	s := open(t)
	one, two := s.merchant("one"), s.merchant("two")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	var writing, linking sync.WaitGroup
	done := make(chan struct{})
	for w := range 4 {
		writing.Go(func() {
			for i := range 50 {
				s.note(map[bool]uuid.UUID{true: one, false: two}[w%2 == 0], fmt.Sprintf("entry %d of %d", i, w))
			}
		})
	}
	for range 2 {
		linking.Go(func() {
			for {
				if err := k.Link(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	linking.Wait()
	s.linkAll(k)
	for _, m := range []uuid.UUID{one, two} {
		if got := verify(t, k, m); !got.Holds() || got.Links != 100 {
			t.Errorf("%+v; want 100 links that hold", got)
		}
	}
	all, err := k.VerifyAll(t.Context(), actor.OperatorOf(uuid.Nil))
	if err != nil || len(all) != 2 {
		t.Errorf("VerifyAll: %v, %v", all, err)
	}
}

func TestEveryTamperingIsFoundAtItsLink(t *testing.T) {
	for name, c := range map[string]struct {
		sql    string
		broken int64
	}{
		"the text of an entry":  {`UPDATE audit_entries SET text = 'never happened' WHERE text = 'entry 3'`, 3},
		"a value":               {`UPDATE audit_entries SET after = '{"n": 2, "a": "b"}' WHERE text = 'entry 4'`, 4},
		"who did it":            {`UPDATE audit_entries SET actor_name = 'Somebody else' WHERE text = 'entry 2'`, 2},
		"when":                  {`UPDATE audit_entries SET at = at + interval '1 microsecond' WHERE text = 'entry 1'`, 1},
		"an entry is gone":      {`DELETE FROM audit_entries WHERE text = 'entry 5'`, 5},
		"a link is gone":        {`DELETE FROM audit_links WHERE n = 2`, 2},
		"the end is cut off":    {`DELETE FROM audit_links WHERE n = 6`, 6},
		"the head is rewritten": {`UPDATE audit_heads SET n = 5, hash = (SELECT hash FROM audit_links WHERE n = 5)`, 5},
		"the signature":         {`UPDATE audit_heads SET signature = decode(repeat('00', 64), 'hex')`, 6},
		"an entry is slipped in": {
			`INSERT INTO audit_entries (id, merchant_id, at, actor_kind, actor_name, action, object_type, object_id, text, turn)
			SELECT gen_random_uuid(), merchant_id, at, actor_kind, actor_name, action, object_type, object_id, 'slipped in', 0
			FROM audit_entries LIMIT 1`, 7},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			m, k := s.merchant("one"), &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
			for i := range 6 {
				s.note(m, fmt.Sprintf("entry %d", i+1))
			}
			s.linkAll(k)
			if got := verify(t, k, m); !got.Holds() || got.Links != 6 {
				t.Fatalf("%+v; want 6 links that hold", got)
			}
			s.unguarded(c.sql)
			if got := verify(t, k, m); got.Holds() || got.Broken != c.broken {
				t.Errorf("%+v; want it broken at %d", got, c.broken)
			}
		})
	}
}

func TestAChainThatWasWrittenAnewDoesNotHoldWithoutTheKey(t *testing.T) {
	s := open(t)
	m := s.merchant("one")
	s.note(m, "what happened")
	s.linkAll(&trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(2)}) // another key than the product's
	if got := verify(t, &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}, m); got.Holds() {
		t.Error("a chain signed by a stranger holds")
	}
}

func TestEntriesCannotBeChangedByMistake(t *testing.T) {
	s := open(t)
	s.note(s.merchant("one"), "what happened")
	for _, sql := range []string{`UPDATE audit_entries SET text = 'x'`, `DELETE FROM audit_entries`,
		`TRUNCATE audit_entries`, `DELETE FROM audit_links`, `DELETE FROM history.audit_entries_first`,
		`DELETE FROM history.audit_entries_ahead`,
		`UPDATE history.audit_links_first SET n = 0`, `TRUNCATE history.audit_links_ahead`} {
		_, err := s.Pool.Exec(t.Context(), sql)
		if pg, ok := err.(*pgconn.PgError); !ok || pg.Code != "DD002" { //nolint:errorlint // straight from the driver
			t.Errorf("%s: %v; want it refused", sql, err)
		}
	}
}

func TestADumpInAYoungerClusterGoesOnWithItsChain(t *testing.T) {
	s := open(t)
	m, k := s.merchant("one"), &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	s.note(m, "before the dump")
	s.linkAll(k)
	s.run(`UPDATE audit_progress SET turn = turn + 1000000`) // the old cluster had seen more transactions
	s.linkAll(k)                                             // as each process does when it starts
	s.note(m, "after the restore")
	s.linkAll(k)
	s.linkAll(k)
	if got := verify(t, k, m); !got.Holds() || got.Links != 2 {
		t.Errorf("%+v; want 2 links that hold", got)
	}
}

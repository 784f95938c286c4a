package trail_test

import (
	"crypto/ed25519"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit/merkle"
	"debitdesk/models/audit/trail"
	"debitdesk/models/fault"
)

func (s house) entryOf(merchant uuid.UUID, n int) (id uuid.UUID) {
	s.t.Helper()
	if err := s.Pool.QueryRow(s.t.Context(), `SELECT entry_id FROM audit_links WHERE merchant_id = $1 AND n = $2`,
		merchant, n).Scan(&id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s house) checkpoint(k *trail.Service, merchant uuid.UUID) merkle.Checkpoint {
	s.t.Helper()
	at, err := k.Checkpoint(s.t.Context(), actor.OperatorOf(merchant))
	if err != nil {
		s.t.Fatal(err)
	}
	keys, err := k.LogKeys(at.Origin)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := merkle.OpenCheckpoint(at.Text, keys); err != nil {
		s.t.Fatal(err)
	}
	return at
}

// exported writes a chain to a file and checks it, also against an older checkpoint.
func exported(t *testing.T, k *trail.Service, merchant uuid.UUID, since *merkle.Checkpoint) (trail.Pack, string) {
	t.Helper()
	var file strings.Builder
	if _, err := k.Export(t.Context(), actor.OperatorOf(merchant), "m", k.Signer.Public(), &file); err != nil {
		t.Fatal(err)
	}
	return read(t, file.String(), since), file.String()
}

func read(t *testing.T, file string, since *merkle.Checkpoint) trail.Pack {
	t.Helper()
	signedBy := func(_ string, public, data, signature []byte) bool { return ed25519.Verify(public, data, signature) }
	found, err := trail.CheckPack(strings.NewReader(file), since, signedBy)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestALogGrowsWithItsChainAndProvesEachEntry(t *testing.T) {
	t.Parallel()
	s := open(t)
	one, two := s.merchant("one"), s.merchant("two")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	who := actor.OperatorOf(one)
	if _, err := k.Checkpoint(t.Context(), who); !fault.Is(err, fault.Conflict) {
		t.Errorf("before there is a log: %v", err)
	}
	var before merkle.Checkpoint
	for range 3 { // tiles fill and new ones begin
		s.notes(one, 14)
		s.note(two, "entry")
		s.linkAll(k)
		if at := s.checkpoint(k, one); before.Text != "" {
			p, err := k.Since(t.Context(), who, before)
			if err != nil || p.Check(before) != nil || p.Checkpoint != at {
				t.Errorf("since %d: %v %v", before.Size, err, p.Check(before))
			}
		}
		before = s.checkpoint(k, one)
	}
	for n := 1; n <= 42; n += 8 {
		p, err := k.Include(t.Context(), who, s.entryOf(one, n))
		if err != nil || p.Check() != nil || p.Index != int64(n-1) || !strings.Contains(string(p.Line), `"text":"entry"`) {
			t.Errorf("entry %d: %v %v at %d", n, err, p.Check(), p.Index)
		}
	}
	if before.Size != 42 || s.checkpoint(k, two).Size != 3 || !verify(t, k, one).Holds() {
		t.Errorf("%+v %+v", before, verify(t, k, one))
	}
	// Another merchant's entry, an entry that waits, and a checkpoint of another log.
	if _, err := k.Include(t.Context(), who, s.entryOf(two, 1)); !fault.Is(err, fault.NotFound) {
		t.Errorf("another merchant's entry: %v", err)
	}
	if _, err := k.Since(t.Context(), who, s.checkpoint(k, two)); !fault.Is(err, fault.Invalid) {
		t.Errorf("another merchant's checkpoint: %v", err)
	}
	// Once more changes nothing, whoever does it, and so does anybody who has the database.
	var again sync.WaitGroup
	for range 3 {
		again.Go(func() {
			if err := k.Link(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	again.Wait()
	if at := s.checkpoint(k, one); at != before {
		t.Errorf("%+v became %+v", before, at)
	}
	for _, sql := range []string{`UPDATE audit_tiles SET hashes = set_byte(hashes, 0, 1)`, `DELETE FROM audit_tiles`,
		`UPDATE audit_trees SET size = size - 1`, `DELETE FROM audit_trees`, `TRUNCATE audit_tiles`, `TRUNCATE audit_trees`} {
		if _, err := s.Pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("taken: %s", sql)
		}
	}
}

// Several processes that find a log behind at once add each entry once; one that is killed has added nothing.
func TestALogThatIsBehindIsCaughtUpOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	one := s.merchant("one")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	s.notes(one, 70)
	s.linkAll(k)
	want := s.checkpoint(k, one)
	s.unguarded(`TRUNCATE audit_trees, audit_tiles`) // as in a database that has chains from before there were logs
	s.run(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END'`)
	s.run(`CREATE TRIGGER die BEFORE INSERT ON audit_tiles FOR EACH ROW WHEN (NEW.level = 1) EXECUTE FUNCTION die()`)
	if err := k.Link(t.Context()); err == nil || s.number(`SELECT count(*) FROM audit_tiles`) != 0 ||
		s.number(`SELECT count(*) FROM audit_trees`) != 0 {
		t.Errorf("half of a step is kept: %v", err)
	}
	s.run(`DROP TRIGGER die ON audit_tiles`)
	var at sync.WaitGroup
	for range 4 {
		at.Go(func() {
			if err := k.Link(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	at.Wait()
	if got := s.checkpoint(k, one); got != want || !verify(t, k, one).Holds() {
		t.Errorf("%+v; want %+v", got, want)
	}
}

func TestWhatWasChangedBehindALogIsTold(t *testing.T) {
	t.Parallel()
	s := open(t)
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	const hashes = "" // the chain holds and so does the root: a proof tells
	wrong := map[string]struct{ sql, why string }{
		"an entry": {`UPDATE audit_entries SET text = 'Nothing happened.' WHERE id = (SELECT entry_id FROM audit_links
			WHERE merchant_id = $1 AND n = 5)`, "was changed after it was written"},
		"a hash": {`UPDATE audit_tiles SET hashes = set_byte(hashes, 40, 255 - get_byte(hashes, 40))
			WHERE merchant_id = $1 AND level = 0 AND n = 0`, hashes},
		"a hash that is gone": {`DELETE FROM audit_tiles WHERE merchant_id = $1 AND level = 0 AND n = 0`, hashes},
		"the root": {`UPDATE audit_trees SET root = set_byte(root, 0, 255 - get_byte(root, 0)) WHERE merchant_id = $1`,
			"its signed checkpoint says something else"},
		"the checkpoint": {`UPDATE audit_trees SET checkpoint = replace(checkpoint, E'\n40\n', E'\n41\n')
			WHERE merchant_id = $1`, "signature of the log’s checkpoint"},
		"the size": {`UPDATE audit_trees SET size = 39 WHERE merchant_id = $1`, "its signed checkpoint says something else"},
	}
	merchants := map[string]uuid.UUID{}
	for name := range wrong {
		merchants[name] = s.merchant(name)
		s.notes(merchants[name], 40)
	}
	s.linkAll(k)
	for name, one := range wrong {
		m := merchants[name]
		s.unguarded(one.sql, m)
		if got := verify(t, k, m); got.Holds() != (one.why == hashes) || !strings.Contains(got.Why, one.why) {
			t.Errorf("%s: %+v; want %q", name, got, one.why)
		}
		if _, err := k.Include(t.Context(), actor.OperatorOf(m), s.entryOf(m, 5)); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: a proof was given: %v", name, err)
		}
		if len(alarms(t, k, m)) != 1 {
			t.Errorf("%s: no alarm", name)
		}
		s.note(m, "after")
	}
	s.linkAll(k)
	if n := s.number(`SELECT max(size) FROM audit_trees`); n > 40 {
		t.Errorf("a log went on to %d", n)
	}
}

// The chain was rewritten with the key at hand, all links and the head: its log still tells.
func TestAChainRewrittenWithItsKeyNoLongerLeadsToItsLog(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.merchant("one")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	s.notes(m, 8)
	s.linkAll(k)
	before := s.checkpoint(k, m)
	s.forge(k, m)
	head, err := k.Store.Head(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	_, signature := k.Signer.Sign(head.Signed())
	s.run(`UPDATE audit_heads SET signature = $1`, signature)
	if got := verify(t, k, m); !strings.Contains(got.Why, "do not lead to the root of the log") {
		t.Errorf("%+v", got)
	}
	if got, _ := exported(t, k, m, nil); !strings.Contains(got.Why, "do not lead to the root of the checkpoint") {
		t.Errorf("exported: %+v", got)
	}
	// And if the log is rewritten too, it is not the one of which somebody has a checkpoint.
	s.unguarded(`TRUNCATE audit_trees, audit_tiles`)
	s.run(`DELETE FROM audit_alarms`)
	s.linkAll(k)
	if got := verify(t, k, m); !got.Holds() {
		t.Fatalf("%+v", got)
	}
	if _, err := k.Since(t.Context(), actor.OperatorOf(m), before); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "rewritten") {
		t.Errorf("against the checkpoint of before: %v", err)
	}
	if got, _ := exported(t, k, m, nil); !got.Holds() || got.Log.Size != 8 {
		t.Errorf("exported: %+v", got)
	}
	if got, _ := exported(t, k, m, &before); !strings.Contains(got.Why, "rewritten") {
		t.Errorf("exported, against the checkpoint of before: %+v", got)
	}
}

// An accepted chain goes on with what it holds, and so does its log.
func TestAnAcceptedChainGoesOnInItsLog(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.merchant("one")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	s.notes(m, 5)
	s.linkAll(k)
	s.unguarded(`TRUNCATE audit_trees, audit_tiles`)
	s.unguarded(`UPDATE audit_entries SET text = 'Nothing happened.' WHERE id = $1`, s.entryOf(m, 3))
	s.linkAll(k)
	if got := alarms(t, k, m); len(got) != 1 || got[0].N != 3 || got[0].Stopped || s.checkpoint(k, m).Size != 2 {
		t.Fatalf("%+v", got)
	}
	before := s.checkpoint(k, m)
	if _, err := k.Accept(t.Context(), actor.OperatorOf(m), m, "A test did it."); err != nil {
		t.Fatal(err)
	}
	s.linkAll(k)
	if got := alarms(t, k, m); len(got) != 0 || s.checkpoint(k, m).Size != 6 {
		t.Errorf("%+v %d", got, s.checkpoint(k, m).Size)
	}
	if _, err := k.Since(t.Context(), actor.OperatorOf(m), before); !fault.Is(err, fault.Invalid) {
		t.Errorf("since the log of before: %v", err)
	}
}

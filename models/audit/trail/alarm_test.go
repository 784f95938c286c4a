package trail_test

import (
	"context"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/anchor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/upkeep"
)

// forge changes an entry 200 links back and writes every link and the head anew, as
// somebody could who has the database and not the key.
func (s house) forge(k *trail.Service, merchant uuid.UUID) {
	s.t.Helper()
	s.unguarded(
		`UPDATE audit_entries SET text = 'Nothing happened.'
			WHERE id = (SELECT entry_id FROM audit_links WHERE merchant_id = $1 AND n = 5)`,
		merchant,
	)
	head := audit.Head{MerchantID: merchant}
	var links []audit.Link
	err := k.Store.Walk(s.t.Context(), merchant, func(_ audit.Link, e audit.Kept) error {
		l := head.Next(e)
		links, head = append(links, l), head.After(l)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range links {
		s.unguarded(`UPDATE audit_links SET hash = $3 WHERE merchant_id = $1 AND n = $2`, merchant, l.N, l.Hash)
	}
	s.run(`UPDATE audit_heads SET hash = $2 WHERE merchant_id = $1`, merchant, head.Hash)
}

// linkUntilStopped links until an alarm is there: a transaction of another test that
// began before holds the linking up.
func (s house) linkUntilStopped(k *trail.Service) {
	s.t.Helper()
	for ctx, cancel := context.WithTimeout(s.t.Context(), 4*time.Minute); ; {
		if err := k.Link(ctx); err != nil {
			cancel()
			s.t.Fatal(err)
		}
		if s.number(`SELECT count(*) FROM audit_alarms WHERE stopped`) > 0 {
			cancel()
			return
		}
	}
}

func alarms(t *testing.T, k *trail.Service, merchant uuid.UUID) []trail.Alarm {
	t.Helper()
	got, err := k.Alarms(t.Context(), actor.OperatorOf(merchant))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAnAlteredHistoryIsNotSignedAgain(t *testing.T) {
	t.Parallel()
	s := open(t)
	one, two := s.merchant("one"), s.merchant("two")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	for range 205 {
		s.note(one, "before")
	}
	s.note(two, "before")
	s.linkAll(k)
	s.forge(k, one)
	s.note(one, "after")
	s.note(two, "after")
	s.linkUntilStopped(k)
	s.linkUntilStopped(k) // and again: it stays stopped
	for s.number(`SELECT count(*) FROM audit_links WHERE merchant_id = $1`, two) < 2 && t.Context().Err() == nil {
		s.linkUntilStopped(k)
	}
	if got := alarms(t, k, one); len(got) != 1 || !got[0].Stopped || got[0].N != 205 ||
		!strings.Contains(got[0].Why, "signature") {
		t.Fatalf("alarms: %+v", got)
	}
	if got := verify(t, k, one); got.Holds() || s.number(`SELECT max(n) FROM audit_links WHERE merchant_id = $1`,
		one) != 205 {
		t.Errorf("the altered chain was extended: %+v", got)
	}
	if got := verify(t, k, two); !got.Holds() || got.Links != 2 || len(alarms(t, k, two)) != 0 {
		t.Errorf("the other merchant's chain: %+v", got)
	}

	if _, err := k.Accept(t.Context(), actor.SystemOf(one), one, "why"); err == nil {
		t.Error("it was accepted by another than the command line")
	}
	if _, err := k.Accept(t.Context(), actor.OperatorOf(one), one, "An operator changed a text by hand."); err != nil {
		t.Fatal(err)
	}
	s.linkAll(k)
	got := verify(t, k, one)
	if !got.Holds() || got.Links != 207 || len(alarms(t, k,
		one)) != 0 { // the entry that waited, and the acceptance itself
		t.Errorf("after it was accepted: %+v", got)
	}
}

func TestAChainThatWasTurnedBackIsFoundByWhatIsNotedOutside(t *testing.T) {
	t.Parallel()
	s := open(t)
	m, folder := s.merchant("one"), t.TempDir()
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1), Anchors: anchor.At(folder, newSigner(1))}
	s.note(m, "one")
	s.linkAll(k)
	old, err := trail.Store{DB: s.DB}.Head(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	s.run(`CREATE TABLE logs AS SELECT * FROM audit_trees`)
	s.run(`CREATE TABLE hashes AS SELECT * FROM audit_tiles`)
	s.note(m, "two")
	s.linkAll(k)
	// An older head was signed too: the signature alone does not tell.
	s.unguarded(`DELETE FROM audit_links WHERE merchant_id = $1 AND n = 2`, m)
	s.unguarded(`DELETE FROM audit_entries WHERE merchant_id = $1 AND text = 'two'`, m)
	s.run(`UPDATE audit_heads SET n = $2, hash = $3, signature = $4 WHERE merchant_id = $1`, m, old.N, old.Hash,
		old.Signature)
	s.unguarded(`TRUNCATE audit_trees, audit_tiles`)
	s.run(`INSERT INTO audit_trees SELECT * FROM logs`)
	s.run(`INSERT INTO audit_tiles SELECT * FROM hashes`)
	blind := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	if got, err := blind.Verify(t.Context(), actor.OperatorOf(m)); err != nil || !got.Holds() {
		t.Fatalf("the test turns nothing back: %+v, %v", got, err)
	}
	fresh := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1),
		Anchors: anchor.At(folder, newSigner(1))} // another process
	if _, why, err := fresh.CheckHead(t.Context(), m); err != nil ||
		!strings.Contains(why, "ends at link 1; outside the database link 2") {
		t.Errorf("the doctor is told %q, %v", why, err)
	}
	s.note(m, "three")
	s.linkUntilStopped(fresh)
	if got := alarms(t, fresh, m); len(got) != 1 || !got[0].Stopped {
		t.Errorf("alarms: %+v", got)
	}
	if got := verify(t, fresh, m); got.Holds() {
		t.Error("the walk finds nothing wrong")
	}
	if _, err := fresh.Accept(t.Context(), actor.OperatorOf(m),
		m, "The backup of this morning was brought back."); err != nil {
		t.Fatal(err)
	}
	s.linkAll(fresh)
	again := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1), Anchors: anchor.At(folder, newSigner(1))}
	if got := verify(t, again, m); !got.Holds() || len(alarms(t, again, m)) != 0 {
		t.Errorf("after it was accepted: %+v", got)
	}
}

func TestAWalkThatFindsSomethingRaisesTheAlarmAndGoesOn(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.merchant("one")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}
	s.notes(m, 3)
	s.linkAll(k)
	s.unguarded(
		`UPDATE audit_entries SET text = 'x' WHERE id = (SELECT entry_id FROM audit_links WHERE merchant_id = $1 AND n = 2)`,
		m)
	if got := verify(t, k, m); got.Broken != 2 {
		t.Fatalf("%+v", got)
	}
	if got := alarms(t, k, m); len(got) != 1 || got[0].Stopped || got[0].N != 2 {
		t.Errorf("alarms: %+v", got)
	}
	s.note(m, "later")
	s.linkAll(k) // the signed head still holds
	v, err := upkeep.Store{DB: s.DB}.Vitals(t.Context())
	if err != nil || v.AuditAlarms != 1 {
		t.Errorf("%d alarms for the metrics, %v", v.AuditAlarms, err)
	}
}

// A file that cannot be written stops nothing; without a key it says nothing.
func TestWithoutAPlaceToNoteHeadsLinkingGoesOn(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.merchant("one")
	k := &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1),
		Anchors: anchor.At(t.TempDir()+"/none", newSigner(1))}
	s.note(m, "one")
	s.linkAll(k)
	folder := t.TempDir()
	forged := `{"merchant":"` + m.String() + `","n":99,"hash":"` + hex.EncodeToString(make([]byte, 32)) +
		`","key":"k","signature":"AAAA"}` + "\n"
	if err := os.WriteFile(folder+"/"+anchor.Name, []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}
	file := anchor.At(folder, newSigner(1))
	k.Anchors = file
	s.note(m, "two")
	s.linkAll(k)
	if _, damaged := file.Count(); damaged != 1 || !verify(t, k, m).Holds() {
		t.Errorf("%d damaged lines", damaged)
	}
}

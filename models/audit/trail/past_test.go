package trail_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/trail"
	"debitdesk/models/database"
	"debitdesk/models/database/history"
)

// aged is an audit of six months of two merchants, whose newest entry is six years ahead
// of the oldest month, so that five years later all but the last can go.
type aged struct {
	house
	k        *trail.Service
	one, two uuid.UUID
	now      time.Time // real time, when everything up to the last month is past
}

func age(t *testing.T) aged {
	t.Helper()
	s := open(t)
	a := aged{house: s, k: &trail.Service{Store: trail.Store{DB: s.DB}, Signer: newSigner(1)}, one: s.merchant("one"),
		two: s.merchant("two")}
	start := s.Now()
	for i := range 4 {
		if err := s.Clock.MoveTo(t.Context(), start.AddDate(0, i*2, 0)); err != nil {
			t.Fatal(err)
		}
		if err := history.Grow(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			s.note(a.one, fmt.Sprintf("entry %d of month %d", n+1, i))
		}
		if i == 0 {
			s.note(a.two, "once and never again")
		}
		s.linkAll(a.k)
		if i == 2 { // an entry whose transaction began in the month before and was linked after a newer one
			err := s.InTx(t.Context(), func(tx *database.Tx) error {
				e := tx.Signed(
					actor.SystemOf(a.one),
					audit.Entry{Action: "thing.done", ObjectType: "thing", ObjectID: a.one, Text: "late"},
				)
				e.ID[0], e.ID[1], e.ID[2] = 0, 1, 2
				tx.Later(
					`INSERT INTO audit_entries (id, merchant_id, at, actor_kind, actor_name, action, object_type, object_id, text)
					VALUES ($1, $2, now(), 'system', '', 'thing.done', 'thing', $2, 'late')`,
					e.ID,
					a.one,
				)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			s.linkAll(a.k)
		}
	}
	a.now = s.Now().AddDate(10, -1, 0)
	return a
}

func (a aged) drop() {
	a.t.Helper()
	if err := a.k.DropPast(a.t.Context(), a.now); err != nil {
		a.t.Fatal(err)
	}
}

func TestTheChainHoldsAcrossMonthsThatWereDropped(t *testing.T) {
	a := age(t)
	whole := verify(t, a.k, a.one)
	if !whole.Holds() || whole.Links != 13 || whole.Dropped != 0 {
		t.Fatalf("%+v; want 13 links that hold", whole)
	}
	a.drop()
	if n := a.number(`SELECT count(*) FROM audit_entries WHERE action = 'thing.done'`); n != 3 {
		t.Fatalf("%d entries are left, want the three of the last month", n)
	}
	a.linkAll(a.k) // the entries that tell of the drop
	for m, links := range map[uuid.UUID]int64{a.one: 14, a.two: 2} {
		got := verify(t, a.k, m)
		if !got.Holds() || got.Links != links || got.Dropped == 0 {
			t.Errorf("%+v; want %d links that hold", got, links)
		}
	}
	a.note(a.two, "and again")
	a.linkAll(a.k)
	if got := verify(t, a.k, a.two); !got.Holds() || got.Links != 3 {
		t.Errorf("%+v; want the chain to go on", got)
	}
	if n, why, err := a.k.CheckHead(t.Context(), a.two); n != 3 || why != "" || err != nil {
		t.Errorf("the head: %d %q %v", n, why, err)
	}
	h, err := a.k.Accept(t.Context(), actor.OperatorOf(a.two), a.two, "looked at it")
	if err != nil || h.N != 3 {
		t.Errorf("accepted at %d, %v", h.N, err)
	}
	a.drop() // nothing more is past
	if got := verify(t, a.k, a.one); !got.Holds() {
		t.Errorf("%+v", got)
	}
}

// An entry whose id is of a month that went, and which was linked only after newer ones,
// goes with its month: its link stays, and the chain holds over it.
func TestALinkThatCameLateStaysWithoutItsEntry(t *testing.T) {
	a := age(t)
	a.now = a.now.AddDate(0, -2, 0) // the month after which the late entry was linked stays
	a.drop()
	if n := a.number(`SELECT count(*) FROM audit_entries WHERE text = 'late'`); n != 0 {
		t.Errorf("%d late entries are there", n)
	}
	if n := a.number(`SELECT cardinality(kept) FROM audit_bases WHERE merchant_id = $1`, a.one); n != 1 {
		t.Errorf("%d links are kept without their entries, want 1", n)
	}
	if got := verify(t, a.k, a.one); !got.Holds() || got.Dropped != 6 {
		t.Errorf("%+v; want it to hold after link 6", got)
	}
	got, file := exported(t, a.k, a.one, nil) // the late entry is told by its leaf alone
	if !got.Holds() || got.Log.Size != 13 || strings.Count(file, `"leaf":`) != 1 {
		t.Errorf("exported: %+v", got)
	}
	if got := read(t, strings.Replace(file, `"leaf":"`, `"leaf":"AA`, 1), nil); got.Holds() {
		t.Errorf("another leaf: %+v", got)
	}
	a.now = a.now.AddDate(0, 2, 0)
	a.drop()
	if got := verify(t, a.k, a.one); !got.Holds() || got.Dropped < 9 {
		t.Errorf("%+v; want it to hold after a further month", got)
	}
}

func TestAPastThatWasTakenAwayBehindTheBackIsMissed(t *testing.T) {
	for name, c := range map[string]struct {
		sql  []string
		drop bool // legitimately before
	}{
		"a month of entries and links": {[]string{`DROP TABLE history.audit_entries_first`,
			`DROP TABLE history.audit_links_first`}, false},
		"a month of entries": {[]string{`DROP TABLE history.audit_entries_first`}, false},
		"a base that was made up": {[]string{`DROP TABLE history.audit_entries_first`,
			`INSERT INTO audit_bases SELECT merchant_id, n, hash, '{}', 'k', decode(repeat('00', 64), 'hex')
				FROM audit_links WHERE n = 3`,
			`DROP TABLE history.audit_links_first`}, false},
		"more than was dropped": {[]string{`ALTER TABLE audit_entries DISABLE TRIGGER ALL`, `DELETE FROM audit_entries
			WHERE text LIKE 'entry 2 %'`}, true},
		"more, told to be late": {[]string{`ALTER TABLE audit_entries DISABLE TRIGGER ALL`, `DELETE FROM audit_entries
			WHERE text LIKE 'entry 2 %'`,
			`UPDATE audit_bases SET kept = kept || 12::bigint`}, true},
		"the base itself":   {[]string{`DELETE FROM audit_bases`}, true},
		"the base put back": {[]string{`UPDATE audit_bases SET n = n - 1`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := age(t)
			if c.drop {
				a.drop()
			}
			if got := verify(t, a.k, a.one); !got.Holds() {
				t.Fatalf("%+v", got)
			}
			for _, sql := range c.sql {
				a.run(sql)
			}
			if got := verify(t, a.k, a.one); got.Holds() {
				t.Errorf("%+v; want it missed", got)
			}
		})
	}
}

func TestNothingOfTheAuditIsDroppedWhileSomethingIsWrong(t *testing.T) {
	a := age(t)
	there := a.number(`SELECT count(*) FROM audit_entries`)
	a.run(`CREATE TABLE logs AS SELECT * FROM audit_trees`)
	a.unguarded(`TRUNCATE audit_trees`) // as on a system that has not caught up with its logs yet
	a.drop()
	if n := a.number(`SELECT count(*) FROM audit_entries`); n != there {
		t.Errorf("%d of %d entries are left, and none is in a log", n, there)
	}
	a.run(`INSERT INTO audit_trees SELECT * FROM logs`)
	a.unguarded(`UPDATE audit_entries SET text = 'never' WHERE text = 'entry 2 of month 0'`)
	a.drop()
	if n := a.number(`SELECT count(*) FROM audit_alarms WHERE n = 2`); n != 1 {
		t.Errorf("%d alarms were raised about the entry that was changed", n)
	}
	a.unguarded(`UPDATE audit_entries SET text = 'entry 2 of month 0' WHERE text = 'never'`)
	a.drop() // the chain holds again, and the alarm stands
	if n := a.number(`SELECT count(*) FROM audit_entries`); n != there {
		t.Errorf("%d of %d entries are left", n, there)
	}
}

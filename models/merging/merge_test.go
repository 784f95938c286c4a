package merging_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merging"
	"debitdesk/models/paging"
	"debitdesk/models/storetest"
	"debitdesk/models/storetest/thorough"
)

// unlike are the columns that a merge and its undo leave different: those who wrote a row before must see that it
// moved.
var unlike = []string{"version"}

// apart are the tables that tell of a merge, or follow from others.
var apart = []string{"audit_entries", "client_merges", "attention_changes", "client_page_links",
	"client_page_acts"}

// state is all that the database holds, by table; sealed columns of clients are opened.
func (h *house) state() map[string]string {
	h.t.Helper()
	rows, err := h.store.Pool.Query(h.t.Context(), `SELECT table_name, string_agg(quote_ident(column_name), ', '
		ORDER BY ordinal_position) FROM information_schema.columns JOIN information_schema.tables USING (table_schema,
		table_name) WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name !~ '^(river|goose)_'
		AND NOT table_name = ANY($1) AND NOT column_name = ANY($2)
		AND NOT (table_name = 'clients' AND column_name ~ '_sealed$') GROUP BY 1`, apart, unlike)
	must(h.t, err)
	out, name, columns := map[string]string{}, "", ""
	queries := map[string]string{}
	_, err = pgx.ForEachRow(rows, []any{&name, &columns}, func() error {
		queries[name] = "SELECT coalesce(string_agg(r::text, E'\\n' ORDER BY r::text), '') FROM (SELECT " + columns +
			" FROM " + name + ") AS r"
		return nil
	})
	must(h.t, err)
	for name, q := range queries {
		var text string
		must(h.t, h.store.Pool.QueryRow(h.t.Context(), q).Scan(&text))
		out[name] = text
	}
	all, err := h.clients.List(h.t.Context(), h.who, client.Query{Ask: paging.Ask{Limit: 100}})
	must(h.t, err)
	for _, c := range all.Items {
		out["numbers"] += c.ID.String() + c.BankAccount.Reveal() + c.PersonalCode.Reveal() + "\n"
	}
	return out
}

// sums are what a merchant is owed and what is planned, and how many rows of each table there are.
func (h *house) sums() (out []int) {
	for _, q := range []string{`SELECT coalesce(sum(total_cents), 0) FROM purchases WHERE status <> 'paid'`,
		`SELECT coalesce(sum(amount_cents), 0) FROM collections WHERE state = 'scheduled'`,
		`SELECT count(*) FROM tokens WHERE state = 'active'`, `SELECT count(*) FROM mandates`,
		`SELECT count(*) FROM template_clients WHERE status = 'active'`,
		`SELECT count(*) FROM promises WHERE state = 'open'`} {
		out = append(out, h.count(q))
	}
	return out
}

// TestEveryColumnThatNamesAClientMovesOrIsNamed walks the live schema.
func TestEveryColumnThatNamesAClientMovesOrIsNamed(t *testing.T) {
	h := open(t)
	known := merging.Known()
	rows, err := h.store.Pool.Query(t.Context(), `SELECT table_name || '.' || column_name FROM information_schema.columns
		JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND udt_name = 'uuid' AND (column_name ~ 'client'
			AND column_name <> 'template_client_id' OR table_name = 'client_merges' AND column_name ~ '^(kept|gone)_id$')
		UNION SELECT conrelid::regclass || '.' || attname FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid
			AND attnum = ANY(conkey) WHERE contype = 'f' AND confrelid = 'clients'::regclass`)
	must(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	for _, column := range found {
		if !slices.Contains(known, column) {
			t.Errorf("%s names a client: say in places or staying what a merge does with it", column)
		}
	}
	if len(found) < 19 {
		t.Errorf("only %d columns: %v", len(found), found)
	}
}

func TestEveryDetailIsTakenFromOneOfTheTwo(t *testing.T) {
	full := client.Details{CC: []string{"a@b.co"}, BCC: []string{"c@d.co"}}
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.String {
			v.Field(i).SetString("x")
		}
	}
	if got := merging.Winning(client.Details{}, full, nil); !reflect.DeepEqual(got, full) {
		t.Errorf("lost: %+v", got)
	}
}

func TestRandomPairsKeepAllSumsAndAnUndoGivesEverythingBack(t *testing.T) {
	h := open(t)
	for seed := range thorough.Times(2, 6) {
		luck := rand.New(rand.NewPCG(uint64(seed), 1))
		keep, gone := h.two()
		h.attach(keep, luck)
		h.attach(gone, luck)
		chosen := map[string]merging.Side{}
		for _, f := range []string{"full_name", "email", "bank_account"} {
			chosen[f] = []merging.Side{merging.Keep, merging.Gone}[luck.IntN(2)]
		}
		before, sums := h.state(), h.sums()
		m := h.merge(keep, gone, chosen)
		for _, column := range merging.Known() {
			table, name, _ := strings.Cut(column, ".")
			if slices.Contains(apart, table) {
				continue
			}
			if n := h.count(`SELECT count(*) FROM `+table+` WHERE `+name+` = $1`, gone.ID); n != 0 && table != "owners" {
				t.Errorf("seed %d: %d rows of %s stayed", seed, n, column)
			}
			if table != "owners" && len(m.Moved[column]) == 0 {
				t.Errorf("seed %d: nothing of %s was there", seed, column)
			}
		}
		if n := h.count(`SELECT count(*) FROM purchases WHERE id = ANY($1) AND version = 1`,
			m.Moved["purchases.client_id"]); n != 0 {
			t.Errorf("seed %d: who read %d purchases before does not see that they moved", seed, n)
		}
		if now := h.sums(); !slices.Equal(now, sums) {
			t.Errorf("seed %d: %v became %v", seed, sums, now)
		}
		storetest.FiguresAgree(t, h.dsn)
		kept := h.get(keep)
		names := map[merging.Side]string{merging.Keep: "Thandi Nkosi", merging.Gone: "Thandi P Nkosi"}
		if kept.FullName != names[chosen["full_name"]] || kept.PersonalCode != "8001015009087" ||
			kept.City != "Cape Town" || kept.Phone == "" {
			t.Errorf("seed %d: %+v", seed, kept.Details)
		}
		if _, err := h.clients.Get(t.Context(), h.who, gone.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("the gone one: %v", err)
		}
		undo, err := h.merging.Undo(t.Context(), h.who, keep.ID, m.ID)
		must(t, err)
		if undo.Changed || len(undo.Left) > 0 {
			t.Errorf("seed %d: %+v", seed, undo)
		}
		after := h.state()
		for table := range maps.Keys(before) {
			if before[table] != after[table] {
				t.Errorf("seed %d: %s differs:\n%s\nbefore:\n%s", seed, table, after[table], before[table])
			}
		}
		storetest.FiguresAgree(t, h.dsn)
	}
}

func TestAMergeIsRefusedWhenItWouldDoSomethingElseThanWasSeen(t *testing.T) {
	h := open(t)
	keep, gone := h.two()
	seen := h.look(keep, gone).Digest()
	h.row("notes", map[string]string{"client_id": quoted(gone.ID), "object_id": quoted(gone.ID)})
	in := merging.Input{Keep: keep.ID, Gone: gone.ID, Seen: seen}
	_, err := h.merging.Merge(t.Context(), h.who, in)
	wants(t, err, "merge_changed")
	in.Seen = h.look(keep, gone).Digest()
	_, err = h.merging.Merge(t.Context(), h.who, in)
	must(t, err)
	before := h.state()
	if _, err := h.merging.Merge(t.Context(), h.who, in); !fault.Is(err, fault.NotFound) {
		t.Errorf("a second run: %v", err)
	}
	if !maps.Equal(before, h.state()) {
		t.Error("a second run changed something")
	}
}

func TestWhatForbidsAMerge(t *testing.T) {
	h := open(t)
	stranger, _ := h.merchant("other")
	keep, gone := h.two()
	if _, err := h.merging.Look(t.Context(), stranger, keep.ID, gone.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	reader := h.who
	reader.Role = actor.ReadOnly
	if _, err := h.merging.Look(t.Context(), reader, keep.ID, gone.ID); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a reader: %v", err)
	}
	if _, err := h.merging.Look(t.Context(), h.who, keep.ID, keep.ID); !fault.Is(err, fault.Invalid) {
		t.Errorf("the same: %v", err)
	}
	token := quoted(uuid.New())
	for words, sql := range map[string][2]string{
		"are stopped": {`UPDATE clients SET stopped_at = now() WHERE id = $1`, `UPDATE clients SET stopped_at = NULL`},
		"is parked":   {`UPDATE clients SET parked_at = now() WHERE id = $1`, `UPDATE clients SET parked_at = NULL`},
		"was erased":  {`UPDATE clients SET erased_at = now() WHERE id = $1`, `UPDATE clients SET erased_at = NULL`},
		"stop the debits": {`INSERT INTO approvals (id, merchant_id, kind, subject, subject_key, reason, state, asked_by,
			asked_name, expires_at, created_at) SELECT ` + token + `, merchant_id, 'stop_client',
			jsonb_build_object('client', id), 'k', 'r', 'open', id, 'n', now() + interval '50 years', now()
			FROM clients WHERE id = $1`, `DELETE FROM approvals`},
	} {
		for _, c := range []client.Client{keep, gone} {
			h.exec(sql[0], c.ID)
			l := h.look(keep, gone)
			if !strings.Contains(strings.Join(l.Refused, " "), words) {
				t.Errorf("%s: %v", words, l.Refused)
			}
			_, err := h.merging.Merge(t.Context(), h.who, merging.Input{Keep: keep.ID, Gone: gone.ID, Seen: l.Digest()})
			wants(t, err, "cannot_merge")
			h.exec(sql[1])
		}
	}
}

func TestOfTwoProcessesOneMerges(t *testing.T) {
	h := open(t)
	other := h.service(h.process())
	for i := range 5 {
		a, b := h.two()
		h.attach(a, rand.New(rand.NewPCG(uint64(i), 2)))
		h.attach(b, rand.New(rand.NewPCG(uint64(i), 3)))
		ins := []merging.Input{{Keep: a.ID, Gone: b.ID, Seen: h.look(a, b).Digest()},
			{Keep: b.ID, Gone: a.ID, Seen: h.look(b, a).Digest()}}
		var both sync.WaitGroup
		errs := make([]error, 2)
		for n, s := range []*merging.Service{h.merging, other} {
			both.Go(func() { _, errs[n] = s.Merge(t.Context(), h.who, ins[n]) })
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Errorf("%d: %v and %v", i, errs[0], errs[1])
		}
		if n := h.count(`SELECT count(*) FROM client_merges WHERE kept_id IN ($1, $2)`, a.ID, b.ID); n != 1 {
			t.Errorf("%d: %d merges", i, n)
		}
	}
}

func TestAMergeThatIsKilledBetweenChangesNothing(t *testing.T) {
	h := open(t)
	keep, gone := h.two()
	h.attach(gone, rand.New(rand.NewPCG(1, 1)))
	before, seen := h.state(), h.look(keep, gone).Digest()
	for _, at := range []string{"client_merges", "audit_entries"} {
		h.exec(`CREATE FUNCTION die_` + at + `() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`)
		h.exec(fmt.Sprintf(`CREATE TRIGGER die BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION die_%[1]s()`, at))
		if _, err := h.merging.Merge(t.Context(), h.who, merging.Input{Keep: keep.ID, Gone: gone.ID,
			Seen: seen}); err == nil {
			t.Errorf("%s: no error", at)
		}
		h.exec(`DROP TRIGGER die ON ` + at)
		for table, text := range h.state() {
			if before[table] != text {
				t.Errorf("%s: %s changed", at, table)
			}
		}
	}
}

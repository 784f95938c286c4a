package upkeep_test

import (
	"bytes"
	"maps"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/seal"
	"debitdesk/models/storetest"
	"debitdesk/models/upkeep"
)

// A rotation goes on behind what does not open, tells how many rows that are and where, and leaves them their key.
func TestARotationGoesOnBehindDamagedRows(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	k1 := seal.Key{ID: "k1", Secret: make([]byte, 32)}
	k2 := seal.Key{ID: "k2", Secret: bytes.Repeat([]byte{1}, 32)}
	must(t, s.Seal.Replace([]seal.Key{k1}))
	merchant := uuid.New()
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := s.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	ids := make([]uuid.UUID, 1203)
	must(t, pgx.BeginFunc(t.Context(), s.Pool, func(tx pgx.Tx) error {
		rows := &pgx.Batch{}
		rows.Queue(`SET LOCAL session_replication_role = replica`) // there is no merchant
		for i := range ids {
			ids[i] = uuid.New()
			place := seal.PlaceOf("selections", "query_sealed", merchant, ids[i])
			rows.Queue(`INSERT INTO selections (id, merchant_id, asker_id, list, chosen, excluded, query_sealed, moment, n,
				cents, created_at) VALUES ($1::text::uuid, $2::text::uuid, $2::text::uuid, 'clients', '', '', $3, now(), 0, 0,
				now())`, ids[i].String(), merchant.String(), s.Seal.SealBytes(place, []byte("q")))
		}
		return tx.SendBatch(t.Context(), rows).Close()
	}))
	damage := func(id uuid.UUID, sealed string) {
		exec(`UPDATE selections SET query_sealed = `+sealed+` WHERE id = $1::text::uuid`, id.String())
	}
	damage(ids[7], `set_byte(query_sealed, length(query_sealed) - 1, (get_byte(query_sealed, length(query_sealed) - 1)
		+ 1) % 256)`)
	damage(ids[8], `'\x02ff00'`) // names no key
	damage(ids[9], `'\xff'`)     // is cut short
	must(t, s.Seal.Replace([]seal.Key{k2, k1}))
	must(t, upkeep.Store{DB: s.DB}.BeginRotation(t.Context(), "k2", func() error { return nil }))
	must(t, upkeep.Store{DB: s.DB}.Reseal(t.Context(), nil))
	all, err := upkeep.Store{DB: s.DB}.Rotations(t.Context())
	must(t, err)
	if len(all) != 1 || !all[0].Finished {
		t.Fatalf("%+v", all)
	}
	left, err := upkeep.Store{DB: s.DB}.NotResealed(t.Context())
	must(t, err)
	if !maps.Equal(left, upkeep.Left{"selections.query_sealed": 3}) ||
		left.In() != "3 rows (3 in selections.query_sealed)" {
		t.Errorf("left are %v: %s", left, left.In())
	}
	used, err := upkeep.Store{DB: s.DB}.KeysInUse(t.Context())
	must(t, err)
	if len(used["k1"]) != 1 || len(used["k2"]) != 1 || len(used) != 2 {
		t.Errorf("in use are %v", used)
	}
	var under int
	must(t, s.Pool.QueryRow(t.Context(), `SELECT count(*) FROM selections WHERE substring(query_sealed FROM 1 FOR 3) = $1`,
		[]byte("\x02k2")).Scan(&under))
	if under != len(ids)-3 {
		t.Errorf("%d rows are under the new key", under)
	}
	exec(`DELETE FROM selections WHERE id = ANY ($1::text[]::uuid[])`, []string{ids[7].String(), ids[8].String(),
		ids[9].String()})
	if left, err := (upkeep.Store{DB: s.DB}).NotResealed(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("restored, and left are %v: %v", left, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

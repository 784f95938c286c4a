package upkeep_test

import (
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
	"debitdesk/models/storetest"
	"debitdesk/models/upkeep"
)

// counts are how many purchases a merchant has, by their status.
func counts(t *testing.T, s storetest.Rows, merchant uuid.UUID) map[string]int64 {
	t.Helper()
	totals, err := purchase.Store{DB: s.DB}.PurchaseTotals(t.Context(), merchant)
	if err != nil {
		t.Fatal(err)
	}
	return totals[""].Counts()
}

func TestTidyRemovesWhatIsPastItsTimeAndNothingElse(t *testing.T) {
	s := storetest.Open(t)
	s.Run(`INSERT INTO idempotency_keys (merchant_id, is_test, key, fingerprint, status, body, stored_at)
		SELECT gen_random_uuid(), true, 'old' || n, ''::bytea, 200, ''::bytea, now() - interval '48 hours 1 minute'
		FROM generate_series(1, 5001) n
		UNION ALL SELECT gen_random_uuid(), true, 'young', ''::bytea, 200, ''::bytea, now() - interval '47 hours 59 minutes'`)
	s.Run(`INSERT INTO sessions (id_hash, data, created_at, seen_at, expires_at) VALUES
		('over', '', now(), now(), now() - interval '1 minute'), ('live', '', now(), now(), now() + interval '1 minute')`)
	s.Run(`INSERT INTO sign_in_failures (key, failures, last_at, locked_until) VALUES
		('old', 3, now() - interval '25 hours', NULL), ('recent', 3, now() - interval '23 hours', NULL),
		('locked', 9, now() - interval '25 hours', now() + interval '1 hour')`)
	s.Run(`SET LOCAL session_replication_role = replica; -- there is no template
		INSERT INTO price_letters (change_id, n, merchant_id, template_id, client_id, from_day, words, state)
		SELECT gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
			(now() AT TIME ZONE 'Africa/Johannesburg')::date - days, '[]', state
		FROM unnest(ARRAY[91, 90, -5]) AS days, unnest(ARRAY['waiting', 'told', 'ended']) AS state`)
	if err := (upkeep.Store{DB: s.DB}).Tidy(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sql  string
		want int64
	}{
		{`SELECT count(*) FROM idempotency_keys WHERE key LIKE 'old%'`, 0},
		{`SELECT count(*) FROM idempotency_keys`, 1},
		{`SELECT count(*) FROM price_letters`, 7},
		{`SELECT count(*) FROM price_letters WHERE state = 'waiting'`, 3},
		{`SELECT count(*) FROM sessions WHERE id_hash = 'live'`, 1},
		{`SELECT count(*) FROM sessions`, 1},
		{`SELECT count(*) FROM sign_in_failures WHERE key IN ('recent', 'locked')`, 2},
		{`SELECT count(*) FROM sign_in_failures`, 2},
	} {
		if got := s.Number(row.sql); got != row.want {
			t.Errorf("%s: %d, want %d", row.sql, got, row.want)
		}
	}
}

func TestCountsAreExactBeforeAndAfterFolding(t *testing.T) {
	s := storetest.Open(t)
	one, other := uuid.New(), uuid.New()
	s.Run(`INSERT INTO purchase_count_deltas (merchant_id, status, delta) VALUES
		($1, 'created', 5), ($1, 'created', -2), ($1, 'paid', 2), ($1, 'error', 1), ($1, 'error', -1), ($2, 'paid', 7)`, one,
		other)
	want := map[string]int64{"created": 3, "paid": 2}
	if got := counts(t, s, one); !maps.Equal(got, want) {
		t.Errorf("before: %v", got)
	}
	if n, err := (upkeep.Store{DB: s.DB}).FoldCounts(t.Context()); n != 6 || err != nil {
		t.Errorf("folded %d, %v", n, err)
	}
	s.Run(`INSERT INTO purchase_count_deltas (merchant_id, status, delta) VALUES ($1, 'paid', 1)`, one)
	want["paid"] = 3
	if got := counts(t, s, one); !maps.Equal(got, want) {
		t.Errorf("half folded: %v", got)
	}
	if n, err := (upkeep.Store{DB: s.DB}).FoldCounts(t.Context()); n != 1 || err != nil {
		t.Errorf("folded %d, %v", n, err)
	}
	if got := counts(t, s, one); !maps.Equal(got, want) {
		t.Errorf("after: %v", got)
	}
	if got := counts(t, s, other); !maps.Equal(got, map[string]int64{"paid": 7}) {
		t.Errorf("the other merchant has %v", got)
	}
}

func TestNoCountIsLostBetweenWritersAndFolders(t *testing.T) {
	s := storetest.Open(t)
	merchant := uuid.New()
	const writers, moves = 4, 100
	writing, stop := sync.WaitGroup{}, make(chan struct{})
	for range writers {
		writing.Go(func() {
			for range moves { // a purchase goes from created to paid
				_, err := s.Pool.Exec(t.Context(), `INSERT INTO purchase_count_deltas (merchant_id, status, delta, cents)
					VALUES ($1, 'created', -1, -700), ($1, 'paid', 1, 700)`, merchant)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	others := sync.WaitGroup{}
	for range 2 {
		others.Go(func() {
			for {
				if _, err := (upkeep.Store{DB: s.DB}).FoldCounts(t.Context()); err != nil {
					t.Error(err)
				}
				totals, err := purchase.Store{DB: s.DB}.PurchaseTotals(t.Context(), merchant)
				if n := totals[""]; err != nil || n["created"].N != -n["paid"].N || n["created"].Cents != -n["paid"].Cents {
					t.Errorf("a purchase is in two places or none: %v, %v", n, err)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	others.Wait()
	if got := counts(t, s, merchant)["paid"]; got != writers*moves {
		t.Errorf("%d of %d moves were counted", got, writers*moves)
	}
	if got := s.Number(
		`SELECT sum(cents)::bigint FROM purchase_sums WHERE merchant_id = $1 AND status = 'paid'`,
		merchant,
	) +
		s.Number(
			`SELECT coalesce(sum(cents), 0)::bigint FROM purchase_count_deltas WHERE merchant_id = $1 AND status = 'paid'`,
			merchant,
		); got != 700*writers*moves {
		t.Errorf("%d cents of %d moves", got, writers*moves)
	}
}

func TestManyDifferencesAreFoldedInOneCall(t *testing.T) {
	s := storetest.Open(t)
	merchant := uuid.New()
	s.Run(
		`INSERT INTO purchase_count_deltas (merchant_id, status, delta) SELECT $1, 'paid', 1 FROM generate_series(1, 20001)`,
		merchant)
	if n, err := (upkeep.Store{DB: s.DB}).FoldCounts(t.Context()); n != 20001 || err != nil {
		t.Fatalf("folded %d, %v", n, err)
	}
	if left := s.Number(`SELECT count(*) FROM purchase_count_deltas`); left != 0 {
		t.Errorf("%d are left", left)
	}
	if got := counts(t, s, merchant)["paid"]; got != 20001 {
		t.Errorf("counted %d", got)
	}
}

package tests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit/trail"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/paging"
	"debitdesk/models/storetest"
)

// newIDs are ids of one moment after the other, an hour apart.
func newIDs(n int) []uuid.UUID {
	out, at := make([]uuid.UUID, n), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range out {
		out[i] = database.NewID(at.Add(time.Duration(i) * 5 * time.Hour))
	}
	return out
}

// What the index finds is what the condition on each row finds, on every page, in both
// directions, and nothing of another merchant.
func TestASearchFindsWhatTheRowsSay(t *testing.T) {
	s := storetest.Open(t)
	mine, other := s.Merchant("mine"), s.Merchant("other")
	rng := rand.New(rand.NewPCG(27, 7)) //nolint:gosec // a test that can be repeated
	names := []string{"Thandi", "thandeka", "Zoë", "O'Brien", "Ñandú", "李雷", "50%", "a_b", `back\slash`, "X-12", "Łucja",
		"INV-000123", "'quoted'", "Nkosi"}
	for i, id := range newIDs(2_400) {
		owner := mine
		if i%4 == 0 {
			owner = other
		}
		name := names[rng.IntN(len(names))] + " " + names[rng.IntN(len(names))]
		if i == 3 {
			name = "Onlyonce Nkosi"
		}
		s.Run(
			`INSERT INTO clients (id, merchant_id, full_name, search, created_at, updated_at)
				VALUES ($1, $2, $3, $4, now(), now())`,
			id,
			owner,
			name,
			database.VectorOf(database.WordsOf(name)),
		)
	}
	typed := []string{
		"onlyonce",
		"thand",
		"THANDI nkosi",
		"o'b",
		"zo",
		"李",
		"50%",
		"%",
		"_",
		"a_b",
		`back\`,
		`\`,
		"x-1",
		"12",
		"inv-0001",
		"000123",
		"'",
		"nobody",
		"łu ñan",
		"thandi nobody",
		"onlyonce thandi",
	}
	for _, q := range typed {
		var want []uuid.UUID
		rows, err := s.Pool.Query(
			t.Context(),
			`SELECT id FROM clients WHERE merchant_id = $1 AND search @@ $2::tsquery ORDER BY id DESC`,
			mine,
			database.SearchQuery(q),
		)
		if err != nil {
			t.Fatal(q, err)
		}
		var id uuid.UUID
		for rows.Next() {
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			want = append(want, id)
		}
		idOf := func(c client.Client) uuid.UUID { return c.ID }
		for _, newer := range []bool{false, true} {
			var got []uuid.UUID
			ask := paging.Ask{Limit: 23, Newer: newer}
			if newer {
				ask.From = uuid.MustParse("00000000-0000-7000-8000-000000000001")
			}
			for more := true; more; {
				page, err := client.Store{DB: s.DB}.Clients(t.Context(), mine, client.Query{Text: q, Ask: ask})
				if err != nil {
					t.Fatal(q, err)
				}
				for _, c := range page.Items {
					got = append(got, c.ID)
				}
				if newer {
					slices.Reverse(got[len(got)-len(page.Items):])
					ask.From, more = page.NewerFrom(idOf)
				} else {
					ask.From, more = page.OlderFrom(idOf)
				}
			}
			if newer {
				slices.Reverse(got)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, newer %v: found %d, want %d", q, newer, len(got), len(want))
			}
		}
		if n, err := (client.Store{DB: s.DB}).CountClients(t.Context(), mine, client.Query{Text: q}, 10_000); err != nil ||
			n != len(want) && (n != -1 || len(want) <= 500) {
			t.Errorf("%q: counted %d, want %d (%v)", q, n, len(want), err)
		}
	}
}

// Searching older comes to every entry, and to none twice.
func TestAnAuditSearchThatGoesOnReachesEverythingOnce(t *testing.T) {
	s := storetest.Open(t)
	mine, other := s.Merchant("mine"), s.Merchant("other")
	s.Run(`INSERT INTO audit_entries (id, merchant_id, at, actor_kind, actor_name, action, object_type, object_id, text)
		SELECT (lpad(to_hex(1704067200000 + n), 12, '0') || '70008' || lpad(n::text, 15, '0'))::uuid, CASE n % 10
		WHEN 0 THEN $2::uuid ELSE $1::uuid END,
			to_timestamp(1704067200 + n / 1000.0), 'user', 'Thandi', 'client.changed', 'client', $1::uuid, CASE n % 4999
			WHEN 1 THEN 'A needle' ELSE 'Hay' END
		FROM generate_series(1, 25000) n`, mine, other)
	seen, pages := map[uuid.UUID]int{}, 0
	ask := paging.Ask{Limit: 2}
	for more := true; more; pages++ {
		page, err := trail.Store{DB: s.DB}.Page(t.Context(), mine, trail.Filter{Search: "NEEDLE"}, ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Items {
			seen[e.ID]++
			if e.MerchantID != mine || !strings.Contains(e.Text, "needle") {
				t.Errorf("%s does not belong here", e.ID)
			}
		}
		ask.From, more = page.OlderFrom(func(e trail.Found) uuid.UUID { return e.ID })
	}
	if fmt.Sprint(len(seen)) != "5" || pages < 3 {
		t.Errorf("%d entries on %d pages: %v", len(seen), pages, seen)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", id, n)
		}
	}
}

package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/requestlog"
	"debitdesk/models/store"
	"debitdesk/models/store/storetest"
)

func TestTheLogOfRequestsIsKeptThirtyDaysAndToItsMost(t *testing.T) {
	db, err := store.Open(t.Context(), storetest.DSN(t), store.Options{Sandbox: true, MaxConns: 4, MostRequests: 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := tidying{db, t}
	ours, theirs := s.NewID(), s.NewID()
	for i, id := range []uuid.UUID{ours, theirs} {
		s.run(
			`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, 'm', true, now(), now())`,
			id, string(rune('a'+i)))
	}
	entry := func(merchant uuid.UUID, at time.Time) requestlog.Entry {
		return requestlog.Entry{ID: s.NewID(), MerchantID: merchant, At: at, Method: "GET", Route: "/x", Path: "/x",
			Status: 200}
	}
	log := requestlog.Store{DB: s.DB}
	now := time.Now()
	entries := []requestlog.Entry{entry(theirs, now.Add(-requestlog.Kept-time.Minute)),
		entry(theirs, now.Add(-requestlog.Kept+time.Minute))}
	for range 12 {
		entries = append(entries, entry(ours, now))
	}
	if err := log.InsertRequests(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	if err := s.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.number(`SELECT count(*) FROM api_requests WHERE merchant_id = $1`, theirs); n != 1 {
		t.Errorf("%d of the two old ones are kept, want the one that is a minute younger than 30 days", n)
	}
	if n := s.number(`SELECT count(*) FROM api_requests WHERE merchant_id = $1`, ours); n != 10 {
		t.Errorf("%d of 12 are kept, want 10", n)
	}
	mine := make([]uuid.UUID, 0, 12)
	for _, e := range entries[2:] {
		mine = append(mine, e.ID)
	}
	slices.SortFunc(mine, func(a, b uuid.UUID) int {
		return slices.Compare(a[:],
			b[:])
	}) // within a microsecond ids follow no order
	if n := s.number(`SELECT count(*) FROM api_requests WHERE id = ANY($1)`, mine[:2]); n != 0 {
		t.Error("not the oldest went")
	}
	if _, err := log.Request(t.Context(), theirs, mine[5]); err == nil {
		t.Error("a stranger reads a request")
	}
}

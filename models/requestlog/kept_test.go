package requestlog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/requestlog"
	"debitdesk/models/storetest"
	"debitdesk/models/upkeep"
)

func TestTheLogOfRequestsIsKeptThirtyDaysAndToItsMost(t *testing.T) {
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, MaxConns: 4, MostRequests: 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := storetest.RowsOf(t, db)
	ours, theirs := s.NewID(), s.NewID()
	for i, id := range []uuid.UUID{ours, theirs} {
		s.Run(
			`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, 'm', true, now(), now())`,
			id, string(rune('a'+i)))
	}
	entry := func(merchant uuid.UUID, at time.Time) requestlog.Entry {
		return requestlog.Entry{ID: s.NewID(), MerchantID: merchant, At: at, Method: "GET", Route: "/x", Path: "/x",
			Status: 200}
	}
	log := requestlog.Store{DB: s.DB}
	now := time.Now()
	oldest := database.UsualKeep.Requests.Before(now)
	entries := []requestlog.Entry{entry(theirs, oldest.Add(-time.Minute)), entry(theirs, oldest.Add(time.Minute))}
	for range 12 {
		entries = append(entries, entry(ours, now))
	}
	if err := log.InsertRequests(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	if err := (upkeep.Store{DB: s.DB}).Tidy(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if n := s.Number(`SELECT count(*) FROM api_requests WHERE merchant_id = $1`, theirs); n != 1 {
		t.Errorf("%d of the two old ones are kept, want the one that is a minute younger than 30 days", n)
	}
	if n := s.Number(`SELECT count(*) FROM api_requests WHERE merchant_id = $1`, ours); n != 10 {
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
	if n := s.Number(`SELECT count(*) FROM api_requests WHERE id = ANY($1)`, mine[:2]); n != 0 {
		t.Error("not the oldest went")
	}
	if _, err := log.Request(t.Context(), theirs, mine[5]); err == nil {
		t.Error("a stranger reads a request")
	}
}

func TestBodiesArePackedTogetherAndReadOneByOne(t *testing.T) {
	s := storetest.Open(t)
	log := requestlog.Store{DB: s.DB}
	ours, theirs := s.NewID(), s.NewID()
	body := func(i int) string {
		return fmt.Sprintf(
			`{"client":{"email":"thandi%d@example.com"},"purchase":{"products":[{"name":"Gym, month %d","price":55000}]}}`,
			i,
			i,
		)
	}
	var entries []requestlog.Entry
	size := 0
	for i := range 200 {
		e := requestlog.Entry{ID: s.NewID(), MerchantID: ours, At: s.Now(), Method: "POST", Route: "/x", Path: "/x",
			Status: 201, Request: body(i), Answer: strings.Repeat(body(i), 5)}
		size += len(e.Request) + len(e.Answer)
		entries = append(entries, e)
	}
	entries[7].MerchantID = theirs
	entries[9].Request, entries[9].Answer = "", ""
	entries[11].Answer = strings.Repeat("éx", 100_000)
	entries = append(entries, requestlog.Entry{ID: database.NewID(s.Now().AddDate(0, 1, 0)), MerchantID: ours, At: s.Now(),
		Answer: "of the next month"}, requestlog.Entry{ID: s.NewID(), MerchantID: s.NewID(), At: s.Now()})
	if err := log.InsertRequests(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		got, err := log.Request(t.Context(), e.MerchantID, e.ID)
		if err != nil || got.Request != e.Request || got.Answer != e.Answer {
			t.Fatalf("entry %d: %v, %.80s, %.80s", i, err, got.Request, got.Answer)
		}
	}
	if n := s.Number(`SELECT sum(length(packed)) FROM api_request_bodies WHERE entries > 60`); n*5 > int64(size) {
		t.Errorf("%d bytes are stored of %d", n, size)
	}
	if n := s.Number(`SELECT count(*) FROM api_requests WHERE request <> '' OR answer <> ''`); n != 0 {
		t.Errorf("%d bodies are stored twice", n)
	}
	s.Run(`INSERT INTO api_requests (id, merchant_id, at, method, path, route, status, took_us, request, answer)
		VALUES ($1, $2, now(), 'GET', '/x', '/x', 200, 1, 'asked before', 'answered before')`, theirs, ours)
	if old, err := log.Request(t.Context(), ours, theirs); err != nil || old.Answer != "answered before" {
		t.Errorf("one that was written before bodies were packed: %+v %v", old, err)
	}
}

func TestErasingReachesPackedBodies(t *testing.T) {
	s := storetest.Open(t)
	log := requestlog.Store{DB: s.DB}
	ours, theirs := s.NewID(), s.NewID()
	entry := func(merchant uuid.UUID, request, path, query string) requestlog.Entry {
		return requestlog.Entry{ID: s.NewID(), MerchantID: merchant, At: s.Now(), Path: path, Query: query, Request: request,
			Answer: "answer"}
	}
	entries := []requestlog.Entry{entry(ours, "about Thandi Nkosi", "/a", "q=1"), entry(ours, "about nobody", "/b", "q=2"),
		entry(ours, "", "/clients/THANDI NKOSI", "q=3"), entry(theirs, "about Thandi Nkosi", "/c", "q=4")}
	if err := log.InsertRequests(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	err := pgx.BeginFunc(t.Context(), s.Pool, func(tx pgx.Tx) error {
		return requestlog.Erase(t.Context(), tx, ours, []string{"thandi nkosi"})
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "about nobody answer q=2", "", "about Thandi Nkosi answer q=4"} {
		got, err := log.Request(t.Context(), entries[i].MerchantID, entries[i].ID)
		if all := strings.TrimSpace(got.Request + " " + got.Answer + " " + got.Query); err != nil || all != want {
			t.Errorf("entry %d: %q, %v", i, all, err)
		}
	}
}

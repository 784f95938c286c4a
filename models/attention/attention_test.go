package attention_test

import (
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/attention"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/storetest"
)

// desk is the queue of a merchant for which nothing waits.
func desk(t *testing.T) (*database.DB, *attention.Service, actor.Actor) {
	t.Helper()
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	who := actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: uuid.New(), ID: uuid.New(), Name: "Thandi"}
	if _, err := s.Pool.Exec(t.Context(), `INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
		VALUES ($1, 'gym', 'Gym', true, now(), now())`, who.MerchantID); err != nil {
		t.Fatal(err)
	}
	return s, &attention.Service{Store: attention.Store{DB: s}, Now: s.Now}, who
}

// request has one more thing wait: a request for a second approver.
func request(t *testing.T, s *database.DB, who actor.Actor) {
	t.Helper()
	if _, err := s.Pool.Exec(t.Context(), `INSERT INTO approvals (id, merchant_id, kind, subject, subject_key, reason,
			state, asked_by, asked_name, expires_at, created_at)
		VALUES ($1, $2, 'wipe', '{}', $1::uuid::text, 'test', 'open', $3, 'Thandi', now() + interval '1 day', now())`,
		uuid.New(), who.MerchantID, who.ID); err != nil {
		t.Fatal(err)
	}
}

func TestTheQueueOfAnEmptyMerchantIsEmpty(t *testing.T) {
	_, queue, who := desk(t)
	for _, whose := range attention.Parts {
		if a, err := queue.Summary(t.Context(), who, whose); err != nil || !a.Quiet() {
			t.Errorf("%q: %+v, %v", whose, a, err)
		}
		if items, err := queue.Items(t.Context(), who, whose); err != nil || len(items.Failed) > 0 {
			t.Errorf("%q: %+v, %v", whose, items, err)
		}
	}
	if n, err := queue.Count(t.Context(), who.MerchantID); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// The number beside the section's name is not counted again for a page that shows the counts of all parts.
func TestWhatWaitsIsCountedOnceForAPage(t *testing.T) {
	s, queue, who := desk(t)
	request(t, s, who)
	page := paging.Remembering(t.Context())
	counts, err := queue.Counts(page, who)
	if err != nil || len(counts) != len(attention.Parts) || counts[0] != 1 || counts[1] != 0 {
		t.Errorf("%d, %v", counts, err)
	}
	request(t, s, who)
	if n, err := queue.Count(page, who.MerchantID); err != nil || n != 1 {
		t.Errorf("%d things were counted again: %v", n, err)
	}
	if n, err := queue.Count(page, uuid.New()); err != nil || n != 0 {
		t.Errorf("another merchant's are %d: %v", n, err)
	}
	if n, err := queue.Count(paging.Remembering(t.Context()), who.MerchantID); err != nil || n != 2 {
		t.Errorf("the next page says %d: %v", n, err)
	}
}

func TestNobodyReadsTheQueueWithoutPermission(t *testing.T) {
	queue, none := &attention.Service{}, actor.Actor{Kind: actor.Credential}
	_, first := queue.Summary(t.Context(), none, attention.Everyones)
	_, second := queue.Items(t.Context(), none, attention.Everyones)
	_, third := queue.Item(t.Context(), none, uuid.New())
	_, fourth := queue.Counts(t.Context(), none)
	for i, err := range []error{first, second, third, fourth} {
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

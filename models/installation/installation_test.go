package installation_test

import (
	"sync"
	"testing"
	"time"

	"debitdesk/cmd/app"
	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/installation"
	"debitdesk/models/merchant"
	"debitdesk/models/storetest"
	"debitdesk/models/user"
)

var input = installation.Input{Business: "Kloof Street Fitness", Slug: "kloof", Name: "Thandi",
	Email: "thandi@kloof.example", Password: "seven quiet otters", IP: "192.0.2.7"}

// empty is an installation without users, whose real time the test moves.
func empty(t *testing.T) (*installation.Service, *time.Time) {
	t.Helper()
	user.HashCheaply()
	box, err := seal.NewBox([]seal.Key{{ID: "t1", Secret: []byte("0123456789abcdef0123456789abcdef")}},
		[]byte("index-key-index-key-index-key-32"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box, Sandbox: true, MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	return &installation.Service{Store: installation.Store{DB: db}, Brand: app.FirstBrand(true),
		Merchants: &merchant.Service{Store: merchant.Store{DB: db}, Test: true},
		Now:       func() time.Time { return now }}, &now
}

func link(t *testing.T, s *installation.Service) string {
	t.Helper()
	token, _, err := s.Link(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestTheNewestLinkWorksForADayAndIsKeptAsAHash(t *testing.T) {
	t.Parallel()
	s, now := empty(t)
	old := link(t, s)
	fresh := link(t, s)
	if len(fresh) < 22 { // 128 bits
		t.Errorf("the token is %q", fresh)
	}
	if err := s.Find(t.Context(), old); !fault.Is(err, fault.NotFound) {
		t.Errorf("the link before still works: %v", err)
	}
	var kept int
	if err := s.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM first_links l WHERE l::text LIKE '%' || $1 || '%'`,
		fresh).Scan(&kept); err != nil || kept != 0 {
		t.Errorf("the token itself is in the database: %d %v", kept, err)
	}
	*now = now.Add(installation.LinkLasts - time.Second)
	if err := s.Find(t.Context(), fresh); err != nil {
		t.Errorf("within the day: %v", err)
	}
	*now = now.Add(time.Second)
	if _, err := s.Open(t.Context(), fresh, input); !fault.Is(err, fault.NotFound) {
		t.Errorf("after the day: %v", err)
	}
}

func TestEverythingThatIsWrongIsToldAndTheLinkStays(t *testing.T) {
	t.Parallel()
	s, _ := empty(t)
	token := link(t, s)
	_, err := s.Open(t.Context(), token, installation.Input{Slug: "No Slug", Brand: "two\nlines", Email: "x",
		Password: "short"})
	f, _ := fault.From(err)
	got := map[string]bool{}
	if f != nil {
		for _, p := range f.Fields {
			got[p.Path] = true
		}
	}
	for _, path := range []string{"business", "slug", "brand", "email", "password"} {
		if !got[path] {
			t.Errorf("nothing is said of %s: %v", path, err)
		}
	}
	if _, _, err := s.Merchants.Create(t.Context(), merchant.New{Slug: "kloof", Name: "Other"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), token, input); !fault.Is(err, fault.Invalid) {
		t.Errorf("a short name that is taken: %v", err)
	}
	other := input
	other.Slug = "kloof-2"
	if _, err := s.Open(t.Context(), token, other); err != nil {
		t.Error(err)
	}
}

func TestOfTwoAtOnceOneIsTheFirstAdminAndTheLinkIsGoneForEver(t *testing.T) {
	t.Parallel()
	s, _ := empty(t)
	token := link(t, s)
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for n := range errs {
		wait.Go(func() {
			in := input
			in.Slug, in.Email = in.Slug+string(rune('a'+n)), string(rune('a'+n))+in.Email
			_, errs[n] = s.Open(t.Context(), token, in)
		})
	}
	wait.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !fault.Is(err, fault.NotFound):
			t.Errorf("a loser gets %v", err)
		}
	}
	var users, businesses, audited int
	if err := s.Store.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM memberships WHERE role = $1),
		(SELECT count(*) FROM brands b JOIN debit_profiles p ON p.brand_id = b.id),
		(SELECT count(*) FROM audit_entries WHERE action = 'user.first_admin' AND ip = '192.0.2.7')`,
		string(actor.Admin)).Scan(&users, &businesses, &audited); err != nil {
		t.Fatal(err)
	}
	if won != 1 || users != 1 || businesses != 1 || audited != 1 {
		t.Errorf("%d won, %d admins, %d businesses, %d times in the audit", won, users, businesses, audited)
	}
	if _, _, err := s.Link(t.Context()); !fault.HasCode(err, "installation_has_users") {
		t.Errorf("another link is made: %v", err)
	}
	if waits, err := s.Waits(t.Context()); waits || err != nil {
		t.Errorf("it waits: %v %v", waits, err)
	}
}

package client_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/storetest"
)

type house struct {
	*client.Service
	store             *database.DB
	program, stranger actor.Actor
	admin, staff      actor.Actor
}

func open(t *testing.T) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "t", Secret: []byte("0123456789abcdef0123456789abcdef")}},
		[]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box, Sandbox: true, MaxConns: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	ours, theirs := db.NewID(), db.NewID()
	for _, id := range []uuid.UUID{ours, theirs} {
		if _, err := db.Pool.Exec(t.Context(),
			`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, 'M', true, now(), now())`,
			id, id.String()); err != nil {
			t.Fatal(err)
		}
	}
	return &house{
		Service: &client.Service{Store: client.Store{DB: db}, Now: db.Now}, store: db,
		program:  actor.Actor{Kind: actor.Credential, Name: "program", MerchantID: ours, Scopes: actor.AllScopes},
		stranger: actor.Actor{Kind: actor.Credential, Name: "stranger", MerchantID: theirs, Scopes: actor.AllScopes},
		admin:    actor.Actor{Kind: actor.User, Name: "admin", MerchantID: ours, Role: actor.Admin},
		staff:    actor.Actor{Kind: actor.User, Name: "staff", MerchantID: ours, Role: actor.Staff},
	}
}

func (h *house) thandi(t *testing.T) client.Client {
	t.Helper()
	c, err := h.Create(t.Context(), h.program, client.Input{Details: client.Details{Email: "thandi@example.com",
		FullName:    "Thandi Nkosi",
		BankAccount: "4055123456", BankCode: "632005", PersonalCode: "8001015009087", CC: []string{"a@b.co"}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func city(name string) client.Change {
	return client.Change{Apply: func(d client.Details) (client.Details, fault.Problems) { d.City = name; return d, nil }}
}

func TestWhatIsStoredComesBack(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	got, err := h.Get(t.Context(), h.program, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.BankAccount != "4055123456" || got.PersonalCode != "8001015009087" || len(got.CC) != 1 ||
		!got.CreatedAt.Equal(c.CreatedAt) || !got.UpdatedAt.Equal(c.UpdatedAt) {
		t.Errorf("got %+v", got)
	}
}

func TestProblemsOfShapeAndOfRulesComeTogether(t *testing.T) {
	h := open(t)
	_, err := h.Create(t.Context(), h.program, client.Input{Details: client.Details{Email: "x", Country: "nowhere"},
		Problems: fault.Problems{{Path: "country", Code: "shape"}}})
	f, _ := fault.From(err)
	if f == nil || codesOf(f.Fields) != "country=shape email=invalid" {
		t.Errorf("got %v", err)
	}
}

func TestNobodyChangesWithoutPermission(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	reader := h.program
	reader.Scopes = []actor.Scope{actor.ScopeRead}
	_, create := h.Create(t.Context(), reader, client.Input{})
	_, update := h.Update(t.Context(), reader, c.ID, city("x"))
	_, reveal := h.Reveal(t.Context(), h.staff, c.ID)
	_, list := h.List(t.Context(), actor.Actor{}, client.Query{Ask: paging.Ask{Limit: 1}})
	for name, err := range map[string]error{"create": create, "update": update,
		"delete": h.Delete(t.Context(), reader, c.ID), "reveal": reveal, "list": list} {
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s: %v, want Forbidden", name, err)
		}
	}
}

func TestAStrangersClientIsMissing(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	_, get := h.Get(t.Context(), h.stranger, c.ID)
	_, update := h.Update(t.Context(), h.stranger, c.ID, city("x"))
	_, reveal := h.Reveal(t.Context(), h.stranger, c.ID)
	for name, err := range map[string]error{"get": get, "update": update,
		"delete": h.Delete(t.Context(), h.stranger, c.ID), "reveal": reveal} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v, want NotFound", name, err)
		}
	}
	page, err := trail.Store{DB: h.store}.Timeline(t.Context(), h.stranger.MerchantID,
		trail.Subject{ClientID: c.ID}, paging.Ask{Limit: 5})
	if err != nil || len(page.Items) != 0 {
		t.Errorf("the stranger sees %d events (%v)", len(page.Items), err)
	}
}

func TestAnOldVersionIsAConflictAndSavesNothing(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	if _, err := h.Update(t.Context(), h.program, c.ID, city("Durban")); err != nil {
		t.Fatal(err)
	}
	late := city("Pretoria")
	late.Version = c.UpdatedAt
	if _, err := h.Update(t.Context(), h.program, c.ID, late); !fault.HasCode(err, "client_changed") {
		t.Errorf("got %v", err)
	}
	if got, _ := h.Get(t.Context(), h.program, c.ID); got.City != "Durban" {
		t.Errorf("city %q", got.City)
	}
}

func TestChangesAtOnceLoseNothing(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := h.Update(t.Context(), h.program, c.ID,
				client.Change{Apply: func(d client.Details) (client.Details, fault.Problems) { d.City += "x"; return d, nil }})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, _ := h.Get(t.Context(), h.program, c.ID); got.City != "xxxxxxxx" {
		t.Errorf("city %q", got.City)
	}
}

func TestSavingWithoutAChangeWritesNothing(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	if _, err := h.Update(t.Context(), h.program, c.ID, city("")); err != nil {
		t.Fatal(err)
	}
	page, err := trail.Store{DB: h.store}.Timeline(t.Context(), c.MerchantID,
		trail.Subject{ClientID: c.ID}, paging.Ask{Limit: 5})
	if err != nil || len(page.Items) != 1 || page.Items[0].Action != "client.created" ||
		page.Items[0].Actor.Name != "program" {
		t.Errorf("events %+v (%v)", page.Items, err)
	}
}

func TestDeletingForgetsTheTokensInTheSameTransaction(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	refuse := errors.New("the tokens stay")
	h.Forget = func(context.Context, *database.Tx, actor.Actor, uuid.UUID) error { return refuse }
	if err := h.Delete(t.Context(), h.program, c.ID); !errors.Is(err, refuse) {
		t.Errorf("got %v", err)
	}
	if _, err := h.Get(t.Context(), h.program, c.ID); err != nil {
		t.Errorf("the client went although its tokens stay: %v", err)
	}
	forgotten := uuid.Nil
	h.Forget = func(_ context.Context, tx *database.Tx, who actor.Actor, id uuid.UUID) error {
		forgotten = id
		tx.Audit(who, audit.Entry{Action: "token.deleted", ObjectType: "token", ObjectID: id, ClientID: id, Text: "gone"})
		return nil
	}
	if err := h.Delete(t.Context(), h.program, c.ID); err != nil || forgotten != c.ID {
		t.Errorf("forgotten %s (%v)", forgotten, err)
	}
	if err := h.Delete(t.Context(), h.program, c.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a second delete: %v, want NotFound", err)
	}
}

func TestOfTwoDeletionsAtOnceOneWins(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	var all sync.WaitGroup
	results := make(chan error, 8)
	for range 8 {
		all.Go(func() { results <- h.Delete(t.Context(), h.program, c.ID) })
	}
	all.Wait()
	close(results)
	won := 0
	for err := range results {
		if err == nil {
			won++
		} else if !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d won, want 1", won)
	}
}

func TestRevealingIsAudited(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	got, err := h.Reveal(t.Context(), h.admin, c.ID)
	if err != nil || got.BankAccount != "4055123456" || got.PersonalCode != "8001015009087" {
		t.Fatalf("got %v (%v)", got, err)
	}
	page, err := trail.Store{DB: h.store}.Timeline(t.Context(), c.MerchantID,
		trail.Subject{ClientID: c.ID}, paging.Ask{Limit: 1})
	if err != nil || page.Items[0].Action != "client.revealed" || !page.Older {
		t.Errorf("newest event %+v (%v)", page.Items, err)
	}
}

func TestCountingStopsWhereItIsTold(t *testing.T) {
	h := open(t)
	for range 3 {
		h.thandi(t)
	}
	for atMost, want := range map[int]int{2: 2, 3: 3, 10: 3} {
		if n, err := h.Count(t.Context(), h.program, client.Query{Text: "nkosi"}, atMost); err != nil || n != want {
			t.Errorf("at most %d: %d (%v), want %d", atMost, n, err, want)
		}
	}
}

func TestAnAddressThatIsSomebodysFindsExactlyThose(t *testing.T) {
	h := open(t)
	c := h.thandi(t)
	if _, err := h.Create(t.Context(), h.program,
		client.Input{Details: client.Details{Email: "thandi@example.com.na"}}); err != nil {
		t.Fatal(err)
	}
	page, err := h.List(t.Context(), h.program, client.Query{Text: "Thandi@Example.com", Ask: paging.Ask{Limit: 10}})
	if err != nil || len(page.Items) != 1 || page.Items[0].ID != c.ID {
		t.Errorf("found %d (%v)", len(page.Items), err)
	}
	page, err = h.List(t.Context(), h.program, client.Query{Text: "thandi@example", Ask: paging.Ask{Limit: 10}})
	if err != nil || len(page.Items) != 2 {
		t.Errorf("the beginning finds %d (%v), want 2", len(page.Items), err)
	}
}

// A number that was damaged on the disk, or whose key is missing, is one client's trouble.
func TestADamagedNumberIsMarkedAndKeepsNoListFromBeingRead(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx, c := t.Context(), h.thandi(t)
	moved := func(d client.Details) (client.Details, fault.Problems) {
		d.BankAccount, d.BankCode = "62000012345", "470010"
		return d, nil
	}
	if _, err := h.Update(ctx, h.admin, c.ID, client.Change{Apply: moved}); err != nil {
		t.Fatal(err)
	}
	damage := func() (stored []byte) {
		t.Helper()
		if err := h.store.Pool.QueryRow(ctx, `UPDATE clients SET bank_account_sealed =
			set_byte(bank_account_sealed, octet_length(bank_account_sealed) - 1,
				get_byte(bank_account_sealed, octet_length(bank_account_sealed) - 1) # 1)
			WHERE id = $1 RETURNING bank_account_sealed`, c.ID).Scan(&stored); err != nil {
			t.Fatal(err)
		}
		return stored
	}
	stored := damage()
	page, err := h.List(ctx, h.admin, client.Query{Ask: paging.Ask{Limit: 10}})
	if err != nil || len(page.Items) != 1 || !page.Items[0].AccountUnreadable() || page.Items[0].BankAccount != "" {
		t.Fatalf("%+v %v", page, err)
	}
	if _, err := h.Reveal(ctx, h.admin, c.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("it was shown: %v", err)
	}
	phone := func(account bank.AccountNumber) error {
		_, err := h.Update(ctx, h.admin, c.ID, client.Change{Apply: func(d client.Details) (client.Details, fault.Problems) {
			d.Phone, d.BankAccount = "+27820000000", account
			return d, nil
		}})
		return err
	}
	f, _ := fault.From(phone(""))
	if f == nil || len(f.Fields) != 1 || f.Fields[0].Path != "bank_account" || f.Fields[0].Code != "unreadable" {
		t.Errorf("a change beside it: %+v", f)
	}
	var now []byte
	if err := h.store.Pool.QueryRow(ctx, `SELECT bank_account_sealed FROM clients WHERE id = $1`, c.ID).
		Scan(&now); err != nil || string(now) != string(stored) {
		t.Errorf("what is stored changed: %v", err)
	}
	if err := phone("62000054321"); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Get(ctx, h.admin, c.ID); err != nil || got.AccountUnreadable() || got.BankAccount != "62000054321" {
		t.Errorf("entered again: %v %v", got.BankAccount, err)
	}
	damage()
	if _, err := h.Erase(ctx, h.admin, c.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.store.Pool.QueryRow(ctx, `SELECT coalesce(bank_account_sealed, '') FROM clients WHERE id = $1`, c.ID).
		Scan(&now); err != nil || len(now) > 0 {
		t.Errorf("an erased client keeps a damaged number: %x %v", now, err)
	}
}

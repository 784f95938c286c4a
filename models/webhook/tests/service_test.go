package tests

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/webhook"
)

func TestAWebhookIsChecked(t *testing.T) {
	t.Parallel()
	h := open(t)
	good := webhook.Input{Title: "Till", Callback: "https://shop.example/hook", AllEvents: true}
	for _, row := range []struct {
		name, path, code string
		change           func(*webhook.Input)
	}{
		{"fine", "", "", func(*webhook.Input) {}},
		{"without a title", "title", "required", func(in *webhook.Input) { in.Title = " " }},
		{"100 characters", "", "", func(in *webhook.Input) { in.Title = strings.Repeat("é", 100) }},
		{"101 characters", "title", "max_length", func(in *webhook.Input) { in.Title = strings.Repeat("é", 101) }},
		{"without an address", "callback", "required", func(in *webhook.Input) { in.Callback = "" }},
		{"address of 500", "", "", func(in *webhook.Input) { in.Callback = "https://e.example/" + strings.Repeat("a", 482) }},
		{"address of 501", "callback", "max_length",
			func(in *webhook.Input) { in.Callback = "https://e.example/" + strings.Repeat("a", 483) }},
		{"ftp", "callback", "invalid", func(in *webhook.Input) { in.Callback = "ftp://e.example/" }},
		{"no host", "callback", "invalid", func(in *webhook.Input) { in.Callback = "https:///hook" }},
		{"words", "callback", "invalid", func(in *webhook.Input) { in.Callback = "my shop" }},
		{"no events", "events", "required", func(in *webhook.Input) { in.AllEvents = false }},
		{"unknown event", "events", "invalid_choice", func(in *webhook.Input) {
			in.AllEvents, in.Events = false,
				[]string{"purchase.eaten"}
		}},
		{"one event", "", "", func(in *webhook.Input) { in.AllEvents, in.Events = false, []string{webhook.PurchasePaid} }},
	} {
		in := good
		row.change(&in)
		_, err := h.hooks.Create(context.Background(), h.who, in)
		if row.code == "" && err != nil || row.code != "" && !fault.HasCode(err, row.code) {
			t.Errorf("%s: %v", row.name, err)
		}
		if f, ok := fault.From(err); ok && !fault.Problems(f.Fields).Has(row.path) {
			t.Errorf("%s: %+v", row.name, f.Fields)
		}
	}
}

func TestAWebhookHasKeysOfItsOwnThatStay(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.hook("https://a.example"), h.hook("https://b.example", webhook.PurchasePaid)
	if a.PublicKey == b.PublicKey || !strings.HasPrefix(a.PublicKey, "-----BEGIN PUBLIC KEY-----") || len(a.Events) != 0 {
		t.Errorf("%+v", a)
	}
	// Every RSA key names itself by these bytes.
	const lyingOpen = `SELECT count(*) FROM webhooks WHERE position('\x06092a864886f70d010101'::bytea in private_key) > 0`
	if n := h.number(lyingOpen); n != 0 {
		t.Error("a private key lies open")
	}
	changed, err := h.hooks.Update(context.Background(), h.who, b.ID, func(in *webhook.Input) { in.Title = "Shop" })
	must(t, err)
	read, err := h.hooks.Get(context.Background(), h.who, b.ID)
	must(t, err)
	if read.Title != "Shop" || read.PublicKey != b.PublicKey || !slices.Equal(read.Events, b.Events) ||
		changed.Version != read.Version {
		t.Errorf("%+v", read)
	}
}

func TestWhoMayChangeWebhooks(t *testing.T) {
	t.Parallel()
	h := open(t)
	w := h.hook("https://a.example")
	staff, program, reader := h.who, h.who, h.who
	staff.Role = actor.Finance
	program.Kind, program.Scopes = actor.Credential, []actor.Scope{actor.ScopeWrite}
	reader.Kind, reader.Scopes = actor.Credential, []actor.Scope{actor.ScopeRead}
	title := func(in *webhook.Input) { in.Title = "B" }
	if _, err := h.hooks.Update(context.Background(), program, w.ID, title); err != nil {
		t.Error(err)
	}
	for _, who := range []actor.Actor{staff, reader} {
		if _, err := h.hooks.Update(context.Background(), who, w.ID, title); !fault.Is(err, fault.Forbidden) {
			t.Error(err)
		}
		if _, err := h.hooks.Get(context.Background(), who, w.ID); err != nil {
			t.Error(err)
		}
	}
	stranger, _ := h.merchant("stranger")
	if _, err := h.hooks.Get(context.Background(), stranger, w.ID); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if err := h.hooks.Delete(context.Background(), stranger, w.ID); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func TestADeletedWebhookHearsNothingMore(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	w := h.hook(r.URL)
	h.sell()
	must(t, h.hooks.Delete(context.Background(), h.who, w.ID))
	h.sell()
	if h.run() != 0 || len(r.got()) != 0 {
		t.Error("it was called")
	}
	if d := h.deliveries(webhook.DeliveryFilter{State: webhook.Dropped}); len(d) != 1 {
		t.Errorf("%+v", d)
	}
	if _, err := h.hooks.Get(context.Background(), h.who, w.ID); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func TestEventsAreSentOnceMore(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	w := h.hook(r.URL)
	p := h.sell()
	h.pay(p.ID)
	h.run()
	first := r.got()[0]
	old := h.deliveries(webhook.DeliveryFilter{})
	again, err := h.hooks.Resend(context.Background(), h.who, old[len(old)-1].ID)
	must(t, err)
	h.run()
	last := r.got()[2]
	if string(last.body) != string(first.body) ||
		last.header.Get("X-Debitdesk-Event-Id") != first.header.Get("X-Debitdesk-Event-Id") ||
		last.header.Get("X-Debitdesk-Resend") != "true" || first.header.Get("X-Debitdesk-Resend") != "" ||
		last.header.Get("X-Debitdesk-Delivery-Id") != again.ID.String() {
		t.Errorf("%v %s", last.header, last.body)
	}
	n, err := h.hooks.ResendSince(context.Background(), h.who, w.ID, start)
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
	h.run()
	if got := r.types()[3:]; !slices.Equal(got, []string{webhook.PurchaseCreated, webhook.PurchasePaid}) {
		t.Error(got)
	}
	if n, err := h.hooks.ResendSince(context.Background(), h.who, w.ID, h.store.Now().Add(time.Second)); n != 0 ||
		err != nil {
		t.Error(n, err)
	}
	must(t, h.hooks.Delete(context.Background(), h.who, w.ID))
	if _, err := h.hooks.Resend(context.Background(), h.who, again.ID); !fault.HasCode(err, "webhook_deleted") {
		t.Error(err)
	}
}

// Sending a long history again takes seconds and a connection. Callers that waited for
// each other, or wrote the same history many times, would take all connections.
func TestAHistoryIsSentOnceMoreForOneCallerAtATime(t *testing.T) {
	t.Parallel()
	h := open(t)
	w := h.hook(h.receiver(nil).URL)
	h.pay(h.sell().ID)
	h.run()
	resend := func() (int, error) { return h.hooks.ResendSince(context.Background(), h.who, w.ID, start) }
	const callers = 24 // the pool has ten connections
	must(t, h.store.InTx(t.Context(), func(tx *database.Tx) error {
		if n, err := webhook.RepeatSince(tx, w, start); n != 2 || err != nil {
			t.Error(n, err)
		}
		var refused sync.WaitGroup
		for range callers {
			refused.Go(func() { // while the history is being written
				if _, err := resend(); !fault.HasCode(err, "resend_running") {
					t.Error(err)
				}
			})
		}
		refused.Wait()
		return nil
	}))
	if n, err := resend(); n != 0 || err != nil {
		t.Error("events that wait to be sent again are sent a third time:", n, err)
	}
	if n, err := h.hooks.CountSince(context.Background(), h.who, w.ID, start); n != 0 || err != nil {
		t.Error("the page promises events that wait already:", n, err)
	}
	h.run()
	if n, err := resend(); n != 2 || err != nil {
		t.Error("once they are sent, they can be sent again:", n, err)
	}
}

func TestATestWaitsForNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	r.answer = func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
	w := h.hook(r.URL)
	h.sell()
	h.run()
	if _, err := h.hooks.Test(context.Background(), h.who, w.ID); err != nil {
		t.Fatal(err)
	}
	h.run()
	calls := r.got()
	if len(calls) != 2 || calls[1].field("event_type") != webhook.WebhookTest || calls[1].field("id") != w.ID.String() ||
		verified(w.PublicKey, calls[1].body, calls[1].header.Get("X-Signature")) != nil {
		t.Errorf("%d calls", len(calls))
	}
}

func TestOneMailForEachTimeThatAnEndpointFails(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.exec(
		`INSERT INTO users (id, merchant_id, email, role, password_hash, created_at, updated_at)
			VALUES (gen_random_uuid(), $1, 'owner@example.org', 'admin', '', $2, $2)`,
		h.who.MerchantID,
		start,
	)
	down := true
	r := h.receiver(func(_ int, w http.ResponseWriter, _ *http.Request) {
		if down {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	w := h.hook(r.URL)
	mails := func() int64 { return h.number(`SELECT count(*) FROM mails WHERE kind = 'webhook_failing'`) }
	h.sell()
	h.run()
	h.to(h.store.Now().Add(59 * time.Minute))
	if n := mails(); n != 0 {
		t.Fatalf("%d mails within the hour", n)
	}
	h.to(h.store.Now().Add(10 * time.Hour))
	if n := mails(); n != 1 {
		t.Fatalf("%d mails", n)
	}
	down = false
	h.to(h.store.Now().Add(30 * time.Hour))
	read, err := h.hooks.Get(context.Background(), h.who, w.ID)
	if err != nil || !read.FailingSince.IsZero() || read.Failures != 0 || read.LastOKAt.IsZero() {
		t.Errorf("%+v, %v", read, err)
	}
	down = true
	h.sell()
	h.run()
	h.to(h.store.Now().Add(10 * time.Hour))
	if n := mails(); n != 2 {
		t.Errorf("%d mails after it failed anew", n)
	}
}

// A person may run several businesses; the account began in one of them.
func TestAllAdminsOfTheBusinessHearOfAnEndpointThatFails(t *testing.T) {
	t.Parallel()
	h := open(t)
	elsewhere, _ := h.merchant("elsewhere")
	person := func(email string, first uuid.UUID, role actor.Role) {
		h.exec(`INSERT INTO users (id, merchant_id, email, role, password_hash, created_at, updated_at)
			VALUES ($1, $2, $3, $4, '', $5, $5)`, h.store.NewID(), first, email, string(role), start)
	}
	joins := func(email string, role actor.Role, disabled any) {
		h.exec(`INSERT INTO memberships (user_id, merchant_id, role, disabled_at, created_at, updated_at)
			SELECT id, $2, $3, $4, $5, $5 FROM users WHERE email = $1`, email, h.who.MerchantID, string(role), disabled, start)
	}
	person("both@example.org", elsewhere.MerchantID, actor.Staff)
	joins("both@example.org", actor.Admin, nil)
	person("disabled@example.org", elsewhere.MerchantID, actor.Admin)
	joins("disabled@example.org", actor.Admin, start)
	person("staff@example.org", elsewhere.MerchantID, actor.Admin)
	joins("staff@example.org", actor.Staff, nil)
	person("owner@example.org", h.who.MerchantID, actor.Admin)
	h.hook(h.receiver(func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }).URL)
	h.sell()
	h.run()
	h.to(h.store.Now().Add(10 * time.Hour))
	var to []string
	must(t, h.store.Pool.QueryRow(context.Background(),
		`SELECT array_prepend(recipient, cc) FROM mails WHERE kind = 'webhook_failing'`).Scan(&to))
	if want := []string{"both@example.org", "owner@example.org"}; !slices.Equal(to, want) {
		t.Errorf("the mail goes to %v, want %v", to, want)
	}
}

func TestWhereMoneyIsRealEventsLeaveEncryptedOnly(t *testing.T) {
	t.Parallel()
	h := open(t)
	old := h.hook("http://old.example")
	h.hooks.Live = true
	plain := webhook.Input{Title: "New", Callback: "http://a.example", AllEvents: true}
	_, err := h.hooks.Create(t.Context(), h.who, plain)
	if f, _ := fault.From(err); f == nil || len(f.Fields) != 1 || f.Fields[0].Path != "callback" {
		t.Errorf("a new one: %v", err)
	}
	if _, err := h.hooks.Update(t.Context(), h.who, old.ID, func(in *webhook.Input) { in.Title = "Renamed" }); err != nil {
		t.Errorf("one of before is renamed: %v", err)
	}
	if _, err := h.hooks.Update(t.Context(), h.who, old.ID,
		func(in *webhook.Input) { in.Callback = "http://b.example" }); err == nil {
		t.Error("one of before moved to another open address")
	}
	if _, err := h.hooks.Update(t.Context(), h.who, old.ID,
		func(in *webhook.Input) { in.Callback = "https://b.example" }); err != nil {
		t.Errorf("one of before moved to an encrypted address: %v", err)
	}
}

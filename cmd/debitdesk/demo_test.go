package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"debitdesk/cmd/app"
	"debitdesk/models/actor"
	"debitdesk/models/bank/files"
	"debitdesk/models/client"
	"debitdesk/models/demo"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/user"
)

func TestTheDemoIsMadeOnceAndToldAgain(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	var first, second map[string]any
	for _, told := range []*map[string]any{&first, &second} {
		got := typed(t, env, "", "demo", "--json", "--clients", "3")
		if got.code != exitOK || strings.Count(got.out, "\n") != 1 {
			t.Fatalf("%+v", got)
		}
		if err := json.Unmarshal([]byte(got.out), told); err != nil {
			t.Fatal(err)
		}
	}
	keys := []string{"base_url", "merchant_id", "merchant_slug", "brand_id", "api_token", "webhook_public_key", "users",
		"clients"}
	for _, key := range keys {
		a, _ := json.Marshal(first[key])
		b, _ := json.Marshal(second[key])
		if same := string(a) == string(b); same == (key == "api_token") {
			t.Errorf("%s: first %s, then %s", key, a, b)
		}
	}
	//nolint:forcetypeassert // a panic fails too
	if len(first) != len(keys) || len(first["clients"].([]any)) != 3 || len(first["users"].([]any)) != 3 {
		t.Errorf("not as promised: %v", first)
	}
}

// The history of the demo's clients is the sandbox bank's: another bank knows nothing of it.
func TestTheDemoIsMadeWithABankThatTakesFilesToo(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	dir := filepath.Join(t.TempDir(), "exchange")
	if _, err := files.InitProfile(dir, "simulator"); err != nil {
		t.Fatal(err)
	}
	env["DEBITDESK_BANK"] = "files:" + dir
	for range 2 {
		got := typed(t, env, "", "demo", "--json")
		var told struct {
			Slug    string `json:"merchant_slug"`
			Clients []any
			Users   []any
		}
		if err := json.Unmarshal([]byte(got.out), &told); err != nil || got.code != exitOK || told.Slug != demo.Slug ||
			len(told.Clients) != 0 || len(told.Users) != 3 {
			t.Fatalf("%v %+v", err, got)
		}
	}
}

func TestTheDemoEndsInEveryStateByNow(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	made, err := site.app.demo(t.Context(), 39)
	if err != nil {
		t.Fatal(err)
	}
	who := actor.OperatorOf(made.Merchant.ID)
	totals, err := site.app.Services.Purchases.Totals(t.Context(), who, purchase.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	counts := totals[""].Counts()
	for _, status := range []purchase.Status{purchase.Created, purchase.Sent, purchase.Viewed, purchase.PendingCharge,
		purchase.PendingExecute, purchase.Paid,
		purchase.Preauthorized, purchase.Failed, purchase.Overdue, purchase.Expired, purchase.Cancelled, purchase.Chargeback,
		purchase.PendingRefund, purchase.Refunded} {
		if counts[string(status)] == 0 {
			t.Errorf("nothing is %s: %v", status, counts)
		}
	}
	for what, query := range map[string]string{
		"mandates in every state": `SELECT count(DISTINCT state) = 7 FROM mandates WHERE kind = 'debicheck'
			AND state IN ('pending_authentication', 'active', 'registered_unauthenticated', 'rejected',
			'no_response', 'suspended', 'cancelled')`,
		"a suspension of each kind": `SELECT count(DISTINCT reason_code) = 2 FROM mandates
			WHERE state = 'suspended' AND reason_code IN ('MSUC', 'CTCA')`,
		"debits in every state": `SELECT count(DISTINCT state) = 3 FROM collections
			WHERE method = 'debicheck' AND state IN ('successful', 'in_tracking', 'unpaid')`,
		"debits that can be disputed": `SELECT count(*) > 0 FROM collections
			WHERE method = 'debicheck' AND state = 'successful' AND disputable`,
		"debits that cannot": `SELECT count(*) > 0 FROM collections
			WHERE method = 'debicheck' AND state = 'successful' AND NOT disputable`,
		"a request with hours left": `SELECT count(*) > 0 FROM mandate_authentications
			WHERE state IN ('sent', 'delivered') AND method = 'DELAYED'`,
		"a payer who was asked again": `SELECT count(*) > 0 FROM mandate_authentications
			WHERE number = 2 AND method = 'REALTIME' AND state = 'accepted'`,
		"fees with their VAT": `SELECT count(*) = 2 AND sum(fee_cents) = 30000 AND sum(vati_cents) = 4500
			AND sum(bank_cents) = -34500 FROM book_records WHERE kind = 'fee'`,
		"a bank that was told of an end": `SELECT count(*) > 0 FROM audit_entries WHERE action = 'mandate.cancelled_at_bank'`,
	} {
		var there bool
		if err := site.app.Store.Pool.QueryRow(t.Context(), query).Scan(&there); err != nil || !there {
			t.Errorf("the demo lacks %s: %v", what, err)
		}
	}
	if ahead := time.Until(site.app.Store.Clock.Now()); ahead < -patience || ahead > patience {
		t.Errorf("the clock stands %s beside the real time", ahead)
	}
	if _, err := site.app.Services.Users.SignIn(t.Context(),
		user.Attempt{Email: made.Users[0].Email, Password: made.Users[0].Password, IP: "192.0.2.1"}); err != nil {
		t.Errorf("the printed password does not open: %v", err)
	}
	if _, err := site.app.Services.Credentials.Verify(t.Context(), made.APIToken); err != nil {
		t.Errorf("the printed token does not open: %v", err)
	}
	page, err := site.app.Services.Clients.List(t.Context(), who, client.Query{Ask: paging.Ask{Limit: 100}})
	if err != nil || len(page.Items) != 39 {
		t.Errorf("%d clients, %v", len(page.Items), err)
	}
}

func TestADatabaseInUseGetsNoDemo(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	m, brand, err := site.app.Services.Merchants.Create(t.Context(),
		merchant.New{Slug: "gym", Name: "Gym", Brand: app.FirstBrand(true)})
	if err != nil {
		t.Fatal(err)
	}
	in := purchase.Input{BrandID: brand.ID, Client: &client.Details{Email: "a@example.com"},
		Details: purchase.Details{Products: []purchase.Product{{Name: "x", PriceCents: 100,
			Quantity: decimal.NewFromInt(1)}}}}
	if _, err := site.app.Services.Purchases.Create(t.Context(), actor.OperatorOf(m.ID), in); err != nil {
		t.Fatal(err)
	}
	before := site.app.Store.Clock.Now()
	if _, err := site.app.demo(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
	if site.app.Store.Clock.Now().Before(before) {
		t.Error("the clock went back")
	}
	if _, err := site.app.Services.Merchants.Store.MerchantBySlug(t.Context(), demo.Slug); !fault.Is(err, fault.NotFound) {
		t.Errorf("half a demo is left: %v", err)
	}
	all, err := merchant.Store{DB: site.app.Store}.Merchants(t.Context())
	if err != nil || slices.ContainsFunc(all, func(m merchant.Merchant) bool { return m.IsDemo }) {
		t.Errorf("%v, %v", all, err)
	}
}

package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/simulation"
	"debitdesk/models/upkeep"
)

// owner is an admin of the first merchant.
func (v *vault) owner() actor.Actor {
	v.t.Helper()
	all, err := merchant.Store{DB: v.app.Store}.Merchants(v.t.Context())
	must(v.t, err)
	return actor.Actor{Kind: actor.User, Role: actor.Admin, Name: "Owner", MerchantID: all[0].ID}
}

func (v *vault) cookie() string {
	v.t.Helper()
	signed := v.ask("POST", "/login", url.Values{"email": {"o@gym.example"}, "password": {"long enough to pass"}})
	return strings.SplitN(signed.Header().Get("Set-Cookie"), ";", 2)[0]
}

func TestAScenario_adds_up_to_what_was_asked_and_is_the_same_for_the_same_seed(t *testing.T) {
	t.Parallel()
	ask := simulation.Ask{Months: 2, Clients: 8, Paid: 60, Unpaid: 20, Disputed: 10, Seed: 5}
	want := simulation.Tally{Made: 16, Paid: 10, Unpaid: 3, Other: 2, Disputed: 1}
	var played [2][]string
	for i := range played {
		v := openVault(t)
		s := v.app.Services.Simulations
		run, err := s.Begin(t.Context(), v.owner(), simulation.Scenario, ask)
		must(t, err)
		if _, err := s.Begin(t.Context(), v.owner(), simulation.Demo, ask); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second one at once: %v", err)
		}
		must(t, s.Play(t.Context(), run.ID))
		must(t, s.Play(t.Context(), run.ID)) // once
		runs, err := s.Runs(t.Context(), v.owner())
		must(t, err)
		if got := runs[0].Result; len(runs) != 1 || got.Got != want || got.Wanted != want ||
			runs[0].State != simulation.Done || !got.Got.AddsUp() {
			t.Errorf("played %+v", runs)
		}
		rows, err := v.app.Store.Pool.Query(t.Context(),
			`SELECT payer_name || ' ' || total_cents || ' ' || status FROM purchases WHERE total_cents > 0 ORDER BY id`)
		must(t, err)
		played[i], err = pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		if len(played[i]) != want.Made {
			t.Errorf("%d purchases", len(played[i]))
		}
	}
	if !slices.Equal(played[0], played[1]) {
		t.Errorf("the same seed gave %q and %q", played[0], played[1])
	}
}

func TestDemoData_lives_on_from_today_for_a_merchant_that_is_there(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	s := v.app.Services.Simulations
	began := v.app.Store.Now()
	run, err := s.Begin(t.Context(), v.owner(), simulation.Demo, simulation.Ask{Clients: 14, Seed: 3})
	must(t, err)
	must(t, s.TakeUp(t.Context()))
	runs, err := s.Runs(t.Context(), v.owner())
	must(t, err)
	got := runs[0].Result.Got
	if runs[0].ID != run.ID || runs[0].State != simulation.Done || !got.AddsUp() || got.Paid == 0 || got.Unpaid == 0 ||
		got.Disputed == 0 {
		t.Errorf("played %+v", runs[0])
	}
	if lived := v.app.Store.Now().Sub(began).Hours() / 24; lived < 35 || lived > 37 {
		t.Errorf("%v days passed", lived)
	}
}

// rows counts the rows of every table with a merchant's own.
func (v *vault) rows(merchant any) map[string]int64 {
	v.t.Helper()
	out := map[string]int64{}
	for _, table := range v.merchantTables() {
		column := "merchant_id"
		if table == "merchants" {
			column = "id"
		}
		var n int64
		must(v.t, v.app.Store.Pool.QueryRow(v.t.Context(), `SELECT count(*) FROM `+table+` WHERE `+column+` = $1`,
			merchant).Scan(&n))
		out[table] = n
	}
	return out
}

func (v *vault) merchantTables() []string {
	v.t.Helper()
	rows, err := v.app.Store.Pool.Query(
		v.t.Context(),
		`SELECT table_name::text FROM information_schema.columns
			JOIN information_schema.tables USING (table_schema, table_name)
			WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'merchant_id'
			UNION SELECT 'merchants' ORDER BY 1`,
	)
	must(v.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(v.t, err)
	return tables
}

func TestAWipe_empties_one_desk_and_leaves_a_strangers_alone(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	v.living(t)
	mine := v.owner()
	makeMerchant(t, map[string]string{"DATABASE_URL": v.app.Config.DatabaseURL, "DEBITDESK_DATA": v.app.Config.Data},
		"stranger")
	made := typed(t, map[string]string{"DATABASE_URL": v.app.Config.DatabaseURL, "DEBITDESK_DATA": v.app.Config.Data}, "",
		"apikey", "create", "--merchant", "stranger", "--name", "till", "--ttl", "8760h")
	if made.code != exitOK {
		t.Fatalf("%+v", made)
	}
	own, brand := v.token, v.brand
	v.token = strings.TrimSpace(made.out)
	must(t, v.app.Store.Pool.QueryRow(t.Context(),
		`SELECT b.id::text FROM brands b JOIN merchants m ON m.id = b.merchant_id WHERE m.slug = 'stranger'`).Scan(&v.brand))
	v.living(t)
	v.token, v.brand = own, brand
	all, err := merchant.Store{DB: v.app.Store}.Merchants(t.Context())
	must(t, err)
	stranger := all[1].ID
	_, err = upkeep.Store{DB: v.app.Store}.FoldCounts(t.Context())
	must(t, err)
	before, had, kept := v.rows(stranger.String()), v.rows(mine.MerchantID.String()), simulation.WipeKeeps
	service := v.app.Services.Simulations
	if _, err := service.Wipe(t.Context(), mine, "stranger"); !fault.Is(err, fault.Invalid) {
		t.Errorf("with another's name: %v", err)
	}
	finance := mine
	finance.Role = actor.Finance
	if _, err := service.Wipe(t.Context(), finance, "gym"); !fault.Is(err, fault.Forbidden) {
		t.Errorf("by finance: %v", err)
	}
	if again := v.rows(mine.MerchantID.String()); !reflect.DeepEqual(again, had) {
		t.Errorf("a refused wipe changed %v to %v", had, again)
	}
	if _, err := service.Wipe(t.Context(), mine, " gym "); err != nil {
		t.Fatal(err)
	}
	_, err = upkeep.Store{DB: v.app.Store}.FoldCounts(t.Context())
	must(t, err)
	if after := v.rows(stranger.String()); !reflect.DeepEqual(after, before) {
		t.Errorf("the stranger had %v and has %v", before, after)
	}
	after := v.rows(mine.MerchantID.String())
	for table, n := range after {
		switch {
		case table == "audit_entries" && n != had[table]+1:
			t.Errorf("the log had %d entries and has %d", had[table], n)
		case slices.Contains([]string{"merchants", "users", "credentials", "brands", "debit_profiles"}, table) &&
			n != had[table]:
			t.Errorf("%s: %d of %d are left", table, n, had[table])
		case !slices.Contains(kept, table) && n > 0:
			t.Errorf("%s still has %d", table, n)
		}
	}
	var counted int64
	must(t, v.app.Store.Pool.QueryRow(t.Context(),
		`SELECT coalesce(sum(n), 0)::bigint FROM purchase_counts WHERE merchant_id = $1`,
		mine.MerchantID.String()).Scan(&counted))
	if counted != 0 || had["purchases"] == 0 || had["collections"] == 0 || had["mails"] == 0 ||
		had["company_statements"] == 0 {
		t.Errorf("%d are counted after a wipe; there had been %v", counted, had)
	}
	v.living(t) // it goes on
}

// living leaves rows in many tables.
func (v *vault) living(t *testing.T) {
	t.Helper()
	v.live(paying)
	v.live(unpaid)
	v.payerGives()
	for _, id := range v.ids("purchases") {
		v.ask("POST", "/api/v1/purchases/"+id+"/resend_invoice/", nil, "Authorization: Bearer "+v.token)
	}
	v.api(201, "POST", "/api/v1/company_statements/?currency=ZAR", `{"format":"csv"}`)
	v.api(200, "POST", "/sandbox/clock", `{"advance":"12d"}`)
}

func TestAWipe_knows_every_table_with_rows_of_merchants(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	known := append(simulation.WipeTables(), simulation.WipeKeeps...)
	for _, table := range v.merchantTables() {
		if !slices.Contains(known, table) {
			t.Errorf("nobody has decided whether a wipe empties %s", table)
		}
	}
}

func TestTheSimulator_is_a_page_that_works_without_scripts(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	cookie := "Cookie: " + v.cookie()
	page := v.ask("GET", "/developers/simulator", nil, cookie, "Accept: text/html").Body.String()
	for _, text := range []string{"400000 9002", "110000002", "Copy account number 4000009030", "Unpaid 02, each time",
		"Next working day", "Fill with demo data", "Wipe test data"} {
		if !strings.Contains(page, text) && !strings.Contains(page,
			strings.ReplaceAll(text, "Unpaid 02,", "Unpaid 02 (not enough money),")) {
			t.Errorf("the page lacks %q", text)
		}
	}
	bad := v.ask("POST", "/developers/simulator/scenarios", url.Values{"months": {"4"}, "clients": {"x"}, "paid": {"92"},
		"unpaid": {"5"}, "disputed": {"1"}, "seed": {"1"}}, cookie)
	if bad.Code != http.StatusUnprocessableEntity || !strings.Contains(bad.Body.String(), "Enter a whole number.") {
		t.Errorf("wrong numbers: %d", bad.Code)
	}
	if rec := v.ask("POST", "/developers/simulator/scenarios",
		url.Values{"months": {"1"}, "clients": {"2"}, "paid": {"50"}, "unpaid": {"50"}, "disputed": {"0"}, "seed": {"1"}},
		cookie); rec.Code != http.StatusSeeOther {
		t.Fatalf("play: %d %s", rec.Code, rec.Body)
	}
	if page := v.ask("GET", "/developers/simulator", nil, cookie).Body.String(); !strings.Contains(page, "Being played") ||
		!strings.Contains(page, "there is only one clock") {
		t.Error("the page does not show what is played")
	}
	must(t, v.app.Services.Simulations.TakeUp(t.Context()))
	if page := v.ask("GET", "/developers/simulator", nil, cookie).Body.String(); strings.Contains(page, "Being played") ||
		!strings.Contains(page, "50% code 02") {
		t.Error("the page does not show what was played")
	}
	if rec := v.ask("POST", "/developers/simulator/wipe", url.Values{"confirm": {"no"}},
		cookie); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), "Type gym to confirm") {
		t.Errorf("a wipe without the name: %d", rec.Code)
	}
	demand := func(deletions bool) {
		_, err := v.app.Store.Pool.Exec(t.Context(), `UPDATE merchants SET approve_deletions = $1`, deletions)
		must(t, err)
	}
	demand(true)
	had := len(v.ids("clients"))
	refused := v.ask("POST", "/developers/simulator/wipe", url.Values{"confirm": {"gym"}}, cookie)
	if left := len(v.ids("clients")); refused.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(refused.Body.String(), "Ask for fewer approvals first") || left != had || had == 0 {
		t.Errorf("a wipe while a second approver is asked for: %d, %d of %d clients are left", refused.Code, left, had)
	}
	demand(false)
	if rec := v.ask("POST", "/developers/simulator/wipe", url.Values{"confirm": {"gym"}},
		cookie); rec.Code != http.StatusSeeOther || len(v.ids("clients")) != 0 {
		t.Errorf("a wipe: %d %s", rec.Code, rec.Body)
	}
}

func TestNobodyPlays_with_live_money(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	c := v.app.Config
	c.Mode = "live"
	app, err := Open(t.Context(), c, opening{log: slog.New(slog.DiscardHandler), baseURL: vaultURL, maxConns: fewConns})
	must(t, err)
	t.Cleanup(func() { _ = app.Close() })
	handler, err := app.handler(prometheus.NewRegistry(), vaultURL, false, nil)
	must(t, err)
	for _, path := range []string{"/developers/simulator", "/developers/simulator/wipe"} {
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		if rec.Code != http.StatusNotFound {
			t.Errorf("%s answers %d in live mode", path, rec.Code)
		}
	}
	if app.Services.Simulations != nil {
		t.Error("the use cases of the simulator are there in live mode")
	}
}

func TestARun_whose_worker_is_gone_ends_and_makes_room(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	s, ask := v.app.Services.Simulations, simulation.Ask{Months: 1, Clients: 1, Paid: 100}
	run, err := s.Begin(t.Context(), v.owner(), simulation.Scenario, ask)
	must(t, err)
	v.exec(`UPDATE simulations SET state = 'running', claimed_until = clock_timestamp() + interval '1 minute'`)
	must(t, s.TakeUp(t.Context()))
	if runs, err := s.Runs(t.Context(), v.owner()); err != nil || runs[0].State != simulation.Running {
		t.Errorf("somebody is at it, and it is %v, %v", runs, err)
	}
	if _, err := s.Wipe(t.Context(), v.owner(), "gym"); !fault.Is(err, fault.Conflict) {
		t.Errorf("wiped while it is played: %v", err)
	}
	v.exec(`UPDATE simulations SET claimed_until = clock_timestamp() - interval '1 second'`)
	must(t, s.TakeUp(t.Context()))
	runs, err := s.Runs(t.Context(), v.owner())
	if err != nil || runs[0].ID != run.ID || runs[0].State != simulation.Failed || runs[0].Note == "" {
		t.Errorf("nobody is at it, and it is %v, %v", runs, err)
	}
	if _, err := s.Begin(t.Context(), v.owner(), simulation.Scenario, ask); err != nil {
		t.Errorf("no room for the next: %v", err)
	}
}

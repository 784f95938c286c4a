package merging_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/merging"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

var start = calendar.On(2026, time.November, 23).At(9, 0)

// house is a business with clients on a database of its own.
type house struct {
	t       *testing.T
	dsn     string
	store   *database.DB
	clients *client.Service
	merging *merging.Service
	who     actor.Actor
	brand   string
	columns map[string]map[string]string // what must be filled, by table
	serial  int
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dsn: storetest.DSN(t), columns: map[string]map[string]string{}}
	h.store = h.process()
	h.clients = &client.Service{Store: client.Store{DB: h.store}, Now: h.store.Now}
	h.merging = h.service(h.store)
	storetest.StartAt(t, h.store.Clock, start)
	h.who, h.brand = h.merchant("gym")
	return h
}

// process is one more process on the same database.
func (h *house) process() *database.DB {
	h.t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(h.t, err)
	s, err := database.Open(h.t.Context(), h.dsn, database.Options{Seal: box, Sandbox: true,
		Machine:  storetest.StandingClock(),
		MaxConns: 8, Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(h.t, err)
	h.t.Cleanup(s.Close)
	return s
}

func (h *house) service(s *database.DB) *merging.Service {
	return &merging.Service{Store: merging.Store{DB: s}, Clients: h.clients, Now: s.Now}
}

func (h *house) merchant(slug string) (actor.Actor, string) {
	h.t.Helper()
	m, brand := h.store.NewID(), h.store.NewID()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, $3, $3)`, m,
		slug, start)
	h.exec(`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
		VALUES ($1, $2, $3, 'KSF', $4, $4)`, brand, m, slug, start)
	return actor.Actor{Kind: actor.User, ID: h.store.NewID(), Role: actor.Admin, MerchantID: m, Name: "Werner Louw"},
		brand.String()
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	_, err := h.store.Pool.Exec(context.Background(), sql, args...)
	must(h.t, err)
}

func (h *house) count(sql string, args ...any) (n int) {
	h.t.Helper()
	must(h.t, h.store.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

func (h *house) add(d client.Details) client.Client {
	h.t.Helper()
	c, err := h.clients.Create(h.t.Context(), h.who, client.Input{Details: d})
	must(h.t, err)
	return c
}

// two are a client and a duplicate, who have little in common.
func (h *house) two() (keep, gone client.Client) {
	return h.add(client.Details{FullName: "Thandi Nkosi", Email: "thandi@example.com", Phone: "+27821234567",
			BankAccount: "4055123456", BankCode: "632005"}),
		h.add(client.Details{FullName: "Thandi P Nkosi", Email: "t.nkosi@example.com", PersonalCode: "8001015009087",
			BankAccount: "4055999999", BankCode: "632005", StreetAddress: "1 Long Street", City: "Cape Town"})
}

// fillers write what a test does not say, by the type of a column.
var fillers = map[string]string{"uuid": "gen_random_uuid()", "text": "'x'", "int4": "1", "int8": "100", "bool": "false",
	"jsonb": "'{}'", "timestamptz": "'2026-11-20 10:00Z'", "date": "'2026-11-20'", "bytea": `'\x00'`, "tsvector": "''"}

// row adds a row of a table, in SQL; what it does not say is filled.
func (h *house) row(table string, said map[string]string) {
	h.t.Helper()
	if h.columns[table] == nil {
		h.columns[table] = map[string]string{}
		rows, err := h.store.Pool.Query(h.t.Context(), `SELECT column_name, udt_name FROM information_schema.columns
			WHERE table_schema = 'public' AND table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL`, table)
		must(h.t, err)
		var name, kind string
		_, err = pgx.ForEachRow(rows, []any{&name, &kind}, func() error {
			h.columns[table][name] = fillers[kind]
			return nil
		})
		must(h.t, err)
	}
	values := maps.Clone(h.columns[table])
	maps.Copy(values, map[string]string{"merchant_id": quoted(h.who.MerchantID)})
	maps.Copy(values, said)
	names := slices.Sorted(maps.Keys(values))
	var in []string
	for _, name := range names {
		in = append(in, values[name])
	}
	h.exec("INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(in, ", ") + ")")
}

func quoted(id uuid.UUID) string { return "'" + id.String() + "'" }

// attach gives a client so many of everything that can hang on one.
func (h *house) attach(c client.Client, luck *rand.Rand) {
	h.t.Helper()
	of, brand := quoted(c.ID), "'"+h.brand+"'"
	for range 1 + luck.IntN(3) {
		h.serial++
		id, n := quoted(h.store.NewID()), fmt.Sprint(h.serial)
		sealed := h.store.Seal.SealBytes(seal.PlaceOf("tokens", "account_sealed", h.who.MerchantID, uuid.MustParse(id[1:37])),
			[]byte("4055123456"))
		h.row("purchases", map[string]string{"id": id, "brand_id": brand, "client_id": of, "currency": "'ZAR'",
			"status":      "'" + []string{"created", "overdue", "paid"}[luck.IntN(3)] + "'",
			"total_cents": fmt.Sprint(100 + luck.IntN(100_000))})
		h.row("mandates", map[string]string{"id": id, "brand_id": brand, "client_id": of, "kind": "'eft'",
			"state": "'" + []string{"active", "suspended"}[luck.IntN(2)] + "'", "period_units": "'months'",
			"contract_reference": "'C" + n + "'"})
		h.row("tokens", map[string]string{"id": id, "brand_id": brand, "client_id": of, "mandate_id": id,
			"state": "'active'", "method": "'eft'", "account_sealed": fmt.Sprintf(`'\x%x'`, sealed)})
		h.row("collections", map[string]string{"brand_id": brand, "client_id": of, "purchase_id": id, "token_id": id,
			"mandate_id": id, "method": "'eft'", "state": "'scheduled'", "currency": "'ZAR'",
			"amount_cents": fmt.Sprint(100 + luck.IntN(100_000))})
		h.row("invoices", map[string]string{"brand_id": brand, "client_id": of, "purchase_id": id, "kind": "'invoice'",
			"year": "2026", "serial": n, "currency": "'ZAR'", "total_cents": "100"})
		h.row("billing_templates", map[string]string{"id": id, "brand_id": brand, "title": "'Gym " + n + "'",
			"period_units": "'months'", "due_units": "'days'", "currency": "'ZAR'"})
		h.row("template_clients", map[string]string{"template_id": id, "client_id": of, "status": "'active'",
			"token_id": id})
		h.row("notes", map[string]string{"client_id": of, "object_type": "'client'", "object_id": of})
		h.row("promises", map[string]string{"client_id": of, "purchase_id": id, "state": "'open'", "currency": "'ZAR'"})
		h.row("mails", map[string]string{"client_id": of, "state": "'sent'", "purchase_id": id})
		h.row("sms_messages", map[string]string{"client_id": of, "state": "'sent'", "purchase_id": id})
		h.row("sms_replies", map[string]string{"client_id": of, "provider_id": "gen_random_uuid()::text"})
		h.row("account_verifications", map[string]string{"client_id": of})
		h.row("mandates_replaced", map[string]string{"client_id": of, "mandate_id": id})
		h.row("client_requests", map[string]string{"client_id": of, "kind": "'access'", "state": "'open'"})
		h.row("plans", map[string]string{"id": id, "state": "'ended'", "version": "1"})
		h.row("plan_runs", map[string]string{"plan_id": id, "client_id": of, "purchase_id": id, "token_id": id,
			"mandate_id": id, "state": "'waiting'", "held_for": "''"})
		h.row("client_stops", map[string]string{"client_id": of, "state": "'undone'"})
		h.row("batches", map[string]string{"id": id, "brand_id": brand, "source": "'file'", "state": "'done'"})
		h.row("batch_rows", map[string]string{"batch_id": id, "client_id": of, "chosen_client": of, "state": "'ready'",
			"cells": "''"})
		h.row("batch_rows", map[string]string{"batch_id": id, "client_id": of, "n": "2", "state": "'sent'",
			"purchase_id": id, "cells": "''"})
		h.row("book_imports", map[string]string{"id": id, "brand_id": brand, "state": "'done'"})
		h.row("book_import_rows", map[string]string{"import_id": id, "client_id": of, "state": "'applied'", "cells": "''"})
		h.row("client_references", map[string]string{"reference": "'R" + n + "'", "client_id": of, "import_id": id})
		h.row("price_letters", map[string]string{"change_id": id, "template_id": id, "client_id": of})
	}
	if luck.IntN(2) == 0 {
		h.row("owners", map[string]string{"object_id": of, "object_type": "'client'"})
	}
}

func (h *house) look(keep, gone client.Client) merging.Look {
	h.t.Helper()
	l, err := h.merging.Look(h.t.Context(), h.who, keep.ID, gone.ID)
	must(h.t, err)
	return l
}

func (h *house) merge(keep, gone client.Client, chosen map[string]merging.Side) merging.Merge {
	h.t.Helper()
	m, err := h.merging.Merge(h.t.Context(), h.who, merging.Input{Keep: keep.ID, Gone: gone.ID, Chosen: chosen,
		Seen: h.look(keep, gone).Digest()})
	must(h.t, err)
	return m
}

func (h *house) get(c client.Client) client.Client {
	h.t.Helper()
	now, err := h.clients.Get(h.t.Context(), h.who, c.ID)
	must(h.t, err)
	return now
}

func wants(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.HasCode(err, code) {
		t.Errorf("%v, want %s", err, code)
	}
}

package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/calendar"
	"debitdesk/models/storetest/thorough"
	"debitdesk/models/upkeep"
)

// flip damages the last byte of a sealed value in each row of a table.
func flip(t *testing.T, h *handlertest.Server, table, column string) {
	t.Helper()
	tag, err := h.Store.Pool.Exec(t.Context(), "UPDATE "+table+" SET "+column+" = set_byte("+column+", length("+column+
		") - 1, (get_byte("+column+", length("+column+") - 1) + 1) % 256) WHERE length("+column+") > 0")
	if err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s.%s: %d rows, %v", table, column, tag.RowsAffected(), err)
	}
}

func TestAnAnswerThatIsDamagedIsNotGivenAndStopsNoErasure(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	make := func(email string) handlertest.Answer {
		return h.Call("POST", "/api/v1/clients/", map[string]any{"email": email, "full_name": "Thandi Nkosi"},
			"Authorization: Bearer "+h.A.Token, "Idempotency-Key: one")
	}
	id := make("thandi@example.com").Want(http.StatusCreated).Text("id")
	flip(t, h, "idempotency_keys", "body")
	make("thandi@example.com").Want(http.StatusBadRequest).Contains("can no longer be read")
	h.Page(h.A.Owner, "POST", "/clients/"+id+"/erasure", url.Values{"confirm": {"ERASE"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", "/clients", nil).Want(http.StatusOK).Lacks("Thandi Nkosi")
}

// damagedColumn is a column whose every value is damaged; what hears of it is in the pages, the round, or both.
type damagedColumn struct {
	column, key string
	note        string // why no list reads it
}

var damagedColumns = []damagedColumn{
	{column: "clients.bank_account_sealed", key: "id"},
	{column: "clients.personal_code_sealed", key: "id"},
	{column: "purchases.payer_sealed", key: "id"},
	{column: "tokens.account_sealed", key: "id"},
	{column: "mandate_evidence.content", key: "id", note: "lists read the names of documents alone"},
	{column: "batch_rows.cells", key: "batch_id, n"},
	{column: "batch_mends.was_sealed", key: "id", note: "only undoing a change reads it"},
	{column: "book_import_rows.cells", key: "import_id, n"},
	{column: "book_import_rows.undo_sealed", key: "import_id, n"},
	{column: "book_scans.content", key: "id", note: "only the run reads it"},
	{column: "client_merges.before_sealed", key: "id"},
	{column: "template_clients.debit_sealed", key: "id"},
	{column: "webhooks.private_key", key: "id", note: "only deliveries read it"},
	{column: "issuers.client_secret", key: "id", note: "only sign-ins read it"},
	{column: "merchant_keys.private_key", key: "merchant_id", note: "only deliveries read it"},
	{column: "users.totp_sealed", key: "id"},
	{column: "mails.body_sealed", key: "id"},
	{column: "sms_messages.text_sealed", key: "id"},
	{column: "sms_replies.text_sealed", key: "id"},
	{column: "bank_items.order_sealed", key: "id", note: "lists read the facts alone; the cut reads it"},
	{column: "bank_files_out.content", key: "id", note: "only the download and the laying out read it"},
	{column: "bank_files_in.content", key: "id", note: "only the round reads it, once"},
	{column: "list_views.query_sealed", key: "id"},
	{column: "tasks.input_sealed", key: "id"},
	{column: "task_chunks.content", key: "task_id, n", note: "only the download reads it"},
	{column: "approvals.input_sealed", key: "id"},
	{column: "selections.query_sealed", key: "id"},
	{column: "idempotency_keys.body", key: "merchant_id, is_test, key", note: "only a repeated request reads it"},
}

// Whatever is damaged, no page fails as a whole, and workers go on with everything else.
func TestEveryColumnMayBeDamagedAndNothingElseFails(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.more()
	var known []string
	for _, c := range damagedColumns {
		if known = append(known, c.column); c.column == upkeep.AnswersColumn {
			known = known[:len(known)-1]
		}
	}
	if !slices.Equal(known, upkeep.SealedColumns()) {
		t.Fatalf("the test damages %v, sealed are %v", known, upkeep.SealedColumns())
	}
	groups := thorough.Times(7, len(damagedColumns)) // columns of one table lie in different groups
	for n := range groups {
		before := t.Failed()
		var columns []string
		var undo []func()
		for at := n; at < len(damagedColumns); at += groups {
			columns = append(columns, damagedColumns[at].column)
			undo = append(undo, s.damage(damagedColumns[at]))
		}
		damaged := strings.Join(columns, ", ")
		s.each(func(method, route string) {
			if method != http.MethodGet {
				return
			}
			path := s.address(route, s.id)
			for who, got := range map[string]handlertest.Answer{
				"a program": s.Call(method, path, nil, "Authorization: Bearer "+s.A.Token, "Accept: application/json"),
				"a person":  s.Page(s.A.Owner, method, path, nil),
			} {
				if got.Status >= http.StatusInternalServerError {
					t.Errorf("%s damaged: %s as %s: %d %.300s", damaged, path, who, got.Status, s.log)
				}
			}
			s.log.Reset()
		})
		s.goesOn(damaged, n)
		for _, undo := range undo {
			undo()
		}
		if !before && t.Failed() {
			t.Logf("%s are the first that fail", damaged)
		}
	}
}

// more fills tables that no address needs.
func (s *street) more() {
	s.t.Helper()
	s.Page(s.A.Owner, "POST", "/batches/"+s.ids["/batches/"]+"/skips", url.Values{"n": {"3"}}).Want(http.StatusSeeOther)
	s.API("GET", "/public_key/", nil).Want(http.StatusOK)
	s.Call("POST", "/api/v1/clients/", map[string]any{"email": "once@example.com"}, "Authorization: Bearer "+s.A.Token,
		"Idempotency-Key: one").Want(http.StatusCreated)
	many := url.Values{"cells": {"email\nfirst.of.many@example.com\nsecond.of.many@example.com\n"}}
	for _, email := range []string{"first.of.many@example.com", "second.of.many@example.com"} {
		s.API("POST", "/clients/", map[string]any{"email": email, "full_name": "One Of Many"}).Want(http.StatusCreated)
	}
	limit := func(cents any) {
		if _, err := s.Store.Pool.Exec(s.t.Context(), `UPDATE merchants SET approve_batches_cents = $1`, cents); err != nil {
			s.t.Fatal(err)
		}
	}
	limit(1) // adding many is asked for, and kept with the request
	at := "/templates/" + s.ids["/templates/"] + "/subscribers/"
	check := s.Page(s.A.Finance, "POST", at+"check", many).Want(http.StatusOK).Body
	s.Page(s.A.Finance, "POST", at+"bulk", url.Values{"reason": {"New members."},
		"form_key": {between(check, `name="form_key" value="`, `"`)}, "rows": {between(check, `name="rows" value="`, `"`)},
	}).Want(http.StatusSeeOther)
	limit(nil)
	kept, gone := s.twins(s.t)
	s.merged(s.t, kept, gone)
	if _, err := s.Exchange.Import(s.t.Context(), s.A.Finance.Actor(), "day.json", exchangetest.Arrival()); err != nil {
		s.t.Fatal(err)
	}
}

// damage makes every value of a column one that does not open; undo brings back what was there.
func (s *street) damage(c damagedColumn) (undo func()) {
	s.t.Helper()
	table, column, _ := strings.Cut(c.column, ".")
	exec := func(sql string) int64 {
		s.t.Helper()
		tag, err := s.Store.Pool.Exec(s.t.Context(), strings.NewReplacer("#t", table, "#c", column, "#k",
			c.key).Replace(sql))
		if err != nil {
			s.t.Fatalf("%s: %v", c.column, err)
		}
		return tag.RowsAffected()
	}
	exec(`CREATE TABLE kept_of_#t_#c AS SELECT #k, #c FROM #t`)
	const garbage = ` SET #c = '\x0274312a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a'`
	if exec(`UPDATE #t`+garbage+` WHERE length(#c) > 0`) == 0 && exec(`UPDATE #t`+garbage) == 0 {
		s.t.Errorf("%s: there are no rows", c.column)
	}
	return func() {
		exec(`UPDATE #t t SET #c = k.#c FROM kept_of_#t_#c k WHERE (` + prefixed("t.", c.key) + `) = (` +
			prefixed("k.", c.key) + `)`)
		exec(`DROP TABLE kept_of_#t_#c`)
	}
}

func prefixed(by, key string) string { return by + strings.ReplaceAll(key, ", ", ", "+by) }

// goesOn lets workers come round, and looks whether what is not damaged is done.
func (s *street) goesOn(column string, n int) {
	s.t.Helper()
	client := s.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("after%d@example.com", n),
		"full_name": "After Damage"}).Want(http.StatusCreated).Text("id")
	open := s.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":100}]}}`, client, s.A.BrandID)).
		Want(http.StatusCreated).Text("id")
	s.API("POST", "/purchases/"+open+"/resend_invoice/", nil).Want(http.StatusOK)
	export, err := s.Deps.Clients.Exports.Ask(s.t.Context(), s.A.Owner.User.Actor(),
		url.Values{"list": {"clients"}, "format": {"csv"}})
	if err != nil {
		s.t.Fatal(err)
	}
	placed := len(s.Box.Placed)
	s.Submit(s.Exchange.Calendar.AddBusinessDays(calendar.DateOf(s.Store.Now()), 5), 15000, uuid.New())
	if _, err := s.Exchange.CutNow(s.t.Context(), s.A.Finance.Actor()); err != nil {
		s.t.Errorf("%s damaged: the cut: %v", column, err)
	}
	wrong := s.Round(s.t.Context())
	var mail, exported string
	if err := errors.Join(
		s.Store.Pool.QueryRow(s.t.Context(), `SELECT state FROM mails WHERE purchase_id = $1`, open).Scan(&mail),
		s.Store.Pool.QueryRow(s.t.Context(), `SELECT state FROM tasks WHERE id = $1`, export.ID.String()).Scan(&exported),
	); err != nil {
		s.t.Fatal(err)
	}
	if mail != "sent" || exported != "done" || len(s.Box.Placed) != placed+1 {
		s.t.Errorf("%s damaged: a mail is %s, an export is %s, %d files for the bank are laid out: %v", column, mail,
			exported, len(s.Box.Placed)-placed, wrong)
	}
	s.log.Reset()
}

package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/journal"
)

func (c *callers) clients() {
	c.all("POST /audit/check", func(int) ask { return ask{body: form()} }, 200) // while the chain is short
	ids := created(c.all("POST /api/v1/clients", func(i int) ask {
		return ask{body: newClient(fmt.Sprintf("c%d@example.com",
			i), i)}
	}, 201))
	c.all("PUT /api/v1/clients/:id", func(i int) ask {
		return ask{ids: ids[i : i+1],
			body: newClient(fmt.Sprintf("c%d@example.com", i), i)}
	}, 200)
	c.all("PATCH /api/v1/clients/:id", func(i int) ask {
		return ask{ids: ids[i : i+1],
			body: `{"full_name":"Thandi Zulu"}`}
	}, 200)
	c.stored(ids)
	c.all("POST /clients/:id/numbers", func(i int) ask { return ask{ids: ids[i : i+1], body: url.Values{}} }, 200)
	c.all("DELETE /api/v1/clients/:id", func(i int) ask { return ask{ids: ids[i : i+1]} }, 204)

	ids = c.redirected(c.all("POST /clients", func(i int) ask {
		return ask{body: form("full_name", "Thandi Nkosi", "email", fmt.Sprintf("d%d@example.com", i), "bank_account",
			fmt.Sprint(6200000001+i), "bank_code", "470010", "country", "ZA")}
	}, 303), "/clients/")
	versions := map[string]string{}
	for _, id := range ids {
		versions[id] = c.column(`SELECT (extract(epoch FROM updated_at) * 1000000)::bigint::text FROM clients WHERE id = $1`,
			id)[0]
	}
	c.all("POST /clients/:id", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("full_name", "Thandi Zulu", "email", fmt.Sprintf("d%d@example.com", i),
			"bank_account", fmt.Sprint(6200000001+i), "bank_code", "470010",
			"country", "ZA", "version", versions[ids[i]])}
	}, 303)
	c.stored(ids)
	digits := func(i int) string { return fmt.Sprint(6200000001 + i)[6:] }
	c.all("POST /clients/:id/account/mailing", func(i int) ask { // each client is mailed by two callers with one form
		return ask{ids: ids[i/2 : i/2+1], body: form("as_of", "", "form_key", ids[i/2])}
	}, 303, 409)
	c.all("POST /clients/:id/stop", func(i int) ask {
		return ask{ids: ids[i/2 : i/2+1], body: form("reason", "They asked for it.")}
	}, 303)
	c.all("POST /clients/:id/resumption", func(i int) ask { return ask{ids: ids[i/2 : i/2+1], body: form()} }, 303, 409)
	c.all("POST /clients/:id/merge", func(i int) ask { // each with its neighbour, some of them both ways
		return ask{ids: ids[i : i+1], body: form("with", ids[i^1], "seen", "old")}
	}, 409)
	c.all("POST /clients/:id/apart", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("with", ids[i^1], "apart", "yes")}
	}, 303)
	c.all("POST /clients/:id/separation", func(i int) ask { return ask{ids: ids[i : i+1], body: form()} }, 409)
	c.all("POST /clients/:id/deletion", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("confirm",
			digits(i))}
	}, 303)
	ids = c.newClients(many, "erased")
	c.stored(ids)
	c.all("POST /clients/:id/erasure", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("confirm", "erase", "reason", "Asked by letter")}
	}, 303)
}

// onOne has the callers do half of it to things of their own and the others to one thing.
func onOne(ids []string, i int) []string {
	if i%8 == 0 {
		i = 0
	}
	return ids[i : i+1]
}

func (c *callers) purchases() {
	clients := c.newClients(many, "buyer")
	tokens := c.stored(clients)
	charged := created(c.all("POST /api/v1/purchases", func(i int) ask {
		return ask{body: c.buying(clients[i],
			c.dueLater())}
	}, 201))
	c.all("POST /api/v1/purchases/:id/charge", func(i int) ask {
		return ask{ids: charged[i : i+1],
			body: `{"recurring_token":"` + tokens[i] + `"}`}
	}, 200)
	for c.Count(`SELECT count(*) FROM collections WHERE state IN ('submitted', 'in_tracking')`) < many {
		c.advance("12h")
	}
	c.all("POST /sandbox/collections/:purchase/result", func(i int) ask {
		return ask{ids: charged[i : i+1], body: `{"code":"00"}`}
	}, 200, 400)
	open := c.bought(clients, "")
	c.all("POST /api/v1/purchases/:id/cancel", func(i int) ask { return ask{ids: onOne(open, i)} }, 200, 400)
	c.all("POST /api/v1/purchases/:id/capture", func(i int) ask {
		return ask{ids: charged[i : i+1],
			body: `{"amount":1}`}
	}, 400)
	c.all("POST /api/v1/purchases/:id/release", func(i int) ask { return ask{ids: charged[i : i+1]} }, 400)
	paid := c.bought(clients, "")
	c.all("POST /api/v1/purchases/:id/resend_invoice", func(i int) ask { return ask{ids: onOne(paid, i)} }, 200, 400)
	c.all("POST /api/v1/purchases/:id/mark_as_paid", func(i int) ask { return ask{ids: onOne(paid, i)} }, 200, 400)
	c.all("POST /api/v1/purchases/:id/refund", func(i int) ask { return ask{ids: onOne(paid, i), body: `{"amount":100}`} },
		200, 400)
	c.purchasePages(clients, tokens)
}

func (c *callers) purchasePages(clients, tokens []string) {
	today := calendar.DateOf(c.Store.Now())
	day := c.Purchases.Calendar.AddBusinessDays(today, 8).String()
	fields := func(i int) url.Values {
		return form("client_id", clients[i], "name", "Gym", "price", "100,00", "quantity", "1", "way", "charge",
			"recurring_token", tokens[i], "due", day)
	}
	c.all("POST /purchases/preview", func(i int) ask { return ask{body: fields(i)} }, 200)
	ids := c.redirected(c.all("POST /purchases", func(i int) ask { return ask{body: fields(i)} }, 303), "/purchases/")
	c.all("POST /purchases/:id/cancellation", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} }, 303)
	ids = c.bought(clients, "")
	c.all("POST /purchases/:id/address", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("email", fmt.Sprintf("moved%d@example.com", i))}
	}, 303)
	c.all("POST /purchases/:id/mail", func(i int) ask { return ask{ids: ids[i : i+1], body: form()} }, 303)
	c.all("POST /purchases/:id/charge", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("recurring_token", onOne(tokens, i)[0], "due", day)}
	}, 303, 422)
	ids = c.bought(clients, "")
	c.all("POST /purchases/:id/payment", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("paid_on",
			today.String())}
	}, 303)
	c.all("POST /purchases/:id/refund", func(i int) ask { return ask{ids: onOne(ids, i), body: form("amount", "1")} }, 303)
	c.all("POST /purchases/:id/withdrawal", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} }, 303, 422)
	c.all("POST /purchases/:id/settlement", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} }, 303)
	ids = c.bought(clients, "")
	c.all("POST /purchases/:id/payment/return", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} }, 303, 422)
	c.all("POST /calendar/holidays", func(int) ask { // a day of all businesses, of which there are two
		return ask{body: form("day", today.AddDays(60).String(), "name", "Day of mourning")}
	}, 403)
	c.all("POST /calendar/holidays/moves", func(int) ask {
		return ask{body: form("day", today.AddDays(60).String())}
	}, 303)
}

func (c *callers) payers() {
	clients := c.newClients(many, "payer")
	open := created(atOnce(many, func(i int) handlertest.Answer {
		return c.API("POST", "/purchases/",
			fmt.Sprintf(`{"client":{"email":"link%d@example.com","full_name":"Thandi Nkosi"},"brand_id":%q,
				"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"m","price":0}]}}`,
				i, c.A.BrandID))
	}))
	c.all("POST /p/:id", func(i int) ask {
		return ask{ids: onOne(open, i), body: url.Values{"full_name": {"Thandi Nkosi"}, "id_number": {"8501015000085"},
			"phone": {"082 123 4567"}, "bank_code": {"470010"},
			"account_number": {"1234567890"}, "account_type": {"SAVINGS"}, "consent": {"yes"}}}
	}, 303, 409, 422)
	template := c.plan("Of payers")
	for _, a := range atOnce(many, func(i int) handlertest.Answer {
		return c.API("POST", "/billing_templates/"+template+"/add_subscriber/", fmt.Sprintf(`{"client_id":%q}`, clients[i]))
	}) {
		a.Want(200)
	}
	first := c.column(`SELECT first_purchase_id::text FROM template_clients WHERE template_id = $1`, template)
	c.all("POST /p/:id/subscription", func(i int) ask {
		return ask{ids: onOne(first, i),
			body: url.Values{"confirm": {"yes"}}}
	}, 303, 409)
}

func (c *callers) tokens() {
	clients := c.newClients(many, "holder")
	ids := c.stored(clients)
	c.all("DELETE /api/v1/clients/:id/recurring_tokens/:token_id", func(i int) ask {
		return ask{ids: []string{clients[i],
			ids[i]}}
	}, 204)
	for _, at := range []string{"POST /api/v1/purchases/:id/delete_recurring_token",
		"POST /purchases/:id/delete_recurring_token"} {
		ids = c.stored(clients)
		c.all(at, func(i int) ask { return ask{ids: onOne(ids, i)} }, 200, 400, 404)
	}
	ids = c.stored(clients)
	digits := func(i int) string { return fmt.Sprint(6200000001 + i)[6:] }
	aside := func() []string {
		c.all("POST /tokens/deletion", func(i int) ask {
			return ask{body: url.Values{"id": {ids[i]},
				"confirm": {digits(i)}}}
		}, 303)
		byToken := map[string]string{}
		for _, pair := range c.column(`SELECT token || ' ' || id::text
			FROM token_deletions, jsonb_object_keys(tokens) AS token WHERE state = 'waiting'`) {
			token, deletion, _ := strings.Cut(pair, " ")
			byToken[token] = deletion
		}
		out := make([]string, many)
		for i, id := range ids {
			out[i] = byToken[id]
		}
		return out
	}
	deletions := aside()
	c.all("POST /tokens/deletions/:id/undo", func(i int) ask { return ask{ids: deletions[i : i+1], body: url.Values{}} },
		303)
	deletions = aside()
	c.all("POST /tokens/deletions/:id/now", func(i int) ask {
		return ask{ids: deletions[i : i+1], body: url.Values{"token": {ids[i]}, "confirm": {digits(i)}}}
	}, 303)

	c.all("POST /clients/:id/accounts/link", func(i int) ask {
		return ask{ids: onOne(clients, i), body: form("mail",
			"yes")}
	}, 303)
	c.all("POST /clients/:id/accounts", func(i int) ask {
		body, kind := upload(c.signed(i), "scan", "signed.png", onePixel)
		return ask{ids: clients[i : i+1], body: body, headers: []string{kind}}
	}, 303)
}

// signed is the form of a mandate on paper.
func (c *callers) signed(i int) map[string]string {
	return map[string]string{"form_key": uuid.NewString(), "full_name": "Thandi Nkosi", "bank_code": "470010",
		"account_number": fmt.Sprint(6300000001 + i), "account_type": "CURRENT",
		"signed_on": calendar.DateOf(c.Store.Now()).AddDays(-3).String(), "consent": "yes"}
}

func (c *callers) amendments() {
	clients := c.newClients(many, "mover")
	tokens := c.stored(clients)
	c.all("POST /mandates/:id/evidence", func(i int) ask { // three documents, each many times
		body, kind := upload(map[string]string{"form_key": uuid.NewString()}, "scan", "signed.pdf",
			fmt.Sprintf("%%PDF-1.7 %d", i%3))
		return ask{ids: tokens[:1], body: body, headers: []string{kind}}
	}, 303)
	if n := c.Count(`SELECT count(*) FROM mandate_evidence WHERE mandate_id = $1`, tokens[0]); n != 3 {
		c.t.Errorf("%d documents are kept, want 3", n)
	}
	begin := func() []string {
		return c.redirected(c.all("POST /tokens/:id/amendment", func(i int) ask {
			return ask{ids: tokens[i : i+1], body: form("method", "eft", "period_units", "months", "deduction_day", "25")}
		}, 303), "/amendments/")
	}
	ids := begin()
	c.all("POST /amendments/:id/abandonment", func(i int) ask { return ask{ids: ids[i : i+1], body: url.Values{}} }, 303)
	ids = begin()
	c.all("POST /amendments/:id/account", func(i int) ask {
		body, kind := upload(c.signed(i), "scan", "signed.png", onePixel)
		return ask{ids: ids[i : i+1], body: body, headers: []string{kind}}
	}, 303)
	c.all("POST /amendments/:id/takeover", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("count", "0", "cents", "0", "consent", "yes")}
	}, 303, 409)
}

func (c *callers) mandates() {
	clients := created(atOnce(many, func(i int) handlertest.Answer {
		client := newClient(fmt.Sprintf("asked%d@example.com", i), i)
		client["bank_account"], client["bank_code"] = fmt.Sprintf("40%04d8480", i),
			"632005" // nobody answers by himself for some minutes
		return c.API("POST", "/clients/", client)
	}))
	fields := func(i int) url.Values {
		return form("method", "debicheck", "client_id", clients[i], "name", "Gym membership", "price", "R 100", "value_type",
			"VARIABLE", "max_amount_cents", "150,00", "debit_sequence", "RCUR",
			"adjustment_category", "NEVER", "period_units", "months", "deduction_day", "25", "deduction_weekday", "5", "first",
			"day", "authentication_type", "REALTIME", "verify_account", "yes")
	}
	c.all("POST /mandates/preview", func(i int) ask { return ask{body: fields(i)} }, 200)
	ids := c.redirected(c.all("POST /mandates", func(i int) ask { return ask{body: fields(i)} }, 303), "/mandates/")
	c.advance("2s")
	c.all("POST /sandbox/mandates/:purchase/answer", func(i int) ask {
		return ask{ids: []string{ids[i-i%2]},
			body: `{"answer":"accept"}`}
	}, 200, 400)
	c.advance("96h") // nobody answered for the others
	c.all("POST /mandates/:id/authentications", func(i int) ask {
		return ask{ids: []string{ids[i|1]},
			body: url.Values{"method": {"DELAYED"}}}
	}, 303, 409)
}

func (c *callers) billing() {
	clients := c.newClients(many, "billed")
	due := c.Store.Now().Add(9 * 24 * time.Hour).Unix()
	for _, at := range []string{"POST /api/v1/billing", "POST /billing"} {
		c.all(at, func(i int) ask { // the same clients in another order
			a, b := clients[i], clients[(i+1)%many]
			if i%2 == 0 {
				a, b = b, a
			}
			return ask{body: fmt.Sprintf(`{"brand_id":%q,"title":"","is_subscription":false,"due":%d,
				"purchase":{"products":[{"name":"m","price":100}]},"clients":[{"client_id":%q},{"client_id":%q}]}`,
				c.A.BrandID, due, a, b)}
		}, 200)
	}
}

func (c *callers) tasks() {
	c.all("POST /tasks/exports", func(int) ask { return ask{body: form("list", "clients", "format", "csv")} }, 303)
	ids := c.column(`SELECT id::text FROM tasks ORDER BY id DESC LIMIT 64`)
	c.all("POST /tasks/:id/cancellation", func(i int) ask { return ask{ids: onOne(ids, i), body: url.Values{}} }, 303, 409)
	for _, id := range ids { // a business has few tasks at once
		c.Page(c.A.Owner, "POST", "/tasks/"+id+"/cancellation", url.Values{})
	}
	c.all("POST /settings/book", func(int) ask { return ask{body: form()} }, 303)
	for _, id := range c.column(`SELECT id::text FROM tasks WHERE kind = 'book'`) {
		c.Page(c.A.Owner, "POST", "/tasks/"+id+"/cancellation", url.Values{})
	}
	c.all("POST /settings/book/numbers", func(int) ask { return ask{body: form("reason", "We move out.")} }, 303, 409)
}

// selections are chosen and acted on by many at once, each their own and all the same one.
func (c *callers) selections() {
	var ids []string
	for range 4 {
		ids = append(
			ids,
			c.API("POST", "/purchases/", map[string]any{"client_id": c.ids["/clients/"], "brand_id": c.A.BrandID,
				"purchase": map[string]any{"products": []any{map[string]any{"name": "m", "price": 100}}}}).Want(201).Text("id"),
		)
	}
	c.all("POST /selections", func(i int) ask { return ask{body: form("list", "purchases", "id", ids[i%len(ids)])} }, 303)
	sel := c.column(`SELECT id::text FROM selections ORDER BY id DESC LIMIT 1`)[0]
	page := c.Page(c.A.Owner, "GET", "/selections/"+sel+"/cancel", nil).Body
	c.all("POST /selections/:id/:act", func(int) ask {
		return ask{ids: []string{sel, "cancel"}, body: form("seen", between(page, `name="seen" value="`, `"`))}
	}, 303, 409)
}

func (c *callers) lists() {
	about := []string{"list", "/clients", "back", "q=a"}
	save := func(more ...string) func(int) ask {
		return func(int) ask { return ask{body: form(append(slices.Clone(about), more...)...)} }
	}
	c.all("POST /lists/settings", save("order", "phone", "shown", "phone", "rows", "25"), 303)
	c.all("POST /lists/views", save("name", "A", "query", "q=a", "shared", "1"), 303)
	ids := c.column(`SELECT id::text FROM list_views WHERE shared ORDER BY id LIMIT 64`)
	on := func(more ...string) func(int) ask {
		return func(i int) ask {
			return ask{ids: ids[i%len(ids):][:1], body: form(append(slices.Clone(about), more...)...)}
		}
	}
	c.all("POST /lists/views/:id", on("name", "B", "shared", "1"), 303)
	c.all("POST /lists/views/:id/replacement", on("query", "q=b"), 303)
	c.all("POST /lists/views/:id/pin", on("pinned", "1"), 303)
	c.all("POST /lists/views/:id/deletion", on(), 303, 404)
	c.all("POST /lists/views/:id/restoration", on(), 303, 404)
	c.all("POST /reports/saved", func(int) ask {
		return ask{body: form("name", "How it went", "period", "month", "than", "before", "monthly", "1")}
	}, 303, 409)
	kept := c.column(`SELECT id::text FROM saved_reports WHERE merchant_id = '` + c.A.ID.String() + `'`)
	report := func(i int) ask { return ask{ids: onOne(kept, i), body: form("monthly", "1")} }
	c.all("POST /reports/saved/:id/mail", report, 303)
	c.all("POST /reports/saved/:id/deletion", report, 303, 404)
}

func (c *callers) followups() {
	clients := c.newClients(many, "followed")
	c.all("POST /clients/:id/notes", func(i int) ask {
		return ask{
			ids:  onOne(clients, i),
			body: form("do", "promise", "amount", "10", "due_on", calendar.DateOf(c.Store.Now()).String()),
		}
	}, 303)
	for _, table := range []string{"purchases", "mandates", "tokens"} {
		ids := c.column(
			`SELECT id::text FROM ` + table + ` WHERE merchant_id = '` + c.A.ID.String() + `' AND client_id IS NOT NULL
			ORDER BY id DESC LIMIT 64`,
		)
		c.all("POST /"+table+"/:id/notes", func(i int) ask {
			return ask{ids: onOne(ids, i), body: form("do", "note", "text", "Called")}
		}, 303)
	}
	ids := c.column(`SELECT id::text FROM promises ORDER BY id DESC LIMIT 64`)
	c.all("POST /attention", func(i int) ask {
		return ask{body: url.Values{"kind": {"promise"}, "id": ids, "do": {"note"}, "text": {"Called"}}}
	}, 303)
	c.all("POST /attention/:id", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("kind", "promise", "do", "close", "reason", "agreed")}
	}, 303)
	c.all("POST /attention/:id/undo", func(i int) ask { return ask{ids: onOne(ids, i), body: url.Values{}} }, 303)
}

func (c *callers) statements() {
	ids := created(c.all("POST /api/v1/company_statements", func(int) ask {
		return ask{query: "currency=ZAR", body: `{"format":"csv","timezone":"Africa/Johannesburg"}`}
	}, 201))
	c.all("POST /api/v1/company_statements/:id/cancel", func(i int) ask { return ask{ids: onOne(ids, i)} }, 200, 400)
	c.all("POST /reports/statements", func(int) ask {
		return ask{body: form("format", "csv", "currency", "ZAR", "period_from", "2026-01-01", "period_to", "2026-01-31")}
	}, 303)
	ids = c.column(`SELECT id::text FROM company_statements WHERE status = 'pending' ORDER BY id DESC LIMIT 64`)
	c.all("POST /reports/statements/:id/cancellation", func(i int) ask {
		return ask{ids: onOne(ids, i),
			body: url.Values{}}
	}, 303, 409)
}

func (c *callers) books() {
	c.all("POST /books/export", func(int) ask {
		return ask{body: form("format", "csv", "currency", "ZAR", "from", "2020-01-01", "to", "2090-01-31", "by", "day")}
	}, 200)
	accounts := url.Values{"year_starts": {"3"}, "tax_rate": {"No VAT"}, "sales_tax": {"Standard Rate Sales"}}
	for _, r := range journal.Used {
		accounts.Set("code-"+string(r), "A"+string(r))
		accounts.Set("name-"+string(r), "Account of "+string(r))
	}
	c.all("POST /books/accounts", func(int) ask { return ask{body: accounts} }, 303)
	c.all("POST /books/vat/basis", func(int) ask {
		return ask{body: form("basis", "payments", "from", "2090-01-01")}
	}, 303)
	id := created(atOnce(1, func(int) handlertest.Answer {
		return c.API("POST", "/purchases/", c.buying(c.ids["/clients/"], ""))
	}))
	c.API("POST", "/purchases/"+id[0]+"/resend_invoice/", nil).Want(200)
	c.all("POST /purchases/:id/write-off", func(int) ask {
		return ask{ids: id, body: form("reason", "They cannot pay.")}
	}, 303)
	c.all("POST /books/fees", func(int) ask {
		return ask{body: form("kind", "fee", "day", calendar.DateOf(c.Store.Now()).String(), "gross", "6,90", "what",
			"Service")}
	}, 303)
	fees := c.column(`SELECT id::text FROM book_records ORDER BY id`)
	c.all("POST /books/fees/:id/undoing", func(i int) ask {
		return ask{ids: onOne(fees, i), body: form("reason", "It was typed twice.")}
	}, 303)
	c.exec(`INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency)
		SELECT merchant_id, 'invoice', gen_random_uuid(), id, gen_random_uuid(), '2026-01-05', created_at, 'ZAR' FROM brands
		WHERE id = $1`, c.A.BrandID.String())
	c.all("POST /books/closing", func(int) ask { return ask{body: form("month", "2026-02")} }, 303, 409)
	ids := c.column(`SELECT id::text FROM book_closings WHERE reopened_at IS NULL ORDER BY month DESC`)
	c.all("POST /books/closings/:id/reopening", func(int) ask {
		return ask{ids: ids[:1], body: form("reason", "The accountant asked.")}
	}, 303, 409)
	c.exec(`DELETE FROM journal_entries WHERE true_day = '2026-01-05'`)
}

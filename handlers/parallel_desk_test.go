package handlers_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/approval"
	"debitdesk/models/calendar"
)

func (c *callers) planBody(title string, subscription bool) string {
	more := fmt.Sprintf(`"is_subscription":false,"due":%s`, strings.TrimPrefix(c.dueLater(), `,"due":`))
	if subscription {
		more = `"is_subscription":true,"subscription_period":1,"subscription_period_units":"months",
			"subscription_due_period":7,"subscription_due_period_units":"days"`
	}
	return fmt.Sprintf(`{"title":%q,"brand_id":%q,%s,
		"purchase":{"currency":"ZAR","products":[{"name":"Gym","price":45000}]}}`, title, c.A.BrandID, more)
}

// plan is a subscription of its own.
func (c *callers) plan(title string) string {
	c.t.Helper()
	return c.API("POST", "/billing_templates/", c.planBody(title, true)).Want(201).Text("id")
}

func (c *callers) templates() {
	for n, root := range []string{"/api/v1/billing_templates", "/billing_templates"} {
		clients := c.newClients(many, fmt.Sprintf("subscriber%d-", n))
		c.stored(clients)
		ids := created(c.all("POST "+root, func(i int) ask { return ask{body: c.planBody(fmt.Sprint("T", i), true)} }, 201))
		c.all("PUT "+root+"/:id", func(i int) ask {
			return ask{ids: onOne(ids, i), body: c.planBody(fmt.Sprint("U", i),
				true)}
		}, 200, 400)
		c.all("POST "+root+"/:id/add_subscriber", func(i int) ask {
			return ask{ids: ids[:1],
				body: fmt.Sprintf(`{"client_id":%q}`, clients[i])}
		}, 200)
		subscribers := c.column(`SELECT id::text FROM template_clients WHERE template_id = $1`, ids[0])
		c.all("PATCH "+root+"/:id/clients/:btc_id", func(i int) ask {
			return ask{ids: []string{ids[0], onOne(subscribers, i)[0]}, body: `{"send_receipt":false}`}
		}, 200, 400)
		c.all("PATCH "+root+"/clients/:btc_id", func(i int) ask {
			return ask{ids: onOne(subscribers, i),
				body: `{"invoice_reference":"R1"}`}
		}, 200, 400)
		invoice := c.API("POST", "/billing_templates/", c.planBody("Once", false)).Want(201).Text("id")
		c.all("POST "+root+"/:id/send_invoice", func(i int) ask {
			return ask{ids: []string{invoice},
				body: fmt.Sprintf(`{"client_id":%q}`, clients[i])}
		}, 200)
		c.all("DELETE "+root+"/:id", func(i int) ask { return ask{ids: onOne(ids, i)} }, 204, 404)
	}
	c.templatePages()
}

// planForm is the form of a monthly subscription as a browser sends it.
func planForm(title string, more ...string) url.Values {
	f := form("kind", "subscription", "title", title, "name", "Membership", "price", "649,00", "quantity", "1",
		"tax_percent", "", "subscription_period", "1", "subscription_period_units", "months",
		"subscription_due_period", "7", "subscription_due_period_units", "days", "subscription_charge_period_end", "no",
		"subscription_trial_periods", "0", "number_of_billing_cycles", "",
		"start", "2099-01-31", "method", "eft", "force_recurring", "yes")
	for i := 0; i+1 < len(more); i += 2 {
		f.Set(more[i], more[i+1])
	}
	return f
}

func (c *callers) templatePages() {
	clients := c.newClients(many, "member")
	c.stored(clients)
	c.all("POST /templates/preview", func(i int) ask { return ask{body: planForm("x")} }, 200)
	ids := c.redirected(c.all("POST /templates", func(i int) ask { return ask{body: planForm(fmt.Sprint("Plan ", i))} },
		303),
		"/templates/")
	c.all("POST /templates/:id/edit", func(i int) ask {
		return ask{ids: onOne(ids, i), body: planForm(fmt.Sprint("Edited ", i), "version", "1")}
	}, 303, 409)
	at := ids[0]
	c.all("POST /templates/:id/subscribers", func(i int) ask {
		return ask{ids: []string{at}, body: form("client_id", clients[i], "send_receipt", "yes")}
	}, 303)
	subscribers := c.column(`SELECT id::text FROM template_clients WHERE template_id = $1`, at)
	sub := func(i int) []string { return []string{at, onOne(subscribers, i)[0]} }
	c.all("POST /templates/:id/subscribers/:sid/edit", func(i int) ask {
		return ask{ids: sub(i), body: form("total_override", "500,00", "invoice_reference", fmt.Sprint("M-", i))}
	}, 303, 409)
	c.all("POST /templates/:id/subscribers/:sid/pause", func(i int) ask {
		return ask{ids: sub(i), body: form("paused", []string{"yes", "no"}[i%2])}
	}, 303, 409)
	c.all("POST /templates/:id/pause", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("paused",
			[]string{"yes", "no"}[i%2])}
	}, 303, 409)
	c.all("POST /templates/:id/price", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("price-0", fmt.Sprint(500+i), "from", "2027-06-01")}
	}, 200, 409)
	c.all("POST /templates/:id/subscribers/:sid/removal", func(i int) ask { return ask{ids: sub(i), body: form()} }, 303,
		409)

	at = ids[1]
	rows := func(i int) string {
		return fmt.Sprintf("email;first date;reference\nmember%d@example.com;;A-%d\n", i, i)
	}
	checks := c.all("POST /templates/:id/subscribers/check", func(i int) ask {
		body, kind := upload(map[string]string{"cells": rows(i)}, "file", "rows.csv", rows(i))
		return ask{ids: []string{at}, body: body, headers: []string{kind}}
	}, 200)
	c.all("POST /templates/:id/subscribers/bulk", func(i int) ask {
		return ask{ids: []string{at}, body: form("rows", between(checks[i].Body, `name="rows" value="`, `"`))}
	}, 200)
	pending := c.redirected(atOnce(1, func(int) handlertest.Answer {
		return c.Page(c.A.Owner, "POST", "/templates", planForm("Pending", "method", "debicheck"))
	}), "/templates/")[0]
	fresh := created(atOnce(few, func(i int) handlertest.Answer {
		return c.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("pending%d@example.com", i),
			"full_name": "Sipho Dube"})
	}))
	atOnce(few, func(i int) handlertest.Answer {
		return c.Page(c.A.Owner, "POST", "/templates/"+pending+"/subscribers", form("client_id", fresh[i]))
	})
	waiting := c.column(`SELECT id::text FROM template_clients WHERE template_id = $1 AND status = 'pending'`, pending)
	c.all("POST /templates/:id/subscribers/:sid/reminder", func(i int) ask {
		return ask{ids: []string{pending,
			waiting[i%few]}, body: form()}
	}, 303, 409)
	c.exec(`UPDATE template_clients SET created_at = created_at - interval '40 days', reminded_at = NULL
		WHERE template_id = $1`, pending)
	c.all("POST /templates/:id/pending", func(i int) ask {
		return ask{ids: []string{pending}, body: form("act", []string{"remind", "remove"}[i%2], "count",
			strconv.Itoa(len(waiting)))}
	}, 303, 409)
	invoice := c.redirected(atOnce(1, func(int) handlertest.Answer {
		return c.Page(c.A.Owner, "POST", "/templates", planForm("Key", "kind", "invoice", "due", "2099-03-01", "method",
			"any", "force_recurring", ""))
	}), "/templates/")[0]
	c.all("POST /templates/:id/invoice", func(i int) ask {
		return ask{ids: []string{invoice}, body: form("client_id",
			clients[i])}
	}, 303)
	c.all("POST /templates/:id/deletion", func(i int) ask {
		return ask{ids: onOne(ids[2:], i%(many-2)),
			body: form("confirm", "0")}
	}, 303, 404)
}

func (c *callers) hooks() {
	body := func(i int) string {
		return fmt.Sprintf(`{"title":"Books %d","callback":"https://example.com/x%d","all_events":true}`, i, i)
	}
	ids := created(c.times(few, "POST /api/v1/webhooks", func(i int) ask { return ask{body: body(i)} },
		201)) // each makes a pair of keys
	of := func(i int) []string { return ids[i%few : i%few+1] }
	c.all("PUT /api/v1/webhooks/:id", func(i int) ask { return ask{ids: of(i), body: body(i)} }, 200, 400)
	c.all("PATCH /api/v1/webhooks/:id", func(i int) ask { return ask{ids: of(i), body: `{"title":"Stock"}`} }, 200, 400)
	sent := created(c.all("POST /api/v1/webhooks/:id/test", func(i int) ask { return ask{ids: of(i)} }, 200))
	since := c.Store.Now()
	c.API("POST", "/clients/", newClient("told@example.com", 0)).Want(201)
	c.plan("Told")
	c.all("POST /api/v1/webhooks/deliveries/:id/resend", func(i int) ask { return ask{ids: onOne(sent, i)} }, 200)
	c.all("POST /developers/webhooks/deliveries/:id/resend", func(i int) ask {
		return ask{ids: onOne(sent, i),
			body: form()}
	}, 303)
	c.all("POST /api/v1/webhooks/:id/resend", func(i int) ask {
		return ask{ids: of(i), body: fmt.Sprintf(`{"since":%d}`,
			since.Unix())}
	}, 200, 400)
	c.all("POST /developers/webhooks/:id/resend", func(i int) ask {
		return ask{ids: of(i), body: form("since", since.In(calendar.SAST).Format("2006-01-02T15:04:05"))}
	}, 303, 409)
	c.all("DELETE /api/v1/webhooks/:id", func(i int) ask { return ask{ids: of(i)} }, 204, 404)
	fields := func(i int) url.Values {
		return form("title", fmt.Sprint("Stock ", i), "callback", "https://example.com/y", "which", "all")
	}
	c.times(few, "POST /developers/webhooks", func(i int) ask { return ask{body: fields(i)} }, 303)
	ids = c.column(`SELECT id::text FROM webhooks WHERE merchant_id = $1 AND title LIKE 'Stock %'`, c.A.ID)
	c.all("POST /developers/webhooks/:id", func(i int) ask { return ask{ids: of(i), body: fields(i)} }, 303, 409)
	c.all("POST /developers/webhooks/:id/test", func(i int) ask { return ask{ids: of(i), body: form()} }, 303)
	c.all("POST /developers/webhooks/:id/deletion", func(i int) ask {
		return ask{ids: of(i), body: form("confirm", of(i)[0][len(of(i)[0])-4:])}
	}, 303, 404)
}

func (c *callers) batches() {
	const sheet = "email;full name;amount;due;description\na%d@x.example;Anna;100,00;2099-03-01;Levy\n" +
		"b%d@x.example;Ben;9999,00;2099-03-01;Levy\nb%d@x.example;Ben;90,00;2099-03-01;Levy\n"
	ids := c.redirected(c.all("POST /batches", func(i int) ask {
		body, kind := upload(map[string]string{"form_key": uuid.NewString(), "brand_id": c.A.BrandID.String()}, "file",
			"march.csv", fmt.Sprintf(sheet, i, i, i))
		return ask{body: body, headers: []string{kind}}
	}, 303), "/batches/")
	c.all("POST /batches/:id/map", func(i int) ask {
		return ask{ids: ids[i : i+1], body: form("column_0", "email", "column_1", "full_name", "column_2", "amount",
			"column_3", "due", "column_4", "product")}
	}, 303)
	c.all("POST /batches/:id/decisions", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("n", "2", "revision", "0", "decision", "create")}
	}, 303, 409)
	c.all("POST /batches/:id/fixes", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("cause", "unknown_client", "column", "1", "choice", "create")}
	}, 303, 409)
	c.all("POST /batches/:id/amounts", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("amount",
			"3:999900")}
	}, 303, 409)
	c.all("POST /batches/:id/skips", func(i int) ask { return ask{ids: onOne(ids, i), body: form("n", "4")} }, 303, 409)
	c.all("POST /batches/:id/restores", func(i int) ask { return ask{ids: onOne(ids, i), body: form("n", "4")} }, 303, 409)
	c.all("POST /batches/:id/cells", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("n", "2", "column", "1", "text", fmt.Sprint("Anna ", i))}
	}, 303, 409)
	mends := c.column(`SELECT id::text FROM batch_mends WHERE batch_id::text = $1 ORDER BY revision DESC LIMIT 1`, ids[0])
	c.all("POST /batches/:id/undo", func(int) ask { return ask{ids: ids[:1], body: form("change", mends[0])} }, 303, 409)
	drafts := c.redirected(c.all("POST /batches/paste", func(i int) ask {
		return ask{body: form("brand_id", c.A.BrandID.String(), "cells",
			fmt.Sprintf("email\tamount\tdue\tdescription\nbilled%d@example.com\t100\t2099-03-01\tLevy\n", i))}
	}, 303), "/batches/")
	c.all("POST /batches/:id/discard", func(i int) ask { return ask{ids: onOne(drafts, i), body: form()} }, 303, 404, 409)
	c.all("POST /batches/clients", func(i int) ask {
		return ask{body: form("brand_id", c.A.BrandID.String(), "q", fmt.Sprintf("billed%d@example.com", i), "amount",
			"100,00", "due", "2099-03-01", "description", "Levy")}
	}, 303)
	seen := make([]url.Values, many)
	for i, id := range ids {
		b, err := c.Batches.Get(c.t.Context(), c.A.Actor, uuid.MustParse(id))
		if err != nil {
			c.t.Fatal(err)
		}
		seen[i] = form("rows", strconv.Itoa(b.Counts.Ready), "cents", strconv.FormatInt(b.Counts.ReadyCents, 10),
			"fingerprint", b.Seal(), "revision", strconv.Itoa(b.Revision), "warnings", "yes", "good_only", "yes")
	}
	c.all("POST /batches/:id/start", func(i int) ask {
		if i%8 == 0 {
			i = 0
		}
		return ask{ids: ids[i : i+1], body: seen[i]}
	}, 303, 409)
	c.all("POST /batches/:id/turns", func(i int) ask {
		return ask{ids: onOne(ids, i), body: form("turn", []string{"pause",
			"stop"}[i%2])}
	}, 303, 409)
	c.all("POST /batches/:id/voiding", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} }, 303, 409)
}

func (c *callers) approvals() {
	clients := c.newClients(many, "approved")
	for _, at := range []string{"POST /approvals/:id/decision", "POST /approvals/:id/withdrawal"} {
		var ids []string
		for _, token := range c.stored(clients) {
			request, err := c.Approvals.Ask(c.t.Context(), c.A.Actor, approval.DeleteTokens,
				approval.Subject{Tokens: []uuid.UUID{uuid.MustParse(token)}}, "gone")
			if err != nil {
				c.t.Fatal(err)
			}
			ids = append(ids, request.ID.String())
		}
		c.all(at, func(i int) ask {
			if strings.HasSuffix(at, "withdrawal") {
				return ask{ids: onOne(ids, i), body: url.Values{}}
			}
			if i%2 == 0 {
				return ask{ids: onOne(ids, i), who: &c.A.Finance, body: url.Values{"answer": {"no"}, "words": {"Not yet"}}}
			}
			return ask{ids: onOne(ids, i), who: &c.A.Finance, body: url.Values{"answer": {"yes"}, "tokens": {"1"},
				"waiting": {"0"}, "cents": {"0"}}}
		}, 303, 409)
	}
	c.all("POST /settings/approvals", func(i int) ask {
		return ask{body: url.Values{"batches": {"yes"}, "batches_above": {fmt.Sprint(50000 - i)}}}
	}, 303, 422) // to ask for less needs a second person
}

package handlers_test

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/calendar"
)

// bankFiles has everybody act on the same files, findings and movements at once: one is first, the others are told so.
func (c *callers) bankFiles() {
	today := calendar.DateOf(c.Store.Now())
	later := c.Exchange.Calendar.AddBusinessDays(today, 5)
	one := func(id string) func(int) ask { return func(int) ask { return ask{ids: []string{id}, body: form()} } }
	c.Submit(later, 12300, uuid.New(), uuid.New())
	before := c.column(`SELECT id FROM bank_files_out`)
	c.all("POST /bank/cut", func(int) ask { return ask{body: form()} }, 303)
	made := slices.DeleteFunc(c.column(`SELECT id FROM bank_files_out`),
		func(id string) bool { return slices.Contains(before, id) })
	if len(made) != 1 || c.Count(`SELECT count(*) FROM bank_items WHERE message_id = $1`, made[0]) != 2 {
		c.t.Fatalf("many cuts at once made %v", made)
	}
	file := made[0]
	c.Run()
	c.all("POST /bank/files/:id/download", one(file), 200)
	c.all("POST /bank/files/:id/download/:form", func(int) ask {
		return ask{ids: []string{file, "acb"}, body: form()}
	}, 200)
	c.all("POST /bank/files/:id/taken", one(file), 303)
	c.all("POST /bank/files/:id/again", one(file), 303)
	c.Run()
	c.all("POST /bank/files/:id/confirmation", one(file), 303)
	refused := exchange.Event{Kind: exchange.OnMessage, MessageID: file, Status: "RJCT"}
	c.all("POST /bank/import", func(i int) ask {
		body, kind := upload(nil, "file", fmt.Sprintf("answer-%d.json", i%3), string(exchangetest.Arrival(refused))+
			fmt.Sprintf("%*s", i%3, ""))
		return ask{body: body, headers: []string{kind}}
	}, 303)
	c.all("POST /bank/import/trial", func(int) ask {
		body, kind := upload(nil, "file", "answer.json", string(exchangetest.Arrival(refused)))
		return ask{body: body, headers: []string{kind}}
	}, 200)
	kept := c.column(`SELECT id::text FROM bank_files_in WHERE merchant_id = $1 LIMIT 1`, c.A.ID)
	c.all("POST /bank/received/:id/trial", one(kept[0]), 200)
	body, kind := upload(nil, "file", "broken.json", "nonsense")
	c.Call("POST", "/bank/import", body, kind, "Cookie: "+c.A.Finance.Cookie, "Sec-Fetch-Site: same-origin").Want(303)
	broken := c.column(`SELECT id::text FROM bank_findings WHERE kind = 'unreadable' AND closed_at IS NULL
		AND merchant_id = $1`, c.A.ID)
	c.all("POST /bank/findings/:id/reading", one(broken[0]), 303)
	c.all("POST /bank/files/:id/replacement", one(file), 303)
	c.all("POST /bank/files/:id/dropping", one(file), 303)
	if n := c.Count(`SELECT count(*) FROM bank_items WHERE state = 'waiting' AND amount_cents = 12300`); n != 2 {
		c.t.Errorf("%d of 2 refused debits wait for the next file", n)
	}
	if _, err := c.Store.Pool.Exec(c.t.Context(), `UPDATE merchants SET approve_files_cents = 0 WHERE id = $1`,
		c.A.ID); err != nil {
		c.t.Fatal(err)
	}
	for act, value := range map[string]string{"approval": "", "refusal": "Too much."} {
		c.Submit(later, 12300, uuid.New())
		held, err := c.Exchange.CutNow(c.t.Context(), c.A.Finance.Actor())
		if err != nil || len(held) == 0 {
			c.t.Fatalf("cut %v, %v", held, err)
		}
		c.all("POST /bank/files/:id/"+act, func(int) ask { return ask{ids: held[:1], body: form("reason", value)} }, 303)
	}
	if _, err := c.Store.Pool.Exec(c.t.Context(), `UPDATE merchants SET approve_files_cents = NULL WHERE id = $1`,
		c.A.ID); err != nil {
		c.t.Fatal(err)
	}
	for _, act := range []string{"sending", "dropping"} {
		c.Submit(today, 15000, uuid.New())
		late := c.column(`SELECT id::text FROM bank_findings WHERE kind = 'missed_deadline' AND closed_at IS NULL`)[0]
		c.all("POST /bank/findings/:id/"+act, one(late), 303)
	}
	open := c.column(`SELECT id::text FROM bank_findings WHERE merchant_id = $1 AND closed_at IS NULL`, c.A.ID)
	if len(open) == 0 {
		c.Arrive("count", exchange.Event{Kind: exchange.OnMessage, MessageID: file, Status: "ACTC", HasCount: true, Count: 9})
		open = c.column(`SELECT id::text FROM bank_findings WHERE merchant_id = $1 AND closed_at IS NULL`, c.A.ID)
	}
	c.all("POST /bank/findings/:id/settlement", func(int) ask {
		return ask{ids: open[:1], body: form("note", "Dealt with.")}
	}, 303)
	item := c.column(`SELECT id::text FROM bank_items WHERE message_id IS NOT NULL
		AND amount_cents = 15000 AND kind = 'debits'`)[0]
	movement := c.Unmatched(15000, true, later).String()
	c.all("POST /bank/movements/:id/match", func(int) ask {
		return ask{ids: []string{movement}, body: form("item", item)}
	}, 303)
	c.all("POST /bank/movements/:id/unmatch", one(movement), 303)
	owed := c.API("POST", "/purchases/", map[string]any{"brand_id": c.A.BrandID,
		"client":   map[string]any{"email": "eft@example.com", "full_name": "Ayanda Mbeki"},
		"purchase": map[string]any{"products": []any{map[string]any{"name": "m", "price": 15000}}}}).Want(201).Text("id")
	c.all("POST /bank/movements/:id/payments", func(int) ask {
		return ask{ids: []string{movement}, body: form("seen", "0", "amount-"+owed, "150,00")}
	}, 303, 422)
	payment := c.column(`SELECT id::text FROM bank_payments`)
	if len(payment) != 1 {
		c.t.Fatalf("the movement was booked %d times", len(payment))
	}
	c.all("POST /bank/movements/:id/payments/return", func(int) ask {
		return ask{ids: []string{movement}, body: form("payment", payment[0])}
	}, 303)
	if _, err := c.Store.Pool.Exec(c.t.Context(), `UPDATE bank_entries SET state = 'other' WHERE id = $1::text::uuid`,
		movement); err != nil {
		c.t.Fatal(err)
	}
	c.all("POST /bank/movements/:id/reopening", one(movement), 303)
	c.all("POST /bank/rule", func(i int) ask { return ask{body: form("rule", []string{"on", "off"}[i%2])} }, 303)
	day := later.String()
	c.all("POST /bank/days/:id/acceptance", func(int) ask {
		return ask{ids: []string{day}, body: form("cents", "15000", "note", "It is right.")}
	}, 303)
	c.all("POST /bank/days/:id/reopening", one(day), 303)
}

package handlers_test

import (
	"fmt"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/models/sms"
)

// texts writes short messages to clients, and answers them.
func (c *callers) texts() {
	c.t.Helper()
	c.At(sms.Hours{}.NextAllowed(c.Store.Now(), calendar.New()))
	clients := c.newClients(many, "texted")
	for i, id := range clients {
		c.API("PATCH", "/clients/"+id+"/", map[string]any{"phone": fmt.Sprintf("+2782555%04d", i)}).Want(200)
	}
	one := func(i int) []string { return clients[i : i+1] }
	c.all("POST /clients/:id/page/sms", func(i int) ask { return ask{ids: one(i), body: form()} }, 303)
	c.all("POST /clients/:id/sms", func(i int) ask { return ask{ids: one(i), body: form("text", "Please call us.")} }, 303)
	c.all("POST /clients/:id/sms/preview", func(i int) ask { return ask{ids: one(i), body: form("text", "Please")} }, 200)
	c.all("POST /settings/sms", func(i int) ask {
		return ask{body: form("version", "0", "daily_parts", fmt.Sprint(1000+i))}
	}, 303, 409)
	if _, err := c.Texts.SendDue(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	sent, err := c.Texts.Store.Messages(c.t.Context(), c.A.ID, paging.Ask{Limit: many})
	if err != nil || len(sent) < many {
		c.t.Fatalf("%d messages, %v", len(sent), err)
	}
	c.all("POST /sandbox/sms/:id/reply", func(i int) ask {
		return ask{ids: []string{sent[i].ID.String()}, body: `{"text":"STOP"}`,
			headers: []string{"Accept: application/json"}}
	}, 204, 303)
	no := &handlertest.Person{}
	for _, of := range []string{"reports", "replies"} { // the sandbox has no provider, and believes none
		c.all("POST /sms/:secret/"+of, func(int) ask {
			return ask{ids: []string{c.secret}, who: no, body: form(), headers: []string{"Accept: application/json"}}
		}, 400)
	}
}

package handlers_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/notice"
	"debitdesk/models/purchase"
)

// ownPages are clients' own pages, and the desk's side of them.
func (c *callers) ownPages() {
	clients := c.newClients(many, "visitor")
	one := func(i int) []string { return clients[i : i+1] }
	c.all("POST /clients/:id/page", func(i int) ask { return ask{ids: one(i), body: form()} }, 303)
	c.all("POST /my/ask/:merchant", func(i int) ask {
		return ask{ids: []string{"a"}, who: &handlertest.Person{}, body: url.Values{"contact": {"visitor@example.com"}}}
	}, 200, 429)
	links := make([]string, many)
	for i := range links {
		links[i] = c.mailedTo(clients[i], mail.ClientPage, regexp.MustCompile(`/my/link/(\S+)`))
	}
	nobody := &handlertest.Person{}
	cookies := make([]string, many)
	for i, a := range c.all("POST /my/link/:token", func(i int) ask {
		return ask{ids: links[i : i+1], who: nobody, body: url.Values{}}
	}, 303) {
		cookies[i] = "Cookie: " + strings.Split(a.Header.Get("Set-Cookie"), ";")[0]
	}
	codes := make([]string, many)
	for i, a := range c.all("POST /my/acts/:kind", func(i int) ask {
		return ask{ids: []string{"details"}, who: nobody, headers: cookies[i : i+1], body: url.Values{"text": {"My name is T"}}}
	}, 303) {
		codes[i] = strings.Trim(strings.TrimPrefix(a.Header.Get("Location"), "/my/codes"), "/")
	}
	said := make([]string, many)
	for i := range said {
		said[i] = c.mailedTo(clients[i], mail.ClientCode, regexp.MustCompile(`\b(\d{6})\b`))
	}
	c.all("POST /my/codes/:id", func(i int) ask {
		return ask{ids: codes[i : i+1], who: nobody, headers: cookies[i : i+1], body: url.Values{"code": {said[i]}}}
	}, 303)
	c.all("POST /my/language", func(i int) ask {
		return ask{who: nobody, headers: cookies[i : i+1], body: url.Values{"language": {"en"}}}
	}, 303)
	c.all("POST /my/leaving", func(i int) ask {
		return ask{who: nobody, headers: cookies[i : i+1], body: url.Values{}}
	}, 303)
	c.all("POST /clients/:id/page/end", func(i int) ask { return ask{ids: one(i), body: form()} }, 303)
	c.all("POST /clients/:id/requests", func(i int) ask {
		return ask{ids: one(i), body: form("kind", "access", "channel", "phone", "text", "All",
			"received_on", calendar.DateOf(c.Store.Now()).String())}
	}, 303)
	open := c.column(`SELECT id::text FROM client_requests
		WHERE merchant_id = $1 AND state = 'open' AND kind = 'correction'`,
		c.A.ID)
	c.all("POST /requests/:id/answer", func(i int) ask {
		return ask{ids: onOne(open, i), body: form("version", "1", "state", string(clientpage.RequestAnswered),
			"answer", "Done")}
	}, 303, 409)
	c.all("POST /requests/:id/reopening", func(i int) ask {
		return ask{ids: onOne(open, i), body: form("version", "2")}
	}, 303, 409)
	c.all("POST /requests/:id/going-on", func(i int) ask {
		return ask{ids: onOne(open, i), body: form("version", "3")}
	}, 404) // of another kind
	c.all("POST /settings/brands/:id/page", func(int) ask {
		return ask{ids: []string{c.A.BrandID.String()}, body: form("version", "0", "pause", "on")}
	}, 303, 409)
	message := []string{c.A.BrandID.String(), purchase.MailInvoice}
	c.all("POST /settings/brands/:id/messages/:message/words", func(i int) ask {
		return ask{ids: message, body: form("version", "0", "language", "en", "opening", fmt.Sprint("Hello ", i))}
	}, 303, 409)
	c.all("POST /settings/brands/:id/messages/:message/words/preview", func(i int) ask {
		return ask{ids: message, body: form("version", "0", "language", "en", "opening", fmt.Sprint("Hello ", i))}
	}, 200)
	c.all("POST /settings/brands/:id/messages/:message/test", func(int) ask {
		return ask{ids: message, body: form("language", "en")}
	}, 303) // from the eleventh within an hour on it says so
	c.all("POST /settings/brands/:id/messages/:message/notice", func(i int) ask {
		return ask{ids: []string{c.A.BrandID.String(), notice.Kind}, body: form("version", "0", "days",
			fmt.Sprint(1+i%notice.MostDays), "channel", "mail")}
	}, 303) // all but the first are told that another was quicker
}

// mailedTo is what the newest mail of a kind to a client says where a pattern finds it.
func (c *callers) mailedTo(clientID, kind string, says *regexp.Regexp) string {
	c.t.Helper()
	ids := c.column(`SELECT id::text FROM mails WHERE client_id = $1 AND kind = $2 ORDER BY id DESC LIMIT 1`,
		clientID, kind)
	if len(ids) != 1 {
		c.t.Fatalf("no mail %s", kind)
	}
	m, err := outbox.Store{DB: c.Store}.Mail(c.t.Context(), c.A.ID, uuid.MustParse(ids[0]))
	if err != nil {
		c.t.Fatal(err)
	}
	found := says.FindStringSubmatch(m.Text)
	if found == nil {
		c.t.Fatalf("the mail %s says something else", kind)
	}
	return found[1]
}

package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Clients serves the pages of payers.
type Clients struct {
	Desk    *Desk
	Service *client.Service
	Events  Timeline
	Replays Replays // lets a form count once
	Exports *Exports
	// Panels draw what else belongs to a client, such as its tokens and its purchases.
	Panels []ClientPanel
	// Impact says what ends when the client is deleted, and who may not.
	Impact func(ctx context.Context, who actor.Actor, clientID uuid.UUID) (purchase.ClientImpact, error)
}

// ClientPanel draws one box on a client's page.
type ClientPanel func(ctx context.Context, who actor.Actor, c client.Client) (templ.Component, error)

const (
	clientsRoom = "clients"
	listLength  = 50
	countUpTo   = 10_000
)

// List serves GET /clients. The address holds the whole state of the list: q,
// account, and after or before.
func (h *Clients) List(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	state, ignored := clientListOf(c.QueryParams())
	page, err := h.Service.List(ctx, who, state.query)
	if err != nil {
		return err
	}
	count, err := h.Service.Count(ctx, who, state.query, countUpTo+1)
	if err != nil {
		return err
	}
	view := state.view(page, count, ignored)
	if who.Can(actor.Bill) && count > 0 {
		view.Bill = []components.Button{{Label: "Bill these clients", Icon: "layers", Href: "/batches/new?" + url.Values{"q": {state.text}, "account": {state.account}}.Encode()}}
	}
	if c.Request().Header.Get("HX-Target") == pages.ClientsTarget {
		return render(c, http.StatusOK, pages.ClientResults(view))
	}
	return h.Desk.show(c, http.StatusOK, "Clients", clientsRoom, func(f layout.Frame) templ.Component { return pages.Clients(f, view) })
}

// clientList is what the address of the list says.
type clientList struct {
	text, account string
	query         client.Query
}

// clientListOf reads the address; what it does not understand is ignored and named.
func clientListOf(values url.Values) (state clientList, ignored []string) {
	state = clientList{text: strings.TrimSpace(values.Get("q")), account: values.Get("account")}
	state.query = client.Query{Text: state.text}
	state.query.Limit = listLength
	switch state.account {
	case "":
	case "with", "without":
		with := state.account == "with"
		state.query.Account = &with
	default:
		ignored, state.account = append(ignored, "account"), ""
	}
	for _, name := range []string{"after", "before"} {
		text := values.Get(name)
		if text == "" {
			continue
		}
		id, err := uuid.Parse(text)
		if err != nil {
			ignored = append(ignored, name)
			continue
		}
		state.query.Ask = paging.Ask{From: id, Newer: name == "before", Limit: listLength}
	}
	return state, ignored
}

// href is the address of the list with other values.
func (s clientList) href(account, name, id string) string {
	values := clientList{text: s.text, account: account}.filters()
	if name != "" && id != "" {
		values.Set(name, id)
	}
	return address("/clients", values)
}

// filters is what the list shows, without the place in it.
func (s clientList) filters() url.Values {
	values := url.Values{}
	for key, value := range map[string]string{"q": s.text, "account": s.account} {
		if value != "" {
			values.Set(key, value)
		}
	}
	return values
}

// exportHref is the address of the file with what this list shows.
func (s clientList) exportHref(format string) string {
	values := s.filters()
	values.Set("format", format)
	return address("/clients/export", values)
}

func (s clientList) view(page paging.Page[client.Client], count int, ignored []string) pages.ClientsView {
	view := pages.ClientsView{Search: s.text, Account: s.account, Found: found(count, "client", "clients"),
		Export: exportMenu(clientsFound(count), len(clientHeads), s.exportHref)}
	if len(ignored) > 0 {
		view.Notice = "Not understood in the address, and ignored: " + strings.Join(ignored, ", ") + "."
	}
	for _, tab := range []struct{ label, account string }{{"All", ""}, {"With an account", "with"}, {"Without an account", "without"}} {
		view.Tabs = append(view.Tabs, components.Tab{Label: tab.label, Href: s.href(tab.account, "", ""), Active: tab.account == s.account})
	}
	for _, one := range page.Items {
		view.Rows = append(view.Rows, clientRow(one))
	}
	view.Pager = components.Pager{Text: view.Found, Target: "#" + pages.ClientsTarget}
	if n := len(page.Items); n > 0 && page.Older {
		view.Pager.OlderHref = s.href(s.account, "after", page.Items[n-1].ID.String())
	}
	if len(page.Items) > 0 && page.Newer {
		view.Pager.NewerHref = s.href(s.account, "before", page.Items[0].ID.String())
	}
	if s.text != "" {
		view.Filters = append(view.Filters, "Search: "+s.text)
	}
	if s.account != "" {
		view.Filters = append(view.Filters, s.account+" an account")
	}
	return view
}

func clientRow(c client.Client) pages.ClientRow {
	row := pages.ClientRow{Name: c.Name(), Href: clientHref(c.ID), Email: c.Email, Phone: phoneWords(c.Phone), Added: moment(c.CreatedAt)}
	if row.Name == row.Email {
		row.Email = ""
	}
	if c.BankAccount != "" {
		row.Account = strings.TrimSpace(bank.BankName(c.BankCode) + " " + c.BankAccount.String())
	}
	return row
}

func clientHref(id uuid.UUID) string { return "/clients/" + id.String() }

// found writes a count, which stops counting where nobody would read on.
func found(count int, one, many string) string {
	switch {
	case count > countUpTo:
		return "more than " + thousands(countUpTo) + " " + many
	case count == 1:
		return "1 " + one
	}
	return thousands(count) + " " + many
}

// thousands writes a whole number as South Africans group it: 12 000.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u00a0" + text[i:]
	}
	return text
}

// phoneWords writes a South African number as people read it: 082 123 4567.
func phoneWords(phone string) string {
	if len(phone) == 11 && strings.HasPrefix(phone, "27") {
		return "0" + phone[2:4] + " " + phone[4:7] + " " + phone[7:]
	}
	return phone
}

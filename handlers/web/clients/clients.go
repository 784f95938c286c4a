// Package clients serves the pages of clients.
package clients

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	"debitdesk/models/book"
	"debitdesk/models/client"
	"debitdesk/models/clientaccount"
	"debitdesk/models/clientstop"
	"debitdesk/models/deletion"
	"debitdesk/models/estimate"
	"debitdesk/models/facet"
	"debitdesk/models/followup"
	"debitdesk/models/merging"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/selection"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Clients serves the pages of clients.
type Clients struct {
	Desk    *kit.Desk
	Service *client.Service
	Events  trail.Store
	Exports *kit.Exports
	Money   *report.Money

	Selections *selection.Service
	Acts       bulk.Acts // on many clients
	Followups  *followup.Service
	Notes      kit.NotesPanel
	People     bulk.People // of the team

	Reports *report.Service
	// Tokens counts the stored accounts of a client that can be charged, up to one.
	Tokens func(ctx context.Context, merchantID, clientID uuid.UUID) (int, error)
	// Outlooks say of purchases whether and when they may be debited again.
	Outlooks func(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]purchase.Outlook, error)
	// Turns are the periods of subscriptions that a client is billed for next.
	Turns func(ctx context.Context, who actor.Actor, clientID uuid.UUID) ([]subscription.Turn, error)
	// ImportOf finds the import that a client came in with, and the group.
	ImportOf func(ctx context.Context, merchantID, clientID uuid.UUID) (book.Import, string, error)
	// PayDay is the day on which a client probably has money; false where it cannot be said.
	PayDay func(ctx context.Context, who actor.Actor, clientID uuid.UUID) (estimate.PayDay, bool, error)
	// Panels draw what else belongs to a client, such as its tokens and its purchases.
	Panels []ClientPanel
	// Impact says what ends when the client is deleted, and who may not.
	Impact    func(ctx context.Context, who actor.Actor, clientID uuid.UUID) (deletion.ClientImpact, error)
	Purchases *purchase.Service
	// Stops stop everything that is debited from a client; whoever may not do that asks Approvals.
	Stops     *clientstop.Service
	Approvals *approval.Service
	// Statements are what clients are told of their accounts.
	Statements *clientaccount.Service
	// Merging makes one client of two.
	Merging *merging.Service
}

// ClientPanel draws one box on a client's page.
type ClientPanel func(ctx context.Context, who actor.Actor, c client.Client) (templ.Component, error)

const clientsSection = "clients"

// ListName is the list of clients among those in which rows can be chosen.
const ListName = "clients"

func (h *Clients) list() kit.Shown { return clientList(h) }

// clientList is the list with the type of its rows.
func clientList(h *Clients) *kit.List[client.Client, client.Query] {
	return &kit.List[client.Client, client.Query]{
		Desk: h.Desk, Exports: h.Exports, Path: "/clients", Active: clientsSection, One: "client",
		Head: components.PageHead{Title: "Clients",
			Primary: components.Button{Label: "New client", Icon: "plus", Href: "/clients/new", Changes: true},
			Menu: []components.MenuItem{{Label: "Duplicates", Icon: "users", Href: "/clients/duplicates"},
				{Label: "Messages", Icon: "mail", Href: "/messages"},
				{Label: "Promises to pay", Icon: "phone", Href: "/promises"}}},
		Query: func(ctx context.Context, who actor.Actor, q client.Query, ask paging.Ask) (paging.Page[client.Client],
			error) {
			q.Ask = ask
			page, err := h.Service.List(ctx, who, q)
			if err != nil {
				return page, err
			}
			return page, h.Service.WithTokens(ctx, who, page.Items)
		},
		ID: func(c client.Client) uuid.UUID { return c.ID },
		Count: func(ctx context.Context, who actor.Actor, q client.Query) (kit.Tally, error) {
			n, err := h.Service.Count(ctx, who, q, clientsCounted+1)
			return kit.Tally{Found: kit.FoundUpTo(int64(n), clientsCounted)}, err
		},
		CountAll: func(ctx context.Context, who actor.Actor, q client.Query, atMost int64) (int64, error) {
			n, err := h.Service.Count(ctx, who, q, int(atMost))
			return int64(n), err
		},
		By: "account", Views: []kit.View{kit.ViewOf("With an account", "account", "with"),
			kit.ViewOf("Without an account", "account", "without")},
		Search: kit.Search[client.Query]{Label: "Search clients", Holder: "Name, e-mail, phone or identity number",
			Set: func(q *client.Query, text string) { q.Text = text }},
		Filters: slices.Concat([]kit.Filter[client.Query]{{Key: "account", View: true, Chip: kit.SameChip(""),
			Read: func(l *kit.Listing, q *client.Query) {
				switch with := l.Query.Get("account") == "with"; l.Query.Get("account") {
				case "":
				case "with", "without":
					q.Account = &with
				default:
					l.Unknown("account", "a filter by account")
				}
			}},
			kit.PastFilter("added", "Added", func(q *client.Query) *time.Time { return &q.CreatedFrom },
				func(q *client.Query) *time.Time { return &q.CreatedTo }),
			kit.BankFilter(clientFacets),
			kit.MethodFilter(func(q *client.Query) *bank.Method { return &q.Facets.Method }),
			kit.HealthFilter(clientFacets),
			kit.AnswerFilter(h.Desk.Facets, clientFacets),
			kit.FailedAgainFilter("Failed more than once in a row", clientFacets),
		}, kit.DebitDateFilters("Next debit", clientFacets)),
		Columns: clientColumns, Sorts: client.Sorts, Peeks: true,
		Choose: kit.Choosing[client.Client]{Selections: h.Selections, Several: h.Service.Several,
			Changed: func(c client.Client) time.Time { return c.UpdatedAt },
			Acts:    h.acts},
		Around: billThese,
		Empty: components.Empty{Icon: "users", Title: "No client yet",
			Text: "A client is a person or business that pays you: add the first one, then store a bank account."},
	}
}

// clientFacets narrow clients by their tokens.
func clientFacets(q *client.Query) *facet.Filter { return &q.Facets }

// clientsCounted is where counting stops: nobody would read on.
const clientsCounted = 10_000

// BulkActs are the acts on many clients.
func (h *Clients) BulkActs() bulk.Acts {
	follow := bulk.Follow{Service: h.Followups, People: h.People, Type: followup.Client, Rows: h.planFollow,
		Act: bulk.Act{Needs: actor.Write, Lists: []string{ListName}, One: "client"}}
	return bulk.Acts{h.mailStatements(), follow.Note(), follow.Assign()}
}

// planFollow plans what can be done about every client whose data was not erased.
func (h *Clients) planFollow(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
	found, err := h.Service.Several(ctx, who, ids)
	out := make([]bulk.Row, len(found))
	for i, c := range found {
		out[i] = clientRow(c)
		if c.Erased() {
			out[i].Why = followup.WhyErased
		}
	}
	return out, err
}

func clientRow(c client.Client) bulk.Row {
	return bulk.Row{ID: c.ID, Name: c.Name(), Second: c.Email, Href: words.ClientHref(c.ID),
		ChangedAt: c.UpdatedAt.UnixMicro()}
}

// List serves GET /clients.
func (h *Clients) List(c echo.Context) error { return h.list().Show(c) }

// Export serves GET /clients/export.
func (h *Clients) Export(c echo.Context) error { return h.list().Export(c) }

// Exported is the list for exports in the background.
func (h *Clients) Exported() kit.Exportable { return h.list() }

// Rows are the clients of the list, for what is made of all of them.
func (h *Clients) Rows() kit.Rows[client.Client] { return clientList(h) }

// acts are the buttons over clients that were chosen: a batch of invoices to them has pages of its own.
func (h *Clients) acts(who actor.Actor) []components.Button {
	bill := components.Button{Label: "Bill…", Icon: "layers", Value: ActBill}
	if !who.Changes() {
		return nil
	}
	if !who.Can(actor.Bill) {
		bill.Disabled, bill.Why = true, "Your role does not allow this."
	}
	return append([]components.Button{bill}, h.Acts.Buttons(ListName, who)...)
}

// ActBill names the batch among the acts on clients that were chosen.
const ActBill = "bill"

// BillHref is the form of a batch of the clients that an address of the list shows.
func BillHref(query url.Values) string {
	if query = kit.Which(query); len(query) == 0 {
		return "/batches/new"
	}
	return kit.Address("/batches/new", url.Values{"clients": {query.Encode()}})
}

// billThese offers a batch of invoices to all clients that the list shows.
func billThese(c echo.Context, l *kit.Listing, v *pages.ListView) error {
	// Those that are selected have a button of their own.
	if access.Actor(c).Can(actor.Bill) && v.Table.Select.Bar.ID == "" {
		v.Below = pages.FormActions(components.Button{Label: "Bill these clients", Icon: "layers",
			Href: BillHref(l.Query)})
	}
	return nil
}

var clientColumns = []kit.Column[client.Client]{
	kit.ColumnOf("Client", func(c client.Client) components.Cell {
		return components.Cell{Text: c.Name(), Href: words.ClientHref(c.ID), Second: c.Email}
	}).FileText("Client", 28, client.Client.Name).FileText("E-mail", 30,
		func(c client.Client) string { return c.Email }).SortText("name"),
	kit.TextColumn("Phone", 15, func(c client.Client) string { return words.PhoneWords(c.Phone) }).InOneLine(),
	kit.ColumnOf("Account", func(c client.Client) components.Cell {
		if c.AccountUnreadable() {
			return components.Cell{Pill: components.Pill{Kind: "bad", Word: "Cannot be read", Title: unreadable}}
		}
		cell := components.Cell{Text: strings.TrimSpace(clientBank(c) + " " + accountWords(c))}
		if !c.StoppedAt.IsZero() {
			cell.Under = components.Status(stoppedPill)
		} else if !c.ParkedAt.IsZero() {
			cell.Under = components.Status(parkedPill)
		}
		return cell
	}).InOneLine().FileText("Bank", 18, clientBank).
		FileText("Account", 13, accountWords).OnCard(kit.Lead),
	kit.MomentColumn("Added", 20, func(c client.Client) time.Time { return c.CreatedAt }).SortBy(paging.Created),
}

// parkedPill marks a client who came in with an import whose group is not switched on.
var parkedPill = components.Pill{Kind: "wait", Word: "Parked",
	Title: "The client came in with an import. Nothing is debited until its group is switched on."}

// stoppedPill marks a client from whom nothing is debited.
var stoppedPill = components.Pill{Kind: "bad", Word: "Debits stopped",
	Title: "Everything that is debited from this client was stopped. It can be undone on the client’s page."}

// unreadable says why a number is not shown.
const unreadable = "The stored number was damaged, or its key is missing. Enter it again."

// accountWords is the masked account in one line.
func accountWords(c client.Client) string {
	if c.AccountUnreadable() {
		return "cannot be read"
	}
	if c.BankAccount == "" {
		return c.TokenMask
	}
	return c.BankAccount.String()
}

// clientBank is the bank of the account that a list shows.
func clientBank(c client.Client) string {
	switch {
	case c.BankAccount != "":
		return bank.BankName(c.BankCode)
	case c.TokenMask != "":
		return bank.BankName(c.TokenBank)
	}
	return ""
}

package web

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/bank"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Tokens serves the register of stored accounts, and their mandates.
type Tokens struct {
	Desk      *Desk
	Register  *token.Service
	Mandates  *mandate.Service
	Purchases *purchase.Service
	Exports   *Exports
	Approvals *approval.Service
}

const tokensRoom = "tokens"

var tokenPills = map[token.State]components.Pill{
	token.Pending:    {Kind: "wait", Word: "Waiting", Title: "Waiting for the first debit to succeed."},
	token.Active:     {Kind: "done", Word: "Active", Title: "Can be charged."},
	token.Blocked:    {Kind: "bad", Word: "Blocked", Title: "Cannot be charged until the account is stored again."},
	token.Deleting:   {Kind: "wait", Word: "Being deleted", Title: "Out of use. The deletion can be undone for a few minutes."},
	token.Deleted:    {Kind: "draft", Word: "Deleted", Title: "Can no longer be charged; the mandate is kept as evidence."},
	token.Superseded: {Kind: "draft", Word: "Replaced", Title: "Replaced by a newer account of the same client."},
}

func tokenPill(t token.Token) components.Pill {
	p := tokenPills[t.State]
	if t.State == token.Blocked && t.BlockedCode != "" {
		p.Title = bank.Label(t.BlockedCode) + ". " + bank.Remedy(t.BlockedCode)
	}
	if t.UsedUp() {
		p.Word, p.Title = "Used once", "The client allowed one debit and did not let the account be stored. It cannot be debited again; the mandate is kept as evidence."
	}
	return p
}

func (h *Tokens) list() *List[token.Entry, token.Filter] {
	return &List[token.Entry, token.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: "/tokens", Active: tokensRoom, One: "token",
		Head: components.PageHead{Title: "Tokens", Sub: "Stored bank accounts that you may debit.",
			Secondary: []components.Button{{Label: "Set up mandate", Icon: "shield", Href: "/mandates/new", Changes: true}},
			Primary:   components.Button{Label: "Store a bank account", Icon: "plus", Href: "/tokens/new", Changes: true}},
		Query: h.Register.List, ID: func(e token.Entry) uuid.UUID { return e.ID },
		Count: func(ctx context.Context, who actor.Actor, f token.Filter) (Tally, error) {
			counts, err := h.Register.Counts(ctx, who, f)
			found := func(states []token.State) rowsFound {
				if len(states) == 0 {
					states = []token.State{token.Active, token.Blocked}
				}
				n := int64(0)
				for _, s := range states {
					n += counts[s]
				}
				return foundUpTo(n, token.CountLimit)
			}
			return Tally{Found: found(f.States), Of: func(v View) rowsFound { return found(split[token.State](v.Value)) }}, err
		},
		By: "state", Views: []View{
			viewOf("Active", "state", token.Active),
			viewOf("Blocked", "state", token.Blocked),
			viewOf("Replaced", "state", token.Superseded).rare(),
			viewOf("Being deleted", "state", token.Deleting).rare(),
			viewOf("Deleted", "state", token.Deleted),
		},
		Search: Search[token.Filter]{Label: "Search tokens by client", Holder: "Client or e-mail",
			Set: func(f *token.Filter, text string) { f.Search = text }},
		Filters: []Filter[token.Filter]{
			statesFilter("state", "a status", []token.State{token.Active, token.Blocked, token.Superseded, token.Deleting, token.Deleted},
				func(s token.State) string { return tokenPills[s].Word },
				func(f *token.Filter) *[]token.State { return &f.States }),
			onlyFilter("attention", "blocked", "on the attention list", "Blocked and still needed",
				func(f *token.Filter) *bool { return &f.Needed }),
			choiceFilter("bank", "a bank that we know", "Bank is ",
				components.Select{Label: "Bank", Blank: "Any bank", Quiet: true, Options: bankOptions()},
				func(f *token.Filter) *string { return &f.BankCode }),
			fromDay("unused_since", "Not charged since", func(f *token.Filter) *time.Time { return &f.UnusedSince }),
		},
		Columns: tokenColumns,
		Select:  components.Selection{Group: "tokens", Action: "/tokens/deletion"},
		Label:   func(e token.Entry) string { return "Select " + accountWords(e.Token) + " of " + e.ClientName },
		Around:  h.around,
		Empty: components.Empty{Icon: "key", Title: "No token yet",
			Text: "A token is a stored bank account that you may debit. Send a client the link, or capture a signed mandate."},
	}
}

// List serves GET /tokens.
func (h *Tokens) List(c echo.Context) error { return h.list().Show(c) }

// Export serves GET /tokens/export.
func (h *Tokens) Export(c echo.Context) error { return h.list().Export(c) }

// around adds the deletions that can be undone, and the act on ticked tokens.
func (h *Tokens) around(c echo.Context, _ *listing, v *pages.ListView) error {
	who := access.Actor(c)
	leaving, err := h.leaving(c.Request().Context(), who, everyToken)
	v.Above = pages.Undoables(leaving)
	del := components.Button{Label: "Delete…", Icon: "trash", Small: true}
	if who.Can(actor.DeleteTokens) {
		del.Kind = "danger"
	} else {
		del.Disabled, del.Why = true, "Only an admin can delete tokens."
	}
	v.Table.Select.Buttons = []components.Button{del}
	return err
}

func bankOptions() (options []components.Option) {
	for _, b := range bank.Branches() {
		options = append(options, components.Option{Value: b.Code, Text: b.Bank})
	}
	return options
}

var tokenColumns = []Column[token.Entry]{
	column("Client", func(e token.Entry) components.Cell {
		return components.Cell{Text: tokenClient(e), Href: tokenPath(e.ID), Second: e.ClientEmail}
	}).fileText("Client", 28, tokenClient).
		fileText("E-mail", 30, func(e token.Entry) string { return e.ClientEmail }),
	column("Account", func(e token.Entry) components.Cell {
		return components.Cell{Text: bankWords(e.BankCode), Second: e.AccountMask, Small: "nowrap"}
	}).fileText("Bank", 18, func(e token.Entry) string { return bankWords(e.BankCode) }).
		fileText("Account", 13, func(e token.Entry) string { return e.AccountMask }),
	textColumn("Method", 11, func(e token.Entry) string { return kindWords[mandate.Kind(e.Method)] }).notOnPhones(),
	pillColumn("State", 11, func(e token.Entry) components.Pill { return tokenPill(e.Token) }),
	dayColumn("Last used", 17, "never", func(e token.Entry) time.Time { return e.LastUsedAt }),
	dayColumn("Last success", 19, "never", func(e token.Entry) time.Time { return e.LastSuccessAt }),
	column("Failures in a row", func(e token.Entry) components.Cell {
		if e.Failures == 0 {
			return components.Cell{Blank: "0"}
		}
		return components.Cell{Part: components.Bad(grouped(int64(e.Failures)))}
	}).number().file("Failures in a row", 17, func(e token.Entry) export.Cell { return export.Count(int64(e.Failures)) }),
	dayColumn("Stored", 14, "", func(e token.Entry) time.Time { return e.CreatedAt }),
}

func tokenClient(e token.Entry) string { return cmp.Or(e.ClientName, e.HolderName) }

func tokenPath(id uuid.UUID) string { return "/tokens/" + id.String() }

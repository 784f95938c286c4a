package web

import (
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/bank"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
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

// List serves GET /tokens.
func (h *Tokens) List(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	l := listingOf(c, "/tokens")
	f := tokenFilter(l)
	page, err := h.Register.List(ctx, who, f, l.ask)
	if err != nil {
		return err
	}
	counts, err := h.Register.Counts(ctx, who, f)
	if err != nil {
		return err
	}
	view := h.listView(l, f, who, page, counts)
	if view.Leaving, err = h.leaving(ctx, who, everyToken); err != nil {
		return err
	}
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.TokenResults(view))
	}
	return h.Desk.show(c, http.StatusOK, "Tokens", tokensRoom, func(fr layout.Frame) templ.Component { return pages.Tokens(fr, view) })
}

func tokenFilter(l *listing) token.Filter {
	f := token.Filter{Search: l.query.Get("q"), BankCode: l.query.Get("bank")}
	if bank.BankName(f.BankCode) == "" && f.BankCode != "" {
		l.refuse("‘" + f.BankCode + "’ is not a bank that we know. The filter was ignored.")
		l.query.Del("bank")
		f.BankCode = ""
	}
	switch l.query.Get("attention") {
	case "":
	case "blocked":
		f.Needed = true
	default:
		l.refuse("‘" + l.query.Get("attention") + "’ is not on the attention list. The filter was ignored.")
		l.query.Del("attention")
	}
	if day := l.date("unused_since"); !day.IsZero() {
		f.UnusedSince = day.At(0, 0)
	}
	switch state := token.State(l.query.Get("state")); state {
	case "":
	case token.Active, token.Blocked, token.Deleting, token.Deleted, token.Superseded:
		f.States = []token.State{state}
	default:
		l.refuse("‘" + string(state) + "’ is not a status. The filter was ignored.")
		l.query.Del("state")
	}
	return f
}

func (h *Tokens) listView(l *listing, f token.Filter, who actor.Actor, page paging.Page[token.Entry], counts map[token.State]int64) pages.TokensView {
	now := h.Desk.Now()
	state := token.State(l.query.Get("state"))
	live := counts[token.Active] + counts[token.Blocked]
	shown := live
	view := pages.TokensView{Notices: l.notices, Tabs: components.Tabs{Label: "Tokens by state", Target: "#results", Items: []components.Tab{
		{Label: "All", Count: countWords(live, true), Href: l.with("state", ""), Active: state == ""}}}}
	for _, t := range []token.State{token.Active, token.Blocked, token.Superseded, token.Deleting, token.Deleted} {
		if (t == token.Superseded || t == token.Deleting) && counts[t] == 0 && state != t {
			continue
		}
		view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: tokenPills[t].Word, Count: countWords(counts[t], true), Href: l.with("state", string(t)), Active: state == t})
		if state == t {
			shown = counts[t]
		}
	}
	view.Filters = tokenFilters(l, f)
	view.Filters.Export = exportMenu(tokensFound(f, counts), len(tokenHeads), l.exportHref)
	view.Filters.Found = countWords(shown, true) + " " + plural(shown, "token")
	view.Bank, view.Unused = bankFilter(f.BankCode), components.DateField{Label: "Not charged since", Name: "unused_since", Value: l.query.Get("unused_since")}
	for _, e := range page.Items {
		view.Rows = append(view.Rows, tokenRow(e, now))
	}
	view.CanDelete = who.Can(actor.DeleteTokens)
	view.Pager = pager(l, page, "#results", countWords(shown, true), func(e token.Entry) uuid.UUID { return e.ID })
	view.Empty = components.Empty{Icon: "key", Title: "No token yet", Text: "A token is a stored bank account that you may debit. Send a client the link, or capture a signed mandate.",
		Action: components.Button{Label: "Store a bank account", Href: "/tokens/new", Kind: "plain", Changes: true}}
	if f.Narrow() || state != "" {
		view.Empty = components.Empty{Kind: components.NothingMatches, ClearHref: "/tokens"}
		for _, chip := range view.Filters.Chips {
			view.Empty.Filters = append(view.Empty.Filters, chip.Label)
		}
		if f.Search != "" {
			view.Empty.Filters = append(view.Empty.Filters, "“"+f.Search+"”")
		}
	}
	return view
}

func tokenFilters(l *listing, f token.Filter) components.FilterBar {
	bar := components.FilterBar{Action: "/tokens", Target: "#results", Search: f.Search, SearchLabel: "Search tokens by client", Holder: "Client or e-mail"}
	for _, name := range []string{"state", "attention"} {
		if value := l.query.Get(name); value != "" {
			bar.Keep = append(bar.Keep, components.Pair{Name: name, Value: value})
		}
	}
	if f.Needed {
		bar.Chips = append(bar.Chips, components.Chip{Label: "Blocked and still needed", RemoveHref: l.with("attention", "")})
	}
	if f.BankCode != "" {
		bar.Chips = append(bar.Chips, components.Chip{Label: "Bank is " + bankWords(f.BankCode), RemoveHref: l.with("bank", "")})
	}
	if !f.UnusedSince.IsZero() {
		bar.Chips = append(bar.Chips, components.Chip{Label: "Not charged since " + glue(dateOf(f.UnusedSince).Format(dayForm)), RemoveHref: l.with("unused_since", "")})
	}
	if len(bar.Chips) > 0 {
		bar.ClearHref = "/tokens"
	}
	return bar
}

func bankFilter(chosen string) components.Select {
	s := components.Select{Label: "Bank", Name: "bank", Blank: "Any bank", Quiet: true}
	for _, b := range bank.Branches() {
		s.Options = append(s.Options, components.Option{Value: b.Code, Text: b.Bank, Selected: b.Code == chosen})
	}
	return s
}

func tokenPath(id uuid.UUID) string { return "/tokens/" + id.String() }

func tokenRow(e token.Entry, now time.Time) pages.TokenRow {
	row := pages.TokenRow{
		ID: e.ID.String(), Href: tokenPath(e.ID), Client: e.ClientName, Email: e.ClientEmail, Method: kindWords[mandate.Kind(e.Method)], Bank: bankWords(e.BankCode), Account: e.AccountMask,
		Pill: tokenPill(e.Token), LastUse: dayOf(e.LastUsedAt), LastSuccess: dayOf(e.LastSuccessAt), Created: dayOf(e.CreatedAt),
		Label: "Select " + accountWords(e.Token) + " of " + e.ClientName,
	}
	if row.Client == "" {
		row.Client = e.HolderName
	}
	if e.Failures > 0 {
		row.Failures = grouped(int64(e.Failures))
	}
	return row
}

// Package tokens serves the pages of tokens, which are stored bank accounts.
package tokens

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/approval"
	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/deletion"
	"debitdesk/models/facet"
	"debitdesk/models/followup"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/selection"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Tokens serves the register of stored accounts, and their mandates.
type Tokens struct {
	Desk       *kit.Desk
	Register   *token.Service
	Mandates   *mandate.Service
	Purchases  *purchase.Service
	Deletions  *deletion.Service
	Amendments *amendment.Service
	Exports    *kit.Exports
	Approvals  *approval.Service
	Clients    *client.Service

	Selections *selection.Service
	Notes      kit.NotesPanel
	Acts       bulk.Acts // on many tokens
	Followups  *followup.Service
	People     bulk.People // of the team
}

var tokenPills = map[token.State]components.Pill{
	token.Pending: {Kind: "wait", Word: "Waiting", Title: "Waiting for the first debit to succeed."},
	token.Active:  {Kind: "done", Word: "Active", Title: "Can be charged."},
	token.Blocked: {Kind: "bad", Word: "Blocked", Title: "Cannot be charged until the account is stored again."},
	token.Deleting: {Kind: "wait", Word: "Being deleted",
		Title: "Out of use. The deletion can be undone for a few minutes."},
	token.Deleted: {Kind: "draft", Word: "Deleted",
		Title: "Can no longer be charged; the mandate is kept as evidence."},
	token.Superseded: {Kind: "draft", Word: "Replaced", Title: "Replaced by a newer account of the same client."},
}

// StatePill is a state of tokens in a word.
func StatePill(s token.State) components.Pill { return tokenPills[s] }

func tokenPill(t token.Token) components.Pill {
	p := tokenPills[t.State]
	if t.State == token.Blocked && t.BlockedCode != "" {
		p.Title = bank.Label(t.BlockedCode) + ". " + bank.Remedy(t.BlockedCode)
	}
	if t.UsedUp() {
		p.Word, p.Title = "Used once",
			"The client allowed one debit and did not let the account be stored. It cannot be debited again; "+
				"the mandate is kept as evidence."
	}
	return p
}

func (h *Tokens) list() *kit.List[token.Entry, token.Filter] {
	return &kit.List[token.Entry, token.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: "/tokens", Active: words.TokensSection, One: "token",
		Head: components.PageHead{Title: "Tokens", Sub: "Stored bank accounts that you may debit.",
			Secondary: []components.Button{{Label: "Set up mandate", Icon: "shield", Href: "/mandates/new", Changes: true}},
			Primary:   components.Button{Label: "Store a bank account", Icon: "plus", Href: "/tokens/new", Changes: true}},
		Query: h.Register.List, ID: func(e token.Entry) uuid.UUID { return e.ID },
		Count: func(ctx context.Context, who actor.Actor, f token.Filter) (kit.Tally, error) {
			counts, err := h.Register.Counts(ctx, who, f)
			if counts == nil {
				return kit.Tally{}, err
			}
			found := func(states []token.State) kit.RowsFound {
				if len(states) == 0 {
					states = []token.State{token.Active, token.Blocked}
				}
				n := int64(0)
				for _, s := range states {
					n += counts[s]
				}
				return kit.FoundUpTo(n, token.CountLimit)
			}
			return kit.Tally{Found: found(f.States), Of: func(v kit.View) kit.RowsFound {
				return found(kit.Split[token.State](v.Value))
			}}, err
		},
		By: "state", Views: []kit.View{
			kit.ViewOf("Active", "state", token.Active),
			kit.ViewOf("Blocked", "state", token.Blocked),
			kit.ViewOf("Replaced", "state", token.Superseded).WhenAny(),
			kit.ViewOf("Being deleted", "state", token.Deleting).WhenAny(),
			kit.ViewOf("Deleted", "state", token.Deleted),
		},
		Search: kit.Search[token.Filter]{Label: "Search tokens by client", Holder: "Client or e-mail",
			Set: func(f *token.Filter, text string) { f.Search = text }},
		Filters: slices.Concat([]kit.Filter[token.Filter]{
			kit.StatesFilter("state", "a status", []token.State{token.Active, token.Blocked, token.Superseded, token.Deleting,
				token.Deleted},
				func(s token.State) string { return tokenPills[s].Word },
				func(f *token.Filter) *[]token.State { return &f.States }),
			kit.AttentionFilter(map[token.Concern]string{token.Needed: "Blocked and still needed",
				token.Replaces: "Replacements that are not in use"},
				func(f *token.Filter) *token.Concern { return &f.Concern }),
			kit.BankFilter(tokenFacets),
			kit.MethodFilter(func(f *token.Filter) *bank.Method { return &f.Facets.Method }),
			kit.HealthFilter(tokenFacets),
			kit.AnswerFilter(h.Desk.Facets, tokenFacets),
			kit.FailedAgainFilter("Failed more than once in a row", tokenFacets),
			kit.MakerFilter(h.Desk.Facets, "Asked for by", tokenFacets),
		}, kit.DebitDateFilters("Next debit", tokenFacets), []kit.Filter[token.Filter]{
			kit.PastFilter("stored", "Stored", func(f *token.Filter) *time.Time { return &f.CreatedFrom },
				func(f *token.Filter) *time.Time { return &f.CreatedTo }),
			kit.UntouchedFilter(
				"unused",
				"Not debited",
				[]int{30, 90, 180, 365},
				func(f *token.Filter) *time.Time { return &f.UnusedSince },
			),
			kit.FromDay("unused_since", "Not charged since", func(f *token.Filter) *time.Time { return &f.UnusedSince }),
		}),
		Columns: tokenColumns, Sorts: kit.ByAge,
		Choose: kit.Choosing[token.Entry]{Selections: h.Selections, Several: h.Register.Several,
			Changed: func(e token.Entry) time.Time { return e.UpdatedAt },
			Acts: func(who actor.Actor) []components.Button {
				return append(h.Acts.Buttons(ListName, who), kit.DeleteTokens("Delete…", who))
			}},
		Label:  func(e token.Entry) string { return "Select " + e.Token.Named() + " of " + e.ClientName },
		Around: h.around,
		Peeks:  true,
		Empty: components.Empty{Icon: "key", Title: "No token yet",
			Text: "A token is a stored bank account that you may debit. Send a client the link, or capture a signed mandate."},
	}
}

// List serves GET /tokens.
func (h *Tokens) List(c echo.Context) error {
	list := h.list()
	if c.QueryParam("attention") == string(token.Replaces) {
		h.offerTakeOver(list)
	}
	return list.Show(c)
}

// Export serves GET /tokens/export.
func (h *Tokens) Export(c echo.Context) error { return h.list().Export(c) }

// Exported is the list for exports in the background.
func (h *Tokens) Exported() kit.Exportable { return h.list() }

// around adds the deletions that can be undone.
func (h *Tokens) around(c echo.Context, _ *kit.Listing, v *pages.ListView) error {
	who := access.Actor(c)
	leaving, err := h.leaving(c.Request().Context(), who, everyToken)
	v.Above = pages.Undoables(leaving)
	return err
}

// ListName is the name of the register among the lists.
const ListName = "tokens"

// BulkActs are the acts on many tokens.
func (h *Tokens) BulkActs() bulk.Acts {
	follow := bulk.Follow{Service: h.Followups, People: h.People, Type: followup.Token, Rows: h.planFollow,
		Seen: "on the client’s page", Act: bulk.Act{Lists: []string{ListName}, One: "token"}}
	return bulk.Acts{follow.Note(), follow.Assign()}
}

func (h *Tokens) planFollow(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
	found, err := h.Register.Several(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	out := make([]bulk.Row, len(found))
	for i, e := range found {
		out[i] = bulk.Row{ID: e.ID, Name: e.Token.Named(), Second: tokenClient(e), Href: words.TokenPath(e.ID),
			Pill: tokenPill(e.Token), ChangedAt: e.UpdatedAt.UnixMicro()}
	}
	return out, bulk.LeaveErased(ctx, who, h.Clients, out, func(i int) uuid.UUID { return found[i].ClientID })
}

// DeletionHref is the page that asks before chosen tokens are deleted.
func DeletionHref(sel selection.Selection) string {
	return "/tokens/deletion?" + kit.SelectionKey + "=" + sel.ID.String()
}

func tokenFacets(f *token.Filter) *facet.Filter { return &f.Facets }

var tokenColumns = []kit.Column[token.Entry]{
	kit.ColumnOf("Client", func(e token.Entry) components.Cell {
		return components.Cell{Text: tokenClient(e), Href: words.TokenPath(e.ID), Second: e.ClientEmail}
	}).FileText("Client", 28, tokenClient).
		FileText("E-mail", 30, func(e token.Entry) string { return e.ClientEmail }),
	kit.ColumnOf("Account", func(e token.Entry) components.Cell {
		return components.Cell{Text: words.BankWords(e.BankCode), Second: e.AccountMask, Small: "nowrap"}
	}).FileText("Bank", 18, func(e token.Entry) string { return words.BankWords(e.BankCode) }).
		FileText("Account", 13, func(e token.Entry) string { return e.AccountMask }).OnCard(kit.Lead),
	kit.TextColumn("Method", 11, func(e token.Entry) string {
		return words.KindWords[mandate.Kind(e.Method)]
	}).NotOnPhones(),
	kit.PillColumn("State", 11, func(e token.Entry) components.Pill { return tokenPill(e.Token) }),
	kit.DayColumn("Last used", 17, "never", func(e token.Entry) time.Time { return e.LastUsedAt }),
	kit.DayColumn("Last success", 19, "never", func(e token.Entry) time.Time { return e.LastSuccessAt }),
	kit.ColumnOf("Failures in a row", func(e token.Entry) components.Cell {
		if e.Failures == 0 {
			return components.Cell{Blank: "0"}
		}
		return components.Cell{Part: components.Bad(words.Grouped(int64(e.Failures)))}
	}).Number().InFile("Failures in a row", 17, func(e token.Entry) export.Cell {
		return export.Count(int64(e.Failures))
	}),
	kit.DayColumn("Stored", 14, "", func(e token.Entry) time.Time { return e.CreatedAt }).SortBy(paging.Created),
}

func tokenClient(e token.Entry) string { return cmp.Or(e.ClientName, e.HolderName) }

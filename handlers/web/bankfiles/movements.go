package bankfiles

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

var entryStates = []exchange.EntryState{exchange.EntryUnmatched, exchange.EntryMatched, exchange.EntryPaid,
	exchange.EntryFee, exchange.EntryExplained, exchange.EntryOther}

func (h *Pages) movements() kit.Shown {
	return &kit.List[movementLine, exchange.EntryFilter]{
		Desk: h.Desk, Exports: h.Exports, Path: movementsPath, Active: section, One: "movement",
		Nav:   components.StatusTabs(nav(movementsPath)),
		Head:  components.PageHead{Title: "Bank movements", Sub: "What the bank booked on your account, by day."},
		Query: h.movementLines, ID: idOf,
		Count: func(ctx context.Context, who actor.Actor, f exchange.EntryFilter) (kit.Tally, error) {
			found, err := h.Exchange.CountMovements(ctx, who, f)
			counts, cents := map[exchange.EntryState]int64{}, int64(0)
			for state, n := range found {
				counts[state] = n.Count
				if f.State == "" || f.State == state {
					cents += n.Cents
				}
			}
			t := kit.TallyOf(counts, kit.Split[exchange.EntryState](string(f.State)), false, 0)
			t.Sum = ", " + words.Sum(cents, money.ZAR)
			return t, err
		},
		By: "state", Views: []kit.View{kit.ViewOf("Unmatched", "state", exchange.EntryUnmatched),
			kit.ViewOf("Matched", "state", exchange.EntryMatched), kit.ViewOf("Paid by EFT", "state", exchange.EntryPaid),
			kit.ViewOf("Fees", "state", exchange.EntryFee),
			kit.ViewOf("Told elsewhere", "state", exchange.EntryExplained), kit.ViewOf("Other", "state", exchange.EntryOther)},
		Filters: []kit.Filter[exchange.EntryFilter]{
			kit.StateFilter("state", "a state of a movement", entryStates,
				func(f *exchange.EntryFilter) *exchange.EntryState { return &f.State }),
			kit.PastDateFilter("when", "Booked", func(f *exchange.EntryFilter) *date { return &f.From },
				func(f *exchange.EntryFilter) *date { return &f.To }),
			kit.FromDate("from", "Booked from", func(f *exchange.EntryFilter) *date { return &f.From }),
			kit.ToDate("to", "Booked to", func(f *exchange.EntryFilter) *date { return &f.To }),
			kit.IdFilter("document", "One file from the bank",
				func(f *exchange.EntryFilter) *uuid.UUID { return &f.ArrivalID }),
		},
		Columns: movementColumns,
		Around: func(c echo.Context, l *kit.Listing, v *pages.ListView) error {
			if access.Actor(c).Can(actor.Manage) {
				v.Head.Secondary = append(v.Head.Secondary, components.Button{Label: "Rule for EFT payments", Icon: "settings",
					Href: rulePath})
			}
			return totalBelow(c, l, v)
		},
		Empty: components.Empty{Icon: "money", Title: "No movement is known yet",
			Text: "Movements come with the bank’s statements and notifications."},
	}
}

// Movements serves GET /bank/movements.
func (h *Pages) Movements(c echo.Context) error { return h.movements().Show(c) }

// ExportMovements serves GET /bank/movements/export.
func (h *Pages) ExportMovements(c echo.Context) error { return h.movements().Export(c) }

// ExportedMovements is the list for exports in the background.
func (h *Pages) ExportedMovements() kit.Exportable { return h.movements() }

const mostCandidates = 25

// AskMatch serves GET /bank/movements/{id}/match: which debit is it, and with ?item= what follows.
func (h *Pages) AskMatch(c echo.Context) error {
	n, err := h.movement(c)
	if err != nil {
		return err
	}
	if n.State == exchange.EntryMatched || n.State == exchange.EntryPaid {
		return h.ask(
			c,
			pages.ActView{Title: "Match a movement", Back: components.Link{Text: "Movements", Href: movementsPath},
				Blocked: "This movement is matched already."},
		)
	}
	if item, err := uuid.Parse(c.QueryParam("item")); err == nil {
		return h.confirmMatch(c, n, item)
	}
	return h.showMatch(c, n, http.StatusOK, nil, components.ErrorSummary{})
}

// showMatch lists what a movement may belong to, with what was typed and what is wrong with it.
func (h *Pages) showMatch(c echo.Context, n exchange.EntryLine, status int, typed url.Values,
	wrong components.ErrorSummary) error {
	ctx, who, id := c.Request().Context(), access.Actor(c), n.ID
	search := strings.TrimSpace(c.QueryParam("q"))
	var found []exchange.ItemLine
	if n.PaidCents == 0 {
		var err error
		if found, err = h.Exchange.Candidates(ctx, who, n.Entry, search, mostCandidates); err != nil {
			return err
		}
	}
	offers, err := h.Payments.Offers(ctx, who, n.Entry, search, chosen(typed))
	if err != nil {
		return err
	}
	columns := append(itemColumns(func(i exchange.ItemLine) int64 { return i.AmountCents }), itemFileColumn,
		kit.TextColumn("Named in the text", 20, func(i exchange.ItemLine) string { return i.Named }),
		kit.Column[exchange.ItemLine]{Head: components.Head{Label: "Actions", Hidden: true},
			Cell: func(i exchange.ItemLine) components.Cell {
				return components.Cell{Part: pages.BankChoose(movementPath(id, "match")+"?item="+i.ID.String(), i.Reference)}
			}})
	v := pages.BankMatchView{Back: components.Link{Text: "Movements", Href: movementsPath + "?state=unmatched"},
		Facts: movementFacts(n.Entry), Action: movementPath(id, "match"),
		Search: components.Field{Label: "Search", Name: "q", Value: search, Quiet: true,
			Hint: "Client, e-mail or reference. It finds debits that differ by a fee, too, and any open purchase."},
		Candidates: kit.TableOf("Debits of the same amount", columns, found), NoDebits: n.PaidCents > 0,
		Pay:   payView(n.Entry, offers, search, typed, wrong),
		Named: namedWords(found),
		Empty: components.Empty{
			Icon:  "search",
			Title: "No debit of this amount",
			Text: "Search by the client or the purchase to look further back. If the movement belongs to no debit of yours, " +
				"settle the finding with a note.",
		}}
	return h.show(
		c,
		status,
		"Match a movement",
		func(f layout.Frame) templ.Component { return pages.BankMatch(f, v) },
	)
}

func movementFacts(n exchange.Entry) components.Facts {
	direction := "in, to you"
	if !n.Credit {
		direction = "out, from you"
	}
	booked := n.BookedOn.Format("Mon 2 Jan 2006")
	if by := n.BookedBy.Words(); by != "" {
		booked += ", " + by + ": the bank names no booking day"
	}
	fee := ""
	if n.FeeCents != 0 {
		fee = words.Sum(max(n.FeeCents, -n.FeeCents), n.Currency)
	}
	var paid []components.Fact
	if n.PaidCents > 0 {
		paid = []components.Fact{{Label: "Booked on purchases", Value: words.Sum(n.PaidCents, n.Currency)}}
		if n.LeftCents() > 0 {
			paid = append(paid, components.Fact{Label: "Still to be matched", Value: words.Sum(n.LeftCents(), n.Currency)})
		}
	}
	all := append([]components.Fact{
		{Label: "Amount", Value: words.Sum(n.AmountCents, n.Currency)},
		{Label: "Of it the bank’s fee", Value: fee},
		{Label: "Direction", Value: direction},
		{Label: "Booked on", Value: booked},
		{Label: "Note", Value: n.Note},
		{Label: "Text", Value: n.Text},
		{Label: "Payment text", Value: n.Remittance},
		{Label: "Bank’s reference", Value: n.Reference, Mono: true},
		{Label: "Kind at the bank", Value: n.BankCode, Mono: true},
		{Label: "Reason", Value: n.Reason},
	}, paid...)
	known := slices.DeleteFunc(all, func(f components.Fact) bool { return f.Value == "" })
	return components.Facts{Wide: true, Items: known}
}

// confirmMatch says what follows from a match, by trying it.
func (h *Pages) confirmMatch(c echo.Context, n exchange.EntryLine, itemID uuid.UUID) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	back := components.Link{Text: "Choose another debit", Href: movementPath(n.ID, "match")}
	v := pages.ActView{Title: "Match a movement", Back: back}
	item, err := h.Exchange.Line(ctx, who, itemID)
	fee := n.AmountCents - item.AmountCents
	if fault.Is(err, fault.NotFound) {
		fee = 0 // trying it says so
	} else if err != nil {
		return err
	}
	tried, err := h.Exchange.TryMatch(ctx, who, n.ID, itemID, fee)
	if refused, known := fault.From(err); known && kit.MayShow(err) {
		v.Blocked = refused.Message
		if len(refused.Fields) > 0 {
			v.Blocked = refused.Fields[0].Message
		}
		return h.ask(c, v)
	}
	if err != nil {
		return err
	}
	client, reference := itemName(item)
	v.Question = components.Confirm{ID: "match", Title: "Match this movement to the debit of " + client + "?",
		Text: "Movement of " + words.Sum(n.AmountCents, n.Currency) + ", booked on " + n.BookedOn.Format("Mon 2 Jan 2006") +
			". Purchase " + reference + ", debit date " + item.ActionDate.Format("Mon 2 Jan 2006") + ". " + undoWords(tried),
		Breaks: followsWords(tried), Action: movementPath(n.ID, "match"), CancelHref: back.Href, Button: "Match movement",
		Safe: true, Fields: []components.Pair{{Name: "item", Value: itemID.String()},
			{Name: "fee", Value: strconv.FormatInt(fee, 10)}}}
	if fee != 0 {
		v.Question.Text += " The movement differs from the debit of " + words.Sum(item.AmountCents, n.Currency) + " by " +
			words.Sum(max(fee, -fee), n.Currency) + ": matching accepts that as the bank’s fee."
	}
	return h.ask(c, v)
}

// namedWords say which of the candidates the text of a movement names.
func namedWords(found []exchange.ItemLine) string {
	for _, i := range found {
		if i.Named != "" {
			client, _ := itemName(i)
			return "The text names " + i.Named + ", of " + client + ": it is the first below."
		}
	}
	return ""
}

// undoWords say how long a match can be taken back.
func undoWords(m exchange.Matched) string {
	if len(m.Answers) == 0 {
		return "You can undo this at any time."
	}
	return "You can undo this until " + words.Moment(m.Answers[0].UndoUntil()).Text + " SAST; then what follows is done."
}

// followsWords say what a match changes.
func followsWords(m exchange.Matched) (out []string) {
	for _, a := range m.Answers {
		text := "The debit becomes: " + words.LowerFirst(outcomePills[a.Kind].Word)
		if m.Item.Kind == exchange.Refunds {
			text = "The refund becomes: " + words.LowerFirst(outcomePills[a.Kind].Word)
		}
		if a.Code != "" && a.Code != bank.CodeSuccess {
			text += ", " + words.LowerFirst(bank.Label(a.Code))
		}
		out = append(out, text+". The client’s purchase and your programs follow.")
	}
	for _, f := range m.Findings {
		out = append(out, "A finding is opened: "+f.Text)
	}
	if len(out) == 0 {
		out = []string{"Nothing changes for the client: the movement only counts in the reconciliation."}
	}
	return out
}

// Match serves POST /bank/movements/{id}/match.
func (h *Pages) Match(c echo.Context) error {
	n, err := h.movement(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	item, err := uuid.Parse(form.Get("item"))
	if err != nil {
		return c.Redirect(http.StatusSeeOther, movementPath(n.ID, "match"))
	}
	fee, _ := strconv.ParseInt(form.Get("fee"), 10, 64) // one that cannot be read accepts no difference
	_, err = h.Exchange.Match(c.Request().Context(), access.Actor(c), n.ID, item, fee)
	if fault.Is(err, fault.Invalid) {
		return h.confirmMatch(c, n, item)
	}
	return h.done(c, err, movementPath(n.ID), "The movement is matched.")
}

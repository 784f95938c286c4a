package bankfiles

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// findingLines are the newest findings, with what a person can do about each.
func (h *Pages) findingLines(ctx context.Context, who actor.Actor, f exchange.FindingFilter) ([]pages.BankFindingLine,
	error) {
	page, err := h.Exchange.Findings(ctx, who, f, newest)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, one := range page.Items {
		ids = append(ids, one.MessageID)
	}
	refused, err := h.Exchange.RefusedIn(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	var out []pages.BankFindingLine
	for _, one := range page.Items {
		word := findingWords[one.Kind]
		out = append(out, pages.BankFindingLine{
			Icon:  word.Icon,
			Kind:  "bad",
			Title: word.Title,
			Text:  one.Text,
			Href:  findingPath(one.ID),
			At:    words.Moment(one.OpenedAt),
			Acts:  small(findingActs(one, refused[one.MessageID].Count)),
		})
	}
	return out, nil
}

func small(buttons []components.Button) []components.Button {
	for i := range buttons {
		buttons[i].Small = true
	}
	return buttons
}

// findingActs are the buttons of an open finding, by its kind.
func findingActs(f exchange.Finding, refused int) (out []components.Button) {
	if !f.ClosedAt.IsZero() {
		return nil
	}
	switch f.Kind {
	case exchange.NotAcknowledged:
		out = append(out, actNamed("again").on(f.MessageID), actNamed("confirmation").on(f.MessageID))
	case exchange.Unapproved:
		out = append(out, actNamed("approval").on(f.MessageID), actNamed("refusal").on(f.MessageID))
	case exchange.MessageRefused, exchange.GroupRefused, exchange.Declined, exchange.SetUp:
		if refused > 0 {
			out = append(out, actNamed("replacement").on(f.MessageID), actNamed("dropping").on(f.MessageID))
		}
	case exchange.MissedDeadline:
		out = append(out, components.Button{Label: "Send anyway…", Icon: "forward", Href: findingPath(f.ID, "sending")},
			components.Button{Label: "Mark as not collected…", Icon: "x", Href: findingPath(f.ID, "dropping")})
	case exchange.DamagedOrders:
		out = append(out, components.Button{Label: "Try again…", Icon: "forward", Href: findingPath(f.ID, "sending")},
			components.Button{Label: "Mark as not collected…", Icon: "x", Href: findingPath(f.ID, "dropping")})
	case exchange.Unmatched:
		out = append(
			out,
			components.Button{Label: "Match movements", Icon: "search", Href: movementsPath + "?state=unmatched"},
		)
	case exchange.Unreadables, exchange.NotStored:
		out = append(out, components.Button{Label: "Read again…", Icon: "repeat", Href: findingPath(f.ID, "reading")})
	case exchange.NoStatement:
		out = append(out, components.Button{Label: "Reconciliation", Icon: "calendar", Href: daysPath})
	case exchange.NotPlaced, exchange.NotFetched, exchange.ApprovalNeeded, exchange.UnknownMessage,
		exchange.UnknownItem, exchange.Differs, exchange.LateResult, exchange.StrangeAccount, exchange.PaidAgain:
	}
	return out
}

var findingColumns = []kit.Column[exchange.Finding]{
	kit.ColumnOf("Finding", func(f exchange.Finding) components.Cell {
		return components.Cell{Text: findingWords[f.Kind].Title, Href: findingPath(f.ID), Second: f.Text}
	}).FileText("Finding", 34, func(f exchange.Finding) string { return findingWords[f.Kind].Title }).
		FileText("Text", 60, func(f exchange.Finding) string { return f.Text }),
	kit.PillColumn("State", 12, findingPill),
	kit.MomentColumn("Opened", 20, func(f exchange.Finding) time.Time { return f.OpenedAt }),
	kit.ColumnOf("Settled", func(f exchange.Finding) components.Cell {
		return components.Cell{Time: words.Moment(f.ClosedAt), Second: settledBy(f)}
	}).Zoned().InFile("Settled (SAST)", 20, func(f exchange.Finding) export.Cell { return export.Moment(f.ClosedAt) }).
		FileText("Settled by", 20, settledBy).
		FileText("What was done", 50, func(f exchange.Finding) string { return f.Resolution }),
}

func findingPill(f exchange.Finding) components.Pill {
	if f.ClosedAt.IsZero() {
		return components.Pill{Kind: "bad", Word: "Open"}
	}
	return components.Pill{Kind: "done", Word: "Settled", Title: f.Resolution}
}

func settledBy(f exchange.Finding) string {
	if f.ClosedAt.IsZero() {
		return ""
	}
	return by(f.ClosedBy)
}

func (h *Pages) findings() kit.Shown {
	return &kit.List[exchange.Finding, exchange.FindingFilter]{
		Desk: h.Desk, Exports: h.Exports, Path: findingsPath, Active: section, One: "finding",
		Nav:   components.StatusTabs(nav(findingsPath)),
		Head:  components.PageHead{Title: "Findings", Sub: "What a person must look at about the bank."},
		Query: h.Exchange.Findings, ID: func(f exchange.Finding) uuid.UUID { return f.ID },
		Count: func(ctx context.Context, who actor.Actor, f exchange.FindingFilter) (kit.Tally, error) {
			counts := map[exchange.FindingState]int64{}
			for _, state := range findingStates {
				g := f
				g.State = state
				n, err := h.Exchange.CountFindings(ctx, who, g)
				if err != nil {
					return kit.Tally{}, err
				}
				counts[state] = n
			}
			return kit.TallyOf(counts, kit.Split[exchange.FindingState](string(f.State)), false, 0), nil
		},
		By: "state", Views: []kit.View{kit.ViewOf("Open", "state", exchange.FindingOpen),
			kit.ViewOf("Settled", "state", exchange.FindingClosed)},
		Filters: []kit.Filter[exchange.FindingFilter]{kit.StateFilter("state", "a state of a finding", findingStates,
			func(f *exchange.FindingFilter) *exchange.FindingState { return &f.State })},
		Columns: findingColumns,
		Empty: components.Empty{
			Icon:  "done",
			Title: "Nothing was found yet",
			Text: "What a person must look at appears here: files that were refused, not acknowledged or not readable, " +
				"and money without a debit.",
		},
	}
}

var findingStates = []exchange.FindingState{exchange.FindingOpen, exchange.FindingClosed}

// Findings serves GET /bank/findings.
func (h *Pages) Findings(c echo.Context) error { return h.findings().Show(c) }

// ExportFindings serves GET /bank/findings/export.
func (h *Pages) ExportFindings(c echo.Context) error { return h.findings().Export(c) }

// ExportedFindings is the list for exports in the background.
func (h *Pages) ExportedFindings() kit.Exportable { return h.findings() }

// Finding serves GET /bank/findings/{id}.
func (h *Pages) Finding(c echo.Context) error {
	f, err := h.found(c)
	if err != nil {
		return err
	}
	return h.finding(c, f, nil, nil)
}

func (h *Pages) found(c echo.Context) (f exchange.Finding, err error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return f, err
	}
	return h.Exchange.Finding(c.Request().Context(), access.Actor(c), id)
}

func (h *Pages) finding(c echo.Context, f exchange.Finding, form url.Values, refused error) error {
	left, err := h.Exchange.RefusedIn(c.Request().Context(), access.Actor(c), []string{f.MessageID})
	if err != nil {
		return err
	}
	word := findingWords[f.Kind]
	v := pages.BankFindingView{Title: word.Title, Nav: nav(findingsPath), State: findingPill(f), Text: f.Text,
		Facts: components.Facts{Items: []components.Fact{momentFact("Opened", f.OpenedAt, "")}}}
	add := func(fact components.Fact) { v.Facts.Items = append(v.Facts.Items, fact) }
	if f.MessageID != "" {
		add(components.Fact{Label: "File to the bank", Value: f.MessageID, Href: filePath(f.MessageID)})
	}
	if d, err := h.Exchange.Document(c.Request().Context(), access.Actor(c), f.ArrivalID); err == nil {
		add(components.Fact{Label: "File from the bank", Value: d.FileName, Href: receivedHref(d.ID)})
	}
	if i, err := h.Exchange.Line(c.Request().Context(), access.Actor(c), f.ItemID); err == nil && i.Reference != "" {
		add(components.Fact{Label: "Purchase", Value: i.Reference, Href: words.PurchasePath(i.PurchaseID)})
	}
	if f.ClosedAt.IsZero() {
		v.Help, v.Acts = word.Help, findingActs(f, left[f.MessageID].Count)
		if mayAct(c) {
			byInput, _, _ := kit.Problems(refused)
			v.Action, v.Note = findingPath(f.ID, "settlement"), components.Textarea{
				Label:     "What was done about it",
				Name:      "note",
				Value:     form.Get("note"),
				Error:     byInput["note"],
				Required:  true,
				Rows:      3,
				MaxLength: 1000,
			}
		}
	} else {
		add(momentFact("Settled", f.ClosedAt, ""))
		add(components.Fact{Label: "Settled by", Value: settledBy(f)})
		add(components.Fact{Label: "What was done", Value: f.Resolution})
	}
	return h.show(
		c,
		kit.StatusOf(refused),
		v.Title,
		func(fr layout.Frame) templ.Component { return pages.BankFinding(fr, v) },
	)
}

// Settle serves POST /bank/findings/{id}/settlement.
func (h *Pages) Settle(c echo.Context) error {
	f, err := h.found(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	_, err = h.Exchange.Settle(c.Request().Context(), access.Actor(c), f.ID, form.Get("note"))
	if fault.Is(err, fault.Invalid) {
		return h.finding(c, f, form, err)
	}
	return h.done(c, err, findingPath(f.ID), "The finding is settled.")
}

// Package approvals serves the requests for a second approver.
package approvals

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Approvals serves what waits for a second person, and what needs one.
type Approvals struct {
	Desk    *kit.Desk
	Service *approval.Service
}

const approvalsSection = "attention"

// openShown is how many waiting requests stand on one page.
const openShown = 100

var approvalPills = map[approval.State]components.Pill{
	approval.Open:     {Kind: "wait", Word: "Waiting", Title: "A second approver has to decide."},
	approval.Approved: {Kind: "done", Word: "Approved", Title: "A second approver agreed, and it was done."},
	approval.Refused:  {Kind: "bad", Word: "Refused", Title: "A second approver did not agree; nothing was done."},
	approval.Withdrawn: {Kind: "draft", Word: "Withdrawn",
		Title: "The request was withdrawn, or what it was about has changed."},
	approval.Expired: {Kind: "draft", Word: "Expired", Title: "There was no answer within 7 days; nothing was done."},
}

// List serves GET /approvals.
func (h *Approvals) List(c echo.Context) error {
	view, err := h.lists(c, "/approvals")
	if err != nil {
		return err
	}
	if kit.FragmentFor(c, "results") {
		return html.Send(c, http.StatusOK, pages.ApprovalLists(view))
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Approvals", approvalsSection,
		func(f layout.Frame) templ.Component { return pages.Approvals(f, view) })
}

// lists are the requests that wait, and page by page those that are over.
func (h *Approvals) lists(c echo.Context, path string) (v pages.ApprovalsView, err error) {
	now := h.Desk.Now()
	open, err := h.Service.List(c.Request().Context(), access.Actor(c), true, paging.Ask{Limit: openShown})
	if err != nil {
		return v, err
	}
	v.Open = kit.TableOf("Waiting requests", approvalColumns(now,
		kit.ColumnOf("Expires", func(a approval.Approval) components.Cell {
			return components.Cell{Time: words.Moment(a.ExpiresAt)}
		}).Zoned()), open.Items)
	past := &kit.List[approval.Approval, struct{}]{
		Desk: h.Desk, Path: path, One: "request",
		Query: func(ctx context.Context, who actor.Actor, _ struct{}, ask paging.Ask) (paging.Page[approval.Approval],
			error) {
			return h.Service.List(ctx, who, false, ask)
		},
		ID: func(a approval.Approval) uuid.UUID { return a.ID },
		Columns: approvalColumns(now, kit.ColumnOf("Answered by", func(a approval.Approval) components.Cell {
			return components.Cell{Text: a.DecidedName}
		})),
	}
	v.Past, err = past.View(c)
	return v, err
}

// approvalColumns are those of every list of requests, before the last.
func approvalColumns(now time.Time, last kit.Column[approval.Approval]) []kit.Column[approval.Approval] {
	return []kit.Column[approval.Approval]{
		kit.ColumnOf("Request", func(a approval.Approval) components.Cell {
			return components.Cell{Text: words.Capital(a.Subject.Name),
				Href: words.ApprovalPath(a.ID), Second: a.Reason}
		}),
		kit.PillColumn("State", 0, func(a approval.Approval) components.Pill { return approvalPills[a.Stands(now)] }),
		kit.TextColumn("Asked by", 0, func(a approval.Approval) string { return a.AskedName }),
		kit.ColumnOf("Asked", func(a approval.Approval) components.Cell {
			return components.Cell{Time: words.Moment(a.CreatedAt)}
		}).Zoned(),
		last,
	}
}

// Show serves GET /approvals/:id.
func (h *Approvals) Show(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	return h.page(c, id, nil, nil)
}

func (h *Approvals) page(c echo.Context, id uuid.UUID, form url.Values, refused error) error {
	now := h.Desk.Now()
	s, err := h.Service.Show(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	wrong, _, byField := kit.Problems(refused)
	view := pages.ApprovalView{Title: words.Capital(s.Subject.Name), Pill: approvalPills[s.State], Reason: s.Reason,
		Decision: s.Approval.Decision, Facts: approvalFacts(s)}
	if refused != nil && !byField {
		view.Problem = refused.Error()
	}
	view.Breaks, view.BreaksTitle = s.Subject.Shown, decidedTitles[s.State]
	if s.State == approval.Open {
		view.Breaks, view.BreaksTitle, view.Why = consequences(s, now), "What happens if it is approved", s.Why
		if s.Changed {
			view.Changed = "When it was asked: " + totalsWords(s.Approval, s.Subject.Totals) + ". Now: " +
				totalsWords(s.Approval, s.Now) + "."
			if totalsWords(s.Approval, s.Subject.Totals) == totalsWords(s.Approval, s.Now) {
				view.Changed = "Debits, dates or choices have changed since the request. Approving does what is shown below."
			}
		}
		if s.Mine {
			view.Withdraw, view.Why = words.ApprovalPath(id)+"/withdrawal", "You asked for this. Another person decides."
		}
		if s.Why == "" {
			view.Action, view.Seen = words.ApprovalPath(id)+"/decision", seenPairs(s.Now)
			view.Words = components.Textarea{Label: "Message to the person who asked", Name: "words", Value: form.Get("words"),
				Error: wrong["words"], Hint: "Required if you refuse.", Rows: 3, MaxLength: 1000}
			view.Yes = components.Button{Label: approveWords(s)}
		}
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), view.Title, approvalsSection,
		func(f layout.Frame) templ.Component { return pages.Approval(f, view) })
}

// decidedTitles stand above what the person who decided was shown.
var decidedTitles = map[approval.State]string{approval.Approved: "What was approved",
	approval.Refused: "What was refused"}

// keptLines is how many effects are kept with a decision.
const keptLines = 200

// shownLines are the effects as they are kept with a decision.
func shownLines(s approval.Sheet, now time.Time) []string {
	all := consequences(s, now)
	if more := len(all) - keptLines; more > 0 {
		return append(all[:keptLines:keptLines], "And "+words.Grouped(int64(more))+" more.")
	}
	return all
}

func approvalFacts(s approval.Sheet) components.Facts {
	var f components.Facts
	add := func(label, value, href string) {
		if value != "" {
			f.Items = append(f.Items, components.Fact{Label: label, Value: value, Href: href})
		}
	}
	add("Asked by", s.AskedName, "")
	f.Items = append(f.Items, components.Fact{Label: "Asked", Part: components.When(words.Moment(s.CreatedAt))})
	if s.State == approval.Open {
		f.Items = append(f.Items, components.Fact{Label: "Expires", Part: components.When(words.Moment(s.ExpiresAt))})
	}
	if s.Kind != approval.Loosen && s.Kind != approval.ChangeSetting {
		add("At stake when asked", totalsWords(s.Approval, s.Subject.Totals), "")
	}
	if s.Subject.Client != uuid.Nil {
		add("Client", "View", words.ClientHref(s.Subject.Client))
	}
	if s.Subject.Batch != uuid.Nil {
		add("Batch", "View", words.BatchHref(s.Subject.Batch, "review"))
	}
	const linked = 10
	named := map[uuid.UUID]string{}
	for _, i := range s.Impacts {
		named[i.Token.ID] = i.Token.Named()
	}
	for n, id := range s.Subject.Tokens {
		if n < linked {
			add("Token", cmp.Or(named[id], "View"), words.TokenPath(id))
		}
	}
	if !s.DecidedAt.IsZero() {
		add("Answered by", s.DecidedName, "")
		f.Items = append(f.Items, components.Fact{Label: "Answered", Part: components.When(words.Moment(s.DecidedAt))})
	}
	return f
}

// seenPairs carry what the person was shown.
func seenPairs(s approval.Totals) []components.Pair {
	return []components.Pair{{Name: "tokens", Value: strconv.Itoa(s.Tokens)},
		{Name: "waiting", Value: strconv.Itoa(s.Waiting)},
		{Name: "subscriptions", Value: strconv.Itoa(s.Subscriptions)}, {Name: "digest", Value: s.Digest},
		{Name: "rows", Value: strconv.Itoa(s.Rows)}, {Name: "cents", Value: strconv.FormatInt(s.Cents, 10)}}
}

func seenOf(form url.Values) (s approval.Totals) {
	s.Tokens, _ = strconv.Atoi(form.Get("tokens")) // what is no number was not shown
	s.Waiting, _ = strconv.Atoi(form.Get("waiting"))
	s.Subscriptions, _ = strconv.Atoi(form.Get("subscriptions"))
	s.Digest = form.Get("digest")
	s.Rows, _ = strconv.Atoi(form.Get("rows"))
	s.Cents, _ = strconv.ParseInt(form.Get("cents"), 10, 64)
	return s
}

// Decide serves POST /approvals/:id/decision.
func (h *Approvals) Decide(c echo.Context) error {
	id, form, err := idAndForm(c)
	if err != nil {
		return err
	}
	answer := form.Get("answer")
	sheet, err := h.Service.Show(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	if answer != "yes" && answer != "no" {
		return fault.New(fault.Invalid, "invalid_choice", "Approve it or refuse it.")
	}
	a, err := h.Service.Decide(c.Request().Context(), access.Actor(c), id,
		approval.Verdict{Yes: answer == "yes", Words: form.Get("words"), Seen: seenOf(form),
			Shown: shownLines(sheet, h.Desk.Now())})
	switch {
	case kit.MayShow(err):
		return h.page(c, id, form, err)
	case err != nil:
		return err
	}
	text := "Refused. " + a.AskedName + " gets a mail with your message."
	if a.State == approval.Approved {
		text = "Approved. It is done on behalf of " + a.AskedName + "."
		if a.Kind == approval.StopClient {
			text += " It can be undone on the client’s page."
		}
		if a.Kind == approval.DoMany {
			text = "Approved. It goes on in the background on behalf of " + a.AskedName + ": see Tasks."
		}
		if a.Kind == approval.DeleteTokens {
			text += " The deletion can be undone for ten minutes, on the page of the account."
		}
	}
	return access.RedirectWithFlash(c, "ok", text, words.ApprovalPath(id))
}

func idAndForm(c echo.Context) (uuid.UUID, url.Values, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return id, nil, err
	}
	form, err := kit.FormOf(c)
	return id, form, err
}

// Withdraw serves POST /approvals/:id/withdrawal.
func (h *Approvals) Withdraw(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	_, err = h.Service.Withdraw(c.Request().Context(), access.Actor(c), id)
	switch {
	case fault.Is(err, fault.Conflict):
		return h.page(c, id, nil, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The request is withdrawn.", "/approvals")
}

// mayManage tells whether the person sets what needs a second person.
func mayManage(c echo.Context) bool { return access.Actor(c).Can(actor.Manage) }

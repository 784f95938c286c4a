package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/batch"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Approvals serves what waits for a second person, and what needs one.
type Approvals struct {
	Desk    *Desk
	Service *approval.Service
}

const approvalsRoom = "attention"

// openShown is how many waiting requests stand on one page.
const openShown = 100

var approvalPills = map[approval.State]components.Pill{
	approval.Open:      {Kind: "wait", Word: "Waiting", Title: "A second approver has to decide."},
	approval.Approved:  {Kind: "done", Word: "Approved", Title: "A second approver agreed, and it was done."},
	approval.Refused:   {Kind: "bad", Word: "Refused", Title: "A second approver did not agree; nothing was done."},
	approval.Withdrawn: {Kind: "draft", Word: "Withdrawn", Title: "The request was taken back, or what it was about changed."},
	approval.Expired:   {Kind: "draft", Word: "Expired", Title: "There was no answer within 7 days; nothing was done."},
}

func approvalPath(id uuid.UUID) string { return "/approvals/" + id.String() }

// toRequest leads to the request that was made.
func toRequest(c echo.Context, a approval.Approval) error {
	if err := access.AddFlash(c, "ok", "A second approver was asked. Everyone who can approve gets a mail."); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, approvalPath(a.ID))
}

// reasonField asks why, for the person who decides.
func reasonField(value, wrong string) *components.Textarea {
	return &components.Textarea{Label: "Reason, for the second approver", Name: "reason", Value: value, Error: wrong, Required: true, Rows: 3, MaxLength: 1000}
}

// List serves GET /approvals.
func (h *Approvals) List(c echo.Context) error {
	view, err := h.lists(c, "/approvals")
	if err != nil {
		return err
	}
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.ApprovalLists(view))
	}
	return h.Desk.show(c, http.StatusOK, "Approvals", approvalsRoom, func(f layout.Frame) templ.Component { return pages.Approvals(f, view) })
}

// lists are the requests that wait, and page by page those that are over.
func (h *Approvals) lists(c echo.Context, path string) (v pages.ApprovalsView, err error) {
	now := h.Desk.Now()
	open, err := h.Service.List(c.Request().Context(), access.Actor(c), true, paging.Ask{Limit: openShown})
	if err != nil {
		return v, err
	}
	v.Open = tableOf("Waiting requests", approvalColumns(now, column("Expires", func(a approval.Approval) components.Cell {
		return components.Cell{Time: moment(a.ExpiresAt)}
	}).zoned()), open.Items)
	past := &List[approval.Approval, struct{}]{
		Desk: h.Desk, Path: path, One: "request",
		Query: func(ctx context.Context, who actor.Actor, _ struct{}, ask paging.Ask) (paging.Page[approval.Approval], error) {
			return h.Service.List(ctx, who, false, ask)
		},
		ID: func(a approval.Approval) uuid.UUID { return a.ID },
		Columns: approvalColumns(now, column("Answered by", func(a approval.Approval) components.Cell {
			return components.Cell{Text: a.DecidedName}
		})),
	}
	v.Past, err = past.View(c)
	return v, err
}

// approvalColumns are those of every list of requests, before the last.
func approvalColumns(now time.Time, last Column[approval.Approval]) []Column[approval.Approval] {
	return []Column[approval.Approval]{
		column("Request", func(a approval.Approval) components.Cell {
			return components.Cell{Text: capital(a.Subject.Name), Href: approvalPath(a.ID), Second: a.Reason}
		}),
		pillColumn("State", 0, func(a approval.Approval) components.Pill { return approvalPills[a.Stands(now)] }),
		textColumn("Asked by", 0, func(a approval.Approval) string { return a.AskedName }),
		column("Asked", func(a approval.Approval) components.Cell { return components.Cell{Time: moment(a.CreatedAt)} }).zoned(),
		last,
	}
}

// Show serves GET /approvals/:id.
func (h *Approvals) Show(c echo.Context) error {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	return h.page(c, id, nil, nil)
}

func (h *Approvals) page(c echo.Context, id uuid.UUID, form url.Values, refused error) error {
	now := h.Desk.Now()
	s, err := h.Service.Show(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	wrong, _, byField := problems(refused)
	view := pages.ApprovalView{Title: capital(s.Subject.Name), Pill: approvalPills[s.State], Reason: s.Reason, Decision: s.Approval.Decision, Facts: approvalFacts(s)}
	if refused != nil && !byField {
		view.Problem = refused.Error()
	}
	if s.State == approval.Open {
		view.Breaks, view.Why = consequences(s, now), s.Why
		if s.Changed {
			view.Changed = "When it was asked: " + stakesWords(s.Subject.Stakes) + ". Now: " + stakesWords(s.Now) + "."
			if stakesWords(s.Subject.Stakes) == stakesWords(s.Now) {
				view.Changed = "Debits, dates or choices have changed since the request. Approving does what is shown below."
			}
		}
		if s.Mine {
			view.Withdraw, view.Why = approvalPath(id)+"/withdrawal", "You asked for this. Another person decides."
		}
		if s.Why == "" {
			view.Action, view.Seen = approvalPath(id)+"/decision", seenPairs(s.Now)
			view.Words = components.Textarea{Label: "Message to the person who asked", Name: "words", Value: form.Get("words"), Error: wrong["words"], Hint: "Required if you refuse.", Rows: 3, MaxLength: 1000}
			view.Yes = components.Button{Label: approveWords(s)}
		}
	}
	return h.Desk.show(c, statusOf(refused), view.Title, approvalsRoom, func(f layout.Frame) templ.Component { return pages.Approval(f, view) })
}

// approveWords repeats the facts on the button.
func approveWords(s approval.Sheet) string {
	if s.Kind == approval.Loosen {
		return "Approve: ask for fewer approvals"
	}
	if s.Kind == approval.SendBatch {
		return "Approve: send " + whatIsDone(s.Effects.Counts) + " · " + sum(s.Now.Cents, money.ZAR)
	}
	return "Approve: delete " + counted(int64(s.Now.Tokens), "token")
}

func stakesWords(s approval.Stakes) string {
	if s.Rows > 0 || s.Tokens == 0 {
		return whatIsDone(batch.Counts{Ready: s.Rows, Creates: s.Creates, Debits: s.Debits}) + " · " + sum(s.Cents, money.ZAR)
	}
	words := counted(int64(s.Tokens), "token") + ", " + counted(int64(s.Waiting), "scheduled purchase") + " of " + sum(s.Cents, money.ZAR)
	if s.Subscriptions > 0 {
		words += ", " + counted(int64(s.Subscriptions), "subscription")
	}
	return words
}

// consequences says what an approval does.
func consequences(s approval.Sheet, now time.Time) (out []string) {
	if l := s.Subject.Loosening; l != nil {
		return []string{"A second approver is needed now: " + l.BeforeInWords() + ".", "And then: " + l.AfterInWords() + ".", "The other admins are told by mail."}
	}
	for _, i := range s.Impacts {
		out = append(append(out, impactWords(i, now)), i.Lines()...)
	}
	if s.Kind == approval.SendBatch {
		out = append(effectLines(s.Effects), disputeLines(s.Effects)...)
		if o := s.Subject.Order; o != nil && o.Hold > 0 {
			return append(out, "Nothing is sent in the first "+counted(int64(o.Hold/time.Minute), "minute")+": it can be stopped until then.")
		}
		return append(out, "Sending starts at once.")
	}
	if gone := len(s.Subject.Tokens) - len(s.Impacts); gone > 0 {
		out = append(out, counted(int64(gone), "account")+" of the request: deleted or being deleted already.")
	}
	return out
}

func approvalFacts(s approval.Sheet) components.Facts {
	var f components.Facts
	add := func(label, value, href string) {
		if value != "" {
			f.Items = append(f.Items, components.Fact{Label: label, Value: value, Href: href})
		}
	}
	add("Asked by", s.AskedName, "")
	f.Items = append(f.Items, components.Fact{Label: "Asked", Part: components.When(moment(s.CreatedAt))})
	if s.State == approval.Open {
		f.Items = append(f.Items, components.Fact{Label: "Expires", Part: components.When(moment(s.ExpiresAt))})
	}
	if s.Kind != approval.Loosen {
		add("At stake when asked", stakesWords(s.Subject.Stakes), "")
	}
	if s.Subject.Batch != uuid.Nil {
		add("Batch", "View", batchHref(s.Subject.Batch, "review"))
	}
	const linked = 10
	for n, id := range s.Subject.Tokens {
		if n < linked {
			add("Token", "View", tokenPath(id))
		}
	}
	if !s.DecidedAt.IsZero() {
		add("Answered by", s.DecidedName, "")
		f.Items = append(f.Items, components.Fact{Label: "Answered", Part: components.When(moment(s.DecidedAt))})
	}
	return f
}

// seenPairs carry what the person was shown.
func seenPairs(s approval.Stakes) []components.Pair {
	return []components.Pair{{Name: "tokens", Value: strconv.Itoa(s.Tokens)}, {Name: "waiting", Value: strconv.Itoa(s.Waiting)},
		{Name: "subscriptions", Value: strconv.Itoa(s.Subscriptions)}, {Name: "digest", Value: s.Digest}, {Name: "rows", Value: strconv.Itoa(s.Rows)}, {Name: "cents", Value: strconv.FormatInt(s.Cents, 10)}}
}

func seenOf(form url.Values) (s approval.Stakes) {
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
	if _, err := h.Service.Show(c.Request().Context(), access.Actor(c), id); err != nil {
		return err
	}
	if answer != "yes" && answer != "no" {
		return fault.New(fault.Invalid, "invalid_choice", "Approve it or refuse it.")
	}
	a, err := h.Service.Decide(c.Request().Context(), access.Actor(c), id, approval.Verdict{Yes: answer == "yes", Words: form.Get("words"), Seen: seenOf(form)})
	switch {
	case mayShow(err):
		return h.page(c, id, form, err)
	case err != nil:
		return err
	}
	text := "Refused. " + a.AskedName + " gets a mail with your message."
	if a.State == approval.Approved {
		text = "Approved. It is done on behalf of " + a.AskedName + "."
		if a.Kind == approval.DeleteTokens {
			text += " The deletion can be undone for ten minutes, on the page of the account."
		}
	}
	if err := access.AddFlash(c, "ok", text); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, approvalPath(id))
}

func idAndForm(c echo.Context) (uuid.UUID, url.Values, error) {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return id, nil, fault.Missing()
	}
	form, err := formOf(c)
	return id, form, err
}

// Withdraw serves POST /approvals/:id/withdrawal.
func (h *Approvals) Withdraw(c echo.Context) error {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	_, err = h.Service.Withdraw(c.Request().Context(), access.Actor(c), id)
	switch {
	case fault.Is(err, fault.Conflict):
		return h.page(c, id, nil, err)
	case err != nil:
		return err
	}
	if err := access.AddFlash(c, "ok", "The request is withdrawn."); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/approvals")
}

// mayManage tells whether the person sets what needs a second person.
func mayManage(c echo.Context) bool { return access.Actor(c).Can(actor.Manage) }

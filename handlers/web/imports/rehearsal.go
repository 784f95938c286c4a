package imports

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/approval"
	"debitdesk/models/book"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Rehearsal serves GET /imports/:id/rehearsal: what the run would do, by row and in sum.
func (h *Imports) Rehearsal(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if i.State == book.ToMap || i.State == book.Checking {
		return c.Redirect(http.StatusSeeOther, href(i.ID, step(i)))
	}
	return h.rehearsalPage(c, i, url.Values{}, nil)
}

func (h *Imports) rehearsalPage(c echo.Context, i book.Import, form url.Values, refused error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	self := href(i.ID, "rehearsal")
	view := pages.ImportRehearsalView{Head: h.head(c, i, "rehearsal", refused), Stats: stats(i), CheckSum: i.CheckSum,
		Verdicts: verdicts(who, i), Action: href(i.ID, "start"), RehearseAction: href(i.ID, "rehearse"),
		Tabs: components.Tabs{Label: "Rows by verdict"}}
	show := book.Verdict(kit.PlainText(c.QueryParam("show")))
	for _, v := range book.Verdicts {
		count := map[book.Verdict]int{book.Created: i.Counts.Created, book.Updated: i.Counts.Updated,
			book.Unchanged: i.Counts.Unchanged, book.Skipped: i.Counts.Skipped, book.Refused: i.Counts.Refused,
			book.Held: i.Counts.Held}[v]
		if show == "" && count > 0 {
			show = v
		}
		if count > 0 || v == show {
			view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: verdictPills[v].Word,
				Href: self + "?show=" + string(v), Count: n(count), Active: v == show})
		}
	}
	rows, err := h.Service.Rows(ctx, who, i.ID, book.RowQuery{Verdicts: []book.Verdict{show},
		After: rowNumber(c.QueryParam("after")), Limit: shownRows + 1})
	if err != nil {
		return err
	}
	if len(rows) > shownRows {
		rows = rows[:shownRows]
		view.MoreHref = self + "?show=" + url.QueryEscape(string(show)) + "&after=" + strconv.Itoa(rows[len(rows)-1].N)
	}
	for _, r := range rows {
		view.Lines = append(view.Lines, line(i, r, ""))
	}
	if view.Groups, err = h.groups(c, i); err != nil {
		return err
	}
	return h.mayStart(c, i, form, refused, &view)
}

// mayStart fills in the button that does it, or why it is not there.
func (h *Imports) mayStart(c echo.Context, i book.Import, form url.Values, refused error,
	view *pages.ImportRehearsalView) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	wrong, _, _ := kit.Problems(refused)
	two, d, err := h.Service.NeedsTwo(ctx, i)
	if err != nil {
		return err
	}
	view.Hidden = []components.Pair{{Name: "seal", Value: i.Seal()}}
	view.Button = "Import " + plural.Of(i.Counts.ToDo(), "row")
	switch not := h.Service.MayStart(ctx, i, i.Seal()); {
	case fault.HasCode(not, "import_outdated"):
		view.Outdated = not.Error()
	case i.State != book.Checked:
	case not != nil:
		view.WhyNot = not.Error()
	case !who.Can(act):
		view.WhyNot = "Finance or an admin can do it."
	default:
		view.MayStart = true
	}
	if a, open, err := h.Approvals.OpenImport(ctx, who, i.ID); err != nil {
		return err
	} else if open {
		view.MayStart, view.WhyNot = false, a.AskedName+" asked for approval of this import as it is now. A change of a row "+
			"makes the request void."
		view.ApprovalHref = "/approvals/" + a.ID.String()
	}
	if two && view.MayStart {
		view.Second = "Your business asks for a second approver before anything of more than " +
			words.Sum(*d.BatchesAbove, "ZAR") + " is sent. This import makes mandates for " + words.Sum(i.Counts.Cents, "ZAR") +
			" a debit together. Nothing is imported before that."
		view.Reason = kit.ReasonField(form.Get("reason"), wrong["reason"])
		view.Button = "Ask for approval: import " + plural.Of(i.Counts.ToDo(), "row")
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Rehearsal of "+i.Name, section,
		func(f layout.Frame) templ.Component { return pages.ImportRehearsal(f, *view) })
}

// Start serves POST /imports/:id/start: it is done as it was rehearsed, or a second person is asked.
func (h *Imports) Start(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	two, _, err := h.Service.NeedsTwo(ctx, i)
	if err != nil {
		return err
	}
	if two && i.State == book.Checked {
		a, err := h.Approvals.Ask(ctx, who, approval.ImportBook, approval.Subject{Import: i.ID, Seal: form.Get("seal")},
			strings.TrimSpace(kit.PlainText(form.Get("reason"))))
		switch {
		case kit.MayShow(err):
			return h.rehearsalPage(c, i, form, err)
		case err != nil:
			return err
		}
		return access.RedirectWithFlash(c, "ok", "A second approver was asked. Nothing is imported before that.",
			"/approvals/"+a.ID.String())
	}
	next, err := h.Service.Start(ctx, who, i.ID, form.Get("seal"))
	if err == nil {
		err = h.goOn(c, next)
	}
	switch {
	case kit.MayShow(err):
		return h.rehearsalPage(c, i, form, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, href(i.ID, "groups"))
}

package kit

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// AskSetting asks a second approver for a change that the person may not make alone. The form that was sent is sent
// again with a reason. Back is where the person came from.
func (d *Desk) AskSetting(c echo.Context, s *approval.Service, t approval.Setting, form url.Values, section string,
	back components.Link) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	planned, err := s.PlanSetting(ctx, who, t)
	if err != nil {
		return err
	}
	var refused error
	if form.Has("reason") {
		a, err := s.Ask(ctx, who, approval.ChangeSetting, approval.Subject{Setting: &t}, form.Get("reason"))
		switch {
		case err == nil:
			return ToRequest(c, a)
		case !MayShow(err):
			return err
		}
		refused = err
	}
	byInput, summary, byField := Problems(refused)
	view := pages.ActView{Title: "Ask for approval", Back: back, Problems: components.ErrorSummary{Items: summary},
		Question: components.Confirm{ID: "ask", Title: "Ask a second approver to agree?", Safe: true,
			Text:   "Your business requires a second approver for settings that direct money. If they agree:",
			Breaks: planned.Lines, Action: c.Request().URL.Path, Button: "Ask for approval", CancelHref: back.Href},
		Lines: ReasonField(form.Get("reason"), byInput["reason"])}
	for _, name := range slices.Sorted(inputsOf(form)) {
		for _, value := range form[name] {
			view.Question.Fields = append(view.Question.Fields, components.Pair{Name: name, Value: value})
		}
	}
	if refused != nil && !byField {
		view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	status := http.StatusOK
	if refused != nil {
		status = StatusOf(refused)
	}
	return d.ShowIn(c, status, view.Title, section, func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// inputsOf are the names in a form, without the reason, which has an input of its own.
func inputsOf(form url.Values) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range form {
			if name != "reason" && !yield(name) {
				return
			}
		}
	}
}

// PendingSettings are the changes that wait for a second approver, of those that are wanted.
func PendingSettings(ctx context.Context, s *approval.Service, who actor.Actor,
	wanted func(approval.Setting) bool) (out []components.Link, err error) {
	open, err := s.OpenSettings(ctx, who)
	for _, a := range open {
		if a.Subject.Setting != nil && wanted(*a.Subject.Setting) {
			out = append(out, components.Link{Text: words.Capital(a.Subject.Name) + ", asked by " + a.AskedName,
				Href: words.ApprovalPath(a.ID)})
		}
	}
	return out, err
}

package settings

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/leaving"
	"debitdesk/models/task"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Book serves GET /settings/book: how a business takes along what it owns.
func (h *Settings) Book(c echo.Context) error { return h.book(c, http.StatusOK, "", nil) }

func (h *Settings) book(c echo.Context, status int, reason string, problem error) error {
	byInput, summary, _ := kit.Problems(problem)
	v := pages.TakeBookView{FormKey: components.Pair{Name: kit.FormKeyName, Value: kit.FormKeyOf(c)},
		Problems: components.ErrorSummary{Items: summary}}
	if (leaving.Wish{Numbers: true}).May(access.Actor(c)) == nil {
		v.Reason = kit.ReasonField(reason, byInput["reason"])
	}
	for _, f := range leaving.Contents() {
		v.Holds = append(v.Holds, f.Name+": "+words.LowerFirst(f.Holds))
	}
	return h.Desk.ShowIn(c, status, "Take your book", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.TakeBook(f, v) })
}

// TakeBook serves POST /settings/book.
func (h *Settings) TakeBook(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	return kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (task.Task, error) {
		return h.Leaving.Ask(ctx, access.Actor(c))
	}, func(task.Task) string { return "/tasks" })
}

// AskBookNumbers serves POST /settings/book/numbers.
func (h *Settings) AskBookNumbers(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	a, err := h.Leaving.AskNumbers(c.Request().Context(), access.Actor(c), form.Get("reason"))
	if _, _, invalid := kit.Problems(err); invalid {
		return h.book(c, http.StatusUnprocessableEntity, form.Get("reason"), err)
	}
	if err != nil {
		return err
	}
	return kit.ToRequest(c, a)
}

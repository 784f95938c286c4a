// Package tasks serves the page of long work that goes on in the background.
package tasks

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/task"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Tasks serves /tasks.
type Tasks struct {
	Desk    *kit.Desk
	Service *task.Service
	Exports *kit.Exports
	Now     func() time.Time // real time
}

const (
	path    = "/tasks"
	perPage = 25
)

// List serves GET /tasks.
func (h *Tasks) List(c echo.Context) error {
	v, err := h.view(c)
	if err != nil {
		return err
	}
	if kit.FragmentFor(c, "tasks") {
		return html.Send(c, http.StatusOK, pages.TaskRows(v))
	}
	return h.Desk.ShowIn(
		c,
		http.StatusOK,
		"Tasks",
		"tasks",
		func(f layout.Frame) templ.Component { return pages.Tasks(f, v) },
	)
}

func (h *Tasks) view(c echo.Context) (v pages.TasksView, err error) {
	ask := paging.Ask{Limit: perPage}
	v.Self = path
	for _, name := range []string{"after", "before"} {
		if id, err := uuid.Parse(c.QueryParam(name)); err == nil {
			ask.From, ask.Newer = id, name == "before"
			v.Self = path + "?" + name + "=" + id.String()
		}
	}
	who := access.Actor(c)
	page, err := h.Service.List(c.Request().Context(), who, ask)
	if err != nil {
		return v, err
	}
	for _, t := range page.Items {
		v.Rows = append(v.Rows, h.line(who, t))
		v.Working = v.Working || t.State.Open()
	}
	if n := len(page.Items); n > 0 {
		if page.Older {
			v.Pager.OlderHref = path + "?after=" + page.Items[n-1].ID.String()
		}
		if page.Newer {
			v.Pager.NewerHref = path + "?before=" + page.Items[0].ID.String()
		}
	}
	return v, nil
}

var pills = map[task.State]components.Pill{
	task.Waiting:   {Kind: "wait", Word: "Waiting", Title: "It begins in a moment."},
	task.Running:   {Kind: "progress", Word: "Running"},
	task.Done:      {Kind: "done", Word: "Done"},
	task.Cancelled: {Kind: "draft", Word: "Cancelled"},
	task.Failed:    {Kind: "bad", Word: "Failed"},
}

// line shows one task to a person.
func (h *Tasks) line(who actor.Actor, t task.Task) pages.TaskLine {
	now := h.Now()
	v := pages.TaskLine{ID: t.ID.String(), Title: t.Title, Asked: t.Asker.Name, When: h.Desk.Real(t.CreatedAt),
		State: pills[t.State], Note: t.Note, Count: Count(t, now)}
	if t.State.Open() {
		if t.Stopping {
			v.State = components.Pill{Kind: "wait", Word: "Stopping", Title: "It ends after the rows under way."}
		}
		v.Progress = components.Progress{Label: percent(t), Value: int(t.Done), Max: int(max(t.Total, t.Done))}
		if t.Total == 0 {
			v.Progress.Max = 0
		}
	}
	if !who.Can(t.Needs) {
		return v
	}
	switch {
	case t.HasFile(now) && h.Service.MayTake(who, t) == nil:
		v.FileHref, v.FileSize = path+"/"+v.ID+"/file", size(t.FileBytes)
		v.Kept = "kept until " + words.DayOf(t.KeptUntil).Text
	case t.State == task.Done && t.Chunks > 0 && !t.HasFile(now):
		v.Kept = "The file was deleted after 7 days."
	case t.State.Open() && !t.Stopping:
		v.CancelHref = path + "/" + v.ID + "/cancellation"
	}
	return v
}

// Count says how many rows are done, how fast, and how long the rest takes.
func Count(t task.Task, now time.Time) string {
	text := words.Grouped(t.Done)
	switch {
	case t.Total > 0 && t.Done < t.Total:
		text += " of " + plural.Of(t.Total, "row")
	default:
		text = plural.Of(t.Done, "row")
	}
	if t.Failed > 0 {
		text += " · " + words.Grouped(t.Failed) + " failed"
	}
	rate, left := t.Pace(now)
	if rate > 0 {
		text += " · " + words.Grouped(rate) + " a second"
	}
	if left > 0 {
		text += " · " + shortly(left) + " left"
	}
	return text
}

// shortly says how long something takes, to the second where it is short.
func shortly(left time.Duration) string {
	if left < time.Minute {
		return plural.Of(max(1, int(left.Round(time.Second)/time.Second)), "second")
	}
	return words.SayLeft(left)
}

func percent(t task.Task) string {
	if t.Total == 0 {
		return "Rows"
	}
	return strconv.FormatInt(t.Done*100/t.Total, 10) + " %"
}

// size says how large a file is.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return words.Grouped(bytes) + " bytes"
	case bytes < 1<<20:
		return words.Grouped(bytes>>10) + " kB"
	}
	return words.Grouped(bytes>>20) + " MB"
}

// AskExport serves POST /tasks/exports.
func (h *Tasks) AskExport(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	return kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (task.Task, error) {
		return h.Exports.Ask(ctx, access.Actor(c), form)
	}, func(task.Task) string { return path })
}

// Cancel serves POST /tasks/:id/cancellation.
func (h *Tasks) Cancel(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	if _, err := h.Service.Cancel(c.Request().Context(), access.Actor(c), id); kit.MayShow(err) {
		if err := access.AddFlash(c, "info", err.Error()); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// File serves GET /tasks/:id/file. Its length is known, so that a browser sees when something is missing.
func (h *Tasks) File(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	t, err := h.Service.Get(ctx, access.Actor(c), id)
	if err != nil {
		return err
	}
	if c.Request().Method != http.MethodHead { // the head alone is not recorded
		t, err = h.Service.Download(ctx, access.Actor(c), id)
	} else if err = h.Service.MayTake(access.Actor(c), t); err == nil && !t.HasFile(h.Now()) {
		return echo.ErrNotFound
	}
	if err != nil {
		return err
	}
	head := c.Response().Header()
	head.Set(echo.HeaderContentType, t.FileType)
	head.Set(echo.HeaderContentLength, strconv.FormatInt(t.FileBytes, 10))
	download.SaveAs(head, t.FileName)
	if c.Request().Method == http.MethodHead {
		return c.NoContent(http.StatusOK)
	}
	to := &kit.Download{C: c, Control: http.NewResponseController(c.Response()), ContentType: t.FileType, Name: t.FileName}
	for n := 1; n <= t.Chunks; n++ {
		part, err := h.Service.Store.Chunk(ctx, t, n)
		if err == nil {
			_, err = to.Write(part)
		}
		if err != nil {
			to.BreakOff()
			return err
		}
	}
	return nil
}

// Line serves GET /tasks/line: what is going on for the person, as the frame of every page shows it.
func (h *Tasks) Line(c echo.Context) error {
	if c.Request().Header.Get("HX-Request") == "" {
		return c.Redirect(http.StatusSeeOther, path)
	}
	line, err := h.Desk.TaskLine(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	return html.Send(c, http.StatusOK, layout.Work(line))
}

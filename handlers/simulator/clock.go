package simulator

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/api/input"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/simulation"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Clock serves GET /sandbox/clock.
func (h *Controls) Clock(c echo.Context) error {
	if err := mayRead(c); err != nil {
		return err
	}
	if forPeople(c) {
		return h.clockPage(c, http.StatusOK, nil)
	}
	return api.JSON(c, http.StatusOK, clockBody(h.Controls.Now()))
}

// MoveClock serves POST /sandbox/clock; it answers when everything that became
// due on the way is done.
func (h *Controls) MoveClock(c echo.Context) error {
	takeYourTime(c)
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	ask := readAsk(body)
	err = body.Err()
	if forPeople(c) {
		return h.moveForPeople(c, ask, err)
	}
	if err != nil {
		return err
	}
	return api.Run(c, http.StatusOK, movedBody, func(ctx context.Context) (simulation.Moved, error) {
		return h.Controls.Move(ctx, access.Actor(c), ask)
	})
}

// takeYourTime lifts the server's limits of time: a long way with many debits ends
// after them. Where a connection has none, as in tests, nothing is lifted.
func takeYourTime(c echo.Context) {
	control := http.NewResponseController(c.Response())
	_ = control.SetReadDeadline(time.Time{}) // it would cancel the request
	_ = control.SetWriteDeadline(time.Time{})
}

func (h *Controls) moveForPeople(c echo.Context, ask simulation.ClockMove, err error) error {
	var moved simulation.Moved
	if err == nil {
		moved, err = h.Controls.Move(c.Request().Context(), access.Actor(c), ask)
	}
	if fault.Is(err, fault.Invalid) {
		return h.clockPage(c, http.StatusUnprocessableEntity, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", movedWords(moved), "/sandbox/clock")
}

func movedWords(m simulation.Moved) string {
	return fmt.Sprintf("It is now %s SAST. On the way: %s, %s.", moment(m.Now).Text,
		plural.Of(m.Done.Collections, "collection"), plural.Of(m.Done.Mails, "mail"))
}

// readAsk takes "now" (an RFC 3339 moment, or Unix seconds), "advance" ("48h",
// "90m", "7d"), or the date and time of the page's form, in SAST.
func readAsk(body *input.Object) (ask simulation.ClockMove) {
	if !body.IsNull("now") {
		ask.Now = readNow(body)
	}
	if text := body.Text("advance", 40); text != "" {
		d, err := readSpan(text)
		if err != nil {
			body.Add("advance", "invalid", "%q is not a length of time such as 48h, 90m or 7d.", text)
		}
		ask.Advance = d
	}
	if day, given := body.Date("date"); given {
		at, err := calendar.ParseTimeOfDay(cmp.Or(body.Text("time", 5), "06:00"))
		if err != nil {
			body.Add("time", "invalid", "Enter a time such as 06:00.")
		}
		ask.Now = at.On(day)
	} else if body.Has("date") {
		body.Add("date", "required", "Enter the day to go to.")
	}
	return ask
}

func readNow(body *input.Object) time.Time {
	text := body.Text("now", 40)
	at, err := time.Parse(time.RFC3339, text)
	if seconds, ok := input.ParseUnix(text); err != nil && ok {
		return seconds
	}
	if err != nil {
		body.Add("now", "invalid", "%q is not a time such as 2026-11-23T09:00:00+02:00.", text)
	}
	return at
}

func readSpan(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

type clockWire struct {
	Now  int64     `json:"now"`
	SAST string    `json:"sast"`
	Done *doneWire `json:"done,omitempty"`
}

type doneWire struct {
	Collections int `json:"collections"`
	Mandates    int `json:"mandates"`
	Webhooks    int `json:"webhooks"`
	Mails       int `json:"mails"`
}

func clockBody(now time.Time) clockWire {
	return clockWire{Now: now.Unix(), SAST: now.In(calendar.SAST).Format(time.RFC3339)}
}

func movedBody(m simulation.Moved) any {
	w := clockBody(m.Now)
	w.Done = &doneWire{m.Done.Collections, m.Done.Mandates, m.Done.Webhooks, m.Done.Mails}
	return w
}

func (h *Controls) clockPage(c echo.Context, status int, wrong error) error {
	now := h.Controls.Now()
	tomorrow := calendar.DateOf(now).AddDays(1)
	v := pages.SandboxClockView{
		Tabs:      h.tabs("/sandbox/clock"),
		Now:       moment(now),
		Weekday:   now.In(calendar.SAST).Format("Monday"),
		MayMove:   mayMove(c),
		OtherBank: !h.Controls.Forces(),
		Steps: []components.Pair{{Name: "advance", Value: "1h"}, {Name: "now", Value: tomorrow.At(6, 0).Format(time.RFC3339)},
			{Name: "advance", Value: "24h"}, {Name: "advance", Value: "7d"}},
		StepLabels: []string{"1 hour on", "To tomorrow, 06:00", "1 day on", "7 days on"},
		Date: components.DateField{Label: "Day", Name: "date", Value: c.FormValue("date"),
			Min: calendar.DateOf(now).String(), Required: true},
		Time: components.Field{Label: "Time", Name: "time", Value: cmp.Or(c.FormValue("time"), "06:00"), Type: "time",
			Width: "s", Required: true, Hint: "SAST"},
	}
	if f, known := fault.From(wrong); known {
		for _, p := range f.Fields {
			name := p.Leaf()
			if name == "now" || name == "advance" {
				name = "date"
			}
			v.Problems.Items = append(v.Problems.Items, components.ErrorItem{Field: name, Text: p.Message})
		}
		if len(f.Fields) == 0 {
			v.Problems.Items = []components.ErrorItem{{Field: "date", Text: f.Message}}
		}
	}
	return h.Desk.ShowIn(c, status, "Sandbox clock", active,
		func(f layout.Frame) templ.Component { return pages.SandboxClock(f, v) })
}

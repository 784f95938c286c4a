package batches

import (
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/batch"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Run serves GET /batches/:id/run, and its progress each second. 286 ends the asking.
func (h *Batches) Run(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	if !b.Started() {
		return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, batchStep(b)))
	}
	return h.runPage(c, b, nil)
}

// stopPolling is the status at which htmx asks no more.
const stopPolling = 286

// failuresShown is how many failed rows are named while it runs.
const failuresShown = 20

func (h *Batches) runPage(c echo.Context, b batch.Batch, refused error) error {
	failed, err := h.failed(c, b)
	if err != nil {
		return err
	}
	n := b.Counts
	done := n.Sent + n.Voided + n.Failed + n.Skipped
	view := pages.BatchRunView{Head: h.head(c, b, "run", refused), Self: words.BatchHref(b.ID, "run"),
		State:  batchPill(b, h.Desk.Now()),
		Action: words.BatchHref(b.ID, "turns"), Failed: failed,
		Working: b.AtWork(), Pace: h.pace(b), Lists: batchLists(b),
		Progress: components.Progress{Label: "Rows done", Text: words.Grouped(int64(done)) + " of " +
			words.Grouped(int64(b.Rows)), Value: done, Max: b.Rows}, Stats: resultStats(b)}
	if access.Actor(c).Can(actor.Bill) {
		switch b.State {
		case batch.Running:
			view.Turns = []pages.BatchTurn{{Turn: "pause", Label: "Pause batch"}, {Turn: "stop", Label: "Stop batch"}}
		case batch.Paused:
			view.Turns = []pages.BatchTurn{{Turn: "resume", Label: resumeWords(b, h.Desk.Now()), Kind: "primary"},
				{Turn: "stop", Label: "Stop batch"}}
		default:
		}
	}
	if b.State == batch.Done || b.State == batch.Stopped {
		view.ResultHref = words.BatchHref(b.ID, "result")
	}
	if c.Request().Header.Get("HX-Target") == pages.ProgressTarget {
		status := http.StatusOK
		if !view.Working {
			status = stopPolling
		}
		return html.Send(c, status, pages.BatchProgress(view))
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Sending "+b.Name, batchesSection,
		func(f layout.Frame) templ.Component { return pages.BatchRun(f, view) })
}

// resumeWords say when a paused batch sends after it is resumed.
func resumeWords(b batch.Batch, now time.Time) string {
	if b.HoldUntil.After(now) {
		return "Resume batch: send at " + words.Moment(b.HoldUntil).Text + " SAST"
	}
	return "Resume batch: send " + plural.Of(b.Counts.Ready, "invoice") + " now"
}

func (h *Batches) failed(c echo.Context, b batch.Batch) (lines []pages.FailedLine, err error) {
	rows, err := h.Service.Rows(c.Request().Context(), access.Actor(c), b.ID,
		batch.RowQuery{States: []batch.RowState{batch.Failed}, Limit: failuresShown})
	for _, r := range rows {
		lines = append(lines, pages.FailedLine{Row: strconv.Itoa(r.N), Name: r.Name, Why: r.Error})
	}
	return lines, err
}

// longestLeft is the longest time that is foretold: the largest file is sent within it.
const longestLeft = 30 * time.Minute

// pace says how fast it goes and how long it still takes.
func (h *Batches) pace(b batch.Batch) string {
	now := h.Desk.Now()
	switch {
	case b.Held(now):
		return "Held until " + words.Moment(b.HoldUntil).Text + " SAST. Stop it before that and nothing is sent."
	case b.State == batch.Paused && b.HoldUntil.After(now):
		return "Paused. It is held until " + words.Moment(b.HoldUntil).Text +
			" SAST. If you resume it earlier, nothing is sent before then."
	case b.State == batch.Paused && b.Note == "":
		return "Paused. When you resume it, sending starts at once."
	case b.State != batch.Running:
		return b.Note
	}
	from := b.PacedAt // not from the start: a batch that waited for a person is no slower for it
	if from.IsZero() {
		from = b.StartedAt
	}
	if b.HoldUntil.After(from) {
		from = b.HoldUntil
	}
	gone, sent := now.Sub(from), b.Counts.Sent+b.Counts.Voided-b.PacedSent
	if sent <= 0 || gone <= 0 {
		return "Starting."
	}
	perMinute := int64(sent) * int64(time.Minute) / int64(gone)
	left := time.Duration(int64(gone) / int64(sent) * int64(b.Counts.Ready))
	if perMinute == 0 || left > longestLeft {
		return "Sending." // it stood still in between: no pace to speak of
	}
	text := "less than a minute left"
	if left >= time.Minute {
		text = "about " + plural.Of(int64(left/time.Minute)+1, "minute") + " left"
	}
	return words.Grouped(perMinute) + " a minute, " + text + "."
}

// batchLists lead to what a batch has sent.
func batchLists(b batch.Batch) []components.Link {
	n := int64(b.Counts.Sent + b.Counts.Voided)
	if n == 0 {
		return nil
	}
	return []components.Link{{Text: "See the " + plural.Of(n, "invoice"), Href: "/invoices?batch=" + b.ID.String()},
		{Text: "See the " + plural.Of(n, "purchase"), Href: "/purchases?batch=" + b.ID.String()}}
}

func resultStats(b batch.Batch) []components.Stat {
	n := func(label string, count int, cents int64) components.Stat {
		s := components.Stat{Label: label, Value: words.Grouped(int64(count))}
		if cents > 0 {
			s.Note = words.Sum(cents, "ZAR")
		}
		return s
	}
	c := b.Counts
	out := []components.Stat{n("Sent", c.Sent+c.Voided, c.SentCents), n("Not sent yet", c.Left(), c.ReadyCents),
		n("Failed", c.Failed, 0), n("Left out", c.Skipped, 0)}
	if made := int64(c.Sent + c.Voided); made > 0 {
		out[0].Href, out[0].Total = "/purchases?batch="+b.ID.String(), components.CountOf(made)
	}
	if c.Voided > 0 {
		out = append(out, n("Voided", c.Voided, 0))
		if out[0].Note != "" {
			out[0].Note += " not voided"
		}
	}
	return out
}

// Turn serves POST /batches/:id/turns: pause, resume, stop, repair.
func (h *Batches) Turn(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	turn := map[string]func() (batch.Batch, error){
		"pause":  func() (batch.Batch, error) { return h.Service.Pause(ctx, who, b.ID) },
		"resume": func() (batch.Batch, error) { return h.Service.Resume(ctx, who, b.ID) },
		"stop":   func() (batch.Batch, error) { return h.Service.Stop(ctx, who, b.ID) },
		"repair": func() (batch.Batch, error) { return h.Service.Repair(ctx, who, b.ID) },
	}[form.Get("turn")]
	if turn == nil {
		return fault.New(fault.Invalid, "invalid_choice", "A batch cannot do that.")
	}
	after, err := turn()
	switch {
	case kit.MayShow(err) && b.Started():
		return h.runPage(c, b, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, batchStep(after)))
}

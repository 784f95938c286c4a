package batches

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/batch"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Review serves GET /batches/:id/review. The address says after which row the next invoice is looked at.
func (h *Batches) Review(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	if step := batchStep(b); b.State == batch.ToMap || b.State == batch.Checking {
		return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, step))
	}
	return h.reviewPage(c, b, nil, nil)
}

func (h *Batches) reviewPage(c echo.Context, b batch.Batch, form url.Values, refused error) error {
	after, _ := rowNumber(c.QueryParam("after"))
	v, err := h.Service.Review(c.Request().Context(), access.Actor(c), b.ID, after)
	if err != nil {
		return err
	}
	wrong, _, _ := kit.Problems(refused)
	b = v.Batch
	n := b.Counts
	view := pages.BatchReviewView{Head: h.head(b, "review", refused), Action: words.BatchHref(b.ID, "start"),
		Brand: v.BrandName, CheckHref: words.BatchHref(b.ID, "check"),
		All: pages.SumLine{Rows: words.Grouped(int64(n.Ready)), Sum: words.Sum(n.ReadyCents, "")},
		Hidden: []components.Pair{{Name: "rows", Value: strconv.Itoa(n.Ready)},
			{Name: "cents", Value: strconv.FormatInt(n.ReadyCents, 10)}, {Name: "fingerprint", Value: b.Seal()},
			{Name: "revision", Value: strconv.Itoa(b.Revision)}},
		Effects: EffectLines(v.Effects), Creates: createLines(b, v.Effects), Debits: debitLines(v.Effects, h.Desk.Now()),
		Disputes: DisputeLines(v.Effects), Limits: limitLines(v.Effects),
		Hold: components.Select{Label: "Hold before sending", Name: "hold", Quiet: true, Error: wrong["hold"],
			Hint:    "Until then you can stop the batch and nothing is sent.",
			Options: holds(form.Get("hold"))},
		Warnings: h.warnings(v)}
	for _, t := range v.Totals {
		view.Totals = append(view.Totals, pages.SumLine{Due: words.SayDay(t.Due, h.Desk.Now()),
			Rows: words.Grouped(int64(t.Rows)), Sum: words.Sum(t.Cents, "")})
	}
	if n.Ready > batch.FirstFew {
		view.FirstFew = &components.Checkbox{Label: "Send the first three, then wait for me", Name: "first_few",
			Checked: form.Get("first_few") != ""}
	}
	if n.Bad > 0 {
		view.Good = &components.Checkbox{Label: fmt.Sprintf("Send only the %s good ones; %s with problems are left out",
			words.Grouped(int64(n.Ready)), plural.Of(n.Bad, "row")),
			Name: "good_only", Checked: form.Get("good_only") != "", Error: wrong["good_only"]}
	}
	if len(view.Warnings) > 0 {
		view.Accept = &components.Checkbox{Label: "I checked the warnings; the rows are right", Name: "warnings",
			Checked: form.Get("warnings") != "", Error: wrong["warnings"]}
	}
	view.Button = "Send " + WhatIsDone(n) + " · " + words.Sum(n.ReadyCents, "ZAR")
	if len(v.Totals) == 1 {
		view.Button += " · due " + words.SayDay(v.Totals[0].Due, h.Desk.Now())
	}
	switch {
	case !access.Actor(c).Can(actor.Bill):
		view.WhyNot = "Finance or an admin can send it."
	case b.State != batch.Checked:
		view.WhyNot = "This batch is " + batch.StateWords[b.State] + "; there is nothing to send now."
	case n.Ready == 0:
		view.WhyNot = "No row is ready. Fix the rows first."
	case n.Unusual > 0:
		view.WhyNot = plural.Of(n.Unusual, "amount") +
			" far from what is usual must be ticked, changed or left out first."
		view.CheckHref = words.BatchHref(b.ID, "check") + "?show=unusual"
	default:
		view.MayStart = true
		switch not := v.Demands.MaySend(access.Actor(c), n.ReadyCents); {
		case fault.HasCode(not, "approval_needed"):
			view.Second = "Your business asks for a second approver before a batch of more than " +
				words.Sum(*v.Demands.BatchesAbove, "ZAR") + " is sent. Nothing is sent before that."
			view.Reason = kit.ReasonField(form.Get("reason"), wrong["reason"])
			view.Button = "Ask for approval: send " + WhatIsDone(n) + " · " + words.Sum(n.ReadyCents, "ZAR")
		case not != nil:
			view.MayStart, view.WhyNot = false, not.Error()
		}
	}
	view.Sketch = h.sketch(b, v, after)
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Review of "+b.Name, batchesSection,
		func(f layout.Frame) templ.Component { return pages.BatchReview(f, view) })
}

func holds(chosen string) (out []components.Option) {
	for _, o := range []struct{ value, text string }{{"0", "Not at all"}, {"5", "5 minutes"}, {"15", "15 minutes"},
		{"60", "1 hour"}, {"240", "4 hours"}} {
		out = append(out, components.Option{Value: o.value, Text: o.text, Selected: o.value == chosen})
	}
	return out
}

func (h *Batches) sketch(b batch.Batch, v batch.Review, after int) *pages.InvoiceSketch {
	if v.First == nil {
		return nil
	}
	p := *v.First
	out := &pages.InvoiceSketch{To: words.PayerName(p), From: v.BrandName, Row: strconv.Itoa(v.FirstRow.N),
		Due: words.SayDay(calendar.DateOf(p.Due), h.Desk.Now()), Total: words.Sum(p.TotalCents, p.Currency),
		NextHref: fmt.Sprintf("%s?after=%d", words.BatchHref(b.ID, "review"), v.FirstRow.N)}
	if after > 0 {
		out.FirstHref = words.BatchHref(b.ID, "review")
	}
	for _, line := range p.Details.Products {
		cents, err := line.LineCents()
		if err != nil {
			continue // such a row is not ready
		}
		name := line.Name
		if !line.Quantity.Equal(decimal.NewFromInt(1)) {
			name = line.Quantity.String() + " × " + name
		}
		out.Lines = append(out.Lines, components.Pair{Name: name, Value: words.Sum(cents, p.Currency)})
	}
	if v.VATCents != nil {
		out.VAT = words.Sum(*v.VATCents, p.Currency)
	}
	return out
}

// warnings are the sentences that must be ticked.
func (h *Batches) warnings(v batch.Review) (out []string) {
	if v.SentBefore != nil {
		out = append(out, "The same rows were sent before: "+v.SentBefore.Name+", "+words.Moment(v.SentBefore.StartedAt).Text+
			".")
	}
	for _, r := range v.Warned {
		for _, w := range r.Warnings {
			switch w {
			case batch.BilledTwice:
				out = append(out, fmt.Sprintf("Row %d: %s is billed %s more than once in this file.", r.N, r.Name,
					words.Sum(r.TotalCents, "ZAR")))
			case batch.BilledLately:
				out = append(out, fmt.Sprintf("Row %d: %s was billed %s within the last seven days.", r.N, r.Name,
					words.Sum(r.TotalCents, "ZAR")))
			default:
				out = append(out, words.Capital(string(w))+".")
			}
		}
	}
	if more := v.Batch.Counts.Warned - len(v.Warned); more > 0 {
		out = append(out, "And "+plural.Of(more, "row")+" more with a warning.")
	}
	return out
}

// Start serves POST /batches/:id/start.
func (h *Batches) Start(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	o := batch.Order{GoodOnly: form.Get("good_only") != "", FirstFew: form.Get("first_few") != "",
		AcceptWarnings: form.Get("warnings") != ""}
	o.Rows, _ = strconv.Atoi(form.Get("rows"))               // what is no number is not what is there
	o.Cents, _ = strconv.ParseInt(form.Get("cents"), 10, 64) // likewise
	o.Fingerprint = form.Get("fingerprint")
	o.Revision, _ = rowNumber(form.Get("revision"))
	minutes, err := strconv.Atoi(cmp.Or(form.Get("hold"), "0")) // refused as too long below
	if err != nil {
		minutes = -1
	}
	o.Hold = time.Duration(min(minutes, 1<<20)) * time.Minute
	_, err = h.Service.Start(c.Request().Context(), access.Actor(c), b.ID, o)
	if fault.HasCode(err, "approval_needed") {
		var a approval.Approval
		if a, err = h.Approvals.Ask(c.Request().Context(), access.Actor(c), approval.SendBatch,
			approval.Subject{Batch: b.ID, Order: &o}, form.Get("reason")); err == nil {
			return kit.ToRequest(c, a)
		}
	}
	switch {
	case kit.MayShow(err):
		return h.reviewPage(c, b, form, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, "run"))
}

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
	view := pages.BatchRunView{Head: h.head(b, "run", refused), Self: words.BatchHref(b.ID, "run"), State: batchPill(b),
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
		return kit.Render(c, status, pages.BatchProgress(view))
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
	from := b.StartedAt
	if b.HoldUntil.After(from) {
		from = b.HoldUntil
	}
	gone, sent := now.Sub(from), b.Counts.Sent
	if sent == 0 || gone <= 0 {
		return "Starting."
	}
	perMinute := int64(sent) * int64(time.Minute) / int64(gone)
	left := time.Duration(int64(gone) / int64(sent) * int64(b.Counts.Ready))
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
	out := []components.Stat{n("Sent", c.Sent+c.Voided, c.SentCents), n("Left", c.Left(), c.ReadyCents),
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

package batches

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	if b, err = h.Service.Refresh(c.Request().Context(), access.Actor(c), b.ID); err != nil {
		return err
	}
	if b.State == batch.Checking { // a long one: its rows were last checked on another day
		return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, "check"))
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
	view := pages.BatchReviewView{Head: h.head(c, b, "review", refused), Action: words.BatchHref(b.ID, "start"),
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
		Warnings: h.warnings(v), Like: likeView(v.Like, v.Batch.Source)}
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
		switch not := v.Demands.MaySend(access.Actor(c), n.AllCents()); {
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
			name += " × " + strings.Replace(line.Quantity.String(), ".", ",", 1) // as the client reads it
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
			if w == batch.BilledTwice || w == batch.BilledLately {
				out = append(out, fmt.Sprintf("Row %d: %s", r.N, warningWords(r, w)))
			} else {
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

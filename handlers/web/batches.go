package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Batches serves the pages on which a file becomes invoices, one address for each step.
type Batches struct {
	Desk      *Desk
	Service   *batch.Service
	Approvals *approval.Service
	Replays   Replays
}

const batchesRoom = "batches"

// steps of a batch, in their order.
var batchSteps = []struct{ key, label string }{{"new", "Start"}, {"map", "Columns"}, {"check", "Check"}, {"review", "Review"}, {"run", "Send"}, {"result", "Result"}}

func batchHref(id uuid.UUID, step string) string { return "/batches/" + id.String() + "/" + step }

// stepper shows how far a batch has come; its steps lead to what may be looked at.
func stepper(b batch.Batch, now string) components.Stepper {
	s := components.Stepper{Label: "Steps of the batch"}
	at := slices.IndexFunc(batchSteps, func(one struct{ key, label string }) bool { return one.key == now })
	furthest := furthestStep(b)
	for i, one := range batchSteps {
		step := components.Step{Label: one.label, State: "next"}
		switch {
		case i == at:
			step.State = "now"
		case i < at:
			step.State = "past"
		}
		if i > 0 && i != at && i <= furthest && b.ID != uuid.Nil {
			step.Href = batchHref(b.ID, one.key)
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}

func furthestStep(b batch.Batch) int {
	switch {
	case b.State == batch.ToMap:
		return 1
	case b.State == batch.Checking:
		return 2
	case b.Started():
		return 5
	}
	return 3
}

// batchStep is where a batch waits for a person.
func batchStep(b batch.Batch) string {
	switch b.State {
	case batch.ToMap:
		return "map"
	case batch.Checking:
		return "check"
	case batch.Checked:
		if b.Counts.Bad > 0 || b.Counts.Ready == 0 {
			return "check"
		}
		return "review"
	case batch.Running, batch.Paused, batch.Voiding:
		return "run"
	case batch.Done, batch.Stopped:
	}
	return "result"
}

var batchPills = map[batch.State]components.Pill{
	batch.ToMap: {Kind: "draft", Word: "Choose columns"}, batch.Checking: {Kind: "progress", Word: "Checking"}, batch.Checked: {Kind: "wait", Word: "Checked"},
	batch.Running: {Kind: "progress", Word: "Sending"}, batch.Paused: {Kind: "wait", Word: "Paused"}, batch.Voiding: {Kind: "progress", Word: "Voiding"},
	batch.Done: {Kind: "done", Word: "Done"}, batch.Stopped: {Kind: "draft", Word: "Stopped"}}

func batchPill(b batch.Batch) components.Pill {
	switch n := b.Counts; {
	case b.State == batch.Done && n.Failed > 0:
		return components.Pill{Kind: "bad", Word: counted(int64(n.Failed), "row") + " failed"}
	case b.State == batch.Done && n.Voided > 0 && n.Sent == 0:
		return components.Pill{Kind: "draft", Word: "Voided"}
	}
	return batchPills[b.State]
}

var batchSources = map[batch.Source]string{batch.FromFile: "File", batch.FromPaste: "Pasted cells", batch.FromClients: "Chosen clients"}

func batchLines(all []batch.Batch) (lines []pages.BatchLine) {
	for _, b := range all {
		lines = append(lines, pages.BatchLine{Name: b.Name, Href: "/batches/" + b.ID.String(), Source: batchSources[b.Source], By: b.Creator.Name,
			Rows: grouped(int64(b.Rows)), Sent: sentRows(b), Sum: sum(b.Counts.SentCents, ""), State: batchPill(b), At: moment(b.CreatedAt)})
	}
	return lines
}

// sentRows says how many rows became invoices, and how many of those invoices were voided since.
func sentRows(b batch.Batch) string {
	n := b.Counts
	text := grouped(int64(n.Sent+n.Voided)) + " of " + counted(int64(b.Rows), "row") + " sent"
	if n.Voided > 0 {
		text += ", " + grouped(int64(n.Voided)) + " voided"
	}
	return text
}

// latestBatches is how many batches the first page shows.
const latestBatches = 5

// Latest are the newest batches, for the first page.
func (h *Batches) Latest(ctx context.Context, who actor.Actor) ([]pages.BatchLine, error) {
	page, err := h.Service.List(ctx, who, paging.Ask{Limit: latestBatches})
	return batchLines(page.Items), err
}

// List serves GET /batches.
func (h *Batches) List(c echo.Context) error {
	ask := paging.Ask{Limit: listLength}
	for _, name := range []string{"after", "before"} {
		if id, err := uuid.Parse(c.QueryParam(name)); err == nil {
			ask.From, ask.Newer = id, name == "before"
		}
	}
	who := access.Actor(c)
	page, err := h.Service.List(c.Request().Context(), who, ask)
	if err != nil {
		return err
	}
	view := pages.BatchesView{MayBill: who.Can(actor.Bill), Why: "Finance or an admin can send a batch.", Rows: batchLines(page.Items)}
	if n := len(page.Items); n > 0 {
		if page.Older {
			view.Pager.OlderHref = "/batches?after=" + page.Items[n-1].ID.String()
		}
		if page.Newer {
			view.Pager.NewerHref = "/batches?before=" + page.Items[0].ID.String()
		}
	}
	return h.Desk.show(c, http.StatusOK, "Batches", batchesRoom, func(f layout.Frame) templ.Component { return pages.Batches(f, view) })
}

// Open serves GET /batches/:id: the step where the batch waits.
func (h *Batches) Open(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, batchHref(b.ID, batchStep(b)))
}

func (h *Batches) find(c echo.Context) (batch.Batch, error) {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return batch.Batch{}, fault.Missing()
	}
	return h.Service.Get(c.Request().Context(), access.Actor(c), id)
}

// head is what stands above every step.
func (h *Batches) head(b batch.Batch, step string, refused error) pages.BatchHead {
	facts := []string{counted(int64(b.Rows), "row")}
	switch b.Format.Kind {
	case sheet.XLSX:
		facts = append(facts, "workbook, sheet "+b.Format.Sheet)
	case sheet.CSV, sheet.Paste:
		if name := separatorNames[b.Format.Separator]; name != "" {
			facts = append(facts, name)
		}
		if b.Format.Encoding != "" {
			facts = append(facts, string(b.Format.Encoding))
		}
		if b.Format.Decimal != "" {
			facts = append(facts, "decimals after "+map[string]string{",": "a comma", ".": "a point"}[string(b.Format.Decimal)])
		}
	}
	_, summary, ok := problems(refused)
	if f, known := fault.From(refused); known && !ok {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	return pages.BatchHead{Name: b.Name, Facts: strings.Join(facts, " · "), Steps: stepper(b, step), Problems: components.ErrorSummary{Items: summary}, Note: b.Note}
}

var separatorNames = map[string]string{",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

// statusOf is 422 or 409 for a page that shows a refusal.
func statusOf(refused error) int {
	switch {
	case refused == nil:
		return http.StatusOK
	case fault.Is(refused, fault.Conflict):
		return http.StatusConflict
	}
	return http.StatusUnprocessableEntity
}

// mayShow tells whether a refusal is shown on the page that caused it.
func mayShow(err error) bool { return fault.Is(err, fault.Invalid) || fault.Is(err, fault.Conflict) }

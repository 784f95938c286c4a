// Package batches serves the steps of a batch, from the file to its result.
package batches

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Batches serves the pages on which a file becomes invoices, one address for each step.
type Batches struct {
	Desk      *kit.Desk
	Service   *batch.Service
	Approvals *approval.Service
	Money     *report.Money
	Clients   func() kit.Rows[client.Client] // the list of clients
	Brands    func(ctx context.Context, merchantID uuid.UUID) ([]merchant.Brand, error)
}

const batchesSection = "batches"

// steps of a batch, in their order.
var batchSteps = []struct{ key, label string }{{"new", "Start"}, {"map", "Columns"}, {"check", "Check"},
	{"review", "Review"}, {"run", "Send"}, {"result", "Result"}}

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
			step.Href = words.BatchHref(b.ID, one.key)
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
	batch.ToMap: {Kind: "draft", Word: "Choose columns"}, batch.Checking: {Kind: "progress", Word: "Checking"},
	batch.Checked: {Kind: "wait", Word: "Checked"},
	batch.Running: {Kind: "progress", Word: "Sending"}, batch.Paused: {Kind: "wait", Word: "Paused"},
	batch.Voiding: {Kind: "progress", Word: "Voiding"},
	batch.Done:    {Kind: "done", Word: "Done"}, batch.Stopped: {Kind: "draft", Word: "Stopped"}}

var batchStates = []batch.State{batch.ToMap, batch.Checking, batch.Checked, batch.Running, batch.Paused, batch.Voiding,
	batch.Done, batch.Stopped}

// StatePill is a state of batches in a word.
func StatePill(s batch.State) components.Pill { return batchPills[s] }

func batchPill(b batch.Batch, now time.Time) components.Pill {
	switch n := b.Counts; {
	case b.Held(now):
		return components.Pill{Kind: "wait", Word: "Held", Title: "Held until " + words.Moment(b.HoldUntil).Text + " SAST"}
	case b.State == batch.Done && n.Failed > 0:
		return components.Pill{Kind: "bad", Word: plural.Of(n.Failed, "row") + " failed"}
	case b.State == batch.Done && n.Voided > 0 && n.Sent == 0:
		return components.Pill{Kind: "draft", Word: "Voided"}
	}
	return batchPills[b.State]
}

var batchSources = map[batch.Source]string{batch.FromFile: "File", batch.FromPaste: "Pasted cells",
	batch.FromClients: "Chosen clients"}

// sentRows says how many rows became invoices, and how many of those invoices were voided since.
func sentRows(b batch.Batch) string {
	n := b.Counts
	text := words.Grouped(int64(n.Sent+n.Voided)) + " of " + plural.Of(b.Rows, "row") + " sent"
	if n.Voided > 0 {
		text += ", " + words.Grouped(int64(n.Voided)) + " voided"
	}
	return text
}

// latestBatches is how many batches the first page shows.
const latestBatches = 5

// Latest are the newest batches, for the first page.
func (h *Batches) Latest(ctx context.Context, who actor.Actor) ([]pages.BatchLine, error) {
	page, err := h.Service.List(ctx, who, batch.Filter{}, paging.Ask{Limit: latestBatches})
	lines := make([]pages.BatchLine, len(page.Items))
	for i, b := range page.Items {
		lines[i] = pages.BatchLine{Name: b.Name, Href: "/batches/" + b.ID.String(), Sent: sentRows(b),
			State: batchPill(b, h.Desk.Now()), At: words.Moment(b.CreatedAt)}
	}
	return lines, err
}

func (h *Batches) list(who actor.Actor) kit.Shown {
	head := components.PageHead{Title: "Batches",
		Primary: components.Button{Label: "New batch", Icon: "plus", Href: "/batches/new", Changes: true}}
	if !who.Can(actor.Bill) {
		head = components.PageHead{Title: "Batches", Sub: "Finance or an admin can send a batch."}
	}
	return &kit.List[batch.Batch, batch.Filter]{
		Desk: h.Desk, Path: "/batches", Active: batchesSection, Head: head, One: "batch", Many: "batches",
		Query: h.Service.List, ID: func(b batch.Batch) uuid.UUID { return b.ID },
		By: "state", Views: []kit.View{
			kit.ViewOf("To do", "state", batch.ToMap, batch.Checked, batch.Paused),
			kit.ViewOf("At work", "state", batch.Checking, batch.Running, batch.Voiding),
			kit.ViewOf("Done", "state", batch.Done),
			kit.ViewOf("Stopped", "state", batch.Stopped),
		},
		Filters: []kit.Filter[batch.Filter]{
			kit.StatesFilter(
				"state",
				"a state of a batch",
				batchStates,
				func(s batch.State) string { return batchPills[s].Word },
				func(f *batch.Filter) *[]batch.State { return &f.States },
			),
			kit.PastFilter("uploaded", "Uploaded", func(f *batch.Filter) *time.Time { return &f.From },
				func(f *batch.Filter) *time.Time { return &f.To }),
			kit.FromDay("from", "Uploaded from", func(f *batch.Filter) *time.Time { return &f.From }),
			kit.ToDay("to", "Uploaded to", func(f *batch.Filter) *time.Time { return &f.To }),
		},
		Columns: []kit.Column[batch.Batch]{
			kit.ColumnOf("Batch", func(b batch.Batch) components.Cell {
				return components.Cell{Text: b.Name, Href: "/batches/" + b.ID.String(),
					Second: batchSources[b.Source] + " · " + b.Creator.Name + " · " + sentRows(b)}
			}),
			kit.PillColumn("State", 0, func(b batch.Batch) components.Pill { return batchPill(b, h.Desk.Now()) }),
			kit.TextColumn("Rows", 0, func(b batch.Batch) string { return words.Grouped(int64(b.Rows)) }).Number(),
			kit.TextColumn("Sent, not voided, ZAR", 0,
				func(b batch.Batch) string { return words.Sum(b.Counts.SentCents, "") }).Number(),
			kit.ColumnOf("Uploaded", func(b batch.Batch) components.Cell {
				return components.Cell{Time: words.Moment(b.CreatedAt)}
			}).Zoned().SortBy(paging.Created),
		}, Sorts: kit.ByAge,
		Empty: components.Empty{Icon: "layers", Title: "No batch yet",
			Text: "Upload a spreadsheet of what your clients owe: " +
				"every row becomes an invoice, and you fix problems here before anything is sent."},
	}
}

// List serves GET /batches.
func (h *Batches) List(c echo.Context) error { return h.list(access.Actor(c)).Show(c) }

// Open serves GET /batches/:id: the step where the batch waits.
func (h *Batches) Open(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, batchStep(b)))
}

func (h *Batches) find(c echo.Context) (batch.Batch, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return batch.Batch{}, err
	}
	return h.Service.Get(c.Request().Context(), access.Actor(c), id)
}

// head is what stands above every step.
func (h *Batches) head(c echo.Context, b batch.Batch, step string, refused error) pages.BatchHead {
	may := access.Actor(c).Can(actor.Bill)
	facts := []string{plural.Of(b.Rows, "row")}
	switch b.Format.Kind {
	case sheet.XLSX:
		facts = append(facts, "workbook, "+sheetWords(b.Format))
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
	_, summary, ok := kit.Problems(refused)
	if f, known := fault.From(refused); known && !ok {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	out := pages.BatchHead{Name: b.Name, Facts: strings.Join(facts, " · "), Steps: stepper(b, step),
		Problems: components.ErrorSummary{Items: summary}, Note: b.Note}
	if b.Draft() && may {
		out.DiscardHref = words.BatchHref(b.ID, "discard")
	}
	return out
}

// sheetWords say which sheet of a workbook was read, and that it has others.
func sheetWords(f sheet.Format) string {
	const named = 5
	text := "sheet “" + f.Sheet + "”"
	others := slices.DeleteFunc(slices.Clone(f.Sheets), func(s string) bool { return s == f.Sheet })
	switch n := len(others); {
	case n > named:
		text += ", " + plural.Of(n, "other sheet") + " not read"
	case n > 0:
		text += ", not read: “" + strings.Join(others, "”, “") + "”"
	}
	return text
}

var separatorNames = map[string]string{",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

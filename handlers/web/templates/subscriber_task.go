package templates

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
	"debitdesk/models/task"
)

// AddKind is the kind of tasks that add many subscribers to a template.
const AddKind = "subscribers"

// addOrder is what such a task was asked for. The key is that of the form: a row of it is added once, in whichever way.
type addOrder struct {
	Template uuid.UUID `json:"template"`
	Key      string    `json:"key"`
	Rows     []addLine `json:"rows"`
	Cents    int64     `json:"cents,omitempty"` // the price that a second approver agreed to; 0: none was asked
}

// addLine is one row of the file.
type addLine struct {
	Number    int           `json:"number"`
	Who       string        `json:"who"`
	Reference string        `json:"reference,omitempty"`
	Client    uuid.UUID     `json:"client"`
	FirstOn   calendar.Date `json:"first_on,omitzero"`
	Problem   string        `json:"problem,omitempty"`
}

func (l addLine) row() bulkRow {
	return bulkRow{number: l.Number, who: l.Who, reference: l.Reference, clientID: l.Client, firstOn: l.FirstOn,
		problem: l.Problem}
}

// addPosition is where such a task goes on.
type addPosition struct {
	Next    int       `json:"next"`
	Skipped int64     `json:"skipped"`
	Made    time.Time `json:"made"`
}

// addInBackground asks for the adding of many rows.
func (h *Templates) addInBackground(c echo.Context, t subscription.Template, formKey string, rows []bulkRow) error {
	who, order := access.Actor(c), addOrder{Template: t.ID, Key: formKey}
	for _, r := range rows {
		order.Rows = append(order.Rows, addLine{Number: r.number, Who: r.who, Reference: r.reference, Client: r.clientID,
			FirstOn: r.firstOn, Problem: r.problem})
	}
	input, err := json.Marshal(order)
	if err != nil {
		return err
	}
	n, to := ready(rows), ""
	if err := kit.OnceAs(c, h.Desk, formKey, func(ctx context.Context) (task.Task, error) {
		return h.Tasks.Ask(
			ctx,
			who,
			task.Wish{Kind: AddKind, Title: "Add " + plural.Of(n, "subscriber") + " to “" + t.Name() + "”",
				Needs: templateAct, Input: input, Total: n},
		)
	}, func(task.Task) string { return "/tasks" }, &to); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "It goes on in the background. You can close the page.", to)
}

// Adding does the tasks that add subscribers.
type Adding struct{ Templates *Templates }

// Begin implements task.Worker.
func (a Adding) Begin() task.Run { return &addRun{templates: a.Templates} }

type addRun struct {
	templates *Templates
	order     addOrder
	read      bool
}

// Close implements task.Run.
func (r *addRun) Close() {}

// stepLines is how many rows one step adds.
const stepLines = 25

var addHeads = []export.Head{{Text: "Row", Width: 8}, {Text: "Client", Width: 30}, {Text: "First date", Width: 12},
	{Text: "Reference", Width: 20}, {Text: "Result", Width: 10}, {Text: "Reason", Width: 60}}

// Step implements task.Run: it adds the next rows. That a row was added is kept in the transaction that adds
// it, so a step that is repeated adds nobody twice.
func (r *addRun) Step(ctx context.Context, t *task.Task, who actor.Actor) (piece task.Piece, err error) {
	var at addPosition
	if err := json.Unmarshal(t.Position, &at); err != nil {
		return piece, err
	}
	if !r.read {
		if err := json.Unmarshal(t.Input, &r.order); err != nil {
			return piece, err
		}
		r.read = true
	}
	file, err := kit.OpenTaskFile(r.templates.Desk, t, "subscribers added", addHeads, &at.Made, at.Next > 0)
	if err != nil {
		return piece, err
	}
	defer file.Release()
	part := r.order.Rows[at.Next:min(at.Next+stepLines, len(r.order.Rows))]
	for _, line := range part {
		row := line.row()
		if r.order.Cents > 0 {
			row.agreed = &r.order.Cents
		}
		result, err := r.templates.addIfReady(ctx, who, r.order.Template, r.order.Key, &row)
		switch {
		case err != nil:
			return piece, err
		case result == leftOut:
			at.Skipped++
		case result == failed:
			t.Failed++
			fallthrough
		default:
			t.Done++
		}
		if err := file.Row(line.cells(string(result), row.problem)); err != nil {
			return piece, err
		}
	}
	at.Next += len(part)
	if piece.More = at.Next < len(r.order.Rows); !piece.More {
		t.Note = addedWords(int64(len(r.order.Rows)), t.Done-t.Failed, at.Skipped, t.Failed) + "."
	}
	return piece, file.End(t, &piece, at)
}

func (l addLine) cells(result, why string) []export.Cell {
	day := export.Cell{}
	if !l.FirstOn.IsZero() {
		day = export.Day(l.FirstOn)
	}
	return []export.Cell{export.Count(int64(l.Number)), kit.TextCell(l.Who), day, kit.TextCell(l.Reference),
		export.Text(result), kit.TextCell(words.Capital(why))}
}

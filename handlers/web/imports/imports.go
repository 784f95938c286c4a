// Package imports serves the pages on which a business moves in: a file of clients, its columns, what is wrong with it,
// what it would do, and the groups that are switched on.
package imports

import (
	"context"
	"encoding/json"
	"fmt"
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
	"debitdesk/models/book"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/task"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Imports serves the pages of an import, one address for each step.
type Imports struct {
	Desk      *kit.Desk
	Service   *book.Service
	Tasks     *task.Service
	Approvals *approval.Service
	Brands    func(ctx context.Context, merchantID uuid.UUID) ([]merchant.Brand, error)
}

const section = "imports"

// act is what changing an import needs.
const act = actor.Bill

var steps = []struct{ key, label string }{{"new", "Start"}, {"map", "Columns"}, {"check", "Problems"},
	{"rehearsal", "Rehearsal"}, {"groups", "Groups"}}

func href(id uuid.UUID, step string) string { return "/imports/" + id.String() + "/" + step }

// stepper shows how far an import has come; its steps lead to what may be looked at.
func stepper(i book.Import, now string) components.Stepper {
	s := components.Stepper{Label: "Steps of the import"}
	at := slices.IndexFunc(steps, func(one struct{ key, label string }) bool { return one.key == now })
	furthest := map[book.State]int{book.ToMap: 1, book.Checking: 2, book.Checked: 3, book.Discarded: 1}[i.State]
	if i.State != "" && furthest == 0 {
		furthest = 4
	}
	for n, one := range steps {
		step := components.Step{Label: one.label, State: "next"}
		switch {
		case n == at:
			step.State = "now"
		case n < at:
			step.State = "past"
		}
		if n > 0 && n != at && n <= furthest && i.ID != uuid.Nil {
			step.Href = href(i.ID, one.key)
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}

// step is where an import waits for a person.
func step(i book.Import) string {
	switch i.State {
	case book.ToMap, book.Discarded:
		return "map"
	case book.Checking:
		return "check"
	case book.Checked:
		if i.Counts.Refused+i.Counts.Held > 0 {
			return "check"
		}
		return "rehearsal"
	case book.Running, book.Done, book.Undoing, book.Undone:
	}
	return "groups"
}

var pills = map[book.State]components.Pill{
	book.ToMap: {Kind: "draft", Word: "Choose columns"}, book.Checking: {Kind: "progress", Word: "Rehearsing"},
	book.Checked: {Kind: "wait", Word: "Rehearsed"}, book.Running: {Kind: "progress", Word: "Running"},
	book.Done: {Kind: "done", Word: "Done"}, book.Undoing: {Kind: "progress", Word: "Undoing"},
	book.Undone: {Kind: "draft", Word: "Undone"}, book.Discarded: {Kind: "draft", Word: "Discarded"}}

func read(i book.Import) string {
	c := i.Counts
	if i.State == book.ToMap || c.Fresh > 0 {
		return plural.Of(i.Rows, "row")
	}
	return fmt.Sprintf("%s: %s created, %s updated, %s unchanged, %s skipped, %s refused, %s held",
		plural.Of(i.Rows, "row"), n(c.Created), n(c.Updated), n(c.Unchanged), n(c.Skipped), n(c.Refused), n(c.Held))
}

func n(count int) string { return words.Grouped(int64(count)) }

func (h *Imports) list(who actor.Actor) kit.Shown {
	head := components.PageHead{Title: "Imports", Sub: "Clients, accounts, mandates and subscriptions from elsewhere",
		Primary: components.Button{Label: "New import", Icon: "upload", Href: "/imports/new", Changes: true}}
	if !who.Can(act) {
		head = components.PageHead{Title: "Imports", Sub: "Finance or an admin can import clients."}
	}
	return &kit.List[book.Import, book.Filter]{
		Desk: h.Desk, Path: "/imports", Active: section, Head: head, One: "import", Many: "imports",
		Query: h.Service.List, ID: func(i book.Import) uuid.UUID { return i.ID },
		By: "state", Views: []kit.View{
			kit.ViewOf("To do", "state", book.ToMap, book.Checked),
			kit.ViewOf("At work", "state", book.Checking, book.Running, book.Undoing),
			kit.ViewOf("Done", "state", book.Done),
			kit.ViewOf("Undone", "state", book.Undone, book.Discarded),
		},
		Filters: []kit.Filter[book.Filter]{
			kit.StatesFilter("state", "a state of an import", book.States,
				func(s book.State) string { return pills[s].Word }, func(f *book.Filter) *[]book.State { return &f.States }),
			kit.PastFilter("uploaded", "Uploaded", func(f *book.Filter) *time.Time { return &f.From },
				func(f *book.Filter) *time.Time { return &f.To }),
			kit.FromDay("from", "Uploaded from", func(f *book.Filter) *time.Time { return &f.From }),
			kit.ToDay("to", "Uploaded to", func(f *book.Filter) *time.Time { return &f.To }),
		},
		Columns: []kit.Column[book.Import]{
			kit.ColumnOf("Import", func(i book.Import) components.Cell {
				return components.Cell{Text: i.Name, Href: "/imports/" + i.ID.String(), Second: i.Creator.Name + " · " + read(i)}
			}),
			kit.PillColumn("State", 0, func(i book.Import) components.Pill { return pills[i.State] }),
			kit.TextColumn("Rows", 0, func(i book.Import) string { return n(i.Rows) }).Number(),
			kit.TextColumn("Groups on", 0, func(i book.Import) string { return n(len(i.Live)) }).Number(),
			kit.ColumnOf("Uploaded", func(i book.Import) components.Cell {
				return components.Cell{Time: words.Moment(i.CreatedAt)}
			}).Zoned().SortBy(paging.Created),
		}, Sorts: kit.ByAge,
		Empty: components.Empty{Icon: "upload", Title: "No import yet",
			Text: "Upload the clients that you have elsewhere. You see what would happen before anything does, and can undo " +
				"it."},
	}
}

// List serves GET /imports.
func (h *Imports) List(c echo.Context) error { return h.list(access.Actor(c)).Show(c) }

// Open serves GET /imports/:id: the step where the import waits.
func (h *Imports) Open(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, href(i.ID, step(i)))
}

func (h *Imports) find(c echo.Context) (book.Import, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return book.Import{}, err
	}
	return h.Service.Get(c.Request().Context(), access.Actor(c), id)
}

// head is what stands above every step.
func (h *Imports) head(c echo.Context, i book.Import, at string, refused error) pages.ImportHead {
	_, summary, ok := kit.Problems(refused)
	if f, known := fault.From(refused); known && !ok {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	facts := []string{plural.Of(i.Rows, "row"), "cut-over " + words.SayDay(i.CutOver, h.Desk.Now())}
	if key := i.Mapping.KeyName(); key != "" && i.State != book.ToMap {
		facts = append(facts, "joined by "+strings.ToLower(key[:1])+key[1:])
	}
	out := pages.ImportHead{Name: i.Name, Facts: strings.Join(facts, " · "), Steps: stepper(i, at), State: pills[i.State],
		Problems: components.ErrorSummary{Items: summary}, Notes: notes(i, at)}
	if i.Draft() && access.Actor(c).Can(act) {
		out.DiscardHref = href(i.ID, "discard")
	}
	return out
}

// Kind is the kind of tasks that work on imports.
const Kind = "import"

type order struct {
	Import uuid.UUID `json:"import"`
}

// Wish is the task that does what waits of an import: it goes on without the page, and after a crash.
func Wish(i book.Import) (task.Wish, error) {
	input, err := json.Marshal(order{i.ID})
	title := map[book.State]string{book.Checking: "Rehearsal of ", book.Running: "Import of ",
		book.Undoing: "Undoing of "}[i.State] + "“" + i.Name + "”"
	return task.Wish{Kind: Kind, Title: title, Needs: act, Input: input, Total: int64(i.Rows), AtOnce: i.Small()}, err
}

// goOn does what waits of a small import before the answer; the rest is done by its task.
func (h *Imports) goOn(c echo.Context, i book.Import) (err error) {
	ctx := c.Request().Context()
	switch {
	case !i.Small():
	case i.State == book.Checking || i.TaskID == uuid.Nil:
		_, err = h.Service.Work(ctx, access.Actor(c), i.ID)
	default:
		err = h.Tasks.WorkAtOnce(ctx, i.TaskID)
	}
	return err
}

// Worker does the tasks of imports.
type Worker struct{ Service *book.Service }

// Begin implements task.Worker.
func (w Worker) Begin() task.Run { return &run{service: w.Service} }

type run struct {
	service *book.Service
	work    *book.Work
	id      uuid.UUID
}

// Close implements task.Run.
func (r *run) Close() {}

// Step implements task.Run: it does the next piece, which is whole or absent, so that a step that is repeated does
// nothing twice.
func (r *run) Step(ctx context.Context, t *task.Task, who actor.Actor) (piece task.Piece, err error) {
	if r.work == nil {
		var o order
		if err := json.Unmarshal(t.Input, &o); err != nil {
			return piece, err
		}
		r.id, r.work = o.Import, r.service.Begin(o.Import)
	}
	if piece.More, err = r.work.Step(ctx, who); err != nil {
		return piece, err
	}
	i, err := r.service.Get(ctx, who, r.id)
	if err != nil {
		return piece, err
	}
	t.Done = int64(done(i))
	if !piece.More {
		t.Done, t.Note = t.Total, read(i)+"."
	}
	return piece, nil
}

// done is how many rows of what goes on are done.
func done(i book.Import) int {
	switch i.State {
	case book.Checking:
		return i.Rows - i.Counts.Fresh
	case book.Undoing:
		return i.Counts.Undone
	default:
		return i.Counts.Applied
	}
}

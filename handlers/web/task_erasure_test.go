package web_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/task"
)

// eraseOne erases a client of a long list.
func eraseOne(t *testing.T, h *handlertest.Server, name string) {
	t.Helper()
	id := bytesOf(t, h, `SELECT id::text FROM clients WHERE full_name = '`+name+`'`)
	h.Page(h.A.Owner, "POST", "/clients/"+id+"/erasure", url.Values{"confirm": {"ERASE"}}).Want(http.StatusSeeOther)
}

// sheetText is what the cells of a workbook say.
func sheetText(t *testing.T, content string) (text string) {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader([]byte(content)))
	must(t, err)
	defer func() { _ = book.Close() }()
	rows, err := book.GetRows(book.GetSheetList()[0])
	must(t, err)
	for _, row := range rows {
		text += strings.Join(row, ";") + "\n"
	}
	return text
}

// A file that is written while a client is erased names nobody who is gone, whenever that happens.
func TestAnExportThatRunsDuringAnErasureNamesNobodyErased(t *testing.T) {
	for _, format := range []string{"csv", "xlsx"} {
		for name, when := range map[string]func(*stepping, func()){
			"after a piece was kept": func(s *stepping, erase func()) {
				s.before = func(step int, _ *task.Task) {
					if step == 2 {
						erase()
					}
				}
			},
			"before a piece is kept": func(s *stepping, erase func()) {
				s.after = func(step int, _ *task.Task) {
					if step == 2 {
						erase()
					}
				}
			},
			"before the last piece is kept": func(s *stepping, erase func()) {
				s.after = func(step int, _ *task.Task) {
					if step == 3 {
						erase()
					}
				}
			},
		} {
			t.Run(format+", "+name, func(t *testing.T) {
				t.Parallel()
				h, steps := longList(t)
				id, _ := asked(t, h, h.A.Owner, "/clients/export?format="+format)
				erased := 0
				when(steps, func() {
					for _, one := range []string{"Payer 39", "Payer 20", "Payer 01"} { // on the first page, and on later ones
						erased++
						eraseOne(t, h, one)
					}
					steps.before, steps.after = nil, nil
				})
				must(t, h.Tasks.TakeUp(t.Context()))
				must(t, h.Tasks.TakeUp(t.Context())) // the first worker has lost it
				if erased != 3 {
					t.Fatalf("%d clients were erased", erased)
				}
				got, err := h.Tasks.Get(t.Context(), h.A.Owner.User.Actor(), id)
				if err != nil || got.State != task.Done || got.Done != 40 {
					t.Fatalf("it is %s after %d rows, %v", got.State, got.Done, err)
				}
				body := h.Page(h.A.Owner, "GET", "/tasks/"+id.String()+"/file", nil).Want(http.StatusOK).Body
				if format == "xlsx" {
					body = sheetText(t, body)
				}
				for _, one := range []string{"Payer 39", "Payer 20", "Payer 01", "p39@", "p20@", "p01@"} {
					if strings.Contains(body, one) {
						t.Errorf("the file still says %s", one)
					}
				}
				if !strings.Contains(body, "Payer 02") || !strings.Contains(body, "Payer 38") {
					t.Errorf("the file holds %s", body)
				}
			})
		}
	}
}

// doing is a worker whose rows are done once, and whose file names them.
type doing struct {
	seen  []string
	erase func()
}

func (d *doing) Begin() task.Run { return d }
func (*doing) Close()            {}
func (d *doing) Step(_ context.Context, t *task.Task, _ actor.Actor) (task.Piece, error) {
	at := strings.Trim(string(t.Position), `{}"`)
	d.seen, t.FileName, t.FileType = append(d.seen, at), "rows.csv", "text/csv"
	t.Position = []byte(`"` + at + `x"`)
	t.Done++
	if len(d.seen) == 2 {
		d.erase()
	}
	return task.Piece{More: len(at) < 3, File: []byte("Payer 39\n")}, nil
}

func TestAnActThatRunsDuringAnErasureGoesOnAndKeepsNoFile(t *testing.T) {
	h, _ := longList(t)
	worker := &doing{erase: func() { eraseOne(t, h, "Payer 39") }}
	h.Tasks.Workers["doing"] = worker
	made, err := h.Tasks.Ask(t.Context(), h.A.Owner.User.Actor(),
		task.Wish{Kind: "doing", Title: "Rows", Needs: actor.Write, Input: []byte("Payer 39"), Total: 4})
	must(t, err)
	must(t, h.Tasks.TakeUp(t.Context()))
	must(t, h.Tasks.TakeUp(t.Context()))
	if got := strings.Join(worker.seen, ","); got != ",x,x,xx,xxx" {
		t.Errorf("steps at %s", got)
	}
	got, err := h.Tasks.Get(t.Context(), h.A.Owner.User.Actor(), made.ID)
	if err != nil || got.State != task.Done || got.Done != 4 || got.HasFile(h.Real()) ||
		!strings.Contains(got.Note, "Its file is not kept") {
		t.Errorf("it is %s, %d rows, %q, %v", got.State, got.Done, got.Note, err)
	}
	if n := h.Count(`SELECT count(*) FROM task_chunks`); n != 0 {
		t.Errorf("%d parts of the file are kept", n)
	}
	h.Page(h.A.Owner, "GET", "/tasks/"+made.ID.String()+"/file", nil).Want(http.StatusNotFound)
}

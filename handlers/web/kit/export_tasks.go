package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/find"
	"debitdesk/models/paging"
	"debitdesk/models/task"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// ExportKind is the kind of tasks that write a list into a file.
const ExportKind = task.Export

// nowKey in the address of an export asks for the file in the answer, however long the list is.
const nowKey = "now"

// ExportSource is a list that can be exported in the background. Open finds it again there; arg is what the list was
// of, such as the id of a template.
type ExportSource struct {
	Needs actor.Action
	Open  func(ctx context.Context, who actor.Actor, arg string) (Exportable, error)
	List  func() Exportable // nil: it needs an argument
}

// Exportable is a list on whose rows a file can be written apart from a request.
type Exportable interface {
	// CountOf counts the rows that an address lets through, as far as a tab does.
	CountOf(ctx context.Context, who actor.Actor, query string) (string, error)
	// Places are the list and its views, for the search.
	Places() []find.Place
	toFile(ctx context.Context, who actor.Actor, query url.Values) (fileOf, error)
}

// Shown is a list, whatever its rows are. Methods give their lists as this: the type of a list in the signature of a
// method would have each package that names the receiver compile all of List for those rows once more.
type Shown interface {
	Exportable
	// Show serves the list as a page of its own, or the part of it that htmx asks for.
	Show(c echo.Context) error
	// View is the list within another page.
	View(c echo.Context) (pages.ListView, error)
	// Export serves the rows as a file.
	Export(c echo.Context) error
}

// fileOf is a list on its way into a file, whatever its rows are.
type fileOf struct {
	list    string
	heads   []export.Head
	filters url.Values
	refused []string
	found   RowsFound
	all     func(ctx context.Context, atMost int64) (int64, error)
	// rows gives the cells of the rows of one page, and the place of the next.
	rows func(ctx context.Context, at paging.Ask, each func([]export.Cell) error) (next paging.Ask, more bool, err error)
}

// Listed makes a list a source that opens without an argument.
func Listed(needs actor.Action, list func() Exportable) ExportSource {
	return ExportSource{Needs: needs, Open: func(context.Context, actor.Actor, string) (Exportable, error) {
		return list(), nil
	}, List: list}
}

func (r *List[T, F]) toFile(ctx context.Context, who actor.Actor, query url.Values) (f fileOf, err error) {
	l := &Listing{path: r.Path, Query: query}
	o, err := r.outgoing(ctx, who, l)
	if err != nil {
		return f, err
	}
	return fileOf{list: o.list, heads: o.heads, filters: o.filters, refused: o.refused, found: o.found, all: o.all,
		rows: func(ctx context.Context, at paging.Ask, each func([]export.Cell) error) (paging.Ask, bool, error) {
			page, err := o.page(ctx, at)
			if err != nil {
				return at, false, err
			}
			for i := range page.Items {
				if err := each(o.cells(page.Items[i])); err != nil {
					return at, false, err
				}
			}
			next, more := page.After(at, o.id)
			return next, more, nil
		}}, nil
}

// exportWish is what a task of this kind was asked for.
type exportWish struct {
	Source string            `json:"source"`
	Arg    string            `json:"arg,omitempty"`
	Format string            `json:"format"`
	Query  map[string]string `json:"query,omitempty"`
}

func (w exportWish) query() url.Values {
	out := url.Values{}
	for name, value := range w.Query {
		out.Set(name, value)
	}
	return out
}

// exportPosition is where such a task goes on.
type exportPosition struct {
	From  uuid.UUID `json:"from"`            // the last row that was written
	Value string    `json:"value,omitempty"` // by which the list is sorted, of that row
	Made  time.Time `json:"made"`
}

// offers tells whether a person is asked how they want the file: of a long list, in a browser.
func (x *Exports) offers(c echo.Context, source string, found RowsFound) bool {
	if x.Tasks == nil || x.Lists[source].Open == nil || !found.above(int64(or(x.Above, exportAbove))) {
		return false
	}
	ask := c.Request()
	return ask.Method == http.MethodGet && !ask.URL.Query().Has(nowKey) &&
		strings.Contains(ask.Header.Get("Accept"), "text/html")
}

// above tells that there are more than so many rows, as far as anybody counted.
func (r RowsFound) above(n int64) bool { return r.n > n || !r.exact && r.n >= n && r.n > 0 }

// offer asks how a person wants the file.
func (x *Exports) offer(c echo.Context, active string, w exportWish, found RowsFound, list, back string) error {
	direct := w.query()
	direct.Set("format", w.Format)
	direct.Set(nowKey, "1")
	v := pages.ExportView{Title: "Export " + list, Back: components.Link{Text: words.Capital(list), Href: back},
		Rows: found.of("row", "rows"), Format: formatWord(w.Format), Action: "/tasks/exports",
		DirectHref: Address(c.Request().URL.Path, direct),
		Fields: []components.Pair{{Name: FormKeyName, Value: FormKeyOf(c)}, {Name: "list", Value: w.Source},
			{Name: "of", Value: w.Arg}, {Name: "format", Value: w.Format}, {Name: "query", Value: w.query().Encode()}}}
	return x.Desk.ShowIn(c, http.StatusOK, v.Title, active, func(f layout.Frame) templ.Component {
		return pages.OfferExport(f, v)
	})
}

func formatWord(format string) string {
	if format == string(export.XLSX) {
		return "Excel workbook"
	}
	return "CSV"
}

// Ask asks for a file in the background, as the form of offer says.
func (x *Exports) Ask(ctx context.Context, who actor.Actor, form url.Values) (task.Task, error) {
	query, err := url.ParseQuery(form.Get("query"))
	source, known := x.Lists[form.Get("list")]
	if err != nil || !known {
		return task.Task{}, fault.Missing()
	}
	if err := who.May(source.Needs); err != nil {
		return task.Task{}, err
	}
	w := exportWish{Source: form.Get("list"), Arg: form.Get("of"), Format: form.Get("format"), Query: flat(query)}
	f, err := x.openFile(ctx, who, w)
	if err != nil {
		return task.Task{}, err
	}
	total := f.found.n
	if !f.found.exact {
		if total, err = f.all(ctx, int64(or(x.MaxRows, exportMaxRows))); err != nil {
			return task.Task{}, err
		}
	}
	input, err := json.Marshal(w)
	if err != nil {
		return task.Task{}, err
	}
	return x.Tasks.Ask(ctx, who, task.Wish{Kind: ExportKind, Title: "Export of " + f.list + ", " + formatWord(w.Format),
		Needs: source.Needs, Input: input, Total: min(total, int64(or(x.MaxRows, exportMaxRows))),
		About: []audit.Entry{audit.Export{List: f.list, Format: w.Format, Filters: flat(f.filters), Rows: f.found.n,
			Exact: f.found.exact, Columns: len(f.heads)}.Entry(who)}})
}

// openFile finds the list of a wish again.
func (x *Exports) openFile(ctx context.Context, who actor.Actor, w exportWish) (fileOf, error) {
	source, known := x.Lists[w.Source]
	if !known {
		return fileOf{}, fault.Missing()
	}
	list, err := source.Open(ctx, who, w.Arg)
	if err != nil {
		return fileOf{}, err
	}
	f, err := list.toFile(ctx, who, w.query())
	if err != nil {
		return fileOf{}, err
	}
	if why := whyNoFile(export.Format(w.Format), f.refused); why != "" {
		return fileOf{}, fault.New(fault.Invalid, "invalid_choice", "%s", why)
	}
	return f, nil
}

// piecePages is how many pages of a list one step of a task writes.
const piecePages = 5

// Begin implements task.Worker.
func (x *Exports) Begin() task.Run { return &exportRun{exports: x} }

// exportRun writes the file of one task in this process. A CSV file is kept part by part, so that another process can
// go on with it. A workbook is written as a whole: another process begins it again.
type exportRun struct {
	exports *Exports
	out     bytes.Buffer
	file    export.Writer
}

// Close implements task.Run.
func (r *exportRun) Close() {
	if r.file != nil {
		r.file.Release()
	}
}

// Step implements task.Run: it writes the next pages of the list.
func (r *exportRun) Step(ctx context.Context, t *task.Task, who actor.Actor) (piece task.Piece, err error) {
	var w exportWish
	var at exportPosition
	if err := errors.Join(json.Unmarshal(t.Input, &w), json.Unmarshal(t.Position, &at)); err != nil {
		return piece, err
	}
	f, err := r.exports.openFile(ctx, who, w)
	if err != nil {
		return piece, err
	}
	format := export.Format(w.Format)
	if r.file == nil {
		if format == export.XLSX && t.Done > 0 {
			t.Done, at = 0, exportPosition{}
		}
		if at.Made.IsZero() {
			at.Made = r.exports.Desk.Now()
			t.FileName, t.FileType = exportName(f.list, at.Made, format), format.ContentType()
		}
		r.file, err = export.Open(format, &r.out, export.Table{Name: words.Capital(f.list), Heads: f.heads, Made: at.Made,
			Follows: t.Done > 0})
		if err != nil {
			return piece, err
		}
	}
	if piece.More, err = r.pages(ctx, f, t, &at); err != nil {
		return piece, err
	}
	finish := r.file.Flush
	if !piece.More {
		finish, t.Total = r.file.Finish, t.Done
	}
	if err := finish(); err != nil {
		return piece, err
	}
	piece.File = bytes.Clone(r.out.Bytes())
	r.out.Reset()
	t.Total = max(t.Total, t.Done)
	t.Position, err = json.Marshal(at)
	return piece, err
}

// pages writes the next pages, and tells whether there are more.
func (r *exportRun) pages(ctx context.Context, f fileOf, t *task.Task, at *exportPosition) (more bool, err error) {
	most, limit := int64(or(r.exports.MaxRows, exportMaxRows)), or(r.exports.PageRows, ExportPageRows)
	for range piecePages {
		full := false
		var next paging.Ask
		next, more, err = f.rows(
			ctx,
			paging.Ask{From: at.From, Value: at.Value, Limit: limit},
			func(cells []export.Cell) error {
				if t.Done == most {
					full = true
					return nil
				}
				t.Done++
				return r.file.Row(cells)
			},
		)
		if at.From, at.Value = next.From, next.Value; err != nil {
			return false, err
		}
		if full || more && t.Done == most {
			t.Note = cutShort(r.exports)
			return false, r.file.Note(t.Note)
		}
		if !more {
			return false, nil
		}
	}
	return true, nil
}

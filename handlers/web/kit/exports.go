package kit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/words"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/task"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Exports is what every list needs in order to be exported.
type Exports struct {
	Desk     *Desk
	Audit    *audit.Exports
	PageRows int // read at once; the default suits a database
	MaxRows  int // a file has no more; a sheet ends soon after the default
	Above    int // longer lists are offered in the background

	Tasks *task.Service
	Lists map[string]ExportSource // that are exported in the background
}

const (
	ExportPageRows = 1000
	exportMaxRows  = 1_000_000
	exportAbove    = 10_000
	// exportPatience is how long the next part of a file may take, to be found or to
	// be taken; a file as a whole may take as long as it likes.
	exportPatience = time.Minute
)

// outgoing is a list on its way into a file: what its page shows under the same
// query, in the same order, from the newest to the last.
type outgoing[T any] struct {
	list    string
	filters url.Values // as understood
	refused []string   // what the address says and nobody understands
	found   RowsFound
	heads   []export.Head
	cells   func(T) []export.Cell
	page    func(ctx context.Context, ask paging.Ask) (paging.Page[T], error)
	id      func(T) uuid.UUID
	all     func(ctx context.Context, atMost int64) (int64, error) // 0: nobody counts
}

// send answers with the file. A program that asks for the head of the answer
// learns it, and nothing is recorded.
func send[T any](c echo.Context, x *Exports, o outgoing[T]) error {
	format := export.Format(c.QueryParam("format"))
	if why := whyNoFile(format, o.refused); why != "" {
		return x.refuse(c, why)
	}
	name := exportName(o.list, x.Desk.Now(), format)
	to := &Download{C: c, Control: http.NewResponseController(c.Response()), ContentType: format.ContentType(), Name: name}
	if c.Request().Method == http.MethodHead {
		to.begin()
		return nil
	}
	err := x.Audit.Begin(c.Request().Context(), access.Actor(c),
		audit.Export{List: o.list, Format: string(format), Filters: flat(o.filters),
			Rows: o.found.n, Exact: o.found.exact, Columns: len(o.heads)})
	if err != nil {
		return err
	}
	if err := write(c.Request().Context(), x, o, format, to); err != nil {
		to.BreakOff()
		return err
	}
	return nil
}

// whyNoFile says why an address gives no file; empty: it gives one.
func whyNoFile(format export.Format, refused []string) string {
	switch {
	case !format.Known():
		return "A list can be exported as CSV or XLSX, and the address asks for neither. " +
			"Choose one in the list’s Export menu."
	case len(refused) > 0:
		// The list says what it leaves out; a file could not, and would hold more than was asked for.
		return "The address asks for something that is not understood. Open the list to see what, and export from there."
	}
	return ""
}

// exportName is what a file is called.
func exportName(list string, made time.Time, format export.Format) string {
	return strings.ReplaceAll(list, " ", "-") + "-" + made.In(calendar.SAST).Format("2006-01-02-1504") +
		"." + string(format)
}

// write reads page by page and writes row by row; the next page is read while one is written. Nothing is answered
// before the first page was read, so that a refusal is a page.
func write[T any](ctx context.Context, x *Exports, o outgoing[T], format export.Format, to *Download) error {
	ctx, leave := context.WithCancel(ctx)
	ask := paging.Ask{Limit: or(x.PageRows, ExportPageRows)}
	page, err := o.page(ctx, ask)
	if err != nil {
		leave()
		return err
	}
	next := ahead[T]{read: o.page}
	defer next.stop()
	defer leave()
	file, err := export.Open(format, to, export.Table{Name: words.Capital(o.list), Heads: o.heads, Made: x.Desk.Now()})
	if err != nil {
		return err
	}
	defer file.Release()
	for left := or(x.MaxRows, exportMaxRows); ; {
		further, more := page.After(ask, o.id)
		if more && left > len(page.Items) {
			ask = further
			next.begin(ctx, ask)
		}
		for i := range page.Items {
			if left == 0 {
				if err := file.Note(cutShort(x)); err != nil {
					return err
				}
				return file.Finish()
			}
			left--
			if err := file.Row(o.cells(page.Items[i])); err != nil {
				return err
			}
		}
		if err := file.Flush(); err != nil {
			return err
		}
		switch {
		case !more:
			return file.Finish()
		case left == 0: // whether there is a row more, the page has said
			if err := file.Note(cutShort(x)); err != nil {
				return err
			}
			return file.Finish()
		}
		to.wait()
		if page, err = next.wait(); err != nil {
			return err
		}
	}
}

// cutShort is the last line of a file that does not hold everything.
func cutShort(x *Exports) string {
	return "Not everything is here: a file ends after " + words.Grouped(int64(or(x.MaxRows, exportMaxRows))) +
		" rows. Narrow the filters to export the rest."
}

// ahead reads one page while another is written.
type ahead[T any] struct {
	read func(ctx context.Context, ask paging.Ask) (paging.Page[T], error)
	came chan pageRead[T] // nil: nothing is being read
}

type pageRead[T any] struct {
	page paging.Page[T]
	err  error
}

func (a *ahead[T]) begin(ctx context.Context, ask paging.Ask) {
	came := make(chan pageRead[T], 1)
	a.came = came
	go func() {
		var r pageRead[T]
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("read the next page: %v\n%s", p, debug.Stack())
			}
			came <- r
		}()
		r.page, r.err = a.read(ctx, ask)
	}()
}

func (a *ahead[T]) wait() (paging.Page[T], error) {
	r := <-a.came
	a.came = nil
	return r.page, r.err
}

// stop waits for what is being read and leaves it.
func (a *ahead[T]) stop() {
	if a.came != nil {
		<-a.came
	}
}

func or(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

func (x *Exports) refuse(c echo.Context, why string) error {
	return html.Send(c, http.StatusBadRequest, x.Desk.ErrorPage(c,
		pages.ErrorView{Status: http.StatusBadRequest, Title: "Nothing was exported", Sentence: why,
			RequestID: access.RequestID(c)}))
}

func flat(values url.Values) map[string]string {
	out := map[string]string{}
	for name, v := range values {
		out[name] = strings.Join(v, ",")
	}
	return out
}

// Download is the answer that becomes a file. Its headers go with its first byte,
// for before that the answer may still be a page that says what went wrong.
type Download struct {
	C                 echo.Context
	Control           *http.ResponseController
	ContentType, Name string
}

func (d *Download) begin() {
	h := d.C.Response().Header()
	h.Set(echo.HeaderContentType, d.ContentType)
	download.SaveAs(h, d.Name)
	d.C.Response().WriteHeader(http.StatusOK)
}

func (d *Download) Write(p []byte) (int, error) {
	if !d.C.Response().Committed {
		d.begin()
	}
	d.wait()
	return d.C.Response().Write(p)
}

// wait gives the next part its time: the limits of the server are made for pages.
func (d *Download) wait() {
	until := time.Now().Add(exportPatience) // the clock of the connection, not the product's
	_ = d.Control.SetReadDeadline(until)    // in tests there is no connection
	_ = d.Control.SetWriteDeadline(until)
}

// BreakOff ends the connection of a file that cannot be completed, so that nobody
// takes what arrived for all of it.
func (d *Download) BreakOff() {
	if !d.C.Response().Committed {
		return
	}
	if conn, _, err := d.Control.Hijack(); err == nil {
		_ = conn.Close()
	}
}

// exportMenu says what an export will hold; without rows there is none.
func exportMenu(found RowsFound, columns int, href func(format string) string) components.Export {
	if found == (RowsFound{exact: true}) {
		return components.Export{}
	}
	return components.Export{Text: "Export " + words.Glue(found.of("row", "rows")) + ", " +
		words.Glue(plural.Of(columns, "column")) + ", SAST",
		CSVHref: href(string(export.CSV)), XLSXHref: href(string(export.XLSX))}
}

// fileHref is the address of a file with what this list shows.
func (l *Listing) fileHref(path, format string) string {
	query := url.Values{"format": {format}}
	for k, v := range l.Query {
		if k != "format" && k != viewKey {
			query[k] = v
		}
	}
	return Address(path, query)
}

// exportOf reads the address of an export as its list would: a place in the list
// means nothing to it, as a file begins with the newest.
func exportOf(c echo.Context, path string) *Listing {
	l := listingOf(c, path)
	l.Query.Del("format")
	l.Query.Del(nowKey)
	l.ask, l.notices = paging.Ask{}, nil
	return l
}

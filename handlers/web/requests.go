package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/calendar"
	"debitdesk/models/credential"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/requestlog"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Requests serves the log of requests to the people who write programs.
type Requests struct {
	Desk        *Desk
	Log         *requestlog.Service
	Credentials *credential.Service
}

const requestsPath = "/developers/requests"

var requestMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// requestClasses are the views of the list.
var requestClasses = []struct {
	class int
	label string
}{{2, "Done"}, {4, "Refused"}, {5, "Failed"}}

// List serves GET /developers/requests.
func (h *Requests) List(c echo.Context) error {
	l := listingOf(c, requestsPath)
	f := requestFilter(l)
	ctx, who := c.Request().Context(), access.Actor(c)
	page, err := h.Log.List(ctx, who, f, l.ask)
	if err != nil {
		return err
	}
	keys, err := h.Credentials.List(ctx, who)
	if err != nil {
		return err
	}
	view := h.listView(l, f, page, keys)
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.RequestResults(view))
	}
	return h.Desk.show(c, http.StatusOK, "Request log", developers, func(fr layout.Frame) templ.Component { return pages.Requests(fr, view) })
}

func requestFilter(l *listing) requestlog.Filter {
	f := requestlog.Filter{Search: requestlog.Plain(l.query.Get("q")), Path: requestlog.Plain(l.query.Get("path")), Method: strings.ToUpper(l.query.Get("method")),
		Replayed: l.query.Get("replayed") != "", DryRun: l.query.Get("dry_run") != ""}
	refuse := func(name, what string) {
		l.refuse("‘" + l.query.Get(name) + "’ is not " + what + ". The filter was ignored.")
		l.query.Del(name)
	}
	if f.Method != "" && !slices.Contains(requestMethods, f.Method) {
		f.Method = ""
		refuse("method", "a method")
	}
	if text := l.query.Get("status"); text != "" {
		class, err := strconv.Atoi(strings.TrimSuffix(text, "xx"))
		if f.Class = class; err != nil || class < 1 || class > 5 {
			f.Class = 0
			refuse("status", "a class of answers")
		}
	}
	if text := l.query.Get("credential"); text != "" {
		id, err := uuid.Parse(text)
		if f.Credential = id; err != nil {
			refuse("credential", "a credential")
		}
	}
	if day := l.date("from"); !day.IsZero() {
		f.From = day.At(0, 0)
	}
	if day := l.date("to"); !day.IsZero() {
		f.To = day.AddDays(1).At(0, 0).Add(-time.Microsecond)
	}
	return f
}

func (h *Requests) listView(l *listing, f requestlog.Filter, page paging.Page[requestlog.Entry], keys []credential.Credential) pages.RequestsView {
	view := pages.RequestsView{Notices: l.notices, Tabs: components.Tabs{Label: "Requests by answer", Target: "#results"},
		Filters: components.FilterBar{Action: requestsPath, Target: "#results", Search: f.Search, SearchLabel: "Search requests", Holder: "Request id, Idempotency-Key or path"}}
	view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: "All", Href: l.with("status", ""), Active: f.Class == 0})
	for _, one := range requestClasses {
		view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: one.label, Href: l.with("status", strconv.Itoa(one.class)), Active: f.Class == one.class})
	}
	if f.Class > 0 {
		view.Filters.Keep = []components.Pair{{Name: "status", Value: strconv.Itoa(f.Class)}}
	}
	h.narrowing(&view, l, f, keys)
	for _, e := range page.Items {
		view.Rows = append(view.Rows, requestRow(e))
	}
	view.Pager = pager(l, page, "#results", "the log", func(e requestlog.Entry) uuid.UUID { return e.ID })
	if view.Pager.Text != "" {
		view.Pager.Text = grouped(int64(len(page.Items))) + " requests" // how many there are nobody counts
	}
	view.Empty = components.Empty{Icon: "code", Title: "No request yet", Text: "The requests of your programs are listed here for 30 days, with the answers they got."}
	if f != (requestlog.Filter{}) || l.ask.From != uuid.Nil {
		view.Empty = components.Empty{Kind: components.NothingMatches, ClearHref: requestsPath}
		for _, chip := range view.Filters.Chips {
			view.Empty.Filters = append(view.Empty.Filters, chip.Label)
		}
		if f.Search != "" {
			view.Empty.Filters = append(view.Empty.Filters, "“"+f.Search+"”")
		}
	}
	return view
}

// narrowing fills the menu of filters, and shows those that are set as chips.
func (h *Requests) narrowing(view *pages.RequestsView, l *listing, f requestlog.Filter, keys []credential.Credential) {
	chip := func(set bool, name, label string) {
		if set {
			view.Filters.Chips = append(view.Filters.Chips, components.Chip{Label: label, RemoveHref: l.with(name, "")})
			view.Filters.ClearHref = requestsPath
		}
	}
	view.Method = components.Select{Label: "Method", Name: "method", Blank: "Any", Quiet: true}
	for _, m := range requestMethods {
		view.Method.Options = append(view.Method.Options, components.Option{Value: m, Text: m, Selected: m == f.Method})
	}
	view.Credential = components.Select{Label: "Credential", Name: "credential", Blank: "Any", Quiet: true}
	called := f.Credential.String()
	for _, k := range keys {
		if k.ID == f.Credential {
			called = k.Name
		}
		view.Credential.Options = append(view.Credential.Options, components.Option{Value: k.ID.String(), Text: k.Name + " · " + lastFour(k.ID), Selected: k.ID == f.Credential})
	}
	view.Path = components.Field{Label: "Path holds", Name: "path", Value: f.Path, Quiet: true}
	view.Replayed = components.Checkbox{Label: "Replayed answers only", Name: "replayed", Checked: f.Replayed}
	view.DryRun = components.Checkbox{Label: "Dry runs only", Name: "dry_run", Checked: f.DryRun}
	view.From = components.DateField{Label: "From", Name: "from", Value: l.query.Get("from")}
	view.To = components.DateField{Label: "To", Name: "to", Value: l.query.Get("to")}
	chip(f.Method != "", "method", f.Method)
	chip(f.Credential != uuid.Nil, "credential", "Credential "+called)
	chip(f.Path != "", "path", "Path holds "+f.Path)
	chip(f.Replayed, "replayed", "Replayed")
	chip(f.DryRun, "dry_run", "Dry run")
	chip(!f.From.IsZero(), "from", "From "+glue(calendar.DateOf(f.From).Format(dayForm)))
	chip(!f.To.IsZero(), "to", "To "+glue(calendar.DateOf(f.To).Format(dayForm)))
}

func requestRow(e requestlog.Entry) pages.RequestRow {
	return pages.RequestRow{Href: requestsPath + "/" + e.ID.String(), Method: e.Method, Path: e.Path, Query: e.Query, Status: answerPill(e), At: secondOf(e.At),
		Took: tookWords(e.TookMicros), Credential: e.CredentialName, Key: e.IdempotencyKey, Badges: requestBadges(e)}
}

func answerPill(e requestlog.Entry) components.Pill {
	p := components.Pill{Kind: "done", Word: strconv.Itoa(e.Status), Title: http.StatusText(e.Status)}
	switch {
	case e.Status >= 500:
		p.Kind = "bad"
	case e.Status >= 400:
		p.Kind = "wait"
	case e.Status >= 300:
		p.Kind = "draft"
	}
	return p
}

func requestBadges(e requestlog.Entry) (badges []components.Pill) {
	if e.Replayed {
		badges = append(badges, components.Pill{Kind: "progress", Word: "Replayed", Title: "Answered as this Idempotency-Key was answered before; nothing was done again."})
	}
	if e.DryRun {
		badges = append(badges, components.Pill{Kind: "draft", Word: "Dry run", Title: "Nothing of it was kept."})
	}
	return badges
}

// tookWords writes a time in milliseconds: "4,2 ms".
func tookWords(micros int64) string {
	text := strconv.FormatFloat(float64(micros)/1000, 'f', 1, 64)
	return glue(strings.Replace(text, ".", ",", 1) + " ms")
}

func secondOf(at time.Time) components.Time {
	t := moment(at)
	t.Text = glue(at.In(calendar.SAST).Format("2 Jan 15:04:05"))
	return t
}

// Show serves GET /developers/requests/:id.
func (h *Requests) Show(c echo.Context) error {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	e, err := h.Log.Get(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	view := requestView(e, h.Desk.BaseURL)
	return h.Desk.show(c, http.StatusOK, "Request", developers, func(fr layout.Frame) templ.Component { return pages.Request(fr, view) })
}

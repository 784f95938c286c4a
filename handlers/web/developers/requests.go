package developers

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
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/credential"
	"debitdesk/models/paging"
	"debitdesk/models/requestlog"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Requests serves the log of requests to the people who write programs.
type Requests struct {
	Desk        *kit.Desk
	Log         *requestlog.Service
	Credentials *credential.Service
}

const requestsPath = "/developers/requests"

func (h *Requests) list(keys []credential.Credential) kit.Shown {
	return &kit.List[requestlog.Entry, requestlog.Filter]{
		Desk: h.Desk, Path: requestsPath, Active: words.Developers, Title: "Request log", One: "request",
		Head: components.PageHead{Title: "Developers",
			Sub: "The requests of your programs, with the answers. Kept " + h.Log.Kept() + "; private data is masked."},
		Nav:   components.DeveloperNav(components.DevRequests, h.Desk.Sandbox),
		Query: h.Log.List, ID: func(e requestlog.Entry) uuid.UUID { return e.ID },
		By: "answer", Views: []kit.View{{Label: "Done", Key: "status", Value: "2"},
			{Label: "Refused", Key: "status", Value: "4"},
			{Label: "Failed", Key: "status", Value: "5"}},
		Search: kit.Search[requestlog.Filter]{Label: "Search requests", Holder: "Request id, Idempotency-Key or path",
			Set: func(f *requestlog.Filter, text string) { f.Search = text }},
		Filters: requestFilters(keys),
		Class:   "requests",
		Columns: []kit.Column[requestlog.Entry]{
			kit.ColumnOf("Request", func(e requestlog.Entry) components.Cell {
				cell := components.Cell{Href: requestsPath + "/" + e.ID.String(), Look: "request-line",
					Part: pages.RequestLine(e.Method, e.Path), Small: "mono breaks"}
				if e.Query != "" {
					cell.Second = "?" + e.Query
				}
				return cell
			}),
			kit.ColumnOf("Answer", func(e requestlog.Entry) components.Cell {
				return components.Cell{Part: pages.Pills(slices.Concat([]components.Pill{answerPill(e)}, requestBadges(e)))}
			}),
			kit.ColumnOf("Took", func(e requestlog.Entry) components.Cell {
				return components.Cell{Text: tookWords(e.TookMicros)}
			}).Number(),
			kit.ColumnOf("Credential", func(e requestlog.Entry) components.Cell {
				return components.Cell{Text: e.CredentialName}
			}),
			kit.ColumnOf("Idempotency-Key", func(e requestlog.Entry) components.Cell {
				if e.IdempotencyKey == "" {
					return components.Cell{Blank: "none", Class: "phone-hide"}
				}
				return components.Cell{Text: e.IdempotencyKey, Look: "mono breaks"}
			}),
			kit.ColumnOf("Asked", func(e requestlog.Entry) components.Cell {
				return components.Cell{Time: secondOf(e.At)}
			}).Zoned().SortBy(paging.Created),
		}, Sorts: kit.ByAge,
		Empty: components.Empty{Icon: "code", Title: "No request yet",
			Text: "The requests of your programs are listed here " + h.Log.Kept() + ", with the answers they got."},
	}
}

// List serves GET /developers/requests.
func (h *Requests) List(c echo.Context) error {
	keys, err := h.Credentials.List(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	return h.list(keys).Show(c)
}

func requestFilters(keys []credential.Credential) []kit.Filter[requestlog.Filter] {
	method := kit.ChoiceFilter("method", "a method", "", components.Select{Label: "Method", Blank: "Any", Quiet: true,
		Options: kit.Options(http.MethodGet,
			http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete)},
		func(f *requestlog.Filter) *string { return &f.Method })
	read := method.Read
	method.Read = func(l *kit.Listing, f *requestlog.Filter) {
		if l.Query.Has("method") {
			l.Query.Set("method", strings.ToUpper(l.Query.Get("method")))
		}
		read(l, f)
	}
	var of []components.Option
	for _, k := range keys {
		of = append(of, components.Option{Value: k.ID.String(), Text: k.Name + " · " + lastFour(k.ID)})
	}
	key := kit.IdFilter("credential", "", func(f *requestlog.Filter) *uuid.UUID { return &f.Credential })
	key.Input = kit.ChooseFrom("credential", components.Select{Label: "Credential", Blank: "Any", Quiet: true,
		Options: of})
	key.Chip = func(_ *kit.Listing, text string) string {
		for _, k := range keys {
			if k.ID.String() == text {
				return "Credential " + k.Name
			}
		}
		return "Credential " + text
	}
	return []kit.Filter[requestlog.Filter]{
		{Key: "status", View: true, Read: readClass,
			Chip: func(_ *kit.Listing, text string) string { return "Answer " + text + "xx" }},
		method, key,
		{Key: "path", Read: func(l *kit.Listing, f *requestlog.Filter) { f.Path = l.Query.Get("path") },
			Chip: func(_ *kit.Listing, text string) string { return "Path holds " + text },
			Input: func(text string) templ.Component {
				return components.Input(components.Field{Label: "Path holds", Name: "path", Value: text, Quiet: true})
			}},
		kit.PastFilter("when", "Asked", func(f *requestlog.Filter) *time.Time { return &f.From },
			func(f *requestlog.Filter) *time.Time { return &f.To }),
		kit.FromDay("from", "From", func(f *requestlog.Filter) *time.Time { return &f.From }),
		kit.ToDay("to", "To", func(f *requestlog.Filter) *time.Time { return &f.To }),
		kit.TickFilter("replayed", "Replayed answers only", "Replayed",
			func(f *requestlog.Filter) *bool { return &f.Replayed }),
		kit.TickFilter("dry_run", "Dry runs only", "Dry run", func(f *requestlog.Filter) *bool { return &f.DryRun }),
	}
}

// readClass reads a class of answers: "4" or "4xx".
func readClass(l *kit.Listing, f *requestlog.Filter) {
	text := strings.TrimSuffix(l.Query.Get("status"), "xx")
	switch class, err := strconv.Atoi(text); {
	case text == "":
	case err != nil || class < 1 || class > 5:
		l.Unknown("status", "a class of answers")
	default:
		f.Class = class
		l.Query.Set("status", text)
	}
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
		badges = append(badges, components.Pill{Kind: "progress", Word: "Replayed",
			Title: "Answered as this Idempotency-Key was answered before; nothing was done again."})
	}
	if e.DryRun {
		badges = append(badges, components.Pill{Kind: "draft", Word: "Dry run", Title: "Nothing of it was kept."})
	}
	return badges
}

// tookWords writes a time in milliseconds: "4,2 ms".
func tookWords(micros int64) string {
	text := strconv.FormatFloat(float64(micros)/1000, 'f', 1, 64)
	return words.Glue(strings.Replace(text, ".", ",", 1) + " ms")
}

func secondOf(at time.Time) components.Time {
	t := words.Moment(at)
	t.Text = words.Glue(at.In(calendar.SAST).Format("2 Jan 15:04:05"))
	return t
}

// Show serves GET /developers/requests/:id.
func (h *Requests) Show(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	e, err := h.Log.Get(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	view := requestView(e, h.Desk.BaseURL)
	return h.Desk.ShowIn(c, http.StatusOK, "Request", words.Developers,
		func(fr layout.Frame) templ.Component { return pages.Request(fr, view) })
}

package bankfiles

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Overview serves GET /bank; ?block=next is the box of the next cut alone.
func (h *Pages) Overview(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	next, err := h.next(ctx, who)
	if err != nil {
		return err
	}
	if c.QueryParam("block") == "next" {
		return html.Send(c, http.StatusOK, pages.BankNextCut(next))
	}
	v := pages.BankOverviewView{
		Nav:  nav(overviewPath),
		Next: next,
		OutEmpty: components.Empty{Icon: "out", Title: "No file has been made yet",
			Text: "The next cut makes one when something is waiting."},
		InEmpty: components.Empty{Icon: "in", Title: "Nothing has come from the bank yet",
			Text: "Answers and statements appear here when they arrive, or when you import them."},
	}
	open := exchange.FindingFilter{State: exchange.FindingOpen}
	if v.Findings, err = h.findingLines(ctx, who, open); err != nil {
		return err
	}
	n, err := h.Exchange.CountFindings(ctx, who, open)
	if err != nil {
		return err
	}
	v.FindingsMore = components.Link{Text: "All findings", Href: findingsPath}
	if more := n - int64(len(v.Findings)); more > 0 {
		v.FindingsMore = components.Link{Text: words.Grouped(more) + " more", Href: OpenFindingsHref}
	}
	out, err := h.Exchange.Messages(ctx, who, exchange.MessageFilter{}, newest)
	if err != nil {
		return err
	}
	in, err := h.Exchange.Documents(ctx, who, exchange.DocumentFilter{}, newest)
	if err != nil {
		return err
	}
	v.Out, v.In = kit.TableOf("Newest files to the bank", inShort(messageColumns), out.Items),
		kit.TableOf("Newest files from the bank", inShort(documentColumns), in.Items)
	return h.show(c, http.StatusOK, "Bank files", func(f layout.Frame) templ.Component { return pages.BankOverview(f, v) })
}

// inShort leaves out what only the lists show.
func inShort[T any](columns []kit.Column[T]) []kit.Column[T] {
	return slices.DeleteFunc(slices.Clone(columns), func(c kit.Column[T]) bool {
		return c.Head.Label == "SHA-256" || c.Head.Label == "Number"
	})
}

// next is what leaves with the next cut.
func (h *Pages) next(ctx context.Context, who actor.Actor) (v pages.BankNext, err error) {
	now, at := h.Desk.Now(), h.Exchange.NextCut()
	v = pages.BankNext{Left: "In " + words.SayLeft(at.Sub(now)), At: words.SayMinute(at, now) + money.NBSP + "SAST",
		Often: "mandate requests, cancellations and recalls leave every " + minutes(h.Exchange.LeavesEvery())}
	waits, err := h.Exchange.Waits(ctx, who)
	for _, w := range waits {
		s := components.Stat{Label: kindWords[w.Kind], Value: words.Grouped(w.Total.Count)}
		if w.Total.Cents > 0 {
			s.Note = words.Sum(w.Total.Cents, money.ZAR)
		}
		v.Waiting = append(v.Waiting, s)
	}
	if err != nil {
		return v, err
	}
	soon, leaving, err := h.Exchange.LeavesSoon(ctx, who)
	if soon {
		v.Soon = "Leaves at " + words.SayMinute(at, now) + money.NBSP + "SAST"
		v.Leaving = kit.TableOf(v.Soon, leavingColumns, leaving)
		v.LeavingAll = components.Link{Text: "Every item that is waiting", Href: itemsPath + "?item_state=waiting"}
	}
	return v, err
}

// leavingColumns are what leaves with the next cut.
var leavingColumns = []kit.Column[exchange.Leaving]{
	kit.TextColumn("Kind", 18, func(l exchange.Leaving) string { return kindWords[l.Kind] }),
	kit.TextColumn("Method", 11, func(l exchange.Leaving) string { return methodWords[l.Method] }),
	kit.DateColumn("Debit date", 14, func(l exchange.Leaving) date { return l.Day }),
	countColumn("Items", func(l exchange.Leaving) int64 { return l.Total.Count }),
	amountColumn("Sum", func(l exchange.Leaving) int64 { return l.Total.Cents }),
}

// minutes says how often: "minute", "15 minutes".
func minutes(every time.Duration) string {
	if every <= time.Minute {
		return "minute"
	}
	return plural.Of(int64(every/time.Minute), "minute")
}

// AskCut serves GET /bank/cut.
func (h *Pages) AskCut(c echo.Context) error {
	waits, err := h.Exchange.Waits(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	v := pages.ActView{Title: "Make files now", Back: components.Link{Text: "Bank files", Href: overviewPath},
		Question: components.Confirm{
			ID:    "cut",
			Title: "Make files of what is waiting?",
			Text: "One file is made for each kind, or more where there are many items. " +
				"They leave at once, before the next cut:",
			Action:     "/bank/cut",
			CancelHref: overviewPath,
			Button:     "Make files now",
			Safe:       true,
		}}
	for _, w := range waits {
		v.Question.Breaks = append(v.Question.Breaks, kindWords[w.Kind]+": "+counted(w.Total.Count, w.Total.Cents))
	}
	if len(waits) == 0 {
		v.Blocked = "Nothing is waiting for the bank."
		return h.show(c, http.StatusOK, v.Title, func(f layout.Frame) templ.Component { return pages.AskAct(f, v) })
	}
	return h.ask(c, v)
}

// Cut serves POST /bank/cut.
func (h *Pages) Cut(c echo.Context) error {
	ids, err := h.Exchange.CutNow(c.Request().Context(), access.Actor(c))
	return h.done(c, err, filesPath, plural.Of(len(ids), "file")+" "+plural.Was(len(ids))+
		" made for the bank. It takes a moment until they are laid out.")
}

// AskImport serves GET /bank/import.
func (h *Pages) AskImport(c echo.Context) error { return h.importForm(c, nil) }

func (h *Pages) importForm(c echo.Context, refused error) error {
	byInput, summary, known := kit.Problems(refused)
	if refused != nil && !known {
		return refused
	}
	v := pages.BankImportView{Back: components.Link{Text: "Bank files", Href: overviewPath},
		Problems: components.ErrorSummary{Items: summary},
		File: components.FileInput{Label: "File", Name: "file", Required: true, Error: byInput["file"],
			Hint: "As you received it from your bank, at most 20 MB."}}
	return h.show(c, kit.StatusOf(refused), "Import a file from the bank",
		func(f layout.Frame) templ.Component { return pages.BankImport(f, v) })
}

// brought is the file that a person sends; a fault when there is none.
func brought(c echo.Context) (name string, content []byte, err error) {
	kit.Patient(c, kit.UploadPatience)
	missing := fault.At("file", "required", "Choose a file from your bank.")
	if err := c.Request().ParseMultipartForm(kit.UploadMemory); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return "", nil, fault.At("file", "too_large", "A file from the bank may have up to %d MB.",
				exchange.MostImported>>20)
		}
		return "", nil, missing
	}
	defer func() { _ = c.Request().MultipartForm.RemoveAll() }()
	part, err := c.FormFile("file")
	if err != nil {
		return "", nil, missing
	}
	opened, err := part.Open()
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = opened.Close() }()
	content, err = io.ReadAll(opened)
	return part.Filename, content, err
}

// Try serves POST /bank/import/trial: what a file would do.
func (h *Pages) Try(c echo.Context) error {
	name, content, err := brought(c)
	if err != nil {
		return h.importForm(c, err)
	}
	t, err := h.Exchange.Try(c.Request().Context(), access.Actor(c), name, content)
	if err != nil {
		return h.importForm(c, err)
	}
	return h.showTrial(c, name, t, components.Link{Text: "Import a file from the bank", Href: "/bank/import"})
}

// Replay serves POST /bank/received/{id}/trial: what a file that came before would do under the profile of today.
func (h *Pages) Replay(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	d, t, err := h.Exchange.Replay(c.Request().Context(), access.Actor(c), id)
	if fault.Is(err, fault.Conflict) {
		return h.done(c, err, receivedHref(id), "")
	}
	if err != nil {
		return err
	}
	return h.showTrial(c, d.FileName, t, components.Link{Text: d.FileName, Href: receivedHref(id)})
}

func (h *Pages) showTrial(c echo.Context, name string, t exchange.Trial, back components.Link) error {
	v := pages.BankTrialView{Name: name, Form: t.Name, Why: t.Why, Left: t.Left, Back: back}
	for _, o := range t.Odd {
		v.Odd = append(v.Odd, o.Line()+".")
	}
	for _, p := range t.Parts {
		v.Parts = append(v.Parts, pages.BankTrialPart{Place: p.Path, Said: p.Said, Lines: p.Lines()})
	}
	return h.show(c, http.StatusOK, "What a file would do",
		func(f layout.Frame) templ.Component { return pages.BankTrial(f, v) })
}

// Import serves POST /bank/import.
func (h *Pages) Import(c echo.Context) error {
	name, content, err := brought(c)
	if err != nil {
		return h.importForm(c, err)
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	d, err := h.Exchange.Import(ctx, who, name, content)
	if fault.Is(err, fault.Invalid) {
		return h.importForm(c, err)
	}
	if err != nil {
		return err
	}
	said := "The file was read."
	if d.Again {
		said = "This file was imported before, on " + words.Moment(d.ArrivedAt).Text + " SAST by " + by(d.BroughtBy) +
			". Nothing has changed."
	}
	switch d.State {
	case exchange.DocumentOpen:
		said = "The end of the file is missing. It is tried again for an hour."
	case exchange.DocumentRejected:
		said = "The file could not be read: " + d.Why
	case exchange.DocumentRead:
	}
	return h.done(c, nil, receivedHref(d.ID), said)
}

package simulator

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	bank "debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
	"debitdesk/models/simulation"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Simulator serves the page on which developers play; sandbox mode alone.
type Simulator struct {
	Desk      *kit.Desk
	Service   *simulation.Service
	Controls  *simulation.Controls
	Calendar  *calendar.Calendar
	Accounts  func() []bank.Magic
	Merchants merchant.Store
}

const simulatorPath = "/developers/simulator"

// Show serves GET /developers/simulator; ?part=runs is what is played alone.
func (h *Simulator) Show(c echo.Context) error { return h.page(c, nil, nil) }

func (h *Simulator) page(c echo.Context, form url.Values, refused error) error {
	who := access.Actor(c)
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	view := pages.SimulatorView{MayPlay: who.Can(actor.MoveClock), OtherBank: !h.Controls.Forces(),
		Self: simulatorPath + "?part=runs"}
	runs, err := h.Service.Runs(c.Request().Context(), who)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.State.Open() {
			view.Running = &components.Progress{Label: words.Capital(r.Words()),
				Text: strconv.Itoa(r.Steps*100/max(r.AllSteps, 1)) + " %", Value: r.Steps, Max: r.AllSteps}
			continue
		}
		view.Runs = append(view.Runs, simulationRow(r))
	}
	if c.QueryParam("part") == "runs" && refused == nil {
		if view.Running == nil {
			c.Response().Header().Set("HX-Refresh", "true") // the whole page has changed: the clock, the buttons
		}
		return html.Send(c, http.StatusOK, pages.SimulatorRuns(view))
	}
	if err := h.clock(c, &view); err != nil {
		return err
	}
	h.form(&view, form, refused)
	if !view.OtherBank {
		view.Magic = magicRows(h.Accounts())
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Simulator", words.Developers,
		func(f layout.Frame) templ.Component { return pages.Simulator(f, view) })
}

// clock is where the clock stands and where it could jump to.
func (h *Simulator) clock(c echo.Context, v *pages.SimulatorView) error {
	now := h.Desk.Now()
	today := calendar.DateOf(now)
	v.Now, v.Weekday = words.Moment(now), now.In(calendar.SAST).Format("Monday")
	working := h.Calendar.AddBusinessDays(today, 1).At(6, 0)
	month := today.AddMonths(1, today.Day).At(6, 0)
	due, found, err := h.Controls.NextDue(c.Request().Context())
	if err != nil {
		return err
	}
	jump := func(label string, to time.Time) pages.Jump {
		return pages.Jump{Label: label, To: to.Format(time.RFC3339Nano), Note: words.SayMinute(to, now)}
	}
	next := pages.Jump{Label: "Next due moment", Why: "nothing is planned"}
	if found && due.After(now) {
		next = jump("Next due moment", due)
	}
	v.Jumps = []pages.Jump{jump("Next working day", working), next, jump("One month", month)}
	return nil
}

func simulationRow(r simulation.Run) pages.SimulationRow {
	row := pages.SimulationRow{Words: words.Capital(r.Words()), Note: r.Note, At: words.Moment(r.CreatedAt),
		State:  components.Pill{Kind: "done", Word: "Done"},
		Wanted: tallyCells(r.Result.Wanted), Got: tallyCells(r.Result.Got), AddsUp: r.Result.Got.AddsUp()}
	switch {
	case r.State == simulation.Failed:
		row.State = components.Pill{Kind: "bad", Word: "Failed"}
		row.Wanted = row.Got
	case r.Result.Got != r.Result.Wanted || !row.AddsUp:
		row.State = components.Pill{Kind: "wait", Word: "Other outcome"}
	}
	return row
}

func tallyCells(t simulation.Tally) (cells []string) {
	for _, n := range []int{t.Made, t.Paid, t.Unpaid, t.Other, t.Disputed, t.Open} {
		cells = append(cells, strconv.Itoa(n))
	}
	return cells
}

func magicRows(all []bank.Magic) (rows []pages.MagicRow) {
	for _, m := range all {
		// Numbers of the sandbox bank are nobody's account.
		number := m.Account.Reveal()
		row := pages.MagicRow{Number: number, Copy: number, Collection: words.Capital(m.Collection),
			Mandate: words.Capital(m.Mandate), Check: words.Capital(m.Check)}
		if m.Ending != "" {
			row.Number = strings.TrimSuffix(number, m.Ending) + " " + m.Ending
		}
		rows = append(rows, row)
	}
	return rows
}

func (h *Simulator) form(v *pages.SimulatorView, form url.Values, refused error) {
	wrong, summary, ok := kit.Problems(refused)
	if f, known := fault.From(refused); known && !ok {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	demo := form.Get("kind") == string(simulation.Demo)
	field := func(label, name, otherwise, hint string, of simulation.Kind) components.Field {
		f := components.Field{Label: label, Name: name, Value: otherwise, Hint: hint, Width: "s", InputMode: "numeric",
			Autocomplete: "off", Required: true, Numeric: true}
		if of == simulation.Demo {
			f.ID = "demo-" + name
		}
		if form != nil && demo == (of == simulation.Demo) {
			f.Value, f.Error = form.Get(name), wrong[name]
		}
		return f
	}
	for i := range summary {
		if demo {
			summary[i].Field = "demo-" + summary[i].Field
		}
	}
	v.Problems.Items, v.Key = summary, kit.NewFormKey()
	v.Months = field("Months", "months", "3", "1 to 3", simulation.Scenario)
	v.Clients = field("Clients", "clients", "20", "1 to 50", simulation.Scenario)
	v.Paid = field("Paid, %", "paid", "92", "", simulation.Scenario)
	v.Unpaid = field("Unpaid with code 02, %", "unpaid", "5", "", simulation.Scenario)
	v.Disputed = field("Disputed, %", "disputed", "1", "", simulation.Scenario)
	v.Seed = field("Seed", "seed", "1", "any number", simulation.Scenario)
	v.DemoOf = field("Clients", "clients", "40", "1 to 50", simulation.Demo)
	v.DemoSeed = field("Seed", "seed", "1", "any number", simulation.Demo)
}

// whole reads a whole number of a form; what is none is noted.
func whole(form url.Values, name string, w *fault.Problems) int {
	n, err := strconv.Atoi(strings.TrimSpace(form.Get(name)))
	if err != nil || n > 1<<31 {
		w.Add(name, "invalid", "Enter a whole number.")
		return 0
	}
	return n
}

// Play serves POST /developers/simulator/scenarios.
func (h *Simulator) Play(c echo.Context) error {
	return h.begin(c, simulation.Scenario, func(form url.Values, w *fault.Problems) simulation.Ask {
		return simulation.Ask{Months: whole(form, "months", w), Clients: whole(form, "clients", w),
			Paid: whole(form, "paid", w), Unpaid: whole(form, "unpaid", w),
			Disputed: whole(form, "disputed", w), Seed: int64(whole(form, "seed", w))}
	})
}

// Fill serves POST /developers/simulator/demo.
func (h *Simulator) Fill(c echo.Context) error {
	return h.begin(c, simulation.Demo, func(form url.Values, w *fault.Problems) simulation.Ask {
		return simulation.Ask{Clients: whole(form, "clients", w), Seed: int64(whole(form, "seed", w))}
	})
}

func (h *Simulator) begin(c echo.Context, kind simulation.Kind,
	read func(url.Values, *fault.Problems) simulation.Ask) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	var wrong fault.Problems
	ask := read(form, &wrong)
	form.Set("kind", string(kind))
	if err := wrong.Err(); err != nil {
		return h.page(c, form, err)
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (simulation.Run, error) {
			return h.Service.Begin(ctx, access.Actor(c), kind, ask)
		}, func(simulation.Run) string { return simulatorPath })
	if kit.MayShow(err) {
		return h.page(c, form, err)
	}
	return err
}

// Move serves POST /developers/simulator/clock; it answers when everything that
// became due on the way is done.
func (h *Simulator) Move(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	to, err := time.Parse(time.RFC3339Nano, form.Get("to"))
	if err != nil {
		return h.page(c, nil, fault.New(fault.Invalid, "invalid", "Choose where to move the clock."))
	}
	takeYourTime(c)
	moved, err := h.Controls.Move(c.Request().Context(), access.Actor(c), simulation.ClockMove{Now: to})
	if kit.MayShow(err) {
		return h.page(c, nil, err)
	}
	if err != nil {
		return err
	}
	done := "It is now " + words.Moment(moved.Now).Text + " SAST. On the way: " +
		plural.Of(moved.Done.Collections, "collection") + ", " + plural.Of(moved.Done.Mails, "mail") +
		"."
	return access.RedirectWithFlash(c, "ok", done, simulatorPath)
}

// AskWipe serves GET /developers/simulator/wipe.
func (h *Simulator) AskWipe(c echo.Context) error { return h.ask(c, nil) }

func (h *Simulator) ask(c echo.Context, refused error) error {
	who := access.Actor(c)
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	m, err := h.Merchants.Merchant(c.Request().Context(), who.MerchantID)
	if err != nil {
		return err
	}
	wrong := ""
	if f, known := fault.From(refused); known {
		wrong = f.Message
	}
	question := components.Confirm{ID: "wipe", Title: "Wipe the test data of " + m.Name + "?",
		Action: simulatorPath + "/wipe", CancelHref: simulatorPath, Button: "Wipe test data",
		Breaks: []string{
			"All clients, tokens, mandates and purchases are deleted, with their debits, invoices, refunds and mails.",
			"Batches, templates, subscriptions, statements, events and the request log are deleted.",
			"People, credentials, webhooks, brands and the audit log stay. The clock stays where it is."},
		TypeLabel: "Type " + m.Slug + " to confirm", TypeError: wrong}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Wipe test data", words.Developers,
		func(f layout.Frame) templ.Component { return pages.WipeTestData(f, question) })
}

// Wipe serves POST /developers/simulator/wipe.
func (h *Simulator) Wipe(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	gone, err := h.Service.Wipe(c.Request().Context(), access.Actor(c), form.Get("confirm"))
	if kit.MayShow(err) {
		return h.ask(c, err)
	}
	if err != nil {
		return err
	}
	text := "The test data is gone: " + plural.Of(gone["clients"], "client") + ", " +
		plural.Of(gone["purchases"], "purchase") + "."
	return access.RedirectWithFlash(c, "ok", text, simulatorPath)
}

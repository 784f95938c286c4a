package imports

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

var answerPills = map[book.Answer]components.Pill{book.ToAsk: {Kind: "draft", Word: "To ask"},
	book.Asked: {Kind: "progress", Word: "Asked"}, book.NoAnswer: {Kind: "wait", Word: "To call"},
	book.CannotAsk: {Kind: "bad", Word: "Cannot be asked"}, book.Confirmed: {Kind: "done", Word: "Confirmed"}}

// What the form of a pace begins with.
const (
	usualGroup  = 50
	usualPerDay = 200
)

// Confirm serves GET /imports/:id/confirm: the clients who have to confirm a DebiCheck mandate again, and when they
// would be asked.
func (h *Imports) Confirm(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if i.Draft() {
		return c.Redirect(http.StatusSeeOther, href(i.ID, step(i)))
	}
	return h.confirmPage(c, i, c.QueryParams(), nil)
}

func (h *Imports) paceOf(form url.Values) book.Pace {
	number := func(name string, usual int) int {
		if !form.Has(name) {
			return usual
		}
		n, _ := strconv.Atoi(strings.TrimSpace(form.Get(name)))
		return n
	}
	how := mandate.Delayed
	if form.Has("method") {
		how = mandate.Method(form.Get("method"))
	}
	return book.Pace{Method: how, Group: number("group", usualGroup), PerDay: number("per_day", usualPerDay)}
}

func (h *Imports) confirmPage(c echo.Context, i book.Import, form url.Values, refused error) error {
	who, pace := access.Actor(c), h.paceOf(form)
	all, err := h.Service.Confirmations(c.Request().Context(), who, i)
	if err != nil {
		return err
	}
	if refused == nil && len(form) > 0 {
		refused = pace.Check()
	}
	wrong, _, _ := kit.Problems(refused)
	may := i.State == book.Done && who.Can(act) && who.Can(actor.Write)
	view := pages.ImportConfirmView{Head: h.head(c, i, "groups", refused), Action: href(i.ID, "confirm"),
		Back: components.Link{Text: "Groups of " + i.Name, Href: href(i.ID, "groups")}, Key: kit.NewFormKey(),
		MayAsk: may && all.Counts[book.ToAsk] > 0,
		Method: components.Select{Label: "How they are asked", Name: "method", Error: wrong["method"],
			Hint: "Delayed reaches every client and gives each " + h.Service.Purchases.Limits.Span(mandate.Delayed) +
				" to answer. Real time reaches those who have their phone at hand, and gives them " +
				h.Service.Purchases.Limits.Span(mandate.RealTime) + ".", Options: []components.Option{
				{Value: string(mandate.Delayed), Text: "Delayed", Selected: pace.Method == mandate.Delayed},
				{Value: string(mandate.RealTime), Text: "Real time", Selected: pace.Method == mandate.RealTime}}},
		Group: components.Field{Label: "Clients in a group", Name: "group", Value: form.Get("group"),
			Error: wrong["group"], Hint: "One group is asked each time you press the button."},
		PerDay: components.Field{Label: "Clients a day", Name: "per_day", Value: form.Get("per_day"),
			Error: wrong["per_day"], Hint: "So that your team can answer those who call."}}
	if !form.Has("group") {
		view.Group.Value, view.PerDay.Value = strconv.Itoa(usualGroup), strconv.Itoa(usualPerDay)
	}
	for _, a := range book.Answers {
		view.Stats = append(view.Stats, components.Stat{Label: answerPills[a].Word, Value: n(all.Counts[a])})
	}
	if view.MayAsk && refused == nil {
		next := pace.Next(all)
		view.Button = "Ask " + plural.Of(next, "client") + " now"
		if view.Full = next == 0; view.Full {
			view.Button = ""
		}
		days := h.Service.AskingDays(pace, all)
		for _, d := range days[:min(len(days), daysShown)] {
			view.Days = append(view.Days, fmt.Sprintf("%s: %s", words.SayDay(d.On, h.Desk.Now()), plural.Of(d.N, "client")))
		}
		if more := len(days) - daysShown; more > 0 {
			view.Days = append(view.Days, "And "+plural.Of(more, "day")+" after those.")
		}
	}
	joins, err := h.joining(c, i, all, form, may, &view)
	if err != nil {
		return err
	}
	for _, one := range all.All[:min(len(all.All), shownRows)] {
		line := pages.ImportConfirmation{Name: one.Row.Name, Href: "/clients/" + one.Row.ClientID.String(),
			Amount: h.Service.AmountOf(i, one.Row), State: answerPills[one.Answer], Why: one.Why}
		if one.MandateID != uuid.Nil {
			line.MandateHref = words.MandatePath(one.MandateID)
		}
		if one.Answer == book.Confirmed {
			line.Why = joins[one.Row.N]
		}
		view.Lines = append(view.Lines, line)
	}
	if more := len(all.All) - len(view.Lines); more > 0 {
		view.More = plural.Of(more, "more client")
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "DebiCheck mandates of "+i.Name, section,
		func(f layout.Frame) templ.Component { return pages.ImportConfirm(f, view) })
}

// AskConfirm serves POST /imports/:id/confirm: the next group is asked.
func (h *Imports) AskConfirm(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	kit.Patient(c, kit.UploadPatience)
	if form.Get("do") == "add" {
		return h.addConfirmed(c, i, form)
	}
	pace := h.paceOf(form)
	asked, refused, err := h.Service.AskConfirm(c.Request().Context(), access.Actor(c), i.ID, pace)
	if kit.MayShow(err) {
		return h.confirmPage(c, i, form, err)
	}
	if err != nil {
		return err
	}
	said := plural.Of(asked, "client") + " asked. Their answers appear here."
	if asked == 0 {
		said = "No more clients are asked today."
	}
	if refused > 0 {
		said += " " + plural.Of(refused, "client") + " could not be asked: the list says why."
	}
	to := url.Values{"method": {string(pace.Method)}, "group": {strconv.Itoa(pace.Group)},
		"per_day": {strconv.Itoa(pace.PerDay)}}
	return access.RedirectWithFlash(c, "ok", said, href(i.ID, "confirm")+"?"+to.Encode())
}

// joining says of each row whose client confirmed what becomes of it, and offers to add all who can be.
func (h *Imports) joining(c echo.Context, i book.Import, all book.Confirmations, form url.Values,
	may bool, v *pages.ImportConfirmView) (said map[int]string, err error) {
	last, wrongDay := lastOf(form)
	joins, err := h.Service.Joinings(c.Request().Context(), i, all, last)
	if err != nil {
		return nil, err
	}
	said = map[int]string{}
	for _, one := range all.All {
		if one.Subscribed {
			said[one.Row.N] = "This client has a subscription already."
		}
	}
	ready := 0
	for _, j := range joins {
		said[j.Row.N] = j.Why
		if j.Joins() {
			ready++
			said[j.Row.N] = j.Title + ": first debit on " + words.SayDay(j.First, h.Desk.Now()) + ", once you add the client."
		}
	}
	if ready == 0 || !may {
		return said, nil
	}
	switch err := h.Service.MayAddConfirmed(c.Request().Context(), access.Actor(c), joins); {
	case fault.HasCode(err, "approval_needed"), fault.HasCode(err, "batch_limit"):
		v.CannotAdd = err.Error()
		return said, nil
	case err != nil:
		return nil, err
	}
	v.Add = "Add " + plural.Of(ready, "confirmed client")
	v.Last = components.Field{Label: "Last debit by the old system", Name: "last", Type: "date", Value: form.Get("last"),
		Error: wrongDay, Hint: "Leave this empty if you do not know: the first debit is then a whole period after the " +
			"client confirmed."}
	return said, nil
}

// lastOf is the day of the last debit by the old system; zero: it is not known.
func lastOf(form url.Values) (day calendar.Date, wrong string) {
	text := strings.TrimSpace(form.Get("last"))
	if text == "" {
		return day, ""
	}
	day, err := calendar.ParseDate(text)
	if err != nil {
		return day, "Enter a day, such as 2026-12-01, or leave this empty."
	}
	return day, ""
}

// addConfirmed adds the clients who confirmed to the subscriptions that the file tells.
func (h *Imports) addConfirmed(c echo.Context, i book.Import, form url.Values) error {
	last, wrong := lastOf(form)
	if wrong != "" {
		return h.confirmPage(c, i, form, fault.At("last", "invalid", "%s", wrong))
	}
	added, left, err := h.Service.AddConfirmed(c.Request().Context(), access.Actor(c), i.ID, last)
	if kit.MayShow(err) {
		return h.confirmPage(c, i, form, err)
	}
	if err != nil {
		return err
	}
	said := plural.Of(added, "client") + " added to what the file says. The list says when each is debited first."
	if left > 0 {
		said += " " + plural.Of(left, "more client") + " can be added: press again."
	}
	return access.RedirectWithFlash(c, "ok", said, href(i.ID, "confirm"))
}

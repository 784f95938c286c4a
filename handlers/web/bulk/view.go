package bulk

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/selection"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

func (h *Bulk) view(c echo.Context, sel selection.Selection, act Act, out rehearsal, in url.Values,
	wrong error) (pages.RehearsalView, error) {
	byInput, summary, _ := kit.Problems(wrong)
	summary = slices.DeleteFunc(summary, func(i components.ErrorItem) bool {
		return i.Field == typedInput // the question names that itself
	})
	v := pages.RehearsalView{Title: act.Words(act.many(out.all.n)),
		Back:     components.Link{Text: "Back to the list", Href: h.back(c, sel)},
		Problems: components.ErrorSummary{Items: summary}}
	if out.all.n == 0 {
		v.Title = act.Words(act.One + "s")
	}
	v.Sub = act.many(out.n) + " selected on " + words.Moment(sel.Moment).Text
	for _, g := range out.will {
		text := g.text
		if text == "" {
			text = "Will be done"
		}
		v.Will = append(v.Will, h.group(sel, act, *g, text, in))
	}
	for _, g := range out.not {
		v.Not = append(v.Not, h.group(sel, act, *g, g.text, in))
	}
	if out.changed.n > 0 {
		v.Changed = []pages.RehearsalGroup{h.group(sel, act, out.changed, plural.Pick(out.changed.n,
			"This one changed since you selected it. It is judged as it is now.",
			"These changed since you selected them. They are judged as they are now."), in)}
	}
	v.NotCount = act.many(out.n - out.all.n)
	v.Count, v.Sum = act.many(out.all.n), ""
	if out.all.cents != 0 {
		v.Sum = words.Sum(out.all.cents, rand)
	}
	if out.all.n == 0 {
		if act.Replans {
			v.LookAgain = Href(sel, act.Key)
			return v, act.fields(c, &v, in, byInput)
		}
		return v, nil
	}
	second, err := h.second(c.Request().Context(), access.Actor(c), act, out)
	if err != nil {
		if _, known := fault.From(err); !known {
			return v, err
		}
		v.Notice = WhyNot(err)
		return v, nil
	}
	v.Question = components.Confirm{ID: "act", Action: Href(sel, act.Key), CancelHref: v.Back.Href,
		Breaks: out.all.leaves(), Title: act.facts(out.all) + "?", Button: act.facts(out.all), Text: act.Text,
		Safe: !act.Danger, Keep: act.Keep,
		Fields: []components.Pair{{Name: "seen", Value: out.digest}, {Name: kit.BackKey, Value: c.FormValue(kit.BackKey)}}}
	act.typed(out.all).Ask(&v.Question, byInput[typedInput])
	if second {
		v.Second, v.Reason = SecondWords, kit.ReasonField(c.FormValue("reason"), byInput["reason"])
		v.Question.Title = "Ask for approval: " + words.LowerFirst(act.facts(out.all)) + "?"
		v.Question.Button, v.Question.Safe = "Ask for approval: "+words.LowerFirst(act.facts(out.all)), true
	} else if out.all.n > AtOnce {
		v.Question.Text += " It goes on in the background, and you can close the page."
	}
	if act.Ask != nil {
		return v, act.fields(c, &v, in, byInput)
	}
	return v, nil
}

// fields are what the act asks for.
func (a Act) fields(c echo.Context, v *pages.RehearsalView, in url.Values, wrong map[string]string) error {
	fields, err := a.Ask(c.Request().Context(), access.Actor(c), in, wrong)
	v.Date, v.Lines, v.Options = fields.Date, fields.Lines, fields.Options
	return err
}

func (h *Bulk) group(sel selection.Selection, act Act, g group, text string, in url.Values) pages.RehearsalGroup {
	v := pages.RehearsalGroup{Text: text, Count: act.many(g.n)}
	if g.cents != 0 {
		v.Sum = words.Sum(g.cents, rand)
	}
	for _, r := range g.first {
		v.Rows = append(v.Rows, line(r))
	}
	if g.n > int64(len(g.first)) {
		query := url.Values{"group": {g.key}}
		for name := range in {
			query.Set(name, in.Get(name))
		}
		v.MoreHref, v.More = kit.Address(Href(sel, act.Key), query), "All "+act.many(g.n)
	}
	return v
}

func line(r Row) pages.RehearsalRow {
	v := pages.RehearsalRow{Name: r.Name, Second: r.Second, Href: r.Href, Pill: r.Pill, Note: r.Why}
	if r.Cents != 0 {
		v.Amount = words.Sum(r.Cents, rand)
	}
	if !r.On.IsZero() {
		v.On = words.DayTime(r.On)
	}
	return v
}

// pageRows is how many rows of a group a page shows.
const pageRows = 100

// rows shows the rows of one group.
func (h *Bulk) rows(c echo.Context, sel selection.Selection, act Act, key string) error {
	from, err := strconv.Atoi(c.QueryParam("from"))
	if err != nil || from < 0 {
		from = 0
	}
	in, n := act.input(c.QueryParams()), 0
	v := pages.RehearsalRowsView{Back: components.Link{Text: act.Words("the selected rows"), Href: Href(sel, act.Key)}}
	_, err = h.rehearse(c.Request().Context(), access.Actor(c), sel, act, in, func(group string, r Row) {
		if group != key {
			return
		}
		if n++; n > from && n <= from+pageRows {
			v.Rows = append(v.Rows, line(r))
		}
	})
	if err != nil {
		return err
	}
	if len(v.Rows) == 0 {
		return fault.Missing()
	}
	v.Title = words.Capital(act.many(int64(n)))
	at := func(from int) string {
		query := url.Values{"group": {key}, "from": {strconv.Itoa(from)}}
		for name := range in {
			query.Set(name, in.Get(name))
		}
		return kit.Address(Href(sel, act.Key), query)
	}
	v.Pager.Text = strconv.Itoa(from+1) + " to " + strconv.Itoa(from+len(v.Rows)) + " of " + words.Grouped(int64(n))
	if from > 0 {
		v.Pager.NewerHref = at(max(0, from-pageRows))
	}
	if n > from+len(v.Rows) {
		v.Pager.OlderHref = at(from + pageRows)
	}
	return h.Desk.ShowIn(c, http.StatusOK, v.Title, h.Lists[sel.List].Active,
		func(f layout.Frame) templ.Component { return pages.RehearsalRows(f, v) })
}

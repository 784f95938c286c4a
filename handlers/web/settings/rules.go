package settings

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const rulesPath = "/rules"

// ruleTab is a part of the rulebook: what it shows, and what is said above it.
type ruleTab struct {
	show, label, lead string
	takes             func(rulebook.Row, rulebook.Standing) bool
}

var ruleTabs = []ruleTab{
	{"", "In force", "The rules of this day. Debits that were made keep the rules they were made by.",
		func(_ rulebook.Row, at rulebook.Standing) bool { return at == rulebook.Holding }},
	{"coming", "Coming", "Announced, and not in force yet. They change nothing until their day.",
		func(_ rulebook.Row, at rulebook.Standing) bool { return at == rulebook.Ahead }},
	{"over", "Over", "No longer in force, or withdrawn before they were. Older debits are judged by them.",
		func(_ rulebook.Row, at rulebook.Standing) bool { return at == rulebook.Over || at == rulebook.TakenOff }},
	{"replaceable", "What a bank may replace",
		"Your bank’s profile may put another value in their place, with a first day and a proof.",
		func(r rulebook.Row, at rulebook.Standing) bool {
			return at == rulebook.Holding && r.Override == rulebook.ByBank
		}},
}

// RulesInForce serves GET /rules: the rulebook with its dates and sources.
func (h *Settings) RulesInForce(c echo.Context) error {
	today := calendar.DateOf(h.Desk.Now())
	on, show, key := today, c.QueryParam("show"), c.QueryParam("key")
	v := pages.RulesView{Show: show, On: components.DateField{Label: "On", Name: "on", Value: today.String()}}
	if text := c.QueryParam("on"); text != "" {
		v.On.Value = text
		if day, err := calendar.ParseDate(text); err != nil {
			v.On.Error = "Enter a date, such as " + today.String() + "."
		} else {
			on = day
		}
	}
	tab := slices.IndexFunc(ruleTabs, func(t ruleTab) bool { return t.show == show })
	if tab < 0 {
		tab, v.Show = 0, ""
	}
	v.Lead = ruleTabs[tab].lead
	v.Tabs.Label = "Rules"
	for i, t := range ruleTabs {
		v.Tabs.Items = append(v.Tabs.Items, components.Tab{Label: t.label, Active: i == tab,
			Href: rulesHref(t.show, c.QueryParam("on"))})
	}
	who := access.Actor(c)
	own, err := h.Own.Store.OwnRules(c.Request().Context(), who.MerchantID)
	if err != nil {
		return err
	}
	book := h.Rules.Timetable.Rules.ForMerchant(who.MerchantID.String(), own)
	if who.Can(actor.Manage) {
		v.OwnHref = ownRulesPath
	}
	known := book.Keys()
	if !slices.Contains(known, key) {
		key = ""
	}
	rows := rulebook.List(book, h.Rules.Calendar, rulebook.Filter{On: on, Key: key, All: true})
	for _, subject := range words.RuleSubjects {
		g := pages.RuleGroup{Title: subject.Title}
		for _, r := range rows {
			at := r.Stands(on)
			if r.Key == rulebook.HolidayKey && at == rulebook.Ahead && tab == 0 {
				at = rulebook.Holding // a declared day is a rule already
			}
			if ruleTabs[tab].takes(r, at) && slices.ContainsFunc(subject.Keys,
				func(begin string) bool { return strings.HasPrefix(r.Key, begin) }) {
				g.Rows = append(g.Rows, ruleLine(r, at))
			}
		}
		if len(g.Rows) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	if len(v.Groups) == 0 {
		v.Empty = "No rule is " + strings.ToLower(ruleTabs[tab].label) + " on " + on.Format("2 January 2006") + "."
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Rules", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Rules(f, v) })
}

func rulesHref(show, on string) string {
	q := url.Values{}
	if show != "" {
		q.Set("show", show)
	}
	if on != "" {
		q.Set("on", on)
	}
	return kit.Address(rulesPath, q)
}

func ruleLine(r rulebook.Row, at rulebook.Standing) pages.RuleLine {
	if r.OfMerchant() {
		return pages.RuleLine{Name: words.RuleName(r.Key), For: words.RuleFor(r), Value: words.RuleValue(r),
			From: words.RuleDay(r.From), To: words.RuleDay(r.To), Source: "Your business, " + r.Source.Site, Who: "You",
			Published: "Stricter than the scheme’s"}
	}
	l := pages.RuleLine{Name: words.RuleName(r.Key), For: words.RuleFor(r), Value: words.RuleValue(r), Note: r.Note,
		From: words.RuleDay(r.From), To: words.RuleDay(r.To), Source: r.Source.Site + ", " + r.Source.Title,
		Published: words.Capital(words.RuleSure(r.Sure)), Who: words.RuleOverride(r.Override)}
	if r.Source.Published != "" {
		l.Published += " · " + r.Source.Published
	}
	if at == rulebook.TakenOff {
		l.Standing = components.Pill{Kind: "draft", Word: "Withdrawn"}
	}
	return l
}

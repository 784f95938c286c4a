package settings

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/ownrule"
	"debitdesk/models/rulebook"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const ownRulesPath = "/settings/rules"

// OwnRules serves GET /settings/rules: the rules that a business may make stricter.
func (h *Settings) OwnRules(c echo.Context) error {
	return h.ownRules(c, http.StatusOK, url.Values{}, nil)
}

// SetRule serves POST /settings/rules.
func (h *Settings) SetRule(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := ruleInput(form)
	r, err := h.Own.Set(c.Request().Context(), access.Actor(c), in)
	if _, _, invalid := kit.Problems(err); invalid {
		return h.ownRules(c, http.StatusUnprocessableEntity, form, err)
	}
	if err != nil {
		return err
	}
	return h.to(c, ownRulesPath, words.RuleName(r.Key)+": "+h.ownValue(r)+" from "+
		r.FromDay.Format("2 January 2006")+".")
}

// AskEndRule serves GET /settings/rules/:id/end.
func (h *Settings) AskEndRule(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	r, err := h.Own.Store.Rule(c.Request().Context(), access.Actor(c).MerchantID, id)
	if err != nil {
		return err
	}
	today := calendar.DateOf(h.Desk.Now())
	text := "It holds for the last time today. From tomorrow on the scheme’s value counts again. " +
		"What was decided by your rule stays as it is."
	if r.FromDay.After(today) {
		text = "It has not begun, and never will. The scheme’s value goes on."
	}
	ask := components.Confirm{ID: "end", Title: "End your own rule?", Text: words.RuleName(r.Key) + ": " +
		h.ownValue(r) + ". " + text, Action: ownRulesPath + "/" + r.ID.String() + "/end", Button: "End rule",
		CancelHref: ownRulesPath, Keep: "Keep rule"}
	return h.Desk.ShowIn(c, http.StatusOK, ask.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Ask(f, ask) })
}

// EndRule serves POST /settings/rules/:id/end.
func (h *Settings) EndRule(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	r, err := h.Own.End(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	said := words.RuleName(r.Key) + ": your own rule ends, and holds for the last time on " +
		r.ToDay.AddDays(-1).Format("2 January 2006") + "."
	if r.Void() {
		said = words.RuleName(r.Key) + ": your own rule was taken back before it began."
	}
	return h.to(c, ownRulesPath, said)
}

// ruleInput reads the form; what is no number or no day is told with all other problems.
func ruleInput(form url.Values) (in ownrule.Input) {
	in.Key = form.Get("key")
	if text := strings.TrimSpace(form.Get("from")); text != "" {
		day, err := calendar.ParseDate(text)
		if err != nil {
			in.Wrong.Add("from", "invalid", "‘%s’ is not a day. Enter one such as 2027-01-31.", text)
		}
		in.From = day
	}
	text := strings.TrimSpace(form.Get("value"))
	if text == "" {
		in.Wrong.Add("value", "required", "Enter the value.")
		return in
	}
	row, _ := rulebook.Default().Scheme(in.Key, rulebook.NoEnd)
	read := wholeNumber
	if row.Unit == "basis points" {
		read = basisPoints
	}
	var err error
	if in.Value, err = read(text); err != nil {
		in.Wrong.Add("value", "invalid", "‘%s’ is not a number such as %s.", text, example(row.Unit))
	}
	return in
}

func example(unit string) string {
	if unit == "basis points" {
		return "7,5"
	}
	return "8"
}

func wholeNumber(text string) (int64, error) { return strconv.ParseInt(text, 10, 32) }

// basisPoints reads percent: "7,5" is 750.
func basisPoints(text string) (int64, error) {
	whole, rest, _ := strings.Cut(strings.TrimSpace(strings.TrimSuffix(strings.Replace(text, ".", ",", 1), "%")), ",")
	if len(rest) > 2 || strings.ContainsAny(whole+rest, "+-") {
		return 0, strconv.ErrSyntax
	}
	for len(rest) < 2 {
		rest += "0"
	}
	return strconv.ParseInt(whole+rest, 10, 32)
}

// ownValue is the value of an own rule in words.
func (h *Settings) ownValue(r ownrule.Rule) string {
	row, _ := h.Own.Book.Scheme(r.Key, r.FromDay)
	row.Value = rulebook.Int(r.Value)
	return words.RuleValue(row)
}

// ownRules shows the page with what was typed.
func (h *Settings) ownRules(c echo.Context, status int, form url.Values, problem error) error {
	who, today := access.Actor(c), calendar.DateOf(h.Desk.Now())
	rules, err := h.Own.Store.Rules(c.Request().Context(), who.MerchantID)
	if err != nil {
		return err
	}
	byInput, summary, _ := kit.Problems(problem)
	v := pages.OwnRulesView{Problems: components.ErrorSummary{Items: summary},
		Rule: components.Select{Label: "Rule", Name: "key", Blank: "Choose a rule", Required: true, Error: byInput["key"]},
		Value: components.Field{Label: "Value", Name: "value", Value: form.Get("value"), Required: true, Width: "s",
			InputMode: "decimal", Error: byInput["value"],
			Hint: "In the unit of the rule: days, years, or percent such as 7,5."},
		From: components.DateField{Label: "From", Name: "from", Value: form.Get("from"), Required: true,
			Min: today.AddDays(1).String(), Error: byInput["from"], Hint: "Tomorrow at the earliest."}}
	for _, one := range rulebook.OwnRules {
		row := h.ownRule(one, who.MerchantID.String(), rules, today)
		v.Rows = append(v.Rows, row)
		v.Rule.Options = append(v.Rule.Options, components.Option{Value: one.Key, Text: row.Name + " (" + row.For + ")",
			Selected: form.Get("key") == one.Key})
	}
	v.Rows = append(v.Rows, h.fixedRule(today))
	return h.Desk.ShowIn(c, status, "Own rules", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.OwnRules(f, v) })
}

// ownRule is one rule with the value in force, the scheme's, and what the business chose.
func (h *Settings) ownRule(one rulebook.Ownable, merchant string, rules []ownrule.Rule,
	today calendar.Date) pages.OwnRuleRow {
	q := rulebook.Question{Key: one.Key, Stream: one.Stream, Day: today}
	theirs, _ := h.Own.Book.Find(q)
	var own []rulebook.Own
	row := pages.OwnRuleRow{Name: words.RuleName(one.Key), For: words.RuleFor(theirs), Theirs: words.RuleValue(theirs),
		Whose: theirs.Source.Site}
	for _, r := range rules {
		if r.Key != one.Key || r.Void() {
			continue
		}
		own = append(own, r.Row())
		row.Chosen = append(row.Chosen, h.choice(r, today))
	}
	inForce, _ := h.Own.Book.ForMerchant(merchant, own).Find(q)
	row.InForce, row.Who = words.RuleValue(inForce), "the scheme’s"
	if inForce.OfMerchant() {
		row.Who = "your own"
	}
	return row
}

func (h *Settings) choice(r ownrule.Rule, today calendar.Date) pages.OwnChoice {
	out := pages.OwnChoice{Text: h.ownValue(r) + ", from " + words.RuleDay(r.FromDay),
		By: "chosen by " + r.CreatedBy + " on " + words.RuleDay(calendar.DateOf(r.CreatedAt))}
	if !r.ToDay.IsZero() {
		out.Text += " to " + words.RuleDay(r.ToDay.AddDays(-1))
		out.By += fmt.Sprintf("; %s by %s on %s", ended(r), r.EndedBy, words.RuleDay(calendar.DateOf(r.EndedAt)))
	}
	switch {
	case r.Over(today):
		out.Pill = components.Pill{Kind: "draft", Word: "Over"}
	case r.FromDay.After(today):
		out.Pill = components.Pill{Kind: "wait", Word: "Coming"}
	default:
		out.Pill = components.Pill{Kind: "done", Word: "In force"}
	}
	if r.ToDay.IsZero() || r.ToDay.After(today.AddDays(1)) {
		out.EndHref = ownRulesPath + "/" + r.ID.String() + "/end"
	}
	return out
}

func ended(r ownrule.Rule) string {
	if r.Replaced {
		return "replaced"
	}
	return "ended"
}

// fixedRule is the rule that a merchant may make stricter by its own words, and of which there is nothing stricter.
func (h *Settings) fixedRule(today calendar.Date) pages.OwnRuleRow {
	r, _ := h.Own.Book.Find(rulebook.Question{Key: "eft.presentments_per_cycle", Stream: rulebook.EFT, Day: today})
	return pages.OwnRuleRow{Name: words.RuleName(r.Key), For: words.RuleFor(r), Theirs: words.RuleValue(r),
		Whose: r.Source.Site, InForce: words.RuleValue(r), Who: "the scheme’s",
		Fixed: "Nothing is stricter: an instalment is debited once for each date of its mandate."}
}

package bankfiles

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/allocation"
	"debitdesk/models/approval"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const rulePath = "/bank/rule"

// Rule serves GET /bank/rule: whether EFT payments are booked without a person, and what that would have done.
func (h *Pages) Rule(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	rule, err := h.Payments.Rule(ctx, who)
	if err != nil {
		return err
	}
	past, err := h.Payments.Rehearse(ctx, who)
	if err != nil {
		return err
	}
	v := pages.BankRuleView{Action: rulePath, State: components.Pill{Kind: "draft", Word: "Off"}, Past: rehearsed(past),
		Head: components.PageHead{Title: allocation.RuleName, Back: components.Link{Text: "Movements",
			Href: movementsPath}, Sub: "Books money that comes in by EFT without a person, where nothing else can be meant."},
		Button: components.Button{Label: "Switch on", Kind: "primary"}, To: "on"}
	if rule.On() {
		v.State = components.Pill{Kind: "done", Word: "On"}
		v.Since = "Switched on by " + rule.By + " on " + words.Moment(rule.Since).Text + " SAST."
		v.Button, v.To = components.Button{Label: "Switch off"}, "off"
	}
	v.Pending, err = kit.PendingSettings(ctx, h.Approvals, who,
		func(t approval.Setting) bool { return t.Do == approval.MatchEFT })
	if err != nil {
		return err
	}
	return h.show(c, http.StatusOK, v.Head.Title, func(f layout.Frame) templ.Component { return pages.BankRule(f, v) })
}

// rehearsed says what the rule would have done.
func rehearsed(r allocation.Rehearsal) []string {
	if r.Looked == 0 {
		return []string{"In the last 90 days no money came in that waited for a person."}
	}
	of := plural.Of(r.Looked, "movement") + " of the last 90 days that waited for a person"
	if r.More {
		of = "the newest " + plural.Of(r.Looked, "movement") + " of the last 90 days that waited for a person"
	}
	lines := []string{"Of " + of + ", the rule would have booked " + words.Grouped(int64(r.Would)) + " (" +
		words.Sum(r.Cents, money.ZAR) + ")."}
	if r.Same > 0 {
		lines = append(lines, "People booked "+words.Grouped(int64(r.Same))+" of these on the same purchase.")
	}
	return lines
}

// SetRule serves POST /bank/rule.
func (h *Pages) SetRule(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	on := form.Get("rule") == "on"
	err = h.Payments.SetRule(c.Request().Context(), access.Actor(c), on)
	if fault.HasCode(err, "approval_needed") {
		return h.Desk.AskSetting(c, h.Approvals, approval.Setting{Do: approval.MatchEFT}, form, section,
			components.Link{Text: allocation.RuleName, Href: rulePath})
	}
	said := "The rule is on. It looks at the money that comes in from now on."
	if !on {
		said = "The rule is off. Money that comes in by EFT waits for a person."
	}
	return h.done(c, err, rulePath, said)
}

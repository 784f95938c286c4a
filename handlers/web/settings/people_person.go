package settings

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/member"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Show serves GET /settings/people/:id.
func (p *People) Show(c echo.Context) error {
	m, err := p.find(c)
	if err != nil {
		return err
	}
	return p.person(c, m, formOfTerms(m.Terms), nil)
}

// Change serves POST /settings/people/:id.
func (p *People) Change(c echo.Context) error {
	m, err := p.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	terms, err := termsOf(form)
	if err == nil {
		err = p.Members.Change(c.Request().Context(), access.Actor(c), m.ID, terms)
	}
	if kit.MayShow(err) {
		return p.person(c, m, form, err)
	}
	if err != nil {
		return err
	}
	return p.done(c, "What "+m.Called()+" may do is changed, from now on.")
}

// Disable serves POST /settings/people/:id/disabling.
func (p *People) Disable(c echo.Context) error {
	m, err := p.find(c)
	if err != nil {
		return err
	}
	return p.act(c, m, p.Members.Disable, m.Called()+" is disabled and signed out of this business.")
}

// Enable serves POST /settings/people/:id/enabling.
func (p *People) Enable(c echo.Context) error {
	m, err := p.find(c)
	if err != nil {
		return err
	}
	return p.act(c, m, p.Members.Enable, m.Called()+" can sign in again.")
}

// AskRemove serves GET /settings/people/:id/removal.
func (p *People) AskRemove(c echo.Context) error {
	m, err := p.find(c)
	if err != nil {
		return err
	}
	return p.askRemove(c, http.StatusOK, m, "")
}

// Remove serves POST /settings/people/:id/removal.
func (p *People) Remove(c echo.Context) error {
	m, err := p.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if !strings.EqualFold(strings.TrimSpace(form.Get("confirm")), m.Email) {
		return p.askRemove(c, http.StatusUnprocessableEntity, m, "Type "+m.Email+".")
	}
	return p.act(c, m, p.Members.Remove, m.Called()+" no longer belongs to this business.")
}

// act does one thing to a member: it says so, or shows the person with what kept it.
func (p *People) act(c echo.Context, m member.Member, do func(context.Context, actor.Actor, uuid.UUID) error,
	said string) error {
	switch err := do(c.Request().Context(), access.Actor(c), m.ID); {
	case kit.MayShow(err):
		return p.person(c, m, formOfTerms(m.Terms), err)
	case err != nil:
		return err
	}
	return p.done(c, said)
}

func (p *People) askRemove(c echo.Context, status int, m member.Member, wrong string) error {
	question := components.Confirm{ID: "remove", Title: "Remove " + m.Called() + "?",
		Text: "To come back the person must be invited again.",
		Breaks: []string{"The person is signed out of this business at once.",
			"What they did stays in the audit under their name.",
			"List views that they saved for themselves are deleted. Those they shared stay."},
		Action: peopleHref + "/" + m.ID.String() + "/removal", CancelHref: peopleHref + "/" + m.ID.String(),
		Button:    "Remove " + m.Called(),
		TypeLabel: "Type " + m.Email + " to confirm", TypeError: wrong}
	return p.Desk.ShowIn(c, status, "Remove a person", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.RemovePerson(f, question) })
}

func (p *People) find(c echo.Context) (member.Member, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return member.Member{}, err
	}
	return p.Members.Find(c.Request().Context(), access.Actor(c), id)
}

func (p *People) person(c echo.Context, m member.Member, form url.Values, wrong error) error {
	byInput, summary, ok := kit.Problems(wrong)
	if wrong != nil && !ok {
		summary = []components.ErrorItem{{Text: wrong.Error()}}
	}
	at := peopleHref + "/" + m.ID.String()
	view := pages.PersonView{Row: p.row(c, m), Problems: components.ErrorSummary{Items: summary},
		Terms: termsForm(form, byInput), Action: at, Joined: words.Moment(m.JoinedAt),
		DisableAction: at + "/disabling", RemoveHref: at + "/removal"}
	if !m.Active() {
		view.DisableAction, view.EnableAction = "", at+"/enabling"
	}
	return p.Desk.ShowIn(c, kit.StatusOf(wrong), m.Called(), words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Person(f, view) })
}

// grantPrefix begins the names of the inputs for single permissions.
const grantPrefix = "grant_"

// termsOf reads what somebody may do. A permission says role, yes or no.
func termsOf(form url.Values) (t member.Terms, err error) {
	t.Role, t.Grants = actor.Role(form.Get("role")), actor.Grants{}
	for name := range form {
		act, is := strings.CutPrefix(name, grantPrefix)
		if !is {
			continue
		}
		switch form.Get(name) {
		case "yes":
			t.Grants[actor.Action(act)] = true
		case "no":
			t.Grants[actor.Action(act)] = false
		}
	}
	if text := strings.TrimSpace(form.Get("batch_limit")); text != "" {
		cents, err := money.Parse(text)
		if err != nil {
			return t, fault.At("batch_limit", "invalid",
				"Enter an amount such as 10 000,00, or leave it empty for no limit.")
		}
		t.BatchLimitCents = &cents
	}
	return t, nil
}

// formOfTerms is the form that says what somebody may do now.
func formOfTerms(t member.Terms) url.Values {
	form := url.Values{"role": {string(t.Role)}}
	for act, yes := range t.Grants {
		form.Set(grantPrefix+string(act), map[bool]string{true: "yes", false: "no"}[yes])
	}
	if t.BatchLimitCents != nil {
		form.Set("batch_limit", words.Sum(*t.BatchLimitCents, ""))
	}
	return form
}

// roleTexts say what each role is for; the matrix says it in full.
var roleTexts = map[actor.Role]string{
	actor.Admin:    "Everything, people and settings included.",
	actor.Finance:  "Clients and debits, batches and refunds.",
	actor.Staff:    "Clients, purchases and mandates; no batches.",
	actor.ReadOnly: "Sees everything masked and changes nothing.",
}

func termsForm(form url.Values, wrong map[string]string) pages.TermsView {
	view := pages.TermsView{
		Role: components.RadioCards{Legend: "Role", Name: "role", Value: form.Get("role"), Error: wrong["role"],
			Required: true},
		Limit: components.MoneyField{Label: "Largest batch or billing", Name: "batch_limit",
			Value: form.Get("batch_limit"), Error: wrong["batch_limit"],
			Hint: "Larger ones must be sent by someone else. Leave empty for no limit."},
		GrantsError: wrong["grants"],
	}
	for _, r := range actor.Roles {
		view.Role.Options = append(view.Role.Options, components.RadioCard{Value: string(r), Title: kit.RoleWord(r),
			Text: roleTexts[r]})
	}
	for _, perm := range actor.Permissions {
		if !perm.Grantable {
			continue
		}
		name := grantPrefix + string(perm.Action)
		choice := components.Select{Label: perm.Label, Name: name, Quiet: true,
			Hint: "With the role: " + rolesWith(perm)}
		for _, o := range []struct{ value, text string }{{"", "As the role says"}, {"yes", "May"}, {"no", "May not"}} {
			choice.Options = append(choice.Options, components.Option{Value: o.value, Text: o.text,
				Selected: form.Get(name) == o.value})
		}
		view.Grants = append(view.Grants, choice)
	}
	return view
}

func rolesWith(perm actor.Permission) string {
	var words []string
	for _, r := range perm.Roles {
		words = append(words, kit.RoleWord(r))
	}
	return strings.Join(words, ", ") + "."
}

package settings

import (
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/member"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// People serves the pages about who works for a business.
type People struct {
	Desk    *kit.Desk
	Members *member.Service
	Now     func() time.Time // real time, which invitations live in
}

const peopleHref = "/settings/people"

// List serves GET /settings/people.
func (p *People) List(c echo.Context) error {
	all, err := p.Members.List(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	view := pages.PeopleView{}
	for _, m := range all.Members {
		view.Rows = append(view.Rows, p.row(c, m))
	}
	for _, i := range all.Invitations {
		view.Invitations = append(view.Invitations, p.invited(i))
	}
	return p.Desk.ShowIn(c, http.StatusOK, "People", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.People(f, view) })
}

func (p *People) row(c echo.Context, m member.Member) pages.PersonRow {
	return pages.PersonRow{Href: peopleHref + "/" + m.ID.String(), Name: m.Called(), Email: m.Email,
		Role: kit.RoleWord(m.Role), Grants: grantWords(m.Grants), Limit: limitWords(m.BatchLimitCents),
		Factor: m.HasFactor, Seen: p.seen(m.LastUsedAt), State: memberPill(m), Self: m.ID == access.Actor(c).ID}
}

func (p *People) seen(at time.Time) components.Time {
	t := p.Desk.Real(at)
	t.Title = words.Ago(at, p.Now()).Title
	return t
}

func (p *People) invited(i member.Invitation) pages.InvitationRow {
	at := peopleHref + "/invitations/" + i.ID.String()
	row := pages.InvitationRow{Email: i.Email, Name: i.Name, Role: kit.RoleWord(i.Role), Grants: grantWords(i.Grants),
		Limit: limitWords(i.BatchLimitCents),
		Until: p.Desk.Real(i.ExpiresAt), Mails: plural.Of(i.MailCount, "mail") + " sent",
		ResendAction: at + "/mails", RevokeAction: at + "/revocation",
		State: components.Pill{Kind: "wait", Word: "Invited", Title: "Waiting for the person to open the link"}}
	if i.State(p.Now()) == member.Expired {
		row.State = components.Pill{Kind: "bad", Word: "Expired", Title: "Send it again for another seven days"}
	}
	return row
}

func memberPill(m member.Member) components.Pill {
	if m.Active() {
		return components.Pill{Kind: "done", Word: "Active"}
	}
	return components.Pill{Kind: "draft", Word: "Disabled", Title: "Disabled " + words.Moment(m.DisabledAt).Title}
}

// grantWords says what differs from the role, in the words of the matrix.
func grantWords(g actor.Grants) (out []string) {
	for _, perm := range actor.Permissions {
		if yes, given := g[perm.Action]; given && yes {
			out = append(out, "May: "+words.LowerFirst(perm.Label))
		} else if given {
			out = append(out, "May not: "+words.LowerFirst(perm.Label))
		}
	}
	return out
}

func limitWords(cents *int64) string {
	if cents == nil {
		return ""
	}
	return "Sends up to " + words.Sum(*cents, "ZAR") + " at once"
}

// New serves GET /settings/people/invite.
func (p *People) New(c echo.Context) error {
	if err := access.Actor(c).May(actor.Manage); err != nil {
		return err
	}
	return p.inviteForm(c, url.Values{"role": {string(actor.Staff)}}, nil)
}

// Invite serves POST /settings/people/invitations.
func (p *People) Invite(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	var i member.Invitation
	terms, err := termsOf(form)
	if err == nil {
		i, err = p.Members.Invite(c.Request().Context(), access.Actor(c),
			member.Input{Email: form.Get("email"), Name: form.Get("name"), Terms: terms})
	} else if refused := access.Actor(c).May(actor.Manage); refused != nil {
		return refused
	}
	if _, _, ok := kit.Problems(err); ok {
		return p.inviteForm(c, form, err)
	}
	if err != nil {
		return err
	}
	return p.done(c, "The invitation is on its way to "+i.Email+".")
}

func (p *People) inviteForm(c echo.Context, form url.Values, wrong error) error {
	byInput, summary, _ := kit.Problems(wrong)
	view := pages.InviteView{Problems: components.ErrorSummary{Items: summary}, Terms: termsForm(form, byInput),
		Email: components.Field{Label: "E-mail address", Name: "email", Type: "email", Value: form.Get("email"),
			Error: byInput["email"], Required: true, MaxLength: 254, Width: "l", Autocomplete: "off"},
		Name: components.Field{Label: "Name", Name: "name", Value: form.Get("name"), Error: byInput["name"], MaxLength: 100,
			Width: "l", Autocomplete: "off", Hint: "The person can correct it."}}
	return p.Desk.ShowIn(c, kit.StatusOf(wrong), "Invite a person", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Invite(f, view) })
}

// Resend serves POST /settings/people/invitations/:id/mails.
func (p *People) Resend(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	i, err := p.Members.Resend(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	return p.done(c, "The invitation is on its way to "+i.Email+" again. The earlier link no longer works.")
}

// Revoke serves POST /settings/people/invitations/:id/revocation.
func (p *People) Revoke(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	if err := p.Members.Revoke(c.Request().Context(), access.Actor(c), id); err != nil {
		return err
	}
	return p.done(c, "The invitation is withdrawn. Its link no longer works.")
}

func (p *People) done(c echo.Context, text string) error {
	if err := access.AddFlash(c, "ok", text); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, peopleHref)
}

package settings

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/member"
	"debitdesk/models/paging"
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
	return p.list(access.Actor(c).ID, all).Show(c)
}

// list is everybody at once, by name, and who is invited.
func (p *People) list(self uuid.UUID, all member.People) kit.Shown {
	return &kit.List[member.Member, struct{}]{
		Desk: p.Desk, Path: peopleHref, Active: words.SettingsSection, One: "member",
		Head: components.PageHead{Title: "People",
			Sub:     "The people who work for this business, and what each of them can do.",
			Primary: components.Button{Label: "Invite a person", Icon: "plus", Href: peopleHref + "/invite"}},
		Nav: pages.SettingsNav("people"), Card: components.Card{Title: "Members"},
		Query: func(context.Context, actor.Actor, struct{}, paging.Ask) (paging.Page[member.Member], error) {
			return paging.Page[member.Member]{Items: all.Members}, nil
		},
		ID: func(m member.Member) uuid.UUID { return m.ID },
		Columns: []kit.Column[member.Member]{
			kit.ColumnOf("Name", func(m member.Member) components.Cell {
				cell := components.Cell{Text: m.Called(), Href: memberHref(m), Second: m.Email}
				if m.ID == self {
					cell.Note = "you"
				}
				return cell
			}),
			kit.ColumnOf("Role", func(m member.Member) components.Cell { return roleCell(m.Role, m.Grants, m.BatchLimitCents) }),
			kit.ColumnOf("Two-step sign-in", func(m member.Member) components.Cell {
				if m.HasFactor {
					return components.Cell{Pill: components.Pill{Kind: "done", Word: "On"}}
				}
				return components.Cell{Pill: components.Pill{Kind: "wait", Word: "Off", Title: "The person has not set it up"}}
			}),
			kit.ColumnOf("Last seen", func(m member.Member) components.Cell {
				return components.Cell{Time: p.seen(m.LastUsedAt), Blank: "never"}
			}).Zoned(),
			kit.PillColumn("State", 0, memberPill),
		},
		Around: func(_ echo.Context, _ *kit.Listing, v *pages.ListView) error {
			if len(all.Invitations) > 0 {
				v.After = pages.Invited(kit.TableOf("Invited", invitationColumns(p), all.Invitations))
			}
			return nil
		},
	}
}

func memberHref(m member.Member) string { return peopleHref + "/" + m.ID.String() }

func roleCell(role actor.Role, grants actor.Grants, limit *int64) components.Cell {
	return components.Cell{Part: pages.MemberRole(kit.RoleWord(role), grantWords(grants), limitWords(limit))}
}

func invitationColumns(p *People) []kit.Column[member.Invitation] {
	acts := kit.ColumnOf("Actions", func(i member.Invitation) components.Cell {
		at := peopleHref + "/invitations/" + i.ID.String()
		return components.Cell{Part: pages.InvitationActs(i.Email, at+"/mails", at+"/revocation")}
	})
	acts.Head.Hidden = true
	return []kit.Column[member.Invitation]{
		kit.ColumnOf("E-mail address", func(i member.Invitation) components.Cell {
			return components.Cell{Text: i.Email, Strong: true, Second: i.Name}
		}),
		kit.ColumnOf("Role", func(i member.Invitation) components.Cell {
			return roleCell(i.Role, i.Grants, i.BatchLimitCents)
		}),
		kit.ColumnOf("Open until", func(i member.Invitation) components.Cell {
			return components.Cell{Time: p.Desk.Real(i.ExpiresAt), Second: plural.Of(i.MailCount, "mail") + " sent"}
		}).Zoned(),
		kit.PillColumn("State", 0, p.invitationPill),
		acts,
	}
}

func (p *People) invitationPill(i member.Invitation) components.Pill {
	if i.State(p.Now()) == member.Expired {
		return components.Pill{Kind: "bad", Word: "Expired", Title: "Send it again for another seven days"}
	}
	return components.Pill{Kind: "wait", Word: "Invited", Title: "Waiting for the person to open the link"}
}

func (p *People) row(c echo.Context, m member.Member) pages.PersonRow {
	return pages.PersonRow{Href: memberHref(m), Name: m.Called(), Email: m.Email,
		Role: kit.RoleWord(m.Role), Grants: grantWords(m.Grants), Limit: limitWords(m.BatchLimitCents),
		Factor: m.HasFactor, Seen: p.seen(m.LastUsedAt), State: memberPill(m), Self: m.ID == access.Actor(c).ID}
}

func (p *People) seen(at time.Time) components.Time {
	t := p.Desk.Real(at)
	t.Title = words.Ago(at, p.Now()).Title
	return t
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
	return access.RedirectWithFlash(c, "ok", text, peopleHref)
}

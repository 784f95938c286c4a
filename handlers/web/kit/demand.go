package kit

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/factor"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Demand serves the settings about second factors.
type Demand struct {
	Desk    *Desk
	Demands *factor.Service
}

// Show serves GET /settings/security.
func (h *Demand) Show(c echo.Context) error {
	members, err := h.Demands.Members(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	me := Mine(c)
	view := pages.DemandView{On: me.RequireFactor, Mine: me.HasFactor}
	without := 0
	for _, m := range members {
		view.Members = append(view.Members, memberFactorRow(m, me.User.ID))
		if !m.Any() && !m.Disabled {
			without++
		}
	}
	if without > 0 {
		view.Without = plural.Pick(without, "1 person", plural.Number(without)+" people") + " " + plural.Has(without) +
			" not set it up yet. If you require it, they must set it up on the next page they open."
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Security", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Demand(f, view) })
}

func memberFactorRow(m factor.Member, me uuid.UUID) pages.MemberFactorRow {
	row := pages.MemberFactorRow{Name: m.Called(), Email: m.Email, Role: RoleWord(m.Role),
		State: components.Pill{Kind: "draft", Word: "None"}}
	if m.Any() {
		row.State = components.Pill{Kind: "done", Word: "Set up"}
		var what []string
		if m.App {
			what = append(what, "app")
		}
		if m.Passkeys > 0 {
			what = append(what, plural.Of(m.Passkeys, "passkey"))
		}
		row.What = strings.Join(append(what, plural.Of(m.CodesLeft, "recovery code")), " · ")
		if m.ID != me && !m.Disabled {
			row.ResetHref = "/settings/security/people/" + m.ID.String() + "/reset"
		}
	}
	return row
}

// Set serves POST /settings/security.
func (h *Demand) Set(c echo.Context) error {
	form, err := FormOf(c)
	if err != nil {
		return err
	}
	on := form.Get("require") == "yes"
	if err := h.Demands.Require(c.Request().Context(), access.Actor(c), on); err != nil {
		return err
	}
	text := "Two-step sign-in is now required for everyone."
	if !on {
		text = "Two-step sign-in is optional again."
	}
	return access.RedirectWithFlash(c, "ok", text, "/settings/security")
}

// AskReset serves GET /settings/security/people/:id/reset.
func (h *Demand) AskReset(c echo.Context) error {
	members, err := h.Demands.Members(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.ID.String() != c.Param("id") {
			continue
		}
		view := pages.ActView{Title: "Security", Back: components.Link{Text: "Security", Href: "/settings/security"},
			Question: components.Confirm{
				ID:         "reset",
				Title:      "Reset two-step sign-in for " + m.Called() + "?",
				Action:     "/settings/security/people/" + m.ID.String() + "/reset",
				CancelHref: "/settings/security",
				Button:     "Reset two-step sign-in",
				Text: "For a person who has lost their phone, passkey and recovery codes. " +
					"Make sure that the request really comes from them.",
				Breaks: []string{"Their authenticator app, passkeys and recovery codes stop working.",
					"They are signed out everywhere, and can then sign in with their password only.", "They are told by mail."},
			}}
		return h.Desk.ShowIn(c, http.StatusOK, view.Question.Title, words.SettingsSection,
			func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
	}
	return fault.Missing()
}

// Reset serves POST /settings/security/people/:id/reset.
func (h *Demand) Reset(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	if err := h.Demands.Reset(c.Request().Context(), access.Actor(c), id); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "Two-step sign-in is reset, and the person is told by mail.",
		"/settings/security")
}

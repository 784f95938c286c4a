// Package simulator serves what people move and play in sandbox mode. Controls are the
// clock, the bank's desk, the clients' phones and the mail that was sent, as pages for
// people and as JSON for programs; Simulator is the page on which developers play.
// It must not know rules, and it has no address in live mode.
package simulator

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/money"
	"debitdesk/models/simulation"
	"debitdesk/models/texting"
	"debitdesk/views/components"
)

// Controls serves what is below /sandbox.
type Controls struct {
	Desk     *kit.Desk
	Controls *simulation.Controls
	Mails    outbox.Store
	Texts    *texting.Service
	Files    File // makes what mails only name

	sizes sizes
}

const (
	active   = "sandbox"
	deskPath = "/sandbox/desk"
)

// Enter serves GET /sandbox.
func (h *Controls) Enter(c echo.Context) error {
	return c.Redirect(http.StatusSeeOther, "/sandbox/clock")
}

// forPeople tells a browser from a program: programs show a credential, or do not
// ask for a page.
func forPeople(c echo.Context) bool {
	h := c.Request().Header
	return h.Get("Authorization") == "" && (strings.Contains(h.Get("Accept"), "text/html") || h.Get("HX-Request") != "")
}

// tabs are the parts of the sandbox. The bank's desk is there where the sandbox bank is.
func (h *Controls) tabs(now string) components.Tabs {
	t := components.Tabs{Label: "Sandbox"}
	for _, part := range []struct{ label, href string }{{"Clock", "/sandbox/clock"}, {"Bank’s desk", deskPath},
		{"Client’s phone", phonePath},
		{"Mail", mailPath}} {
		if part.href == deskPath && !h.Controls.Forces() {
			continue
		}
		t.Items = append(t.Items, components.Tab{Label: part.label, Href: part.href, Active: part.href == now})
	}
	return t
}

func mayMove(c echo.Context) bool { return access.Actor(c).Can(actor.MoveClock) }

// mayAnswer tells that this person can answer as the bank and as clients.
func (h *Controls) mayAnswer(c echo.Context) bool { return mayMove(c) && h.Controls.Forces() }

func mayRead(c echo.Context) error { return access.Actor(c).May(actor.Read) }

// moment writes an instant in SAST; the zero time is empty.
func moment(at time.Time) components.Time {
	if at.IsZero() {
		return components.Time{}
	}
	at = at.In(calendar.SAST)
	return components.Time{Text: glue(at.Format("2 Jan 2006, 15:04")), ISO: at.Format(time.RFC3339),
		Title: at.Format("Monday, 2 January 2006, 15:04:05") + " SAST"}
}

func glue(text string) string { return strings.ReplaceAll(text, " ", money.NBSP) }

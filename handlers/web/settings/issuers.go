package settings

import (
	"context"
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
	"debitdesk/models/fault"
	"debitdesk/models/issuer"
	"debitdesk/models/member"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Issuers serves the settings about single sign-on.
type Issuers struct {
	Desk    *kit.Desk
	Service *issuer.Service
	Members func(ctx context.Context, merchantID uuid.UUID) ([]member.Member, error)
}

const issuersPath = "/settings/issuers"

// List serves GET /settings/issuers.
func (h *Issuers) List(c echo.Context) error { return h.list(c, nil) }

func (h *Issuers) list(c echo.Context, wrong error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	all, err := h.Service.List(ctx, who)
	if err != nil {
		return err
	}
	members, err := h.Members(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	_, summary, _ := kit.Problems(wrong)
	view := pages.IssuersView{Problems: components.ErrorSummary{Items: summary}}
	for _, i := range all {
		view.Rows = append(view.Rows, pages.IssuerRow{Name: i.Name, Address: i.Address, Href: issuerPath(i.ID),
			Domains: strings.Join(i.Domains, ", "), State: issuerPill(i)})
	}
	for _, m := range members {
		if m.Role == actor.Admin && m.Active() {
			view.Admins = append(view.Admins, components.Checkbox{Label: m.Called(), Hint: m.Email, Name: "keep",
				ID: "keep-" + m.ID.String(), Value: m.ID.String(), Checked: m.BreakGlass})
		}
	}
	return h.Desk.ShowIn(c, kit.StatusOf(wrong), "Single sign-on", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Issuers(f, view) })
}

func issuerPath(id uuid.UUID) string { return issuersPath + "/" + id.String() }

func issuerPill(i issuer.Issuer) components.Pill {
	switch {
	case !i.Enabled:
		return components.Pill{Kind: "draft", Word: "Off"}
	case i.Forced:
		return components.Pill{Kind: "done", Word: "Required"}
	}
	return components.Pill{Kind: "done", Word: "On"}
}

// Keep serves POST /settings/issuers/exceptions: who can always sign in with a password.
func (h *Issuers) Keep(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, text := range form["keep"] {
		id, _ := uuid.Parse(text) // what is no id is nobody's
		ids = append(ids, id)
	}
	err = h.Service.Keep(c.Request().Context(), access.Actor(c), ids)
	if _, _, ok := kit.Problems(err); ok {
		return h.list(c, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "Saved who can always sign in with a password.", issuersPath)
}

// New serves GET /settings/issuers/new.
func (h *Issuers) New(c echo.Context) error {
	if err := access.Actor(c).May(actor.Manage); err != nil {
		return err
	}
	return h.form(c, nil, issuer.Input{Terms: issuer.Terms{Enabled: true}}, nil)
}

// Create serves POST /settings/issuers.
func (h *Issuers) Create(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := issuerInput(form)
	made, err := h.Service.Create(c.Request().Context(), access.Actor(c), in)
	if _, _, ok := kit.Problems(err); ok {
		return h.form(c, nil, in, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok",
		"Provider added. Enter the addresses below at the provider, then try its button.", issuerPath(made.ID))
}

// find is the issuer of the address.
func (h *Issuers) find(c echo.Context) (issuer.Issuer, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return issuer.Issuer{}, err
	}
	return h.Service.Get(c.Request().Context(), access.Actor(c), id)
}

// Show serves GET /settings/issuers/:id.
func (h *Issuers) Show(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	return h.form(c, &i, issuer.Input{Address: i.Address, ClientID: i.ClientID, Terms: i.Terms}, nil)
}

// Update serves POST /settings/issuers/:id.
func (h *Issuers) Update(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := issuerInput(form)
	version, _ := strconv.Atoi(form.Get("version")) // none fits no version
	_, err = h.Service.Update(c.Request().Context(), access.Actor(c), i.ID, version, in)
	if _, _, ok := kit.Problems(err); ok || fault.HasCode(err, "changed_meanwhile") {
		in.Address = i.Address
		return h.form(c, &i, in, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "Provider saved.", issuerPath(i.ID))
}

// AskRemove serves GET /settings/issuers/:id/removal.
func (h *Issuers) AskRemove(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	view := pages.ActView{Title: "Single sign-on", Back: components.Link{Text: i.Name, Href: issuerPath(i.ID)},
		Question: components.Confirm{ID: "remove", Title: "Remove " + i.Name + "?", Action: issuerPath(i.ID) + "/removal",
			CancelHref: issuerPath(i.ID), Button: "Remove provider",
			Text: "People can no longer sign in with it. Their accounts here stay.",
			Breaks: []string{"Everyone who signed in with it is signed out.",
				"People without a password ask for one with “Forgot your password?”."}}}
	return h.Desk.ShowIn(c, http.StatusOK, view.Question.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// Remove serves POST /settings/issuers/:id/removal.
func (h *Issuers) Remove(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	if err := h.Service.Remove(c.Request().Context(), access.Actor(c), id); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "Provider removed.", issuersPath)
}

// issuerInput reads the form; what is no number is told with all other problems.
func issuerInput(form url.Values) (in issuer.Input) {
	yes := func(name string) bool { return form.Get(name) == "yes" }
	in = issuer.Input{Address: form.Get("issuer"), ClientID: form.Get("client_id"),
		Secret: issuer.Secret(strings.TrimSpace(form.Get("client_secret"))),
		Terms: issuer.Terms{Name: form.Get("name"), Enabled: yes("enabled"), Forced: yes("forced"),
			Provisions: yes("provisions"), TrustsEmail: yes("trusts_email"), TrustsMFA: yes("trusts_mfa"),
			GroupsClaim: form.Get("groups_claim"), UsualRole: actor.Role(form.Get("usual_role")),
			Domains: strings.FieldsFunc(form.Get("domains"), func(r rune) bool { return strings.ContainsRune(", ;\r\n\t", r) })}}
	for n, group := range form["groups"] {
		role := ""
		if n < len(form["group_roles"]) {
			role = form["group_roles"][n]
		}
		if group != "" || role != "" {
			in.GroupRoles = append(in.GroupRoles, issuer.GroupRole{Group: group, Role: actor.Role(role)})
		}
	}
	if text := strings.TrimSpace(form.Get("session_hours")); text != "" {
		hours, err := strconv.Atoi(text)
		if in.SessionHours = hours; err != nil || hours == 0 {
			in.Problems.Add("session_hours", "invalid", "‘%s’ is not a number of hours from 1 to %d.", text, issuer.MostHours)
		}
	}
	return in
}

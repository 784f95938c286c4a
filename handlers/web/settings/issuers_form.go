package settings

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/issuer"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// blankGroups are the empty lines of the table of groups.
const blankGroups = 3

// form shows an issuer with what was entered; without one, a new one is added.
func (h *Issuers) form(c echo.Context, of *issuer.Issuer, in issuer.Input, wrong error) error {
	byInput, summary, byField := kit.Problems(wrong)
	if wrong != nil && !byField {
		summary = []components.ErrorItem{{Text: wrong.Error()}}
	}
	view := pages.IssuerFormView{Heading: "New provider", Action: issuersPath, Button: "Add provider",
		Problems: components.ErrorSummary{Items: summary}, GroupProblem: byInput["groups"]}
	secret := "As the provider gave it to you. Leave it empty for a client without a secret."
	if of != nil {
		view.Heading, view.Action, view.Button = of.Name, issuerPath(of.ID), "Save"
		view.Version, view.RemoveHref = strconv.Itoa(of.Version), issuerPath(of.ID)+"/removal"
		view.Addresses = components.Facts{Wide: true, Items: []components.Fact{
			{Label: "Redirect address", Value: h.Desk.BaseURL + issuer.CallbackPath + of.ID.String()},
			{Label: "Back-channel logout address", Value: h.Desk.BaseURL + issuer.LogoutPath + of.ID.String()},
			{Label: "Link to sign in", Value: h.Desk.BaseURL + strings.TrimSuffix(access.StartIssuer(of.ID, ""), "?next=")}}}
		secret = "Leave it empty to keep the one that is stored. It is never shown."
	}
	text := func(name, label, value, hint string, most int, required bool) components.Field {
		return components.Field{Label: label, Name: name, Value: value, Error: byInput[name], Hint: hint, MaxLength: most,
			Required: required, Width: "l", Autocomplete: "off"}
	}
	tick := func(name, label, hint string, on bool) components.Checkbox {
		return components.Checkbox{Label: label, Name: name, Hint: hint, Checked: on, Error: byInput[name]}
	}
	view.Name = text("name", "Name", in.Name, "On the button: “Sign in with …”.", issuer.MaxName, true)
	view.Address = text("issuer", "Address of the provider", in.Address,
		"Its issuer address, such as https://login.microsoftonline.com/…/v2.0 or https://accounts.google.com. "+
			"It cannot be changed later.", issuer.MaxAddress, true)
	view.Address.ReadOnly, view.Address.Type, view.Address.InputMode = of != nil, "url", "url"
	view.Client = text("client_id", "Client id", in.ClientID, "", issuer.MaxClient, true)
	view.Secret = text("client_secret", "Client secret", "", secret, issuer.MaxSecret, false)
	view.Secret.Type = "password"
	view.Domains = components.Textarea{Label: "Domains of e-mail addresses", Name: "domains",
		Value: strings.Join(in.Domains, "\n"), Error: byInput["domains"], Rows: 3, MaxLength: 5000,
		Hint: "One on each line, such as example.co.za. The provider may speak for people with these addresses alone."}
	view.Enabled = tick("enabled", "People can sign in with this provider", "", in.Enabled)
	view.Forced = tick("forced", "Required for these domains", "Passwords of people with these addresses no longer open "+
		"this business, except of the admins whom you chose.", in.Forced)
	view.Provisions = tick("provisions", "Add people who sign in for the first time",
		"Without it, invite people first.", in.Provisions)
	view.TrustsEmail = tick("trusts_email", "Count addresses of these domains as verified",
		"For a provider that does not say whether an address is verified, such as Microsoft Entra ID.", in.TrustsEmail)
	view.TrustsMFA = tick("trusts_mfa", "The provider always asks for two steps",
		"Without it, two steps count when the provider says so (amr or acr).", in.TrustsMFA)
	view.Claim = text("groups_claim", "Claim with the groups", in.GroupsClaim,
		"Such as groups, or realm_access.roles. Leave it empty if groups do not decide roles.", issuer.MaxGroup, false)
	view.Usual = components.Select{Label: "Role of everyone else", Name: "usual_role", Error: byInput["usual_role"],
		Hint:  "And of people who are added, if groups do not decide roles.",
		Blank: "None: they cannot sign in", Options: roleOptions(in.UsualRole), Width: "m", Quiet: true}
	for n := range len(in.GroupRoles) + blankGroups {
		var g issuer.GroupRole
		if n < len(in.GroupRoles) {
			g = in.GroupRoles[n]
		}
		number := strconv.Itoa(n + 1)
		id := "groups"
		if n > 0 {
			id += "-" + number
		}
		view.Groups = append(view.Groups, pages.IssuerGroup{
			Group: components.Field{Label: "Group " + number, Name: "groups", ID: id, Value: g.Group,
				MaxLength: issuer.MaxGroup, Quiet: true, Autocomplete: "off"},
			Role: components.Select{Label: "Role " + number, Name: "group_roles", ID: "group_roles-" + number, Blank: "–",
				Options: roleOptions(g.Role), Quiet: true}})
	}
	hours := ""
	if in.SessionHours != 0 {
		hours = strconv.Itoa(in.SessionHours)
	}
	view.Hours = text("session_hours", "Hours until people sign in again", hours,
		"1 to 168; 12 when left empty.", 3, false)
	view.Hours.Width, view.Hours.InputMode = "s", "numeric"
	return h.Desk.ShowIn(c, kit.StatusOf(wrong), view.Heading, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.IssuerForm(f, view) })
}

func roleOptions(chosen actor.Role) (out []components.Option) {
	for _, r := range actor.Roles {
		out = append(out, components.Option{Value: string(r), Text: kit.RoleWord(r), Selected: r == chosen})
	}
	return out
}

package settings

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/user"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const (
	peopleAsked = 500 // of a business, for the matrix
	peopleNamed = 6   // beside an action
)

// Roles serves GET /settings/roles: the matrix that the product itself obeys.
func (h *Settings) Roles(c echo.Context) error {
	who := access.Actor(c)
	people, err := h.People(c.Request().Context(), who.MerchantID, peopleAsked)
	if err != nil {
		return err
	}
	var view pages.RolesView
	for _, r := range actor.Roles {
		view.Roles = append(view.Roles, kit.RoleWord(r))
	}
	for _, p := range actor.Permissions {
		view.Rows = append(view.Rows, roleRow(p, h.Opens[p.Action], people))
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Roles", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Roles(f, view) })
}

func roleRow(p actor.Permission, opens []string, people []user.User) pages.RoleRow {
	row := pages.RoleRow{Label: p.Label, Opens: opens, Grantable: p.Grantable}
	for _, r := range actor.Roles {
		row.Cells = append(row.Cells, pages.RoleCell{Role: kit.RoleWord(r), Has: slices.Contains(p.Roles, r)})
	}
	scopes := make([]string, len(p.Scopes))
	for i, s := range p.Scopes {
		scopes[i] = string(s)
	}
	row.Scopes = strings.Join(scopes, ", ")
	for _, one := range people {
		has := one.Actor().Can(p.Action)
		given := has && !slices.Contains(p.Roles, one.Role)
		switch {
		case !has && slices.Contains(p.Roles, one.Role):
			row.People = append(row.People, one.Called()+" – not: taken away")
		case has && len(row.People) >= peopleNamed:
			row.More++
		case given:
			row.People = append(row.People, one.Called()+" – given")
		case has:
			row.People = append(row.People, one.Called())
		}
	}
	return row
}

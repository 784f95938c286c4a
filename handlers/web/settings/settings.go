// Package settings serves the business, its brands and calendar, its people, the audit and one’s own account.
package settings

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/leaving"
	"debitdesk/models/merchant"
	"debitdesk/models/ownrule"
	"debitdesk/models/plural"
	"debitdesk/models/user"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Settings serves the pages on which a business says how it works.
type Settings struct {
	Desk   *kit.Desk
	Brands *merchant.Service
	// Approvals are asked for what directs money, where the business wants a second approver for it.
	Approvals *approval.Service
	Rules     Rules
	// Own are the stricter rules that the business chose.
	Own *ownrule.Service
	// Leaving takes along what a business owns.
	Leaving *leaving.Work
	// People lists who may sign in for a business, up to a limit.
	People func(ctx context.Context, merchantID uuid.UUID, limit int) ([]user.User, error)
	// Opens says in words what each action opens; the router gives it from its table.
	Opens map[actor.Action][]string
}

// Business serves GET /settings/business.
func (h *Settings) Business(c echo.Context) error {
	who := access.Actor(c)
	brands, err := h.Brands.Store.Brands(c.Request().Context(), who.MerchantID)
	if err != nil {
		return err
	}
	var view pages.BusinessView
	for _, b := range brands {
		facts, err := h.series(c, b)
		if err != nil {
			return err
		}
		row := pages.BrandRow{Href: words.BrandHref(b.ID), Name: b.Name, Legal: b.LegalName, VAT: b.TaxNumber,
			Profiles: plural.Of(len(b.Profiles), "profile"), Numbers: facts[0].Value}
		if len(b.Profiles) == 0 {
			row.Profiles, row.Missing = "None yet", true
		}
		view.Rows = append(view.Rows, row)
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Business", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Business(f, view) })
}

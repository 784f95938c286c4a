package checkout

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/models/locale"
	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// rights is a page that says what the law lets the client ask for: that is told where personal details are collected
// (POPIA section 18, rulebook popia.objection).
func rights(w locale.Words, rec purchase.Record) checkout.PageView {
	return checkout.PageView{Rights: w.Say("pay.rights", "business", rec.Brand.Name),
		RightsLink: components.Link{Text: w.Say("pay.rights_link"), Href: weblink.Payer(rec.ID) + "rights/"}}
}

// AskPath is where the clients of a business ask for a link to their own page.
func AskPath(slug string) string { return "/my/ask/" + slug + "/" }

// Rights serves GET /p/:id/rights: it leads to where the client gets a link to its own page, on which requests are
// made. That a client did not agree to a mandate is said there, too: a link that was passed on lets nobody do it.
func (p *Pages) Rights(c echo.Context) error {
	rec, err := p.open(c)
	if err != nil {
		return err
	}
	m, err := p.Purchases.Merchants().Merchant(c.Request().Context(), rec.MerchantID)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Redirect(http.StatusSeeOther, AskPath(m.Slug))
}

package my

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/handlers/my/mytext"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
	"debitdesk/views/my"
)

func mandatePath(id uuid.UUID) string { return fmt.Sprintf("/my/mandates/%s/", id) }

// Mandate serves GET /my/mandates/:id: what the client agreed to, word for word.
func (p *Pages) Mandate(c echo.Context) error {
	v, m, ok, err := p.mandate(c)
	if !ok || err != nil {
		return err
	}
	view := my.TextView{Frame: p.frame(v.Brand, mytext.MandateTitle), Title: mytext.MandateTitle, Back: back(),
		Foot: foot(),
		Facts: components.Facts{Items: []components.Fact{{Label: mytext.MandateReference, Value: m.ContractReference},
			{Label: mytext.MandateHolder, Value: m.HolderName}, {Label: mytext.MandateAccount, Value: m.AccountMask},
			{Label: mytext.MandateStands, Value: m.State.Label()}}},
		Files: []components.Link{{Text: mytext.MandatePDF, Href: mandatePath(m.ID) + "agreement.pdf"}}}
	if !m.Consent.At.IsZero() {
		view.Facts.Items = append(view.Facts.Items, components.Fact{Label: mytext.MandateGiven,
			Value: m.Consent.At.In(calendar.SAST).Format(mytext.DayForm + ", 15:04")})
	}
	if m.Consent.Text != "" {
		view.Sections = []my.Section{{Title: mytext.MandateWords, Texts: []string{m.Consent.Text}, Lines: true}}
	}
	return html.Send(c, http.StatusOK, my.Text(view))
}

// MandatePDF serves GET /my/mandates/:id/agreement.pdf.
func (p *Pages) MandatePDF(c echo.Context) error {
	_, m, ok, err := p.mandate(c)
	if !ok || err != nil {
		return err
	}
	pdf, err := p.Draw(c.Request().Context(), m.MerchantID, m.ID)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `inline; filename="agreement.pdf"`)
	return c.Blob(http.StatusOK, "application/pdf", pdf)
}

// mandate is that of the address, if it is the client's.
func (p *Pages) mandate(c echo.Context) (v clientpage.Visit, m mandate.Mandate, ok bool, err error) {
	if v, ok, err = p.visit(c); !ok || err != nil {
		return v, m, ok, err
	}
	m, err = p.Service.Mandate(c.Request().Context(), p.Mandates, v, idOf(c.Param("id")))
	return v, m, true, err
}

// idOf reads an id of ours; any other text is no record's.
func idOf(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) {
		return uuid.Nil
	}
	return id
}

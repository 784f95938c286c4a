package my

import (
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/my/mytext"
	"debitdesk/models/clientpage"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/token"
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
	live, err := p.Service.Purchases.Tokens().TokensOf(c.Request().Context(), m.MerchantID, v.Client.ID)
	if err != nil {
		return err
	}
	var account token.State
	for _, t := range live {
		if t.ID == m.ID {
			account = t.State
		}
	}
	return p.show(c, http.StatusOK, v, func(w locale.Words) templ.Component {
		return my.Text(p.mandateView(c, w, v, m, mytext.MandateOf(w, m.State, account)))
	})
}

// mandateView shows the wording as the client agreed to it, which is in English on every page: it is the evidence.
func (p *Pages) mandateView(c echo.Context, w locale.Words, v clientpage.Visit, m mandate.Mandate, state string,
) my.TextView {
	title := w.Say("my.mandate.title")
	view := my.TextView{Frame: p.frame(c, w, v.Brand, title), Title: title, Back: back(w), Foot: foot(w),
		Facts: components.Facts{Items: []components.Fact{
			{Label: w.Say("my.mandate.reference"), Value: m.ContractReference},
			{Label: w.Say("my.mandate.holder"), Value: m.HolderName}, {Label: w.Say("my.mandate.account"), Value: m.AccountMask},
			{Label: w.Say("my.mandate.state"), Value: state}}},
		Files: []components.Link{{Text: w.Say("my.mandate.pdf"), Href: mandatePath(m.ID) + "agreement.pdf"}}}
	if !m.Consent.At.IsZero() {
		view.Facts.Items = append(view.Facts.Items, components.Fact{Label: w.Say("my.mandate.given"),
			Value: w.Moment(m.Consent.At)})
	}
	if m.Consent.Text != "" {
		wording := my.Section{Title: w.Say("my.mandate.words"), Texts: []string{m.Consent.Text}, Lines: true}
		if w.Language != locale.English {
			wording.Lang, wording.Note = locale.English.Tag(), w.Say("my.mandate.english")
		}
		view.Sections = []my.Section{wording}
	}
	return view
}

// MandatePDF serves GET /my/mandates/:id/agreement.pdf.
func (p *Pages) MandatePDF(c echo.Context) error {
	v, m, ok, err := p.mandate(c)
	if !ok || err != nil {
		return err
	}
	pdf, err := p.Draw(c.Request().Context(), m.MerchantID, m.ID,
		p.reads(c, v.Brand, v.Client.ChosenLanguage, v.Client.Language))
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

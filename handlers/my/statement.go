package my

import (
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/download"
	"debitdesk/models/actor"
)

// statementPath is where the statement of account is.
const statementPath = home + "statement.pdf"

// StatementPDF serves GET /my/statement.pdf: the account of the client as it stands now, as staff mail it.
func (p *Pages) StatementPDF(c echo.Context) error {
	v, ok, err := p.visit(c)
	if !ok || err != nil {
		return err
	}
	st, err := p.Statements.At(c.Request().Context(), actor.SystemOf(v.Client.MerchantID), v.Client.ID, p.Service.Now())
	if err != nil {
		return err
	}
	st.Reads = p.reads(c, v.Brand, v.Client.ChosenLanguage, v.Client.Language)
	pdf, err := p.Statements.Draw(st)
	if err != nil {
		return err
	}
	return download.Show(c, st.FileName(), "application/pdf", pdf)
}

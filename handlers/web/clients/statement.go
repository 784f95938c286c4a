package clients

import (
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/models/calendar"
	"debitdesk/models/clientaccount"
)

// asOf is the day of an account that an address asks for; today where it names none, or one that is still to come.
func (h *Clients) asOf(text string) calendar.Date {
	day, err := calendar.ParseDate(text)
	if today := calendar.DateOf(h.Desk.Now()); err != nil || day.After(today) || day.Year < 1 {
		return today
	}
	return day
}

// StatementPDF serves GET /clients/:id/account/statement.pdf: the account as the client is told of it.
func (h *Clients) StatementPDF(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	day := h.asOf(c.QueryParam("as_of"))
	pdf, err := h.Statements.PDF(c.Request().Context(), access.Actor(c), one.ID, h.Statements.Moment(day))
	if err != nil {
		return err
	}
	return download.Send(c, clientaccount.FileName(day), "application/pdf", pdf)
}

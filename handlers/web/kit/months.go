package kit

import (
	"github.com/labstack/echo/v4"

	"debitdesk/models/journal"
)

// MonthAsked is the month that the address names in "month"; another one, unless it does. Where it names what is no
// month, wrong says how to write one, and what is shown instead: shows is the beginning of that sentence.
func MonthAsked(c echo.Context, otherwise journal.Month, shows string) (m journal.Month, wrong string) {
	text := c.QueryParam("month")
	if text == "" {
		return otherwise, ""
	}
	m, err := journal.ParseMonth(text)
	if err != nil {
		return otherwise, "Write the month as " + otherwise.String() + ". " + shows + otherwise.Words() + "."
	}
	return m, ""
}

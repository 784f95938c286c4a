package bankfiles

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/kit"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Places are the pages of the section; they say why there is nothing where no bank takes files.
var Places = []string{overviewPath, filesPath, receivedPath, movementsPath, daysPath, findingsPath}

// None serves the pages of the section where the bank is connected in another way.
func None(desk *kit.Desk) echo.HandlerFunc {
	return func(c echo.Context) error {
		return desk.ShowIn(c, http.StatusOK, "Bank files", section,
			func(f layout.Frame) templ.Component { return pages.BankNone(f) })
	}
}

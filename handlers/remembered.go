package handlers

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/find"
)

// opens says what the pages of one record are about.
var opens = map[string]find.Kind{
	"/clients/:id":        find.Clients,
	"/purchases/:id":      find.Purchases,
	"/mandates/:id":       find.Mandates,
	"/tokens/:id":         find.Tokens,
	"/templates/:id":      find.Templates,
	"/batches/:id/map":    find.Batches,
	"/batches/:id/check":  find.Batches,
	"/batches/:id/review": find.Batches,
	"/batches/:id/run":    find.Batches,
	"/batches/:id/result": find.Batches,
}

// remembered notes which records a person opened, so that the search offers them first.
func (e *edge) remembered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		kind, one := opens[c.Path()]
		r := c.Request()
		if err != nil || !one || r.Method != http.MethodGet || r.Header.Get("HX-Request") != "" ||
			c.Response().Status != http.StatusOK {
			return err
		}
		id, wrong := uuid.Parse(c.Param("id"))
		if wrong != nil {
			return nil //nolint:nilerr // the page was served; nothing of that id is to be remembered
		}
		if err := e.Find.Service.Opened(r.Context(), access.Actor(c), kind, id); err != nil {
			e.Log.WarnContext(r.Context(), "an opened page was not remembered", "error", err)
		}
		return nil
	}
}

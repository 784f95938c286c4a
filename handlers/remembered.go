package handlers

import (
	"context"
	"net/http"
	"time"

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
		ctx, cancel := beside(r)
		defer cancel()
		if err := e.Find.Service.Opened(ctx, access.Actor(c), kind, id); err != nil {
			e.Log.WarnContext(ctx, "an opened page was not remembered", "error", err)
		}
		return nil
	}
}

// besideTime is how long it may take to write what is written beside an answer.
const besideTime = 5 * time.Second

// beside is the context of what is written beside an answer: the caller may have closed already, as many do when they
// have what they asked for, and it is written all the same.
func beside(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.Context()), besideTime)
}

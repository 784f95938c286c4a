package handlers_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/database"
)

func TestARequestOfAProgramHasAnEndWhileTheDatabaseHangs(t *testing.T) {
	h := handlertest.New(t, func(h *handlertest.Server) { h.Deps.Unavailable = database.Unavailable })
	hangs := func(c echo.Context) error {
		if _, limited := c.Request().Context().Deadline(); !limited {
			return c.NoContent(http.StatusTeapot)
		}
		<-c.Request().Context().Done()
		return c.Request().Context().Err()
	}
	h.App.GET("/api/v1/hangs", hangs, handlers.Within(time.Millisecond))
	h.API("GET", "/hangs", nil).Want(http.StatusServiceUnavailable).WantCode("__all__=unavailable")
	h.App.GET("/unhurried", hangs)
	h.Call("GET", "/unhurried", nil).Want(http.StatusTeapot)
}

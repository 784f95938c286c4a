package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// settings are the pages on which a business says how it works.
func (e *edge) settings() {
	h := e.Settings
	if h == nil {
		return
	}
	h.Opens = Opens()
	person := e.people(smallForm)
	e.at(person, "GET", "/settings", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/settings/business") })
	e.at(person, "GET", "/settings/business", h.Business)
	e.at(person, "GET", "/settings/roles", h.Roles)
}

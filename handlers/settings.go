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
	e.at(person, "GET", "/settings/calendar", h.Calendar)
	e.at(person, "POST", "/settings/brands", h.AddBrand)
	e.at(person, "GET", "/settings/brands/new", h.NewBrand)
	e.at(person, "GET", "/settings/brands/:id", h.Brand)
	e.at(person, "POST", "/settings/brands/:id", h.ChangeBrand)
	e.at(person, "GET", "/settings/brands/:id/removal", h.AskRemoveBrand)
	e.at(person, "POST", "/settings/brands/:id/removal", h.RemoveBrand)
	e.at(person, "POST", "/settings/brands/:id/profiles", h.AddProfile)
	e.at(person, "GET", "/settings/brands/:id/profiles/new", h.NewProfile)
	e.at(person, "POST", "/settings/brands/:id/profiles/:profile/default", h.DefaultProfile)
	e.at(person, "GET", "/settings/brands/:id/profiles/:profile/removal", h.AskRemoveProfile)
	e.at(person, "POST", "/settings/brands/:id/profiles/:profile/removal", h.RemoveProfile)
}

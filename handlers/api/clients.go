package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/fault"
)

// Clients serves /clients/.
type Clients struct {
	Base    Base
	Service *client.Service
}

// Create serves POST /clients/.
func (h *Clients) Create(c echo.Context) error {
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	var in client.Input
	ReadDetails(body, &in.Details)
	in.Problems = body.Problems()
	who := access.Actor(c)
	return Run(c, http.StatusCreated, clientAnswer(who), func(ctx context.Context) (client.Client, error) {
		return h.Service.Create(ctx, who, in)
	})
}

// List serves GET /clients/.
func (h *Clients) List(c echo.Context) error {
	var wrong fault.Problems
	q := client.Query{Text: c.QueryParam("q"), PersonalCode: bank.IDNumber(c.QueryParam("personal_code")),
		Ask: Page(c, &wrong)}
	if err := wrong.Err(); err != nil {
		return err
	}
	who := access.Actor(c)
	page, err := h.Service.List(c.Request().Context(), who, q)
	if err != nil {
		return err
	}
	return List(c, h.Base, page, clientID, clientAnswer(who))
}

func clientID(c client.Client) uuid.UUID { return c.ID }

// Get serves GET /clients/{id}/.
func (h *Clients) Get(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	who := access.Actor(c)
	found, err := h.Service.Get(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	return JSON(c, http.StatusOK, clientAnswer(who)(found))
}

// Update serves PUT and PATCH /clients/{id}/. PUT replaces: what it does not
// name becomes empty.
func (h *Clients) Update(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	who, method := access.Actor(c), c.Request().Method
	change := client.Change{Apply: func(now client.Details) (client.Details, fault.Problems) {
		wanted := replaced(method, now)
		ReadDetails(body, &wanted)
		return wanted, body.Problems()
	}}
	return Run(c, http.StatusOK, clientAnswer(who), func(ctx context.Context) (client.Client, error) {
		return h.Service.Update(ctx, who, id, change)
	})
}

// Delete serves DELETE /clients/{id}/.
func (h *Clients) Delete(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	if err := h.Service.Delete(c.Request().Context(), access.Actor(c), id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

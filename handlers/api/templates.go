package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
)

// Templates serves /billing_templates/.
type Templates struct {
	Base    Base
	Service *subscription.Service
}

// Create serves POST /billing_templates/.
func (h *Templates) Create(c echo.Context) error {
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	in := readTemplate(body, nil)
	who := access.Actor(c)
	if who.Kind == actor.User {
		in.Pattern.UserID = who.ID
	}
	return Run(c, http.StatusCreated, TemplateBody, func(ctx context.Context) (subscription.Template, error) {
		return h.Service.Create(ctx, who, in)
	})
}

// List serves GET /billing_templates/.
func (h *Templates) List(c echo.Context) error {
	var wrong fault.Problems
	f := readTemplateFilter(c, &wrong)
	return listOf(c, h.Base, wrong, func(ctx context.Context, who actor.Actor,
		ask paging.Ask) (paging.Page[subscription.Template], error) {
		return h.Service.List(ctx, who, f, ask)
	}, func(t subscription.Template) uuid.UUID { return t.ID }, TemplateBody)
}

func readTemplateFilter(c echo.Context, wrong *fault.Problems) (f subscription.Filter) {
	if text := c.QueryParam("is_subscription"); text != "" {
		yes, ok := input.ParseBool(text)
		if !ok {
			wrong.Add("is_subscription", "invalid", "Must be a valid boolean.")
		}
		f.IsSubscription = &yes
	}
	if text := c.QueryParam("brand_id"); text != "" {
		id, err := input.ParseUUID(text)
		if err != nil {
			wrong.Add("brand_id", "invalid", "%q is not a valid UUID.", text)
		}
		f.BrandID = id
	}
	return f
}

// Get serves GET /billing_templates/{id}/.
func (h *Templates) Get(c echo.Context) error {
	return one(c, h.Service.Get, TemplateBody)
}

// Update serves PUT /billing_templates/{id}/: what it does not name takes its
// default. PATCH is not published.
func (h *Templates) Update(c echo.Context) error {
	id, body, err := idAndBody(c, "id")
	if err != nil {
		return err
	}
	who := access.Actor(c)
	stored, err := h.known(c, id)
	if err != nil {
		return err
	}
	in := readTemplate(body, stored)
	return Run(c, http.StatusOK, TemplateBody, func(ctx context.Context) (subscription.Template, error) {
		return h.Service.Update(ctx, who, id, in)
	})
}

// known is the template as it stands, because 404 comes before what is wrong with
// a body. It is nil for a caller who may write and not read: then the rules decide.
func (h *Templates) known(c echo.Context, id uuid.UUID) (*subscription.Template, error) {
	t, err := h.Service.Get(c.Request().Context(), access.Actor(c), id)
	switch {
	case fault.Is(err, fault.Forbidden):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &t, nil
}

// Delete serves DELETE /billing_templates/{id}/.
func (h *Templates) Delete(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	if err := h.Service.Delete(c.Request().Context(), access.Actor(c), id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func idAndBody(c echo.Context, name string) (uuid.UUID, *input.Object, error) {
	id, err := ID(c, name)
	if err != nil {
		return id, nil, err
	}
	body, err := input.Read(c.Request())
	return id, body, err
}

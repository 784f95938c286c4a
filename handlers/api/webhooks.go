package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/models/fault"
	"debitdesk/models/webhook"
)

// Webhooks serves /webhooks/ and /public_key/ (contract 6).
type Webhooks struct {
	Base    Base
	Service *webhook.Service
}

// The field lengths of a webhook (contract 6), in characters.
const (
	maxWebhookTitle    = 100
	maxWebhookCallback = 500
	maxWebhookEvents   = 100
	maxEventName       = 100
)

// Create serves POST /webhooks/.
func (h *Webhooks) Create(c echo.Context) error {
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	var in webhook.Input
	readWebhook(body, &in)
	who := access.Actor(c)
	return Run(c, http.StatusCreated, webhookAnswer, func(ctx context.Context) (webhook.Webhook, error) {
		return h.Service.Create(ctx, who, in)
	})
}

// readWebhook puts what the request names into the input. Naming events alone
// chooses them; all_events wins over a list beside it.
func readWebhook(body *input.Object, in *webhook.Input) {
	body.SetText(&in.Title, "title", maxWebhookTitle)
	body.SetText(&in.Callback, "callback", maxWebhookCallback)
	all := body.Bool("all_events", in.AllEvents)
	if body.Has("events") {
		in.Events = body.Texts("events", maxWebhookEvents, maxEventName, true)
		if len(in.Events) > 0 && !body.Has("all_events") {
			all = false
		}
	}
	if in.AllEvents = all; all {
		in.Events = nil
	}
	in.Problems = flat(body.Problems(), "events")
}

// flat brings what is wrong with the entries of a list of words to the list itself.
func flat(found fault.Problems, list string) fault.Problems {
	out := slices.Clone(found)
	for i := range out {
		if out[i].Leaf() == list {
			out[i].Path = list
		}
	}
	return out
}

// List serves GET /webhooks/.
func (h *Webhooks) List(c echo.Context) error {
	return listOf(c, h.Base, nil, h.Service.List, func(w webhook.Webhook) uuid.UUID { return w.ID }, webhookAnswer)
}

// Get serves GET /webhooks/{id}/.
func (h *Webhooks) Get(c echo.Context) error {
	return one(c, h.Service.Get, webhookAnswer)
}

// Update serves PUT and PATCH /webhooks/{id}/. PUT replaces the whole record.
func (h *Webhooks) Update(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	who, method := access.Actor(c), c.Request().Method
	change := func(in *webhook.Input) {
		if method == http.MethodPut {
			*in = webhook.Input{}
		}
		readWebhook(body, in)
	}
	return Run(c, http.StatusOK, webhookAnswer, func(ctx context.Context) (webhook.Webhook, error) {
		return h.Service.Update(ctx, who, id, change)
	})
}

// Delete serves DELETE /webhooks/{id}/.
func (h *Webhooks) Delete(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	if err := h.Service.Delete(c.Request().Context(), access.Actor(c), id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// Test serves POST /webhooks/{id}/test/: one delivery that says hello (ours).
func (h *Webhooks) Test(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	who := access.Actor(c)
	return Run(c, http.StatusOK, deliveryAnswer, func(ctx context.Context) (webhook.Delivery, error) {
		return h.Service.Test(ctx, who, id)
	})
}

type resentBody struct {
	Resent int `json:"resent"`
}

// ResendSince serves POST /webhooks/{id}/resend/ {"since": unix}: every event
// since then is delivered once more (ours).
func (h *Webhooks) ResendSince(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	since, given := body.Moment("since")
	if !given && !body.Problems().Has("since") {
		body.Add("since", "required", "This field is required.")
	}
	who := access.Actor(c)
	if wrong := body.Err(); wrong != nil {
		if _, err := h.Service.Get(c.Request().Context(), who, id); fault.Is(err, fault.NotFound) {
			return err // a stranger's id is nobody's, whatever the body says
		}
		return wrong
	}
	return Run(c, http.StatusOK, func(n int) any { return resentBody{n} }, func(ctx context.Context) (int, error) {
		return h.Service.ResendSince(ctx, who, id, since)
	})
}

// PublicKey serves GET /public_key/: a JSON text with the PEM of the key that
// signs success_callback.
func (h *Webhooks) PublicKey(c echo.Context) error {
	pem, err := h.Service.CompanyKey(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	return JSON(c, http.StatusOK, pem)
}

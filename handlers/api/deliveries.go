package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/webhook"
)

// Deliveries serves GET /webhooks/deliveries/: the delivery log.
func (h *Webhooks) Deliveries(c echo.Context) error {
	var wrong fault.Problems
	f := webhook.DeliveryFilter{WebhookID: idFilter(c, &wrong, "webhook_id"), EventID: idFilter(c, &wrong, "event_id"),
		ObjectID: idFilter(c, &wrong, "id"), ObjectType: c.QueryParam("source_type"),
		State: webhook.State(c.QueryParam("state"))}
	if f.ObjectType != "" && !slices.Contains(webhook.SourceTypes, f.ObjectType) {
		wrong.Add("source_type", "invalid_choice", "%q is not a valid choice. Choose one of: %s.", short(f.ObjectType),
			strings.Join(webhook.SourceTypes, ", "))
	}
	if f.State != "" && !slices.Contains(webhook.States, f.State) {
		wrong.Add("state", "invalid_choice", "%q is not a valid choice.", short(string(f.State)))
	}
	return listOf(c, h.Base, wrong, func(ctx context.Context, who actor.Actor,
		ask paging.Ask) (paging.Page[webhook.Delivery], error) {
		return h.Service.DeliveriesInFull(ctx, who, f, ask)
	}, func(d webhook.Delivery) uuid.UUID { return d.ID }, deliveryAnswer)
}

// idFilter reads an id of the query; uuid.Nil when there is none.
func idFilter(c echo.Context, wrong *fault.Problems, name string) uuid.UUID {
	text := c.QueryParam(name)
	if text == "" {
		return uuid.Nil
	}
	id, err := input.ParseUUID(text)
	if err != nil {
		wrong.Add(name, "invalid", "Must be a valid UUID.")
	}
	return id
}

// short keeps a wrong value readable in a message.
func short(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// Delivery serves GET /webhooks/deliveries/{id}/: what was sent, and every attempt.
func (h *Webhooks) Delivery(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	d, signature, err := h.Service.Delivery(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	return JSON(c, http.StatusOK, inFull(d, signature))
}

// Resend serves POST /webhooks/deliveries/{id}/resend/: the same event once more (ours).
func (h *Webhooks) Resend(c echo.Context) error {
	id, _, err := idAndOptions(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	return Run(c, http.StatusOK, deliveryAnswer, func(ctx context.Context) (webhook.Delivery, error) {
		return h.Service.Resend(ctx, who, id)
	})
}

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
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// SendInvoice serves POST /billing_templates/{id}/send_invoice/.
func (h *Templates) SendInvoice(c echo.Context) error {
	return addTo(h, c, h.Base.PurchaseBody, func(ctx context.Context, who actor.Actor, id uuid.UUID,
		in subscription.SubscriberInput) (purchase.Record, error) {
		return h.Service.SendInvoice(ctx, who, id, in)
	})
}

// AddSubscriber serves POST /billing_templates/{id}/add_subscriber/.
func (h *Templates) AddSubscriber(c echo.Context) error {
	return addTo(h, c, h.addedAnswer, func(ctx context.Context, who actor.Actor, id uuid.UUID,
		in subscription.SubscriberInput) (subscription.Added, error) {
		return h.Service.Add(ctx, who, id, in)
	})
}

// addTo runs a use case that names one client of a template.
func addTo[T any](h *Templates, c echo.Context, wire func(T) any,
	act func(context.Context, actor.Actor, uuid.UUID, subscription.SubscriberInput) (T, error)) error {
	id, body, err := idAndBody(c, "id")
	if err != nil {
		return err
	}
	who, in := access.Actor(c), newSubscriber(body)
	if len(in.Problems) > 0 {
		if _, err := h.known(c, id); err != nil {
			return err
		}
	}
	return Run(c, http.StatusOK, wire, func(ctx context.Context) (T, error) { return act(ctx, who, id, in) })
}

type addedBody struct {
	Subscriber any `json:"billing_template_client"`
	Purchase   any `json:"purchase"`
}

func (h *Templates) addedAnswer(a subscription.Added) any {
	body := addedBody{Subscriber: SubscriberBody(a.Subscriber)}
	if a.Purchase != nil {
		body.Purchase = h.Base.PurchaseBody(*a.Purchase)
	}
	return body
}

// Subscribers serves GET /billing_templates/{id}/clients/.
func (h *Templates) Subscribers(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	return listOf(c, h.Base, nil, func(ctx context.Context, who actor.Actor,
		ask paging.Ask) (paging.Page[subscription.Subscriber], error) {
		return h.Service.Subscribers(ctx, who, id, subscription.SubscriberFilter{}, ask)
	}, func(s subscription.Subscriber) uuid.UUID { return s.ID }, SubscriberBody)
}

// Subscriber serves GET /billing_templates/{id}/clients/{btc_id}/ and
// /billing_templates/clients/{btc_id}/.
func (h *Templates) Subscriber(c echo.Context) error {
	template, id, err := templateAndClient(c)
	if err != nil {
		return err
	}
	found, err := h.Service.Subscriber(c.Request().Context(), access.Actor(c), template, id)
	if err != nil {
		return err
	}
	return JSON(c, http.StatusOK, SubscriberBody(found))
}

// Change serves PATCH of the same addresses. What the request does not name stays.
func (h *Templates) Change(c echo.Context) error {
	template, id, err := templateAndClient(c)
	if err != nil {
		return err
	}
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	who := access.Actor(c)
	stored, err := h.Service.Subscriber(c.Request().Context(), who, template, id)
	if err != nil && !fault.Is(err, fault.Forbidden) { // who may not read may still write
		return err
	}
	change := func(in *subscription.SubscriberInput) {
		fresh := body.Again()
		readSubscriber(fresh, in)
		in.Paused = readStatus(fresh, stored.Status)
		in.Problems = append(in.Problems, fresh.Problems()...)
	}
	return Run(c, http.StatusOK, SubscriberBody, func(ctx context.Context) (subscription.Subscriber, error) {
		return h.Service.Change(ctx, who, template, id, change)
	})
}

// templateAndClient reads the ids of the address; without a template it is any of
// the merchant's.
func templateAndClient(c echo.Context) (template, id uuid.UUID, err error) {
	if c.Param("id") != "" {
		if template, err = ID(c, "id"); err == nil && template == uuid.Nil {
			err = fault.Missing()
		}
	}
	if err == nil {
		id, err = ID(c, "btc_id")
	}
	return template, id, err
}

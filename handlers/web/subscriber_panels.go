package web

import (
	"context"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Panel draws the subscriptions on a client's page.
func (h *Templates) Panel(ctx context.Context, who actor.Actor, c client.Client) (templ.Component, error) {
	page, err := h.Service.Subscribers(ctx, who, uuid.Nil, subscription.SubscriberFilter{ClientID: c.ID}, paging.Ask{Limit: besideRows})
	if err != nil {
		return nil, err
	}
	var view pages.SubscriptionPanelView
	for _, s := range page.Items {
		t, err := h.Service.Get(ctx, who, s.TemplateID)
		if fault.Is(err, fault.NotFound) { // deleted: the subscriber is over, and there is no page to lead to
			continue
		}
		if err != nil {
			return nil, err
		}
		row := pages.SubscriptionRow{Href: subscriberHref(s, ""), Pill: subscriberPill(s), Name: t.Name(), Note: "billed " + everyWords(t.Plan, s.Anchor)}
		if !s.NextOn.IsZero() && s.Status == subscription.Active && !t.Paused && !s.Held() && !s.Unfunded() {
			row.Note = "next " + sayDay(s.NextOn, h.Desk.Now())
		}
		view.Rows = append(view.Rows, row)
	}
	return pages.SubscriptionPanel(view), nil
}

// subscriptionFacts lead from a purchase to the template and the subscriber that it follows.
func (p *Purchases) subscriptionFacts(c echo.Context, rec purchase.Record, add func(components.Fact)) error {
	if rec.TemplateID == uuid.Nil {
		return nil
	}
	t, err := p.Subscriptions.Get(c.Request().Context(), access.Actor(c), rec.TemplateID)
	if fault.Is(err, fault.NotFound) {
		add(components.Fact{Label: "Template", Value: "Deleted"})
		return nil
	}
	if err != nil {
		return err
	}
	add(components.Fact{Label: "Template", Value: t.Name(), Href: templateHref(t.ID, "")})
	if rec.SubscriberID != uuid.Nil {
		add(components.Fact{Label: "Subscription", Value: capital(everyWords(t.Plan, calendar.Date{})), Href: templateHref(t.ID, "/subscribers/"+rec.SubscriberID.String())})
	}
	return nil
}

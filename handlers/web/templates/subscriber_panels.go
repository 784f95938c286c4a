package templates

import (
	"context"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
	"debitdesk/views/pages"
)

// Panel draws the subscriptions on a client's page.
func (h *Templates) Panel(ctx context.Context, who actor.Actor, c client.Client) (templ.Component, error) {
	page, err := h.Service.Subscribers(ctx, who, uuid.Nil, subscription.SubscriberFilter{ClientID: c.ID},
		paging.Ask{Limit: kit.BesideRows})
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
		row := pages.SubscriptionRow{Href: subscriberHref(s, ""), Pill: subscriberPill(s), Name: t.Name(),
			Note: "billed " + words.EveryWords(t.Plan, s.Anchor)}
		if !s.NextOn.IsZero() && s.Status == subscription.Active && !t.Paused && !s.Held() && !s.Unfunded() {
			row.Note = "next " + words.SayDay(s.NextOn, h.Desk.Now())
		}
		view.Rows = append(view.Rows, row)
	}
	return pages.SubscriptionPanel(view), nil
}

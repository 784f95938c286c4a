package purchases

import (
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

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
	add(components.Fact{Label: "Template", Value: t.Name(), Href: words.TemplateHref(t.ID, "")})
	if rec.SubscriberID != uuid.Nil {
		add(components.Fact{Label: "Subscription", Value: words.Capital(words.EveryWords(t.Plan, calendar.Date{})),
			Href: words.TemplateHref(t.ID, "/subscribers/"+rec.SubscriberID.String())})
	}
	return nil
}

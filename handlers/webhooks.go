package handlers

import "debitdesk/handlers/web"

// WebhookPages gives the pages about events and webhooks their addresses, and the
// desk what fails. The pages about debits stand already.
func (d *Deps) WebhookPages(desk *web.Desk, service web.WebhookDesk) {
	d.Webhooks = &web.Webhooks{Desk: desk, Service: service}
	d.Events = &web.Events{Desk: desk, Service: service, Exports: d.Purchases.Exports}
	desk.Failing = service.Failing
}

// webhookAPI is where programs say who hears of events. The delivery log stands
// before the ids.
func (e *edge) webhookAPI() {
	h := e.API.Webhooks
	if h == nil {
		return
	}
	s := e.programs(jsonBody)
	e.api(s, "GET", "/public_key", h.PublicKey)
	e.api(s, "POST", "/webhooks", h.Create)
	e.api(s, "GET", "/webhooks", h.List)
	e.api(s, "GET", "/webhooks/deliveries", h.Deliveries)
	e.api(s, "GET", "/webhooks/deliveries/:id", h.Delivery)
	e.api(s, "POST", "/webhooks/deliveries/:id/resend", h.Resend)
	e.api(s, "GET", "/webhooks/:id", h.Get)
	e.api(s, "PUT", "/webhooks/:id", h.Update)
	e.api(s, "PATCH", "/webhooks/:id", h.Update)
	e.api(s, "DELETE", "/webhooks/:id", h.Delete)
	e.api(s, "POST", "/webhooks/:id/test", h.Test)
	e.api(s, "POST", "/webhooks/:id/resend", h.ResendSince)
}

// webhookPages are the pages about events and who hears of them.
func (e *edge) webhookPages() {
	person := e.people(smallForm)
	if h := e.Events; h != nil {
		e.at(person, "GET", "/developers/events", h.List)
		e.at(person, "GET", "/developers/events/export", h.Export)
		e.at(person, "GET", "/developers/events/:id", h.Show)
	}
	h := e.Webhooks
	if h == nil {
		return
	}
	e.at(person, "GET", "/developers/webhooks", h.List)
	e.at(person, "POST", "/developers/webhooks", h.Create)
	e.at(person, "GET", "/developers/webhooks/new", h.New)
	e.at(person, "GET", "/developers/webhooks/deliveries/:id", h.Delivery)
	e.at(person, "POST", "/developers/webhooks/deliveries/:id/resend", h.Resend)
	e.at(person, "GET", "/developers/webhooks/:id", h.Show)
	e.at(person, "GET", "/developers/webhooks/:id/edit", h.Edit)
	e.at(person, "POST", "/developers/webhooks/:id", h.Update)
	e.at(person, "POST", "/developers/webhooks/:id/test", h.Test)
	e.at(person, "GET", "/developers/webhooks/:id/resend", h.AskResend)
	e.at(person, "POST", "/developers/webhooks/:id/resend", h.ResendSince)
	e.at(person, "GET", "/developers/webhooks/:id/deletion", h.AskDelete)
	e.at(person, "POST", "/developers/webhooks/:id/deletion", h.Delete)
}

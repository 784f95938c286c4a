package handlers

// templates is billing templates and who subscribes to them, below /api/v1 and at
// the root (API contract 1.1). "clients" is no id of a template: the fixed word
// comes before the parameter whatever the order here.
func (e *edge) templates() {
	h := e.API.Templates
	if h == nil {
		return
	}
	s := e.programs(jsonBody)
	e.apiAndRoot(s, "POST", "/billing_templates", h.Create)
	e.apiAndRoot(s, "GET", "/billing_templates", h.List)
	e.apiAndRoot(s, "GET", "/billing_templates/clients/:btc_id", h.Subscriber)
	e.apiAndRoot(s, "PATCH", "/billing_templates/clients/:btc_id", h.Change)
	e.apiAndRoot(s, "GET", "/billing_templates/:id", h.Get)
	e.apiAndRoot(s, "PUT", "/billing_templates/:id", h.Update)
	e.apiAndRoot(s, "DELETE", "/billing_templates/:id", h.Delete)
	e.apiAndRoot(s, "POST", "/billing_templates/:id/send_invoice", h.SendInvoice)
	e.apiAndRoot(s, "POST", "/billing_templates/:id/add_subscriber", h.AddSubscriber)
	e.apiAndRoot(s, "GET", "/billing_templates/:id/clients", h.Subscribers)
	e.apiAndRoot(s, "GET", "/billing_templates/:id/clients/:btc_id", h.Subscriber)
	e.apiAndRoot(s, "PATCH", "/billing_templates/:id/clients/:btc_id", h.Change)
}

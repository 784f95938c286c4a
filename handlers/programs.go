package handlers

// jsonAPI is what programs call.
func (e *edge) jsonAPI() {
	s, asked := e.programs(jsonBody), e.askedCallers(jsonBody)
	if h := e.API.Clients; h != nil {
		e.api(s, "POST", "/clients", h.Create)
		e.api(s, "GET", "/clients", h.List)
		e.api(s, "GET", "/clients/:id", h.Get)
		e.api(s, "PUT", "/clients/:id", h.Update)
		e.api(s, "PATCH", "/clients/:id", h.Update)
		e.api(asked, "DELETE", "/clients/:id", h.Delete)
	}
	if h := e.API.Tokens; h != nil {
		e.api(s, "GET", "/clients/:id/recurring_tokens", h.List)
		e.api(s, "GET", "/clients/:id/recurring_tokens/:token_id", h.Get)
		e.api(asked, "DELETE", "/clients/:id/recurring_tokens/:token_id", h.Delete)
	}
	if h := e.API.Billing; h != nil {
		e.apiAndRoot(e.programs(billingBody), "POST", "/billing", h.Send)
	}
	if h := e.API.Purchases; h != nil {
		e.api(s, "POST", "/purchases", h.Create)
		e.api(s, "GET", "/purchases", h.List)
		e.api(s, "GET", "/purchases/counts", h.Counts)
		e.api(s, "GET", "/purchases/:id", h.Get)
		e.api(s, "POST", "/purchases/:id/cancel", h.Cancel)
		e.api(s, "POST", "/purchases/:id/charge", h.Charge)
		e.api(s, "POST", "/purchases/:id/capture", h.Capture)
		e.api(s, "POST", "/purchases/:id/release", h.Release)
		e.api(s, "POST", "/purchases/:id/refund", h.Refund)
		e.api(s, "POST", "/purchases/:id/mark_as_paid", h.MarkAsPaid)
		e.api(s, "POST", "/purchases/:id/resend_invoice", h.ResendInvoice)
		e.apiAndRoot(asked, "POST", "/purchases/:id/delete_recurring_token", h.DeleteRecurringToken)
	}
}

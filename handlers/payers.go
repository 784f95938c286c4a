package handlers

// hosted are the payer's pages. They need no session: the link is the proof.
func (e *edge) hosted() {
	if e.Payers == nil {
		return
	}
	s := e.payers(smallForm)
	e.at(s, "GET", "/p/:id", e.Payers.Show)
	e.at(s, "POST", "/p/:id", e.Payers.Give)
	e.at(s, "GET", "/p/:id/invoice", e.Payers.Invoice)
	e.at(s, "GET", "/p/:id/invoice.pdf", e.Payers.InvoicePDF)
	if e.Payers.Subscriptions != nil {
		e.at(s, "GET", "/p/:id/subscription", e.Payers.Subscription)
		e.at(s, "POST", "/p/:id/subscription", e.Payers.StopSubscription)
	}
}

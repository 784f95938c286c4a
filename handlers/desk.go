package handlers

// desk is what people work with: payers, what they owe, when it is debited.
func (e *edge) desk() {
	person := e.people(smallForm)
	if h := e.Clients; h != nil {
		e.at(person, "GET", "/clients", h.List)
		e.at(person, "POST", "/clients", h.Create)
		e.at(person, "GET", "/clients/new", h.New)
		e.at(person, "GET", "/clients/:id", h.Show)
		e.at(person, "POST", "/clients/:id", h.Update)
		e.at(person, "GET", "/clients/:id/edit", h.Edit)
		e.at(person, "POST", "/clients/:id/numbers", h.Reveal)
		e.at(person, "GET", "/clients/:id/deletion", h.AskDelete)
		e.at(person, "POST", "/clients/:id/deletion", h.Delete)
	}
	if e.Purchases != nil {
		p := e.Purchases
		e.at(person, "GET", "/purchases", p.List)
		e.at(person, "POST", "/purchases", p.Create)
		e.at(person, "GET", "/purchases/new", p.New)
		e.at(person, "POST", "/purchases/preview", p.Preview)
		e.at(person, "GET", "/purchases/:id", p.Show)
		e.at(person, "GET", "/purchases/:id/qr", p.QR)
		e.at(person, "GET", "/purchases/:id/charge", p.AskCharge)
		e.at(person, "POST", "/purchases/:id/charge", p.Charge)
		e.at(person, "GET", "/purchases/:id/charge/plan", p.PlanCharge)
		e.at(person, "GET", "/purchases/:id/cancellation", p.AskCancel)
		e.at(person, "POST", "/purchases/:id/cancellation", p.Cancel)
		e.at(person, "GET", "/purchases/:id/refund", p.AskRefund)
		e.at(person, "POST", "/purchases/:id/refund", p.Refund)
		e.at(person, "GET", "/purchases/:id/settlement", p.AskSettle)
		e.at(person, "POST", "/purchases/:id/settlement", p.Settle)
		e.at(person, "GET", "/purchases/:id/payment", p.AskPaid)
		e.at(person, "POST", "/purchases/:id/payment", p.Paid)
		e.at(person, "GET", "/purchases/:id/mail", p.AskMail)
		e.at(person, "POST", "/purchases/:id/mail", p.Mail)
	}
}

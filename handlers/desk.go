package handlers

// desk are the pages of purchases: what is owed, when it is debited, how it went.
func (e *edge) desk() {
	person := e.people(smallForm)
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

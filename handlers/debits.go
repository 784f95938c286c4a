package handlers

import "debitdesk/handlers/web"

// Rooms gives the addresses the pages about debits, and the clients' pages what
// belongs beside a client.
func (d *Deps) Rooms(r web.Rooms) {
	d.Home, d.Purchases, d.Tokens, d.Accounts = r.Home, r.Purchases, r.Tokens, r.Accounts
	d.Mandates, d.Live, d.SetUp = r.Mandates, r.Live, r.SetUp
	d.Amendments = r.Amendments
	d.Invoices = r.Invoices
	if r.Templates.Service != nil {
		d.Templates = r.Templates
	}
	if d.Clients != nil {
		r.Beside(d.Clients)
	}
}

// FindBatches lets the lists of invoices and purchases be narrowed to a batch.
func (d *Deps) FindBatches(find web.FindBatch) {
	if d.Invoices != nil {
		d.Invoices.Batch = find
	}
	if d.Purchases != nil {
		d.Purchases.Batch = find
	}
}

// debits are the pages of what is owed, from which account it is debited, and how
// it went.
func (e *edge) debits() {
	person := e.people(smallForm)
	if h := e.Home; h != nil {
		e.at(person, "GET", "/", h.Show)
		e.at(person, "GET", "/attention", h.Attention)
	}
	if e.Purchases != nil {
		p := e.Purchases
		e.at(person, "GET", "/purchases", p.List)
		e.at(person, "POST", "/purchases", p.Create)
		e.at(person, "GET", "/purchases/new", p.New)
		e.at(person, "GET", "/purchases/export", p.Export)
		e.at(person, "GET", "/purchases/debits", p.Debits)
		e.at(person, "GET", "/purchases/debits/export", p.ExportDebits)
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
		e.at(person, "GET", "/purchases/:id/address", p.AskAddress)
		e.at(person, "POST", "/purchases/:id/address", p.Address)
	}
	if h := e.Invoices; h != nil {
		e.at(person, "GET", "/invoices", h.List)
		e.at(person, "GET", "/invoices/export", h.Export)
	}
	if h := e.Tokens; h != nil {
		e.at(person, "GET", "/tokens", h.List)
		e.at(person, "GET", "/tokens/export", h.Export)
		e.at(person, "GET", "/tokens/deletion", h.AskDelete)
		e.at(e.asked(smallForm), "POST", "/tokens/deletion", h.Delete)
		e.at(person, "GET", "/tokens/:id", h.Show)
	}
	if h := e.Mandates; h != nil {
		e.at(person, "GET", "/mandates", h.List)
		e.at(person, "GET", "/mandates/export", h.Export)
		e.at(person, "GET", "/mandates/:id", h.Show)
		e.at(person, "GET", "/mandates/:id/document.pdf", h.Document)
		e.at(person, "GET", "/mandates/:id/evidence/:file", h.Evidence)
	}
	if h := e.Live; h != nil {
		e.at(person, "POST", "/mandates/:id/authentications", h.Ask)
		if h.Watch != nil {
			e.at(person, "GET", "/mandates/:id/events", h.Events)
		}
	}
	if h := e.Accounts; h != nil {
		e.at(person, "GET", "/tokens/new", h.Choose)
		e.at(person, "GET", "/clients/:id/accounts/new", h.New)
		e.at(person, "POST", "/clients/:id/accounts/link", h.SendLink)
		e.at(e.people(scanForm), "POST", "/clients/:id/accounts", h.Capture)
	}
	if h := e.SetUp; h != nil {
		e.at(person, "GET", "/mandates/new", h.New)
		e.at(person, "POST", "/mandates", h.Create)
		e.at(person, "POST", "/mandates/preview", h.Preview)
		e.at(person, "GET", "/clients/:id/mandates/new", h.New)
	}
	e.amending()
}

// amending are the three steps in which new details replace a stored account.
func (e *edge) amending() {
	h := e.Amendments
	if h == nil {
		return
	}
	person := e.people(smallForm)
	e.at(person, "GET", "/tokens/:id/amendment", h.New)
	e.at(person, "POST", "/tokens/:id/amendment", h.Begin)
	e.at(person, "GET", "/amendments/:id", h.Show)
	e.at(e.people(scanForm), "POST", "/amendments/:id/account", h.Give)
	e.at(person, "POST", "/amendments/:id/takeover", h.TakeOver)
	e.at(person, "POST", "/amendments/:id/abandonment", h.Abandon)
}

// scanForm is room for a form with the scan of a mandate, in bytes.
const scanForm = 6 << 20

package handlers

import "debitdesk/handlers/web"

// approving is what needs a second person, and what can be taken back.
func (e *edge) approving() {
	person, asked := e.people(smallForm), e.asked(smallForm)
	if h := e.Tokens; h != nil {
		e.at(person, "POST", "/tokens/deletions/:id/undo", h.Undo)
		e.at(person, "GET", "/tokens/deletions/:id/now", h.AskDeleteNow)
		e.at(asked, "POST", "/tokens/deletions/:id/now", h.DeleteNow)
	}
	h := e.Approvals
	if h == nil {
		return
	}
	e.at(person, "GET", "/approvals", h.List)
	e.at(person, "GET", "/approvals/:id", h.Show)
	e.at(asked, "POST", "/approvals/:id/decision", h.Decide)
	e.at(person, "POST", "/approvals/:id/withdrawal", h.Withdraw)
	e.at(person, "GET", "/settings/approvals", h.Settings)
	e.at(asked, "POST", "/settings/approvals", h.Demand)
}

// Approve gives the pages the requests for a second person.
func (d *Deps) Approve(a *web.Approvals) {
	d.Approvals = a
	if d.Tokens != nil {
		d.Tokens.Approvals = a.Service
	}
	if d.Home != nil {
		d.Home.Approvals = a.Service
	}
	if d.Batches != nil {
		d.Batches.Approvals = a.Service
		d.Batches.Service.Requests = a.Service
	}
}

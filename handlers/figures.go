package handlers

// figures are how much money came and went, for people and for programs, and what
// a purchase could be paid by.
func (e *edge) figures() {
	s := e.programs(jsonBody)
	if h := e.API.Methods; h != nil {
		e.api(s, "GET", "/payment_methods", h.List)
	}
	if h := e.API.Accounts; h != nil {
		e.api(s, "GET", "/account/json/balance", h.Balance)
		e.api(s, "GET", "/account/json/turnover", h.Turnover)
	}
	if h := e.API.Statements; h != nil {
		e.api(s, "POST", "/company_statements", h.Create)
		e.api(s, "GET", "/company_statements", h.List)
		e.api(s, "GET", "/company_statements/:id", h.Get)
		e.api(s, "POST", "/company_statements/:id/cancel", h.Cancel)
		e.api(s, "GET", "/company_statements/:id/file", h.File)
	}
	if h := e.Reports; h != nil {
		person := e.people(smallForm)
		e.at(person, "GET", "/reports", h.Show)
		e.at(person, "POST", "/reports/statements", h.Ask)
		e.at(person, "POST", "/reports/statements/:id/cancellation", h.Cancel)
		e.at(person, "GET", "/reports/statements/:id/file", h.File)
	}
}

// simulator is the developers' page in sandbox mode.
func (e *edge) simulator() {
	h := e.Simulator
	if h == nil || !e.Deps.Sandbox {
		return
	}
	person := e.people(smallForm)
	e.at(person, "GET", "/developers/simulator", h.Show)
	e.at(person, "POST", "/developers/simulator/clock", h.Move)
	e.at(person, "POST", "/developers/simulator/scenarios", h.Play)
	e.at(person, "POST", "/developers/simulator/demo", h.Fill)
	e.at(person, "GET", "/developers/simulator/wipe", h.AskWipe)
	e.at(person, "POST", "/developers/simulator/wipe", h.Wipe)
}

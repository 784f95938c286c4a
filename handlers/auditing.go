package handlers

// auditing is the record of who did what.
func (e *edge) auditing() {
	h := e.Audit
	if h == nil {
		return
	}
	person := e.people(smallForm)
	e.at(person, "GET", "/audit", h.List)
	e.at(person, "GET", "/audit/export", h.Export)
	e.at(person, "POST", "/audit/check", h.Check)
	e.at(person, "GET", "/audit/:id", h.Show)
}

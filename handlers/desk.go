package handlers

// desk is what people work with: the payers.
func (e *edge) desk() {
	person := e.people(smallForm)
	if h := e.Clients; h != nil {
		e.at(person, "GET", "/clients", h.List)
		e.at(person, "POST", "/clients", h.Create)
		e.at(person, "GET", "/clients/new", h.New)
		e.at(person, "GET", "/clients/export", h.Export)
		e.at(person, "GET", "/clients/:id", h.Show)
		e.at(person, "POST", "/clients/:id", h.Update)
		e.at(person, "GET", "/clients/:id/edit", h.Edit)
		e.at(e.asked(smallForm), "POST", "/clients/:id/numbers", h.Reveal)
		e.at(person, "GET", "/clients/:id/deletion", h.AskDelete)
		e.at(e.asked(smallForm), "POST", "/clients/:id/deletion", h.Delete)
		e.at(person, "GET", "/clients/:id/erasure", h.AskErase)
		e.at(e.asked(smallForm), "POST", "/clients/:id/erasure", h.Erase)
	}
}

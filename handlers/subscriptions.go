package handlers

// templateRooms are the pages of billing templates and their subscribers.
func (e *edge) templateRooms() {
	h := e.Templates
	if h == nil {
		return
	}
	person, file := e.people(smallForm), e.people(bigFile)
	e.at(person, "GET", "/templates", h.List)
	e.at(person, "POST", "/templates", h.Create)
	e.at(person, "GET", "/templates/new", h.New)
	e.at(person, "GET", "/templates/without-account", h.WithoutAccount)
	e.at(person, "GET", "/templates/without-account/export", h.ExportWithoutAccount)
	e.at(person, "POST", "/templates/preview", h.Preview)
	e.at(person, "GET", "/templates/:id", h.Show)
	e.at(person, "GET", "/templates/:id/edit", h.Edit)
	e.at(person, "POST", "/templates/:id/edit", h.Change)
	e.at(person, "GET", "/templates/:id/pause", h.AskPause)
	e.at(person, "POST", "/templates/:id/pause", h.Pause)
	e.at(person, "GET", "/templates/:id/deletion", h.AskDelete)
	e.at(person, "POST", "/templates/:id/deletion", h.Delete)
	e.at(person, "GET", "/templates/:id/invoice", h.AskInvoice)
	e.at(person, "POST", "/templates/:id/invoice", h.Invoice)
	e.at(person, "GET", "/templates/:id/pending", h.AskPending)
	e.at(person, "POST", "/templates/:id/pending", h.Pending)

	e.at(person, "POST", "/templates/:id/subscribers", h.Add)
	e.at(person, "GET", "/templates/:id/subscribers/new", h.NewSubscriber)
	e.at(person, "GET", "/templates/:id/subscribers/export", h.Export)
	e.at(person, "GET", "/templates/:id/subscribers/bulk", h.AskBulk)
	e.at(file, "POST", "/templates/:id/subscribers/check", h.CheckBulk)
	e.at(file, "POST", "/templates/:id/subscribers/bulk", h.Bulk)
	e.at(person, "GET", "/templates/:id/subscribers/:sid", h.Subscriber)
	e.at(person, "GET", "/templates/:id/subscribers/:sid/edit", h.EditSubscriber)
	e.at(person, "POST", "/templates/:id/subscribers/:sid/edit", h.ChangeSubscriber)
	e.at(person, "POST", "/templates/:id/subscribers/:sid/pause", h.PauseSubscriber)
	e.at(person, "POST", "/templates/:id/subscribers/:sid/reminder", h.Remind)
	e.at(person, "GET", "/templates/:id/subscribers/:sid/removal", h.AskRemove)
	e.at(person, "POST", "/templates/:id/subscribers/:sid/removal", h.Remove)
}

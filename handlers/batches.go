package handlers

// bigFile is room for a file of 20 MB with its form, and for as much pasted text.
const bigFile = 21 << 20

// batches are the steps on which a file becomes invoices.
func (e *edge) batches() {
	h := e.Batches
	if h == nil {
		return
	}
	person, file := e.people(smallForm), e.people(bigFile)
	e.at(person, "GET", "/batches", h.List)
	e.at(file, "POST", "/batches", h.Upload)
	e.at(person, "GET", "/batches/new", h.New)
	e.at(person, "GET", "/batches/template.csv", h.Template)
	e.at(file, "POST", "/batches/paste", h.Paste)
	e.at(person, "POST", "/batches/clients", h.Choose)
	e.at(person, "GET", "/batches/:id", h.Open)
	e.at(person, "GET", "/batches/:id/map", h.Map)
	e.at(person, "POST", "/batches/:id/map", h.PutMap)
	e.at(person, "GET", "/batches/:id/check", h.Check)
	e.at(person, "POST", "/batches/:id/cells", h.Cell)
	e.at(person, "POST", "/batches/:id/fixes", h.Fix)
	e.at(person, "POST", "/batches/:id/skips", h.Skip)
	e.at(person, "POST", "/batches/:id/restores", h.Restore)
	e.at(person, "GET", "/batches/:id/client", h.Pick)
	e.at(person, "POST", "/batches/:id/decisions", h.Decide)
	e.at(person, "POST", "/batches/:id/amounts", h.Confirm)
	e.at(person, "GET", "/batches/:id/review", h.Review)
	e.at(person, "POST", "/batches/:id/start", h.Start)
	e.at(person, "GET", "/batches/:id/run", h.Run)
	e.at(person, "POST", "/batches/:id/turns", h.Turn)
	e.at(person, "GET", "/batches/:id/result", h.Result)
	e.at(person, "GET", "/batches/:id/result.csv", h.File)
	e.at(person, "GET", "/batches/:id/voiding", h.AskVoid)
	e.at(person, "POST", "/batches/:id/voiding", h.Void)
}

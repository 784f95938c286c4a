package handlers

import "debitdesk/handlers/access"

// developerDocs are the description of the API, for programs and for people. It is
// public: who is signed in sees it inside the dashboard.
func (e *edge) developerDocs() {
	if e.Reference == nil {
		return
	}
	e.at(stack{}, "GET", "/openapi.json", e.Reference.Document.Serve)
	e.at(stack{access.Perhaps(e.Session)}, "GET", "/developers/api", e.Reference.Show)
}

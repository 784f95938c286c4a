package handlers

import "debitdesk/handlers/api"

// playground is what exists in sandbox mode alone. Programs and people share its
// addresses: a credential or a session opens them.
func (e *edge) playground() {
	h := e.Room
	if h == nil || !e.Deps.Sandbox {
		return
	}
	s := e.programs(smallForm)
	e.at(s, "GET", "/sandbox", h.Enter)
	e.at(s, "GET", "/sandbox/clock", h.Clock)
	e.at(s, "POST", "/sandbox/clock", h.MoveClock)
	e.at(s, "GET", "/sandbox/desk", h.BankDesk)
	e.at(s, "POST", "/sandbox/collections/:purchase/result", api.NeverDry(h.Answer))
	e.at(s, "GET", "/sandbox/phone", h.Phone)
	e.at(s, "POST", "/sandbox/mandates/:purchase/answer", api.NeverDry(h.AnswerMandate))
	e.at(s, "GET", "/sandbox/mail", h.Mail)
	e.at(s, "GET", "/sandbox/mail/:id", h.Message)
	e.at(s, "GET", "/sandbox/mail/:id/html", h.MessageHTML)
	e.at(s, "GET", "/sandbox/mail/:id/files/:n", h.File)
}

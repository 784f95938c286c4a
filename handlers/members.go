package handlers

// members are the pages about who works for a business.
func (e *edge) members() {
	h := e.People
	if h == nil {
		return
	}
	person := e.people(smallForm)
	e.at(person, "GET", "/settings/people", h.List)
	e.at(person, "GET", "/settings/people/invite", h.New)
	e.at(person, "POST", "/settings/people/invitations", h.Invite)
	e.at(person, "POST", "/settings/people/invitations/:id/mails", h.Resend)
	e.at(person, "POST", "/settings/people/invitations/:id/revocation", h.Revoke)
	e.at(person, "GET", "/settings/people/:id", h.Show)
	e.at(person, "POST", "/settings/people/:id", h.Change)
	e.at(person, "POST", "/settings/people/:id/disabling", h.Disable)
	e.at(person, "POST", "/settings/people/:id/enabling", h.Enable)
	e.at(person, "GET", "/settings/people/:id/removal", h.AskRemove)
	e.at(person, "POST", "/settings/people/:id/removal", h.Remove)
}

// mailed are the pages behind links of mails to people, which need no session.
func (e *edge) mailed() {
	open := stack{limitBody(smallForm), sameOrigin()}
	if e.Invitation != nil {
		e.at(open, "GET", "/invite/:token", e.Invitation.Show)
		e.at(open, "POST", "/invite/:token", e.Invitation.Accept)
	}
	if e.Reset != nil {
		e.at(open, "GET", "/reset", e.Reset.Show)
		e.at(open, "POST", "/reset", e.Reset.Ask)
		e.at(open, "GET", "/reset/:token", e.Reset.Choose)
		e.at(open, "POST", "/reset/:token", e.Reset.Set)
	}
}

package clients

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/client"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// erasureWord is what a person types, so that nobody is erased by a slip.
var erasureWord = kit.TypedWord{Word: "ERASE"}

// AskErase serves GET /clients/:id/erasure: what goes, what stays and until when.
func (h *Clients) AskErase(c echo.Context) error {
	about, err := h.erasureOf(c)
	if err != nil {
		return err
	}
	return h.askErase(c, http.StatusOK, about, "")
}

// Erase serves POST /clients/:id/erasure.
func (h *Clients) Erase(c echo.Context) error {
	about, err := h.erasureOf(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if wrong := erasureWord.Wrong(form); wrong != "" {
		return h.askErase(c, http.StatusUnprocessableEntity, about, wrong)
	}
	if _, err := h.Service.Erase(c.Request().Context(), access.Actor(c), about.Client.ID); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The personal data of the client is erased.", "/clients")
}

// erasureOf finds the client, deleted or not.
func (h *Clients) erasureOf(c echo.Context) (client.Erasure, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return client.Erasure{}, err
	}
	return h.Service.WhatErasureMeans(c.Request().Context(), access.Actor(c), id)
}

func (h *Clients) askErase(c echo.Context, status int, about client.Erasure, typeError string) error {
	one, now := about.Client, h.Desk.Now()
	view := pages.ErasureView{Title: "Erase personal data",
		Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)}}
	switch {
	case one.Erased():
		view.Blocked = "The personal data of this client was erased already."
	case about.AtBank > 0 && !about.AtBankEnd.IsZero():
		view.Blocked = "A debit of this client is under way, and may come back unpaid until " +
			words.SayDay(about.AtBankEnd, now) + ". Erase the client after that day."
	case about.AtBank > 0:
		view.Blocked = "A debit of this client is at the bank. Erase the client once the bank has answered."
	case about.Disputes > 0:
		view.Blocked = "A debit of this client is disputed. Erase the client once that is decided."
	case about.Refunds > 0:
		view.Blocked = "Money is owed back to this client. Erase the client once it is paid."
	}
	view.Goes = []string{
		"Name, e-mail address, phone number, addresses, and account and identity number of the client, and their copies on " +
			plural.Of(about.Purchases, "purchase") + ".",
		"Tokens, with the debits planned on them, and subscriptions.",
		"Addresses and texts of " + plural.Of(about.Mails, "mail") +
			", rows of batches, and what the logs of requests and webhooks say about the client.",
	}
	view.Stays = []string{"Amounts, dates, statuses and references of purchases, without the person."}
	if until := about.KeptUntil(); !until.IsZero() {
		view.Stays = append(view.Stays, plural.Of(about.Mandates, "mandate")+
			" with the name of the holder, the wording and the evidence, and "+
			plural.Of(about.Invoices, "numbered document")+", until "+words.SayDay(until, now)+
			": the law asks for them.")
	}
	view.Stays = append(
		view.Stays,
		"The record of who did what, which cannot be changed. It holds names and addresses as they "+
			"were when something happened.",
	)
	view.Question = components.Confirm{ID: "erase", Title: "Erase the personal data of " + one.Name() + "?",
		Text: "This cannot be undone.", Action: words.ClientHref(one.ID) + "/erasure",
		Button: "Erase personal data", CancelHref: words.ClientHref(one.ID)}
	erasureWord.Ask(&view.Question, typeError)
	impact, err := h.impactOn(c, one)
	if err != nil {
		return err
	}
	view.Question.Breaks = impact.Lines()
	if why := whyNotForget(impact); why != "" && view.Blocked == "" {
		view.Blocked = why
	}
	return h.Desk.ShowIn(c, status, view.Title, clientsSection,
		func(f layout.Frame) templ.Component { return pages.AskErasure(f, view) })
}

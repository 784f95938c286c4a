package clients

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// apartOf is the form that marks two clients as not the same one, or takes that back.
func apartOf(one, other client.Client, is, label string) pages.ApartForm {
	return pages.ApartForm{Action: words.ClientHref(one.ID) + "/apart", With: other.ID.String(), Is: is,
		Button: components.Button{Label: label, Small: true, Changes: true,
			Attrs: templ.Attributes{"aria-label": label + ": " + one.Name() + " and " + other.Name()}}}
}

// SetApart serves POST /clients/:id/apart.
func (h *Clients) SetApart(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	with, _ := uuid.Parse(form.Get("with")) // no id is nobody's
	set, said := h.Merging.KeepApart, "The two clients are marked as not the same. They are listed below, where you can "+
		"take it back."
	if form.Get("apart") == "no" {
		set, said = h.Merging.LetMeet, "The two clients are listed as possible duplicates again."
	}
	if err := set(c.Request().Context(), access.Actor(c), id, with); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", said, "/clients/duplicates")
}

// Duplicates serves GET /clients/duplicates.
func (h *Clients) Duplicates(c echo.Context) error {
	who := access.Actor(c)
	var from merging.Place
	if first, later := c.QueryParam("first"), c.QueryParam("later"); first != "" || later != "" {
		var wrong, alsoWrong error
		from.First, wrong = uuid.Parse(first)
		from.Later, alsoWrong = uuid.Parse(later)
		if errors.Join(wrong, alsoWrong) != nil {
			return fault.Missing()
		}
	}
	pairs, older, err := h.Merging.Duplicates(c.Request().Context(), who, from)
	if err != nil {
		return err
	}
	apart, err := h.Merging.Apart(c.Request().Context(), who)
	if err != nil {
		return err
	}
	view := pages.DuplicatesView{First: from == merging.Place{}, MayMerge: who.Can(actor.Write)}
	for _, p := range pairs {
		view.Pairs = append(view.Pairs, pages.DuplicatePair{First: mergeLine(p.First, words.ClientHref(p.First.ID)),
			Later: mergeLine(p.Later, words.ClientHref(p.Later.ID)), Same: strings.Join(p.Same, ", same "),
			Href: mergeHref(p.First.ID, p.Later.ID), Apart: apartOf(p.First, p.Later, "yes", "Not the same")})
	}
	for _, a := range apart {
		view.Apart = append(view.Apart, pages.DuplicatePair{First: mergeLine(a.First, words.ClientHref(a.First.ID)),
			Later: mergeLine(a.Later, words.ClientHref(a.Later.ID)),
			Same:  "By " + a.By + ", " + words.SayMinute(a.At, h.Desk.Now()),
			Apart: apartOf(a.First, a.Later, "no", "List again")})
	}
	if older && len(pairs) > 0 {
		last := pairs[len(pairs)-1]
		view.OlderHref = "/clients/duplicates?" + url.Values{"first": {last.First.ID.String()},
			"later": {last.Later.ID.String()}}.Encode()
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Duplicates", clientsSection,
		func(f layout.Frame) templ.Component { return pages.Duplicates(f, view) })
}

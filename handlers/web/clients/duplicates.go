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
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/merging"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

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
	view := pages.DuplicatesView{First: from == merging.Place{}, MayMerge: who.Can(actor.Write)}
	for _, p := range pairs {
		view.Pairs = append(view.Pairs, pages.DuplicatePair{First: mergeLine(p.First, words.ClientHref(p.First.ID)),
			Later: mergeLine(p.Later, words.ClientHref(p.Later.ID)), Same: strings.Join(p.Same, ", same "),
			Href: mergeHref(p.First.ID, p.Later.ID)})
	}
	if older && len(pairs) > 0 {
		last := pairs[len(pairs)-1]
		view.OlderHref = "/clients/duplicates?" + url.Values{"first": {last.First.ID.String()},
			"later": {last.Later.ID.String()}}.Encode()
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Duplicates", clientsSection,
		func(f layout.Frame) templ.Component { return pages.Duplicates(f, view) })
}

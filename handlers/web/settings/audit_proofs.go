package settings

import (
	"fmt"
	"mime"
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/audit/trail"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Checkpoint serves GET /audit/checkpoint: what the log says of itself now, signed.
func (h *Audit) Checkpoint(c echo.Context) error {
	at, err := h.Service.Checkpoint(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	return proofFile(c, fmt.Sprintf("audit-%d.checkpoint", at.Size), at.Text)
}

// Proof serves GET /audit/:id/proof: that an entry is in the log.
func (h *Audit) Proof(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	p, err := h.Service.Include(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	return proofFile(c, "audit-"+id.String()+".tlog-proof", p.Text())
}

func proofFile(c echo.Context, name, text string) error {
	c.Response().Header().Set("Content-Disposition",
		mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", []byte(text))
}

// logged tells where an entry stands in the log; nothing while it waits.
func (h *Audit) logged(c echo.Context, e trail.Found) (pages.AuditProofView, error) {
	place, size, origin, err := h.Service.Place(c.Request().Context(), access.Actor(c), e.N)
	if err != nil || place == 0 {
		return pages.AuditProofView{}, err
	}
	keys, err := h.Service.LogKeys(origin)
	if err != nil {
		return pages.AuditProofView{}, err
	}
	facts := []components.Fact{
		{Label: "Place in the log", Value: words.Grouped(place) + " of " + words.Grouped(size)},
		{Label: "Log", Value: origin, Mono: true},
		{Label: "Key of the log", Value: keys[0], Mono: true, Copy: keys[0]},
	}
	return pages.AuditProofView{Href: "/audit/" + e.ID.String() + "/proof", Facts: components.Facts{Items: facts}}, nil
}

package settings

import (
	"fmt"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/audit/trail"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// proofType is what checkpoints and proofs are: lines of text.
const proofType = "text/plain; charset=utf-8"

// Checkpoint serves GET /audit/checkpoint: what the log says of itself now, signed.
func (h *Audit) Checkpoint(c echo.Context) error {
	at, err := h.Service.Checkpoint(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	return download.Send(c, fmt.Sprintf("audit-%d.checkpoint", at.Size), proofType, []byte(at.Text))
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
	return download.Send(c, "audit-"+id.String()+".tlog-proof", proofType, []byte(p.Text()))
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

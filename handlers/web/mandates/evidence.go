package mandates

import (
	"context"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Evidence serves GET /mandates/:id/evidence/:file as a download.
func (h *Mandates) Evidence(c echo.Context) error {
	id, err := kit.ID(c, "file")
	if err != nil {
		return err
	}
	e, err := h.Service.File(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	if e.MandateID.String() != strings.ToLower(c.Param("id")) {
		return fault.Missing()
	}
	return download.Send(c, e.Name, e.ContentType, e.Content)
}

// NewEvidence serves GET /mandates/:id/evidence/new: a form for the document that proves a mandate.
func (h *Mandates) NewEvidence(c echo.Context) error {
	m, err := h.unproven(c)
	if err != nil {
		return err
	}
	return h.evidenceForm(c, m, http.StatusOK, nil)
}

// AddEvidence serves POST /mandates/:id/evidence.
func (h *Mandates) AddEvidence(c echo.Context) error {
	m, err := h.unproven(c)
	if err != nil {
		return err
	}
	var files []mandate.Evidence
	if err = readScanForm(c); err == nil {
		files, err = scanOf(c.Request().MultipartForm)
	}
	if err == nil && len(files) == 0 {
		err = fault.At("scan", "required", "Choose the document.")
	}
	if err == nil {
		form := kit.Written(c.Request().PostForm)
		form["sha256"] = []string{string(files[0].SHA256)} // another document is another answer
		err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (any, error) {
			if err := h.Service.AddDocument(ctx, access.Actor(c), m.ID, files[0]); err != nil {
				return nil, err
			}
			return nil, access.AddFlash(c, "ok", "The document is kept with the mandate.")
		}, func(any) string { return words.MandatePath(m.ID) + "#evidence" })
	}
	if _, _, ok := kit.Problems(err); ok {
		return h.evidenceForm(c, m, http.StatusUnprocessableEntity, err)
	}
	return err
}

// unproven finds a mandate that takes a document.
func (h *Mandates) unproven(c echo.Context) (mandate.Mandate, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return mandate.Mandate{}, err
	}
	m, _, err := h.Service.Proof(c.Request().Context(), access.Actor(c), id)
	if err == nil {
		err = m.TakesDocument()
	}
	return m, err
}

func (h *Mandates) evidenceForm(c echo.Context, m mandate.Mandate, status int, wrong error) error {
	byInput, summary, _ := kit.Problems(wrong)
	scan := scanInput(byInput["scan"])
	scan.Label = "Document"
	view := pages.NewEvidenceView{Problems: components.ErrorSummary{Items: summary}, Key: kit.FormKeyOf(c),
		Back:   components.Link{Text: "Mandate " + m.ContractReference, Href: words.MandatePath(m.ID)},
		Action: words.MandatePath(m.ID, "evidence"), Scan: scan}
	return h.Desk.ShowIn(c, status, "Add a document", mandatesSection,
		func(f layout.Frame) templ.Component { return pages.NewEvidence(f, view) })
}

// addEvidenceHref leads to the form of a mandate that takes a document.
func addEvidenceHref(m mandate.Mandate) string {
	if m.TakesDocument() != nil {
		return ""
	}
	return words.MandatePath(m.ID, "evidence", "new")
}

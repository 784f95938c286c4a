package imports

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/book"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// scans fills in what became of the scans, and the form for more.
func (h *Imports) scans(c echo.Context, i book.Import, refused error, view *pages.ImportCheckView) error {
	sums, err := h.Service.Scans(c.Request().Context(), access.Actor(c), i.ID)
	if err != nil {
		return err
	}
	note := func(kind, text string) { view.Scans = append(view.Scans, components.Note{Kind: kind, Text: text}) }
	if sums.Sent > 0 {
		note("info", n(sums.Matched)+" of "+plural.Of(sums.Sent, "scan")+" "+plural.Has(sums.Matched)+" a row.")
	}
	if len(sums.Unmatched) > 0 {
		note("warn", plural.Of(len(sums.Unmatched), "scan")+" without a row: "+sums.Names(sums.Unmatched)+
			". A scan is called like the reference, the contract reference or the client id of its row.")
	}
	if len(sums.Shared) > 0 {
		note("warn", plural.Of(len(sums.Shared), "scan")+" that could belong to several rows: "+sums.Names(sums.Shared)+".")
	}
	if sums.Without > 0 {
		note("info", plural.Of(sums.Without, "row")+" with a new mandate and without a scan.")
	}
	if view.MayChange {
		wrong, _, _ := kit.Problems(refused)
		view.ScansAction = href(i.ID, "scans")
		view.ScansFile = components.FileInput{Label: "ZIP file", Name: "scans", Accept: ".zip,application/zip",
			Required: true, Error: wrong["scans"], Hint: "PDF, PNG or JPEG files of at most 5 MB each, called like the " +
				"reference, the contract reference or the client id of their row; at most 150 MB. More than one ZIP file " +
				"is possible."}
	}
	return nil
}

// AddScans serves POST /imports/:id/scans.
func (h *Imports) AddScans(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	kit.Patient(c, kit.UploadPatience)
	next, err := h.addScans(c, i)
	if err == nil {
		err = h.goOn(c, next)
	}
	switch {
	case kit.MayShow(err):
		return h.checkPage(c, i, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, href(i.ID, "check"))
}

func (h *Imports) addScans(c echo.Context, i book.Import) (book.Import, error) {
	if err := c.Request().ParseMultipartForm(kit.UploadMemory); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return i, book.TooManyScans()
		}
		return i, fault.At("scans", "required", "Choose a ZIP file.")
	}
	defer func() { _ = c.Request().MultipartForm.RemoveAll() }()
	part, err := c.FormFile("scans")
	if err != nil || part.Size == 0 {
		return i, fault.At("scans", "required", "Choose a ZIP file that is not empty.")
	}
	content, err := part.Open()
	if err != nil {
		return i, err
	}
	defer func() { _ = content.Close() }()
	return h.Service.AddScans(c.Request().Context(), access.Actor(c), i.ID, content, part.Size)
}

package mandates

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
)

const maxScan = mandate.MaxScan

// readScanForm reads a form with a scan. One that is too large is a mistake in its field.
func readScanForm(c echo.Context) error {
	err := c.Request().ParseMultipartForm(maxScan + 1<<20)
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return tooLarge()
	}
	return fault.New(fault.Invalid, "invalid", "The form could not be read.").Because(err)
}

// scanOf reads the uploaded file.
func scanOf(form *multipart.Form) ([]mandate.Evidence, error) {
	if form == nil || len(form.File["scan"]) == 0 {
		return nil, nil
	}
	head := form.File["scan"][0]
	if head.Size > maxScan {
		return nil, tooLarge()
	}
	file, err := head.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxScan+1))
	if err != nil {
		return nil, err
	}
	e, ok := mandate.ScanOf(head.Filename, content)
	if !ok {
		return nil, fault.At("scan", "invalid", "The file must be a PDF, PNG or JPEG.")
	}
	return []mandate.Evidence{e}, nil
}

func tooLarge() error { return fault.At("scan", "max_length", "The file can be at most 5 MB.") }

// scanInput is where the scan of a mandate is chosen.
func scanInput(wrong string) components.FileInput {
	return components.FileInput{Label: "Scan of the signed mandate", Name: "scan", Error: wrong, Required: true,
		Accept: "application/pdf,image/png,image/jpeg",
		Hint:   "PDF, PNG or JPEG, at most 5 MB. It is encrypted and kept as the proof."}
}

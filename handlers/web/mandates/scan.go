package mandates

import (
	"crypto/sha256"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
)

// The largest scan of a mandate, in bytes (ours), and what it may be.
const maxScan = 5 << 20

var scanTypes = map[string]string{"application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg"}

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

// scanOf reads the uploaded file and looks at its first bytes: what it is called
// proves nothing.
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
	kind, _, _ := strings.Cut(http.DetectContentType(content), ";")
	ending, known := scanTypes[kind]
	if !known {
		return nil, fault.At("scan", "invalid", "The file must be a PDF, PNG or JPEG.")
	}
	digest := sha256.Sum256(content)
	return []mandate.Evidence{{Name: fileName(head.Filename, ending), ContentType: kind, SizeBytes: int64(len(content)),
		SHA256: digest[:], Content: content}}, nil
}

func tooLarge() error { return fault.At("scan", "max_length", "The file can be at most 5 MB.") }

// scanInput is where the scan of a mandate is chosen.
func scanInput(wrong string) components.FileInput {
	return components.FileInput{Label: "Scan of the signed mandate", Name: "scan", Error: wrong, Required: true,
		Accept: "application/pdf,image/png,image/jpeg",
		Hint:   "PDF, PNG or JPEG, at most 5 MB. It is encrypted and kept as the proof."}
}

// fileName keeps what a person called the file, with the ending of what it is.
func fileName(given, ending string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`"\/:*?<>|`, r) {
			return '_'
		}
		return r
	}, path.Base(strings.ReplaceAll(strings.ToValidUTF8(given, ""), `\`, "/")))
	name = strings.TrimSuffix(name, path.Ext(name))
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:80])
	}
	if strings.Trim(name, "._ ") == "" {
		name = "mandate"
	}
	return name + ending
}

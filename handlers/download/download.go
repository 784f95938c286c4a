// Package download answers with files. It must not know what they hold.
package download

import (
	"mime"
	"net/http"

	"github.com/labstack/echo/v4"
)

// SaveAs has the browser save what is answered, under a name.
func SaveAs(h http.Header, name string) { named(h, "attachment", name) }

// Send answers with a file that the browser saves.
func Send(c echo.Context, name, contentType string, content []byte) error {
	SaveAs(c.Response().Header(), name)
	return c.Blob(http.StatusOK, contentType, content)
}

// Show answers with a file that the browser shows, and saves under that name when it is told to.
func Show(c echo.Context, name, contentType string, content []byte) error {
	named(c.Response().Header(), "inline", name)
	return c.Blob(http.StatusOK, contentType, content)
}

func named(h http.Header, how, name string) {
	h.Set(echo.HeaderContentDisposition, mime.FormatMediaType(how, map[string]string{"filename": name}))
}

package kit

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
)

// Tell says what became of an act: at once in a toast where a script asked, and on the next page otherwise. kind is
// ok, info, warn or bad. undo is the address to which the button Undo posts, empty where nothing can be undone; the
// handler there takes the act back, tells of it by Tell and leads on. Call it before the answer is written.
func Tell(c echo.Context, kind, text, undo string) error {
	if c.Request().Header.Get("HX-Request") == "" {
		if undo != "" {
			return access.AddUndo(c, kind, text, undo)
		}
		return access.AddFlash(c, kind, text)
	}
	toast, err := json.Marshal(map[string]any{"toast": map[string]string{"kind": kind, "text": text, "undo": undo}})
	if err != nil {
		return fmt.Errorf("toast: %w", err)
	}
	c.Response().Header().Set("HX-Trigger", ascii(string(toast)))
	return nil
}

// ascii writes what a header cannot carry as JSON escapes.
func ascii(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < 0x80 {
			out.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

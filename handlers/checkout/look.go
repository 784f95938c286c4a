package checkout

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/models/fault"
	"debitdesk/models/logo"
	"debitdesk/models/merchant"
	"debitdesk/models/tint"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
)

// LookPath begins the addresses of the style sheets that put a brand's colour over the payer's sheet, and of
// logos. Such a sheet has an address of its own, for the policy of the pages allows no style within them; it follows
// from the colour alone.
const LookPath = weblink.Look

// sheetOf is the address of the sheet of a brand; empty where it has no colour.
func sheetOf(b merchant.Brand) string {
	look, has := b.Look()
	if !has {
		return ""
	}
	return LookPath + sheetName(look)
}

// sheetName names a sheet by its colour and its content, so that another release's is another file.
func sheetName(l tint.Look) string {
	sum := sha256.Sum256([]byte(sheet(l)))
	return strings.TrimPrefix(l.Fill.String(), "#") + "-" + hex.EncodeToString(sum[:4]) + ".css"
}

// sheet colours buttons, marks, links and a stripe on top. What is soft in the house's own blue is grey there: no tone
// of a link could be read on every tint. The edge of a button shows where one like the page ends.
func sheet(l tint.Look) string {
	return strings.NewReplacer("FILL", l.Fill.String(), "ON", l.On.String(), "LIGHT", l.Light.String(),
		"DARK", l.Dark.String()).Replace(`:root{--brand:light-dark(LIGHT,DARK);--fill:FILL;--soft:var(--sunken)}
body{border-top:4px solid FILL}
.skip,.payee .mark,.btn.primary{color:ON;border:1px solid var(--brand)}
input{accent-color:var(--brand)}
`)
}

// LogoOf is a logo as a page shows it.
func LogoOf(n logo.Name) components.Logo {
	w, h := n.Shown()
	return components.LogoOf(weblink.Logo(string(n)), w, h)
}

// logo serves the picture of a name. Its bytes never change. It stands in mails, which are read on other sites.
func (p *Pages) logo(c echo.Context, of string) error {
	name, known := logo.Parse(of)
	if !known {
		return fault.Missing()
	}
	picture, err := p.Purchases.Merchants().Logo(c.Request().Context(), name)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	return c.Blob(http.StatusOK, "image/png", picture)
}

// Sheet serves GET /p/look/:sheet, the style sheet of a colour, or the picture of a logo. A sheet
// of another release gets today's, and is asked for each time.
func (p *Pages) Sheet(c echo.Context) error {
	name := c.Param("sheet")
	if of, is := strings.CutSuffix(name, ".png"); is {
		return p.logo(c, of)
	}
	colour, _, _ := strings.Cut(name, "-")
	parsed, err := tint.Parse(colour)
	if err != nil || !strings.HasSuffix(name, ".css") {
		return fault.Missing()
	}
	look := tint.LookOf(parsed)
	h := c.Response().Header()
	h.Set("Cache-Control", "no-cache")
	if name == sheetName(look) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	return c.Blob(http.StatusOK, "text/css; charset=utf-8", []byte(sheet(look)))
}

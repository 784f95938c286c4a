package purchases

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/skip2/go-qrcode"
)

// QR serves GET /purchases/:id/qr: the client's link as a picture, one dot for
// each module, which the page enlarges.
func (p *Purchases) QR(c echo.Context) error {
	rec, err := p.find(c)
	if err != nil {
		return err
	}
	code, err := qrcode.New(p.PayerURL(rec.ID), qrcode.Medium)
	if err != nil {
		return err
	}
	code.DisableBorder = true
	picture, err := code.PNG(-4)
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "image/png", picture)
}

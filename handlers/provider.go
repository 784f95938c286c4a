package handlers

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/models/fault"
	"debitdesk/models/sms"
	"debitdesk/models/texting"
)

// provider serves the addresses at which the provider of short messages tells what became of them and what people
// answered. Their secret part, 128 bits of chance, is all that lets it in.
type provider struct{ *texting.Service }

// Reports serves POST /sms/:secret/reports.
func (p provider) Reports(c echo.Context) error { return p.take(c, (*texting.Service).Reports) }

// Replies serves POST /sms/:secret/replies.
func (p provider) Replies(c echo.Context) error { return p.take(c, (*texting.Service).Replies) }

func (p provider) take(c echo.Context, keep func(*texting.Service, context.Context, sms.Call) error) error {
	ctx := c.Request().Context()
	known, err := p.Store.Known(ctx, c.Param("secret"))
	if err != nil {
		return err
	}
	if !known || !p.Ready() {
		return fault.Missing()
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 { // a provider looks whether the address is there
		return c.NoContent(http.StatusNoContent)
	}
	if err := keep(p.Service, ctx, sms.Call{Header: c.Request().Header.Get, Body: body}); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

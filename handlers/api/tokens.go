package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/deletion"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Tokens serves the recurring tokens below a client.
type Tokens struct {
	Base      Base
	Service   *purchase.Service
	Deletions *deletion.Service
}

type tokenBody struct {
	ID            uuid.UUID `json:"id"`
	Type          string    `json:"type"`
	PaymentMethod string    `json:"payment_method"`
	Description   string    `json:"description"`
	CreatedOn     int64     `json:"created_on"`
	UpdatedOn     int64     `json:"updated_on"`
}

func tokenAnswer(t token.Token) any {
	return tokenBody{t.ID, "client_recurring_token", t.Method, t.Description, t.CreatedAt.Unix(), t.UpdatedAt.Unix()}
}

// List serves GET /clients/{id}/recurring_tokens/.
func (h *Tokens) List(c echo.Context) error {
	client, err := ID(c, "id")
	if err != nil {
		return err
	}
	return listOf(c, h.Base, nil, func(ctx context.Context, who actor.Actor, ask paging.Ask) (paging.Page[token.Token],
		error) {
		return h.Service.ClientTokens(ctx, who, client, ask)
	}, func(t token.Token) uuid.UUID { return t.ID }, tokenAnswer)
}

// Get serves GET /clients/{id}/recurring_tokens/{token_id}/.
func (h *Tokens) Get(c echo.Context) error {
	client, id, err := clientAndToken(c)
	if err != nil {
		return err
	}
	t, err := h.Service.ClientToken(c.Request().Context(), access.Actor(c), client, id)
	if err != nil {
		return err
	}
	return JSON(c, http.StatusOK, tokenAnswer(t))
}

// Delete serves DELETE /clients/{id}/recurring_tokens/{token_id}/.
func (h *Tokens) Delete(c echo.Context) error {
	client, id, err := clientAndToken(c)
	if err != nil {
		return err
	}
	if err := h.Deletions.DeleteToken(c.Request().Context(), access.Actor(c), client, id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func clientAndToken(c echo.Context) (client, id uuid.UUID, err error) {
	if client, err = ID(c, "id"); err == nil {
		id, err = ID(c, "token_id")
	}
	return client, id, err
}

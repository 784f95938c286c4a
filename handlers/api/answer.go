// Package api knows the JSON API: its field names, bodies and pages. Rules and
// permissions live in the use cases it calls.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/api/input"
	"debitdesk/models/fault"
	"debitdesk/models/replay"
)

// Run calls a use case and answers with its result. wire gives the JSON form.
// The same bytes are kept for the Idempotency-Key of the request, inside the
// transaction of the use case when that calls Answered(result).
func Run[T any](c echo.Context, status int, wire func(T) any, act func(context.Context) (T, error)) error {
	var kept []byte
	encode := func(result any) (answer replay.Answer, err error) {
		typed, ok := result.(T)
		if !ok {
			return answer, fmt.Errorf("answer: got %T", result)
		}
		kept, err = Marshal(wire(typed))
		return replay.Answer{Status: status, Body: kept}, err
	}
	result, err := act(replay.WithEncoder(c.Request().Context(), encode))
	if err != nil {
		return err
	}
	if kept != nil {
		return c.Blob(status, echo.MIMEApplicationJSON, kept)
	}
	return JSON(c, status, wire(result))
}

// JSON answers with a JSON body.
func JSON(c echo.Context, status int, value any) error {
	body, err := Marshal(value)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	// Known beforehand, or a longer body would travel in chunks.
	c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(len(body)))
	return c.Blob(status, echo.MIMEApplicationJSON, body)
}

// Marshal writes JSON without escaping < > & for HTML.
func Marshal(value any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// ID reads an id of the path; what is no id is nobody's record.
func ID(c echo.Context, name string) (uuid.UUID, error) {
	id, err := input.ParseUUID(c.Param(name))
	if err != nil {
		return uuid.Nil, fault.Missing()
	}
	return id, nil
}

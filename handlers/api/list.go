package api

import (
	"context"
	"encoding/base64"
	"hash/crc32"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Sizes of a page, in records (ours: API contract 1.4).
const (
	DefaultLimit = 25
	MaxLimit     = 100
)

// Base is the public address of the product, without a slash at the end; links
// to further pages begin with it.
type Base string

// Page reads ?cursor= and ?limit=. What is wrong with them is noted together.
func Page(c echo.Context, problems *fault.Problems) paging.Ask {
	return PageUpTo(c, problems, MaxLimit)
}

// PageUpTo is Page with another largest size.
func PageUpTo(c echo.Context, problems *fault.Problems, largest int) paging.Ask {
	ask := paging.Ask{Limit: DefaultLimit}
	if text := c.QueryParam("limit"); text != "" {
		limit, ok := positive(text, largest)
		if !ok {
			problems.Add("limit", "invalid", "A valid positive number is required.")
		}
		ask.Limit = limit
	}
	if text := c.QueryParam("cursor"); text != "" {
		from, newer, ok := ParseCursor(text)
		if !ok {
			problems.Add("cursor", "invalid", "Invalid cursor")
		}
		ask.From, ask.Newer = from, newer
	}
	return ask
}

// positive reads a whole number above 0; a larger one counts as the largest.
func positive(text string, largest int) (int, bool) {
	digits := strings.TrimLeft(text, "0")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return DefaultLimit, false
	}
	if n, err := strconv.Atoi(digits); err == nil && n < largest {
		return n, true
	}
	return largest, true
}

const (
	olderMark = 'o'
	newerMark = 'n'
)

// Cursor is the opaque text for the records beside one record.
func Cursor(from uuid.UUID, newer bool) string {
	raw := make([]byte, 0, 21)
	mark := byte(olderMark)
	if newer {
		mark = newerMark
	}
	raw = append(append(raw, mark), from[:]...)
	sum := crc32.ChecksumIEEE(raw)
	raw = append(raw, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum)) //nolint:gosec // the four bytes of a sum
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ParseCursor reads what Cursor wrote; ok is false for any other text.
func ParseCursor(text string) (from uuid.UUID, newer, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != 21 || raw[0] != olderMark && raw[0] != newerMark {
		return uuid.Nil, false, false
	}
	copy(from[:], raw[1:17])
	newer = raw[0] == newerMark
	return from, newer, Cursor(from, newer) == text
}

type listBody struct {
	Results  []any   `json:"results"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
}

// List answers with one page. Next and previous are whole addresses that carry
// every parameter of the call, because programs simply GET them again.
func List[T any](c echo.Context, base Base, page paging.Page[T], id func(T) uuid.UUID, wire func(T) any) error {
	body := listBody{Results: make([]any, len(page.Items))}
	for i, item := range page.Items {
		body.Results[i] = wire(item)
	}
	if from, more := page.OlderFrom(id); more {
		body.Next = base.beside(c, Cursor(from, false))
	}
	if from, more := page.NewerFrom(id); more {
		body.Previous = base.beside(c, Cursor(from, true))
	}
	return JSON(c, http.StatusOK, body)
}

func (b Base) beside(c echo.Context, cursor string) *string {
	query := url.Values{}
	for name, values := range c.QueryParams() {
		query[name] = values
	}
	query.Set("cursor", cursor)
	address := strings.TrimSuffix(string(b), "/") + c.Request().URL.EscapedPath() + "/?" + query.Encode()
	return &address
}

// listOf answers with the page that was asked for. wrong is what is wrong with the
// filters, to be reported with what is wrong with the place in the list.
func listOf[T any](c echo.Context, base Base, wrong fault.Problems,
	list func(context.Context, actor.Actor, paging.Ask) (paging.Page[T], error),
	id func(T) uuid.UUID, wire func(T) any) error {
	ask := Page(c, &wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	page, err := list(c.Request().Context(), access.Actor(c), ask)
	if err != nil {
		return err
	}
	return List(c, base, page, id, wire)
}

// one answers with the record that the id of the path names.
func one[T any](c echo.Context, get func(context.Context, actor.Actor, uuid.UUID) (T, error), wire func(T) any) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	found, err := get(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	return JSON(c, http.StatusOK, wire(found))
}

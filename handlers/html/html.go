// Package html answers with what templ draws: pages, and the parts of them that htmx swaps. It must not know what they
// show.
package html

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/static"
)

const (
	leastZipped = 1_400   // bytes: less fits into one packet
	mostKept    = 1 << 20 // bytes of a buffer that is used again
)

var (
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	zippers = sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is known
		return z
	}}
)

// Send answers with a page or a part of one, compressed where the browser takes that. Nothing is sent before all of it
// is drawn: what fails is an error, and not half a page. Its length tells no secret, since no other site can have a
// browser fetch it as somebody: the cookies of sessions are SameSite.
func Send(c echo.Context, status int, part templ.Component) error {
	drawn := borrow()
	defer giveBack(drawn)
	// Who ran out of time is told so, and drawing asks nobody for anything.
	if err := part.Render(context.WithoutCancel(c.Request().Context()), drawn); err != nil {
		return err
	}
	h, body := c.Response().Header(), drawn
	h.Set(echo.HeaderContentType, echo.MIMETextHTMLCharsetUTF8)
	if h.Add(echo.HeaderVary, echo.HeaderAcceptEncoding); drawn.Len() >= leastZipped &&
		static.AcceptsGzip(c.Request().Header.Get(echo.HeaderAcceptEncoding)) {
		body = borrow()
		defer giveBack(body)
		if err := zip(body, drawn.Bytes()); err != nil {
			return err
		}
		h.Set(echo.HeaderContentEncoding, "gzip")
	}
	h.Set(echo.HeaderContentLength, strconv.Itoa(body.Len()))
	c.Response().WriteHeader(status)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	_, _ = c.Response().Write(body.Bytes()) // the browser went away; there is nobody left to tell
	return nil
}

func zip(into *bytes.Buffer, page []byte) error {
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(into)
	if _, err := z.Write(page); err != nil {
		return err
	}
	return z.Close()
}

func borrow() *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func giveBack(b *bytes.Buffer) {
	if b.Cap() <= mostKept {
		buffers.Put(b)
	}
}

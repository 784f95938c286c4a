package handlers

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/kit"
)

// The largest files that forms take, in bytes, and how much of a request is read so that what was typed beside a file
// that is too large is not lost.
const (
	scanFile   = 5 << 20
	tableFile  = kit.MostUpload
	bookFile   = 64 << 20 // the clients of a whole business
	mostOfForm = 200 << 20
)

// limitUpload is limitBody for forms with files. A file that is larger than it may be arrives cut off, one byte above
// its limit: the page then says so beside the field and keeps what was typed, where refusing the request would throw
// the form away.
func limitUpload(limit, file int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		plain := limitBody(limit)(next)
		return func(c echo.Context) error {
			r := c.Request()
			kind, params, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
			if err != nil || kind != echo.MIMEMultipartForm || params["boundary"] == "" {
				return plain(c)
			}
			if r.ContentLength > mostOfForm {
				return tooLarge(mostOfForm)
			}
			body := &cutBody{Closer: r.Body, limit: limit, file: file,
				in: multipart.NewReader(http.MaxBytesReader(c.Response(), r.Body, mostOfForm), params["boundary"])}
			body.out = multipart.NewWriter(&body.ready)
			if body.out.SetBoundary(params["boundary"]) != nil {
				return plain(c)
			}
			r.Body, r.ContentLength = body, -1
			return next(c)
		}
	}
}

// cutBody is a form as it was sent, but for the ends of files that are too large.
type cutBody struct {
	io.Closer
	in          *multipart.Reader
	out         *multipart.Writer
	ready       bytes.Buffer
	part        *multipart.Part
	into        io.Writer
	left        int64 // of a file, what is still let through; below zero: it is no file
	limit, file int64 // of what is let through, and of one file
	passed      int64
	chunk       [32 << 10]byte
	err         error
}

// Read implements io.Reader.
func (b *cutBody) Read(p []byte) (int, error) {
	for b.ready.Len() == 0 && b.err == nil {
		b.err = b.advance()
	}
	if b.ready.Len() == 0 {
		return 0, b.err
	}
	n, err := b.ready.Read(p)
	if b.passed += int64(n); b.passed > b.limit {
		return 0, &http.MaxBytesError{Limit: b.limit}
	}
	return n, err
}

// advance gets ready what comes next.
func (b *cutBody) advance() error {
	if b.part == nil {
		return b.begin()
	}
	n, err := b.part.Read(b.chunk[:])
	let := int64(n)
	if b.left >= 0 {
		let = min(let, b.left)
		b.left -= let
	}
	if _, wrong := b.into.Write(b.chunk[:let]); wrong != nil {
		return wrong
	}
	if errors.Is(err, io.EOF) {
		b.part, err = nil, nil
	}
	return err
}

// begin goes on to the next field of the form.
func (b *cutBody) begin() error {
	part, err := b.in.NextRawPart()
	switch {
	case errors.Is(err, io.EOF):
		if err := b.out.Close(); err != nil {
			return err
		}
		return io.EOF
	case err != nil:
		return err
	}
	b.part, b.left = part, -1
	if part.FileName() != "" {
		b.left = b.file + 1
	}
	b.into, err = b.out.CreatePart(part.Header)
	return err
}

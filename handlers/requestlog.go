package handlers

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/requestlog"
)

// CountDropped makes the counter of entries that the log of requests had no room for.
func CountDropped(registry prometheus.Registerer) (func(n int), error) {
	dropped := prometheus.NewCounter(prometheus.CounterOpts{Name: "debitdesk_request_log_dropped_total",
		Help: "Requests that the request log dropped because it was full or could not be written."})
	return func(n int) { dropped.Add(float64(n)) }, registry.Register(dropped)
}

// logged keeps what a program asked and was answered. Nobody's numbers leave it. It
// stands first, and keeps nothing of callers that nobody knows.
func (e *edge) logged(next echo.HandlerFunc) echo.HandlerFunc {
	if e.RequestLog == nil {
		return next
	}
	return func(c echo.Context) error {
		start, r := time.Now(), c.Request()
		asked, answered := &firstBytes{}, &firstBytes{}
		if r.Body != nil {
			r.Body = &heardBody{r.Body, asked}
		}
		c.Response().Writer = &heardWriter{c.Response().Writer, answered}
		status := http.StatusInternalServerError // of a panic, which is answered further out
		defer func() { e.keep(c, start, status, asked, answered) }()
		if err := next(c); err != nil {
			c.Error(err)
		}
		status = c.Response().Status
		return nil
	}
}

func (e *edge) keep(c echo.Context, start time.Time, status int, asked, answered *firstBytes) {
	who := access.Actor(c)
	if who.Kind != actor.Credential {
		return // nobody known, or a page of the dashboard
	}
	r, h := c.Request(), c.Response().Header()
	e.RequestLog(requestlog.Entry{
		MerchantID: who.MerchantID, Method: r.Method, Path: requestlog.MaskPath(r.URL.Path),
		Query: requestlog.MaskQuery(r.URL.RawQuery), Route: c.Path(),
		Status: status, TookMicros: time.Since(start).Microseconds(), CredentialID: who.ID, CredentialName: who.Name,
		IdempotencyKey: requestlog.Plain(short(r.Header.Get("Idempotency-Key"))),
		Replayed:       h.Get("Idempotency-Replayed") == "true", DryRun: h.Get("Dry-Run") == "true",
		RequestID: access.RequestID(c), IP: c.RealIP(),
		Request: requestlog.Body(r.Header.Get(echo.HeaderContentType), asked.kept.Bytes(), asked.whole),
		Answer:  requestlog.Body(h.Get(echo.HeaderContentType), answered.kept.Bytes(), answered.whole),
	})
}

// short is as much of a header as is kept.
func short(text string) string {
	const most = 255
	return text[:min(len(text), most)]
}

// firstBytes keeps the beginning of what passes by, and counts the rest.
type firstBytes struct {
	kept  bytes.Buffer
	whole int64
}

func (f *firstBytes) hear(p []byte) {
	f.whole += int64(len(p))
	if room := requestlog.BodyKept - f.kept.Len(); room > 0 {
		f.kept.Write(p[:min(room, len(p))])
	}
}

type heardBody struct {
	io.ReadCloser
	by *firstBytes
}

func (b *heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.by.hear(p[:n])
	return n, err
}

type heardWriter struct {
	http.ResponseWriter
	by *firstBytes
}

func (w *heardWriter) Write(p []byte) (int, error) {
	w.by.hear(p)
	return w.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (w *heardWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

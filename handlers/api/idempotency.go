package api

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
	"debitdesk/models/replay"
)

const (
	keyHeader    = "Idempotency-Key"
	replayHeader = "Idempotency-Replayed"
	maxKeyLength = 255
)

// Idempotent honours Idempotency-Key on POST (contract 1.6): the same key with
// the same body gets the same answer and nothing is done again. It stands after
// the caller is known, for keys belong to a merchant.
func Idempotent(kept database.Answers, isTest bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			text := c.Request().Header.Get(keyHeader)
			if c.Request().Method != http.MethodPost || text == "" || dryrun.Is(c.Request().Context()) {
				return next(c)
			}
			key, err := keyOf(c, text, isTest)
			if err != nil {
				return err
			}
			if done, err := replayed(c, kept, key); done || err != nil {
				return err
			}
			return record(c, kept, key, next)
		}
	}
}

func keyOf(c echo.Context, text string, isTest bool) (replay.Key, error) {
	if len(text) > maxKeyLength || !utf8.ValidString(text) {
		return replay.Key{}, fault.New(fault.Invalid, "invalid", "An Idempotency-Key may have at most %d characters.",
			maxKeyLength)
	}
	if strings.ContainsRune(text, 0) { // PostgreSQL stores none
		return replay.Key{}, fault.New(fault.Invalid, "invalid", "An Idempotency-Key may not have null characters.")
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return replay.Key{}, err
	}
	c.Request().Body = io.NopCloser(bytes.NewReader(body))
	who := access.Actor(c)
	return replay.Key{MerchantID: who.MerchantID, IsTest: isTest, Key: text,
		Fingerprint: fingerprint(c.Request(), who.Kind, body)}, nil
}

// fingerprint covers what a key stands for (contract 12.27): method, path, query in
// any order, body, and whether a person or a program calls. Without a query, the
// fingerprint of a program's request is the one that releases before this rule kept.
func fingerprint(r *http.Request, kind actor.Kind, body []byte) []byte {
	sum := sha256.New()
	for _, part := range []string{r.Method, r.URL.Path} {
		sum.Write([]byte(part))
		sum.Write([]byte{0})
	}
	sum.Write(body)
	query := r.URL.Query().Encode() // sorted by name
	if query == "" && kind == actor.Credential {
		return sum.Sum(nil)
	}
	more := sha256.Sum256([]byte(string(kind) + "\x00" + query))
	return append(sum.Sum(nil), more[:]...)
}

// replayed answers from what was kept, if anything was.
func replayed(c echo.Context, kept database.Answers, key replay.Key) (done bool, err error) {
	answer, err := kept.Recall(c.Request().Context(), key)
	switch {
	case errors.Is(err, replay.ErrKeyReused):
		return false, fault.New(fault.Invalid, "idempotency_key_reuse",
			"This Idempotency-Key was used with a different request.")
	case err != nil || answer == nil:
		return false, err
	}
	c.Response().Header().Set(replayHeader, "true")
	if len(answer.Body) == 0 {
		return true, c.NoContent(answer.Status)
	}
	return true, c.Blob(answer.Status, echo.MIMEApplicationJSON, answer.Body)
}

// record runs the request and keeps its answer, unless the transaction of the
// fact kept it already.
func record(c echo.Context, kept database.Answers, key replay.Key, next echo.HandlerFunc) error {
	request := c.Request()
	ctx, recorder := replay.WithRecorder(request.Context(), key)
	c.SetRequest(request.WithContext(ctx))
	writer := &copyWriter{ResponseWriter: c.Response().Writer}
	c.Response().Writer = writer
	err := next(c)
	c.SetRequest(request)
	if err != nil {
		// A twin that ran at the same time may have won; then its answer is ours.
		if done, again := replayed(c, kept, key); done || again != nil {
			return again
		}
		c.Error(err)
	}
	status := c.Response().Status
	if err == nil && recorder.Kept() || !c.Response().Committed || !storable(status) {
		return nil
	}
	return kept.Remember(request.Context(), key, replay.Answer{Status: status, Body: writer.body.Bytes()})
}

func storable(status int) bool {
	return status < 500 && status != http.StatusUnauthorized && status != http.StatusTooManyRequests
}

// copyWriter keeps a copy of the body that is sent.
type copyWriter struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (w *copyWriter) Write(p []byte) (int, error) {
	w.body.Write(p)
	return w.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (w *copyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

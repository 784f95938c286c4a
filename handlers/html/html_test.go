package html_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
)

// answer is what a browser that takes an encoding gets of a page.
func answer(method, takes string, page templ.Component) (*httptest.ResponseRecorder, error) {
	late, cancel := context.WithCancel(context.Background())
	cancel() // whose time is over gets an answer too
	req, rec := httptest.NewRequestWithContext(late, method, "/", nil), httptest.NewRecorder()
	req.Header.Set(echo.HeaderAcceptEncoding, takes)
	return rec, html.Send(echo.New().NewContext(req, rec), http.StatusTeapot, page)
}

func TestAPageIsCompressedWhereTheBrowserTakesThat(t *testing.T) {
	t.Parallel()
	long := "<p>" + strings.Repeat("Collected. ", 900)
	for _, c := range []struct {
		takes, page string
		zipped      bool
	}{{"gzip, deflate, br", long, true}, {"", long, false}, {"br, gzip;q=0", long, false}, {"gzip", "<p>short", false}} {
		for range 2 { // the second time by what the first one used
			rec, err := answer(http.MethodGet, c.takes, templ.Raw(c.page))
			if err != nil {
				t.Fatal(err)
			}
			h, sent, body := rec.Header(), rec.Body.Len(), io.Reader(rec.Body)
			if got := h.Get("Content-Encoding"); got != map[bool]string{true: "gzip"}[c.zipped] {
				t.Errorf("%q of %d bytes is encoded %q", c.takes, len(c.page), got)
			} else if c.zipped {
				if body, err = gzip.NewReader(body); err != nil {
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(body)
			if err != nil || string(got) != c.page || rec.Code != http.StatusTeapot || h.Get("Vary") != "Accept-Encoding" ||
				h.Get("Content-Length") != strconv.Itoa(sent) || h.Get("Content-Type") != "text/html; charset=UTF-8" {
				t.Errorf("%q gets %d, %v and %d bytes, %v", c.takes, rec.Code, h, len(got), err)
			}
			if c.zipped && sent > len(c.page)/10 {
				t.Errorf("%d bytes of %d", sent, len(c.page))
			}
		}
	}
	if rec, err := answer(http.MethodHead, "gzip", templ.Raw(long)); err != nil || rec.Body.Len() > 0 ||
		rec.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("HEAD gets %v, %d bytes, %v", rec.Header(), rec.Body.Len(), err)
	}
}

func TestAPageThatCannotBeDrawnIsNotBegun(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	rec, err := answer(http.MethodGet, "gzip", templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("half ", 2_000))
		return lost
	}))
	if !errors.Is(err, lost) || rec.Body.Len() > 0 || len(rec.Header()) > 0 {
		t.Errorf("%v after %d bytes, %v", err, rec.Body.Len(), rec.Header())
	}
}

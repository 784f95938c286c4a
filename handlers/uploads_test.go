package handlers

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

// sent is a form with a field before and after a file of that size.
func sent(t *testing.T, size int) *http.Request {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, err := range []error{w.WriteField("before", "Thandi"), func() error {
		part, err := w.CreateFormFile("scan", "mandate.pdf")
		if err != nil {
			return err
		}
		_, err = part.Write(bytes.Repeat([]byte("x"), size))
		return err
	}(), w.WriteField("after", "Nkosi"), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", &body)
	r.Header.Set(echo.HeaderContentType, w.FormDataContentType())
	return r
}

func TestAFileThatIsTooLargeLosesNothingThatWasTyped(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int64{0: 0, 10: 10, 1000: 1000, 1001: 1001, 1002: 1001, 10_000_000: 1001} {
		c := echo.New().NewContext(sent(t, size), httptest.NewRecorder())
		err := limitUpload(4000, 1000)(func(c echo.Context) error {
			r := c.Request()
			if err := r.ParseMultipartForm(1 << 20); err != nil {
				return err
			}
			if r.PostForm.Get("before") != "Thandi" || r.PostForm.Get("after") != "Nkosi" {
				t.Errorf("%d bytes: the fields are %v", size, r.PostForm)
			}
			if file := r.MultipartForm.File["scan"][0]; file.Size != want || file.Filename != "mandate.pdf" {
				t.Errorf("%d bytes: %s arrives with %d", size, file.Filename, file.Size)
			}
			return nil
		})(c)
		if err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestAFormThatHoldsTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	r := sent(t, 10)
	r.ContentLength = mostOfForm + 1
	none := func(echo.Context) error { return errors.New("it was let through") }
	if err := limitUpload(4000, 1000)(none)(echo.New().NewContext(r, httptest.NewRecorder())); err == nil ||
		!strings.Contains(err.Error(), "at most") {
		t.Errorf("got %v", err)
	}
	c := echo.New().NewContext(sent(t, 900), httptest.NewRecorder())
	var large *http.MaxBytesError
	if err := limitUpload(500, 1000)(func(c echo.Context) error {
		_, err := io.Copy(io.Discard, c.Request().Body)
		return err
	})(c); !errors.As(err, &large) {
		t.Errorf("got %v", err)
	}
}

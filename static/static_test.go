package static_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"debitdesk/static"
)

func get(t *testing.T, target, encoding string) *http.Response {
	t.Helper()
	req := httptest.NewRequest(http.MethodGet, target, nil)
	if encoding != "" {
		req.Header.Set("Accept-Encoding", encoding)
	}
	rec := httptest.NewRecorder()
	static.Handler().ServeHTTP(rec, req)
	return rec.Result()
}

func body(t *testing.T, r io.Reader) []byte {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAddressesCarryAHashAndMayBeKeptForEver(t *testing.T) {
	for _, name := range []string{"css/app.css", "css/payer.css", "js/app.js", "js/htmx.min.js", "font/inter-latin.woff2",
		"img/icons.svg", "img/favicon.svg"} {
		url := static.URL(name)
		if !regexp.MustCompile(`^/static/.+\.[0-9a-f]{12}\.[a-z0-9]+$`).MatchString(url) {
			t.Errorf("%s: address %s has no hash", name, url)
		}
		res := get(t, url, "")
		if res.StatusCode != http.StatusOK || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %q", name, res.StatusCode, res.Header.Get("Cache-Control"))
		}
		if res.Header.Get("Content-Type") == "" {
			t.Errorf("%s has no content type", name)
		}
	}
}

func TestAnOldOrMissingHashGetsTodaysFileWithoutCaching(t *testing.T) {
	want, _ := static.Bytes("css/app.css")
	for _, target := range []string{"/static/css/app.0123456789ab.css", "/static/css/app.css"} {
		res := get(t, target, "")
		if res.Header.Get("Cache-Control") != "no-cache" || !bytes.Equal(body(t, res.Body), want) {
			t.Errorf("%s: cache %q", target, res.Header.Get("Cache-Control"))
		}
	}
}

func TestUnknownFilesAreNotFound(t *testing.T) {
	for _, target := range []string{"/static/css/none.css", "/static/", "/static/css/app/10-tokens.css",
		"/static/../static.go"} {
		if res := get(t, target, ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", target, res.StatusCode)
		}
	}
}

func TestTextIsCompressedForThoseWhoAskAndOnlyThem(t *testing.T) {
	want, _ := static.Bytes("js/htmx.min.js")
	for accept, coded := range map[string]bool{"": false, "br": false, "gzip": true, "br, gzip;q=0.8": true,
		"gzip;q=0": false, "gzip; q=0.0": false} {
		res := get(t, static.URL("js/htmx.min.js"), accept)
		got := body(t, res.Body)
		if (res.Header.Get("Content-Encoding") == "gzip") != coded {
			t.Errorf("%q: encoding %q", accept, res.Header.Get("Content-Encoding"))
			continue
		}
		if coded {
			z, err := gzip.NewReader(bytes.NewReader(got))
			if err != nil {
				t.Fatal(err)
			}
			got = body(t, z)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%q: other bytes came back", accept)
		}
	}
}

func TestFontsAreSentAsTheyAre(t *testing.T) {
	if res := get(t, static.URL("font/inter-latin.woff2"), "gzip"); res.Header.Get("Content-Encoding") != "" {
		t.Error("a woff2 is compressed already")
	}
}

func TestAnUnchangedFileAnswers304(t *testing.T) {
	first := get(t, "/static/css/app.css", "")
	req := httptest.NewRequest(http.MethodGet, "/static/css/app.css", nil)
	req.Header.Set("If-None-Match", first.Header.Get("ETag"))
	rec := httptest.NewRecorder()
	static.Handler().ServeHTTP(rec, req)
	if rec.Code != http.StatusNotModified || rec.Body.Len() != 0 {
		t.Errorf("%d with %d bytes", rec.Code, rec.Body.Len())
	}
}

func TestWritingIsRefused(t *testing.T) {
	rec := httptest.NewRecorder()
	static.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/static/css/app.css", nil))
	if rec.Code != http.StatusMethodNotAllowed {
		t.Errorf("%d", rec.Code)
	}
}

func TestSheetsPointAtHashedFonts(t *testing.T) {
	css, _ := static.Bytes("css/app.css")
	if !bytes.Contains(css, []byte("url("+static.URL("font/inter-latin.woff2")+")")) {
		t.Error("the sheet does not name the hashed font")
	}
	if bytes.Contains(css, []byte("url(../")) {
		t.Error("an address was left unhashed")
	}
}

func TestThePayersSheetIsSmallAndFetchesNothing(t *testing.T) {
	css, _ := static.Bytes("css/payer.css")
	if len(css) > 10000 || bytes.Contains(css, []byte("url(")) || bytes.Contains(css, []byte("@import")) {
		t.Errorf("payer sheet: %d bytes", len(css))
	}
}

func TestAnIconPointsIntoTheSprite(t *testing.T) {
	if got := static.Icon("home"); got != static.URL("img/icons.svg")+"#home" {
		t.Error(got)
	}
}

func TestAnUnknownNameIsASlipThatPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"file": func() { static.URL("css/none.css") },
		"icon": func() { static.Icon("none") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

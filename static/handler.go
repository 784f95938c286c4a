package static

import (
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
)

var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
	".png":   "image/png",
	".txt":   "text/plain; charset=utf-8",
	".yaml":  "application/yaml",
	".json":  "application/json",
}

const (
	forever = "public, max-age=31536000, immutable"
	askEach = "no-cache"
)

var hashPart = regexp.MustCompile(`\.[0-9a-f]{12}(\.[a-z0-9]+)$`)

// Handler serves GET and HEAD under /static/. An address with the current hash may be kept for ever; one with a hash
// of another release (a page that was open during an upgrade), or with none, gets today's file and must ask each time.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	a, cache := find(strings.TrimPrefix(r.URL.Path, prefix))
	if a == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", cache)
	h.Set("Content-Type", a.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", `W/"`+path.Base(a.hashed)+`"`)
	if r.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	write(w, r, a)
}

func write(w http.ResponseWriter, r *http.Request, a *asset) {
	body := a.body
	if z := a.gzipped(); z != nil {
		w.Header().Set("Vary", "Accept-Encoding")
		if AcceptsGzip(r.Header.Get("Accept-Encoding")) {
			w.Header().Set("Content-Encoding", "gzip")
			body = z
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // the browser went away; there is nobody left to tell
}

// find looks a served name up and says how long it may be kept.
func find(name string) (*asset, string) {
	if a, ok := byHash[name]; ok {
		return a, forever
	}
	return assets[hashPart.ReplaceAllString(name, "$1")], askEach
}

// AcceptsGzip reads Accept-Encoding; "gzip;q=0" is a refusal.
func AcceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return !strings.HasPrefix(strings.ReplaceAll(params, " ", ""), "q=0") ||
				strings.ContainsAny(params, "123456789")
		}
	}
	return false
}

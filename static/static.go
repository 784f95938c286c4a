// Package static holds what browsers fetch beside the pages: style sheets, scripts, fonts and drawings, each under
// an address that carries the hash of its content. It knows files and caching, and must not know pages or the domain.
//
// A style sheet named in bundles is written in several files, joined in the order of their names, and served as one.
// Inside it url(../font/x) is rewritten to the hashed address, so that a new font never meets an old sheet.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strings"
	"sync"
)

//go:embed css js font img openapi.yaml
var files embed.FS

// Manual holds the chapters and the pictures of the manual, below the folder manual. Package handlers/manual shows
// them.
//
//go:embed manual
var Manual embed.FS

// prefix is where Handler expects to be mounted.
const prefix = "/static/"

// bundles name the sheets that are served, each joined from the files of one folder.
var bundles = map[string]string{
	"css/app.css":   "css/app",
	"css/payer.css": "css/payer",
}

// asset is one served file: its bytes, its hashed name, and its compressed form, made at the first request for it.
type asset struct {
	name        string
	hashed      string
	contentType string
	body        []byte
	gzipped     func() []byte
}

const sprite = "img/icons.svg"

var (
	assets, byHash = load()
	drawn          = symbols()
)

// URL gives the address of a file, such as URL("css/app.css"); the address changes whenever the content does.
// It panics on a name that is not there, because that is a slip in a template which every rendering test meets.
func URL(name string) string {
	a, ok := assets[name]
	if !ok {
		panic(fmt.Sprintf("static: no file %q", name))
	}
	return prefix + a.hashed
}

// Icon gives the address of one drawing in the icon sprite, for the href of an SVG use element.
// It panics on a name that is not drawn, for the same reason as URL.
func Icon(name string) string {
	if !drawn[name] {
		panic(fmt.Sprintf("static: no icon %q", name))
	}
	return URL(sprite) + "#" + name
}

// Bytes gives the content of a file as it is served, and whether there is such a file.
func Bytes(name string) ([]byte, bool) {
	a, ok := assets[name]
	if !ok {
		return nil, false
	}
	return a.body, true
}

func load() (named, hashed map[string]*asset) {
	named, hashed = map[string]*asset{}, map[string]*asset{}
	add := func(name string, body []byte) {
		a := newAsset(name, body)
		named[a.name], hashed[a.hashed] = a, a
	}
	for _, name := range plainNames() {
		add(name, mustRead(name))
	}
	for name, folder := range bundles {
		add(name, rewrite(join(folder), name, named))
	}
	return named, hashed
}

// symbols reads the names of the drawings out of the sprite.
func symbols() map[string]bool {
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`<symbol id="([^"]+)"`).FindAllSubmatch(mustRead(sprite), -1) {
		names[string(m[1])] = true
	}
	return names
}

func newAsset(name string, body []byte) *asset {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	return &asset{
		name:        name,
		hashed:      strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext,
		contentType: contentTypes[ext],
		body:        body,
		gzipped:     sync.OnceValue(func() []byte { return gzipOf(ext, body) }),
	}
}

// plainNames lists every file that is served as it stands, which is all but the parts of bundles.
func plainNames() []string {
	var names []string
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, folder := range bundles {
			if path.Dir(name) == folder {
				return nil
			}
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		panic(err) // the tree is compiled in; it cannot fail to be read
	}
	return names
}

func mustRead(name string) []byte {
	body, err := files.ReadFile(name)
	if err != nil {
		panic(err) // as above
	}
	return body
}

func join(folder string) []byte {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic(err) // as above
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	var b bytes.Buffer
	for _, e := range entries {
		b.Write(mustRead(path.Join(folder, e.Name())))
	}
	return b.Bytes()
}

var (
	cssURL     = regexp.MustCompile(`url\("?\.\./([^")]+)"?\)`)
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssIndent  = regexp.MustCompile(`\n\s*`)
)

// rewrite points a bundle's addresses at hashed names and drops comments and indentation.
func rewrite(css []byte, name string, named map[string]*asset) []byte {
	css = cssComment.ReplaceAll(css, nil)
	css = cssIndent.ReplaceAll(css, []byte("\n"))
	return cssURL.ReplaceAllFunc(css, func(m []byte) []byte {
		target := string(cssURL.FindSubmatch(m)[1])
		a, ok := named[target]
		if !ok {
			panic(fmt.Sprintf("static: %s asks for %q, which is not there", name, target))
		}
		return []byte("url(" + prefix + a.hashed + ")")
	})
}

// gzipOf compresses what gains from it, and answers nil for what does not.
func gzipOf(ext string, body []byte) []byte {
	if ext == ".woff2" || ext == ".png" {
		return nil
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(body); err != nil {
		return nil
	}
	if err := w.Close(); err != nil || b.Len() >= len(body) {
		return nil
	}
	return b.Bytes()
}

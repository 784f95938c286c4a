// Package pdftest reads what a PDF of package documents says. Nothing outside
// tests imports it.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

var (
	// A carriage return before the end may be the last byte of the content; one too many does no harm.
	streams = regexp.MustCompile(`(?s)stream\r?\n(.*?)\nendstream`)
	shown   = regexp.MustCompile(`(?s)\(((?:[^()\\]|\\.)*)\)\s*Tj`)
)

// Text gives the lines of a PDF in the order in which they were drawn.
func Text(tb testing.TB, pdf []byte) string {
	tb.Helper()
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		tb.Fatalf("it begins with %.8q, which is no PDF", pdf)
	}
	var lines []string
	for _, page := range contents(tb, pdf) {
		for _, line := range shown.FindAllSubmatch(page, -1) {
			lines = append(lines, decoded(line[1]))
		}
	}
	return strings.Join(lines, "\n")
}

// contents are the streams of a PDF that can be read as text: its pages, and what draws nothing.
func contents(tb testing.TB, pdf []byte) (pages [][]byte) {
	tb.Helper()
	for _, m := range streams.FindAllSubmatch(pdf, -1) {
		r, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue
		}
		page, err := io.ReadAll(r)
		if err != nil {
			tb.Fatal(err)
		}
		pages = append(pages, page)
	}
	return pages
}

// decoded takes the escapes away and reads UTF-16, as embedded fonts are written.
func decoded(raw []byte) string {
	var plain []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			if i++; raw[i] == 'r' {
				plain = append(plain, '\r')
				continue
			}
		}
		plain = append(plain, raw[i])
	}
	units := make([]uint16, len(plain)/2)
	for i := range units {
		units[i] = uint16(plain[2*i])<<8 | uint16(plain[2*i+1])
	}
	return string(utf16.Decode(units))
}

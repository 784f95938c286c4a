package pdftest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// The page is A4, in points. Nothing is written in the outermost millimetres, which printers cut.
const (
	pageWidth = 595.28
	cut       = 8.5
	footLine  = 20 // the lowest line of a page
)

var (
	drawn = regexp.MustCompile(`(?s)/F\w+ ([\d.]+) Tf|BT ([-\d.]+) ([-\d.]+) Td \(((?:[^()\\]|\\.)*)\)\s*Tj`)
	count = regexp.MustCompile(`\{n\}`)
)

type piece struct {
	from, to, line float64
	text           string
}

// Overflows tells what does not fit in a PDF: texts that leave the page, and texts that stand on one another.
func Overflows(tb testing.TB, pdf []byte) (wrong []string) {
	tb.Helper()
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		tb.Fatal(err)
	}
	const unit = 1000
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: unit, DPI: 72})
	if err != nil {
		tb.Fatal(err)
	}
	for _, page := range contents(tb, pdf) {
		var all []piece
		size := 0.0
		for _, m := range drawn.FindAllSubmatch(page, -1) {
			if len(m[1]) > 0 {
				size, _ = strconv.ParseFloat(string(m[1]), 64)
				continue
			}
			text := decoded(m[4])
			x, _ := strconv.ParseFloat(string(m[2]), 64)
			y, _ := strconv.ParseFloat(string(m[3]), 64)
			wide := float64(font.MeasureString(face, count.ReplaceAllString(text, "9")).Round()) / unit * size
			one := piece{x, x + wide, y, text}
			if one.from < cut || one.to > pageWidth-cut || y < footLine {
				wrong = append(wrong, fmt.Sprintf("%q leaves the page: from %.0f to %.0f at %.0f", text, one.from, one.to, y))
			}
			all = append(all, one)
		}
		slices.SortFunc(all, func(a, b piece) int { return int(a.from - b.from) })
		for i, a := range all {
			for _, b := range all[i+1:] {
				if d := a.line - b.line; d < 4 && d > -4 && b.from < a.to && a.text != "" && b.text != "" {
					wrong = append(wrong, fmt.Sprintf("%q is drawn over %q", a.text, b.text))
				}
			}
		}
	}
	return wrong
}

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// paletteAim is from a keystroke to its result. The browser asks at once, so it is the server's answer that counts.
const paletteAim = 50 * time.Millisecond

// keystrokes are what stands in the palette when it asks: what was opened last, the beginnings of a name, and one of
// each kind of number that the search understands.
var keystrokes = []struct{ what, typed string }{{"what was opened last", ""}, {"1 letter", "t"}, {"2 letters", "th"},
	{"3 letters", "tha"}, {"8 letters", "thandiwe"}, {"two words", "thandiwe nk"}, {"nothing that is there", "zzzqq"},
	{"an address", "sipho.smit@ex"}, {"the number of an invoice", "INV-2026-0001"}, {"its last digits", "123"},
	{"a reference", "KSF-1024"}, {"an amount", "R 649"}, {"a phone", "082 12"}, {"the end of an account", "3456"},
	{"a day", "1 dec"}, {"a page", "rep"}}

// palette types into the palette of both databases, in turn. The slowest line stands first.
func (d *desk) palette(alone, multiplied *http.Client) (lines []line, err error) {
	type took struct {
		line
		median time.Duration
	}
	var all []took
	for _, k := range keystrokes {
		var one, many []time.Duration
		for range opens {
			x, err := found(alone, d.alone.base, k.typed)
			if err != nil {
				return nil, err
			}
			y, err := found(multiplied, d.multiplied.base, k.typed)
			if err != nil {
				return nil, err
			}
			one, many = append(one, x), append(many, y)
		}
		slices.Sort(one)
		slices.Sort(many)
		a, m := one[len(one)/2], many[len(many)/2]
		all = append(all, took{line{fmt.Sprintf("(k) palette: %s (%q)", k.what, k.typed),
			fmt.Sprintf("%.1f ms", milliseconds(m)),
			fmt.Sprintf("alone: %.1f ms", milliseconds(a)), fmt.Sprintf("%.1f", m.Seconds()/max(a.Seconds(), 1e-6)),
			fmt.Sprintf("under %.0f ms", milliseconds(paletteAim))}, m})
	}
	slices.SortStableFunc(all, func(a, b took) int { return int(b.median - a.median) })
	for _, t := range all {
		lines = append(lines, t.line)
	}
	return lines, nil
}

// found asks as the palette does, and reads the options.
func found(client *http.Client, base, typed string) (time.Duration, error) {
	r, err := http.NewRequest(http.MethodGet, base+"/find?q="+url.QueryEscape(typed), nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("HX-Request", "true")
	r.Header.Set("HX-Target", "palette-found")
	began := time.Now()
	res, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return 0, err
	}
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the palette answers %s for %q", res.Status, typed)
	}
	return time.Since(began), nil
}

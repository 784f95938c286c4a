package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe/axe.min.js
var axe string

//go:embed testdata/axe/barriers.js
var askAxe string

// axeSaw is what axe has been asked about in this run: frames around pages, and styles of texts.
var axeSaw = struct {
	sync.Mutex
	frames, styles []string
	undecided      map[string]int // styles that axe could not judge, such as texts beneath another: on how many pages
}{frames: []string{}, styles: []string{}, undecided: map[string]int{}}

// tries is on how many pages axe is asked about a style that it does not judge.
const tries = 6

// barriers are the findings of axe that are more than minor: in the first look at a page by all rules, in the second by
// those whose findings follow the width and the colours, and then by those that follow the colours alone.
func (b *tab) barriers(look int) string {
	b.t.Helper()
	axeSaw.Lock()
	ask, err := json.Marshal(map[string]any{"look": look, "frames": axeSaw.frames, "styles": axeSaw.styles})
	axeSaw.Unlock()
	if err != nil {
		b.t.Fatal(err)
	}
	var loaded bool
	var answer string
	b.do("ask axe", chromedp.Evaluate(`typeof axe === "object" || !!window.bringAxe && (bringAxe(), true)`, &loaded),
		chromedp.ActionFunc(func(ctx context.Context) error {
			if loaded {
				return nil
			}
			return chromedp.Evaluate(axe+"; true", nil).Do(ctx)
		}), chromedp.Evaluate("("+askAxe+")("+string(ask)+")", &answer, chromedp.EvalAsValue, awaited))
	var found struct {
		Barriers []struct {
			Rule, Help string
			Where      []string
		}
		Frame             string
		Styles, Undecided []string
	}
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		b.t.Fatalf("axe: %v in %s", err, answer)
	}
	var text strings.Builder
	for _, one := range found.Barriers {
		text.WriteString(one.Rule + ": " + one.Help + "\n    " + strings.Join(one.Where, "\n    ") + "\n")
	}
	axeSaw.Lock()
	defer axeSaw.Unlock()
	axeSaw.styles = append(axeSaw.styles, found.Styles...)
	for _, style := range found.Undecided {
		if axeSaw.undecided[style]++; axeSaw.undecided[style] == tries {
			axeSaw.styles = append(axeSaw.styles, style)
		}
	}
	if found.Frame != "" && text.Len() == 0 {
		axeSaw.frames = append(axeSaw.frames, found.Frame)
	}
	return text.String()
}

// bringsAxe has each page that the tab opens hold axe, to be read when it is asked: it travels to the browser once.
func (b *tab) bringsAxe() {
	b.t.Helper()
	b.do("bring axe", chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument("window.bringAxe = () => {" + axe + "}").Do(ctx)
		return err
	}))
}

// smallTargets are what a finger or a shaking hand could miss: less than 24 pixels wide or high (WCAG 2.2, 2.5.8).
// On a phone nothing may be; in a wide window what has room around it may, as the standard lets it. A box counts with
// its label; links within a sentence are as high as its line, and the days of a chart stand in a table, too.
func (b *tab) smallTargets(phone bool) string {
	b.t.Helper()
	var found []string
	b.do("look for small targets", chromedp.Evaluate(fmt.Sprintf(`((phone) => {
		const least = 23.8;
		const box = (e) => e.matches("[type=checkbox], [type=radio]") && e.labels?.length ?
			[e, e.labels[0]].map((x) => x.getBoundingClientRect()).reduce((a, b) => a.height >= b.height ? a : b) :
			e.getBoundingClientRect();
		const sentence = (e) => getComputedStyle(e).display === "inline" &&
			/\p{L}{2}/u.test([...e.parentElement.childNodes].filter((n) => n !== e).map((n) => n.textContent).join(""));
		const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
			.filter((e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !e.closest("svg, .vh, thead"))
			.map((e) => ({ e, at: box(e) })).filter(({ at }) => at.width > 1 && at.height > 1);
		const middle = ({ at }) => [at.left + at.width / 2, at.top + at.height / 2];
		const apart = ([x, y], { at }) => Math.hypot(Math.max(at.left - x, 0, x - at.right),
			Math.max(at.top - y, 0, y - at.bottom));
		const small = all.filter(({ e, at }) => (at.width < least || at.height < least) && !(e.matches("a") && sentence(e)));
		const crowded = (one) => all.some((other) => other !== one && !other.e.contains(one.e) && !one.e.contains(other.e) &&
			(apart(middle(one), other) < least / 2 || small.includes(other) &&
				Math.hypot(middle(one)[0] - middle(other)[0], middle(one)[1] - middle(other)[1]) < least));
		return small.filter((one) => phone || crowded(one)).slice(0, 5).map(({ e, at }) =>
			e.outerHTML.slice(0, 120) + " " + [at.width, at.height].map((n) => n.toFixed(1)).join("×"));
	})(%t)`, phone), &found))
	return strings.Join(found, "\n")
}

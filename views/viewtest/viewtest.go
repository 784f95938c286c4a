// Package viewtest renders parts and pages in tests and holds them to the house's rules for HTML: well formed, free of
// anything that the content security policy forbids, every control named. It must not know which pages there are.
package viewtest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// Render draws a component and fails the test when it cannot be drawn or breaks a rule.
func Render(t testing.TB, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatalf("render: %v", err)
	}
	for _, problem := range Problems(b.String()) {
		t.Error(problem)
	}
	return b.String()
}

// Around draws inner inside a component that takes children.
func Around(outer, inner templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return outer.Render(templ.WithChildren(ctx, inner), w)
	})
}

// Words is plain text as a component.
func Words(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, templ.EscapeString(text))
		return err
	})
}

// Problems lists what is wrong with a page or fragment, in words; none when it is fine.
func Problems(markup string) []string {
	c := &checker{ids: map[string]int{}, labelled: map[string]bool{}}
	z := html.NewTokenizer(strings.NewReader(markup))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if !errors.Is(z.Err(), io.EOF) {
				c.say("cannot be read: %v", z.Err())
			}
			return c.finish()
		}
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			c.twice(string(z.Raw()))
		}
		c.token(kind, z.Token())
	}
}

package viewtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

var quoted = regexp.MustCompile(`"[^"]*"`)

var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
	"wbr"}

// checker walks the tokens of a page once and remembers what must hold at its end.
type checker struct {
	problems []string
	open     []element
	ids      map[string]int
	labelled map[string]bool
	refs     []string // ids that something points at
	controls []control
}

type element struct {
	name     string
	named    bool // has an accessible name of its own, or text inside
	tag      string
	required bool
	children int // elements that stand in it so far
}

type control struct {
	id, tag string
	named   bool
}

func (c *checker) say(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) token(kind html.TokenType, t html.Token) {
	switch kind {
	case html.StartTagToken:
		c.start(t)
		if !slices.Contains(void, t.Data) {
			c.open = append(c.open, element{name: t.Data, named: has(t, "aria-label") || has(t, "aria-labelledby"),
				tag: t.String(), required: has(t, "required")})
		}
	case html.SelfClosingTagToken:
		c.start(t)
	case html.EndTagToken:
		c.end(t.Data)
	case html.TextToken:
		c.text(t.Data)
	case html.ErrorToken, html.CommentToken, html.DoctypeToken:
	}
}

func words(list string) []string { return strings.Fields(list) }

func (c *checker) start(t html.Token) {
	c.placed(t)
	if len(c.open) > 0 {
		c.open[len(c.open)-1].children++
	}
	for _, a := range t.Attr {
		c.attribute(t, a)
	}
	switch t.Data {
	case "style":
		c.say("a style element")
	case "script":
		if !has(t, "src") {
			c.say("an inline script")
		}
	case "img":
		if !has(t, "alt") {
			c.say("no alt in %s", t)
		}
	case "input", "select", "textarea":
		c.field(t)
	}
}

// twice finds an attribute that is written two times, which the tokenizer would pass over.
func (c *checker) twice(raw string) {
	seen := map[string]bool{}
	for _, name := range strings.Fields(strings.Trim(quoted.ReplaceAllString(raw, ""), "</>"))[1:] {
		if seen[name] {
			c.say("%s twice in %s", strings.TrimSuffix(name, "="), raw)
		}
		seen[name] = true
	}
}

func (c *checker) attribute(t html.Token, a html.Attribute) {
	switch {
	case a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on"):
		c.say("%s in %s", a.Key, t)
	case strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:"):
		c.say("a javascript address in %s", t)
	case a.Key == "id":
		c.ids[a.Val]++
	case a.Key == "for":
		c.labelled[a.Val] = true
		c.refs = append(c.refs, a.Val)
	case a.Key == "aria-describedby" || a.Key == "aria-labelledby":
		c.refs = append(c.refs, strings.Fields(a.Val)...)
	}
}

func (c *checker) field(t html.Token) {
	kind := value(t, "type")
	if kind == "hidden" || kind == "submit" {
		return
	}
	inLabel := slices.ContainsFunc(c.open, func(e element) bool { return e.name == "label" })
	c.controls = append(c.controls, control{value(t, "id"), t.String(), inLabel || has(t, "aria-label") ||
		has(t, "aria-labelledby")})
}

func (c *checker) text(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	for i := range c.open {
		c.open[i].named = true
	}
}

func (c *checker) end(name string) {
	if len(c.open) == 0 || c.open[len(c.open)-1].name != name {
		c.say("</%s> closes nothing that is open", name)
		return
	}
	last := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	if !last.named && slices.Contains([]string{"a", "button", "summary", "label", "h1", "h2", "h3", "title"}, name) {
		c.say("no words in %s", last.tag)
	}
}

func (c *checker) finish() []string {
	for _, e := range c.open {
		c.say("<%s> is never closed", e.name)
	}
	for id, n := range c.ids {
		if n > 1 {
			c.say("id %q stands %d times", id, n)
		}
	}
	for _, r := range c.refs {
		if c.ids[r] == 0 {
			c.say("nothing has the id %q", r)
		}
	}
	for _, f := range c.controls {
		if !f.named && !c.labelled[f.id] {
			c.say("no label for %s", f.tag)
		}
	}
	slices.Sort(c.problems)
	return c.problems
}

func has(t html.Token, key string) bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == key })
}

func value(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

package viewtest

import (
	"slices"

	"golang.org/x/net/html"
)

// What may stand inside what, as the HTML standard has it (content models, sections 4.3 to 4.11). Browsers mend what
// breaks these rules each in its own way, and htmx swaps what they made of it.
var (
	// phrasing elements hold text and what may stand within a sentence, nothing else.
	phrasing = words("abbr b bdi bdo button cite code data dfn em h1 h2 h3 h4 h5 h6 i kbd label legend mark output p " +
		"pre q s samp small span strong sub summary sup time u var")
	// headed may hold a heading besides.
	headed = words("legend summary")
	// blocks are what does not stand within a sentence.
	blocks = words("address article aside blockquote details dialog div dl fieldset figcaption figure footer form h1 h2 " +
		"h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section table ul")
	headings = words("h1 h2 h3 h4 h5 h6 hgroup")
	// pressed are what a person presses: none stands inside another.
	pressed = words("a button details embed iframe input label select textarea")
	presses = words("a button")
	// transparent elements allow what their parent allows.
	transparent = words("a del ins map noscript slot")
	// only names the children that an element may have, where they are few.
	only = map[string][]string{
		"ul": words("li"), "ol": words("li"), "menu": words("li"), "dl": words("dt dd div"),
		"table": words("caption colgroup thead tbody tfoot tr"), "thead": words("tr"), "tbody": words("tr"),
		"tfoot": words("tr"), "tr": words("td th"), "colgroup": words("col"),
		"select": words("option optgroup hr"), "optgroup": words("option"), "datalist": words("option"),
	}
	// within names the parents that an element must have.
	within = map[string][]string{
		"li": words("ul ol menu"), "dt": words("dl div"), "dd": words("dl div"), "tr": words("table thead tbody tfoot"),
		"td": words("tr"), "th": words("tr"), "summary": words("details"), "legend": words("fieldset"),
		"caption": words("table"), "option": words("select optgroup datalist"), "figcaption": words("figure"),
	}
	anywhere = words("script template")
)

// placed says what is wrong with where an element stands.
func (c *checker) placed(t html.Token) {
	if c.inside("svg") || slices.Contains(anywhere, t.Data) {
		return
	}
	parent := c.parent()
	if allowed, few := only[parent.name]; few && !slices.Contains(allowed, t.Data) {
		c.say("<%s> in %s", t.Data, parent.tag)
	}
	if must := within[t.Data]; must != nil && len(c.open) > 0 && !slices.Contains(must, parent.name) {
		c.say("%s is in %s", t, parent.tag)
	}
	if holder := c.holder(); slices.Contains(phrasing, holder.name) && slices.Contains(blocks, t.Data) &&
		(!slices.Contains(headed, holder.name) || !slices.Contains(headings, t.Data)) {
		c.say("<%s> stands within the sentence of %s", t.Data, holder.tag)
	}
	c.nested(t)
	c.firstChoice(t)
	if parent.name == "details" && parent.children == 0 && t.Data != "summary" {
		c.say("%s does not begin with a summary", parent.tag)
	}
}

// nested finds what is pressed inside something else that is pressed, and a form inside a form.
func (c *checker) nested(t html.Token) {
	isPressed := slices.Contains(pressed, t.Data) && (t.Data != "input" || value(t, "type") != "hidden")
	for _, e := range c.open {
		switch {
		case isPressed && slices.Contains(presses, e.name), e.name == "label" && t.Data == "label",
			e.name == "form" && t.Data == "form":
			c.say("%s stands inside %s", t, e.tag)
		}
	}
}

// firstChoice: a choice that is required begins with one that chooses nothing.
func (c *checker) firstChoice(t html.Token) {
	parent := c.parent()
	if t.Data == "option" && parent.name == "select" && parent.required && parent.children == 0 &&
		(!has(t, "value") || value(t, "value") != "") {
		c.say("%s is required and has no empty first choice", parent.tag)
	}
}

func (c *checker) inside(name string) bool {
	return slices.ContainsFunc(c.open, func(e element) bool { return e.name == name })
}

// parent is the element in which the next one stands; a zero one for the outermost.
func (c *checker) parent() element {
	if len(c.open) == 0 {
		return element{}
	}
	return c.open[len(c.open)-1]
}

// holder is the nearest element around that has rules of its own.
func (c *checker) holder() element {
	for _, e := range slices.Backward(c.open) {
		if !slices.Contains(transparent, e.name) {
			return e
		}
	}
	return element{}
}

package iso20022

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// What each version allows is a table of the elements that are written here, in the folder allowed. A written message
// is checked against it element by element, before any of its bytes are kept.

//go:embed allowed/types.txt
var allowedTypes string

//go:embed allowed/messages.txt
var allowedMessages string

// published is the year of the schema of each version, which decides the lines of the table that hold for it.
var published = map[string]int{
	"pain.008.001.02": 2009, "pain.008.001.08": 2019, "pain.008.001.09": 2020, "pain.008.001.10": 2021,
	"pain.008.001.11": 2024,
	"pain.001.001.03": 2009, "pain.001.001.09": 2019, "pain.001.001.10": 2020, "pain.001.001.11": 2021,
	"pain.001.001.12": 2024,
	"pain.009.001.05": 2016, "pain.009.001.07": 2022, "pain.009.001.08": 2024,
	"pain.011.001.05": 2016, "pain.011.001.07": 2022, "pain.011.001.08": 2024,
	"camt.055.001.09": 2020, "pain.007.001.10": 2020,
}

// rule is what one element may be in one version.
type rule struct {
	name        string
	least, most int  // how often; no most: any number
	choice      bool // one of its children alone
	text        *facet
	children    []*rule
	at          map[string]int // children by name
}

// facet is what a text may be.
type facet struct {
	name    string
	length  int // at most; 0: the pattern says
	codes   map[string]bool
	pattern *regexp.Regexp
	money   bool // with a currency
}

var facets = map[string]*facet{
	"count":    {pattern: regexp.MustCompile(`^[0-9]{1,15}$`)},
	"digits2":  {pattern: regexp.MustCompile(`^[0-9]{2}$`)},
	"currency": {pattern: regexp.MustCompile(`^[A-Z]{3}$`)},
	"phone":    {pattern: regexp.MustCompile(`^\+[0-9]{1,3}-[0-9()+\-]{1,30}$`)},
	"uuid":     {pattern: regexp.MustCompile(`^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$`)},
	"boolean":  {pattern: regexp.MustCompile(`^(true|false|1|0)$`)},
	"date":     {pattern: regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)},
	"datetime": {pattern: regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T([0-9]{2}:){2}[0-9]{2}(Z|[+-]..:..)?$`)},
	// Sums and amounts have 18 digits at most; two of them stand behind the point as they are written here.
	"decimal": {pattern: regexp.MustCompile(`^[0-9]{1,16}(\.[0-9]{1,2})?$`)},
	"amount":  {pattern: regexp.MustCompile(`^[0-9]{1,16}(\.[0-9]{1,2})?$`), money: true},
}

// line is one line of the table.
type line struct {
	depth       int
	name        string
	least, most int
	kind        string
	choice      bool
	from, until int // years
}

// table is all that the lines say.
var table = sync.OnceValue(func() (t struct {
	types, messages map[string][]line
	lists           map[string][]string
}) {
	t.types, t.messages, t.lists = map[string][]line{}, map[string][]line{}, map[string][]string{}
	var into map[string][]line
	block := ""
	for text := range strings.Lines(allowedTypes + allowedMessages) {
		words := strings.Fields(text)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "list":
			t.lists[words[1]] = words[2:]
		case words[0] == "type":
			into, block = t.types, words[1]
		case words[0] == "message":
			into, block = t.messages, words[1]
		default:
			l := lineOf(words)
			l.depth = (len(text) - len(strings.TrimLeft(text, " "))) / 2
			into[block] = append(into[block], l)
		}
	}
	return t
})

func lineOf(words []string) line {
	l := line{name: words[0], until: 9999}
	least, most, many := strings.Cut(words[1], "..")
	l.least = number10(least)
	if l.most = l.least; many {
		l.most = number10(most) // n: any number
	}
	for n := 2; n < len(words); n++ {
		switch words[n] {
		case "choice":
			l.choice = true
		case "from":
			n++
			l.from = number10(words[n])
		case "before":
			n++
			l.until = number10(words[n])
		default:
			l.kind = words[n]
		}
	}
	return l
}

func number10(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

var rules sync.Map // of each form that was asked for

// rulesOf is what a form allows, from its holder on.
func rulesOf(form string) *rule {
	if known, is := rules.Load(form); is {
		return known.(*rule) //nolint:forcetypeassert // nothing else is stored
	}
	holder := roots[form[:len("pain.008")]]
	r := &rule{name: holder, least: 1, most: 1}
	r.grow(table().messages[holder], published[form])
	rules.Store(form, r)
	return r
}

// grow gives an element the children that lines name for a year.
func (r *rule) grow(lines []line, year int) {
	parents, left := []*rule{r}, 0
	for _, l := range lines {
		if left > 0 && l.depth > left {
			continue // within a line that was left out
		}
		if left = 0; year < l.from || year >= l.until {
			left = l.depth
			continue
		}
		child := &rule{name: l.name, least: l.least, most: l.most, choice: l.choice}
		child.become(l.kind, year)
		parents = append(parents[:l.depth], child)
		of := parents[l.depth-1]
		if of.at == nil {
			of.at = map[string]int{}
		}
		of.at[l.name] = len(of.children)
		of.children = append(of.children, child)
	}
}

// become gives an element its kind: a type of the table, or a text.
func (r *rule) become(kind string, year int) {
	if lines, is := table().types[kind]; is {
		r.grow(lines, year)
		return
	}
	if kind == "" {
		return
	}
	f := facet{name: kind}
	if known := facets[kind]; known != nil {
		f = *known
		f.name = kind
	} else if length, is := strings.CutPrefix(kind, "text"); is {
		f.length = number10(length)
	} else {
		f.codes = names(codesOf(kind)...)
	}
	r.text = &f
}

// codesOf are the codes of a closed list.
func codesOf(kind string) []string {
	if list, is := table().lists[kind]; is {
		return list
	}
	return strings.Split(kind, "|")
}

// takes tells what is wrong with a text; nothing when it is allowed. The text itself is only said of codes: others may
// be account numbers.
func (f *facet) takes(text, currency string) string {
	switch {
	case f.length > 0 && text == "":
		return "is empty"
	case f.length > 0 && len([]rune(text)) > f.length:
		return fmt.Sprintf("has %d characters, and %d are allowed", len([]rune(text)), f.length)
	case f.codes != nil && !f.codes[text]:
		return fmt.Sprintf("is %q, which is not one of its codes", clip(text, 4))
	case f.pattern != nil && !f.pattern.MatchString(text):
		return "is not a " + f.name
	case f.money && !facets["currency"].pattern.MatchString(currency):
		return "has no currency"
	default:
		return ""
	}
}

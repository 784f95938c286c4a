package files

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

// longestName is how many characters the name of a file may have.
const longestName = 64

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholders are what stands for what in a template.
var placeholders = map[string]func(p Profile, m exchange.Message) string{
	"{partner}":        func(p Profile, _ exchange.Message) string { return p.Partner },
	"{service}":        func(p Profile, m exchange.Message) string { return p.FileServices[m.Kind] },
	"{message}":        func(_ Profile, m exchange.Message) string { return m.Name },
	"{id}":             func(_ Profile, m exchange.Message) string { return m.ID },
	"{yyyymmdd}":       made("20060102"),
	"{yyyymmddhhmmss}": made("20060102150405"),
	"{seq}":            func(_ Profile, m exchange.Message) string { return fmt.Sprint(m.Number) },
	"{seq6}":           func(_ Profile, m exchange.Message) string { return fmt.Sprintf("%06d", m.Number) },
}

func made(layout string) func(Profile, exchange.Message) string {
	return func(_ Profile, m exchange.Message) string { return m.MadeAt.In(calendar.SAST).Format(layout) }
}

// fileNameOf is the name of a message's file. It depends on nothing but the message, so it stays the same.
func (p Profile) fileNameOf(m exchange.Message) string {
	return placeholder.ReplaceAllStringFunc(p.FileName, func(asked string) string { return placeholders[asked](p, m) })
}

// fileName checks the template: a name must be fit for every system, and no two messages may have the same.
func (c profileCheck) fileName() {
	const path = "file_name"
	var known []string
	for name := range placeholders {
		known = append(known, name)
	}
	slices.Sort(known)
	for _, asked := range placeholder.FindAllString(c.FileName, -1) {
		if placeholders[asked] == nil {
			c.bad(path, "%s is not one of %s.", asked, strings.Join(known, ", "))
			return
		}
	}
	if c.Partner == "" && strings.Contains(c.FileName, "{partner}") {
		c.bad("partner", "The template of file_name has {partner} in it, so say here what that is.")
	}
	for k := range c.FileServices {
		if !slices.Contains(exchange.Kinds, k) {
			c.bad("file_services."+string(k), "There is no such kind of message: use debits, refunds, recalls, "+
				"mandates, cancellations.")
		}
	}
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(c.FileName, p) })
	}
	if !has("{id}") && !(has("{seq}", "{seq6}") && has("{service}", "{message}")) {
		c.bad(path, "Two files could get the same name. Put {id} into it, or {seq6} together with {service}.")
		return
	}
	names := map[string]bool{}
	for _, k := range exchange.Kinds {
		name := c.fileNameOf(exchange.Message{ID: "DD20261231-0000000", Kind: k, Name: "pain.008.001.08",
			Number: 1_000_000,
			MadeAt: time.Date(2026, 12, 31, 21, 0, 0, 0, time.UTC)})
		switch {
		case !fileLetters.MatchString(name) || name == "":
			c.bad(path, "%q has characters other than letters, digits, dot, _ and -.", name)
			return
		case len(name) > longestName:
			c.bad(path, "%q has %d characters; at most %d are allowed.", name, len(name), longestName)
			return
		case !settledName(name):
			c.bad(path, "%q looks like a file that is still being written.", name)
			return
		case names[name] && has("{service}"):
			c.bad("file_services", "Each kind of message needs a name of its own.")
			return
		}
		names[name] = true
	}
}

// settledName tells whether a name says that the file is whole: other programs write under such names first.
func settledName(name string) bool {
	return name != "" && !strings.HasPrefix(name, ".") && !slices.ContainsFunc([]string{".part", ".tmp", ".filepart"},
		func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) })
}

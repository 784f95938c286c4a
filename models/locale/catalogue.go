package locale

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/leonelquinteros/gotext"
)

//go:embed po
var files embed.FS

// File is the catalogue of a language as translators' programs read it.
func File(l Language) []byte {
	content, _ := files.ReadFile("po/" + string(l) + ".po") // embedded for every language
	return content
}

// Reader is the native reader who found the texts of a language right; empty: they were not read by one.
func Reader(l Language) string { return strings.TrimSpace(catalogues()[l].reader) }

// catalogue holds the texts of a language that are fit to be shown.
type catalogue struct {
	reader string
	texts  map[string]string
	forms  map[string]func(n int) string
	change atomic.Pointer[func(string) string] // of a test; nil: none
}

// catalogues are read when somebody asks first: a command that says nothing to clients starts without them.
var catalogues = sync.OnceValue(func() map[Language]*catalogue {
	all := map[Language]*catalogue{}
	for _, l := range Languages {
		all[l] = read(File(l))
	}
	return all
})

// read takes a catalogue in. Entries that are marked as fuzzy are guesses of a translator's program, which the library
// would give as if they were good; and empty ones are not translated. Neither is taken.
func read(content []byte) *catalogue {
	po := gotext.NewPo()
	po.Parse([]byte(withoutFuzzy(string(content))))
	c := &catalogue{reader: po.GetDomain().Headers.Get("X-Native-Reader"), texts: map[string]string{},
		forms: map[string]func(int) string{}}
	for purpose, entries := range po.GetDomain().GetCtxTranslations() {
		for key, entry := range entries {
			given := slices.Collect(maps.Values(entry.Trs))
			switch {
			case len(given) == 0 || slices.Contains(given, ""):
			case entry.PluralID == "":
				c.texts[key] = entry.Trs[0]
			default:
				c.forms[key] = func(n int) string { return po.GetNC(key, key, n, purpose) }
			}
		}
	}
	return c
}

func withoutFuzzy(content string) string {
	entries := strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n\n")
	return strings.Join(slices.DeleteFunc(entries, func(entry string) bool {
		return slices.ContainsFunc(strings.Split(entry, "\n"), func(line string) bool {
			return strings.HasPrefix(line, "#~") || strings.HasPrefix(line, "#,") && strings.Contains(line, "fuzzy")
		})
	}), "\n\n")
}

func (c *catalogue) has(key string) bool { return c.texts[key] != "" || c.forms[key] != nil }

func (c *catalogue) text(key string) (string, bool) {
	text, found := c.texts[key]
	return c.changed(text), found
}

func (c *catalogue) plural(key string, n int) (string, bool) {
	form, found := c.forms[key]
	if !found {
		return "", false
	}
	return c.changed(form(n)), true
}

func (c *catalogue) changed(text string) string {
	if change := c.change.Load(); change != nil {
		return (*change)(text)
	}
	return text
}

// Pretend changes every text of a language until the answer is called. Tests do so to find texts that are in no
// catalogue, and pages that are too narrow for longer words.
func Pretend(l Language, change func(text string) string) (restore func()) {
	catalogues()[l].change.Store(&change)
	return func() { catalogues()[l].change.Store(nil) }
}

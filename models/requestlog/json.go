package requestlog

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"debitdesk/models/weblink"
)

// masker copies JSON and hides what is private on the way. It knows the grammar, so
// that it knows what is a name: what it cannot follow is not kept at all. Of a body
// that was cut off it keeps what is whole.
type masker struct {
	in  string // its parts are taken from it without a copy
	at  int
	out strings.Builder
	end bool // the input ended inside: the rest is not there
}

const deepest = 64 // levels of nesting

const cutMark = "…"

// maskJSON gives the masked text, or says that it is no JSON. A body that is nothing
// but one text or number has no names and is not kept.
func maskJSON(in []byte, cutOff bool) (string, bool) {
	m := &masker{in: string(in)}
	m.out.Grow(len(in))
	m.space()
	if m.at >= len(in) || in[m.at] != '{' && in[m.at] != '[' {
		return "", false
	}
	ok := m.value(false, 0)
	switch {
	case m.end && cutOff:
		return Plain(m.out.String() + cutMark), true
	case m.end || !ok:
		return "", false
	}
	m.space()
	if m.at < len(in) {
		return "", false
	}
	return Plain(m.out.String()), true
}

func (m *masker) space() {
	for m.at < len(m.in) {
		switch m.in[m.at] {
		case ' ', '\t', '\r', '\n':
			m.at++
		default:
			return
		}
	}
}

// next is the byte after blanks; false, with end, when there is none.
func (m *masker) next() (byte, bool) {
	m.space()
	if m.at >= len(m.in) {
		m.end = true
		return 0, false
	}
	return m.in[m.at], true
}

func (m *masker) value(hide bool, depth int) bool {
	b, ok := m.next()
	switch {
	case !ok || depth > deepest:
		return false
	case b == '{':
		return m.list('}', hide, depth)
	case b == '[':
		return m.list(']', hide, depth)
	case b == '"':
		raw, ok := m.text()
		if ok {
			m.put(raw, hide)
		}
		return ok
	}
	return m.word(hide)
}

// list reads an object, whose entries have names, or an array.
func (m *masker) list(close byte, hide bool, depth int) bool {
	m.out.WriteByte(m.in[m.at])
	m.at++
	for first := true; ; first = false {
		b, ok := m.next()
		switch {
		case !ok:
			return false
		case b == close:
			m.at++
			m.out.WriteByte(close)
			return true
		case !first && b != ',':
			return false
		case !first:
			m.at++
			m.out.WriteByte(',')
		}
		hidden := hide
		if close == '}' {
			name, ok := m.name()
			if !ok {
				return false
			}
			hidden = hide || IsPrivate(name) || m.loose(name)
		} else if !hide {
			hidden = m.loose("")
		}
		if !m.value(hidden, depth+1) {
			return false
		}
	}
}

// name reads a name with its colon and gives it as a reader of JSON would see it.
func (m *masker) name() (string, bool) {
	if b, ok := m.next(); !ok || b != '"' {
		return "", false
	}
	raw, ok := m.text()
	if !ok {
		return "", false
	}
	if b, ok := m.next(); !ok || b != ':' {
		return "", false
	}
	m.at++
	m.out.WriteString(raw)
	m.out.WriteByte(':')
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], true
	}
	var name string
	if json.Unmarshal([]byte(raw), &name) != nil {
		return "", false
	}
	return name, true
}

// loose tells whether a long number comes that is neither a moment nor an amount: in
// the place of an id or of a text it may be somebody's.
func (m *masker) loose(name string) bool {
	b, ok := m.next()
	m.end = false
	if !ok || b == '"' {
		return false
	}
	n := 0
	for n < len(m.in)-m.at && isDigit(m.in[m.at+n]) {
		n++
	}
	return n >= longRun && !isAmount(name) && !(isTime(name) && n <= 10 && b <= '4') // moments until the year 2128
}

// text reads a text with its quotes.
func (m *masker) text() (string, bool) {
	from := m.at
	for m.at++; m.at < len(m.in); m.at++ {
		switch b := m.in[m.at]; {
		case b == '\\':
			m.at++
		case b == '"':
			m.at++
			return m.in[from:m.at], true
		case b < ' ':
			return "", false
		}
	}
	m.end = true
	return "", false
}

// word reads a number, true, false or null.
func (m *masker) word(hide bool) bool {
	from := m.at
	for m.at < len(m.in) && strings.IndexByte("+-.0123456789eEtruefalsn", m.in[m.at]) >= 0 {
		m.at++
	}
	if m.at == len(m.in) {
		m.end = true
		return false
	}
	word := m.in[from:m.at]
	if !isWord(word) {
		return false
	}
	m.put(word, hide && word[0] != 'n' && word[0] != 't' && word[0] != 'f')
	return true
}

// isWord tells what JSON knows. The words that nearly all values are need no parser.
func isWord(word string) bool {
	switch word {
	case "null", "true", "false", "0":
		return true
	}
	plain := word != "" && word[0] != '0' && strings.Trim(word, "0123456789") == ""
	return plain || json.Valid([]byte(word))
}

// put writes a value, or what is left of it when it is private: the last four
// characters of what is long enough to stay private without them, as everywhere.
func (m *masker) put(raw string, hide bool) {
	switch {
	case raw == `""`, !hide && raw[0] != '"':
		m.out.WriteString(raw)
		return
	case !hide && strings.Contains(raw, `\u`): // digits may be written so
		var text string
		if json.Unmarshal([]byte(raw), &text) == nil &&
			(hasRun(text) || weblink.HasLogin(text)) {
			raw = strconv.Quote(text)
		}
		fallthrough
	case !hide:
		m.out.WriteString(hideRuns(weblink.HideLogin(raw)))
		return
	}
	text := raw
	if raw[0] == '"' && json.Unmarshal([]byte(raw), &text) != nil {
		text = ""
	}
	m.out.WriteString(strconv.Quote(shortened(text)))
}

func shortened(text string) string {
	if strings.HasPrefix(text, Hidden) && utf8.RuneCountInString(text) <= utf8.RuneCountInString("•••• 1234") {
		return text // masked already
	}
	digits := strings.Trim(text, "0123456789") == ""
	if n := utf8.RuneCountInString(text); digits && n >= 7 && n <= 20 {
		return Hidden + " " + text[len(text)-4:]
	}
	return Hidden
}

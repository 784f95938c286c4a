package developers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"debitdesk/models/requestlog"
)

// curlOf is the call as somebody would repeat it, with a variable in place of the
// credential and of everything that the log does not keep. The command stops until
// those are set: a mask that is sent would take the place of what is stored.
func curlOf(e requestlog.Entry, baseURL string) string {
	var m maskedWords
	to := baseURL + strings.Join(m.path(e.Path), "/")
	if e.Route != tokenRoute && !strings.HasSuffix(to, "/") {
		to += "/"
	}
	if e.Query != "" {
		to += "?" + m.pairs(e.Query)
	}
	parts := []string{"curl -X " + e.Method + " " + m.quoted(to)}
	if e.Method == http.MethodGet {
		parts[0] = "curl " + m.quoted(to)
	}
	if e.Route != tokenRoute {
		parts = append(parts, `-H "Authorization: Bearer $DEBITDESK_TOKEN"`)
	}
	if e.IdempotencyKey != "" {
		parts = append(parts, "-H "+m.quoted("Idempotency-Key: "+e.IdempotencyKey))
	}
	switch body := e.Request; {
	case body == "":
	case json.Valid([]byte(body)):
		parts = append(parts, "-H 'Content-Type: application/json'", "-d "+m.quoted(m.json(body)))
	case strings.ContainsAny(body[:1], "({["): // what it was in words, or its beginning
		parts = append(parts, "-d "+m.quoted(m.stand("BODY", "")))
	default:
		parts = append(parts, "-d "+m.quoted(m.pairs(body)))
	}
	return m.before() + strings.Join(parts, " \\\n  ")
}

// maskedWords puts a variable of the shell in the place of each value that the log
// shows masked.
type maskedWords struct{ names, masks []string }

var (
	maskedValue = regexp.MustCompile(`(?:("(?:[^"\\]|\\.)*")\s*:\s*)?"((?:[^"\\]|\\.)*` + requestlog.Hidden +
		`(?:[^"\\]|\\.)*)"`)
	notOfName = regexp.MustCompile(`[^A-Z0-9]+`)
	maskAlone = regexp.MustCompile(`^•+(?: \d{1,4})?$`)
)

// stand marks the place of a value. Quoting turns the mark into the variable.
func (m *maskedWords) stand(name, mask string) string {
	name = strings.Trim(notOfName.ReplaceAllString(strings.ToUpper(name), "_"), "_")
	if name == "" {
		name = "VALUE"
	}
	name = "MASKED_" + name
	for one, n := name, 2; m.has(name); n++ {
		name = fmt.Sprintf("%s_%d", one, n)
	}
	if !maskAlone.MatchString(mask) {
		mask = requestlog.Hidden
	}
	m.names, m.masks = append(m.names, name), append(m.masks, mask)
	return "\x00" + name + "\x00"
}

func (m *maskedWords) has(name string) bool {
	for _, n := range m.names {
		if n == name {
			return true
		}
	}
	return false
}

func (m *maskedWords) path(path string) []string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.Contains(part, requestlog.Hidden) {
			parts[i] = m.stand("ID", part)
		}
	}
	return parts
}

// pairs reads a query or a form.
func (m *maskedWords) pairs(raw string) string {
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		if name, value, _ := strings.Cut(pair, "="); strings.Contains(value, requestlog.Hidden) {
			pairs[i] = name + "=" + m.stand(name, value)
		}
	}
	return strings.Join(pairs, "&")
}

func (m *maskedWords) json(body string) string {
	return maskedValue.ReplaceAllStringFunc(body, func(found string) string {
		parts := maskedValue.FindStringSubmatch(found)
		at := strings.LastIndex(found, `"`+parts[2]+`"`)
		return found[:at] + `"` + m.stand(parts[1], parts[2]) + `"`
	})
}

// quoted is one word of a shell, whatever is in it.
func (m *maskedWords) quoted(text string) string {
	text = quoted(text)
	for _, name := range m.names {
		text = strings.ReplaceAll(text, "\x00"+name+"\x00", `'"$`+name+`"'`)
	}
	return text
}

// before asks for the variables, and stops the command while one is missing.
func (m *maskedWords) before() string {
	if len(m.names) == 0 {
		return ""
	}
	lines := []string{"# The log keeps these values masked. Set each of them before you run the command."}
	for i, name := range m.names {
		lines = append(lines, fmt.Sprintf(`: "${%s:?set it first: the log shows %s}" &&`, name, m.masks[i]))
	}
	return strings.Join(lines, "\n") + "\n"
}

// quoted is one word of a shell, whatever is in it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

package wire

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Base is the beginning of a provider's addresses: always https, but in the sandbox with ?plain=yes, for a program
// on this machine.
func Base(u *url.URL, sandbox bool) string {
	if sandbox && u.Query().Get("plain") == "yes" {
		return "http://" + u.Host
	}
	return "https://" + u.Host
}

// Detail is the first of some places of an answer that says anything, as text for people.
func Detail(a Answer, pointers ...string) string {
	for _, p := range pointers {
		if text := strings.TrimSpace(Text(a.Body, p)); text != "" {
			return text
		}
	}
	return "status " + strconv.Itoa(a.Status)
}

// Text is what a JSON pointer (RFC 6901) finds in a document, as text; empty for nothing.
func Text(document []byte, pointer string) string {
	v, found := Find(document, pointer)
	if !found {
		return ""
	}
	return textOf(v)
}

func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return fmt.Sprint(v)
}

// Find follows a JSON pointer into a document.
func Find(document []byte, pointer string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(string(document)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	return At(v, pointer)
}

// At follows a JSON pointer into a value.
func At(v any, pointer string) (any, bool) {
	if pointer == "" || pointer == "/" {
		return v, true
	}
	for _, key := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		switch in := v.(type) {
		case map[string]any:
			next, has := in[key]
			if !has {
				return nil, false
			}
			v = next
		case []any:
			n, err := strconv.Atoi(key)
			if err != nil || n < 0 || n >= len(in) {
				return nil, false
			}
			v = in[n]
		default:
			return nil, false
		}
	}
	return v, true
}

// TextAt is At as text.
func TextAt(v any, pointer string) string {
	found, ok := At(v, pointer)
	if !ok {
		return ""
	}
	return textOf(found)
}

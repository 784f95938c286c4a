package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"debitdesk/handlers/handlertest"
)

// bodyOf makes a body of the operation's form, spoils some of it, and sometimes all.
func (f *fuzzer) bodyOf(op *handlertest.Operation, h http.Header) string {
	h["Content-Type"] = []string{"application/json"}
	schema := f.c.RequestSchema(op)
	if op.Path == "/oauth/token" || f.IntN(10) == 0 {
		h["Content-Type"] = []string{"application/x-www-form-urlencoded"}
		return f.form(schema)
	}
	if f.IntN(25) == 0 {
		kinds := []string{"", "text/plain", "application/xml", "multipart/form-data", "multipart/form-data; boundary=x",
			"application/json; charset=latin1", "application/x-www-form-urlencoded", ";;;", "\xff"}
		h["Content-Type"] = []string{kinds[f.IntN(len(kinds))]}
	}
	var body string
	if op.Path == "/sandbox/clock/" { // a clock that runs away would end the credential of all others
		body = `{"now":[],"advance":{}}`
	} else {
		body = f.value(schema, 0)
	}
	switch f.IntN(25) {
	case 0:
		return body[:f.IntN(len(body)+1)]
	case 1:
		return body + []string{"}", "{}", "\x00", " ,", "\xff"}[f.IntN(5)]
	case 2:
		return oddValues[f.IntN(len(oddValues))]
	case 3:
		return strings.Repeat("[", 20_000)
	case 4:
		return strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000)
	case 5:
		return "\xef\xbb\xbf" + body
	}
	return body
}

var oddValues = []string{"null", "true", "false", "0", "-0", "-1", "1.5", "1e400", "-1e400", "1e-400", "1E5",
	"99999999999999999999", "9223372036854775807", "-9223372036854775808", "253402300799", `""`, `" "`, `"x"`,
	`"\u0000"`, `"\ud800"`, "\"\xff\xfe\"", `"💩"`, `"\u202e"`, `"NaN"`, `"1e5"`, `"2026-02-30"`, `"9999-12-31"`, "[]",
	"{}", "[[]]", "[null]", "[{}]", `[{"a":1},2,"x"]`, `{"a":{"b":[{}]}}`, `{"":1}`,
	"\"" + strings.Repeat("z", 11_000) + "\"", strings.Repeat("[", 500) + strings.Repeat("]", 500),
	strings.Repeat("9", 2_000), "0.00000000000000000001", `"'; DROP TABLE purchases; --"`, `"<script>alert(1)</script>"`}

// value is JSON that fits the schema, more often than not.
func (f *fuzzer) value(schema map[string]any, depth int) string {
	if f.IntN(12) == 0 && depth > 0 {
		return oddValues[f.IntN(len(oddValues))]
	}
	schema = f.c.Resolve(schema)
	if list, ok := schema["enum"].([]any); ok {
		return fmt.Sprintf("%q", fmt.Sprint(list[f.IntN(len(list))]))
	}
	if one, ok := schema["const"].(string); ok {
		return fmt.Sprintf("%q", one)
	}
	if some, ok := schema["anyOf"].([]any); ok {
		return f.value(some[f.IntN(len(some))].(map[string]any), depth)
	}
	if depth > 8 {
		return "null"
	}
	switch kindOf(schema, f) {
	case "object":
		return f.object(schema, depth)
	case "array":
		entries := make([]string, f.IntN(4))
		inner, _ := schema["items"].(map[string]any)
		for i := range entries {
			entries[i] = f.value(inner, depth+1)
		}
		return "[" + strings.Join(entries, ",") + "]"
	case "boolean":
		return []string{"true", "false"}[f.IntN(2)]
	case "integer", "number":
		return []string{"0", "1", "7", "100", "10000", "1796104800", fmt.Sprint(f.IntN(1 << 31))}[f.IntN(7)]
	case "null":
		return "null"
	}
	return f.text()
}

func (f *fuzzer) text() string {
	if f.IntN(3) == 0 {
		return fmt.Sprintf("%q", f.id())
	}
	return []string{`"m"`, `"ZAR"`, `"en"`, `"ZA"`, `"a@example.com"`, `"UTC"`, `"Africa/Johannesburg"`, `"2027-01-31"`,
		`"https://example.com/x"`, `"1.5"`, `"470010"`, `"6200000001"`, `"27821234567"`, `"02"`, `"TEST1"`}[f.IntN(15)]
}

func (f *fuzzer) object(schema map[string]any, depth int) string {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names) // maps have no order, and the fuzz is to repeat itself
	var out []string
	for _, name := range names {
		needed := slices.Contains(required, any(name))
		if needed && f.IntN(25) == 0 || !needed && f.IntN(4) != 0 {
			continue
		}
		value := f.value(properties[name].(map[string]any), depth+1)
		switch {
		case (name == "brand_id" || name == "brand") && f.IntN(10) != 0:
			value = fmt.Sprintf("%q", f.ids[0])
		case (strings.HasSuffix(name, "_id") || name == "recurring_token") && f.IntN(10) != 0:
			value = fmt.Sprintf("%q", f.id())
		}
		out = append(out, fmt.Sprintf("%q:%s", name, value))
	}
	if f.IntN(10) == 0 {
		out = append(out, `"unknown\u0000":`+oddValues[f.IntN(len(oddValues))])
	}
	return "{" + strings.Join(out, ",") + "}"
}

func kindOf(schema map[string]any, f *fuzzer) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		return fmt.Sprint(kind[f.IntN(len(kind))])
	}
	return "string"
}

// form is the body as a form; nested names have dots.
func (f *fuzzer) form(schema map[string]any) string {
	var out []string
	var add func(prefix string, schema map[string]any, depth int)
	add = func(prefix string, schema map[string]any, depth int) {
		properties, _ := f.c.Resolve(schema)["properties"].(map[string]any)
		names := make([]string, 0, len(properties))
		for name := range properties {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			inner := f.c.Resolve(properties[name].(map[string]any))
			switch {
			case f.IntN(3) == 0:
			case inner["properties"] != nil && depth < 4:
				add(prefix+name+".", inner, depth+1)
			default:
				value := url.QueryEscape(strings.Trim(f.value(inner, 1), `"`))
				if f.IntN(8) == 0 {
					value = oddTexts[f.IntN(len(oddTexts))]
				}
				out = append(out, prefix+name+"="+value)
			}
		}
	}
	add("", schema, 0)
	if f.IntN(6) == 0 {
		out = append(out, []string{"purchase=1", "a.b.c.d.e.f.g.h.i.j.k.l=1", "%ff=1", "=", "&&&", "purchase.products=x",
			"client.client.client=1"}[f.IntN(7)])
	}
	return strings.Join(out, "&")
}

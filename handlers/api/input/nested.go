package input

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"debitdesk/models/fault"
)

// Object is a nested object; an empty one, which collects no problems of its
// own, when it is missing or null. given tells which.
func (o *Object) Object(name string) (inner *Object, given bool) {
	value := o.fields[name]
	if value == nil {
		return &Object{prefix: o.prefix + name + ".", form: o.form, problems: o.problems}, false
	}
	return o.object(o.prefix+name, value), true
}

// NeedObject is a nested object that must be there.
func (o *Object) NeedObject(name string) (inner *Object, ok bool) {
	if _, ok := o.present(name, true); !ok {
		return &Object{prefix: o.prefix + name + ".", form: o.form, problems: o.problems}, false
	}
	return o.Object(name)
}

func (o *Object) object(path string, value any) *Object {
	fields, ok := value.(map[string]any)
	if !ok {
		o.problems.Add(path, "invalid", "Invalid data. Expected a dictionary, but got %s.", typeName(value))
		return &Object{prefix: path + ".", form: o.form, problems: &fault.Problems{}} // what is asked of it says nothing new
	}
	return &Object{fields: fields, prefix: path + ".", form: o.form, problems: o.problems}
}

// Objects is a list of objects with between min and max entries. A missing list
// is a problem when min is above 0.
func (o *Object) Objects(name string, min, max int) []*Object {
	entries, ok := o.list(name, min, max)
	if !ok {
		return nil
	}
	out := make([]*Object, len(entries))
	for i, value := range entries {
		out[i] = o.object(entryPath(o.prefix+name, i, len(entries)), value)
	}
	return out
}

// Texts is a list of texts of at most maxChars characters each; null counts as
// empty when nullable.
func (o *Object) Texts(name string, max, maxChars int, nullable bool) []string {
	if value, named := o.fields[name]; nullable && (!named || value == nil || o.form && value == "") {
		return nil
	}
	entries, ok := o.list(name, 0, max)
	if !ok {
		return nil
	}
	out := make([]string, 0, len(entries))
	for i, value := range entries {
		at := entryPath(o.prefix+name, i, len(entries))
		text, isText := textOf(value)
		switch {
		case !isText:
			o.problems.Add(at, "invalid", "Not a valid string.")
		case badText(text) != "":
			o.problems.Add(at, "invalid", "%s", badText(text))
		case utf8.RuneCountInString(text) > maxChars:
			o.problems.Add(at, "max_length", "Ensure this field has no more than %d characters.", maxChars)
		default:
			out = append(out, text)
		}
	}
	return out
}

// list reads a list; a form gives a single entry as a bare text.
func (o *Object) list(name string, min, max int) ([]any, bool) {
	value, ok := o.present(name, min > 0)
	if !ok {
		return nil, false
	}
	entries, isList := value.([]any)
	if text, isText := value.(string); isText && o.form && text != "" {
		entries, isList = []any{text}, true
	}
	switch {
	case !isList:
		o.Add(name, "not_a_list", "Expected a list of items but got type %s.", typeName(value))
	case len(entries) < min:
		o.Add(name, "min_length", "Ensure this field has at least %d elements.", min)
	case len(entries) > max:
		o.Add(name, "max_length", "Ensure this field has no more than %d elements.", max)
	default:
		return entries, true
	}
	return nil, false
}

func entryPath(path string, i, n int) string { return fmt.Sprintf("%s[%d/%d]", path, i, n) }

func typeName(value any) string {
	switch value.(type) {
	case string:
		return "text"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	}
	return "null"
}

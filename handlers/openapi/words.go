package openapi

import (
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// field says in words what a value may be.
func (d *Document) field(name string, schema *yaml.Node) Field {
	full := d.follow(schema)
	f := Field{Name: name, Type: d.typeOf(schema), Description: text(schema, "description")}
	if f.Description == "" {
		f.Description = text(full, "description")
	}
	f.Limits = limits(schema, full)
	return f
}

func (d *Document) typeOf(schema *yaml.Node) string {
	full := d.follow(schema)
	switch {
	case get(full, "const") != nil:
		return "“" + get(full, "const").Value + "”"
	case get(full, "enum") != nil:
		return oneOf(items(get(full, "enum")))
	case get(schema, "anyOf") != nil:
		var kinds []string
		for _, one := range items(get(schema, "anyOf")) {
			kinds = append(kinds, d.typeOf(one))
		}
		return strings.Join(slices.Compact(kinds), " or ")
	}
	var kinds []string
	types := items(get(full, "type"))
	if one := get(full, "type"); one != nil && one.Kind == yaml.ScalarNode {
		types = []*yaml.Node{one}
	}
	for _, t := range types {
		kinds = append(kinds, d.kind(t.Value, full, refName(schema)))
	}
	return strings.Join(kinds, " or ")
}

// kind is a type in the words of the page.
func (d *Document) kind(name string, full *yaml.Node, ref string) string {
	switch name {
	case "string":
		switch text(full, "format") {
		case "uuid":
			return "id"
		case "date":
			return "date"
		case "uri":
			return "address"
		}
		return "text"
	case "integer":
		return "whole number"
	case "boolean":
		return "true or false"
	case "array":
		if list := get(full, "items"); list != nil {
			return "list of " + d.typeOf(list)
		}
		return "list"
	case "object":
		if ref != "" {
			return ref
		}
	}
	return name
}

func oneOf(values []*yaml.Node) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.Value
	}
	return strings.Join(words, ", ")
}

// limits are the bounds of a value, and what stands for it when it is left out.
func limits(schema, full *yaml.Node) string {
	var out []string
	for _, bound := range []struct{ key, before, after string }{
		{"minLength", "at least ", " characters"}, {"maxLength", "at most ", " characters"},
		{"minItems", "at least ", " entries"}, {"maxItems", "at most ", " entries"},
		{"minimum", "from ", ""}, {"maximum", "to ", ""},
	} {
		if value := text(full, bound.key); value != "" {
			out = append(out, bound.before+value+bound.after)
		}
	}
	for _, n := range []*yaml.Node{schema, full} {
		if value := leftOut(n); value != "" {
			out = append(out, value+" when left out")
			break
		}
	}
	return strings.Join(out, ", ")
}

// leftOut is what stands for a value that is left out. In a schema it is the
// extension x-default: from default, generators conclude that the field is always
// there, also in requests.
func leftOut(n *yaml.Node) string {
	if value := text(n, "default"); value != "" {
		return value
	}
	return text(n, "x-default")
}

// recordOf names what an answer holds.
func recordOf(answer *yaml.Node) string {
	schema := get(get(get(answer, "content"), "application/json"), "schema")
	if list := get(schema, "items"); list != nil && refName(list) != "" {
		return "list of " + refName(list)
	}
	var names []string
	for _, one := range items(get(schema, "anyOf")) {
		names = append(names, refName(one))
	}
	if len(names) > 0 {
		return strings.Join(names, " or ")
	}
	return refName(schema)
}

// refs are the names of all forms that a form mentions.
func refs(n *yaml.Node) (names []string) {
	n = real(n)
	if name := refName(n); name != "" {
		names = append(names, name)
	}
	for _, inner := range n.Content {
		names = append(names, refs(inner)...)
	}
	return names
}

func refName(n *yaml.Node) string {
	return strings.TrimPrefix(text(n, "$ref"), "#/components/schemas/")
}

func text(n *yaml.Node, key string) string {
	if value := get(n, key); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}

func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out[i] = real(c)
	}
	return out
}

func each(n *yaml.Node, do func(key string, value *yaml.Node)) {
	n = real(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		do(n.Content[i].Value, real(n.Content[i+1]))
	}
}

package openapi

import (
	"bytes"
	"encoding/json"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// Tag is one part of the API.
type Tag struct {
	Name, Description string
	Operations        []Operation
}

// Operation is one method of one address, taken apart for reading.
type Operation struct {
	ID, Method, Path, AlsoAt, Summary, Description string
	Scopes                                         []string // empty: needs no credential
	Parameters                                     []Field
	Body                                           []Field // of the request, nested ones after their parent
	NeedsBody                                      bool
	Form                                           bool // the body is a form alone
	Examples                                       []Example
	Answers                                        []Answer
	Errors                                         []Word // code and when
}

// Field is one value. Depth counts the objects around it.
type Field struct {
	Name, In, Type, Limits, Description string
	Required                            bool
	Depth                               int
}

// Example is a request body.
type Example struct{ Title, Text string }

// Answer is one status. Record names the record that it holds, if any.
type Answer struct{ Status, Description, Record string }

// Word is a code with its meaning.
type Word struct{ Code, Meaning string }

// Record is the form of an answer.
type Record struct {
	Name, Description string
	Fields            []Field
}

// About is the description of the whole API, in paragraphs.
func (d *Document) About() []string {
	return strings.Split(strings.TrimSpace(text(get(d.root, "info"), "description")), "\n\n")
}

// Tags are all parts with their operations, in the order of the document.
func (d *Document) Tags() []Tag {
	var out []Tag
	for _, t := range items(get(d.root, "tags")) {
		out = append(out, Tag{Name: text(t, "name"), Description: text(t, "description")})
	}
	each(get(d.root, "paths"), func(path string, item *yaml.Node) {
		each(item, func(method string, op *yaml.Node) {
			if method == "parameters" {
				return
			}
			for i := range out {
				if tags := items(get(op, "tags")); len(tags) > 0 && tags[0].Value == out[i].Name {
					out[i].Operations = append(out[i].Operations, d.operation(path, method, item, op))
				}
			}
		})
	})
	return out
}

func (d *Document) operation(path, method string, item, op *yaml.Node) Operation {
	out := Operation{ID: text(op, "operationId"), Method: strings.ToUpper(method), Path: path,
		AlsoAt:  text(op, "x-also-at"),
		Summary: text(op, "summary"), Description: text(op, "description")}
	for _, one := range items(get(op, "security")) {
		for _, scope := range items(get(one, "bearer")) {
			out.Scopes = append(out.Scopes, scope.Value)
		}
	}
	for _, from := range []*yaml.Node{get(item, "parameters"), get(op, "parameters")} {
		for _, p := range items(from) {
			p = d.follow(p)
			f := d.field(text(p, "name"), get(p, "schema"))
			f.In, f.Required, f.Description = text(p, "in"), text(p, "required") == "true", text(p, "description")
			out.Parameters = append(out.Parameters, f)
		}
	}
	d.bodyOf(&out, get(op, "requestBody"))
	each(get(op, "responses"), func(status string, answer *yaml.Node) {
		answer = d.follow(answer)
		out.Answers = append(out.Answers, Answer{Status: status, Description: text(answer, "description"),
			Record: recordOf(answer)})
	})
	each(get(op, "x-errors"), func(code string, meaning *yaml.Node) {
		out.Errors = append(out.Errors, Word{code, meaning.Value})
	})
	return out
}

func (d *Document) bodyOf(out *Operation, body *yaml.Node) {
	content := get(body, "content")
	media := get(content, "application/json")
	if media == nil {
		media = get(content, "application/x-www-form-urlencoded")
		out.Form = media != nil
	}
	if media == nil {
		return
	}
	out.NeedsBody = text(body, "required") == "true"
	out.Body = d.fields(get(media, "schema"), 0, nil)
	if one := get(media, "example"); one != nil {
		out.Examples = []Example{{"Example", pretty(one)}}
	}
	each(get(media, "examples"), func(_ string, e *yaml.Node) {
		out.Examples = append(out.Examples, Example{text(e, "summary"), pretty(get(e, "value"))})
	})
}

// Records are the forms of answers that these operations give, with those inside them.
func (d *Document) Records(ops []Operation) (out []Record) {
	seen := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		schema := get(get(get(d.root, "components"), "schemas"), name)
		if name == "" || seen[name] || schema == nil {
			return
		}
		seen[name] = true
		r := Record{Name: name, Description: text(schema, "description")}
		each(get(schema, "properties"), func(field string, s *yaml.Node) {
			r.Fields = append(r.Fields, d.requiredIn(schema, field, s))
		})
		if len(r.Fields) > 0 {
			out = append(out, r)
		}
		for _, inner := range refs(schema) {
			add(inner)
		}
	}
	for _, op := range ops {
		for _, a := range op.Answers {
			for _, name := range strings.Split(a.Record, " or ") {
				add(strings.TrimPrefix(name, "list of "))
			}
		}
	}
	return out
}

func (d *Document) requiredIn(parent *yaml.Node, name string, schema *yaml.Node) Field {
	f := d.field(name, schema)
	for _, r := range items(get(parent, "required")) {
		f.Required = f.Required || r.Value == name
	}
	return f
}

// fields are the values of an object, each followed by what is inside it.
func (d *Document) fields(schema *yaml.Node, depth int, around []string) (out []Field) {
	name := refName(schema)
	for _, a := range around {
		if name != "" && a == name { // a form inside itself
			return nil
		}
	}
	around = append(around, name)
	object := d.follow(schema)
	each(get(object, "properties"), func(field string, s *yaml.Node) {
		f := d.requiredIn(object, field, s)
		f.Depth = depth
		out = append(out, f)
		out = append(out, d.fields(d.inside(s), depth+1, around)...)
	})
	return out
}

// inside is the object that a value is, or is a list of.
func (d *Document) inside(schema *yaml.Node) *yaml.Node {
	if list := get(d.follow(schema), "items"); list != nil {
		return list
	}
	for _, one := range items(get(schema, "anyOf")) {
		if refName(one) != "" {
			return one
		}
	}
	return schema
}

// follow is what a reference stands for.
func (d *Document) follow(n *yaml.Node) *yaml.Node {
	ref := text(n, "$ref")
	if ref == "" {
		return real(n)
	}
	at := d.root
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = get(at, name)
	}
	return at
}

func pretty(n *yaml.Node) string {
	var raw, out bytes.Buffer
	if err := write(&raw, n); err != nil {
		return ""
	}
	if err := json.Indent(&out, raw.Bytes(), "", "  "); err != nil {
		return raw.String()
	}
	return out.String()
}

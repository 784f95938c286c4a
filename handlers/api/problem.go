package api

import (
	"strconv"
	"strings"

	"debitdesk/models/fault"
)

// Problem is one entry of an error body.
type Problem struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// ProblemBody is the error body of the contract (1.5): a map of field names to
// lists of problems, nested as the request was.
func ProblemBody(f *fault.Fault) map[string]any {
	if len(f.Fields) == 0 {
		return map[string]any{fault.All: []Problem{{f.Message, f.Code}}}
	}
	root := &place{}
	for _, field := range f.Fields {
		at := root
		for _, name := range strings.Split(field.Path, ".") {
			at = at.child(name)
		}
		at.own = append(at.own, Problem{field.Message, field.Code})
	}
	return root.object()
}

// place is one spot of the request: what is wrong with it, and what is inside.
type place struct {
	own     []Problem
	fields  map[string]*place
	entries []*place // of a list, aligned with the request
}

// child finds the place of a name, which may carry an index and the length of
// its list: "products[0/2]".
func (p *place) child(name string) *place {
	name, index, isEntry := strings.Cut(name, "[")
	if p.fields == nil {
		p.fields = map[string]*place{}
	}
	inner := p.fields[name]
	if inner == nil {
		inner = &place{}
		p.fields[name] = inner
	}
	if !isEntry {
		return inner
	}
	i, n := indexOf(index)
	for len(inner.entries) < max(n, i+1) {
		inner.entries = append(inner.entries, nil)
	}
	if inner.entries[i] == nil {
		inner.entries[i] = &place{}
	}
	return inner.entries[i]
}

func indexOf(text string) (i, n int) {
	first, second, _ := strings.Cut(strings.TrimSuffix(text, "]"), "/")
	i, _ = strconv.Atoi(first)
	n, _ = strconv.Atoi(second)
	return max(i, 0), n
}

// object renders what is inside, with the place's own problems under __all__.
func (p *place) object() map[string]any {
	out := map[string]any{}
	if p == nil {
		return out
	}
	for name, inner := range p.fields {
		out[name] = inner.value()
		if len(inner.entries) > 0 && len(inner.own) > 0 { // a list cannot carry them itself
			all, _ := out[fault.All].([]Problem)
			out[fault.All] = append(all, inner.own...)
		}
	}
	if len(p.own) > 0 {
		all, _ := out[fault.All].([]Problem)
		out[fault.All] = append(all, p.own...)
	}
	return out
}

func (p *place) value() any {
	switch {
	case len(p.entries) > 0:
		list := make([]any, len(p.entries))
		for i, e := range p.entries {
			list[i] = e.object()
		}
		return list
	case len(p.fields) > 0:
		return p.object()
	}
	return p.own
}

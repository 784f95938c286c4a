// Package input knows how the body of an API request becomes typed values with
// every problem of shape noted at its place. It must not know what the values
// mean: rules live in the concepts.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"debitdesk/models/fault"
)

// Object is one JSON object of the request, or a form body read like one. All
// objects of one request note their problems together.
type Object struct {
	fields   map[string]any
	prefix   string // "purchase." for nested objects
	form     bool   // of a form body, in which a list of one is a bare text
	problems *fault.Problems
}

// Read takes the body of a request. No body at all is an empty object. The
// refusal is parse_error for what is no object, or request_too_large.
func Read(r *http.Request) (*Object, error) { return read(r, false) }

// ReadOptional is Read where every value may be left out: an empty list and null are
// an empty object too (API contract 12.17).
func ReadOptional(r *http.Request) (*Object, error) { return read(r, true) }

func read(r *http.Request, optional bool) (*Object, error) {
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fault.New(fault.TooLarge, "request_too_large",
			"The request may have at most %d bytes.", tooLarge.Limit)
	case err != nil:
		return nil, unreadable().Because(err)
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media == "application/x-www-form-urlencoded" && !looksLikeJSON(body) {
		return fromForm(body)
	}
	return fromJSON(body, optional)
}

// looksLikeJSON: curl and others call a JSON body a form unless they are told. Read as
// one, {"amount":1000} would be a name that nobody knows, and a refund of everything.
// No field of ours begins like that.
func looksLikeJSON(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && (body[0] == '{' || body[0] == '[')
}

func fromJSON(body []byte, optional bool) (*Object, error) {
	fields := map[string]any{}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if !wholeText(body) {
		return nil, fault.New(fault.Invalid, "parse_error", "The request body is not whole text in UTF-8.")
	}
	if len(body) > 0 {
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		var value any
		if err := dec.Decode(&value); err != nil {
			return nil, unreadable().Because(err)
		}
		if _, err := dec.Token(); !errors.Is(err, io.EOF) {
			return nil, unreadable()
		}
		if !plain(value, maxDepth) {
			return nil, fault.New(fault.Invalid, "parse_error",
				"The request body is nested more than %d levels deep, or has a number of more than %d characters.", maxDepth,
				maxNumberText)
		}
		list, isList := value.([]any)
		if optional && (value == nil || isList && len(list) == 0) {
			return of(fields), nil
		}
		var ok bool
		if fields, ok = value.(map[string]any); !ok {
			return nil, unreadable()
		}
	}
	return of(fields), nil
}

// maxDepth is how deep values may be nested. What is kept as it came, such as metadata,
// stands in every list later, and readers of JSON give up on a whole list at a few hundred
// levels, or at a number of thousands of digits.
const maxDepth = 64

// plain tells whether any reader of JSON could read a value again.
func plain(value any, depth int) bool {
	switch v := value.(type) {
	case json.Number:
		return len(v) <= maxNumberText
	case []any:
		return depth > 0 && !slices.ContainsFunc(v, func(inner any) bool { return !plain(inner, depth-1) })
	case map[string]any:
		for _, inner := range v {
			if !plain(inner, depth-1) {
				return false
			}
		}
		return depth > 0
	}
	return true
}

func of(fields map[string]any) *Object { return &Object{fields: fields, problems: &fault.Problems{}} }

func unreadable() *fault.Fault {
	return fault.New(fault.Invalid, "parse_error", "The request body is not a valid JSON object.")
}

// maxFormDepth bounds dotted form names; nothing in the contract is deeper.
const maxFormDepth = 10

// fromForm reads a form body: a repeated name is a list, a dotted one is nested.
func fromForm(body []byte) (*Object, error) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, unreadable().Because(err)
	}
	root := map[string]any{}
	for name, texts := range values {
		var value any = texts[0]
		if len(texts) > 1 {
			list := make([]any, len(texts))
			for i, t := range texts {
				list[i] = t
			}
			value = list
		}
		place(root, strings.SplitN(name, ".", maxFormDepth), value)
	}
	o := of(root)
	o.form = true
	return o, nil
}

func place(at map[string]any, names []string, value any) {
	for _, name := range names[:len(names)-1] {
		inner, ok := at[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[name] = inner
		}
		at = inner
	}
	last := names[len(names)-1]
	if _, nested := at[last].(map[string]any); !nested {
		at[last] = value
	}
}

// Again is the same request to be read anew, with nothing noted yet.
func (o *Object) Again() *Object {
	fresh := of(o.fields)
	fresh.form = o.form
	return fresh
}

// IsBlank tells whether the field is missing, null, or the empty text by which a
// form says null.
func (o *Object) IsBlank(name string) bool { return o.fields[name] == nil || o.fields[name] == "" }

// IsLeftOut tells whether a list or an object is missing or null, or empty in a form, which has no null. In JSON an
// empty text is no list (API contract 12.22).
func (o *Object) IsLeftOut(name string) bool {
	return o.fields[name] == nil || o.form && o.fields[name] == ""
}

// Has tells whether the request names the field, even as null.
func (o *Object) Has(name string) bool { _, ok := o.fields[name]; return ok }

// IsNull tells whether the field is missing or null.
func (o *Object) IsNull(name string) bool { return o.fields[name] == nil }

// Raw is the decoded value as it came: text, json.Number, bool, list, map or nil.
func (o *Object) Raw(name string) any { return o.fields[name] }

// Fields is everything the object holds, decoded, for what is kept as it came.
func (o *Object) Fields() map[string]any { return o.fields }

// Path is the place of a field from the root of the request.
func (o *Object) Path(name string) string { return o.prefix + name }

// Add notes a problem of one field of this object.
func (o *Object) Add(name, code, format string, args ...any) {
	o.problems.Add(o.prefix+name, code, format, args...)
}

// Merge notes problems that a rule found, named from the root of the request,
// except where the shape is wrong already.
func (o *Object) Merge(found fault.Problems) {
	shape := *o.problems
	for _, f := range found {
		if !shape.Has(f.Path) {
			*o.problems = append(*o.problems, f)
		}
	}
}

// MergeErr is Merge for the error of a rule; other errors come back.
func (o *Object) MergeErr(err error) error {
	f, ok := fault.From(err)
	if err == nil || !ok || f.Kind != fault.Invalid || len(f.Fields) == 0 {
		return err
	}
	o.Merge(f.Fields)
	return nil
}

// Problems is everything noted so far, in the whole request.
func (o *Object) Problems() fault.Problems { return *o.problems }

// Err is nil when nothing is wrong, else one fault with every problem.
func (o *Object) Err() error { return o.problems.Err() }

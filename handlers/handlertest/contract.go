package handlertest

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"debitdesk/handlers/openapi"
)

// Contract holds requests and answers against the document of the API. Schemas
// are compiled once for all tests of a program; the library is the one that
// kin-openapi uses for 3.1, which compiles again for each body.
type Contract struct {
	Operations []*Operation
	tree       any
	mu         sync.Mutex // the compiler is for one at a time
	compiler   *jsonschema.Compiler
	compiled   map[string]*jsonschema.Schema
}

// Operation is one method of one address.
type Operation struct {
	Method, Path string // "/api/v1/clients/{id}/"
	AlsoAt       string // the copy at the root
	Doc          map[string]any
	at           string // JSON pointer
	segments     []string
}

// TheContract is the document, read once.
var TheContract = sync.OnceValue(func() *Contract {
	doc, err := openapi.Read(BaseURL)
	if err != nil {
		panic(err) // the document is compiled in
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc.JSON()))
	if err != nil {
		panic(err)
	}
	c := &Contract{tree: tree, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource("openapi.json", tree); err != nil {
		panic(err)
	}
	for path, item := range field(tree, "paths").(map[string]any) {
		for method, op := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			one := &Operation{Method: strings.ToUpper(method), Path: path, Doc: op.(map[string]any), segments: segmentsOf(path),
				at: "/paths/" + pointed(path) + "/" + method}
			one.AlsoAt, _ = one.Doc["x-also-at"].(string)
			c.Operations = append(c.Operations, one)
		}
	}
	slices.SortFunc(c.Operations, func(a, b *Operation) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	return c
})

func field(value any, name string) any { return value.(map[string]any)[name] }

func pointed(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "~", "~0"), "/", "~1")
}

func segmentsOf(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// Find is the operation of an address; one with fewer parameters wins.
func (c *Contract) Find(method, path string) *Operation {
	path, _, _ = strings.Cut(path, "?")
	segments := segmentsOf(path)
	var best *Operation
	fewest := 1000
	for _, op := range c.Operations {
		for _, at := range [][]string{op.segments, segmentsOf(op.AlsoAt)} {
			if n, ok := matches(at, segments); ok && op.Method == method && n < fewest {
				best, fewest = op, n
			}
		}
	}
	return best
}

func matches(pattern, segments []string) (parameters int, ok bool) {
	if len(pattern) != len(segments) || len(pattern) == 0 {
		return 0, false
	}
	for i, p := range pattern {
		switch {
		case strings.HasPrefix(p, "{"):
			parameters++
		case p != segments[i]:
			return 0, false
		}
	}
	return parameters, true
}

// CheckAnswer says what in an answer the document does not allow; nil for what
// it does not speak of, such as pages.
func (c *Contract) CheckAnswer(method, path string, status int, header http.Header, body []byte) error {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	op := c.Find(method, path)
	isAPI := strings.HasPrefix(strings.Join(segmentsOf(path), "/"), "api/v1/")
	switch {
	case method == http.MethodHead, method == http.MethodOptions && status < 300, status >= 300 && status < 400:
		return nil
	case op == nil && !isAPI, op != nil && !isAPI &&
		(media == "text/html" || media == "" && len(body) == 0): // people see pages there
		return nil
	case op == nil && status < 400:
		return fmt.Errorf("%d, and the document does not know %s %s", status, method, path)
	case op != nil && op.Path == "/oauth/token" && status >= 500:
		return c.against("/components/schemas/OAuthError", media, body)
	case op == nil, status >= 500, status == http.StatusMethodNotAllowed:
		return c.against("/components/schemas/Problem", media, body)
	}
	return c.declared(op, status, media, body)
}

func (c *Contract) declared(op *Operation, status int, media string, body []byte) error {
	answers := op.Doc["responses"].(map[string]any)
	answer, ok := answers[fmt.Sprint(status)].(map[string]any)
	if !ok {
		return fmt.Errorf("the document has no answer %d", status)
	}
	at := op.at + "/responses/" + fmt.Sprint(status)
	if ref, ok := answer["$ref"].(string); ok {
		at = strings.TrimPrefix(ref, "#")
		answer = c.component(at)
	}
	content, ok := answer["content"].(map[string]any)
	switch {
	case !ok && len(body) > 0:
		return fmt.Errorf("a body with %d", status)
	case !ok:
		return nil
	}
	if _, ok := content[media]; !ok {
		return fmt.Errorf("content type %q", media)
	}
	return c.against(at+"/content/"+pointed(media)+"/schema", media, body)
}

// component is an answer that the document shares.
func (c *Contract) component(at string) map[string]any {
	tree := c.tree
	for _, name := range strings.Split(at, "/")[1:] {
		tree = field(tree, name)
	}
	return tree.(map[string]any)
}

// CheckRequest says what in a JSON body the document does not allow.
func (c *Contract) CheckRequest(op *Operation, body []byte) error {
	if _, ok := op.Doc["requestBody"].(map[string]any); !ok {
		return nil
	}
	return c.against(op.at+"/requestBody/content/application~1json/schema", "application/json", body)
}

func (c *Contract) against(at, media string, body []byte) error {
	if media != "application/json" {
		if strings.Contains(at, "application~1json") || strings.Contains(at, "Problem") {
			return fmt.Errorf("content type %q", media)
		}
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	schema, err := c.schema(at)
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s", deepest(err))
	}
	return nil
}

func (c *Contract) schema(at string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.compiled[at]; known != nil {
		return known, nil
	}
	schema, err := c.compiler.Compile("openapi.json#" + at)
	if err != nil {
		return nil, err
	}
	c.compiled[at] = schema
	return schema, nil
}

// deepest is the list of causes, without the ways that led there.
func deepest(err error) string {
	failed, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // what the library returns
	if !ok {
		return err.Error()
	}
	var out []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			out = append(out, "/"+strings.Join(e.InstanceLocation, "/")+": "+
				e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
		}
	}
	walk(failed)
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "; ")
}

// RequestSchema is the form of an operation's body; empty without one.
func (c *Contract) RequestSchema(op *Operation) map[string]any {
	body, _ := op.Doc["requestBody"].(map[string]any)
	content, _ := body["content"].(map[string]any)
	for _, media := range []string{"application/json", "application/x-www-form-urlencoded"} {
		if one, ok := content[media].(map[string]any); ok {
			return c.Resolve(one["schema"].(map[string]any))
		}
	}
	return map[string]any{"type": "object"}
}

// Resolve is what a reference to a form stands for.
func (c *Contract) Resolve(schema map[string]any) map[string]any {
	if ref, ok := schema["$ref"].(string); ok {
		return c.component(strings.TrimPrefix(ref, "#"))
	}
	return schema
}

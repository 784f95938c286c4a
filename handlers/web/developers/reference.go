package developers

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/openapi"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Reference serves the description of the API to people. It needs no session.
type Reference struct {
	Desk     *kit.Desk
	Document *openapi.Document
}

const referencePath = "/developers/api"

// OpenAPI serves GET /openapi.json: the description for programs.
func (r *Reference) OpenAPI(c echo.Context) error { return r.Document.Serve(c) }

// Show serves GET /developers/api: the parts of the API, one part (?part=), or what
// holds a text (?q=).
func (r *Reference) Show(c echo.Context) error {
	tags := r.Document.Tags()
	v := pages.ReferenceView{Query: strings.TrimSpace(c.QueryParam("q")), Action: referencePath}
	part := c.QueryParam("part")
	for _, t := range tags {
		v.Parts = append(v.Parts, pages.ReferencePart{Name: t.Name, Text: t.Description, Href: partHref(t.Name),
			Count: len(t.Operations), Active: t.Name == part})
	}
	switch {
	case v.Query != "":
		v.Found = r.search(tags, v.Query)
	case part != "":
		r.part(&v, tags, part)
	default:
		v.About = r.Document.About()
	}
	title := "API reference"
	if _, known := access.Session(c); known {
		return r.Desk.ShowIn(c, http.StatusOK, title, words.Developers,
			func(f layout.Frame) templ.Component { return pages.Reference(f, v) })
	}
	return html.Send(c, http.StatusOK, pages.OpenReference(layout.Plain{Title: title, Sandbox: r.Desk.Banner()}, v))
}

func (r *Reference) part(v *pages.ReferenceView, tags []openapi.Tag, name string) {
	for _, t := range tags {
		if t.Name != name {
			continue
		}
		v.Part, v.PartText = t.Name, t.Description
		for _, op := range t.Operations {
			v.Operations = append(v.Operations, r.operation(op))
		}
		for _, one := range r.Document.Records(t.Operations) {
			v.Records = append(v.Records, pages.ReferenceRecord{Name: one.Name, Text: one.Description,
				Fields: referenceFields(one.Fields)})
		}
	}
}

// search finds operations by their address, words, fields and codes.
func (r *Reference) search(tags []openapi.Tag, query string) (found []pages.ReferenceHit) {
	for _, t := range tags {
		for _, op := range t.Operations {
			words := []string{op.Method + " " + op.Path, op.ID, op.Summary, op.Description, t.Name}
			for _, fields := range [][]openapi.Field{op.Parameters, op.Body} {
				for _, f := range fields {
					words = append(words, f.Name, f.Description, f.Type)
				}
			}
			for _, e := range op.Errors {
				words = append(words, e.Code, e.Meaning)
			}
			for _, record := range r.Document.Records([]openapi.Operation{op}) {
				for _, f := range record.Fields {
					words = append(words, f.Name)
				}
			}
			if strings.Contains(strings.ToLower(strings.Join(words, "\n")), strings.ToLower(query)) {
				found = append(found, pages.ReferenceHit{Method: op.Method, Path: op.Path, Summary: op.Summary, Part: t.Name,
					Href: partHref(t.Name) + "#" + op.ID})
			}
		}
	}
	return found
}

func (r *Reference) operation(op openapi.Operation) pages.ReferenceOperation {
	out := pages.ReferenceOperation{ID: op.ID, Method: op.Method, Path: op.Path, AlsoAt: op.AlsoAt, Summary: op.Summary,
		Text:   op.Description,
		Scopes: scopeSentence(op.Scopes), Parameters: referenceFields(op.Parameters), Body: referenceFields(op.Body),
		Curl: r.curl(op)}
	if len(op.Body) > 0 && !op.NeedsBody {
		out.BodyNote = "The body may be left out."
	}
	for _, a := range op.Answers {
		row := pages.ReferenceAnswer{Status: a.Status, Text: a.Description}
		for _, name := range strings.Split(a.Record, " or ") {
			if record := strings.TrimPrefix(name, "list of "); record != "" && a.Status < "300" {
				row.Records = append(row.Records, record)
			}
		}
		out.Answers = append(out.Answers, row)
	}
	for _, e := range op.Errors {
		out.Errors = append(out.Errors, pages.ReferenceError{Code: e.Code, Text: e.Meaning})
	}
	for i, e := range op.Examples {
		if i > 0 { // the first one stands in the curl command
			out.Examples = append(out.Examples, pages.ReferenceExample{Title: e.Title, Text: e.Text})
		}
	}
	return out
}

func scopeSentence(scopes []string) string {
	switch len(scopes) {
	case 0:
		return "Needs no credential."
	case 1:
		return "Needs the scope " + scopes[0] + "."
	}
	return "Needs the scopes " + strings.Join(scopes, " and ") + "."
}

// curl is the operation as a command that runs when the ids are filled in.
func (r *Reference) curl(op openapi.Operation) string {
	lines := []string{"curl \"" + r.Desk.BaseURL + strings.NewReplacer("{", "$", "}", "").Replace(op.Path) + "\""}
	if op.Method != http.MethodGet && (op.Method != http.MethodPost || len(op.Body) == 0) {
		lines[0] = "curl -X " + op.Method + strings.TrimPrefix(lines[0], "curl")
	}
	if len(op.Scopes) > 0 {
		lines = append(lines, `-H "Authorization: Bearer $DEBITDESK_TOKEN"`)
	}
	switch {
	case op.Form:
		lines = append(lines, "-d grant_type=client_credentials", "-d client_id=$CLIENT_ID",
			"-d client_secret=$CLIENT_SECRET")
	case len(op.Examples) > 0:
		lines = append(lines, `-H "Content-Type: application/json"`,
			"-d '"+strings.ReplaceAll(op.Examples[0].Text, "'", `'\''`)+"'")
	}
	return strings.Join(lines, " \\\n  ")
}

func referenceFields(fields []openapi.Field) []pages.ReferenceField {
	out := make([]pages.ReferenceField, len(fields))
	for i, f := range fields {
		out[i] = pages.ReferenceField{Name: f.Name, Type: f.Type, Limits: f.Limits, Text: f.Description, In: inWords[f.In],
			Required: f.Required, Depth: min(f.Depth, 4)}
	}
	return out
}

var inWords = map[string]string{"path": "in the path", "query": "in the query", "header": "header"}

func partHref(name string) string { return referencePath + "?part=" + url.QueryEscape(name) }

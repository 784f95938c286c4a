package openapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"debitdesk/handlers/openapi"
)

func TestTheDocumentIsValid(t *testing.T) {
	doc, err := openapi.Read("https://desk.example")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := openapi3.NewLoader().LoadFromData(doc.JSON())
	if err != nil {
		t.Fatal(err)
	}
	if err := loaded.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation(),
		openapi3.IsOpenAPI31OrLater(), openapi3.EnableMultiError()); err != nil {
		t.Fatal(err)
	}
	if loaded.Servers[0].URL != "https://desk.example" || !loaded.IsOpenAPI31OrLater() {
		t.Errorf("servers %v, version %s", loaded.Servers[0].URL, loaded.OpenAPI)
	}
}

// What trips generators that are used without flags: a default makes a field count as
// always there, a list without items has no type, several types at once are none, and
// a schema called Client takes the name of the generated client.
func TestTheDocumentSuitsGeneratorsAndLinters(t *testing.T) {
	doc, err := openapi.Read("https://desk.example")
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(doc.JSON(), &root); err != nil {
		t.Fatal(err)
	}
	components, _ := root["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	if _, taken := schemas["Client"]; taken {
		t.Error("a schema is called Client")
	}
	walk("schemas", schemas, func(at string, schema map[string]any) {
		if _, there := schema["default"]; there {
			t.Errorf("%s has a default; say x-default", at)
		}
		if _, there := schema["items"]; schema["type"] == "array" && !there {
			t.Errorf("%s is a list without items", at)
		}
		types, _ := schema["type"].([]any)
		if real := slices.DeleteFunc(slices.Clone(types), func(one any) bool { return one == "null" }); len(real) > 1 {
			t.Errorf("%s has the types %v; say anyOf", at, real)
		}
	})
	paths, _ := root["paths"].(map[string]any)
	methods := []string{"get", "post", "put", "patch", "delete"}
	walk("paths", paths, func(at string, node map[string]any) {
		method := at[strings.LastIndexByte(at, '.')+1:]
		if _, operation := node["operationId"]; !operation || !slices.Contains(methods, method) {
			return
		}
		if text, _ := node["description"].(string); text == "" {
			t.Errorf("%s has no description", at)
		}
	})
}

// walk visits every object of a document with its place.
func walk(at string, node any, visit func(at string, object map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(at, node)
		for name, inner := range node {
			walk(at+"."+name, inner, visit)
		}
	case []any:
		for _, inner := range node {
			walk(at, inner, visit)
		}
	}
}

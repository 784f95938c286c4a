package openapi_test

import (
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
	if err := loaded.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation(), openapi3.IsOpenAPI31OrLater(), openapi3.EnableMultiError()); err != nil {
		t.Fatal(err)
	}
	if loaded.Servers[0].URL != "https://desk.example" || !loaded.IsOpenAPI31OrLater() {
		t.Errorf("servers %v, version %s", loaded.Servers[0].URL, loaded.OpenAPI)
	}
}

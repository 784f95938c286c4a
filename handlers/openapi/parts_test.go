package openapi

import (
	"bytes"
	"testing"

	yaml "go.yaml.in/yaml/v3"
)

func TestPartsAreWrittenOut(t *testing.T) {
	t.Parallel()
	var file yaml.Node
	source := `
x-parts-person: &person
  name: {type: string}
  age: {type: integer}
given:
  required: all
  properties: {<<: *person, note: {type: string}}
shown:
  required: all
  properties: {id: {type: string}, <<: *person, age: {type: string}}
kinds: {enum: value types or null}
why: {enum: dispute reasons}
some:
  required: [name]
  properties: *person
`
	if err := yaml.Unmarshal([]byte(source), &file); err != nil {
		t.Fatal(err)
	}
	if err := expand(file.Content[0]); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := write(&got, file.Content[0]); err != nil {
		t.Fatal(err)
	}
	const name, text, number = `"name":{"type":"string"}`, `{"type":"string"}`, `{"type":"integer"}`
	want := `{"given":{"required":["name","age","note"],"properties":{` + name + `,"age":` + number +
		`,"note":` + text + `}},` +
		`"shown":{"required":["id","name","age"],"properties":{"id":` + text + `,` + name + `,"age":` + text + `}},` +
		`"kinds":{"enum":["FIXED","VARIABLE","USAGEBASED",null]},` +
		`"why":{"enum":["eft","fallback","amount_differs","date_differs","second_in_period"]},"some":{"required":["name"],"properties":{` +
		name + `,"age":` + number + `}}}`
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", &got, want)
	}
}

package kit

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/views/components"
)

// ID is access.ID, where pages look for it.
func ID(c echo.Context, name string) (uuid.UUID, error) { return access.ID(c, name) }

// FormOf reads the posted form; what stands in the address does not count. No database stores a zero byte or what is no
// UTF-8, and no keyboard types it: a sign that says so stands in its place.
func FormOf(c echo.Context) (url.Values, error) {
	form, err := access.Posted(c)
	if err != nil {
		return nil, err
	}
	return Written(form), nil
}

// Written is a form with texts that can be stored, in place.
func Written(form url.Values) url.Values {
	for _, values := range form {
		for i, v := range values {
			if !utf8.ValidString(v) || strings.IndexByte(v, 0) >= 0 {
				values[i] = strings.ReplaceAll(strings.ToValidUTF8(v, unwritten), "\x00", unwritten)
			}
		}
	}
	return form
}

// unwritten stands where bytes were that are no text.
const unwritten = "\uFFFD"

// PlainText is text that a database takes: what is no text is left out.
func PlainText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}

// Problems are the messages of a refused form: one for each input, and all of
// them for the summary. Ok is false when the error is not about fields.
func Problems(err error) (byInput map[string]string, summary []components.ErrorItem, ok bool) {
	f, known := fault.From(err)
	if !known || f.Kind != fault.Invalid || len(f.Fields) == 0 {
		return nil, nil, false
	}
	byInput = map[string]string{}
	for _, p := range f.Fields {
		name := p.Leaf()
		if byInput[name] == "" {
			byInput[name] = p.Message
		}
		if p.Path == fault.All {
			name = ""
		}
		summary = append(summary, components.ErrorItem{Field: name, Text: p.Message})
	}
	return byInput, summary, true
}

// CountrySelect asks for a country by its name. It is the one list of countries of all forms.
func CountrySelect(name, label, value, problem string) components.Select {
	s := components.Select{Name: name, Label: label, Blank: "–", Width: "l", Quiet: true, Error: problem}
	for _, country := range client.Countries() {
		s.Options = append(s.Options, components.Option{Value: country.Code, Text: country.Name,
			Selected: country.Code == value})
	}
	return s
}

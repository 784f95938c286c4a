package kit

import (
	"net/url"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/views/components"
)

// ID reads an id of the address. What is no id, or is written in another form than ours,
// leads to no record.
func ID(c echo.Context, name string) (uuid.UUID, error) {
	text := c.Param(name)
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) {
		return uuid.Nil, fault.Missing()
	}
	return id, nil
}

// FormOf reads the posted form; what stands in the address does not count.
func FormOf(c echo.Context) (url.Values, error) {
	if err := c.Request().ParseForm(); err != nil {
		return nil, fault.New(fault.Invalid, "invalid", "The form could not be read.").Because(err)
	}
	return c.Request().PostForm, nil
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

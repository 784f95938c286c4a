package components

import "github.com/a-h/templ"

// Field is one labelled input. Name is also its id unless ID is set.
type Field struct {
	Label, Name, Value, Error, Hint string
	ID                              string
	Type                            string // text by default
	Autocomplete, InputMode         string
	Placeholder, Pattern            string
	Prefix, Suffix                  string // shown in a box before or after the input
	Min, Max                        string // of dates and numbers
	Width                           string // s, m, l or empty for the whole width
	MaxLength                       int
	Required, ReadOnly, Disabled    bool
	Quiet                           bool // leave out the word "optional"
	Numeric                         bool // align right with tabular figures
	AutoFocus                       bool
	Attrs                           templ.Attributes
}

// Option is one choice of a Select, or one line of a ClientPicker.
type Option struct {
	Value, Text, Note  string
	Selected, Disabled bool
}

// Select is a labelled list of choices. Blank, when set, is a first choice without a value.
type Select struct {
	Label, Name, Error, Hint, ID, Blank, Width, Autocomplete string
	Options                                                  []Option
	Required, Disabled, Quiet                                bool
	Attrs                                                    templ.Attributes
}

// Textarea is a labelled input of several lines.
type Textarea struct {
	Label, Name, Value, Error, Hint, ID, Placeholder string
	Rows, MaxLength                                  int
	Required, ReadOnly, Quiet                        bool
	Attrs                                            templ.Attributes
}

// Checkbox is one yes or no. Its value is "yes" unless Value is set.
type Checkbox struct {
	Label, Name, Value, Error, Hint, ID string
	Checked, Required, Disabled         bool
	Attrs                               templ.Attributes
	Lang                                string // of the words, where it is not that of the page
}

// RadioCard is one choice of RadioCards, with a line that says what follows from it.
type RadioCard struct {
	Value, Title, Text, Icon, Badge string
	Disabled                        bool // say why in Text
}

// RadioCards is a group of choices of which one is taken. Columns lays them side by side where there is room.
type RadioCards struct {
	Legend, Name, Value, Error, Hint string
	Options                          []RadioCard
	Columns, Required                bool
	Attrs                            templ.Attributes
}

// FileInput is a labelled file field; say limits of size and kind in the hint.
type FileInput struct {
	Label, Name, Error, Hint, ID, Accept string
	Required, Multiple                   bool
}

// MoneyField is an amount in a currency as people type it. Parsed, such as "R 1 234,50", is shown as understood.
type MoneyField struct {
	Label, Name, Value, Error, Hint, Currency, Parsed, Width string
	Required, ReadOnly                                       bool
	Attrs                                                    templ.Attributes
}

// DateField is a calendar date, YYYY-MM-DD in Value, Min and Max.
type DateField struct {
	Label, Name, Value, Error, Hint, Min, Max string
	Required                                  bool
	Attrs                                     templ.Attributes
}

// ErrorItem is one problem; Field is the id of the input it belongs to, or empty.
type ErrorItem struct{ Field, Text string }

// ErrorSummary lists all problems of a form. It takes the focus, and renders nothing without items.
type ErrorSummary struct {
	Title string
	Items []ErrorItem
}

func (m MoneyField) field() Field {
	hint := m.Hint
	if m.Parsed != "" && m.Error == "" {
		hint = or(hint, "Read as "+m.Parsed)
	}
	return Field{
		Label: m.Label, Name: m.Name, Value: m.Value, Error: m.Error, Hint: hint, Prefix: or(m.Currency, "R"),
		InputMode: "decimal", Autocomplete: "off", Width: or(m.Width, "m"), Numeric: true,
		Required: m.Required, ReadOnly: m.ReadOnly, Attrs: m.Attrs,
	}
}

func (d DateField) field() Field {
	return Field{
		Label: d.Label, Name: d.Name, Value: d.Value, Error: d.Error, Hint: d.Hint, Type: "date", Min: d.Min, Max: d.Max,
		Width: "m", Required: d.Required, Attrs: d.Attrs,
	}
}

// describe joins the ids of the hint and the problem, in the order in which they are read out.
func describe(id, hint, problem string) string {
	switch {
	case hint != "" && problem != "":
		return id + "-hint " + id + "-error"
	case hint != "":
		return id + "-hint"
	case problem != "":
		return id + "-error"
	}
	return ""
}

// about gives the accessible description of an input, and marks it as wrong when there is a problem.
func about(id, hint, problem string) templ.Attributes {
	a := templ.Attributes{}
	if d := describe(id, hint, problem); d != "" {
		a["aria-describedby"] = d
	}
	if problem != "" {
		a["aria-invalid"] = "true"
	}
	return a
}

// extras are the attributes of an input that are left out when empty.
func (f Field) extras() templ.Attributes {
	a := about(or(f.ID, f.Name), f.Hint, f.Error)
	for name, value := range map[string]string{
		"autocomplete": f.Autocomplete, "inputmode": f.InputMode, "placeholder": f.Placeholder, "pattern": f.Pattern,
		"min": f.Min, "max": f.Max,
	} {
		if value != "" {
			a[name] = value
		}
	}
	return a
}

func widthClass(width string) string {
	if width == "" {
		return ""
	}
	return "w-" + width
}

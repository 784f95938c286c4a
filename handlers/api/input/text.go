package input

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

const (
	nullMessage     = "This field may not be null."
	requiredMessage = "This field is required."
	blankMessage    = "This field may not be blank."
)

// present gives a value that is there and not null. A null is noted, and a
// missing one when the field is required.
func (o *Object) present(name string, required bool) (any, bool) {
	value, ok := o.fields[name]
	switch {
	case !ok && required:
		o.Add(name, "required", requiredMessage)
		return nil, false
	case !ok:
		return nil, false
	case value == nil:
		o.Add(name, "required", nullMessage)
		return nil, false
	}
	return value, true
}

// Text is a text of at most max characters, "" when it is missing.
func (o *Object) Text(name string, max int) string {
	value, ok := o.present(name, false)
	if !ok {
		return ""
	}
	return o.text(name, value, max, false)
}

// Lines is Text that may have several lines.
func (o *Object) Lines(name string, max int) string {
	value, ok := o.present(name, false)
	if !ok {
		return ""
	}
	return o.text(name, value, max, true)
}

// NeedText is a text that must be there and not empty.
func (o *Object) NeedText(name string, max int) string {
	value, ok := o.present(name, true)
	if !ok {
		return ""
	}
	before := len(*o.problems)
	text := o.text(name, value, max, false)
	if text == "" && len(*o.problems) == before {
		o.Add(name, "required", blankMessage)
	}
	return text
}

// NullText is a text or nil for null and missing.
func (o *Object) NullText(name string, max int) *string {
	value := o.fields[name]
	if value == nil {
		return nil
	}
	text := o.text(name, value, max, false)
	return &text
}

// SetText puts the text into the place when the request names the field, so
// that one reader serves creating, replacing and amending.
func (o *Object) SetText(place *string, name string, max int) {
	if o.Has(name) {
		*place = o.Text(name, max)
	}
}

func (o *Object) text(name string, value any, max int, lines bool) string {
	text, ok := textOf(value)
	if !ok {
		o.Add(name, "invalid", "Not a valid string.")
		return ""
	}
	if message := badText(text); message != "" {
		o.Add(name, "invalid", "%s", message)
		return ""
	}
	text = strings.TrimSpace(text)
	if !lines && !fault.IsOneLine(text) {
		o.Add(name, "invalid", fault.NotOneLine)
		return ""
	}
	if max > 0 && utf8.RuneCountInString(text) > max {
		o.Add(name, "max_length", "Ensure this field has no more than %d characters.", max)
		return ""
	}
	return text
}

func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// badText names what PostgreSQL would not store.
func badText(text string) string {
	switch {
	case strings.ContainsRune(text, 0):
		return "Null characters are not allowed."
	case !utf8.ValidString(text):
		return "The text is not valid UTF-8."
	}
	return ""
}

// Choice is one of the given words, def when it is missing.
func (o *Object) Choice(name, def string, words ...string) string {
	value, ok := o.present(name, false)
	if !ok {
		return def
	}
	text, ok := textOf(value)
	if !ok || !slices.Contains(words, text) {
		o.Add(name, "invalid_choice", "%q is not a valid choice.", short(value))
		return def
	}
	return text
}

// NeedChoice is one of the given words and must be there.
func (o *Object) NeedChoice(name string, words ...string) string {
	if _, ok := o.fields[name]; !ok {
		o.Add(name, "required", requiredMessage)
		return ""
	}
	return o.Choice(name, "", words...)
}

// UUID is an id, uuid.Nil when it is missing, null or empty.
func (o *Object) UUID(name string) uuid.UUID {
	value := o.fields[name]
	if value == nil || value == "" {
		return uuid.Nil
	}
	text, _ := textOf(value)
	id, err := ParseUUID(text)
	if err != nil {
		o.Add(name, "invalid", "Must be a valid UUID.")
	}
	return id
}

// NeedUUID is an id that must be there.
func (o *Object) NeedUUID(name string) uuid.UUID {
	value, ok := o.present(name, true)
	if !ok {
		return uuid.Nil
	}
	if value == "" {
		o.Add(name, "required", blankMessage)
		return uuid.Nil
	}
	return o.UUID(name)
}

// ParseUUID reads the one form of the contract, 8-4-4-4-12. The nil UUID becomes
// fault.NoID: it is a value that does not exist, not one that was left out.
func ParseUUID(text string) (uuid.UUID, error) {
	if len(text) != 36 {
		return uuid.Nil, errNoUUID
	}
	id, err := uuid.Parse(text)
	if err == nil && id == uuid.Nil {
		id = fault.NoID
	}
	return id, err
}

// Date is a calendar date YYYY-MM-DD; given is false when it is missing or null.
func (o *Object) Date(name string) (date calendar.Date, given bool) {
	value := o.fields[name]
	if value == nil || value == "" {
		return date, false
	}
	text, _ := textOf(value)
	date, err := calendar.ParseDate(text)
	if err != nil || date.Year < 1 {
		o.Add(name, "invalid", "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.")
		return calendar.Date{}, false
	}
	return date, true
}

// short keeps a wrong value readable in a message.
func short(value any) string {
	text, ok := textOf(value)
	if !ok {
		return typeName(value)
	}
	if runes := []rune(strings.ToValidUTF8(text, "?")); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return strings.ToValidUTF8(text, "?")
}

package client

import (
	"slices"
	"strings"
	"unicode/utf8"

	"debitdesk/models/fault"
)

// Limits of the tags of a client (ours).
const (
	MaxTags = 20
	MaxTag  = 40 // characters
)

// TagsIn splits what people write between tags: commas or semicolons. A tag that is there twice counts once, however it
// is written.
func TagsIn(text string) (tags []string) {
	for tag := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == ';' || c == '\n' }) {
		tag = strings.Join(strings.Fields(tag), " ")
		if tag != "" && !slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, tag) }) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// TagsText is how tags are written in one field.
func TagsText(tags []string) string { return strings.Join(tags, ", ") }

func (d *Details) checkTags(wrong *fault.Problems) {
	if len(d.Tags) > MaxTags {
		wrong.Add("tags", "max_length", "A client has at most %d tags.", MaxTags)
	}
	for _, tag := range d.Tags {
		if utf8.RuneCountInString(tag) > MaxTag {
			wrong.Add("tags", "max_length", "A tag has at most %d characters.", MaxTag)
			return
		}
		if !fault.IsOneLine(tag) {
			wrong.Add("tags", "invalid", "A tag has no control characters.")
			return
		}
	}
}

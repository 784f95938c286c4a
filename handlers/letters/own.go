package letters

import (
	"cmp"

	"debitdesk/models/client"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/wording"
	"debitdesk/views/emails"
)

// values are what stands in the places of a business's own words, beside its name and the client's.
type values map[wording.Place]string

// own adds what the business says itself in a kind of mail. A language in which it says nothing stays without: words in
// another one would stand in the middle of the mail.
func own(v *emails.View, say locale.Words, b merchant.Brand, to client.Details, kind string, with values) {
	words := b.Words(kind, say.Language)
	if words.Opening == "" && words.Closing == "" {
		return
	}
	all := values{wording.Name: cmp.Or(to.FullName, to.LegalName), wording.Business: b.Name}
	for place, value := range with {
		all[place] = value
	}
	v.Opening, v.Closing = wording.Fill(words.Opening, all), wording.Fill(words.Closing, all)
}

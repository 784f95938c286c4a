package kit

import (
	"cmp"
	"net/url"

	"debitdesk/models/find"
)

// Places are the list and its views, as the search for anything names them.
func (r *List[T, F]) Places() []find.Place {
	title := cmp.Or(r.Title, r.Head.Title)
	out := []find.Place{{Group: find.Pages, Label: title, Icon: "menu", Href: r.Path}}
	for _, v := range r.Views {
		if v.Label != "" {
			out = append(out, find.Place{Group: find.Pages, Label: title + ": " + v.Label, Icon: "filter",
				Href: Address(r.Path, url.Values{v.Key: {v.Value}})})
		}
	}
	return out
}

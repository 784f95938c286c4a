package handlers_test

import (
	"net/url"
	"testing"

	"debitdesk/models/merchant"
)

func TestTheFormOfABrandSaysWhatItsColourComesTo(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	href := "/settings/brands/" + s.A.BrandID.String()
	only := []string{"HX-Request: true", "HX-Target: look"}
	ask := href + "?colour=" + url.QueryEscape("#ffe600")
	s.Page(s.A.Owner, "GET", ask, nil, only...).Want(200).Contains("Buttons have your colour, with black text on it",
		"On a light page we use a darker tone", "(1.1 : 1)", "On a dark page, links have your colour", `fill="#ffe600"`).
		Lacks("<form", "style=")
	s.Page(s.A.Owner, "GET", "/settings/brands/new?colour=123", nil, only...).Want(200).Contains("with white text on it",
		"On a dark page we use a lighter tone", "#112233").Lacks("<form")
	s.Page(s.A.Owner, "GET", href+"?colour=red", nil, only...).Want(200).Lacks("<svg", "red")
	s.Page(s.B.Owner, "GET", ask, nil, only...).Want(404)

	version := between(s.Page(s.A.Owner, "GET", href, nil).Want(200).Lacks("<svg width=\"230\"").Body,
		`name="version" value="`, `"`)
	b, err := merchant.Store{DB: s.Store}.Brand(t.Context(), s.A.ID, s.A.BrandID)
	if err != nil {
		t.Fatal(err)
	}
	in := b.BrandInput
	in.Colour, in.Email = "red", "nobody"
	s.Page(s.A.Owner, "POST", href, brandForm(in, version)).Want(422).Contains("That is not an e-mail address",
		"A colour is # and six digits", `value="red"`)
	in.Colour, in.Email = "FFE600", b.Email
	s.Page(s.A.Owner, "POST", href, brandForm(in, version)).Want(303)
	s.Page(s.A.Owner, "GET", href, nil).Want(200).Contains(`value="#ffe600"`, "On a light page we use a darker tone")
	if n := s.Count(`SELECT count(*) FROM audit_entries
		WHERE action = 'brand.changed' AND after->>'colour' = '#ffe600'`); n != 1 {
		t.Errorf("%d entries tell of it", n)
	}
}

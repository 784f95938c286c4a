package handlers_test

import (
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/logo"
	"debitdesk/models/logo/logotest"
	"debitdesk/models/merchant"
)

func (s *street) brandWithFile(who handlertest.Person, in merchant.BrandInput,
	version, file string) handlertest.Answer {
	fields := map[string]string{}
	for name, values := range brandForm(in, version) {
		fields[name] = values[0]
	}
	body, kind := upload(fields, "logo_file", "logo.png", file)
	return s.Call("POST", "/settings/brands/"+s.A.BrandID.String(), body, "Cookie: "+who.Cookie, "Accept: text/html",
		"Sec-Fetch-Site: same-origin", kind)
}

func TestTheFormOfABrandTakesALogoAndKeepsItWhereItIsRefused(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	href := "/settings/brands/" + s.A.BrandID.String()
	s.Page(s.A.Owner, "GET", href, nil).Want(200).Contains("at most 500 kB", `enctype="multipart/form-data"`).
		Lacks("Remove the logo", `<img class="logo"`)
	b, err := merchant.Store{DB: s.Store}.Brand(t.Context(), s.A.ID, s.A.BrandID)
	if err != nil {
		t.Fatal(err)
	}
	in := b.BrandInput
	in.Email = "nobody"
	s.brandWithFile(s.A.Owner, in, "1", "<svg/>").Want(422).Contains("That is not an e-mail address",
		"must be a PNG or JPEG", `value="nobody"`)
	s.brandWithFile(s.A.Owner, in, "1", strings.Repeat("x", 700_000)).Want(422).Contains("at most 500 kB.",
		`value="nobody"`)
	refused := s.brandWithFile(s.A.Owner, in, "1", string(logotest.PNG(960, 320))).Want(422).
		Contains(`<img class="logo"`, "Remove the logo").Lacks("must be a PNG")
	in.Email, in.Logo = b.Email, between(refused.Body, `name="logo" value="`, `"`)
	if _, known := logo.Parse(in.Logo); !known {
		t.Fatalf("the picture is not kept: %q", in.Logo)
	}
	s.brandWithFile(s.B.Owner, in, "1", string(logotest.PNG(64, 64))).Want(404)
	s.brandWithFile(s.A.Staff, in, "1", string(logotest.PNG(64, 64))).Want(403)
	s.Page(s.A.Owner, "POST", href, brandForm(in, "1")).Want(303)
	picture := "/p/look/" + in.Logo + ".png"
	s.Page(s.A.Owner, "GET", href, nil).Want(200).Contains(picture, `width="240" height="80"`)

	got := s.Call("GET", picture, nil).Want(200)
	for header, want := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "public, max-age=31536000, immutable", "Cross-Origin-Resource-Policy": "cross-origin"} {
		if got.Header.Get(header) != want {
			t.Errorf("%s: %s", header, got.Header.Get(header))
		}
	}
	for _, none := range []string{"/p/look/x.png", strings.Replace(picture, "-480", "-48", 1),
		strings.TrimSuffix(picture, ".png")} {
		s.Call("GET", none, nil).Want(404)
	}
	remove := brandForm(in, "2")
	remove.Set("logo_remove", "yes")
	s.Page(s.A.Owner, "POST", href, remove).Want(303)
	s.Page(s.A.Owner, "GET", href, nil).Want(200).Lacks(`<img class="logo"`)
	s.Call("GET", picture, nil).Want(200) // mails that were sent show it
}

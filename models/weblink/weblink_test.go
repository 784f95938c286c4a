package weblink_test

import (
	"testing"

	"debitdesk/models/weblink"
)

func TestUserNamesAndPasswordsInAddressesAreFoundAndHidden(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://anna:geheim@shop.example/in":             "https://••••@shop.example/in",
		"HTTP://anna@shop.example":                        "HTTP://••••@shop.example",
		"https://a:p@ss:w@shop.example/x@y":               "https://••••@shop.example/x@y",
		`{"callback":"https:\/\/anna:x@shop.example\/"}`:  `{"callback":"https:\/\/••••@shop.example\/"}`,
		"Sent paid to https://a:b@shop.example/in again.": "Sent paid to https://••••@shop.example/in again.",
		"https://••••@shop.example/in":                    "https://••••@shop.example/in",
	} {
		if got := weblink.HideLogin(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
		if !weblink.HasLogin(text) {
			t.Errorf("nothing is found in %s", text)
		}
	}
	for _, text := range []string{"", "https://shop.example/a@b", "https://shop.example?mail=a@b.example",
		"anna@shop.example", "See https://shop.example, or write to anna@shop.example"} {
		if weblink.HasLogin(text) || weblink.HideLogin(text) != text {
			t.Errorf("a login is found in %s", text)
		}
	}
}

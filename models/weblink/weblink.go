// Package weblink knows what addresses of the web may carry; it calls none.
package weblink

import (
	"regexp"
	"strings"
)

// hidden stands in place of a user name and password.
const hidden = "••••"

// login is what stands before the host of an address: "user:password@". In JSON a slash may be written as \/.
var login = regexp.MustCompile(`(?i)(https?:(?:\\?/){2})[^/?#\s"'<>]*@`)

// HasLogin tells whether a text holds an address with a user name or a password, which would be read by all who see
// the address.
func HasLogin(text string) bool { return strings.Contains(text, "@") && login.MatchString(text) }

// HideLogin writes the addresses in a text without their user names and passwords.
func HideLogin(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	return login.ReplaceAllString(text, "${1}"+hidden+"@")
}

// NoLogin is the sentence for an address that is refused.
const NoLogin = "Leave the user name and password out of this address: everyone who sees it could read them."

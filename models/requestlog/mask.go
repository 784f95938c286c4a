package requestlog

import (
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"debitdesk/models/plural"
)

// BodyKept is how much of a body is looked at and kept, in bytes.
const BodyKept = 16 << 10

// Hidden stands in place of what is not kept.
const Hidden = "••••"

// private are names whose values are somebody's numbers or a secret, wherever they
// stand: whole names, and parts of names.
var (
	privateNames = map[string]bool{"account": true, "token": true, "authorization": true, "iban": true, "passport": true,
		"id": false, "pin": true, "otp": true,
		"subscription_debtor_branch_code": true, "assertion": true}
	privateParts = []string{"bank_account", "account_number", "accountnumber", "personal_code", "id_number", "idnumber",
		"identity", "passport", "secret", "password",
		"access_token", "refresh_token", "id_token", "api_key", "private_key", "subscription_debtor_"}
)

var (
	asNames = strings.NewReplacer("-", "_", " ", "_")
	judging sync.RWMutex
	judged  = map[string]bool{} // whether a name is private: bodies name the same few again and again
)

// mostJudged bounds the names in judged, for callers choose them.

const mostJudged = 2_000

// IsPrivate tells whether the value under a name is never kept in full.
func IsPrivate(name string) bool {
	judging.RLock()
	private, known := judged[name]
	judging.RUnlock()
	if known {
		return private
	}
	private = isPrivate(name)
	if len(name) <= 64 {
		judging.Lock()
		if len(judged) < mostJudged {
			judged[strings.Clone(name)] = private
		}
		judging.Unlock()
	}
	return private
}

func isPrivate(name string) bool {
	name = strings.ToLower(asNames.Replace(name))
	if hide, known := privateNames[name]; known {
		return hide
	}
	for _, part := range privateParts {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// searched are parameters of an address that hold what a client was looked for by.
var searched = map[string]bool{"q": true, "personal_code": true, "bank_account": true, "email": true}

// MaskQuery hides the values of private parameters; the others stay as they came.
func MaskQuery(raw string) string {
	if raw == "" {
		return ""
	}
	return maskPairs(cut(raw, 2_000), func(name string) bool { return searched[strings.ToLower(name)] || IsPrivate(name) })
}

// MaskPath hides parts of a path that are long numbers: an account that somebody
// took for an id.
func MaskPath(path string) string {
	parts := strings.Split(Plain(cut(path, 500)), "/")
	for i, part := range parts {
		if len(part) >= 7 && strings.Trim(part, "0123456789") == "" {
			parts[i] = Hidden
		}
	}
	return strings.Join(parts, "/")
}

// MaskForm does the same for a form.
func MaskForm(raw string) string { return maskPairs(raw, IsPrivate) }

func maskPairs(raw string, private func(string) bool) string {
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		decoded, err := url.QueryUnescape(name)
		if value != "" && (err != nil || private(strings.TrimSpace(decoded))) {
			pairs[i] = name + "=" + Hidden
		} else if !isTime(decoded) {
			pairs[i] = hideRuns(pair)
		}
	}
	return Plain(strings.Join(pairs, "&"))
}

// Body is a body as it is kept: masked JSON or a masked form of at most BodyKept
// bytes, else a sentence that says what it was. whole is how long it was, of which
// the first bytes are given.
func Body(contentType string, first []byte, whole int64) string {
	if whole == 0 {
		return ""
	}
	cutOff := whole > int64(len(first))
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	switch strings.TrimSpace(kind) {
	case "application/x-www-form-urlencoded":
		if !cutOff {
			return cut(MaskForm(string(first)), BodyKept)
		}
	case "application/json", "":
		if masked, ok := maskJSON(first, cutOff); ok {
			return masked
		}
	default:
		return "(" + plural.Of(whole, "byte") + " of " + Plain(cut(strings.TrimSpace(kind), 60)) + ", not kept)"
	}
	if cutOff {
		return "(" + plural.Of(whole, "byte") + ", not kept)"
	}
	return "(" + plural.Of(whole, "byte") + " that could not be read, not kept)"
}

// Plain is a text that can be stored and shown, whatever was sent.
func Plain(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "�")
}

// cut shortens a text to so many bytes, between two letters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// deviceLasts is how long a browser is known to an account after a sign-in.
const deviceLasts = 180 * 24 * time.Hour

// KnowDevice marks the browser as one in which the owner of the account signed in,
// or showed that the mailbox is theirs. It opens nothing: it gives the browser a
// counter of failed sign-ins of its own for this account, so that strangers who
// guess at the account do not lock out its owner.
func (s *Sessions) KnowDevice(c echo.Context, email string) {
	var nonce [18]byte
	_, _ = rand.Read(nonce[:]) // never fails since Go 1.24
	name := base64.RawURLEncoding.EncodeToString(nonce[:])
	//nolint:gosec // Secure where the product is served by https, as the session's own cookie
	http.SetCookie(c.Response(), &http.Cookie{Name: s.deviceCookie(s.keys[0], email),
		Value: name + "." + deviceSeal(s.keys[0], email, name), Path: "/",
		MaxAge: int(deviceLasts / time.Second), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.opts.Secure})
}

// device is the name of the browser when it can prove that it is known to the
// account, else empty.
func (s *Sessions) device(c echo.Context, email string) string {
	for _, key := range s.keys {
		cookie, err := c.Cookie(s.deviceCookie(key, email))
		if err != nil {
			continue
		}
		name, seal, _ := strings.Cut(cookie.Value, ".")
		if hmac.Equal([]byte(seal), []byte(deviceSeal(key, email, name))) {
			return name
		}
	}
	return ""
}

// deviceCookie is a name for each account, so that colleagues can share a browser.
func (s *Sessions) deviceCookie(key []byte, email string) string {
	return s.name + "-device-" + hex.EncodeToString(keyed(key, "cookie", email, "")[:6])
}

func deviceSeal(key []byte, email, name string) string {
	return base64.RawURLEncoding.EncodeToString(keyed(key, "device", email, name))
}

func keyed(key []byte, purpose, email, name string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("debitdesk " + purpose + "\x00" + strings.ToLower(strings.TrimSpace(email)) + "\x00" + name))
	return mac.Sum(nil)
}

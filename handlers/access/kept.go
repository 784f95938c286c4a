package access

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
)

// FormPage is where a form is back after signing in. Its parameter names the form.
const FormPage = "/account/form"

// KeptForm is what a person had sent when the session was over.
type KeptForm struct {
	Path  string     `json:"path"` // where it was sent
	From  string     `json:"from"` // the page that it stood on
	Form  url.Values `json:"form"`
	Files bool       `json:"files"` // files went with it; they were not kept
	At    time.Time  `json:"at"`
	Why   string     `json:"why,omitempty"` // empty: the session had ended
}

// AwaitsClient is why a form was kept whose client is being added.
const AwaitsClient = "client"

// Put keeps a form of the person who is here and gives its name; empty when it is
// not kept.
func (k *KeptForms) Put(c echo.Context, one KeptForm) (string, error) {
	in, known := Session(c)
	if !known {
		return "", nil
	}
	return k.put(c.Request().Context(), in.User.ID, one)
}

func (k *KeptForms) put(ctx context.Context, who uuid.UUID, one KeptForm) (string, error) {
	one.At = k.Now()
	text, err := json.Marshal(one)
	if err != nil {
		return "", fmt.Errorf("keep form: %w", err)
	}
	if len(text) > maxKept || len(one.Form) == 0 {
		return "", nil
	}
	name := randomName()
	return name, k.Rows.KeepForm(ctx, who, name, k.Box.SealBytes(who, text), one.At)
}

// secretFields are parts of names of what nobody keeps.
var secretFields = []string{"password", "secret", "assertion", "recovery"}

// neverKept are addresses whose forms are about signing in.
var neverKept = []string{"/login", "/logout", "/account/", "/reset", "/invitation"}

// KeepForSignIn keeps the form of somebody whose session is over, sealed for the
// person who signed in last in this browser and for half an hour. It gives the
// address where that person finds it after signing in; empty when nothing is kept.
func (k *KeptForms) KeepForSignIn(c echo.Context) (string, error) {
	r := c.Request()
	if r.Method != http.MethodPost {
		return "", nil
	}
	for _, path := range neverKept {
		if strings.HasPrefix(r.URL.Path, path) {
			return "", nil
		}
	}
	who, known := k.Last(c)
	if !known {
		return "", nil
	}
	one := KeptForm{Path: r.URL.RequestURI(), From: cameFrom(r)}
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType)); kind {
	case echo.MIMEApplicationForm:
		if r.ParseForm() != nil {
			return "", nil
		}
	case echo.MIMEMultipartForm:
		if r.ParseMultipartForm(maxKept) != nil {
			return "", nil
		}
		one.Files = len(r.MultipartForm.File) > 0
		defer func() { _ = r.MultipartForm.RemoveAll() }()
	default:
		return "", nil
	}
	one.Form = withoutSecrets(r.PostForm)
	name, err := k.put(r.Context(), who, one)
	if err != nil || name == "" {
		return "", err
	}
	return FormPage + "?kept=" + name, nil
}

func withoutSecrets(form url.Values) url.Values {
	out := url.Values{}
	for name, values := range form {
		secret := name == "code" // of an authenticator app
		for _, part := range secretFields {
			secret = secret || strings.Contains(strings.ToLower(name), part)
		}
		if !secret {
			out[name] = values
		}
	}
	return out
}

// Form is a form that waits for this person.
func (k *KeptForms) Form(c echo.Context, name string) (one KeptForm, found bool, err error) {
	if name == "" {
		return one, false, nil
	}
	in, _ := Session(c)
	sealed, found, err := k.Rows.KeptForm(c.Request().Context(), in.User.ID, name, k.Now().Add(-formLasts))
	if err != nil || !found {
		return one, false, err
	}
	text, err := k.Box.OpenBytes(in.User.ID, sealed)
	if err != nil || json.Unmarshal(text, &one) != nil {
		return one, false, nil //nolint:nilerr // what cannot be opened is not there
	}
	return one, true, nil
}

// formLasts is how long a form waits for its person.
const formLasts = 30 * time.Minute

// knowPerson notes who signed in, so that a form which arrives after the session has
// ended is kept for that person. It opens nothing.
func (s *Sessions) knowPerson(c echo.Context, id uuid.UUID) {
	//nolint:gosec // Secure where the product is served by https, as the session's own cookie
	http.SetCookie(c.Response(), &http.Cookie{Name: s.personCookie(), Value: id.String() + "." + personSeal(s.keys[0], id),
		Path:   "/",
		MaxAge: int(deviceLasts / time.Second), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.opts.Secure})
}

// LastPerson is who signed in last in this browser.
func (s *Sessions) LastPerson(c echo.Context) (uuid.UUID, bool) {
	cookie, err := c.Cookie(s.personCookie())
	if err != nil {
		return uuid.Nil, false
	}
	text, seal, _ := strings.Cut(cookie.Value, ".")
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, false
	}
	for _, key := range s.keys {
		if hmac.Equal([]byte(seal), []byte(personSeal(key, id))) {
			return id, true
		}
	}
	return uuid.Nil, false
}

func (s *Sessions) personCookie() string { return s.name + "-person" }

func personSeal(key []byte, id uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(keyed(key, "person", "", id.String()))
}

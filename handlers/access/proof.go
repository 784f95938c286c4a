package access

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/user"
	"debitdesk/views/components"
)

// KeptForms keep a form while its sender shows the second factor again, or signs in
// again after the session has ended.
type KeptForms struct {
	Box seal.Own
	Now func() time.Time // real time

	Rows user.Store
	Last func(echo.Context) (uuid.UUID, bool) // who signed in last in this browser
}

const (
	proofPage = "/account/proof"
	keptKey   = "kept"
	maxKept   = 32 << 10 // bytes
	keptLasts = 15 * time.Minute
)

// kept is a form that waits.
type kept struct {
	Name string    `json:"name"`
	Path string    `json:"path"`
	Form string    `json:"form"`
	At   time.Time `json:"at"`
}

// RequireProof lets those pass who showed their second factor of late, and those
// who have none. Others are asked; the form that they sent goes on afterwards.
func RequireProof(k *KeptForms) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if Proven(c) {
				return next(c)
			}
			to, err := k.ask(c)
			if err != nil {
				return err
			}
			if c.Request().Header.Get("HX-Request") == "true" {
				c.Response().Header().Set("HX-Redirect", to)
				return c.NoContent(http.StatusForbidden)
			}
			return c.Redirect(http.StatusSeeOther, to)
		}
	}
}

// RequireProofOfCallers is the same for addresses that answer programs: nothing is
// kept, and a person's page is refused.
func RequireProofOfCallers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if Proven(c) {
			return next(c)
		}
		return fault.New(fault.Forbidden, "proof_required", "Confirm that it is you first, at %s.", proofPage)
	}
}

// ask keeps the form and gives the address of the question.
func (k *KeptForms) ask(c echo.Context) (string, error) {
	r := c.Request()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return proofPage + "?next=" + url.QueryEscape(r.URL.RequestURI()), nil
	}
	to := proofPage + "?next=" + url.QueryEscape(cameFrom(r))
	kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if kind != echo.MIMEApplicationForm && kind != "" {
		return to, nil
	}
	if err := r.ParseForm(); err != nil {
		return "", fault.New(fault.Invalid, "invalid", "The form could not be read.").Because(err)
	}
	form := r.PostForm.Encode()
	if len(form) > maxKept {
		return to, AddFlash(c, "warn", "The form was too large to keep. Please send it again.")
	}
	in, _ := Session(c)
	name := randomName()
	text, err := json.Marshal(kept{name, r.URL.RequestURI(), form, k.Now()})
	if err != nil {
		return "", fmt.Errorf("keep form: %w", err)
	}
	sealed := base64.StdEncoding.EncodeToString(k.Box.SealBytes(in.User.ID, text))
	return to + "&kept=" + name, Remember(c, keptKey, sealed)
}

// sendOn gives the form of that name, if it waits; the proof that follows ends it.
func (k *KeptForms) sendOn(c echo.Context, name string) (action string, fields []components.Pair, found bool) {
	text := Remembered(c, keptKey)
	if text == "" || name == "" {
		return "", nil, false
	}
	in, _ := Session(c)
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", nil, false
	}
	opened, err := k.Box.OpenBytes(in.User.ID, sealed)
	if err != nil {
		return "", nil, false
	}
	var one kept
	if err := json.Unmarshal(opened, &one); err != nil || one.Name != name || k.Now().Sub(one.At) > keptLasts {
		return "", nil, false
	}
	form, err := url.ParseQuery(one.Form)
	if err != nil {
		return "", nil, false
	}
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range form[name] {
			fields = append(fields, components.Pair{Name: name, Value: value})
		}
	}
	return one.Path, fields, true
}

// cameFrom is the page of ours that a form was sent from.
func cameFrom(r *http.Request) string {
	text := r.Referer()
	if page := r.Header.Get("HX-Current-URL"); page != "" {
		text = page
	}
	from, err := url.Parse(text)
	if err != nil || from.Host != r.Host {
		return "/"
	}
	return LocalPath(from.RequestURI())
}

func randomName() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(b[:])
}

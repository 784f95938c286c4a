package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

const (
	cookieLength = 43 // of 32 random bytes in base64
	touchEvery   = time.Minute
	sessionKey   = "access.session"
	maxUserAgent = 200
)

type signedInKey struct{} // where New leaves what it read of the session

// Sessions keeps the sessions of people: the cookie holds a random id, the
// database a keyed hash of it. It is a store of gorilla/sessions.
type Sessions struct {
	rows user.Store
	keys [][]byte // newest first
	now  func() time.Time
	name string
	opts sessions.Options
}

var _ sessions.Store = (*Sessions)(nil)

// NewSessions keeps sessions in rows. The clock is the real one: a moved
// sandbox clock signs nobody out. With https the cookie is bound to the host.
func NewSessions(rows user.Store, keys [][]byte, https bool, now func() time.Time) *Sessions {
	s := &Sessions{rows: rows, keys: keys, now: now, name: "debitdesk",
		opts: sessions.Options{Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: https}}
	if https {
		s.name = "__Host-debitdesk"
	}
	return s
}

// Authenticate finds the person of the session cookie; it is an Authenticator. A
// session that still waits for the second factor is none. Where the business
// demands one and the person has none, every page but those that set one up is
// refused.
func (s *Sessions) Authenticate(c echo.Context) (actor.Actor, bool, error) {
	ss, err := s.Get(c.Request(), s.name)
	if err != nil {
		return actor.Actor{}, false, err
	}
	in, ok := ss.Values[signedInKey{}].(user.SignedIn)
	if !ok || half(in) {
		return actor.Actor{}, false, nil
	}
	c.Set(provenKey, proven(in, s.now()))
	if err := confined(in, c.Path()); err != nil {
		return actor.Actor{}, false, err
	}
	if in.RequireFactor && !in.HasFactor && in.Factor == user.NoFactor && !setsUp(c.Path()) {
		return actor.Actor{}, false, fault.New(fault.Forbidden, SetUpFirst,
			"Your business requires two-step sign-in. Set it up first.")
	}
	if now := s.now(); now.Sub(in.SeenAt) >= touchEvery { // no write for each request
		if err := s.rows.TouchSession(c.Request().Context(), in.Hash, c.RealIP(), now,
			lastUntil(in.Session, now)); err != nil {
			return actor.Actor{}, false, err
		}
	}
	c.Set(sessionKey, ss)
	return in.User.Actor(), true, nil
}

// Lives tells whether the session that began a request still lets its person in: an answer that stays open for long
// asks again. It ends with the session, with the person's access and with the business's demands.
func (s *Sessions) Lives(c echo.Context) (bool, error) {
	cookie, err := c.Request().Cookie(s.name)
	if err != nil || len(cookie.Value) != cookieLength {
		return false, nil //nolint:nilerr // without a cookie there is no session
	}
	now := s.now()
	begun := now.Add(-user.SessionAbsolute)
	in, found, err := s.rows.FindSession(c.Request().Context(), s.hashes(cookie.Value), now, begun)
	if err != nil || !found || half(in) {
		return false, err
	}
	return in.User.ID == Actor(c).ID && in.User.MerchantID == Actor(c).MerchantID, nil
}

// Start signs the person in under a new id; what the browser sent ends here.
func (s *Sessions) Start(c echo.Context, u user.User) error { return s.start(c, u, user.Session{}) }

// start begins a session with what is known of its issuer.
func (s *Sessions) start(c echo.Context, u user.User, from user.Session) error {
	ss, err := s.Get(c.Request(), s.name)
	if err != nil {
		return err
	}
	if err := s.drop(c.Request(), ss); err != nil {
		return err
	}
	agent := c.Request().UserAgent()
	if len(agent) > maxUserAgent {
		agent = agent[:maxUserAgent]
	}
	now := s.now()
	in := user.SignedIn{User: u, Session: user.Session{UserID: u.ID, MerchantID: u.MerchantID, IP: c.RealIP(),
		UserAgent: agent, CreatedAt: now, SeenAt: now, IssuerID: from.IssuerID, IssuerSubject: from.IssuerSubject,
		IssuerSID: from.IssuerSID, EndsAt: from.EndsAt, Factor: from.Factor, ProvenAt: from.ProvenAt}}
	in.ExpiresAt = lastUntil(in.Session, now)
	if in.HasFactor, err = s.rows.HasFactor(c.Request().Context(), u.ID); err != nil {
		return err
	}
	if half(in) {
		in.ExpiresAt = earlier(now.Add(HalfLasts), in.ExpiresAt)
	}
	ss.Values = map[any]any{signedInKey{}: in}
	c.Set(sessionKey, ss)
	if err := ss.Save(c.Request(), c.Response()); err != nil {
		return err
	}
	s.KnowDevice(c, u.Email)
	s.knowPerson(c, u.ID)
	return nil
}

// Move lets the session of the request work for another business of its person,
// under a new id. What was proved stays proved, and it ends when it would have.
func (s *Sessions) Move(c echo.Context, u user.User) error {
	ss, err := s.Get(c.Request(), s.name)
	if err != nil {
		return err
	}
	in, ok := ss.Values[signedInKey{}].(user.SignedIn)
	if !ok {
		return s.Start(c, u)
	}
	if err := s.drop(c.Request(), ss); err != nil {
		return err
	}
	in.User, in.MerchantID, in.SeenAt = u, u.MerchantID, s.now()
	in.ExpiresAt = lastUntil(in.Session, in.SeenAt)
	ss.Values[signedInKey{}] = in
	return ss.Save(c.Request(), c.Response())
}

// End signs the person out and takes the cookie away.
func (s *Sessions) End(c echo.Context) error {
	ss, err := s.Get(c.Request(), s.name)
	if err != nil {
		return err
	}
	gone := s.opts
	gone.MaxAge = -1
	ss.Options = &gone
	return ss.Save(c.Request(), c.Response())
}

// Session is the session of the request with what the frame of a page shows; one
// that still waits for the second factor shows nothing.
func Session(c echo.Context) (user.SignedIn, bool) {
	ss, ok := c.Get(sessionKey).(*sessions.Session)
	if !ok {
		return user.SignedIn{}, false
	}
	in, ok := ss.Values[signedInKey{}].(user.SignedIn)
	if !ok || half(in) {
		return user.SignedIn{}, false
	}
	return in, true
}

// Get implements sessions.Store: one look at the database for each request.
func (s *Sessions) Get(r *http.Request, name string) (*sessions.Session, error) {
	ss, err := sessions.GetRegistry(r).Get(s, name)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	return ss, nil
}

// New implements sessions.Store: the living session of the cookie, or a new one.
func (s *Sessions) New(r *http.Request, name string) (*sessions.Session, error) {
	ss := sessions.NewSession(s, name)
	opts := s.opts
	ss.Options, ss.IsNew = &opts, true
	cookie, err := r.Cookie(name)
	if err != nil || len(cookie.Value) != cookieLength {
		return ss, nil //nolint:nilerr // without a cookie there is a new session
	}
	now := s.now()
	in, found, err := s.rows.FindSession(r.Context(), s.hashes(cookie.Value), now, now.Add(-user.SessionAbsolute))
	if err != nil || !found {
		return ss, err
	}
	ss.ID, ss.IsNew = cookie.Value, false
	var data map[string]string
	if err := json.Unmarshal([]byte(in.Data), &data); err != nil {
		return ss, fmt.Errorf("session data: %w", err)
	}
	for k, v := range data {
		ss.Values[k] = v
	}
	ss.Values[signedInKey{}] = in
	return ss, nil
}

// Save implements sessions.Store: texts under text keys are kept. A session
// without a person is not kept, so that strangers fill no table.
func (s *Sessions) Save(r *http.Request, w http.ResponseWriter, ss *sessions.Session) error {
	if ss.Options.MaxAge < 0 {
		http.SetCookie(w, sessions.NewCookie(ss.Name(), "", ss.Options))
		return s.drop(r, ss)
	}
	in, ok := ss.Values[signedInKey{}].(user.SignedIn)
	if !ok {
		return nil
	}
	text, err := dataOf(ss)
	if err != nil {
		return err
	}
	if ss.ID != "" {
		return s.rows.SetSessionData(r.Context(), in.Hash, text)
	}
	in.Data = text
	return s.underNewID(w, ss, in, func(in user.Session) error { return s.rows.InsertSession(r.Context(), in) })
}

// underNewID keeps the session under a new random id and gives that to the browser.
func (s *Sessions) underNewID(w http.ResponseWriter, ss *sessions.Session, in user.SignedIn,
	keep func(user.Session) error) error {
	var id [32]byte
	_, _ = rand.Read(id[:]) // never fails since Go 1.24
	fresh := base64.RawURLEncoding.EncodeToString(id[:])
	in.Hash = s.hashes(fresh)[0]
	if err := keep(in.Session); err != nil {
		return err
	}
	ss.ID, ss.Values[signedInKey{}] = fresh, in
	http.SetCookie(w, sessions.NewCookie(ss.Name(), ss.ID, ss.Options))
	return nil
}

// dataOf is what a session carries, as JSON: texts under text keys.
func dataOf(ss *sessions.Session) (string, error) {
	data := map[string]string{}
	for k, v := range ss.Values {
		if key, ok := k.(string); ok {
			data[key], _ = v.(string)
		}
	}
	text, err := json.Marshal(data)
	if err != nil {
		return "", fmt.Errorf("session data: %w", err)
	}
	return string(text), nil
}

func (s *Sessions) drop(r *http.Request, ss *sessions.Session) error {
	if ss.ID == "" {
		return nil
	}
	for _, hash := range s.hashes(ss.ID) {
		if err := s.rows.DeleteSession(r.Context(), hash); err != nil {
			return err
		}
	}
	ss.ID, ss.IsNew = "", true
	return nil
}

// hashes are what the database may know this id by, one for each key.
func (s *Sessions) hashes(id string) [][]byte {
	out := make([][]byte, len(s.keys))
	for i, key := range s.keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id))
		out[i] = mac.Sum(nil)
	}
	return out
}

// lastUntil is when a session ends that is used now.
func lastUntil(in user.Session, now time.Time) time.Time {
	until := earlier(now.Add(user.SessionIdle), in.CreatedAt.Add(user.SessionAbsolute))
	if in.EndsAt.IsZero() {
		return until
	}
	return earlier(until, in.EndsAt)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

package access

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

// How long things about second factors last, in real time.
const (
	// HalfLasts is how long a session waits for the second factor.
	HalfLasts = 10 * time.Minute
	// ProofLasts is how long a second factor that was shown counts for what asks again.
	ProofLasts = 5 * time.Minute
)

// SetUpFirst is the code of the refusal of everything to a person who must set up
// a second factor first.
const SetUpFirst = "second_factor_required"

const provenKey = "access.proven"

// SecurityPage is where second factors are set up.
const SecurityPage = "/account/security"

// half tells whether a session still waits for the second factor.
func half(in user.SignedIn) bool { return in.HasFactor && in.Factor == user.NoFactor }

// proven tells whether the person has no second factor, or showed it of late. Who came through an issuer shows it there
// again, or a factor of their own.
func proven(in user.SignedIn, now time.Time) bool {
	if in.IssuerID == uuid.Nil && !in.HasFactor {
		return true
	}
	return now.Sub(in.ProvenAt) <= ProofLasts
}

// ownThings are the addresses that change what is the person's own, in all of their businesses.
var ownThings = []string{"/account/password", "/account/business", "/account/sessions", SecurityPage}

// confined refuses to a session that the issuer of one business began what concerns the person's other businesses: the
// admins of that business say who the person is.
func confined(in user.SignedIn, route string) error {
	if !in.Confined || !slices.ContainsFunc(ownThings, func(at string) bool {
		return route == at || strings.HasPrefix(route, at+"/")
	}) {
		return nil
	}
	return fault.New(fault.Forbidden, "confined_session",
		"You signed in with %s, which vouches for you in this business alone. Sign in with your password to do that.",
		in.IssuerName)
}

// setsUp tells the addresses that a person reaches who must set up a factor first.
func setsUp(route string) bool {
	return route == SecurityPage || strings.HasPrefix(route, SecurityPage+"/") ||
		slices.Contains([]string{"/login", "/logout", "/account/theme"}, route)
}

// Proven tells whether the caller may do what asks for the second factor again:
// people without one, people who showed it of late, and programs.
func Proven(c echo.Context) bool {
	if Actor(c).Kind != actor.User {
		return Known(c)
	}
	yes, _ := c.Get(provenKey).(bool)
	return yes
}

// Half finds the session that waits for its second factor, and who it will be.
func (s *Sessions) Half(c echo.Context) (who actor.Actor, found bool, err error) {
	ss, err := s.Get(c.Request(), s.name)
	if err != nil {
		return actor.Actor{}, false, err
	}
	in, ok := ss.Values[signedInKey{}].(user.SignedIn)
	if !ok || !half(in) {
		return actor.Actor{}, false, nil
	}
	c.Set(sessionKey, ss)
	return in.User.Actor(), true, nil
}

// Prove notes that the second factor was shown, under a new session id; what the
// session carries stays. Unauthenticated when the session ended meanwhile, so that
// one answer opens one session.
func (s *Sessions) Prove(c echo.Context, shown user.Factor) error { return s.prove(c, shown) }

func (s *Sessions) prove(c echo.Context, shown user.Factor) error {
	ss, ok := c.Get(sessionKey).(*sessions.Session)
	if !ok {
		return fault.New(fault.Unauthenticated, "authentication_failed", "Please sign in.")
	}
	in, _ := ss.Values[signedInKey{}].(user.SignedIn)
	now := s.now()
	if shown != user.Issuer && shown != user.NoFactor {
		in.HasFactor = true
	}
	in.Factor, in.ProvenAt, in.SeenAt = shown, now, now
	in.ExpiresAt = lastUntil(in.Session, now)
	var err error
	if in.Data, err = dataOf(ss); err != nil {
		return err
	}
	old := s.hashes(ss.ID)
	err = s.underNewID(c.Response(), ss, in, func(fresh user.Session) error {
		replaced, err := s.rows.ReplaceSession(c.Request().Context(), old, fresh)
		if err == nil && !replaced {
			err = fault.New(fault.Unauthenticated, "authentication_failed", "Please sign in.")
		}
		return err
	})
	c.Set(provenKey, err == nil)
	return err
}

// Remember keeps a text in the session; call it before the answer is written.
func Remember(c echo.Context, key, text string) error {
	ss, ok := c.Get(sessionKey).(*sessions.Session)
	if !ok {
		return nil
	}
	if text == "" {
		delete(ss.Values, key)
	} else {
		ss.Values[key] = text
	}
	return ss.Save(c.Request(), c.Response())
}

// Remembered is a text of the session.
func Remembered(c echo.Context, key string) string {
	ss, ok := c.Get(sessionKey).(*sessions.Session)
	if !ok {
		return ""
	}
	text, _ := ss.Values[key].(string)
	return text
}

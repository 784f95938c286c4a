package issuer

import (
	"context"
	"slices"
	"time"

	"debitdesk/models/fault"
)

// Protocol speaks OpenID Connect with an issuer, over the network. Its errors are those of Away and Refused.
type Protocol interface {
	// Check reads what the issuer publishes about itself.
	Check(ctx context.Context, p Party) error
	// Begin gives the address at the issuer where a person signs in.
	Begin(ctx context.Context, p Party, a Ask) (string, error)
	// Redeem exchanges the code for who the person is, and verifies every word of it.
	Redeem(ctx context.Context, p Party, r Redemption) (Claims, error)
	// Logout verifies the issuer's message that somebody signed out there.
	Logout(ctx context.Context, p Party, token string) (Logout, error)
	// EndSession gives the address where a person signs out at the issuer; empty when it has none.
	EndSession(ctx context.Context, p Party, back string) (string, error)
}

// Party is the product as one client of an issuer.
type Party struct {
	Issuer
	Secret   Secret
	Callback string // where the issuer sends people back to
}

// Ask is what a sign-in is asked for with.
type Ask struct {
	State, Nonce, Verifier string
	Fresh                  bool // the person is to sign in anew, whatever session the issuer has
}

// Redemption is what came back, with what it must fit.
type Redemption struct {
	Code, Nonce, Verifier string
}

// Claims are what an issuer says of a person, verified to be its words to this client about this sign-in.
type Claims struct {
	Subject, SID string
	Email, Name  string
	// Verified is what the issuer says of the address; Unsaid when it says nothing.
	Verified Verified
	Groups   []string
	Methods  []string  // amr
	Class    string    // acr
	AuthTime time.Time // when the person signed in there; zero: unsaid
}

// Verified is whether an e-mail address is the person's.
type Verified int

// What an issuer says of an address.
const (
	Unsaid Verified = iota
	Yes
	No
)

// strong are the classes of authentication with more than one factor that issuers name.
var strong = []string{"mfa", "http://schemas.openid.net/pape/policies/2007/06/multi-factor", "phr", "phrh",
	"https://refeds.org/profile/mfa", "http://schemas.microsoft.com/claims/multipleauthn"}

// Multi tells whether the person showed more than one factor at the issuer.
func (c Claims) Multi() bool {
	return slices.Contains(c.Methods, "mfa") || slices.Contains(strong, c.Class)
}

// vouched tells whether the address counts as the person's at that issuer.
func (i Issuer) vouched(c Claims) bool {
	return c.Email != "" && (c.Verified == Yes || c.Verified == Unsaid && i.TrustsEmail)
}

// Logout is the message that somebody signed out at an issuer: of one session, or of all that the subject has.
type Logout struct {
	Subject, SID string
	Number       string // jti: the message counts once
	Until        time.Time
}

// Away says that an issuer did not answer, or not as one.
func Away(name string, err error) error {
	return fault.New(fault.Conflict, "issuer_away",
		"%s cannot be reached at the moment. Try again, or sign in with your password.", name).Because(err)
}

// Refused says that an issuer's answer does not count.
func Refused(name, why string, err error) error {
	return fault.New(fault.Invalid, "issuer_refused", "The answer of %s was not accepted: %s. Start again.", name,
		why).Because(err)
}

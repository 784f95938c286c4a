package issuer

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

// FlowLasts is how long a person may take at the issuer.
const FlowLasts = 10 * time.Minute

// Flow is a sign-in under way. The browser that began it keeps it, sealed; without that browser it cannot be finished.
type Flow struct {
	Issuer   uuid.UUID `json:"issuer"`
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Next     string    `json:"next"` // an address of this site
	At       time.Time `json:"at"`
	// Person is whom the sign-in is to show again, by whose session; zero for one that begins a session.
	Person uuid.UUID `json:"person,omitzero"`
	Kept   string    `json:"kept,omitempty"` // the form that goes on afterwards
}

// Proof tells that a person who is signed in shows again that it is them.
func (f Flow) Proof() bool { return f.Person != uuid.Nil }

// Begin starts a sign-in and gives the address at the issuer. NotFound for an issuer that is not open.
func (s *Service) Begin(ctx context.Context, f Flow) (Flow, string, error) {
	i, err := s.open(ctx, f.Issuer)
	if err != nil {
		return f, "", err
	}
	p, err := s.party(ctx, i)
	if err != nil {
		return f, "", err
	}
	f.State, f.Nonce, f.Verifier, f.At = random(), random(), random(), s.real()
	at, err := s.Protocol.Begin(ctx, p, Ask{State: f.State, Nonce: f.Nonce, Verifier: f.Verifier, Fresh: f.Proof()})
	return f, at, err
}

// Callback is what a browser brought back from an issuer.
type Callback struct {
	Issuer      uuid.UUID // of the address that it came to
	State, Code string
	Says        string // who the answer says it is from (RFC 9207); empty: unsaid
	Error       string // why the issuer did not sign the person in
	IP          string
	RequestID   string
}

// redeem looks at what came back and exchanges it for who the person is: once, in the browser that began, from the
// issuer that was asked.
func (s *Service) redeem(ctx context.Context, f Flow, in Callback) (Issuer, Claims, error) {
	i, err := s.open(ctx, in.Issuer)
	if err != nil {
		return i, Claims{}, err
	}
	age := s.Now().Sub(f.At)
	switch {
	case f.Issuer != in.Issuer, f.State == "", subtle.ConstantTimeCompare([]byte(f.State), []byte(in.State)) != 1,
		age > FlowLasts, age < -skew:
		return i, Claims{}, stale()
	case in.Says != "" && in.Says != i.Address:
		return i, Claims{}, Refused(i.Name, "it came from another provider", nil)
	}
	sum := sha256.Sum256([]byte("state\x00" + i.ID.String() + "\x00" + f.State))
	first := false
	if err := s.Store.InTx(ctx, func(tx *database.Tx) (err error) {
		first, err = once(tx, sum[:], f.At.Add(2*FlowLasts))
		return err
	}); err != nil {
		return i, Claims{}, err
	}
	switch {
	case !first:
		return i, Claims{}, stale()
	case in.Error != "":
		return i, Claims{}, fault.New(fault.Invalid, "issuer_said_no", "%s did not sign you in (%s).", i.Name,
			errorCode(in.Error))
	case in.Code == "":
		return i, Claims{}, Refused(i.Name, "it holds no code", nil)
	}
	p, err := s.party(ctx, i)
	if err != nil {
		return i, Claims{}, err
	}
	claims, err := s.Protocol.Redeem(ctx, p, Redemption{Code: in.Code, Nonce: f.Nonce, Verifier: f.Verifier})
	return i, claims, err
}

// skew is how far the clocks of an issuer and of this machine may be apart.
const skew = time.Minute

// errorCode is the reason as an issuer names it; anything longer or with other signs is not repeated.
func errorCode(text string) string {
	for _, r := range text {
		if r != '_' && (r < 'a' || r > 'z') {
			return "unknown_error"
		}
	}
	if len(text) > 40 {
		return "unknown_error"
	}
	return text
}

func stale() error {
	return fault.New(fault.Invalid, "sign_in_stale",
		"This sign-in was not begun in this browser, was used before, or took longer than ten minutes. Start again.")
}

// random is 256 bits of chance, fit for an address.
func random() string {
	token, _ := user.NewToken()
	return token
}

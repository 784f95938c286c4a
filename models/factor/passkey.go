package factor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Limits of passkeys.
const (
	MaxPasskeys    = 20
	MaxPasskeyName = 60
	// ceremonyLasts is how long a person may take over the browser's question.
	ceremonyLasts = 5 * time.Minute
)

// Passkey is a public key that a person's device or password manager answers for.
type Passkey struct {
	ID         []byte
	Name       string
	Credential []byte // the public key, its counter and flags, as the library's JSON
	CreatedAt  time.Time
	LastUsedAt time.Time
}

// Handle names a passkey in addresses; it opens nothing.
func (p Passkey) Handle() string {
	sum := sha256.Sum256(p.ID)
	return hex.EncodeToString(sum[:16])
}

// Party is the site that passkeys are bound to.
type Party struct{ site *webauthn.WebAuthn }

// NewParty binds passkeys to the host of the public address. A browser binds none
// to a number: an installation that is tried out on this machine's number serves
// them under localhost, and any other number has none (nil).
func NewParty(baseURL string) (*Party, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("passkeys: %w", err)
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); ip != nil {
		if !ip.IsLoopback() {
			return nil, nil //nolint:nilnil // documented: no passkeys here
		}
		host, u.Host = "localhost", strings.TrimSuffix("localhost:"+u.Port(), ":")
	}
	site, err := webauthn.New(&webauthn.Config{RPID: host, RPDisplayName: issuer,
		RPOrigins:             []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementPreferred,
			UserVerification: protocol.VerificationPreferred}})
	if err != nil {
		return nil, fmt.Errorf("passkeys: %w", err)
	}
	return &Party{site}, nil
}

// Origin is the address under which passkeys work; empty without a party.
func (p *Party) Origin() string {
	if p == nil {
		return ""
	}
	return p.site.Config.RPOrigins[0]
}

// holder is a person as the library wants to see one.
type holder struct {
	set  Set
	keys []webauthn.Credential
}

func holderOf(set Set) (holder, error) {
	h := holder{set: set, keys: make([]webauthn.Credential, len(set.Passkeys))}
	for i, p := range set.Passkeys {
		if err := json.Unmarshal(p.Credential, &h.keys[i]); err != nil {
			return h, fmt.Errorf("read passkey %s: %w", p.Handle(), err)
		}
	}
	return h, nil
}

// WebAuthnID implements webauthn.User.
func (h holder) WebAuthnID() []byte { return h.set.UserID[:] }

// WebAuthnName implements webauthn.User.
func (h holder) WebAuthnName() string { return h.set.Email }

// WebAuthnDisplayName implements webauthn.User.
func (h holder) WebAuthnDisplayName() string { return h.set.called() }

// WebAuthnCredentials implements webauthn.User.
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// ceremony is what the server remembers between a question and its answer.
type ceremony struct {
	Kind    string               `json:"kind"` // register or show
	UserID  uuid.UUID            `json:"user_id"`
	At      time.Time            `json:"at"`
	Session webauthn.SessionData `json:"session"`
}

func (s *Service) begun(kind string, who actor.Actor, options any,
	session *webauthn.SessionData) (question, remembered string, err error) {
	q, err := json.Marshal(options)
	if err != nil {
		return "", "", fmt.Errorf("passkey: %w", err)
	}
	r, err := json.Marshal(ceremony{kind, who.ID, s.Now(), *session})
	return string(q), string(r), err
}

// resumed reads a ceremony back; Invalid when it is another's, too old or not there.
func (s *Service) resumed(kind string, who actor.Actor, remembered string) (webauthn.SessionData, error) {
	var c ceremony
	if err := json.Unmarshal([]byte(remembered), &c); err != nil || c.Kind != kind || c.UserID != who.ID ||
		s.Now().Sub(c.At) > ceremonyLasts {
		return c.Session, fault.At("passkey", "expired", "That took too long, or was already answered. Try again.")
	}
	return c.Session, nil
}

func noPasskeys() error {
	return fault.New(fault.Conflict, "passkeys_unavailable",
		"Passkeys need an installation whose address is a name, not a number.")
}

// BeginPasskey asks the browser to make a passkey: the question for it, and what
// the session must remember until the answer.
func (s *Service) BeginPasskey(ctx context.Context, who actor.Actor) (question, remember string, err error) {
	set, err := s.Of(ctx, who)
	if err != nil {
		return "", "", err
	}
	if s.Party == nil {
		return "", "", noPasskeys()
	}
	h, err := holderOf(set)
	if err != nil {
		return "", "", err
	}
	options, session, err := s.Party.site.BeginRegistration(h,
		webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()))
	if err != nil {
		return "", "", fmt.Errorf("passkey: %w", err)
	}
	return s.begun("register", who, options.Response, session)
}

// AddPasskey keeps the passkey that the browser made. It returns recovery codes
// when this is the person's first second factor: they are shown once. The first one
// needs the password again.
func (s *Service) AddPasskey(ctx context.Context, who actor.Actor, name, answer, remembered,
	password string) (codes []string, err error) {
	if s.Party == nil {
		return nil, noPasskeys()
	}
	if name = strings.TrimSpace(name); name == "" {
		return nil, fault.At("name", "required", "Name the passkey, so that you recognise it.")
	}
	if utf8.RuneCountInString(name) > MaxPasskeyName {
		return nil, fault.At("name", "max_length", "Ensure this value has at most %d characters.", MaxPasskeyName)
	}
	if !fault.IsOneLine(name) {
		return nil, fault.At("name", "invalid", fault.NotOneLine)
	}
	if err := s.first(ctx, who, password); err != nil {
		return nil, err
	}
	session, err := s.resumed("register", who, remembered)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return nil, badPasskey(err)
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		set, err := factors(tx, who.ID)
		if err != nil {
			return err
		}
		if len(set.Passkeys) >= MaxPasskeys {
			return fault.At("passkey", "max_length", "A person can have at most %d passkeys.", MaxPasskeys)
		}
		made, err := s.Party.site.CreateCredential(holder{set: set}, session, parsed)
		if err != nil {
			return badPasskey(err)
		}
		made.Attestation = webauthn.CredentialAttestation{} // who made the device is nobody's business
		credential, err := json.Marshal(made)
		if err != nil {
			return fmt.Errorf("passkey: %w", err)
		}
		if err := InsertPasskey(tx, who.ID, Passkey{ID: made.ID, Name: name, Credential: credential,
			CreatedAt: s.Now()}); err != nil {
			return err
		}
		codes = firstCodes(tx, set)
		s.change(tx, who, set, "user.factor_added", "Added the passkey "+name+" for two-step sign-in.",
			"A passkey was added to your two-step sign-in: "+name+".")
		return nil
	})
	return codes, err
}

// RemovePasskey takes a passkey away.
func (s *Service) RemovePasskey(ctx context.Context, who actor.Actor, handle string) error {
	return s.remove(ctx, who, func(tx *database.Tx, set *Set) (string, error) {
		at := slices.IndexFunc(set.Passkeys, func(p Passkey) bool { return p.Handle() == handle })
		if at < 0 {
			return "", fault.Missing()
		}
		gone := set.Passkeys[at]
		dropPasskey(tx, who.ID, gone.ID)
		set.Passkeys = slices.Delete(slices.Clone(set.Passkeys), at, at+1)
		return "passkey " + gone.Name, nil
	})
}

// BeginAssertion asks the browser to answer with one of the person's passkeys:
// the question for it, and what the session must remember. Empty when the person
// has none.
func (s *Service) BeginAssertion(ctx context.Context, who actor.Actor) (question, remember string, err error) {
	set, err := s.Of(ctx, who)
	if err != nil || s.Party == nil || len(set.Passkeys) == 0 {
		return "", "", err
	}
	h, err := holderOf(set)
	if err != nil {
		return "", "", err
	}
	options, session, err := s.Party.site.BeginLogin(h)
	if err != nil {
		return "", "", fmt.Errorf("passkey: %w", err)
	}
	return s.begun("show", who, options.Response, session)
}

// showPasskey checks an answer. A counter that did not grow is what a copied
// passkey looks like: it is refused and noted.
func (s *Service) showPasskey(ctx context.Context, who actor.Actor, p Proof) error {
	if s.Party == nil {
		return noPasskeys()
	}
	session, err := s.resumed("show", who, p.Ceremony)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(p.Assertion))
	if err != nil {
		return badPasskey(err)
	}
	var refused error
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		refused = nil
		set, err := factors(tx, who.ID)
		if err != nil {
			return err
		}
		h, err := holderOf(set)
		if err != nil {
			return err
		}
		answered, err := s.Party.site.ValidateLogin(h, session, parsed)
		if err == nil && answered.Authenticator.CloneWarning {
			err = errors.New("the counter did not grow")
		}
		if err != nil {
			tx.Audit(who, audit.Entry{Action: "user.factor_refused", ObjectType: "user", ObjectID: who.ID,
				Text: "Used a passkey that does not match."})
			refused = badPasskey(err)
			return nil
		}
		at := slices.IndexFunc(set.Passkeys, func(k Passkey) bool { return string(k.ID) == string(answered.ID) })
		used := set.Passkeys[at]
		if used.Credential, err = json.Marshal(answered); err != nil {
			return fmt.Errorf("passkey: %w", err)
		}
		used.LastUsedAt = s.Now()
		savePasskey(tx, who.ID, used)
		shown(tx, who, "passkey")
		return nil
	})
	if err != nil {
		return err
	}
	return refused
}

func badPasskey(err error) error {
	f, _ := fault.From(fault.At("passkey", "invalid", "That passkey was not accepted. Try again, or use another way."))
	return f.Because(err)
}

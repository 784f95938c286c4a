package issuer

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

// Arrival is a person whom an issuer signed in.
type Arrival struct {
	User         user.User // in the business that the session works for
	Issuer       Issuer
	Subject, SID string
	Multi        bool      // more than one factor was shown, or counts as shown
	AuthTime     time.Time // when the person signed in at the issuer; zero: unsaid
	Until        time.Time // when the session ends at the latest; zero: as any other
}

// Arrive finishes a sign-in: the person is recognised by their subject, else linked by an address that is theirs, else
// added where the issuer may. Forbidden for people who may not come in; nothing is kept then but the audit.
func (s *Service) Arrive(ctx context.Context, f Flow, in Callback) (Arrival, error) {
	i, claims, err := s.redeem(ctx, f, in)
	if err != nil {
		return Arrival{Issuer: i}, err
	}
	a := Arrival{Issuer: i, Subject: claims.Subject, SID: claims.SID, Multi: i.TrustsMFA || claims.Multi(),
		AuthTime: claims.AuthTime, Until: i.Until(s.Now())}
	claims.Email, claims.Name = strings.TrimSpace(claims.Email), oneLine(claims.Name)
	for range 2 { // of two who come for the first time at once, the second finds what the first made
		a.User, err = s.welcome(ctx, i, claims, in)
		if !fault.HasCode(err, "unique") {
			break
		}
	}
	if fault.HasCode(err, "unique") { // the address is that of somebody who works elsewhere
		err = unknown(i)
	}
	if fault.Is(err, fault.Forbidden) {
		s.noteRefusal(ctx, i, claims, in, err)
	}
	return a, err
}

// welcome recognises the person and notes that they came in.
func (s *Service) welcome(ctx context.Context, i Issuer, claims Claims, in Callback) (u user.User, err error) {
	id, known, err := s.Store.personOf(ctx, i.ID, claims.Subject)
	if err != nil {
		return u, err
	}
	role, opens := i.RoleOf(claims.Groups)
	switch {
	case known:
		u, err = s.inBusiness(ctx, i, id)
	default:
		u, err = s.byAddress(ctx, i, claims)
	}
	added := !known && fault.Is(err, fault.NotFound)
	switch {
	case known && fault.Is(err, fault.NotFound), err == nil && !u.DisabledAt.IsZero():
		return u, fault.New(fault.Forbidden, "person_disabled", "Your access is switched off. Ask an admin of your business.")
	case added && (!i.Provisions || !i.vouched(claims) || len(i.Domains) > 0 && !i.Speaks(claims.Email)):
		return u, unknown(i)
	case err != nil && !added:
		return u, err
	}
	hash := ""
	if added {
		if role == "" {
			role = i.UsualRole
		}
		if hash, err = user.HashPassword(ctx, random()); err != nil { // a password that no person knows
			return u, err
		}
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if added {
			if !opens || role == "" {
				return notOpened(i)
			}
			if u, err = s.add(tx, i, claims, role, hash, in); err != nil {
				return err
			}
		}
		return s.comeIn(tx, i, claims, u, roleNow{role, opens, known, added}, in)
	})
	if err == nil && role != "" && !i.Whole() {
		u, err = s.Users.User(ctx, i.MerchantID, u.ID)
	}
	return u, err
}

// roleNow is what the groups say of a person who comes in.
type roleNow struct {
	role         actor.Role
	opens        bool
	known, added bool
}

// comeIn links the person, follows their groups and notes the sign-in, in one step.
func (s *Service) comeIn(tx *database.Tx, i Issuer, claims Claims, u user.User, now roleNow, in Callback) error {
	who := u.Actor()
	who.IP, who.RequestID = in.IP, in.RequestID
	if !now.known {
		linked, err := link(tx, i, claims.Subject, u.ID, s.real())
		switch {
		case err != nil:
			return err
		case !linked:
			return fault.New(fault.Forbidden, "linked_to_another",
				"%s knows this person under another account already. Ask an admin of your business.", i.Name)
		case !now.added:
			tx.Audit(who, audit.Entry{Action: "user.issuer_linked", ObjectType: "user", ObjectID: u.ID,
				Text:  "Is recognised by " + i.Name + " from now on, by the verified address.",
				After: map[string]any{"issuer": i.Address}})
		}
	}
	if !i.Whole() && !now.added {
		by := actor.SystemOf(i.MerchantID)
		by.Name, by.IP, by.RequestID = i.Name, in.IP, in.RequestID
		kept, err := s.Members.Follow(tx, by, u.ID, now.role)
		switch {
		case err != nil:
			return err
		case !now.opens && !kept:
			return notOpened(i)
		}
	}
	if err := used(tx, i, claims.Subject, s.real()); err != nil {
		return err
	}
	user.CameIn(tx, who, "Signed in through "+i.Name+".", s.real())
	return nil
}

// inBusiness is a person whom the issuer knows, in its business; at the installation's in the business used last.
func (s *Service) inBusiness(ctx context.Context, i Issuer, id uuid.UUID) (user.User, error) {
	if !i.Whole() {
		return s.Users.User(ctx, i.MerchantID, id)
	}
	businesses, err := s.Users.Businesses(ctx, id)
	if err == nil && len(businesses) == 0 {
		err = fault.Missing()
	}
	if err != nil {
		return user.User{}, err
	}
	return s.Users.User(ctx, businesses[0].ID, id)
}

// byAddress finds the person by an address that is verified to be theirs and that the issuer may speak for; NotFound
// for nobody. An issuer of a business finds its own people alone.
func (s *Service) byAddress(ctx context.Context, i Issuer, claims Claims) (user.User, error) {
	if !i.vouched(claims) || !i.Speaks(claims.Email) {
		return user.User{}, fault.Missing()
	}
	u, _, err := s.Users.UserByEmail(ctx, claims.Email)
	if err != nil || i.Whole() {
		return u, err
	}
	return s.Users.User(ctx, i.MerchantID, u.ID)
}

// add makes a person of the issuer's business.
func (s *Service) add(tx *database.Tx, i Issuer, claims Claims, role actor.Role, hash string,
	in Callback) (user.User, error) {
	var wrong fault.Problems
	user.CheckIdentity(&wrong, claims.Email, claims.Name)
	if wrong.Err() != nil {
		return user.User{}, unknown(i)
	}
	u := user.User{ID: tx.NewID(), MerchantID: i.MerchantID, Email: claims.Email, Name: claims.Name, Role: role,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	if err := user.Insert(tx, u, hash); err != nil {
		return u, err
	}
	by := actor.SystemOf(i.MerchantID)
	by.Name, by.IP, by.RequestID = i.Name, in.IP, in.RequestID
	tx.Audit(by, audit.Entry{Action: "user.provisioned", ObjectType: "user", ObjectID: u.ID,
		Text:  "Added " + u.Called() + " as " + string(role) + ", who signed in through " + i.Name + " for the first time.",
		After: map[string]any{"email": u.Email, "role": string(role), "issuer": i.Address}})
	return u, nil
}

// noteRefusal keeps in the audit of the issuer's business that somebody was turned away.
func (s *Service) noteRefusal(ctx context.Context, i Issuer, claims Claims, in Callback, why error) {
	if i.Whole() {
		return
	}
	f, _ := fault.From(why)
	by := actor.SystemOf(i.MerchantID)
	by.Name, by.IP, by.RequestID = i.Name, in.IP, in.RequestID
	_ = s.Store.InTx(ctx, func(tx *database.Tx) error { // the refusal holds, noted or not
		tx.Audit(by, audit.Entry{Action: "user.issuer_refused", ObjectType: "issuer", ObjectID: i.ID,
			Text: "Turned away a person who signed in at " + i.Name + ".", After: map[string]any{"why": f.Code,
				"domain": DomainOf(claims.Email)}})
		return nil
	})
}

// Proved finishes a proof: the person of the session signed in anew at the issuer, just now, and as themselves. It
// tells whether that counts as a second factor.
func (s *Service) Proved(ctx context.Context, f Flow, in Callback, who actor.Actor, subject string) (Arrival, error) {
	i, claims, err := s.redeem(ctx, f, in)
	if err != nil {
		return Arrival{Issuer: i}, err
	}
	switch {
	case who.ID != f.Person || subject == "" || claims.Subject != subject:
		return Arrival{Issuer: i}, fault.New(fault.Forbidden, "proof_of_another",
			"You signed in at %s as another person.", i.Name)
	case claims.AuthTime.Before(f.At.Add(-skew)):
		return Arrival{Issuer: i}, Refused(i.Name, "it did not ask you to sign in again", nil)
	}
	a := Arrival{Issuer: i, Subject: subject, Multi: i.TrustsMFA || claims.Multi(), AuthTime: claims.AuthTime}
	return a, s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{Action: "user.factor_shown", ObjectType: "user", ObjectID: who.ID,
			Text: "Confirmed by signing in again at " + i.Name + "."})
		return nil
	})
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// unknown says the same of all whom an issuer may not bring in, whether there is an account or not.
func unknown(i Issuer) error {
	return fault.New(fault.Forbidden, "person_unknown",
		"%s signed you in, but no account here is linked to you. Ask an admin of your business to invite you.", i.Name)
}

func notOpened(i Issuer) error {
	return fault.New(fault.Forbidden, "no_role", "None of your groups at %s opens this business. Ask an admin of it.",
		i.Name)
}

package issuer

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/member"
	"debitdesk/models/user"
)

// Service holds the use cases of issuers.
type Service struct {
	Store    Store
	Protocol Protocol
	Users    user.Store
	Members  *member.Service
	Now      func() time.Time // real time: sign-ins and sessions do not follow the sandbox clock
	Live     bool             // real money: issuers are called by https alone
	BaseURL  string           // of the product, without a slash at the end

	Installation *Issuer // the one that the configuration names; nil: none
	Secret       Secret  // of that one
}

// CallbackPath and LogoutPath are where issuers come to; the id of the issuer follows.
const (
	CallbackPath = "/oidc/callback/"
	LogoutPath   = "/oidc/logout/"
)

// party is the product as a client of that issuer. It reads the secret.
func (s *Service) party(ctx context.Context, i Issuer) (Party, error) {
	p := Party{Issuer: i, Callback: s.BaseURL + CallbackPath + i.ID.String()}
	if i.Whole() {
		p.Secret = s.Secret
		return p, nil
	}
	var err error
	p.Secret, err = s.Store.Secret(ctx, i)
	return p, err
}

// open finds an issuer with which people can sign in now; NotFound otherwise.
func (s *Service) open(ctx context.Context, id uuid.UUID) (Issuer, error) {
	if s.Installation != nil && id == s.Installation.ID {
		return *s.Installation, nil
	}
	return s.Store.Open(ctx, id)
}

// mostShown bounds the buttons on the sign-in page.
const mostShown = 8

// Shown are the issuers that the sign-in page offers, that of the installation first.
func (s *Service) Shown(ctx context.Context) ([]Issuer, error) {
	all, err := s.Store.Shown(ctx, mostShown)
	if s.Installation != nil {
		all = append([]Issuer{*s.Installation}, all...)
	}
	return all, err
}

// List gives the issuers of the caller's business.
func (s *Service) List(ctx context.Context, who actor.Actor) ([]Issuer, error) {
	if err := who.May(actor.Manage); err != nil {
		return nil, err
	}
	return s.Store.Issuers(ctx, who.MerchantID)
}

// Get gives one; NotFound for that of another business.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Issuer, error) {
	if err := who.May(actor.Manage); err != nil {
		return Issuer{}, err
	}
	return s.Store.Issuer(ctx, who.MerchantID, id)
}

// Create adds an issuer to the caller's business. It is asked first whether it is there.
func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (Issuer, error) {
	if err := who.May(actor.Manage); err != nil {
		return Issuer{}, err
	}
	in, err := in.checked(s.Live)
	if err != nil {
		return Issuer{}, err
	}
	i := Issuer{MerchantID: who.MerchantID, Address: in.Address, ClientID: in.ClientID, Terms: in.Terms, Version: 1}
	if err := s.answers(ctx, i, in.Secret); err != nil {
		return i, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		i.ID, i.CreatedAt, i.UpdatedAt = tx.NewID(), tx.Now(), tx.Now()
		insertIssuer(tx, i, in.Secret)
		tx.Audit(who, audit.Entry{Action: "issuer.created", ObjectType: "issuer", ObjectID: i.ID, After: i.record(),
			Text: "Added sign-in with " + i.Name + "."})
		return s.force(tx, Issuer{}, i)
	})
	return i, err
}

// answers is nil when the issuer publishes about itself what a sign-in needs.
func (s *Service) answers(ctx context.Context, i Issuer, secret Secret) error {
	err := s.Protocol.Check(ctx, Party{Issuer: i, Secret: secret})
	var f *fault.Fault
	if !errors.As(err, &f) {
		return err
	}
	return fault.At("issuer", f.Code,
		"No provider answers at this address as OpenID Connect asks: %s/.well-known/openid-configuration was not usable.",
		i.Address).Because(err)
}

// Update changes an issuer as it was at that version; its address stays, because the people whom it knows are its own.
func (s *Service) Update(ctx context.Context, who actor.Actor, id uuid.UUID, version int, in Input) (Issuer, error) {
	before, err := s.Get(ctx, who, id)
	if err != nil {
		return before, err
	}
	in.Address = before.Address
	if in, err = in.checked(s.Live); err != nil {
		return before, err
	}
	if before.Version != version {
		return before, changedMeanwhile()
	}
	after := before
	after.ClientID, after.Terms = in.ClientID, in.Terms
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		after.UpdatedAt = tx.Now()
		if err := saveIssuer(tx, after, in.Secret); err != nil {
			return err
		}
		was, is := before.record(), after.record()
		if in.Secret != "" {
			was["client_secret"], is["client_secret"] = "kept", "replaced"
		}
		if !reflect.DeepEqual(was, is) {
			tx.Audit(who, audit.Entry{Action: "issuer.changed", ObjectType: "issuer", ObjectID: id, Before: was, After: is,
				Text: "Changed sign-in with " + after.Name + "."})
		}
		return s.force(tx, before, after)
	})
	if errors.Is(err, fault.ErrLost) {
		err = changedMeanwhile()
	}
	return after, err
}

// force looks at what passwords may still open. Somebody has to be able to come in when the issuer is away.
func (s *Service) force(tx *database.Tx, before, after Issuer) error {
	if !after.Forced || !after.Enabled {
		return nil
	}
	n, err := keepers(tx, after.MerchantID)
	switch {
	case err != nil:
		return err
	case n == 0:
		return fault.At("forced", "no_exception",
			"First choose an admin who can always sign in with a password, for the day when the provider is away.")
	case !before.Forced || !before.Enabled || !slices.Equal(before.Domains, after.Domains):
		if err := endPasswords(tx, after); err != nil {
			return err
		}
	}
	return nil
}

// Remove ends an issuer with the sessions that began there, and forgets whom it knew.
func (s *Service) Remove(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	i, err := s.Get(ctx, who, id)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		gone, err := removeIssuer(tx, i, tx.Now())
		if err == nil && !gone {
			err = fault.Missing()
		}
		tx.Audit(who, audit.Entry{Action: "issuer.removed", ObjectType: "issuer", ObjectID: id, Before: i.record(),
			Text: "Removed sign-in with " + i.Name + ". Its sessions ended."})
		return err
	})
}

// Keep chooses the admins whose password always opens the caller's business, and no others. While an issuer is forced
// there is one at least.
func (s *Service) Keep(ctx context.Context, who actor.Actor, ids []uuid.UUID) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	all, err := s.Members.Store.Members(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	before, after := []string{}, []string{}
	for _, m := range all {
		if m.BreakGlass {
			before = append(before, m.Email)
		}
		if slices.Contains(ids, m.ID) && m.Role == actor.Admin {
			after = append(after, m.Email)
		}
	}
	if len(after) != len(ids) {
		return fault.At("keep", "invalid_choice", "Choose admins of your business.")
	}
	if slices.Equal(before, after) {
		return nil
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := setKeepers(tx, who.MerchantID, ids); err != nil {
			return err
		}
		n, err := keepers(tx, who.MerchantID)
		if err != nil {
			return err
		}
		issuers, err := Store{tx.DB()}.Issuers(tx.Context(), who.MerchantID)
		if err != nil {
			return err
		}
		if n == 0 && slices.ContainsFunc(issuers, func(i Issuer) bool { return i.Forced && i.Enabled }) {
			return fault.At("keep", "required",
				"A provider is required for a domain, so one admin must be able to sign in with a password.")
		}
		tx.Audit(who, audit.Entry{Action: "issuer.exceptions", ObjectType: "merchant", ObjectID: who.MerchantID,
			Text:   "Chose which admins can always sign in with a password.",
			Before: map[string]any{"people": before}, After: map[string]any{"people": after}})
		return nil
	})
}

func changedMeanwhile() error {
	return fault.New(fault.Conflict, "changed_meanwhile",
		"Another admin changed this in the meantime. Open the page again to see the change.")
}

// real is the moment as it is stored: whole microseconds.
func (s *Service) real() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

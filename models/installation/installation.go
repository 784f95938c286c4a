// Package installation knows how an installation that has no user yet gets its first business and its first admin: by
// a link that works once. It must not know pages or how sessions are kept.
package installation

import (
	"context"
	"slices"
	"strings"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
)

// LinkLasts is how long the link works, in real time.
const LinkLasts = 24 * time.Hour

// Service makes the link and opens the installation with it.
type Service struct {
	Store     Store
	Merchants *merchant.Service
	Brand     merchant.Brand   // what the first brand begins with, such as the registration at the sandbox bank
	Now       func() time.Time // real time: the link does not follow the sandbox clock
}

// Input is what the first page asks for. The name of the brand defaults to that of the business.
type Input struct {
	Business, Slug, Brand string
	Name, Email, Password string
	IP, RequestID         string
}

// Link makes a new link and ends the one before. It gives the token and until when it works; Conflict once there is a
// user.
func (s *Service) Link(ctx context.Context) (token string, until time.Time, err error) {
	token, hash := user.NewToken()
	until = s.real().Add(LinkLasts)
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := begin(tx); err != nil {
			return err
		}
		return keepLink(tx, hash, s.real(), until)
	})
	return token, until, err
}

// Waits tells whether the installation has no user yet.
func (s *Service) Waits(ctx context.Context) (bool, error) {
	any, err := s.Store.AnyUser(ctx)
	return !any, err
}

// Find tells whether the link works: NotFound when it is not the newest, is over or was used, and for ever once there
// is a user.
func (s *Service) Find(ctx context.Context, token string) error {
	return s.Store.Link(ctx, user.TokenHash(token), s.real())
}

// Open makes the business with its brand and its admin, once: of two at once, one gets NotFound.
func (s *Service) Open(ctx context.Context, token string, in Input) (user.User, error) {
	if err := s.Find(ctx, token); err != nil {
		return user.User{}, err
	}
	in.Email, in.Name = strings.TrimSpace(in.Email), strings.TrimSpace(in.Name)
	business := merchant.New{Slug: in.Slug, Name: in.Business, Brand: s.Brand}
	business.Brand.Profiles = slices.Clone(s.Brand.Profiles)
	business.Brand.Name = strings.TrimSpace(in.Brand)
	var wrong fault.Problems
	business = business.Checked(&wrong, "business", "slug")
	merchant.CheckBrandName(&wrong, "brand", business.Brand.Name)
	user.CheckIdentity(&wrong, in.Email, in.Name)
	user.CheckPassword(&wrong, "password", in.Email, in.Password)
	if err := wrong.Err(); err != nil {
		return user.User{}, err
	}
	if err := s.Merchants.Free(ctx, business.Slug); err != nil {
		return user.User{}, err
	}
	hash, err := user.HashPassword(ctx, in.Password)
	if err != nil {
		return user.User{}, err
	}
	var u user.User
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := begin(tx); err != nil {
			return fault.Missing()
		}
		used, err := useLink(tx, user.TokenHash(token), s.real())
		if err == nil && !used {
			err = fault.Missing()
		}
		if err != nil {
			return err
		}
		u, err = s.open(tx, business, in, hash)
		return err
	})
	return u, err
}

// open writes the business and its admin.
func (s *Service) open(tx *database.Tx, business merchant.New, in Input, hash string) (user.User, error) {
	m, _ := s.Merchants.CreateIn(tx, business)
	u := user.User{ID: tx.NewID(), MerchantID: m.ID, Email: in.Email, Name: in.Name, Role: actor.Admin,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	if err := user.Insert(tx, u, hash); err != nil {
		return u, err
	}
	who := u.Actor()
	who.IP, who.RequestID = in.IP, in.RequestID
	tx.Audit(who, audit.Entry{Action: "user.first_admin", ObjectType: "user", ObjectID: u.ID,
		Text:  "Set up the installation with the one-time link, as its first admin.",
		After: map[string]any{"email": u.Email, "role": string(u.Role), "merchant": m.Slug}})
	return u, nil
}

// real is the moment as it is stored: whole microseconds.
func (s *Service) real() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

// opened is the refusal of a link where there is a user.
func opened() error {
	return fault.New(fault.Conflict, "installation_has_users",
		"This installation has users already: an admin invites others under Settings, People.")
}

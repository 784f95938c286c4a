// Package listview keeps how people want to see lists: the columns and rows of a page, and views that they saved,
// which are filters, an order and columns under a name. What a list has it does not know.
package listview

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Settings are what one person has chosen for one list.
type Settings struct {
	MerchantID uuid.UUID `gorm:"primaryKey"`
	UserID     uuid.UUID `gorm:"primaryKey"`
	List       string    `gorm:"primaryKey"`                            // the address of the list
	Columns    []string  `gorm:"type:text[];serializer:texts;not null"` // in their order; none: as the list comes
	Compact    bool
	PageRows   int       // 0: as the list comes
	UpdatedAt  time.Time `gorm:"not null"`
}

// View is a list under a name.
type View struct {
	ID         uuid.UUID
	MerchantID uuid.UUID `gorm:"not null"`
	List       string
	Name       string
	Query      string    `gorm:"column:query_sealed;serializer:sealed;not null"` // the address behind the list
	OwnerID    uuid.UUID `gorm:"not null"`
	OwnerName  string
	Shared     bool      // with the team
	CreatedAt  time.Time `gorm:"not null"`
	UpdatedAt  time.Time `gorm:"not null"`
	DeletedAt  time.Time

	database.Damage `gorm:"-"` // its address that cannot be read
}

// Unread tells that what is stored of the view's address was damaged: it shows the list as it comes.
func (v View) Unread() bool { return v.Any() }

// Listed is a view as one person sees it.
type Listed struct {
	View
	Pinned    bool // to the rail
	OwnerLeft bool // the team; an admin can change the view
}

// The most that there may be, and how long a name and an address may be.
const (
	mostViews  = 20 // of one person in one list, and as many shared ones
	mostPins   = 8
	longName   = 40
	longQuery  = 2_000
	undoWithin = 24 * time.Hour
)

// Service holds the use cases of lists as people want them.
type Service struct {
	Store Store
	Now   func() time.Time // real time
}

// Of gives what a person has chosen for a list, and the views that they see there: their own first.
func (s *Service) Of(ctx context.Context, who actor.Actor, list string) (Settings, []Listed, error) {
	if err := person(who); err != nil {
		return Settings{}, nil, err
	}
	var settings Settings
	var views []Listed
	err := database.AtOnce(ctx, func(ctx context.Context) (err error) {
		settings, err = s.Store.settings(ctx, who.MerchantID, who.ID, list)
		return err
	}, func(ctx context.Context) (err error) {
		views, err = s.Store.views(ctx, who.MerchantID, who.ID, list)
		return err
	})
	return settings, views, err
}

// Pinned are the views that a person sees on every page.
func (s *Service) Pinned(ctx context.Context, who actor.Actor) ([]Listed, error) {
	if err := person(who); err != nil {
		return nil, err
	}
	return s.Store.pinned(ctx, who.MerchantID, who.ID)
}

// Choose keeps what a person has chosen for a list.
func (s *Service) Choose(ctx context.Context, who actor.Actor, chosen Settings) error {
	if err := person(who); err != nil {
		return err
	}
	chosen.MerchantID, chosen.UserID, chosen.UpdatedAt = who.MerchantID, who.ID, s.now()
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		return keepSettings(tx, chosen)
	})
}

// Save keeps a list under a name.
func (s *Service) Save(ctx context.Context, who actor.Actor, v View) (View, error) {
	if err := s.mayShare(who, v.Shared); err != nil {
		return v, err
	}
	if err := tidyName(&v); err != nil {
		return v, err
	}
	v.ID, v.MerchantID, v.OwnerID, v.OwnerName = s.Store.NewID(), who.MerchantID, who.ID, who.Name
	v.CreatedAt, v.UpdatedAt = s.now(), s.now()
	return v, s.Store.InTx(ctx, func(tx *database.Tx) error {
		others, err := seen(tx, who, v)
		if err != nil {
			return err
		}
		if others >= mostViews {
			return fault.New(fault.Conflict, "too_many_views",
				"A list has at most %d saved views. Delete one that is not needed.", mostViews)
		}
		if err := insertView(tx, v); err != nil {
			return err
		}
		s.note(tx, who, v, "saved")
		return tx.Answered(v)
	})
}

// Change gives a view another name, or shares it with the team or not.
func (s *Service) Change(ctx context.Context, who actor.Actor, id uuid.UUID, name string, shared bool) (View, error) {
	return s.change(ctx, who, id, "changed", func(v *View) error {
		v.Name, v.Shared = name, shared
		if err := s.mayShare(who, shared); err != nil {
			return err
		}
		return tidyName(v)
	})
}

// Replace gives a view other filters, order and columns.
func (s *Service) Replace(ctx context.Context, who actor.Actor, id uuid.UUID, query string) (View, error) {
	return s.change(ctx, who, id, "replaced", func(v *View) error {
		v.Query = query
		v.Damage.Replace()
		return tidyName(v)
	})
}

// Delete takes a view away; Restore brings it back.
func (s *Service) Delete(ctx context.Context, who actor.Actor, id uuid.UUID) (View, error) {
	return s.change(ctx, who, id, "deleted", func(v *View) error {
		v.DeletedAt = s.now()
		return nil
	})
}

// Restore brings a view back that was deleted a short time ago.
func (s *Service) Restore(ctx context.Context, who actor.Actor, id uuid.UUID) (View, error) {
	return s.change(ctx, who, id, "restored", func(v *View) error {
		v.DeletedAt = time.Time{}
		return nil
	})
}

func (s *Service) change(ctx context.Context, who actor.Actor, id uuid.UUID, verb string,
	do func(*View) error) (v View, err error) {
	if err := person(who); err != nil {
		return v, err
	}
	return v, s.Store.InTx(ctx, func(tx *database.Tx) error {
		if v, err = holdView(tx, who.MerchantID, id); err != nil {
			return err
		}
		switch back := verb == "restored"; {
		case v.OwnerID != who.ID && !v.Shared, v.DeletedAt.IsZero() == back:
			return fault.Missing()
		case v.OwnerID != who.ID && !who.Can(actor.Manage):
			return fault.New(fault.Forbidden, "permission_denied",
				"This view belongs to %s. Its owner or an admin can change it; you can save your own.", v.OwnerName)
		}
		if err := do(&v); err != nil {
			return err
		}
		v.UpdatedAt = s.now()
		if err := saveView(tx, v); err != nil {
			return err
		}
		s.note(tx, who, v, verb)
		return tx.Answered(v)
	})
}

// Pin puts a view into the rail of a person, or takes it out.
func (s *Service) Pin(ctx context.Context, who actor.Actor, id uuid.UUID, pinned bool) error {
	if err := person(who); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		v, err := holdView(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if v.OwnerID != who.ID && !v.Shared || !v.DeletedAt.IsZero() {
			return fault.Missing()
		}
		if !pinned {
			return unpin(tx, who, id)
		}
		n, err := countPins(tx, who)
		if err != nil {
			return err
		}
		if n >= mostPins {
			return fault.New(fault.Conflict, "too_many_pins", "%d views are in the menu already. Take one out first.", mostPins)
		}
		return pin(tx, who, id, s.now())
	})
}

// note keeps in the audit what became of a view; what it is filtered by stays out of it.
func (s *Service) note(tx *database.Tx, who actor.Actor, v View, verb string) {
	whose := "own"
	if v.Shared {
		whose = "shared"
	}
	tx.Audit(who, audit.Entry{Action: "view." + verb, ObjectType: "view", ObjectID: v.ID,
		Text:  "The " + whose + " view " + v.Name + " was " + verb + ".",
		After: map[string]any{"list": v.List, "shared": v.Shared}})
}

// mayShare: who may change something in the business may also put a view before the whole team.
func (s *Service) mayShare(who actor.Actor, shared bool) error {
	if err := person(who); err != nil || !shared {
		return err
	}
	return who.May(actor.Write)
}

// person lets people pass: lists are for them.
func person(who actor.Actor) error {
	if who.Kind != actor.User {
		return fault.Missing()
	}
	return who.May(actor.Read)
}

func tidyName(v *View) error {
	v.Name = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(v.Name, "\x00", ""), "")), " ")
	switch {
	case v.Name == "":
		return fault.New(fault.Invalid, "invalid_name", "Give the view a name.")
	case utf8.RuneCountInString(v.Name) > longName:
		return fault.New(fault.Invalid, "invalid_name", "The name of a view has at most %d characters.", longName)
	case len(v.Query) > longQuery:
		return fault.New(fault.Invalid, "invalid_query", "The view has too many filters to be saved.")
	}
	return nil
}

func (s *Service) now() time.Time { return database.Instant(s.Now()) }

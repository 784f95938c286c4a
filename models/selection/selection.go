// Package selection knows which rows of a list a person chose: the filters of the list, the moment, the rows that were
// there then, and those that were taken out again. Whoever acts on it hits exactly what was counted.
// It must not know what the rows are, nor what is done with them.
package selection

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

const (
	// MaxRows is how many rows can be chosen at once.
	MaxRows = 10_000
	// Kept is how long a selection can be used, in real time.
	Kept = 24 * time.Hour
	// mostOpen are the selections of one person that are kept.
	mostOpen = 20
)

// Row is one row that was chosen.
type Row struct {
	ID      uuid.UUID
	Changed time.Time // when it last changed before it was chosen
	Cents   int64     // its amount in rand; 0 in lists without one
}

// Selection is what one person chose.
type Selection struct {
	ID, MerchantID  uuid.UUID
	AskerID         uuid.UUID         `gorm:"<-:create"`
	List, Arg       string            `gorm:"<-:create"`
	Query           map[string]string `gorm:"<-:create;column:query_sealed;serializer:sealed"` // the filters of the list
	Moment          time.Time         `gorm:"<-:create"`
	Rows            Rows              `gorm:"column:chosen"` // all that were chosen, those that were taken out too
	Excluded        IDs
	N, Cents        int64      // without those that were taken out
	CreatedAt       time.Time  `gorm:"<-:create"`
	database.Damage `gorm:"-"` // its filters that cannot be read
}

// Has tells whether a row is chosen.
func (s *Selection) Has(id uuid.UUID) bool {
	return slices.ContainsFunc(s.Rows, func(r Row) bool { return r.ID == id }) && !slices.Contains(s.Excluded, id)
}

// Among tells which of some rows are chosen.
func (s *Selection) Among(ids []uuid.UUID) map[uuid.UUID]bool {
	asked := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		asked[id] = true
	}
	out := make(map[uuid.UUID]bool, len(ids))
	for _, r := range s.Rows {
		if asked[r.ID] {
			out[r.ID] = true
		}
	}
	for _, id := range s.Excluded {
		delete(out, id)
	}
	return out
}

// Chosen are the rows that are acted on, in the order of the list.
func (s *Selection) Chosen() []Row {
	out := make(map[uuid.UUID]bool, len(s.Excluded))
	for _, id := range s.Excluded {
		out[id] = true
	}
	rows := make([]Row, 0, len(s.Rows))
	for _, r := range s.Rows {
		if !out[r.ID] {
			rows = append(rows, r)
		}
	}
	return rows
}

func (s *Selection) count() {
	s.N, s.Cents = 0, 0
	for _, r := range s.Chosen() {
		s.N++
		s.Cents += r.Cents
	}
}

// Service holds the use cases of selections.
type Service struct {
	Store Store
	Now   func() time.Time // real time
}

// Keep keeps what a person chose.
func (s *Service) Keep(ctx context.Context, who actor.Actor, sel Selection) (Selection, error) {
	if err := mayChoose(who); err != nil {
		return sel, err
	}
	if len(sel.Rows) > MaxRows {
		return sel, TooMany()
	}
	sel.ID, sel.MerchantID, sel.AskerID = uuid.Must(uuid.NewV7()), who.MerchantID, who.ID
	sel.CreatedAt = database.Instant(s.Now())
	sel.count()
	return sel, s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := tx.Gorm().Create(&sel).Error; err != nil {
			return err
		}
		return dropOldest(tx, sel)
	})
}

// TooMany says that more rows were to be chosen than can be.
func TooMany() error {
	return fault.New(
		fault.Conflict,
		"too_many_rows",
		"At most 10 000 rows can be selected at once. Narrow the filters first.",
	)
}

// Get finds a selection of this person; NotFound for those of others and for one whose time is over.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Selection, error) {
	if err := mayChoose(who); err != nil {
		return Selection{}, err
	}
	return s.Store.find(ctx, who, id, s.Now().Add(-Kept))
}

// Change takes rows in and out. Rows that were never chosen come at the end.
func (s *Service) Change(ctx context.Context, who actor.Actor, id uuid.UUID, in []Row,
	out []uuid.UUID) (Selection, error) {
	if err := mayChoose(who); err != nil {
		return Selection{}, err
	}
	var sel Selection
	return sel, s.Store.InTx(ctx, func(tx *database.Tx) (err error) {
		if sel, err = hold(tx, who, id, s.Now().Add(-Kept)); err != nil {
			return err
		}
		sel.change(in, out)
		if len(sel.Rows) > MaxRows {
			return TooMany()
		}
		return save(tx, sel)
	})
}

func (s *Selection) change(in []Row, out []uuid.UUID) {
	known := make(map[uuid.UUID]bool, len(s.Rows))
	for _, r := range s.Rows {
		known[r.ID] = true
	}
	back := make(map[uuid.UUID]bool, len(in))
	for _, r := range in {
		if back[r.ID] = true; !known[r.ID] {
			s.Rows, known[r.ID] = append(s.Rows, r), true
		}
	}
	s.Excluded = slices.DeleteFunc(s.Excluded, func(id uuid.UUID) bool { return back[id] })
	for _, id := range out {
		if known[id] && !slices.Contains(s.Excluded, id) {
			s.Excluded = append(s.Excluded, id)
		}
	}
	s.count()
}

// mayChoose lets people who see the lists choose rows in them.
func mayChoose(who actor.Actor) error {
	if who.Kind != actor.User || who.ID == uuid.Nil {
		return fault.New(fault.Forbidden, "permission_denied", "Only a person who is signed in can select rows.")
	}
	return who.May(actor.Read)
}

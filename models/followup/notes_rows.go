package followup

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// Notes are the notes and calls about an object itself, newest first.
func (s Store) Notes(ctx context.Context, merchantID, objectID uuid.UUID, ask paging.Ask) (paging.Page[Note], error) {
	return s.notes(ctx, ask, "merchant_id = ? AND object_id = ?", merchantID, objectID)
}

// NotesOfClient are all notes and calls about a client and what belongs to it, newest first.
func (s Store) NotesOfClient(ctx context.Context, merchantID, clientID uuid.UUID,
	ask paging.Ask) (paging.Page[Note], error) {
	return s.notes(ctx, ask, "merchant_id = ? AND client_id = ?", merchantID, clientID)
}

// NotesOfPurchase are those about a purchase, its debits and its invoice, newest first.
func (s Store) NotesOfPurchase(ctx context.Context, merchantID, purchaseID uuid.UUID,
	ask paging.Ask) (paging.Page[Note], error) {
	return s.notes(ctx, ask, "merchant_id = ? AND purchase_id = ?", merchantID, purchaseID)
}

// NotesBetween are the notes and calls about a client and what belongs to it that were written between two
// moments, both included, newest first.
func (s Store) NotesBetween(ctx context.Context, merchantID, clientID uuid.UUID, first, last time.Time,
	limit int) ([]Note, error) {
	found, err := s.notes(ctx, paging.Ask{Limit: limit},
		"merchant_id = ? AND client_id = ? AND created_at BETWEEN ? AND ?", merchantID, clientID, first, last)
	return found.Items, err
}

func (s Store) notes(ctx context.Context, ask paging.Ask, condition string, args ...any) (paging.Page[Note], error) {
	var found []Note
	err := database.Page(s.Gorm(ctx).Where(condition, args...), ask).Find(&found).Error
	if err != nil {
		return paging.Page[Note]{}, err
	}
	return paging.Cut(ask, found), nil
}

// Last is what was last written down about something.
type Last struct {
	ObjectID uuid.UUID // of the thing; for calls, the client's where it has one
	Note
}

// LastNotes are the newest plain note of each of some things.
func (s Store) LastNotes(ctx context.Context, merchantID uuid.UUID, objects []uuid.UUID) (map[uuid.UUID]Note, error) {
	return s.last(ctx, "n.object_id", "n.outcome = ''", func(n Note) uuid.UUID { return n.ObjectID }, merchantID, objects)
}

// LastCalls are the newest call to each of some clients.
func (s Store) LastCalls(ctx context.Context, merchantID uuid.UUID, clients []uuid.UUID) (map[uuid.UUID]Note, error) {
	return s.last(ctx, "n.client_id", "n.outcome <> ''", func(n Note) uuid.UUID { return n.ClientID }, merchantID, clients)
}

func (s Store) last(ctx context.Context, by, and string, key func(Note) uuid.UUID, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]Note, error) {
	out := map[uuid.UUID]Note{}
	if len(ids) == 0 {
		return out, nil
	}
	var found []Note
	err := s.Gorm(ctx).Raw(`SELECT n.* FROM unnest(?::uuid[]) AS k (id)
		CROSS JOIN LATERAL (SELECT * FROM notes n WHERE n.merchant_id = ?
		AND `+by+` = k.id AND `+and+` ORDER BY n.id DESC LIMIT 1) n`, database.IDs(ids), merchantID).Find(&found).Error
	for _, n := range found {
		out[key(n)] = n
	}
	return out, err
}

package followup

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Subject is a thing with whose it is, as it is shown with its notes.
type Subject struct {
	ID, ClientID, PurchaseID uuid.UUID
	ClientName, Phone        string
	Erased                   bool  // the client's personal data is gone, and nothing is written down any more
	OwedCents                int64 // of a purchase that is still to be paid
	OwnerID                  uuid.UUID
}

// Waiting is a reason for which a thing needs attention, or would, were it not put off or closed.
type Waiting struct {
	Kind        Kind
	State       State // snoozed or closed; empty when it waits
	HiddenUntil string
	Actor       string // who put it off or closed it
}

// Subject finds a thing that can be followed up; NotFound for what the merchant has not.
func (s Store) Subject(ctx context.Context, merchantID uuid.UUID, o Object) (found Subject, err error) {
	query, known := where[o.Type]
	if !known {
		return Subject{}, fault.Missing()
	}
	err = s.Gorm(ctx).Raw(`SELECT x.id, x.client_id, x.purchase_id,
			coalesce(`+client.NameIn("k.")+`, '') AS client_name,
			coalesce(k.phone, '') AS phone, k.erased_at IS NOT NULL AS erased, o.owner_id,
			coalesce((SELECT p.total_cents FROM purchases p WHERE p.id = x.purchase_id AND p.merchant_id = ?
			AND is_owed(p.status)), 0)
				AS owed_cents
		FROM (`+query+` merchant_id = ? AND id = ?) x (id, client_id, purchase_id)
			LEFT JOIN clients k ON k.id = x.client_id LEFT JOIN owners o ON o.merchant_id = ? AND o.object_id = x.id`,
		merchantID, merchantID, o.ID, merchantID).Take(&found).Error
	return found, err
}

// WaitingFor are the reasons for which a thing needs attention.
func (s Store) WaitingFor(ctx context.Context, merchantID, objectID uuid.UUID) (found []Waiting, err error) {
	err = s.Gorm(ctx).Raw(`SELECT w.kind, coalesce(f.state, '') AS state, w.hidden_until::text AS hidden_until,
			coalesce(f.actor, '') AS actor
		FROM (SELECT * FROM attention_facts a WHERE a.object_id = ? AND a.merchant_id = ? OFFSET 0) w
			LEFT JOIN followups f ON f.merchant_id = w.merchant_id AND f.object_id = w.object_id
			AND f.kind = w.kind AND f.at = w.at
				AND f.state <> 'open'
		ORDER BY w.kind`, objectID, merchantID).Find(&found).Error
	return found, err
}

// NotesAbout are the notes and calls that are shown with a thing, newest first: all of its client, or its own where it
// has none.
func (s Store) NotesAbout(ctx context.Context, merchantID uuid.UUID, of Subject,
	ask paging.Ask) (paging.Page[Note], error) {
	if of.ClientID != uuid.Nil {
		return s.NotesOfClient(ctx, merchantID, of.ClientID, ask)
	}
	return s.Notes(ctx, merchantID, of.ID, ask)
}

package followup

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Store is where notes, promises, owners and acts are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Note) TableName() string { return "notes" }

// TableName implements GORM's Tabler.
func (Act) TableName() string { return "followups" }

// ownership says who looks after a thing.
type ownership struct {
	MerchantID uuid.UUID  `gorm:"primaryKey"`
	ObjectID   uuid.UUID  `gorm:"primaryKey"`
	ObjectType ObjectType `gorm:"<-:create"`
	OwnerID    uuid.UUID
	UpdatedAt  time.Time
}

// TableName implements GORM's Tabler.
func (ownership) TableName() string { return "owners" }

// where are the rows of each type of object: their id, client and purchase.
var where = map[ObjectType]string{ //nolint:gosec // queries, no credentials
	Client:   `SELECT id, id AS client_id, NULL::uuid AS purchase_id FROM clients WHERE deleted_at IS NULL AND`,
	Purchase: `SELECT id, client_id, id AS purchase_id FROM purchases WHERE`,
	Debit:    `SELECT id, client_id, purchase_id FROM collections WHERE`,
	Mandate:  `SELECT id, client_id, NULL::uuid AS purchase_id FROM mandates WHERE`,
	Token:    `SELECT id, client_id, NULL::uuid AS purchase_id FROM tokens WHERE`,
	Invoice: `SELECT i.id, (SELECT p.client_id FROM purchases p WHERE p.id = i.purchase_id), i.purchase_id
		FROM invoices i WHERE`,
	Subscriber: `SELECT id, client_id, NULL::uuid AS purchase_id FROM template_clients WHERE`,
	Mail:       `SELECT id, client_id, purchase_id FROM mails WHERE`,
	Promised:   `SELECT id, client_id, purchase_id FROM promises WHERE`,
	Requested:  `SELECT id, client_id, NULL::uuid AS purchase_id FROM client_requests WHERE`,
}

// subject is an object with whose it is.
type subject struct {
	Object
	ClientID, PurchaseID uuid.UUID
}

// shownWith is the purchase on whose page it is shown. A mandate and its token share the id of the purchase
// that asked for them, but what a client promises about them is not owed on it.
func (s subject) shownWith() uuid.UUID {
	if s.Type == Mandate || s.Type == Token {
		return s.ID
	}
	return s.PurchaseID
}

// find gives those of the objects that the merchant has, in the order in which they were named.
func find(tx *database.Tx, merchantID uuid.UUID, objects []Object) ([]subject, error) {
	ids := map[ObjectType][]uuid.UUID{}
	for _, o := range objects {
		ids[o.Type] = append(ids[o.Type], o.ID)
	}
	found := map[Object]subject{}
	for of, some := range ids {
		query, known := where[of]
		if !known {
			continue
		}
		var rows []subject
		if err := tx.Gorm().Raw(query+" merchant_id = ? AND id IN ?", merchantID, some).Find(&rows).Error; err != nil {
			return nil, fmt.Errorf("find what is followed up: %w", err)
		}
		for _, s := range rows {
			s.Type = of
			found[s.Object] = s
		}
	}
	var out []subject
	for _, o := range objects {
		if s, is := found[o]; is {
			out = append(out, s)
			delete(found, o) // named twice, done once
		}
	}
	return out, nil
}

// holdClients keeps the clients from being erased until the transaction ends, and gives those that are erased already.
func holdClients(tx *database.Tx, merchantID uuid.UUID, clients []uuid.UUID) (map[uuid.UUID]bool, error) {
	var held []struct {
		ID     uuid.UUID
		Erased bool
	}
	if err := tx.Gorm().Raw(`SELECT id, erased_at IS NOT NULL AS erased FROM clients
		WHERE merchant_id = ? AND id IN ? ORDER BY id FOR SHARE`, merchantID, clients).Find(&held).Error; err != nil {
		return nil, fmt.Errorf("hold clients: %w", err)
	}
	erased := map[uuid.UUID]bool{}
	for _, c := range held {
		erased[c.ID] = c.Erased
	}
	return erased, nil
}

// setOwner gives things to a person of the team; uuid.Nil: to nobody.
func setOwner(tx *database.Tx, merchantID uuid.UUID, of []subject, owner uuid.UUID) error {
	owned, ids := make([]ownership, len(of)), make([]uuid.UUID, len(of))
	for i, o := range of {
		owned[i], ids[i] = ownership{merchantID, o.ID, o.Type, owner, tx.Now()}, o.ID
	}
	if owner == uuid.Nil {
		return tx.Gorm().Scopes(database.OfMerchant(merchantID)).Delete(&ownership{}, "object_id IN ?", ids).Error
	}
	return tx.Gorm().Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "merchant_id"}, {Name: "object_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"owner_id", "updated_at"})}).Create(&owned).Error
}

// hide puts items off or closes them, as they wait at this moment, and gives those that do wait.
func hide(tx *database.Tx, a Act, items []Item) (map[Item]bool, error) {
	ids, kinds := parted(items)
	return changed(tx, `INSERT INTO followups (merchant_id, object_id, kind, at, state, hidden_until, reason, actor_id,
			actor, acted_at)
		SELECT f.merchant_id, f.object_id, f.kind, f.at, ?, ?::text::date, ?, ?, ?, ?
		FROM unnest(?::uuid[], ?::text[]) AS c (object_id, kind) CROSS JOIN LATERAL (
			SELECT * FROM attention_facts a WHERE a.object_id = c.object_id AND a.merchant_id = ? OFFSET 0) f
			WHERE f.kind = c.kind
		ON CONFLICT (merchant_id, object_id, kind) DO UPDATE SET at = excluded.at, state = excluded.state,
			hidden_until = excluded.hidden_until, reason = excluded.reason, actor_id = excluded.actor_id, actor = excluded.actor,
			acted_at = excluded.acted_at
		RETURNING kind, object_id`, a.State, a.HiddenUntil, a.Reason, database.OrNull(a.ActorID), a.Actor, a.ActedAt, ids,
		kinds, a.MerchantID)
}

// show makes items wait again that were put off or closed, and gives those that were.
func show(tx *database.Tx, a Act, items []Item) (map[Item]bool, error) {
	ids, kinds := parted(items)
	return changed(tx, `UPDATE followups f SET state = 'open', hidden_until = '-infinity', reason = '',
			actor_id = ?, actor = ?, acted_at = ?
		FROM unnest(?::uuid[], ?::text[]) AS c (object_id, kind)
		WHERE f.merchant_id = ? AND f.object_id = c.object_id AND f.kind = c.kind AND f.state <> 'open'
		RETURNING f.kind, f.object_id`, database.OrNull(a.ActorID), a.Actor, a.ActedAt, ids, kinds, a.MerchantID)
}

func parted(items []Item) (ids, kinds database.TextArray) {
	for _, item := range items {
		ids, kinds = append(ids, item.ObjectID.String()), append(kinds, string(item.Kind))
	}
	return ids, kinds
}

func changed(tx *database.Tx, sql string, args ...any) (map[Item]bool, error) {
	var found []Item
	if err := tx.Gorm().Raw(sql, args...).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("change what waits: %w", err)
	}
	out := map[Item]bool{}
	for _, item := range found {
		out[item] = true
	}
	return out, nil
}

// promisePaid tells of promises p whether what was promised is paid.
const promisePaid = "promise_paid(p)"

// TableName implements GORM's Tabler.
func (Promise) TableName() string { return "promises" }

// promises are those of a business, each with whether its purchase is paid.
func (s Store) promises(ctx context.Context, merchantID uuid.UUID) *gorm.DB {
	return s.Gorm(ctx).Table("promises p").Select("p.*, "+promisePaid+" AS paid").Where("p.merchant_id = ?", merchantID)
}

// lockPromise finds an open or settled promise and holds it.
func lockPromise(tx *database.Tx, merchantID, id uuid.UUID) (p Promise, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&p, "id = ?", id).Error
	return p, err
}

// settle moves an open promise; false when it is open no more.
func settle(tx *database.Tx, p Promise) (bool, error) {
	return database.Found(tx.Gorm().Model(&p).Scopes(database.OfMerchant(p.MerchantID)).
		Where("state = ?", Open).Select("state", "updated_at").UpdateColumns(p))
}

// replaceOpen withdraws the open promise of a purchase, for a newer one takes its place.
func replaceOpen(tx *database.Tx, merchantID, purchaseID uuid.UUID) (bool, error) {
	return database.Found(tx.Gorm().Model(&Promise{}).Scopes(database.OfMerchant(merchantID)).
		Where("purchase_id = ? AND state = ?", purchaseID, Open).
		UpdateColumns(map[string]any{"state": Withdrawn, "updated_at": tx.Now()}))
}

// owing is what a purchase comes to. Who asks holds the purchase: of several who promise at once, the last one stands.
func owing(tx *database.Tx, merchantID, id uuid.UUID) (cents int64, currency string, owed bool, err error) {
	var of struct {
		TotalCents int64
		Currency   string
		Owed       bool
	}
	err = tx.Gorm().Raw(`SELECT total_cents, currency, is_owed(status) AS owed FROM purchases
		WHERE merchant_id = ? AND id = ? FOR NO KEY UPDATE`, merchantID, id).Take(&of).Error
	if err != nil {
		err = fmt.Errorf("look what is owed: %w", err)
	}
	return of.TotalCents, of.Currency, of.Owed, err
}

// PromisesOn are the promises due on the days from first to last, both included, in their order, up to limit.
func (s Store) PromisesOn(ctx context.Context, merchantID uuid.UUID, first, last calendar.Date,
	limit int) (found []Promise, err error) {
	err = s.promises(ctx, merchantID).Where("p.due_on BETWEEN ? AND ?", first, last).Order("p.due_on, p.id").Limit(limit).
		Find(&found).Error
	return found, err
}

// PromisesOf are the promises of a client, newest first.
func (s Store) PromisesOf(ctx context.Context, merchantID, clientID uuid.UUID, limit int) (found []Promise, err error) {
	err = s.promises(ctx, merchantID).Where("p.client_id = ?", clientID).Order("p.id DESC").Limit(limit).Find(&found).Error
	return found, err
}

// OpenPromises are the promises to pay some purchases, or all that their clients owe, that were neither settled nor
// paid.
func (s Store) OpenPromises(ctx context.Context, merchantID uuid.UUID,
	purchases []uuid.UUID) (map[uuid.UUID]Promise, error) {
	out := map[uuid.UUID]Promise{}
	if len(purchases) == 0 {
		return out, nil
	}
	var found []struct {
		Promise `gorm:"embedded"`
		Of      uuid.UUID
	}
	err := s.Gorm(ctx).Raw(`SELECT p.*, `+promisePaid+` AS paid, w.id AS of FROM purchases w
		CROSS JOIN LATERAL (SELECT * FROM promises o WHERE o.merchant_id = w.merchant_id AND o.purchase_id = w.id
				AND o.state = 'open'
			UNION ALL SELECT * FROM promises o WHERE o.merchant_id = w.merchant_id AND o.client_id = w.client_id
				AND o.purchase_id IS NULL AND o.state = 'open') p
		WHERE w.merchant_id = ? AND w.id = ANY(?::uuid[])
		ORDER BY p.purchase_id IS NOT NULL, p.due_on, p.id`, merchantID, database.IDs(purchases)).
		Find(&found).Error
	for _, p := range found {
		if p.PurchaseID != uuid.Nil || !p.Paid {
			out[p.Of] = p.Promise // one about the purchase goes before one about everything
		}
	}
	return out, err
}

// PromisesByID are some promises, in no order.
func (s Store) PromisesByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (found []Promise, err error) {
	err = s.promises(ctx, merchantID).Where("p.id IN ?", ids).Find(&found).Error
	return found, err
}

// Owners are the people who look after some things.
func (s Store) Owners(ctx context.Context, merchantID uuid.UUID, objects []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	out := map[uuid.UUID]uuid.UUID{}
	if len(objects) == 0 {
		return out, nil
	}
	var found []ownership
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("object_id IN ?", objects).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("read owners: %w", err)
	}
	for _, o := range found {
		out[o.ObjectID] = o.OwnerID
	}
	return out, nil
}

// addNotes adds notes in this transaction, some at a time.
func addNotes(tx *database.Tx, notes []Note) error {
	return tx.Gorm().CreateInBatches(notes, 500).Error
}

// InsertNote adds a note with what waits in this transaction: the import of a book adds many.
func InsertNote(tx *database.Tx, n Note) {
	tx.Later(`INSERT INTO notes (id, merchant_id, object_type, object_id, client_id, purchase_id, text, outcome, phone,
			author_id, author, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, database.Native([]any{n.ID, n.MerchantID,
		string(n.ObjectType), n.ObjectID, database.OrNull(n.ClientID), database.OrNull(n.PurchaseID), n.Text,
		string(n.Outcome), n.Phone, database.OrNull(n.AuthorID), n.Author, n.CreatedAt})...)
}

// RemoveNotes takes notes back that nobody has changed since they were added.
func RemoveNotes(tx *database.Tx, merchantID uuid.UUID, ids []uuid.UUID) {
	tx.Later(`DELETE FROM notes WHERE merchant_id = $1 AND id = ANY($2::uuid[])`, merchantID, database.IDs(ids))
}

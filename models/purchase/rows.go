package purchase

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

// Store is where purchases are kept, with what came of their money.
type Store struct{ *database.DB }

// payerNumbers are the numbers behind the masks; they are sealed.
type payerNumbers struct {
	PersonalCode string `json:"p,omitempty"`
	BankAccount  string `json:"a,omitempty"`
}

// The client's details mask their own numbers when they are encoded. The numbers are
// sealed beside them.
var (
	// Table holds the purchases. By it go the statements that make, charge and answer them, many at a time; all else is
	// GORM's.
	Table = table.New("purchases",
		table.Column[Purchase]{Name: "payer_name", Write: func(_ *seal.Box, p *Purchase) (any, error) {
			return p.Payer.FullName, nil
		}},
		table.Column[Purchase]{Name: "payer_email", Once: true,
			Write: func(_ *seal.Box, p *Purchase) (any, error) { return p.Payer.Email, nil }},
		table.Column[Purchase]{Name: "payer_sealed", Write: sealPayer, Read: openPayer},
		table.Column[Purchase]{Name: "search", Once: true,
			Write: func(_ *seal.Box, p *Purchase) (any, error) {
				return database.VectorOf(database.WordsOf(p.Payer.FullName, p.Payer.Email, p.Reference, p.ReferenceGenerated)), nil
			}},
	).Then(func(p *Purchase) { p.Seen = p.AsSeen() })
	moveStatement = Table.Write(`UPDATE purchases SET @set, version = version + 1
		WHERE id = @id AND merchant_id = @merchant_id AND status = @from AND version = @version`, "from")
	// runStatement leaves what the client and the merchant said of a purchase as it stands: a debit changes none of it.
	runStatement = Table.Write(`UPDATE purchases SET @others(payer, payer_name, payer_sealed, details),
		version = version + 1
		WHERE id = @id AND merchant_id = @merchant_id AND status = @from AND version = @version`, "from")
)

// TableName implements GORM's Tabler.
func (Purchase) TableName() string { return "purchases" }

// AfterFind implements GORM's hook: the numbers are put where they belong.
func (p *Purchase) AfterFind(*gorm.DB) error {
	n := p.Numbers
	p.Payer.PersonalCode, p.Payer.BankAccount = bank.IDNumber(n.PersonalCode), bank.AccountNumber(n.BankAccount)
	p.Numbers = payerNumbers{}
	p.Seen = p.AsSeen()
	return nil
}

// columns are what is read of a purchase: all but the words that it is found by.
var columns = database.Columns[Purchase]("")

// ofMerchant is the scope of the purchases of a merchant.
func ofMerchant(id uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Select(columns).Where("merchant_id = ?", id) }
}

func sealPayer(box *seal.Box, p *Purchase) (any, error) {
	n := payerNumbers{p.Payer.PersonalCode.Reveal(), p.Payer.BankAccount.Reveal()}
	if n == (payerNumbers{}) {
		return nil, nil
	}
	b, err := json.Marshal(n)
	return box.SealBytes(seal.PlaceOf("purchases", "payer_sealed", p.MerchantID, p.ID), b), err
}

func openPayer(box *seal.Box, p *Purchase, stored []byte) error {
	var n payerNumbers
	b, err := box.OpenBytes(seal.PlaceOf("purchases", "payer_sealed", p.MerchantID, p.ID), stored)
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	p.Payer.PersonalCode, p.Payer.BankAccount = bank.IDNumber(n.PersonalCode), bank.AccountNumber(n.BankAccount)
	return err
}

// Versioned is a purchase as it is stored: its first version is 1.
func (p Purchase) Versioned() Purchase {
	p.Version = max(p.Version, 1)
	return p
}

// Insert adds a purchase in this transaction, and tells of it.
func Insert(tx *database.Tx, p Purchase) {
	database.Insert(tx, Table, p.Versioned())
	TellMade(tx, p)
}

// Move writes a purchase by compare-and-set on status and version: the transaction ends with fault.ErrLost when it is
// not as it was loaded.
func Move(tx *database.Tx, p Purchase, from Status) {
	database.CompareAndSet(tx, moveStatement, p.Versioned(), from)
	TellMoved(tx, p)
	voidRow(tx, p, from)
}

// voidRow has the batch that a purchase was sent by say that it was cancelled, whoever cancelled it.
func voidRow(tx *database.Tx, p Purchase, from Status) {
	if p.Status != Cancelled || from == Cancelled {
		return
	}
	tx.Later(`WITH voided AS (UPDATE batch_rows SET state = 'voided'
			WHERE merchant_id = $1 AND purchase_id = $2 AND state = 'sent' RETURNING batch_id, total_cents, charge)
		UPDATE batches b SET counts = b.counts || jsonb_build_object(
			'sent', coalesce((b.counts ->> 'sent')::bigint, 0) - 1, 'voided', coalesce((b.counts ->> 'voided')::bigint, 0) + 1,
			'sent_cents', coalesce((b.counts ->> 'sent_cents')::bigint, 0) - v.total_cents,
			'charges', coalesce((b.counts ->> 'charges')::bigint, 0) - (v.charge = 'wanted')::int,
			'uncharged', coalesce((b.counts ->> 'uncharged')::bigint, 0) - (v.charge = 'failed')::int)
		FROM voided v WHERE b.merchant_id = $1 AND b.id = v.batch_id`, p.MerchantID, p.ID)
}

// Save is move for a row that this transaction holds: nobody can be quicker, so the write may wait and travel with
// others. The client's details and the products stay as they are.
func Save(tx *database.Tx, p Purchase, from Status) {
	database.Save(tx, runStatement, p.Versioned(), from)
	TellMoved(tx, p)
	voidRow(tx, p, from)
}

// markSent turns those of the purchases that are created into sent. One statement for all of a merchant.
func markSent(tx *database.Tx, of map[uuid.UUID][]uuid.UUID) error {
	sent, err := json.Marshal([]Change{{Status: Sent, At: tx.Now()}})
	if err != nil {
		return fmt.Errorf("mark purchases sent: %w", err)
	}
	for merchantID, ids := range of {
		tx.Later(`UPDATE purchases SET status = 'sent', history = history || $3::jsonb, version = version + 1, updated_at = $4
			WHERE merchant_id = $1 AND id = ANY($2::uuid[]) AND status = 'created'`, merchantID, database.IDs(ids), string(sent),
			tx.Now())
	}
	return nil
}

// noteOpened notes when the client opened the page to pay; false when they have it open.
func noteOpened(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	noted, err := database.Found(tx.Gorm().Exec(`UPDATE purchases SET opened_at = ?
		WHERE merchant_id = ? AND id = ? AND (opened_at IS NULL OR opened_at <= ?)`, tx.Now(), merchantID, id,
		tx.Now().Add(-OpenFor)))
	if err != nil {
		return false, fmt.Errorf("note that a page was opened: %w", err)
	}
	return noted, nil
}

var readdressStatement = Table.Write(
	`UPDATE purchases SET @set(payer_email, search) WHERE merchant_id = @merchant_id AND id = @id`)

// readdress changes the client's address where lists and searches look; move follows.
func readdress(tx *database.Tx, p Purchase) { database.Write(tx, readdressStatement, p) }

// Purchase finds one; NotFound for unknown ids and those of others.
func (s Store) Purchase(ctx context.Context, merchantID, id uuid.UUID) (Purchase, error) {
	return database.ByKey(ctx, s.DB, Table, database.Key{MerchantID: merchantID, ID: id},
		func(p Purchase) database.Key { return database.Key{MerchantID: p.MerchantID, ID: p.ID} }, "")
}

// PurchaseForPayer finds the purchase of a client's link: the id itself is the permission.
func (s Store) PurchaseForPayer(ctx context.Context, id uuid.UUID) (p Purchase, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Select(columns).Take(&p, "id = ?", id).Error
	return p, err
}

// mostOpen is how many purchases one mail lists at most.
const mostOpen = 50

// OpenOfClient lists what a client owes a brand and was told of, oldest due first.
func (s Store) OpenOfClient(ctx context.Context, merchantID, clientID,
	brandID uuid.UUID) (found []Purchase, err error) {
	err = s.Gorm(ctx).Scopes(ofMerchant(merchantID)).Order("due, id").Limit(mostOpen).Find(&found, `client_id = ?
		AND brand_id = ? AND status IN ('sent', 'viewed', 'overdue', 'error') AND total_cents > 0`, clientID, brandID).Error
	return found, err
}

// RemindedOn gives those of some objects that a reminder of that number is about.
func (s Store) RemindedOn(ctx context.Context, merchantID uuid.UUID, objects []uuid.UUID,
	number int) ([]uuid.UUID, error) {
	var found []uuid.UUID
	err := s.Gorm(ctx).Raw(`SELECT object_id FROM mails WHERE merchant_id = ? AND object_id = ANY(?::uuid[])
		AND kind = ? AND attempt = ?`, merchantID, database.IDs(objects), MailReminder, number).
		Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find reminders: %w", err)
	}
	return found, nil
}

// PendingOfSubscriber lists the purchases of a subscription whose debits are under way.
func (s Store) PendingOfSubscriber(ctx context.Context, merchantID,
	subscriberID uuid.UUID) (found []Purchase, err error) {
	err = s.Gorm(ctx).Scopes(ofMerchant(merchantID)).Order("id").
		Find(&found, "subscriber_id = ? AND status IN ('pending_charge', 'pending_execute')", subscriberID).Error
	return found, err
}

// PendingOfClient lists the purchases of a client whose debits are under way.
func (s Store) PendingOfClient(ctx context.Context, merchantID, clientID uuid.UUID) (found []Purchase, err error) {
	err = s.Gorm(ctx).Scopes(ofMerchant(merchantID)).Order("id").
		Find(&found, "client_id = ? AND status IN ('pending_charge', 'pending_execute')", clientID).Error
	return found, err
}

// WaitingFor lists the purchases in pending_charge that would be collected from a token, and the tokenising purchase
// itself while its first debit is not at the bank yet.
func (s Store) WaitingFor(ctx context.Context, merchantID, tokenID uuid.UUID) (found []Purchase, err error) {
	err = s.Gorm(ctx).Scopes(ofMerchant(merchantID)).Order("id").Find(&found, `(token_id = ? AND status = 'pending_charge'
		OR id = ? AND status IN ('pending_charge', 'pending_execute') AND EXISTS (SELECT FROM collections c
			WHERE c.merchant_id = purchases.merchant_id AND c.purchase_id = purchases.id AND c.token_id = purchases.id
			AND c.state = 'scheduled'))`, tokenID, tokenID).Error
	return found, err
}

// PurchasesOf finds purchases by their ids.
func (s Store) PurchasesOf(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]Purchase, error) {
	found, err := s.several(ctx, merchantID, ids, "id")
	out := make(map[uuid.UUID]Purchase, len(found))
	for _, p := range found {
		out[p.ID] = p
	}
	return out, err
}

// several finds purchases by their ids, in an order.
func (s Store) several(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID,
	order string) (found []Purchase, err error) {
	err = s.Gorm(ctx).Scopes(ofMerchant(merchantID)).Order(order).
		Find(&found, "id = ANY(?::uuid[])", database.IDs(ids)).Error
	return found, err
}

// ScheduledFrom lists the purchases whose newest collection is scheduled on a token and not at the bank yet, in the
// order of their ids. A purchase whose own account waits for its first debit counts too: it names no token that it is
// paid with.
func (s Store) ScheduledFrom(ctx context.Context, merchantID, tokenID uuid.UUID) (found []Purchase, err error) {
	err = s.Gorm(ctx).Scopes(ofMerchant(merchantID)).Order("id").
		Find(&found, `status IN ('pending_charge', 'pending_execute')
			AND id IN (SELECT purchase_id FROM collections WHERE merchant_id = ? AND token_id = ? AND state = 'scheduled')`,
			merchantID, tokenID).Error
	return found, err
}

package exchange

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

// movementTable adds movements many at once; all else of them is GORM's.
var movementTable = table.New[Entry]("bank_entries")

// TableName implements GORM's Tabler.
func (Entry) TableName() string { return "bank_entries" }

// TableName implements GORM's Tabler.
func (Document) TableName() string { return "bank_files_in" }

// TableName implements GORM's Tabler.
func (Finding) TableName() string { return "bank_findings" }

// withoutEarlier leaves out entries that were kept before keys told the account.
func (t unit) withoutEarlier(entries []Entry) ([]Entry, error) {
	var keys []string
	for _, e := range entries {
		if e.earlierKey != "" {
			keys = append(keys, e.earlierKey)
		}
	}
	if len(keys) == 0 {
		return entries, nil
	}
	var found []struct {
		Key string
		Of  uuid.UUID
	}
	err := t.Gorm().Raw(`SELECT key, coalesce(merchant_id, ?) AS of FROM bank_entries
		WHERE key IN ? AND account_hash IS NULL`, uuid.Nil, keys).Find(&found).Error
	known := map[string]uuid.UUID{}
	for _, f := range found {
		known[f.Key] = f.Of
	}
	return slices.DeleteFunc(entries, func(e Entry) bool {
		of, is := known[e.earlierKey]
		return is && of == e.MerchantID
	}), err
}

func (t unit) holdEntry(merchantID, id uuid.UUID) (e Entry, err error) {
	err = t.Gorm().Scopes(database.OfMerchant(merchantID), database.ForNoKeyUpdate).Take(&e, "id = ?", id).Error
	return e, err
}

// unmatchedIn counts the movements of a merchant in one document that belong to nothing yet.
func (t unit) unmatchedIn(merchantID, arrivalID uuid.UUID) (n int64, err error) {
	err = t.Gorm().Model(&Entry{}).Scopes(database.OfMerchant(merchantID)).
		Where("arrival_id = ? AND state = ?", arrivalID, EntryUnmatched).Count(&n).Error
	return n, err
}

// freeEntry lets a movement belong to nothing again.
func (t unit) freeEntry(e Entry) error { return t.changeEntry(e, "state = ?") }

func (t unit) saveEntry(e Entry) error { return t.changeEntry(e, "state <> ?") }

// changeEntry keeps what a movement belongs to, where by its state it was matched, or was not.
func (t unit) changeEntry(e Entry, matched string) error {
	return database.OneRow(t.Gorm().Model(&e).Scopes(database.AcrossMerchants).Where(matched, EntryMatched).
		UpdateColumns(map[string]any{"state": e.State, "item_id": database.OrNull(e.ItemID),
			"message_id": database.OrNull(e.MessageID), "group_id": database.OrNull(e.GroupID), "matched_by": e.MatchedBy,
			"matched_at": database.InstantOrNull(e.MatchedAt), "fee_cents": e.FeeCents,
			"paid_cents": e.PaidCents, "note": e.Note,
			"judged_at": gorm.Expr("coalesce(judged_at, ?)", t.Now())})) // a person decided: the rule for EFT does not
}

func (t unit) saveStatement(s Statement) error {
	var opening, closing *int64
	if s.HasOpening {
		opening = &s.OpeningCents
	}
	if s.HasClosing {
		closing = &s.ClosingCents
	}
	return t.Gorm().Exec(`INSERT INTO bank_statements (merchant_id, account_hash, day, opening_cents, closing_cents)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (merchant_id, day, account_hash) DO UPDATE SET
		opening_cents = coalesce(excluded.opening_cents, bank_statements.opening_cents),
		closing_cents = coalesce(excluded.closing_cents, bank_statements.closing_cents)`,
		s.MerchantID, t.DB().Seal.Hash(s.MerchantID, "statement_account", s.Account.Reveal()), s.Day, opening, closing).Error
}

func documentAt(merchantID, id uuid.UUID) seal.Place {
	return seal.PlaceOf("bank_files_in", "content", merchantID, id)
}

// openDocument keeps an arrival under its owner and the hash of its bytes, or gives the one that is there.
func (t unit) openDocument(d Document, packed []byte) (kept Document, fresh bool, err error) {
	added := t.Gorm().Scopes(database.AcrossMerchants).
		Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "sha256"}}, DoNothing: true}).Create(&d)
	if added.Error != nil {
		return d, false, fmt.Errorf("keep a document: %w", added.Error)
	}
	if added.RowsAffected == 0 {
		err = t.Gorm().Scopes(database.OfMerchant(d.MerchantID), withoutContent, database.ForNoKeyUpdate).
			Take(&kept, "content_sha256 = ?", d.SHA256).Error
		if err != nil || packed == nil || kept.State != DocumentRejected || kept.Why != whyDamaged {
			return kept, false, err
		}
		d = kept // it is read from what is brought now
		d.State, d.Why, d.ReadAt = DocumentOpen, "", time.Time{}
		if err := t.reopenDocument(d.ID, d.ArrivedAt); err != nil {
			return d, false, err
		}
		if err := t.settleFindings(Unreadables, d.ID.String(), d.BroughtBy, "The file was imported again."); err != nil {
			return d, false, err
		}
	}
	if packed == nil {
		return d, true, nil
	}
	err = t.Gorm().Model(&d).Scopes(database.OfMerchant(d.MerchantID)).
		UpdateColumn("content", t.DB().Seal.SealBytes(documentAt(d.MerchantID, d.ID), packed)).Error
	return d, err == nil, err
}

// closeDocument adds what a document says of a merchant to that merchant's list, once the document is read.
func (t unit) closeDocument(d Document, of map[uuid.UUID]Tally) error {
	fresh, err := database.Found(t.Gorm().Model(&d).Scopes(database.OfMerchant(d.MerchantID)).
		Where("state = ?", DocumentOpen).Select("name", "bank_id", "state", "why", "events", "item_count", "sum_cents",
		"read_at", "movements", "new_movements", "strange_movements", "strange_account").UpdateColumns(d))
	if err != nil || !fresh {
		return err
	}
	if d.MerchantID != uuid.Nil {
		sum := of[d.MerchantID] // who imported it sees it, whatever it says
		of[d.MerchantID] = sum
	}
	for id, sum := range of {
		if id != uuid.Nil {
			t.Later(`INSERT INTO bank_files_in_of (merchant_id, document_id, arrived_at, item_count, sum_cents)
				VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`, id, d.ID, d.ArrivedAt, sum.Count, sum.SumCents)
		}
	}
	return nil
}

// openFindings keeps findings whose kind and subject are new.
func (t unit) openFindings(findings []Finding) error {
	for _, f := range findings {
		f.ID, f.OpenedAt = t.NewID(), t.Now()
		err := t.Gorm().Scopes(database.AcrossMerchants).Clauses(clause.OnConflict{
			Columns:     []clause.Column{{Name: "kind"}, {Name: "subject"}},
			TargetWhere: clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "closed_at IS NULL"}}},
			DoNothing:   true,
		}).Create(&f).Error
		if err != nil {
			return fmt.Errorf("open a finding: %w", err)
		}
	}
	return nil
}

// concerns lets the people of a merchant see what concerns the installation, when it serves no other. The operator, who
// is of no merchant, always sees that.
func concerns(merchantID string) string {
	return fmt.Sprintf(`(merchant_id = %[1]s OR merchant_id IS NULL AND (%[1]s = '%[2]s'
		OR (SELECT count(*) = 1 FROM merchants)))`, merchantID, uuid.Nil)
}

func (t unit) holdDocument(id uuid.UUID) (d Document, err error) {
	err = t.Gorm().Scopes(database.AcrossMerchants, withoutContent, database.ForNoKeyUpdate).Take(&d, "id = ?", id).Error
	return d, err
}

func (t unit) holdFinding(merchantID, id uuid.UUID) (f Finding, err error) {
	err = t.Gorm().Scopes(database.ForNoKeyUpdate).Where(concerns("?"), merchantID, merchantID).Take(&f, "id = ?", id).
		Error
	return f, err
}

func (t unit) saveFinding(f Finding) error {
	return database.OneRow(t.Gorm().Model(&f).Scopes(database.AcrossMerchants).Where("closed_at IS NULL").
		Select("closed_at", "closed_by", "resolution").UpdateColumns(f))
}

// settleWhere closes open findings by a condition.
func (t unit) settleWhere(by, resolution, condition string, args ...any) {
	t.Fail(t.Gorm().Table("bank_findings").Where("closed_at IS NULL").Where(condition, args...).
		UpdateColumns(map[string]any{"closed_at": t.Now(), "closed_by": by, "resolution": resolution}).Error)
}

// settleFindings closes what is open about a subject.
func (t unit) settleFindings(k FindingKind, subject, by, resolution string) error {
	t.settleWhere(by, resolution, `kind = ? AND subject = ?`, string(k), subject)
	return nil
}

// settleOfMessage closes what is open about a message as a whole.
func (t unit) settleOfMessage(k FindingKind, messageID, by, resolution string) {
	t.settleWhere(by, resolution, `kind = ? AND message_id = ? AND item_id IS NULL`, string(k), messageID)
}

// settleOfDocument closes what is open about the reading of a document, whoever it was asked.
func (t unit) settleOfDocument(id uuid.UUID, by, resolution string) {
	t.settleWhere(by, resolution, `arrival_id = ? AND kind IN ('unreadable', 'not_stored')`, id)
}

// settleKind closes all open findings of a kind.
func (t unit) settleKind(k FindingKind, resolution string) error {
	t.settleWhere("", resolution, `kind = ?`, string(k))
	return nil
}

// leaveUnmatched says of the movements of a merchant in a document that belong to nothing that they are none of ours.
func (t unit) leaveUnmatched(merchantID, arrivalID uuid.UUID, note string) (n int64, err error) {
	left := t.Gorm().Model(&Entry{}).Scopes(database.OfMerchant(merchantID)).
		Where("arrival_id = ? AND state = ?", arrivalID, EntryUnmatched).
		UpdateColumns(map[string]any{"state": EntryOther, "note": note})
	return left.RowsAffected, left.Error
}

// waiting are merchants with items at the bank that have no answer.
func (t unit) waiting() ([]uuid.UUID, error) {
	return t.ids(`SELECT DISTINCT merchant_id FROM bank_items WHERE state = 'sent' AND outcome IN ('', 'in_tracking')
		ORDER BY 1`)
}

// reopenDocument lets a document be read once more, as one that arrived at that moment.
func (t unit) reopenDocument(id uuid.UUID, arrived time.Time) error {
	opened, err := database.Found(t.Gorm().Model(&Document{ID: id}).Scopes(database.AcrossMerchants).
		Where("state <> ?", DocumentOpen).UpdateColumns(map[string]any{"state": DocumentOpen, "why": "", "read_at": nil,
		"arrived_at": arrived}))
	if err == nil && !opened {
		return fault.New(fault.Conflict, "reading", "This file is being read already.")
	}
	return err
}

// ownerOf finds whose account that is; zero when it is nobody's.
func (t unit) ownerOf(account bank.AccountNumber) (uuid.UUID, error) {
	owner, err := merchant.OwnerOf(t.Tx, account)
	if fault.Is(err, fault.NotFound) {
		return uuid.Nil, nil
	}
	return owner, err
}

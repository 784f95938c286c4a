package book

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/mandate"
)

// TableName implements GORM's Tabler.
func (Scan) TableName() string { return "book_scans" }

// insertScan keeps a scan; the same one again changes nothing.
func insertScan(tx *database.Tx, s Scan) error {
	once := clause.OnConflict{DoNothing: true,
		Columns: []clause.Column{{Name: "import_id"}, {Name: "key"}, {Name: "sha256"}}}
	return tx.Gorm().Clauses(once).Create(&s).Error
}

// scans lists those of an import without their content, in the order of their names.
func (s Store) scans(ctx context.Context, i Import) (found []Scan, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(i.MerchantID)).Omit("content").Order("name, id").
		Find(&found, "import_id = ?", i.ID).Error
	return found, err
}

// withoutScan counts the rows that make a mandate and have no scan.
func (s Store) withoutScan(ctx context.Context, i Import) (n int, err error) {
	err = s.Gorm(ctx).Raw(`SELECT count(*) FROM book_import_rows r WHERE r.merchant_id = ? AND r.import_id = ?
		AND r.debitable AND NOT EXISTS (SELECT FROM book_scans s WHERE s.import_id = r.import_id AND s.n = r.n)`,
		i.MerchantID, i.ID).Find(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count rows without a scan: %w", err)
	}
	return n, nil
}

// placeScans notes the row of each scan.
func placeScans(tx *database.Tx, i Import, scans []Scan) error {
	if len(scans) == 0 {
		return nil
	}
	ids, rows := make([]uuid.UUID, len(scans)), make([]int, len(scans))
	for at, s := range scans {
		ids[at], rows[at] = s.ID, s.N
	}
	err := tx.Gorm().Exec(`UPDATE book_scans s SET n = u.n FROM unnest(?::uuid[], ?::int[]) AS u (id, n)
		WHERE s.merchant_id = ? AND s.import_id = ? AND s.id = u.id`, database.IDs(ids), database.Numbers(rows),
		i.MerchantID, i.ID).Error
	if err != nil {
		return fmt.Errorf("match scans: %w", err)
	}
	return nil
}

// keepScan keeps a scan with a mandate, by the same id; false when what is stored of it was damaged.
func keepScan(tx *database.Tx, s Scan, mandateID uuid.UUID) (bool, error) {
	of := s
	s = Scan{}
	err := tx.Gorm().Scopes(database.OfMerchant(of.MerchantID)).
		Take(&s, "import_id = ? AND id = ?", of.ImportID, of.ID).Error
	if err != nil {
		return false, fmt.Errorf("read a scan: %w", err)
	}
	if s.Unreadable("content") {
		return false, nil
	}
	mandate.InsertEvidence(tx, mandate.Evidence{ID: s.ID, MerchantID: s.MerchantID, MandateID: mandateID, Name: s.Name,
		ContentType: s.ContentType, SizeBytes: s.SizeBytes, SHA256: s.SHA256, Content: s.Content, CreatedAt: tx.Now()})
	return true, tx.Gorm().Exec(`UPDATE book_scans SET content = '' WHERE merchant_id = ? AND id = ?`, s.MerchantID, s.ID).
		Error
}

// provenBy finds the scans that mandates of clients have already.
func (s Store) provenBy(ctx context.Context, i Import, k *known, clients []uuid.UUID) error {
	k.proven = map[uuid.UUID][]string{}
	var found []struct {
		MandateID uuid.UUID
		Sha256    []byte
	}
	if err := s.Gorm(ctx).Raw(`SELECT e.mandate_id, e.sha256 FROM mandate_evidence e
		JOIN mandates m ON m.id = e.mandate_id AND m.merchant_id = e.merchant_id
		WHERE m.merchant_id = ? AND m.client_id = ANY(?::uuid[])`, i.MerchantID, database.IDs(clients)).
		Find(&found).Error; err != nil {
		return fmt.Errorf("look for scans that are there: %w", err)
	}
	for _, f := range found {
		k.proven[f.MandateID] = append(k.proven[f.MandateID], string(f.Sha256))
	}
	return nil
}

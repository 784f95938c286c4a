package book

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/mandate"
)

func scanPlace(s *Scan) seal.Place { return seal.PlaceOf("book_scans", "content", s.MerchantID, s.ID) }

var (
	scanTable = table.New("book_scans", table.Column[Scan]{Name: "content",
		Write: func(box *seal.Box, s *Scan) (any, error) { return box.SealBytes(scanPlace(s), s.Content), nil },
		Read: func(box *seal.Box, s *Scan, stored []byte) (err error) {
			if len(stored) > 0 {
				s.Content, err = box.OpenBytes(scanPlace(s), stored)
			}
			return err
		}})
	addScan = scanTable.Write(`INSERT INTO book_scans (@columns) VALUES (@values)
		ON CONFLICT (import_id, key, sha256) DO NOTHING`)
)

// insertScan keeps a scan; the same one again changes nothing.
func insertScan(tx *database.Tx, s Scan) { database.Write(tx, addScan, s) }

// scans lists those of an import without their content, in the order of their names.
func (s Store) scans(ctx context.Context, i Import) ([]Scan, error) {
	of := database.List(ctx, s.DB, scanTable, "content").Where("merchant_id = ? AND import_id = ?", i.MerchantID, i.ID)
	return database.Find(ctx, s.DB, scanTable, of.Order("name, id"))
}

// withoutScan counts the rows that make a mandate and have no scan.
func (s Store) withoutScan(ctx context.Context, i Import) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM book_import_rows r WHERE r.merchant_id = $1 AND r.import_id = $2
		AND r.debitable AND NOT EXISTS (SELECT FROM book_scans s WHERE s.import_id = r.import_id AND s.n = r.n)`,
		i.MerchantID.String(), i.ID.String()).Scan(&n)
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
	_, err := tx.Exec(`UPDATE book_scans s SET n = u.n FROM unnest($3::uuid[], $4::int[]) AS u (id, n)
		WHERE s.merchant_id = $1 AND s.import_id = $2 AND s.id = u.id`, i.MerchantID, i.ID, ids, rows)
	if err != nil {
		return fmt.Errorf("match scans: %w", err)
	}
	return nil
}

// keepScan keeps a scan with a mandate, by the same id; false when what is stored of it was damaged.
func keepScan(tx *database.Tx, s Scan, mandateID uuid.UUID) (bool, error) {
	s, err := database.One(tx.Context(), tx.DB(), scanTable, "merchant_id = $1 AND import_id = $2 AND id = $3",
		s.MerchantID, s.ImportID, s.ID)
	if err != nil {
		return false, fmt.Errorf("read a scan: %w", err)
	}
	if s.Unreadable("content") {
		return false, nil
	}
	mandate.InsertEvidence(tx, mandate.Evidence{ID: s.ID, MerchantID: s.MerchantID, MandateID: mandateID, Name: s.Name,
		ContentType: s.ContentType, SizeBytes: s.SizeBytes, SHA256: s.SHA256, Content: s.Content, CreatedAt: tx.Now()})
	tx.Later(`UPDATE book_scans SET content = '' WHERE merchant_id = $1 AND id = $2`, s.MerchantID, s.ID)
	return true, tx.Flush()
}

// provenBy finds the scans that mandates of clients have already.
func (s Store) provenBy(ctx context.Context, i Import, k *known, clients []uuid.UUID) error {
	k.proven = map[uuid.UUID][]string{}
	rows, err := s.Pool.Query(ctx, `SELECT e.mandate_id::text, e.sha256 FROM mandate_evidence e
		JOIN mandates m ON m.id = e.mandate_id AND m.merchant_id = e.merchant_id
		WHERE m.merchant_id = $1 AND m.client_id = ANY($2::uuid[])`, i.MerchantID.String(), database.IDs(clients))
	if err != nil {
		return fmt.Errorf("look for scans that are there: %w", err)
	}
	var id string
	var sum []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &sum}, func() error {
		k.proven[idFrom(id)] = append(k.proven[idFrom(id)], string(sum))
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for scans that are there: %w", err)
	}
	return nil
}

package book

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// Store is where imports are kept.
type Store struct{ *database.DB }

// rowLine is a row of an import with whose it is.
type rowLine struct {
	MerchantID uuid.UUID
	ImportID   uuid.UUID `gorm:"<-:create"`
	Row
}

func placeOf(column string, l *rowLine) seal.Place {
	return seal.Place{Owner: l.MerchantID, Table: "book_import_rows", Column: column, Row: l.ImportID.String() + "/" +
		strconv.Itoa(l.N)}
}

var (
	// rowTable holds the rows of imports, which come by thousands; all else of an import is GORM's.
	rowTable = table.New("book_import_rows",
		table.Column[rowLine]{Name: "cells", Once: true, Write: writeCells, Read: readCells},
		table.Column[rowLine]{Name: "undo_sealed", Write: writeUndo, Read: readUndo},
		table.Column[rowLine]{Name: "causes", Write: func(_ *seal.Box, l *rowLine) (any, error) {
			return causesOf(l.Findings, Problem, Hold), nil
		}},
		table.Column[rowLine]{Name: "warned", Write: func(_ *seal.Box, l *rowLine) (any, error) {
			return causesOf(l.Findings, Warning, Note), nil
		}})
	saveRow = rowTable.Write(
		`UPDATE book_import_rows SET @set WHERE merchant_id = @merchant_id AND import_id = @import_id AND n = @n`)
	moveRow = rowTable.Write(`UPDATE book_import_rows SET @set WHERE merchant_id = @merchant_id
		AND import_id = @import_id AND n = @n AND state = @was`, "was")
	saveWholeRow = rowTable.Write(`UPDATE book_import_rows SET @set, @set(cells) WHERE merchant_id = @merchant_id
		AND import_id = @import_id AND n = @n`)
)

// typedCells is how the cells of a row are stored once a person typed one of them again.
type typedCells struct {
	Cells []string       `json:"cells"`
	First map[int]string `json:"first"`
}

func writeCells(box *seal.Box, l *rowLine) (any, error) {
	if l.Unread != nil {
		return l.Unread, nil
	}
	var kept any = l.Cells
	if len(l.First) > 0 {
		kept = typedCells{l.Cells, l.First}
	}
	cells, err := json.Marshal(kept)
	return box.SealBytes(placeOf("cells", l), cells), err
}

func readCells(box *seal.Box, l *rowLine, stored []byte) error {
	if len(stored) == 0 { // deleted after the time in which it can be undone
		return nil
	}
	cells, err := box.OpenBytes(placeOf("cells", l), stored)
	switch {
	case err != nil || len(cells) == 0:
	case cells[0] == '{':
		var typed typedCells
		err = json.Unmarshal(cells, &typed)
		l.Cells, l.First = typed.Cells, typed.First
	default:
		err = json.Unmarshal(cells, &l.Cells)
	}
	if errors.Is(err, seal.ErrDamaged) {
		l.Unread, l.Broken, err = append([]byte{}, stored...), sheet.WithUnreadable(l.Broken), nil
	}
	return err
}

func writeUndo(box *seal.Box, l *rowLine) (any, error) {
	if l.Undo == nil {
		return nil, nil
	}
	text, err := json.Marshal(l.Undo)
	return box.SealBytes(placeOf("undo_sealed", l), text), err
}

func readUndo(box *seal.Box, l *rowLine, stored []byte) error {
	if len(stored) == 0 {
		return nil
	}
	text, err := box.OpenBytes(placeOf("undo_sealed", l), stored)
	if errors.Is(err, seal.ErrDamaged) {
		l.Undo = &Undo{Unreadable: true}
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &l.Undo)
}

func linesOf(i Import, rows []Row) []rowLine {
	out := make([]rowLine, len(rows))
	for n, r := range rows {
		out[n] = rowLine{i.MerchantID, i.ID, r}
	}
	return out
}

// TableName implements GORM's Tabler.
func (Import) TableName() string { return "book_imports" }

func insertImport(tx *database.Tx, i Import) { tx.Create(&i) }

// Lock keeps others from working on an import until the transaction ends; NotFound where there is none.
func Lock(tx *database.Tx, merchantID, id uuid.UUID) error {
	_, err := lockImport(tx, merchantID, id)
	return err
}

// lockImport reads an import and keeps others from working on it; NotFound otherwise.
func lockImport(tx *database.Tx, merchantID, id uuid.UUID) (i Import, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&i, "id = ?", id).Error
	return i, err
}

// addRows writes rows as they were read, many at a time.
func addRows(tx *database.Tx, i Import, rows []Row) error {
	return tx.Pgx(func(on pgx.Tx) error {
		return rowTable.Copy(tx.Context(), on, tx.DB().Seal, linesOf(i, rows), "merchant_id", "import_id", "n", "cells",
			"broken", "numbers", "state")
	})
}

// saveRows writes what became of rows; cells too when withCells.
func saveRows(tx *database.Tx, i Import, rows []Row, withCells bool) error {
	save := saveRow
	if withCells {
		save = saveWholeRow
	}
	for _, l := range linesOf(i, rows) {
		database.Write(tx, save, l)
	}
	return tx.Flush()
}

// countRows counts the rows of an import; one look at one index range.
const countRows = `SELECT json_build_object('new', count(*) FILTER (WHERE verdict = ''),
	'created', count(*) FILTER (WHERE verdict = 'created'), 'updated', count(*) FILTER (WHERE verdict = 'updated'),
	'unchanged', count(*) FILTER (WHERE verdict = 'unchanged'), 'skipped', count(*) FILTER (WHERE verdict = 'skipped'),
	'refused', count(*) FILTER (WHERE verdict = 'refused'), 'held', count(*) FILTER (WHERE verdict = 'held'),
	'warned', count(*) FILTER (WHERE verdict IN ('created', 'updated', 'unchanged') AND findings @> '[{"level":
		"warning"}]'),
	'applied', count(*) FILTER (WHERE state = 'applied'), 'undone', count(*) FILTER (WHERE state = 'undone'),
	'debitable', count(*) FILTER (WHERE debitable),
	'cents', least(coalesce(sum(cents), 0), 9223372036854775807))::text AS counts,
	sha256(coalesce(string_agg(int4send(n) || coalesce(digest, ''), '' ORDER BY n)
		FILTER (WHERE verdict IN ('created', 'updated', 'unchanged')), '')) AS fingerprint
	FROM book_import_rows WHERE merchant_id = ? AND import_id = ?`

// saveImport writes the import as it is.
func saveImport(tx *database.Tx, i Import) error {
	err := tx.Gorm().Model(&i).Scopes(database.OfMerchant(i.MerchantID)).Select("*").
		Omit("id", "merchant_id", "created_at").UpdateColumns(i).Error
	if err != nil {
		return fmt.Errorf("save an import: %w", err)
	}
	return nil
}

// countAnew counts the rows at the end of what was done with them. A count that was kept meanwhile and says something
// else is an error. A rehearsal gets the fingerprint of what was rehearsed.
func countAnew(tx *database.Tx, i *Import) error {
	var anew struct {
		Counts      Counts `gorm:"serializer:json"`
		Fingerprint []byte
	}
	if err := tx.Gorm().Raw(countRows, i.MerchantID, i.ID).Take(&anew).Error; err != nil {
		return fmt.Errorf("count the rows of an import: %w", err)
	}
	counts := anew.Counts
	if counts != i.Counts || counts.Sum() != i.Rows {
		return fmt.Errorf("import %s, read %d: counted %+v, and anew %+v", i.ID, i.Rows, i.Counts, counts)
	}
	if i.State == Checked {
		i.Fingerprint = anew.Fingerprint
	}
	return nil
}

// remember keeps a mapping for the next file with the same heading.
func remember(tx *database.Tx, i Import) error {
	mapping, err := json.Marshal(i.Mapping.forNext())
	if err != nil {
		return fmt.Errorf("remember a mapping: %w", err)
	}
	return tx.Gorm().Exec(`INSERT INTO book_mappings (merchant_id, header_hash, mapping, used_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (merchant_id, header_hash) DO UPDATE SET mapping = excluded.mapping, used_at = excluded.used_at`,
		i.MerchantID, i.HeaderHash, string(mapping), tx.Now()).Error
}

// freshen has all rows judged anew that nothing has become of.
func freshen(tx *database.Tx, i Import) error {
	err := tx.Gorm().Exec(`UPDATE book_import_rows SET state = 'new', verdict = '', debitable = false, cents = 0
		WHERE merchant_id = ? AND import_id = ? AND state IN ('new', 'judged')
			AND (state = 'judged' OR verdict <> '' OR debitable OR cents <> 0)`, i.MerchantID, i.ID).Error
	if err != nil {
		return fmt.Errorf("have rows judged anew: %w", err)
	}
	return nil
}

// Import finds an import; NotFound for those of others.
func (s Store) Import(ctx context.Context, merchantID, id uuid.UUID) (i Import, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&i, "id = ?", id).Error
	return i, err
}

// Imports lists a page, the newest first.
func (s Store) Imports(ctx context.Context, merchantID uuid.UUID, f Filter, ask paging.Ask) (paging.Page[Import],
	error) {
	w := &listing.Walk{Columns: database.Columns[Import](""), From: "book_imports"}
	w.And("merchant_id = ?", merchantID)
	w.FittingTime("created_at", f.From, f.To)
	if len(f.States) > 0 {
		w.Fitting("state = ANY(?::text[])", database.Texts(f.States))
	}
	return listing.PageOf[Import](ctx, s.DB, w, ask, nil)
}

// mappingFor finds what was chosen for a heading before.
func (s Store) mappingFor(ctx context.Context, merchantID uuid.UUID, headerHash []byte) (m Mapping, found bool,
	err error) {
	var kept []struct {
		Mapping Mapping `gorm:"serializer:json"`
	}
	err = s.Gorm(ctx).Raw(`SELECT mapping FROM book_mappings WHERE merchant_id = ? AND header_hash = ?`, merchantID,
		headerHash).Find(&kept).Error
	if err != nil {
		return m, false, fmt.Errorf("find a mapping: %w", err)
	}
	if len(kept) == 0 {
		return m, false, nil
	}
	return kept[0].Mapping, true, nil
}

// Tidy deletes the rows of files that cannot be undone any more, and of drafts that were discarded.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	for _, sql := range []string{
		`DELETE FROM book_scans
			WHERE import_id = ANY(SELECT id FROM book_imports WHERE emptied_at IS NULL AND (ended_at < @undone
				OR state IN ('discarded', 'undone') AND updated_at < @discarded
				OR state IN ('mapping', 'checked') AND updated_at < @undone))`,
		`UPDATE book_import_rows SET cells = '', undo_sealed = NULL, findings = NULL, changes = NULL, name = '', reason = ''
			WHERE import_id = ANY(SELECT id FROM book_imports WHERE emptied_at IS NULL AND (ended_at < @undone
				OR state IN ('discarded', 'undone') AND updated_at < @discarded
				OR state IN ('mapping', 'checked') AND updated_at < @undone))`,
		`UPDATE book_imports SET emptied_at = now() WHERE emptied_at IS NULL AND (ended_at < @undone
			OR state IN ('discarded', 'undone') AND updated_at < @discarded
				OR state IN ('mapping', 'checked') AND updated_at < @undone)`,
	} {
		if err := s.Gorm(ctx).Exec(sql, map[string]any{"undone": now.Add(-UndoneFor),
			"discarded": now.Add(-discardedFor)}).Error; err != nil {
			return fmt.Errorf("tidy imports: %w", err)
		}
	}
	return nil
}

// discardedFor is how long the rows of a draft are kept that was discarded, or of an import that was undone.
const discardedFor = 24 * time.Hour

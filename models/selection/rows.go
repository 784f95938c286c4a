package selection

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Store is where selections are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Selection) TableName() string { return "selections" }

// Rows are kept in one column, 32 bytes each.
type Rows []Row

// Value implements driver.Valuer.
func (r Rows) Value() (driver.Value, error) { return packRows(r), nil }

// Scan implements sql.Scanner.
func (r *Rows) Scan(stored any) (err error) {
	packed, _ := stored.([]byte)
	*r, err = unpackRows(packed)
	return err
}

// IDs are kept in one column, 16 bytes each.
type IDs []uuid.UUID

// Value implements driver.Valuer.
func (i IDs) Value() (driver.Value, error) { return packIDs(i), nil }

// Scan implements sql.Scanner.
func (i *IDs) Scan(stored any) (err error) {
	packed, _ := stored.([]byte)
	*i, err = unpackIDs(packed)
	return err
}

const (
	idBytes  = 16
	rowBytes = idBytes + 8 + 8
)

var errPacked = errors.New("the rows of a selection are cut off")

func packRows(rows []Row) []byte {
	out := make([]byte, 0, len(rows)*rowBytes)
	for _, r := range rows {
		out = append(out, r.ID[:]...)
		out = binary.BigEndian.AppendUint64(out, uint64(r.Changed.UnixMicro())) //nolint:gosec // read back as it was
		out = binary.BigEndian.AppendUint64(out, uint64(r.Cents))               //nolint:gosec // read back as it was
	}
	return out
}

func unpackRows(packed []byte) ([]Row, error) {
	if len(packed)%rowBytes != 0 {
		return nil, errPacked
	}
	rows := make([]Row, len(packed)/rowBytes)
	for i := range rows {
		at := packed[i*rowBytes:]
		rows[i] = Row{ID: uuid.UUID(at[:idBytes]),
			Changed: time.UnixMicro(int64(binary.BigEndian.Uint64(at[idBytes:]))).UTC(), //nolint:gosec // as it was written
			Cents:   int64(binary.BigEndian.Uint64(at[idBytes+8:]))}                     //nolint:gosec // as it was written
	}
	return rows, nil
}

func packIDs(ids []uuid.UUID) []byte {
	out := make([]byte, 0, len(ids)*idBytes)
	for _, id := range ids {
		out = append(out, id[:]...)
	}
	return out
}

func unpackIDs(packed []byte) ([]uuid.UUID, error) {
	if len(packed)%idBytes != 0 {
		return nil, errPacked
	}
	ids := make([]uuid.UUID, len(packed)/idBytes)
	for i := range ids {
		ids[i] = uuid.UUID(packed[i*idBytes : (i+1)*idBytes])
	}
	return ids, nil
}

func save(tx *database.Tx, s Selection) error {
	return tx.Gorm().Model(&s).Scopes(database.OfMerchant(s.MerchantID)).Select("chosen", "excluded", "n", "cents").
		UpdateColumns(s).Error
}

// dropOldest keeps the newest selections of a person.
func dropOldest(tx *database.Tx, s Selection) error {
	mine := func() *gorm.DB {
		return tx.Gorm().Model(&Selection{}).Scopes(database.OfMerchant(s.MerchantID)).Where("asker_id = ?", s.AskerID)
	}
	return mine().Delete(&Selection{}, "id IN (?)", mine().Select("id").Order("id DESC").Offset(mostOpen)).Error
}

// mine is the scope of a selection that a person can still use.
func mine(who actor.Actor, id uuid.UUID, since time.Time) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Where("merchant_id = ? AND id = ? AND asker_id = ? AND created_at > ?", who.MerchantID, id, who.ID, since)
	}
}

func (s Store) find(ctx context.Context, who actor.Actor, id uuid.UUID, since time.Time) (found Selection, err error) {
	err = s.Gorm(ctx).Scopes(mine(who, id, since)).Take(&found).Error
	return readable(found, err)
}

// hold finds a selection that this transaction changes.
func hold(tx *database.Tx, who actor.Actor, id uuid.UUID, since time.Time) (found Selection, err error) {
	err = tx.Gorm().Scopes(mine(who, id, since), database.ForUpdate).Take(&found).Error
	return readable(found, err)
}

// readable takes a selection whose filters were damaged as one that is over: the rows are chosen again.
func readable(s Selection, err error) (Selection, error) {
	if err == nil && s.Any() {
		err = fault.Missing()
	}
	return s, err
}

// Tidy deletes selections whose time is over.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	if err := s.InChunks(ctx, `DELETE FROM selections WHERE ctid = ANY (ARRAY(SELECT ctid FROM selections
		WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-Kept)); err != nil {
		return fmt.Errorf("tidy selections: %w", err)
	}
	return nil
}

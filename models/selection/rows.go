package selection

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

// Store is where selections are kept.
type Store struct{ *database.DB }

func queryPlace(s *Selection) seal.Place {
	return seal.PlaceOf("selections", "query_sealed", s.MerchantID, s.ID)
}

var (
	selectionTable = table.New("selections",
		table.Column[Selection]{Name: "query_sealed", Once: true,
			Write: func(box *seal.Box, s *Selection) (any, error) {
				text, err := json.Marshal(s.Query)
				return box.SealBytes(queryPlace(s), text), err
			},
			Read: func(box *seal.Box, s *Selection, stored []byte) error {
				text, err := box.OpenBytes(queryPlace(s), stored)
				if err == nil {
					err = json.Unmarshal(text, &s.Query)
				}
				return err
			}},
		table.Column[Selection]{Name: "chosen",
			Write: func(_ *seal.Box, s *Selection) (any, error) { return packRows(s.Rows), nil },
			Read: func(_ *seal.Box, s *Selection, stored []byte) (err error) {
				s.Rows, err = unpackRows(stored)
				return err
			}},
		table.Column[Selection]{Name: "excluded",
			Write: func(_ *seal.Box, s *Selection) (any, error) { return packIDs(s.Excluded), nil },
			Read: func(_ *seal.Box, s *Selection, stored []byte) (err error) {
				s.Excluded, err = unpackIDs(stored)
				return err
			}})
	saveSelection = selectionTable.Write(`UPDATE selections SET @set(chosen, excluded, n, cents)
		WHERE merchant_id = @merchant_id AND id = @id`)
)

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

func insert(tx *database.Tx, s Selection) { database.Insert(tx, selectionTable, s) }

func save(tx *database.Tx, s Selection) { database.Write(tx, saveSelection, s) }

// dropOldest keeps the newest selections of a person.
func dropOldest(tx *database.Tx, s Selection) {
	tx.Later(`DELETE FROM selections WHERE merchant_id = $1 AND asker_id = $2 AND id IN (SELECT id FROM selections
		WHERE merchant_id = $1 AND asker_id = $2 ORDER BY id DESC OFFSET $3)`, s.MerchantID, s.AskerID, mostOpen)
}

const mine = "merchant_id = $1 AND id = $2 AND asker_id = $3 AND created_at > $4"

func (s Store) find(ctx context.Context, who actor.Actor, id uuid.UUID, since time.Time) (Selection, error) {
	return readable(database.One(ctx, s.DB, selectionTable, mine, who.MerchantID, id, who.ID, since))
}

// hold finds a selection that this transaction changes.
func (s Store) hold(tx *database.Tx, who actor.Actor, id uuid.UUID, since time.Time) (Selection, error) {
	return readable(database.One(tx.Context(), s.DB, selectionTable, mine+" FOR UPDATE", who.MerchantID, id, who.ID,
		since))
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

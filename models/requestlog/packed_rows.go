package requestlog

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/history"
	"debitdesk/models/database/table"
)

// packed are the bodies of requests of one merchant that were written together.
type packed struct {
	ID         uuid.UUID // the smallest of theirs
	MerchantID uuid.UUID
	LastID     uuid.UUID // the greatest
	Entries    int
	Packed     []byte
}

// TableName implements GORM's Tabler.
func (packed) TableName() string { return "api_request_bodies" }

// packedTable is where they are copied to.
var packedTable = table.New[packed]("api_request_bodies")

// packAll takes the bodies out of the entries, merchant by merchant, and tells each entry
// where its own are. Those of one row belong to one month, so that they go together.
func packAll(entries []Entry) (bare []Entry, rows []packed, err error) {
	bare = slices.Clone(entries)
	slices.SortStableFunc(bare, func(a, b Entry) int { return bytes.Compare(a.MerchantID[:], b.MerchantID[:]) })
	for to := 0; to < len(bare); {
		from, first, size := to, bare[to], 0
		row := packed{ID: first.ID, MerchantID: first.MerchantID, LastID: first.ID}
		var bodies []Bodies
		for to < len(bare) && to-from < mostTogether && size <= mostPacked && bare[to].MerchantID == first.MerchantID &&
			history.SameMonth(bare[to].ID, first.ID) {
			e := bare[to]
			bodies = append(bodies, Bodies{e.Request, e.Answer})
			size += len(e.Request) + len(e.Answer)
			if bytes.Compare(e.ID[:], row.ID[:]) < 0 {
				row.ID = e.ID
			}
			if bytes.Compare(e.ID[:], row.LastID[:]) > 0 {
				row.LastID = e.ID
			}
			to++
		}
		if size == 0 { // nothing was sent and nothing answered
			continue
		}
		for i := range bare[from:to] {
			e := &bare[from+i]
			e.Request, e.Answer, e.PackedIn, e.Place = "", "", row.ID, i
		}
		row.Entries = to - from
		if row.Packed, err = pack(bodies); err != nil {
			return nil, nil, fmt.Errorf("pack bodies: %w", err)
		}
		rows = append(rows, row)
	}
	return bare, rows, nil
}

// fill brings an entry's bodies back.
func (s Store) fill(ctx context.Context, e *Entry) error {
	if e.PackedIn == uuid.Nil {
		return nil
	}
	var row packed
	err := s.Gorm(ctx).Scopes(database.OfMerchant(e.MerchantID)).Take(&row, "id = ?", e.PackedIn).Error
	if err != nil {
		return err
	}
	bodies, err := unpack(row.Packed)
	if err == nil && e.Place >= len(bodies) {
		err = errPacked
	}
	if err != nil {
		return fmt.Errorf("request %s: %w", e.ID, err)
	}
	e.Request, e.Answer = bodies[e.Place].Request, bodies[e.Place].Answer
	return nil
}

// eraseChunk is how many rows of bodies are in memory at once.
const eraseChunk = 100

// Erase takes the bodies and queries of requests away in which one of the texts stands,
// which are in lower case.
func Erase(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID, said []string) error {
	const stands = `EXISTS (SELECT FROM unnest($2::text[]) AS said WHERE position(said IN lower(%s)) > 0)`
	merchant := merchantID.String()
	_, err := tx.Exec(ctx, `UPDATE api_requests SET request = '', answer = '', query = ''
		WHERE merchant_id = $1 AND packed_in IS NULL AND `+fmt.Sprintf(stands,
		`request || ' ' || answer || ' ' || query || ' ' || path`), merchant, said)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT packed_in, place FROM api_requests
		WHERE merchant_id = $1 AND packed_in IS NOT NULL AND `+fmt.Sprintf(stands, `query || ' ' || path`), merchant, said)
	if err != nil {
		return err
	}
	named := map[uuid.UUID][]int{}
	var in uuid.UUID
	var place int
	_, err = pgx.ForEachRow(rows, []any{&in, &place}, func() error { named[in] = append(named[in], place); return nil })
	if err != nil {
		return err
	}
	for after := uuid.Nil; ; {
		rows, err := tx.Query(ctx, `SELECT id, last_id, packed FROM api_request_bodies
			WHERE merchant_id = $1 AND id > $2 ORDER BY id LIMIT $3`, merchant, after.String(), eraseChunk)
		if err != nil {
			return err
		}
		chunk, err := pgx.CollectRows(rows, pgx.RowToStructByPos[stored])
		if err != nil {
			return err
		}
		changes := &pgx.Batch{}
		for _, row := range chunk {
			if err := row.erase(changes, merchant, said, named[row.ID]); err != nil {
				return err
			}
			after = row.ID
		}
		if changes.Len() > 0 {
			if err := tx.SendBatch(ctx, changes).Close(); err != nil {
				return err
			}
		}
		if len(chunk) < eraseChunk {
			return nil
		}
	}
}

// stored is a row of bodies as it is looked through.
type stored struct {
	ID, LastID uuid.UUID
	Packed     []byte
}

// erase queues the changes of a row: those at the named places go, and those in which one
// of the texts stands.
func (row stored) erase(changes *pgx.Batch, merchant string, said []string, named []int) error {
	bodies, err := unpack(row.Packed)
	if err != nil {
		return fmt.Errorf("bodies %s: %w", row.ID, err)
	}
	var places []int
	for i, b := range bodies {
		text := strings.ToLower(b.Request + " " + b.Answer)
		says := func(word string) bool { return strings.Contains(text, word) }
		if slices.Contains(named, i) || slices.ContainsFunc(said, says) {
			places, bodies[i] = append(places, i), Bodies{}
		}
	}
	if len(places) == 0 {
		return nil
	}
	again, err := pack(bodies)
	if err != nil {
		return err
	}
	id := row.ID.String()
	changes.Queue(`UPDATE api_request_bodies SET packed = $3 WHERE merchant_id = $1 AND id = $2`, merchant, id, again)
	changes.Queue(`UPDATE api_requests SET query = ''
		WHERE merchant_id = $1 AND id BETWEEN $2 AND $3 AND packed_in = $2
		AND place = ANY ($4)`, merchant, id, row.LastID.String(), places)
	return nil
}

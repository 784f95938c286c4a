package merging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

// Store is where merges are kept.
type Store struct{ *database.DB }

func beforeAt(m *Merge) seal.Place {
	return seal.PlaceOf("client_merges", "before_sealed", m.MerchantID, m.ID)
}

var (
	mergeTable = table.New("client_merges", table.Column[Merge]{Name: "before_sealed", Write: writeBefore,
		Read: readBefore})
	endMerge = mergeTable.Write(`UPDATE client_merges SET @set(undone_by, undone_name, undone_at), moved = '{}',
		before_sealed = NULL WHERE merchant_id = @merchant_id AND id = @id AND undone_at IS NULL`)
)

func writeBefore(box *seal.Box, m *Merge) (any, error) {
	if m.Before == nil {
		return nil, nil
	}
	text, err := client.InFull(*m.Before)
	return box.SealBytes(beforeAt(m), text), err
}

func readBefore(box *seal.Box, m *Merge, stored []byte) error {
	if len(stored) == 0 {
		return nil
	}
	text, err := box.OpenBytes(beforeAt(m), stored)
	if errors.Is(err, seal.ErrDamaged) {
		return nil // it cannot be undone
	}
	if err != nil {
		return err
	}
	d, err := client.FromFull(text)
	m.Before = &d
	return err
}

func insert(tx *database.Tx, m Merge) { database.Insert(tx, mergeTable, m) }

// end notes that a merge was undone; false when another was quicker.
func end(tx *database.Tx, m Merge) (bool, error) { return database.Change(tx, endMerge, m) }

// lastInto finds the newest merge that holds into a client, while this transaction keeps others from undoing it.
func lastInto(tx *database.Tx, merchantID, kept uuid.UUID) (Merge, error) {
	return database.One(tx.Context(), tx.DB(), mergeTable, `merchant_id = $1 AND kept_id = $2 AND undone_at IS NULL
		ORDER BY id DESC LIMIT 1 FOR UPDATE`, merchantID, kept)
}

// into lists the merges into a client that hold, the newest first; so many of them at most.
func (s Store) into(ctx context.Context, merchantID, kept uuid.UUID, most int) ([]Merge, error) {
	return database.All(ctx, s.DB, mergeTable, `merchant_id = $1 AND kept_id = $2 AND undone_at IS NULL
		ORDER BY id DESC LIMIT $3`, merchantID, kept, most)
}

// of finds the merge that holds and took a client off the lists; NotFound for others.
func (s Store) of(ctx context.Context, merchantID, gone uuid.UUID) (Merge, error) {
	return database.One(ctx, s.DB, mergeTable, "merchant_id = $1 AND gone_id = $2 AND undone_at IS NULL", merchantID, gone)
}

// live finds a client that was not deleted; NotFound otherwise.
func (s Store) live(ctx context.Context, merchantID, id uuid.UUID) (client.Client, error) {
	return database.One(ctx, s.DB, client.Table, "merchant_id = $1 AND id = $2 AND deleted_at IS NULL", merchantID, id)
}

// goneInto finds all who live on in a client, through other merges too.
func (s Store) goneInto(ctx context.Context, merchantID, kept uuid.UUID) (out []uuid.UUID, err error) {
	var id uuid.UUID
	err = s.Pool.Each(ctx, []any{&id}, func() error { out = append(out, id); return nil }, client.MergedInto,
		pgx.NamedArgs{"m": merchantID.String(), "c": kept.String()})
	if err != nil {
		return nil, fmt.Errorf("find who lives on in a client: %w", err)
	}
	return out, nil
}

// Tidy removes what merges keep for their undo, once that is over.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	err := s.InChunks(ctx, `UPDATE client_merges SET before_sealed = NULL, moved = '{}' WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM client_merges WHERE before_sealed IS NOT NULL AND undo_until < $1 LIMIT $2
		FOR UPDATE SKIP LOCKED))`, now)
	if err != nil {
		return fmt.Errorf("empty merges: %w", err)
	}
	return nil
}

// waiting tells what waits for one of two clients, in words; each with how it is found.
var waiting = []struct{ words, sql string }{
	{"A request to stop the debits of one of them waits for an answer.", `SELECT FROM approvals WHERE merchant_id = @m
		AND state = 'open' AND expires_at > @now AND kind = 'stop_client' AND subject ->> 'client' = ANY(@both::text[])`},
	{"A request to delete a token of one of them waits for an answer.", `SELECT FROM approvals WHERE merchant_id = @m
		AND state = 'open' AND expires_at > @now AND kind = 'delete_tokens' AND subject -> 'tokens' ?| ARRAY(
			SELECT id::text FROM tokens WHERE merchant_id = @m AND client_id = ANY(@both::uuid[]))`},
	{"A batch with one of them is at work. Wait until it is done, or pause it.", `SELECT FROM batch_rows r
		JOIN batches b ON b.id = r.batch_id WHERE r.merchant_id = @m AND b.state IN ('checking', 'running', 'voiding')
		AND (r.client_id = ANY(@both::uuid[]) AND r.purchase_id IS NULL OR r.chosen_client = ANY(@both::uuid[]))`},
	{"An import with one of them is at work. Wait until it is done.", `SELECT FROM book_import_rows r
		JOIN book_imports i ON i.id = r.import_id WHERE r.merchant_id = @m AND i.state IN ('checking', 'running', 'undoing')
		AND r.client_id = ANY(@both::uuid[])`},
}

// waits tells in words what waits for one of two clients.
func (s Store) waits(ctx context.Context, merchantID, a, b uuid.UUID) (out []string, err error) {
	for _, w := range waiting {
		var is bool
		err := s.Pool.QueryRow(ctx, "SELECT EXISTS ("+w.sql+")", pgx.NamedArgs{"m": merchantID.String(), "now": s.Now(),
			"both": []string{a.String(), b.String()}}).Scan(&is)
		if err != nil {
			return nil, fmt.Errorf("look what waits for a client: %w", err)
		}
		if is {
			out = append(out, w.words)
		}
	}
	return out, nil
}

// bothPay finds the templates to which both clients are subscribed, by their titles.
func (s Store) bothPay(ctx context.Context, merchantID, a, b uuid.UUID) ([]string, error) {
	const sql = `SELECT DISTINCT coalesce(nullif(t.title, ''), 'the same plan') FROM template_clients x
		JOIN template_clients y ON y.template_id = x.template_id
		JOIN billing_templates t ON t.id = x.template_id WHERE x.merchant_id = @m AND x.client_id = @a AND y.client_id = @b
		AND x.status <> 'inactive' AND y.status <> 'inactive' ORDER BY 1`
	return keysOf(ctx, s.Pool.Query, sql, pgx.NamedArgs{"m": merchantID.String(), "a": a.String(), "b": b.String()})
}

// charged tells whether a subscription that stays with the kept client is charged on an account that would move back.
func (s Store) charged(ctx context.Context, m Merge) (is bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM template_clients WHERE merchant_id = $1 AND client_id = $2
		AND status <> 'inactive' AND NOT id::text = ANY($3::text[]) AND token_id::text = ANY($4::text[]))`,
		m.MerchantID.String(), m.KeptID.String(), database.TextArray(m.Moved["template_clients.client_id"]),
		database.TextArray(m.Moved["tokens.client_id"])).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("look what is charged on accounts that move back: %w", err)
	}
	return is, nil
}

// keysOf collects texts.
func keysOf(ctx context.Context, ask func(context.Context, string, ...any) (pgx.Rows, error), sql string,
	args pgx.NamedArgs) ([]string, error) {
	rows, err := ask(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func missing(err error) bool { return fault.Is(err, fault.NotFound) }

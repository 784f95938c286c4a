package merging

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Store is where merges are kept.
type Store struct{ *database.DB }

// kept is a merge with what the kept client was before, sealed.
type kept struct {
	Merge
	database.Damage        // it cannot be undone then
	BeforeSealed    []byte `gorm:"serializer:sealed;<-:create"`
}

// TableName implements GORM's Tabler.
func (kept) TableName() string { return "client_merges" }

// merge is the merge with what was before.
func (k *kept) merge() (Merge, error) {
	if len(k.BeforeSealed) > 0 {
		before, err := client.FromFull(k.BeforeSealed)
		if err != nil {
			return k.Merge, err
		}
		k.Before = &before
	}
	return k.Merge, nil
}

func insert(tx *database.Tx, m Merge) error {
	before, err := client.InFull(*m.Before)
	if err != nil {
		return err
	}
	return tx.Gorm().Create(&kept{Merge: m, BeforeSealed: before}).Error
}

// end notes that a merge was undone; false when another was quicker.
func end(tx *database.Tx, m Merge) (bool, error) {
	return database.Found(tx.Gorm().Table("client_merges").Scopes(database.OfMerchant(m.MerchantID), holding).
		Where("id = ?", m.ID).UpdateColumns(map[string]any{"undone_by": database.OrNull(m.UndoneBy),
		"undone_name": m.UndoneName, "undone_at": database.OrNull(m.UndoneAt), "moved": "{}", "before_sealed": nil}))
}

// holding is the scope of the merges that were not undone.
func holding(db *gorm.DB) *gorm.DB { return db.Where("undone_at IS NULL") }

// lastInto finds the newest merge that holds into a client, while this transaction keeps others from undoing it.
func lastInto(tx *database.Tx, merchantID, keptID uuid.UUID) (Merge, error) {
	var found kept
	err := tx.Gorm().Scopes(database.OfMerchant(merchantID), holding, database.ForUpdate).Order("id DESC").
		Take(&found, "kept_id = ?", keptID).Error
	if err != nil {
		return Merge{}, err
	}
	return found.merge()
}

// into lists the merges into a client that hold, the newest first; so many of them at most.
func (s Store) into(ctx context.Context, merchantID, keptID uuid.UUID, most int) (merges []Merge, err error) {
	var found []kept
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID), holding).Where("kept_id = ?", keptID).Order("id DESC").
		Limit(most).Find(&found).Error
	if err != nil {
		return nil, err
	}
	merges = make([]Merge, len(found))
	for i := range found {
		if merges[i], err = found[i].merge(); err != nil {
			return nil, err
		}
	}
	return merges, nil
}

// of finds the merge that holds and took a client off the lists; NotFound for others.
func (s Store) of(ctx context.Context, merchantID, gone uuid.UUID) (Merge, error) {
	var found kept
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID), holding).Take(&found, "gone_id = ?", gone).Error
	if err != nil {
		return Merge{}, err
	}
	return found.merge()
}

// live finds a client that was not deleted; NotFound otherwise.
func (s Store) live(ctx context.Context, merchantID, id uuid.UUID) (c client.Client, err error) {
	err = s.Gorm(ctx).Scopes(client.Live(merchantID)).Take(&c, "id = ?", id).Error
	return c, err
}

// goneInto finds all who live on in a client, through other merges too.
func (s Store) goneInto(ctx context.Context, merchantID, kept uuid.UUID) (out []uuid.UUID, err error) {
	err = s.Gorm(ctx).Raw(client.MergedInto, map[string]any{"m": merchantID, "c": kept}).Find(&out).Error
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
	err = s.Gorm(ctx).Raw(`SELECT EXISTS (SELECT FROM template_clients WHERE merchant_id = ? AND client_id = ?
		AND status <> 'inactive' AND NOT id::text = ANY(?::text[]) AND token_id::text = ANY(?::text[]))`,
		m.MerchantID, m.KeptID, database.TextArray(m.Moved["template_clients.client_id"]),
		database.TextArray(m.Moved["tokens.client_id"])).Scan(&is).Error
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

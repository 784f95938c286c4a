package trail

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/audit"
	"debitdesk/models/database"
)

// keptColumns are an entry exactly as it is stored.
const keptColumns = `e.id, e.merchant_id, e.at, e.actor_kind, e.actor_name, e.ip, e.request_id, e.actor_id, e.action,
	e.object_type, e.object_id, e.client_id, e.purchase_id, e.text,
	COALESCE(e.before::text, ''), COALESCE(e.after::text, '')`

// keptRow scans an entry; what may be missing is null when the entry is gone.
type keptRow struct {
	id, merchant, actor, object, client, purchase     *uuid.UUID
	at                                                *time.Time
	kind, name, ip, request, action, objectType, text *string
	before, after                                     string
}

func (r *keptRow) into() []any {
	return []any{&r.id, &r.merchant, &r.at, &r.kind, &r.name, &r.ip, &r.request, &r.actor, &r.action, &r.objectType,
		&r.object, &r.client, &r.purchase, &r.text, &r.before, &r.after}
}

func (r *keptRow) domain() audit.Kept {
	return audit.Kept{
		ID:         database.OrZero(r.id),
		MerchantID: database.OrZero(r.merchant),
		At:         database.OrZero(r.at).UTC(),
		ActorKind:  database.OrZero(r.kind),
		ActorName:  database.OrZero(r.name),
		IP:         database.OrZero(r.ip),
		RequestID:  database.OrZero(r.request),
		ActorID:    database.OrZero(r.actor),
		Action:     database.OrZero(r.action),
		ObjectType: database.OrZero(r.objectType),
		ObjectID:   database.OrZero(r.object),
		ClientID:   database.OrZero(r.client),
		PurchaseID: database.OrZero(r.purchase),
		Text:       database.OrZero(r.text),
		Before:     r.before,
		After:      r.after,
	}
}

// linked is the place that linking has reached.
type linked struct {
	turn int64
	id   uuid.UUID
}

// linkEntries links at most limit entries whose order is final and that are not linked yet,
// in one transaction. A head that is unsound is not extended: its alarm is raised, and the
// entries of its merchant wait until the chain is accepted. The one row of audit_progress is held, so
// that one process links at a time. Only turns below the oldest transaction that
// still runs are looked at: nothing can come between them any more.
func (k *Service) linkEntries(ctx context.Context, limit int) (done Linked, err error) {
	err = k.Store.InTx(ctx, func(t *database.Tx) error {
		after, below, err := linkable(t)
		if err != nil {
			return err
		}
		entries, reached, err := unlinked(t, after, below, limit)
		if done.Entries = len(entries); err != nil || done.Entries == 0 {
			return err
		}
		if err := k.extend(t, entries, &done); err != nil {
			return err
		}
		return t.Gorm().Exec(`UPDATE audit_progress SET turn = ?, entry_id = ?`, reached.turn, reached.id).Error
	})
	if err != nil {
		return Linked{}, fmt.Errorf("link entries of the audit: %w", err)
	}
	return done, nil
}

// linkable gives the place reached and the turn before which entries are to be
// linked. A dump that went into a younger cluster brings turns that lie ahead of
// it: the base is lifted over them.
func linkable(t *database.Tx) (after linked, below int64, err error) {
	if after, err = reachedBy(t); err != nil {
		return after, 0, err
	}
	err = t.Gorm().Raw(`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + base FROM audit_turns`).
		Take(&below).Error
	if err == nil && below <= after.turn {
		err = t.Gorm().Exec(`UPDATE audit_turns SET base = base + ?`, after.turn-below+1).Error
	}
	return after, below, err
}

// reachedBy is the place that linking has reached; others who link wait for this transaction.
func reachedBy(t *database.Tx) (linked, error) {
	var at struct {
		Turn    int64
		EntryID uuid.UUID
	}
	err := t.Gorm().Raw(`SELECT turn, entry_id FROM audit_progress FOR UPDATE`).Take(&at).Error
	return linked{at.Turn, at.EntryID}, err
}

// unlinked reads the next entries in their order and tells which was the last; they
// come back merchant by merchant.
func unlinked(t *database.Tx, after linked, below int64,
	limit int) (entries []audit.Kept, reached linked, err error) {
	err = t.Pgx(func(tx pgx.Tx) (err error) {
		entries, reached.turn, err = keptIn(tx.Query(t.Context(), `SELECT `+keptColumns+`, e.turn FROM audit_entries e
			WHERE e.turn >= $1 AND (e.turn, e.id) > ($1, $2) AND e.turn < $3 ORDER BY e.turn, e.id LIMIT $4`, after.turn,
			after.id, below, limit))
		return err
	})
	if err != nil || len(entries) == 0 {
		return nil, reached, err
	}
	reached.id = entries[len(entries)-1].ID
	slices.SortStableFunc(entries, func(a, b audit.Kept) int { return slices.Compare(a.MerchantID[:], b.MerchantID[:]) })
	return entries, reached, nil
}

// keptIn reads entries with their turns, and gives the last turn.
func keptIn(rows pgx.Rows, err error) (entries []audit.Kept, turn int64, _ error) {
	if err != nil {
		return nil, 0, err
	}
	for rows.Next() {
		var r keptRow
		if err := rows.Scan(append(r.into(), &turn)...); err != nil {
			return nil, 0, err
		}
		entries = append(entries, r.domain())
	}
	return entries, turn, rows.Err()
}

// extend adds entries, which stand merchant by merchant, to those chains that are
// sound. The entries of others wait.
func (k *Service) extend(t *database.Tx, entries []audit.Kept, done *Linked) error {
	var stopped []uuid.UUID
	if err := t.Gorm().Raw(`SELECT merchant_id FROM audit_alarms WHERE stopped`).Find(&stopped).Error; err != nil {
		return err
	}
	var links []audit.Link
	for to := 0; to < len(entries); {
		from, merchantID := to, entries[to].MerchantID
		for to < len(entries) && entries[to].MerchantID == merchantID {
			to++
		}
		if slices.Contains(stopped, merchantID) {
			continue
		}
		head, err := headOf(t.Gorm(), merchantID)
		if err != nil {
			return err
		}
		base, err := baseOf(t.Gorm(), merchantID)
		if err != nil {
			return err
		}
		why, err := k.unsound(head, base.N, func(n int64) ([]byte, error) { return hashAt(t.Gorm(), merchantID, n) })
		if err != nil {
			return err
		}
		if why != "" {
			a := Alarm{MerchantID: merchantID, FoundAt: k.Store.Now(), N: head.N, Why: why, Stopped: true}
			if _, err := raise(t.Gorm(), a); err != nil {
				return err
			}
			done.Alarms = append(done.Alarms, a)
			continue
		}
		for _, e := range entries[from:to] {
			l := head.Next(e)
			links, head = append(links, l), head.After(l)
		}
		head = k.sign(head)
		if err := keepHead(t, head); err != nil {
			return err
		}
		done.Heads = append(done.Heads, head)
	}
	return keepLinks(t, links)
}

func keepHead(t *database.Tx, h audit.Head) error {
	return t.Gorm().Table("audit_heads").Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "merchant_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"n", "hash", "key_id", "signature"})}).Create(&h).Error
}

func keepLinks(t *database.Tx, links []audit.Link) error {
	return t.Pgx(func(tx pgx.Tx) error {
		_, err := tx.CopyFrom(t.Context(), pgx.Identifier{"audit_links"}, []string{"merchant_id", "n", "entry_id", "hash"},
			pgx.CopyFromSlice(len(links), func(i int) ([]any, error) {
				l := links[i]
				return database.Native([]any{l.MerchantID, l.N, l.EntryID, l.Hash}), nil
			}))
		return err
	})
}

func headOf(by *gorm.DB, merchantID uuid.UUID) (h audit.Head, err error) {
	err = by.Table("audit_heads").Scopes(database.OfMerchant(merchantID)).Limit(1).Find(&h).Error
	h.MerchantID = merchantID
	return h, err
}

// Head gives the head of a merchant's chain; the zero Head when there is none.
func (s Store) Head(ctx context.Context, merchantID uuid.UUID) (audit.Head, error) {
	h, err := headOf(s.Gorm(ctx), merchantID)
	if err != nil {
		return h, fmt.Errorf("head of the audit: %w", err)
	}
	return h, nil
}

// strays lists entries that should be linked by now and are not, oldest first.
func (s Store) strays(ctx context.Context, merchantID uuid.UUID, limit int) (found []uuid.UUID, err error) {
	err = s.Gorm(ctx).Raw(`SELECT e.id FROM audit_entries e, audit_progress p
		WHERE e.merchant_id = ? AND (e.turn, e.id) <= (p.turn, p.entry_id)
		AND NOT EXISTS (SELECT FROM audit_links l WHERE l.entry_id = e.id) ORDER BY e.id LIMIT ?`, merchantID, limit).
		Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("entries outside the chain: %w", err)
	}
	return found, nil
}

// ChainOwners lists the merchants that have entries.
func (s Store) ChainOwners(ctx context.Context) (found []uuid.UUID, err error) {
	if err = s.Gorm(ctx).Raw(`SELECT id FROM merchants ORDER BY id`).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("owners of chains: %w", err)
	}
	return found, nil
}

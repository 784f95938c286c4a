package trail

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

var alarmView = table.View[Alarm]()

// raise keeps an alarm; the first reason stays, and what is stopped stays so.
func raise(ctx context.Context, one queryRow, a Alarm) (fresh bool, err error) {
	err = one(ctx, `INSERT INTO audit_alarms (merchant_id, found_at, n, why, stopped) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (merchant_id) DO UPDATE SET stopped = audit_alarms.stopped OR excluded.stopped RETURNING xmax = 0`,
		a.MerchantID, a.FoundAt, a.N, a.Why, a.Stopped).Scan(&fresh)
	return fresh, err
}

// raiseAlarm keeps an alarm; false when the merchant has one already.
func (s Store) raiseAlarm(ctx context.Context, a Alarm) (fresh bool, err error) {
	if a.FoundAt.IsZero() {
		a.FoundAt = s.Now()
	}
	if fresh, err = raise(ctx, s.Pool.QueryRow, a); err != nil {
		return false, fmt.Errorf("raise the alarm about the audit: %w", err)
	}
	return fresh, nil
}

// alarms are those of a merchant; with the zero id, of all.
func (s Store) alarms(ctx context.Context, merchantID uuid.UUID) ([]Alarm, error) {
	return database.Collect(ctx, s.DB, alarmView, `SELECT merchant_id, found_at, n, why, stopped FROM audit_alarms
		WHERE merchant_id = $1 OR $2 ORDER BY found_at, merchant_id`, []any{merchantID, merchantID == uuid.Nil})
}

func hashAt(ctx context.Context, one queryRow, merchantID uuid.UUID, n int64) (hash []byte, err error) {
	err = one(ctx, `SELECT hash FROM audit_links WHERE merchant_id = $1 AND n = $2
		UNION ALL SELECT hash FROM audit_bases WHERE merchant_id = $1 AND n = $2 LIMIT 1`, merchantID, n).Scan(&hash)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return hash, err
}

// HashAt is the hash of a merchant's nth link, the last one that was dropped included; nil
// when there is none.
func (s Store) HashAt(ctx context.Context, merchantID uuid.UUID, n int64) ([]byte, error) {
	hash, err := hashAt(ctx, s.Pool.QueryRow, merchantID, n)
	if err != nil {
		return nil, fmt.Errorf("link %d of the audit: %w", n, err)
	}
	return hash, nil
}

// acceptChain signs the last link of a merchant as it stands, links what waits, begins a new log, ends the
// alarm and keeps the entry.
func (k *Service) acceptChain(ctx context.Context, who actor.Actor, merchantID uuid.UUID,
	e audit.Entry) (head audit.Head, err error) {
	who.MerchantID = merchantID
	err = k.Store.InTx(ctx, func(t *database.Tx) error {
		err := t.Pgx(func(tx pgx.Tx) error {
			if head, err = accept(ctx, tx, merchantID, k.sign); err != nil {
				return err
			}
			before, err := k.Store.beginLog(ctx, tx, merchantID, head.N)
			e.Before["log"], e.Before["log_size"], e.Before["log_root"] = before.Origin, before.Size, before.Root.String()
			return err
		})
		if err == nil {
			t.Audit(who, e)
		}
		return err
	})
	if err != nil {
		return audit.Head{}, fmt.Errorf("accept the chain of the audit: %w", err)
	}
	return head, nil
}

func accept(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID,
	sign func(audit.Head) audit.Head) (audit.Head, error) {
	head := audit.Head{MerchantID: merchantID}
	var at linked
	if err := tx.QueryRow(ctx, `SELECT turn, entry_id FROM audit_progress FOR UPDATE`).Scan(&at.turn, &at.id); err != nil {
		return head, err
	}
	err := tx.QueryRow(ctx, `(SELECT n, hash FROM audit_links WHERE merchant_id = $1 ORDER BY n DESC LIMIT 1)
		UNION ALL SELECT n, hash FROM audit_bases WHERE merchant_id = $1 ORDER BY n DESC
		LIMIT 1`, merchantID).Scan(&head.N, &head.Hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return head, err
	}
	waiting, _, err := keptIn(tx.Query(ctx, `SELECT `+keptColumns+
		`, e.turn FROM audit_entries e WHERE e.merchant_id = $1 AND (e.turn, e.id) <= ($2, $3)
		AND NOT EXISTS (SELECT FROM audit_links l WHERE l.entry_id = e.id) ORDER BY e.turn, e.id`, merchantID, at.turn,
		at.id))
	if err != nil {
		return head, err
	}
	var links []audit.Link
	for _, e := range waiting {
		l := head.Next(e)
		links, head = append(links, l), head.After(l)
	}
	if err := keepLinks(ctx, tx, links); err != nil {
		return head, err
	}
	if head.N > 0 {
		head = sign(head)
		if err := keepHead(ctx, tx, head); err != nil {
			return head, err
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM audit_alarms WHERE merchant_id = $1`, merchantID)
	return head, err
}

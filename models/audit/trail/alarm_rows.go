package trail

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
)

// TableName implements GORM's Tabler.
func (Alarm) TableName() string { return "audit_alarms" }

// raise keeps an alarm; the first reason stays, and what is stopped stays so.
func raise(by *gorm.DB, a Alarm) (fresh bool, err error) {
	err = by.Raw(`INSERT INTO audit_alarms (merchant_id, found_at, n, why, stopped) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (merchant_id) DO UPDATE SET stopped = audit_alarms.stopped OR excluded.stopped RETURNING xmax = 0`,
		a.MerchantID, a.FoundAt, a.N, a.Why, a.Stopped).Find(&fresh).Error
	return fresh, err
}

// raiseAlarm keeps an alarm; false when the merchant has one already.
func (s Store) raiseAlarm(ctx context.Context, a Alarm) (fresh bool, err error) {
	if a.FoundAt.IsZero() {
		a.FoundAt = s.Now()
	}
	if fresh, err = raise(s.Gorm(ctx), a); err != nil {
		return false, fmt.Errorf("raise the alarm about the audit: %w", err)
	}
	return fresh, nil
}

// alarms are those of a merchant; with the zero id, of all.
func (s Store) alarms(ctx context.Context, merchantID uuid.UUID) (found []Alarm, err error) {
	of := database.OfMerchant(merchantID)
	if merchantID == uuid.Nil {
		of = database.AcrossMerchants
	}
	err = s.Gorm(ctx).Scopes(of).Order("found_at, merchant_id").Find(&found).Error
	return found, err
}

func hashAt(by *gorm.DB, merchantID uuid.UUID, n int64) ([]byte, error) {
	var at struct{ Hash []byte }
	err := by.Raw(`SELECT hash FROM audit_links WHERE merchant_id = ? AND n = ?
		UNION ALL SELECT hash FROM audit_bases WHERE merchant_id = ? AND n = ? LIMIT 1`, merchantID, n, merchantID, n).
		Find(&at).Error
	return at.Hash, err
}

// HashAt is the hash of a merchant's nth link, the last one that was dropped included; nil
// when there is none.
func (s Store) HashAt(ctx context.Context, merchantID uuid.UUID, n int64) ([]byte, error) {
	hash, err := hashAt(s.Gorm(ctx), merchantID, n)
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
		if head, err = accept(t, merchantID, k.sign); err != nil {
			return err
		}
		before, err := k.Store.beginLog(t, merchantID, head.N)
		e.Before["log"], e.Before["log_size"], e.Before["log_root"] = before.Origin, before.Size, before.Root.String()
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

func accept(t *database.Tx, merchantID uuid.UUID, sign func(audit.Head) audit.Head) (audit.Head, error) {
	head := audit.Head{MerchantID: merchantID}
	at, err := reachedBy(t)
	if err != nil {
		return head, err
	}
	if err := t.Gorm().Raw(`(SELECT n, hash FROM audit_links WHERE merchant_id = ? ORDER BY n DESC LIMIT 1)
		UNION ALL SELECT n, hash FROM audit_bases WHERE merchant_id = ? ORDER BY n DESC
		LIMIT 1`, merchantID, merchantID).Find(&head).Error; err != nil {
		return head, err
	}
	var waiting []audit.Kept
	if err := t.Pgx(func(tx pgx.Tx) (err error) {
		waiting, _, err = keptIn(tx.Query(t.Context(), `SELECT `+keptColumns+
			`, e.turn FROM audit_entries e WHERE e.merchant_id = $1 AND (e.turn, e.id) <= ($2, $3)
			AND NOT EXISTS (SELECT FROM audit_links l WHERE l.entry_id = e.id) ORDER BY e.turn, e.id`, merchantID, at.turn,
			at.id))
		return err
	}); err != nil {
		return head, err
	}
	var links []audit.Link
	for _, e := range waiting {
		l := head.Next(e)
		links, head = append(links, l), head.After(l)
	}
	if err := keepLinks(t, links); err != nil {
		return head, err
	}
	if head.N > 0 {
		head = sign(head)
		if err := keepHead(t, head); err != nil {
			return head, err
		}
	}
	return head, t.Gorm().Scopes(database.OfMerchant(merchantID)).Delete(&Alarm{}).Error
}

package trail

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/database/history"
)

func baseOf(by *gorm.DB, merchantID uuid.UUID) (audit.Base, error) {
	var b struct {
		audit.Base `gorm:"embedded"`
		Links      []int64 `gorm:"serializer:json"`
	}
	err := by.Raw(`SELECT n, hash, array_to_json(kept) AS links, key_id, signature FROM audit_bases WHERE merchant_id = ?`,
		merchantID).Find(&b).Error
	b.MerchantID, b.Kept = merchantID, b.Links
	return b.Base, err
}

// Base gives where a merchant's chain begins; the zero Base when nothing was dropped.
func (s Store) Base(ctx context.Context, merchantID uuid.UUID) (audit.Base, error) {
	b, err := baseOf(s.Gorm(ctx), merchantID)
	if err != nil {
		return b, fmt.Errorf("base of the audit: %w", err)
	}
	return b, nil
}

// basesThen finds, for each merchant, the last link before the first one that stays. Links
// of old entries that come after it stay without their entries.
const basesThen = `SELECT m.id, next.n, coalesce(at.hash, b.hash, ''),
		ARRAY(SELECT l.n FROM audit_links l WHERE l.merchant_id = m.id AND l.entry_id < $1 AND l.n > next.n ORDER BY l.n)
	FROM merchants m LEFT JOIN audit_bases b ON b.merchant_id = m.id
	CROSS JOIN LATERAL (SELECT coalesce(
		(SELECT l.n - 1 FROM audit_links l WHERE l.merchant_id = m.id AND l.entry_id >= $1 ORDER BY l.n LIMIT 1),
		(SELECT l.n FROM audit_links l WHERE l.merchant_id = m.id AND l.entry_id < $1 ORDER BY l.n DESC LIMIT 1),
		b.n) AS n) AS next
	LEFT JOIN LATERAL (SELECT l.hash FROM audit_links l WHERE l.merchant_id = m.id AND l.n = next.n) AS at ON true
	WHERE next.n IS NOT NULL ORDER BY m.id`

func basesAt(rows pgx.Rows, err error) ([]audit.Base, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (b audit.Base, err error) {
		err = row.Scan(&b.MerchantID, &b.N, &b.Hash, &b.Kept)
		return b, err
	})
}

func (s Store) past() history.Dropping {
	return history.Dropping{Of: "The audit", Period: s.Keep().Audit,
		Tables: []history.Table{{Name: "audit_entries"}, {Name: "audit_links",
			Stays: `EXISTS (SELECT FROM audit_bases b WHERE b.merchant_id = old.merchant_id AND b.n < old.n)`}}}
}

// nextBases are what the bases are to be when what is past its time at a moment is dropped;
// none when nothing is to go yet.
func (s Store) nextBases(ctx context.Context, now time.Time) ([]audit.Base, error) {
	until, err := history.Due(ctx, s.DB, now, s.Keep().Audit, "audit_entries")
	if err != nil || until == uuid.Nil {
		return nil, err
	}
	bases, err := basesAt(s.Pool.Query(ctx, basesThen, until))
	if err != nil {
		return nil, fmt.Errorf("bases of the audit: %w", err)
	}
	return bases, nil
}

// dropPast drops it, unless the bases would be other ones by now or an alarm stands.
func (s Store) dropPast(ctx context.Context, now time.Time, bases []audit.Base) error {
	past := s.past()
	past.Before = func(tx *database.Tx, until uuid.UUID) (may bool, err error) {
		err = tx.Pgx(func(on pgx.Tx) error {
			may, err = s.rebase(ctx, on, until, bases)
			return err
		})
		return may, err
	}
	_, err := history.Drop(ctx, s.DB, now, past)
	return err
}

// rebase writes the bases, unless something keeps the past from going: an alarm, an entry
// that is not linked yet, or a chain that is another one than was checked. Linking stands
// still meanwhile.
func (s Store) rebase(ctx context.Context, on pgx.Tx, until uuid.UUID, bases []audit.Base) (bool, error) {
	var held bool
	err := on.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_alarms) OR EXISTS (SELECT FROM audit_entries e
			WHERE e.id < $1 AND e.turn >= p.turn AND (e.turn, e.id) > (p.turn, p.entry_id))
		FROM audit_progress p FOR UPDATE OF p`, until.String()).Scan(&held)
	if err != nil || held {
		return false, err
	}
	now, err := basesAt(on.Query(ctx, basesThen, until.String()))
	if err != nil {
		return false, err
	}
	same := slices.EqualFunc(now, bases, func(a, b audit.Base) bool {
		return string(a.Signed()) == string(b.Signed())
	})
	if !same {
		return false, nil
	}
	if logged, err := allLogged(ctx, on, bases); err != nil || !logged {
		return false, err
	}
	writes := &pgx.Batch{}
	for _, b := range bases {
		if b.Kept == nil {
			b.Kept = []int64{}
		}
		writes.Queue(`INSERT INTO audit_bases (merchant_id, n, hash, kept, key_id, signature) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (merchant_id) DO UPDATE SET n = $2, hash = $3, kept = $4, key_id = $5, signature = $6`,
			b.MerchantID.String(), b.N, append([]byte{}, b.Hash...), b.Kept, b.KeyID, b.Signature)
	}
	return true, on.SendBatch(ctx, writes).Close()
}

// allLogged tells whether what is to go is in the logs: its leaves stay when its entries are gone.
func allLogged(ctx context.Context, on pgx.Tx, bases []audit.Base) (logged bool, err error) {
	merchants, links := make([]string, len(bases)), make([]int64, len(bases))
	for i, b := range bases {
		merchants[i], links[i] = b.MerchantID.String(), slices.Max(append([]int64{b.N}, b.Kept...))
	}
	err = on.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM unnest($1::uuid[], $2::bigint[]) AS b(merchant_id, n)
		LEFT JOIN audit_trees t ON t.merchant_id = b.merchant_id WHERE coalesce(t.first + t.size - 1, 0) < b.n)`, merchants,
		links).Scan(&logged)
	return logged, err
}

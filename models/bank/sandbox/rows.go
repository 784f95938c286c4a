package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Store is the memory of the sandbox bank. It stands for another house's
// system: its transactions are its own and short, and nothing of the product
// joins its tables.
type Store struct{ *database.DB }

var _ Ledger = Store{}

// saving lets one hand-over count the earlier orders of an account at a time.
const saving = 7316214003

// Save implements Ledger.
func (s Store) Save(ctx context.Context, orders []Order,
	script func(Order, int) []Entry) ([]bool, error) {
	fresh := make([]bool, len(orders))
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, saving); err != nil {
			return err
		}
		known, used, err := s.known(ctx, tx, orders)
		if err != nil {
			return err
		}
		var instructions, answers [][]any
		for i, o := range orders {
			if known[o.ID] {
				continue
			}
			known[o.ID], fresh[i] = true, true
			hash := s.hash(o)
			account := accountUse{o.Kind, string(hash)}
			entries := script(o, used[account])
			used[account]++
			last := 0
			for _, e := range entries {
				last = max(last, e.Seq)
				answers = append(answers, answerColumns(o.ID, e))
			}
			instructions = append(instructions, []any{o.ID, o.MerchantID, string(o.Kind), o.Method, hash, o.AmountCents,
				o.ActionDate, o.Disputable,
				database.InstantOrNull(o.AnswerBy), last, s.Now()})
		}
		return copyInto(ctx, tx, instructions, answers)
	})
	if err != nil {
		return nil, fmt.Errorf("sandbox ledger: save: %w", err)
	}
	return fresh, nil
}

// accountUse counts orders of one kind about one account.
type accountUse struct {
	kind Kind
	hash string
}

func answerColumns(orderID uuid.UUID, e Entry) []any {
	return []any{orderID, e.Seq, string(e.Kind), e.Code, e.Channel, e.Reference, database.Instant(e.DueAt)}
}

func (s Store) hash(o Order) []byte {
	return s.Seal.Hash(o.MerchantID, "sandbox_account", o.Account.Reveal())
}

// known tells which orders were saved before, and how often each account was used.
func (s Store) known(ctx context.Context, tx pgx.Tx,
	orders []Order) (map[uuid.UUID]bool, map[accountUse]int, error) {
	ids, hashes := make([]uuid.UUID, len(orders)), make([][]byte, len(orders))
	for i, o := range orders {
		ids[i], hashes[i] = o.ID, s.hash(o)
	}
	known, used := map[uuid.UUID]bool{}, map[accountUse]int{}
	rows, err := tx.Query(ctx, `SELECT id FROM sandbox_instructions WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, nil, err
	}
	var id uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { known[id] = true; return nil }); err != nil {
		return nil, nil, err
	}
	rows, err = tx.Query(ctx, `SELECT kind, account_hash, count(*) FROM sandbox_instructions
		WHERE account_hash = ANY($1) AND kind <> 'refund' GROUP BY 1, 2`, hashes)
	if err != nil {
		return nil, nil, err
	}
	var kind string
	var hash []byte
	var n int
	_, err = pgx.ForEachRow(rows, []any{&kind, &hash, &n},
		func() error { used[accountUse{Kind(kind), string(hash)}] = n; return nil })
	return known, used, err
}

func copyInto(ctx context.Context, tx pgx.Tx, instructions, answers [][]any) error {
	for _, t := range []struct {
		table   string
		columns []string
		rows    [][]any
	}{
		{"sandbox_instructions", []string{"id", "merchant_id", "kind", "method", "account_hash", "amount_cents",
			"action_date", "disputable", "answer_by", "last_seq", "received_at"}, instructions},
		{"sandbox_answers", []string{"instruction_id", "seq", "kind", "code", "channel", "reference", "due_at"}, answers},
	} {
		if len(t.rows) == 0 {
			continue
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.table}, t.columns, pgx.CopyFromRows(t.rows)); err != nil {
			return err
		}
	}
	return nil
}

// TableName implements GORM's Tabler.
func (Answer) TableName() string { return "sandbox_answers" }

// Due implements Ledger.
func (s Store) Due(ctx context.Context, now time.Time, limit int) ([]Answer, error) {
	var answers []Answer
	err := s.Gorm(ctx).Where("delivered_at IS NULL AND due_at <= ?", database.Instant(now)).
		Order("due_at, instruction_id, seq").Limit(limit).Find(&answers).Error
	if err != nil {
		return nil, fmt.Errorf("sandbox ledger: due: %w", err)
	}
	return answers, nil
}

// Acknowledge implements Ledger.
func (s Store) Acknowledge(ctx context.Context, ids []AnswerID) error {
	orders, numbers := make([]uuid.UUID, len(ids)), make([]int, len(ids))
	for i, id := range ids {
		orders[i], numbers[i] = id.OrderID, id.Seq
	}
	err := s.Gorm(ctx).Exec(`UPDATE sandbox_answers a SET delivered_at = ?
		FROM unnest(?::uuid[], ?::integer[]) AS t (id, seq)
		WHERE a.instruction_id = t.id AND a.seq = t.seq AND a.delivered_at IS NULL`, s.Now(), database.IDs(orders),
		database.Numbers(numbers)).Error
	if err != nil {
		return fmt.Errorf("sandbox ledger: acknowledge: %w", err)
	}
	return nil
}

// Replace implements Ledger.
func (s Store) Replace(ctx context.Context, id uuid.UUID,
	change func(Record) ([]Entry, error)) error {
	var refused error
	err := s.InTx(ctx, func(tx *database.Tx) error {
		r, last, err := lock(tx, id)
		if fault.Is(err, fault.NotFound) {
			refused = bank.ErrUnknown
			return nil
		}
		if err != nil {
			return err
		}
		entries, err := change(r)
		if refused = err; refused != nil || entries == nil {
			return nil //nolint:nilerr // a refusal is an answer, not a failure of the ledger
		}
		var answers [][]any
		for _, e := range Renumber(entries, last) {
			last = max(last, e.Seq)
			answers = append(answers, answerColumns(id, e))
		}
		if err := tx.Gorm().Where("instruction_id = ? AND delivered_at IS NULL", id).Delete(&Answer{}).Error; err != nil {
			return err
		}
		err = tx.Gorm().Table("sandbox_instructions").Where("id = ?", id).UpdateColumn("last_seq", last).Error
		if err != nil {
			return err
		}
		return tx.Pgx(func(on pgx.Tx) error { return copyInto(ctx, on, nil, answers) })
	})
	if err != nil {
		return fmt.Errorf("sandbox ledger: replace: %w", err)
	}
	return refused
}

// lock reads an order with its answers and keeps others from changing them.
func lock(tx *database.Tx, id uuid.UUID) (r Record, last int, err error) {
	var order struct {
		Order   `gorm:"embedded"`
		LastSeq int
	}
	err = tx.Gorm().Table("sandbox_instructions").Scopes(database.AcrossMerchants, database.ForUpdate).
		Take(&order, "id = ?", id).Error
	if err != nil {
		return r, 0, err
	}
	var answers []struct {
		Entry       `gorm:"embedded"`
		DeliveredAt time.Time
	}
	err = tx.Gorm().Table("sandbox_answers").Scopes(database.ForUpdate).Order("seq").
		Find(&answers, "instruction_id = ?", id).Error
	for _, a := range answers {
		if a.DeliveredAt.IsZero() {
			r.Waiting = append(r.Waiting, a.Entry)
		} else {
			r.Delivered = append(r.Delivered, a.Entry)
		}
	}
	r.Order = order.Order
	return r, order.LastSeq, err
}

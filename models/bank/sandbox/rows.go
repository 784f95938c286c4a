package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
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

// Due implements Ledger.
func (s Store) Due(ctx context.Context, now time.Time, limit int) ([]Answer, error) {
	rows, err := s.Pool.Query(ctx,
		`SELECT instruction_id, seq, kind, code, channel, reference, due_at FROM sandbox_answers
		WHERE delivered_at IS NULL AND due_at <= $1 ORDER BY due_at, instruction_id, seq
		LIMIT $2`, database.Instant(now), limit)
	if err != nil {
		return nil, fmt.Errorf("sandbox ledger: due: %w", err)
	}
	answers, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a Answer, err error) {
		err = row.Scan(&a.OrderID, &a.Entry.Seq, &a.Entry.Kind, &a.Entry.Code, &a.Entry.Channel, &a.Entry.Reference,
			&a.Entry.DueAt)
		a.Entry.DueAt = a.Entry.DueAt.UTC()
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("sandbox ledger: due: %w", err)
	}
	return answers, nil
}

// Acknowledge implements Ledger.
func (s Store) Acknowledge(ctx context.Context, ids []AnswerID) error {
	orders, numbers := make([]uuid.UUID, len(ids)), make([]int32, len(ids))
	for i, id := range ids {
		orders[i], numbers[i] = id.OrderID, int32(id.Seq) //nolint:gosec // an order has a handful of answers
	}
	_, err := s.Pool.Exec(ctx,
		`UPDATE sandbox_answers a SET delivered_at = $3 FROM unnest($1::uuid[], $2::integer[]) AS t (id, seq)
		WHERE a.instruction_id = t.id AND a.seq = t.seq AND a.delivered_at IS NULL`, orders, numbers, s.Now())
	if err != nil {
		return fmt.Errorf("sandbox ledger: acknowledge: %w", err)
	}
	return nil
}

// Replace implements Ledger.
func (s Store) Replace(ctx context.Context, id uuid.UUID,
	change func(Record) ([]Entry, error)) error {
	var refused error
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		r, last, err := s.lock(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
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
		if _, err := tx.Exec(ctx, `DELETE FROM sandbox_answers WHERE instruction_id = $1 AND delivered_at IS NULL`,
			id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE sandbox_instructions SET last_seq = $2 WHERE id = $1`, id, last); err != nil {
			return err
		}
		return copyInto(ctx, tx, nil, answers)
	})
	if err != nil {
		return fmt.Errorf("sandbox ledger: replace: %w", err)
	}
	return refused
}

// lock reads an order with its answers and keeps others from changing them.
func (s Store) lock(ctx context.Context, tx pgx.Tx, id uuid.UUID) (r Record, last int, err error) {
	var action calendar.Date
	var answerBy *time.Time
	err = tx.QueryRow(ctx,
		`SELECT id, merchant_id, kind, method, amount_cents, action_date, disputable, answer_by, last_seq
		FROM sandbox_instructions WHERE id = $1 FOR UPDATE`, id).
		Scan(&r.Order.ID, &r.Order.MerchantID, &r.Order.Kind, &r.Order.Method, &r.Order.AmountCents, &action,
			&r.Order.Disputable, &answerBy, &last)
	if err != nil {
		return r, 0, err
	}
	r.Order.ActionDate = action
	if answerBy != nil {
		r.Order.AnswerBy = answerBy.UTC()
	}
	rows, err := tx.Query(
		ctx,
		`SELECT seq, kind, code, channel, reference, due_at, delivered_at IS NOT NULL FROM sandbox_answers
			WHERE instruction_id = $1 ORDER BY seq FOR UPDATE`,
		id,
	)
	if err != nil {
		return r, 0, err
	}
	var e Entry
	var delivered bool
	_, err = pgx.ForEachRow(rows, []any{&e.Seq, &e.Kind, &e.Code, &e.Channel, &e.Reference, &e.DueAt, &delivered},
		func() error {
			e.DueAt = e.DueAt.UTC()
			if delivered {
				r.Delivered = append(r.Delivered, e)
			} else {
				r.Waiting = append(r.Waiting, e)
			}
			return nil
		})
	return r, last, err
}

package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

var (
	itemTable = table.New("bank_items", table.Column[exchange.Item]{Name: "order_sealed", Once: true,
		Write: func(box *seal.Box, i *exchange.Item) (any, error) {
			text, err := orderText(i.Order)
			return box.SealBytes(orderAt(i.MerchantID, i.ID), text), err
		},
		Read: func(box *seal.Box, i *exchange.Item, sealed []byte) (err error) {
			text, err := box.OpenBytes(orderAt(i.MerchantID, i.ID), sealed)
			if err == nil {
				i.Order, err = orderOf(text)
			}
			return err
		}})
	answerTable = table.New[exchange.Answer]("bank_answers")
)

// itemFacts are the columns of an item without its order, which lists do not open.
var itemFacts = itemTable.Columns("", "order_sealed")

func orderAt(merchantID, id uuid.UUID) seal.Place {
	return seal.PlaceOf("bank_items", "order_sealed", merchantID, id)
}

// sealedOrder is an order with the numbers that no JSON of it shows.
type sealedOrder struct {
	Order    exchange.Order `json:"order"`
	Account  string         `json:"account,omitempty"`
	Identity string         `json:"identity,omitempty"`
}

func orderText(o exchange.Order) ([]byte, error) {
	s := sealedOrder{Order: o}
	switch {
	case o.Debit != nil:
		s.Account = o.Debit.Account.Reveal()
	case o.Refund != nil:
		s.Account = o.Refund.Account.Reveal()
	case o.Request != nil:
		s.Account, s.Identity = o.Request.Account.Reveal(), o.Request.Identity.Reveal()
	}
	return json.Marshal(s)
}

func orderOf(text []byte) (exchange.Order, error) {
	var s sealedOrder
	if err := json.Unmarshal(text, &s); err != nil {
		return s.Order, fmt.Errorf("read an order for the bank: %w", err)
	}
	switch o := s.Order; {
	case o.Debit != nil:
		o.Debit.Account = bank.AccountNumber(s.Account)
	case o.Refund != nil:
		o.Refund.Account = bank.AccountNumber(s.Account)
	case o.Request != nil:
		o.Request.Account, o.Request.Identity = bank.AccountNumber(s.Account), bank.IDNumber(s.Identity)
	}
	return s.Order, nil
}

// TakeItems implements exchange.Tx.
func (t *Tx) TakeItems(items []exchange.Item) (map[uuid.UUID]bool, error) {
	fresh := map[uuid.UUID]bool{}
	if len(items) == 0 {
		return fresh, nil
	}
	ids := make([]uuid.UUID, len(items))
	for i := range items {
		ids[i], fresh[items[i].ID] = items[i].ID, true
	}
	err := t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT id FROM bank_items WHERE id = ANY($1)`, ids)
		if err != nil {
			return err
		}
		var id uuid.UUID
		if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { fresh[id] = false; return nil }); err != nil {
			return err
		}
		var add []exchange.Item
		for _, i := range items {
			if fresh[i.ID] {
				add = append(add, i)
			}
		}
		return itemTable.Copy(t.Context(), tx, t.s.Seal, add)
	})
	if err != nil {
		return nil, fmt.Errorf("keep items for the bank: %w", err)
	}
	return fresh, nil
}

// heldItems locks items without opening their orders.
func (t *Tx) heldItems(condition string, args ...any) ([]exchange.Item, error) {
	return t.itemsBy(`SELECT `+itemFacts+` FROM bank_items WHERE `+condition+` ORDER BY id FOR NO KEY UPDATE`, args...)
}

func (t *Tx) itemsBy(sql string, args ...any) (items []exchange.Item, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), sql, database.Native(args)...)
		if err != nil {
			return err
		}
		items, err = itemTable.Collect(t.s.Seal, rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("hold items of the bank: %w", err)
	}
	return items, nil
}

// HoldItems implements exchange.Tx.
func (t *Tx) HoldItems(ids []uuid.UUID) (map[uuid.UUID]exchange.Item, error) {
	held := map[uuid.UUID]exchange.Item{}
	if len(ids) == 0 {
		return held, nil
	}
	items, err := t.heldItems(`id = ANY($1)`, ids)
	for _, i := range items {
		held[i.ID] = i
	}
	return held, err
}

// HoldItemsOf implements exchange.Tx.
func (t *Tx) HoldItemsOf(messageID, groupID string) ([]exchange.Item, error) {
	return t.heldItems(`message_id = $1 AND ($2 = '' OR group_id = $2)`, messageID, groupID)
}

// waitingBy is what leaves by a moment, which follows.
const waitingBy = `state = 'waiting' AND cut_at <= `

// CutWaiting implements exchange.Tx.
func (t *Tx) CutWaiting(m exchange.Message, by time.Time, mostItems, mostGroups int) (groups []exchange.Group, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `
			WITH due AS (SELECT id, action_date, method, group_key FROM bank_items WHERE merchant_id = $1 AND kind = $2
				AND state = 'waiting' AND cut_at <= $3 ORDER BY action_date, method, group_key, id LIMIT $4
				FOR NO KEY UPDATE SKIP LOCKED),
			ranked AS (SELECT id, dense_rank() OVER (ORDER BY action_date, method, group_key) AS position FROM due),
			moved AS (UPDATE bank_items b SET state = 'sent', message_id = $5,
				group_id = $5 || '-' || lpad(r.position::text, 2, '0') FROM ranked r WHERE b.id = r.id AND r.position <= $6
				RETURNING r.position, b.id, b.method, b.action_date, b.amount_cents)
			SELECT position::int, method, action_date, count(*)::int, sum(amount_cents)::bigint, min(id::text) FROM moved
			GROUP BY 1, 2, 3 ORDER BY 1`,
			database.Native([]any{m.MerchantID, string(m.Kind), database.Instant(by), mostItems, m.ID, mostGroups})...)
		if err != nil {
			return err
		}
		groups, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (g exchange.Group, err error) {
			var day *calendar.Date
			var first string
			if err := row.Scan(&g.Position, &g.Method, &day, &g.Count, &g.SumCents, &first); err != nil {
				return g, err
			}
			if day != nil {
				g.ActionDate = *day
			}
			g.FirstItem, err = uuid.Parse(first)
			return g, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cut items for the bank: %w", err)
	}
	return groups, nil
}

// Orders implements exchange.Tx.
func (t *Tx) Orders(itemIDs []uuid.UUID) (map[uuid.UUID]exchange.Order, error) {
	items, err := t.itemsBy(`SELECT `+itemTable.Columns("")+` FROM bank_items WHERE id = ANY($1)`, itemIDs)
	orders := map[uuid.UUID]exchange.Order{}
	for _, i := range items {
		orders[i.ID] = i.Order
	}
	return orders, err
}

// silent are items i that silence can say are paid. A debit whose recall was not answered is left out.
const silent = `state = 'sent' AND outcome = ''
	AND EXISTS (SELECT FROM bank_files_out m WHERE m.id = i.message_id AND m.ack_at IS NOT NULL)
	AND NOT EXISTS (SELECT FROM bank_items r WHERE r.subject_id = i.id AND r.kind = 'recalls' AND r.state <> 'withdrawn')`

// HoldSilent implements exchange.Tx.
func (t *Tx) HoldSilent(now time.Time, limit int) ([]exchange.Item, error) {
	return t.itemsBy(`SELECT `+itemFacts+` FROM bank_items i WHERE silence_at <= $1 AND `+silent+`
		ORDER BY id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`, database.Instant(now), limit)
}

// HoldLate implements exchange.Tx.
func (t *Tx) HoldLate(merchantID uuid.UUID, day calendar.Date) ([]exchange.Item, error) {
	return t.heldItems(`merchant_id = $1 AND action_date = $2 AND state = 'late'`, merchantID, day)
}

// SaveItems implements exchange.Tx.
func (t *Tx) SaveItems(items []exchange.Item) error {
	if len(items) == 0 {
		return nil
	}
	n := len(items)
	ids, states, messages, groups, outcomes := make([]uuid.UUID, n), make([]string, n), make([]string, n),
		make([]string, n), make([]string, n)
	cuts, silences, days := make([]time.Time, n), make([]*time.Time, n), make([]*string, n)
	for i, it := range items {
		ids[i], states[i], messages[i], groups[i], outcomes[i] = it.ID, string(it.State), it.MessageID, it.GroupID,
			string(it.Outcome)
		cuts[i], silences[i] = database.Instant(it.CutAt), database.InstantOrNull(it.SilenceAt)
		if !it.OutcomeOn.IsZero() {
			day := it.OutcomeOn.String()
			days[i] = &day
		}
	}
	err := t.Pgx(func(tx pgx.Tx) error {
		done, err := tx.Exec(t.Context(), `UPDATE bank_items b SET state = n.state, message_id = nullif(n.message_id, ''),
				group_id = nullif(n.group_id, ''), outcome = n.outcome, cut_at = n.cut_at, silence_at = n.silence_at,
				outcome_on = n.day::date
			FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[])
				AS n (id, state, message_id, group_id, outcome, cut_at, silence_at, day) WHERE b.id = n.id`,
			ids, states, messages, groups, outcomes, cuts, silences, days)
		if err == nil && int(done.RowsAffected()) != n {
			return fault.ErrLost
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("save items of the bank: %w", err)
	}
	return nil
}

// AddAnswers implements exchange.Tx.
func (t *Tx) AddAnswers(answers []exchange.Answer) error {
	_, err := addNew(t, answerTable, answers)
	return err
}

// addNew keeps the records that break no unique rule of their table, all at once, and gives the keys of those.
func addNew[T any](t *Tx, into *table.Table[T], records []T) (fresh map[string]bool, err error) {
	fresh = map[string]bool{}
	if len(records) == 0 {
		return fresh, nil
	}
	waiting := "new_" + into.Name
	err = t.Pgx(func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `CREATE TEMP TABLE IF NOT EXISTS `+waiting+` (LIKE `+into.Name+
			` INCLUDING DEFAULTS) ON COMMIT DROP`); err != nil {
			return err
		}
		if err := into.CopyTo(t.Context(), tx, t.s.Seal, waiting, records); err != nil {
			return err
		}
		rows, err := tx.Query(t.Context(), `INSERT INTO `+into.Name+` SELECT * FROM `+waiting+` ON CONFLICT DO NOTHING RETURNING id::text`)
		if err != nil {
			return err
		}
		var id string
		if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { fresh[id] = true; return nil }); err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `TRUNCATE `+waiting)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("add to %s: %w", into.Name, err)
	}
	return fresh, nil
}

package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

var (
	// itemTable adds items many at once, and reads those of a whole file, of which there may be a hundred thousand.
	itemTable = table.New("bank_items", table.Column[Item]{Name: "order_sealed", Once: true,
		Write: func(box *seal.Box, i *Item) (any, error) {
			text, err := orderText(i.Order)
			return box.SealBytes(orderAt(i.MerchantID, i.ID), text), err
		},
		Read: func(box *seal.Box, i *Item, sealed []byte) error { return i.open(box, sealed) }})
	answerTable = table.New[Answer]("bank_answers") // adds answers many at once; all else of them is GORM's
)

// TableName implements GORM's Tabler.
func (Answer) TableName() string { return "bank_answers" }

// itemFacts are the columns of an item without its order, which lists do not open.
var itemFacts = itemTable.Columns("", "order_sealed")

func orderAt(merchantID, id uuid.UUID) seal.Place {
	return seal.PlaceOf("bank_items", "order_sealed", merchantID, id)
}

// sealedOrder is an order with the numbers that no JSON of it shows.
type sealedOrder struct {
	Order    Order  `json:"order"`
	Account  string `json:"account,omitempty"`
	Identity string `json:"identity,omitempty"`
}

// open reads the order. One that is damaged is kept as it is stored.
func (i *Item) open(box *seal.Box, sealed []byte) error {
	text, err := box.OpenBytes(orderAt(i.MerchantID, i.ID), sealed)
	if errors.Is(err, seal.ErrDamaged) {
		i.Damaged("order_sealed", sealed)
		return nil
	}
	if err == nil {
		i.Order, err = orderOf(text)
	}
	return err
}

func orderText(o Order) ([]byte, error) {
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

func orderOf(text []byte) (Order, error) {
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

// takeItems keeps items that are new, and tells which were.
func (t unit) takeItems(items []Item) (map[uuid.UUID]bool, error) {
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
		var add []Item
		for _, i := range items {
			if fresh[i.ID] {
				add = append(add, i)
			}
		}
		return itemTable.Copy(t.Context(), tx, t.DB().Seal, add)
	})
	if err != nil {
		return nil, fmt.Errorf("keep items for the bank: %w", err)
	}
	return fresh, nil
}

// heldItems locks items without opening their orders.
func (t unit) heldItems(condition string, args ...any) ([]Item, error) {
	return t.itemsBy(`SELECT `+itemFacts+` FROM bank_items WHERE `+condition+` ORDER BY id FOR NO KEY UPDATE`, args...)
}

func (t unit) itemsBy(sql string, args ...any) (items []Item, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), sql, database.Native(args)...)
		if err != nil {
			return err
		}
		items, err = itemTable.Collect(t.DB().Seal, rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("hold items of the bank: %w", err)
	}
	return items, nil
}

// holdItems locks items by id, in the order of their ids, without their orders. Unknown ids are left out.
func (t unit) holdItems(ids []uuid.UUID) (map[uuid.UUID]Item, error) {
	held := map[uuid.UUID]Item{}
	if len(ids) == 0 {
		return held, nil
	}
	items, err := t.heldItems(`id = ANY($1)`, ids)
	for _, i := range items {
		held[i.ID] = i
	}
	return held, err
}

// holdItemsOf locks the items of a message, or of one of its groups when groupID is not empty.
func (t unit) holdItemsOf(messageID, groupID string) ([]Item, error) {
	return t.heldItems(`message_id = $1 AND ($2 = '' OR group_id = $2)`, messageID, groupID)
}

// waitingBy is what leaves by a moment, which follows.
const waitingBy = `state = 'waiting' AND cut_at <= `

// cutWaiting moves items that leave by now into a message: of its merchant and kind, the earliest days first.
// It gives the groups with position, method, date, count, sum and one of their items; what is beyond the most
// groups goes on waiting.
func (t unit) cutWaiting(m Message, by time.Time, mostItems, mostGroups int) (groups []Group, err error) {
	err = t.Gorm().Raw(`
			WITH due AS (SELECT id, action_date, method, group_key FROM bank_items WHERE merchant_id = @merchant AND kind = @kind
				AND state = 'waiting' AND cut_at <= @by ORDER BY action_date, method, group_key, id LIMIT @items
				FOR NO KEY UPDATE SKIP LOCKED),
			ranked AS (SELECT id, dense_rank() OVER (ORDER BY action_date, method, group_key) AS position FROM due),
			moved AS (UPDATE bank_items b SET state = 'sent', message_id = @message,
				group_id = (@message)::text || '-' || lpad(r.position::text, 2, '0') FROM ranked r WHERE b.id = r.id
				AND r.position <= @groups
				RETURNING r.position, b.method, b.action_date, b.amount_cents)
			SELECT position, method, action_date, count(*) AS item_count, sum(amount_cents)::bigint AS sum_cents FROM moved
			GROUP BY 1, 2, 3 ORDER BY 1`, map[string]any{"merchant": m.MerchantID, "kind": m.Kind,
		"by": database.Instant(by), "items": mostItems, "message": m.ID, "groups": mostGroups}).Find(&groups).Error
	if err != nil {
		return nil, fmt.Errorf("cut items for the bank: %w", err)
	}
	return groups, nil
}

// inMessage asks for the items of a message with their orders, in the order in which they are written.
var inMessage = `SELECT ` + itemTable.Columns("") + ` FROM bank_items WHERE message_id = $1 ORDER BY id`

// ordersIn opens what is asked in a message in full.
func (t unit) ordersIn(messageID string) ([]Item, error) { return t.itemsBy(inMessage, messageID) }

// filled puts the items of a message into its groups.
func filled(messageID string, groups []Group, items []Item) error {
	at := map[string]int{}
	for n, g := range groups {
		at[g.ID] = n
	}
	for _, i := range items {
		n, known := at[i.GroupID]
		if !known {
			return fmt.Errorf("item %s is in no group of message %s", i.ID, messageID)
		}
		groups[n].Items = append(groups[n].Items, i)
	}
	return nil
}

// holdLate locks the items of a merchant and day that missed their deadline.
func (t unit) holdLate(merchantID uuid.UUID, day calendar.Date) ([]Item, error) {
	return t.heldItems(`merchant_id = $1 AND action_date = $2 AND state = 'late'`, merchantID, day)
}

// saveItems writes what moves: state, cut, message, group, outcome, silence.
func (t unit) saveItems(items []Item) error {
	if len(items) == 0 {
		return nil
	}
	n := len(items)
	ids, states, messages, groups, outcomes := make([]uuid.UUID, n), make([]string, n), make([]string, n),
		make([]string, n), make([]string, n)
	cuts, silences, days := make([]time.Time, n), make([]*time.Time, n), make([]*string, n)
	backs := make([]*string, n)
	for i, it := range items {
		ids[i], states[i], messages[i], groups[i], outcomes[i] = it.ID, string(it.State), it.MessageID, it.GroupID,
			string(it.Outcome)
		cuts[i], silences[i] = database.Instant(it.CutAt), database.InstantOrNull(it.SilenceAt)
		if !it.OutcomeOn.IsZero() {
			day := it.OutcomeOn.String()
			days[i] = &day
		}
		if !it.BackOn.IsZero() {
			day := it.BackOn.String()
			backs[i] = &day
		}
	}
	err := t.Pgx(func(tx pgx.Tx) error {
		done, err := tx.Exec(t.Context(), `UPDATE bank_items b
			SET state = n.state, message_id = nullif(n.message_id, ''),
				group_id = nullif(n.group_id, ''), outcome = n.outcome, cut_at = n.cut_at, silence_at = n.silence_at,
				outcome_on = n.day::date, back_on = n.back::date
			FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
			$7::timestamptz[], $8::text[], $9::text[])
				AS n (id, state, message_id, group_id, outcome, cut_at, silence_at, day, back) WHERE b.id = n.id`,
			ids, states, messages, groups, outcomes, cuts, silences, days, backs)
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

// addAnswers keeps answers that are new: one of a kind for each item.
func (t unit) addAnswers(answers []Answer) error {
	_, err := addNew(t, answerTable, answers)
	return err
}

// answersOf locks the answers that followed from the match of a movement.
func (t unit) answersOf(entryID uuid.UUID) (found []Answer, err error) {
	err = t.Gorm().Scopes(database.AcrossMerchants, database.ForNoKeyUpdate).Find(&found, "entry_id = ?", entryID).Error
	return found, err
}

// dropAnswers takes back what followed from the match of a movement and was not told.
func (t unit) dropAnswers(entryID uuid.UUID, want int) error {
	dropped := t.Gorm().Scopes(database.AcrossMerchants).Where("entry_id = ? AND delivered_at IS NULL", entryID).
		Delete(&Answer{})
	if dropped.Error == nil && int(dropped.RowsAffected) != want {
		return fault.ErrLost
	}
	return dropped.Error
}

// addNew keeps the records that break no unique rule of their table, all at once, and gives the keys of those.
func addNew[T any](t unit, into *table.Table[T], records []T) (fresh map[string]bool, err error) {
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
		if err := into.CopyTo(t.Context(), tx, t.DB().Seal, waiting, records); err != nil {
			return err
		}
		rows, err := tx.Query(
			t.Context(),
			`INSERT INTO `+into.Name+` SELECT * FROM `+waiting+` ON CONFLICT DO NOTHING RETURNING id::text`,
		)
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

package exchange

import (
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// idsBeginning finds the items whose ids begin with some digits, where there is one alone.
func (t unit) idsBeginning(short map[string]bool) (map[string]uuid.UUID, error) {
	found := map[string]uuid.UUID{}
	if len(short) == 0 {
		return found, nil
	}
	err := t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT s.digits, (array_agg(i.id))[1]
			FROM unnest($1::text[]) AS s (digits)
			CROSS JOIN LATERAL (SELECT id FROM bank_items WHERE id BETWEEN rpad(s.digits, 32, '0')::uuid
				AND rpad(s.digits, 32, 'f')::uuid LIMIT 2) i GROUP BY 1 HAVING count(*) = 1`,
			slices.Sorted(maps.Keys(short)))
		if err != nil {
			return err
		}
		var digits string
		var id uuid.UUID
		_, err = pgx.ForEachRow(rows, []any{&digits, (*[16]byte)(&id)}, func() error { found[digits] = id; return nil })
		return err
	})
	return found, err
}

// movedOf are the items of a message or group of which a movement was booked.
func (t unit) movedOf(messageID, groupID string) (map[uuid.UUID]bool, error) {
	moved := map[uuid.UUID]bool{}
	err := t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT DISTINCT item_id FROM bank_entries WHERE message_id = $1
			AND ($2 = '' OR group_id = $2) AND item_id IS NOT NULL AND state IN ('matched', 'explained')`, messageID, groupID)
		if err != nil {
			return err
		}
		var id uuid.UUID
		_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&id)}, func() error { moved[id] = true; return nil })
		return err
	})
	return moved, err
}

// nearMandate is how many days the debit date may lie before a movement that names the mandate alone (ours).
const nearMandate = 70

// agreed finds the debits that mandates, amounts and days name, where there is one alone: money that comes in is of the
// debit date nearest before it, and money that goes out too.
func (t unit) agreed(asked map[agreement]bool) (map[agreement]uuid.UUID, error) {
	found := map[agreement]uuid.UUID{}
	for a := range asked {
		err := t.Pgx(func(tx pgx.Tx) error {
			rows, err := tx.Query(t.Context(), `WITH near AS (
				SELECT i.id, i.action_date FROM mandates m JOIN collections c ON c.mandate_id = m.id
				JOIN bank_items i ON i.id = c.id
				WHERE $1 IN (m.bank_reference, m.contract_reference) AND i.kind = 'debits' AND i.amount_cents = $2
					AND i.message_id IS NOT NULL AND i.action_date BETWEEN $3::date - $4::integer AND $3::date)
				SELECT id FROM near WHERE action_date = (SELECT max(action_date) FROM near)`,
				database.Native([]any{a.reference, a.cents, a.on, nearMandate})...)
			if err != nil {
				return err
			}
			ids, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (id uuid.UUID, err error) {
				err = row.Scan((*[16]byte)(&id))
				return id, err
			})
			if err == nil && len(ids) == 1 {
				found[a] = ids[0]
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

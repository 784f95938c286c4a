package exchange

import (
	"maps"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// idsBeginning finds the items whose ids begin with some digits, where there is one alone.
func (t unit) idsBeginning(short map[string]bool) (map[string]uuid.UUID, error) {
	found := map[string]uuid.UUID{}
	if len(short) == 0 {
		return found, nil
	}
	var rows []struct {
		Digits string
		ID     uuid.UUID
	}
	err := t.Gorm().Raw(`SELECT s.digits, (array_agg(i.id))[1] AS id
		FROM unnest(?::text[]) AS s (digits)
		CROSS JOIN LATERAL (SELECT id FROM bank_items WHERE id BETWEEN rpad(s.digits, 32, '0')::uuid
			AND rpad(s.digits, 32, 'f')::uuid LIMIT 2) i GROUP BY 1 HAVING count(*) = 1`,
		database.TextArray(slices.Sorted(maps.Keys(short)))).Find(&rows).Error
	for _, r := range rows {
		found[r.Digits] = r.ID
	}
	return found, err
}

// recallsOf are the recalls that left with these ids, or that are of debits with these ids.
func (t unit) recallsOf(ids []uuid.UUID) (found []asked, err error) {
	var rows []struct {
		ID, SubjectID uuid.UUID
		MessageID     string
	}
	err = t.Gorm().Raw(`SELECT id, subject_id, message_id FROM bank_items
		WHERE kind = 'recalls' AND message_id IS NOT NULL AND id = ANY(?::uuid[])
		UNION SELECT id, subject_id, message_id FROM bank_items
		WHERE kind = 'recalls' AND message_id IS NOT NULL AND subject_id = ANY(?::uuid[])`, database.IDs(ids),
		database.IDs(ids)).Find(&rows).Error
	for _, r := range rows {
		found = append(found, asked{id: r.ID, debitID: r.SubjectID, messageID: r.MessageID})
	}
	return found, err
}

// movedOf are the items of a message or group of which a movement was booked.
func (t unit) movedOf(messageID, groupID string) (map[uuid.UUID]bool, error) {
	return t.idSet(`SELECT DISTINCT item_id FROM bank_entries WHERE message_id = ? AND ? IN ('', group_id)
		AND item_id IS NOT NULL AND state IN ('matched', 'explained')`, messageID, groupID)
}

// nearMandate is how many days the debit date may lie before a movement that names the mandate alone (ours).
const nearMandate = 70

// agreed finds the debits that mandates, amounts and days name, where there is one alone: money that comes in is of the
// debit date nearest before it, and money that goes out too.
func (t unit) agreed(asked map[agreement]bool) (map[agreement]uuid.UUID, error) {
	found := map[agreement]uuid.UUID{}
	if len(asked) == 0 {
		return found, nil
	}
	all := slices.Collect(maps.Keys(asked))
	references, days := make(database.TextArray, len(all)), make(database.TextArray, len(all))
	cents := make([]int, len(all))
	for n, a := range all {
		references[n], cents[n], days[n] = a.reference, int(a.cents), a.on.String()
	}
	var rows []struct {
		N  int
		ID uuid.UUID
	}
	err := t.Gorm().Raw(`
		SELECT a.n, (array_agg(d.id))[1] AS id FROM unnest(?::text[], ?::bigint[], ?::text[]) WITH ORDINALITY
			AS a (reference, cents, day, n)
		CROSS JOIN LATERAL (
			SELECT i.id, i.action_date, max(i.action_date) OVER () AS nearest
			FROM mandates m JOIN collections c ON c.mandate_id = m.id JOIN bank_items i ON i.id = c.id
			WHERE a.reference IN (m.bank_reference, m.contract_reference) AND i.kind = 'debits'
				AND i.amount_cents = a.cents AND i.message_id IS NOT NULL
				AND i.action_date BETWEEN a.day::date - ?::integer AND a.day::date) d
		WHERE d.action_date = d.nearest GROUP BY 1 HAVING count(*) = 1`, references, database.Numbers(cents), days,
		nearMandate).Find(&rows).Error
	for _, r := range rows {
		found[all[r.N-1]] = r.ID
	}
	return found, err
}

// movesOf are the last days on which money of items moved.
func (t unit) movesOf(items []uuid.UUID) (map[uuid.UUID]moves, error) {
	var rows []struct {
		ItemID     uuid.UUID
		In, WentOn calendar.Date
	}
	found := map[uuid.UUID]moves{}
	err := t.Gorm().Raw(`SELECT item_id, max(booked_on) FILTER (WHERE credit) AS "in",
			max(booked_on) FILTER (WHERE NOT credit) AS went_on
		FROM bank_entries WHERE item_id = ANY(?::uuid[]) AND state IN ('matched', 'explained') GROUP BY 1`,
		database.IDs(items)).Find(&rows).Error
	for _, r := range rows {
		found[r.ItemID] = moves{in: r.In, out: r.WentOn}
	}
	return found, err
}

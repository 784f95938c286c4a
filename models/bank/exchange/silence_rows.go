package exchange

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// silent are items i that silence can say are paid. A debit whose recall was not answered is left out, and each about
// which something of the bank waits for a person: an answer to it, to its file, money out of its amount that belongs to
// nothing, or a document that could not be read.
const silent = `state = 'sent' AND outcome = ''
	AND EXISTS (SELECT FROM bank_files_out m WHERE m.id = i.message_id AND m.ack_at IS NOT NULL)
	AND NOT EXISTS (SELECT FROM bank_items r WHERE r.subject_id = i.id AND r.kind = 'recalls' AND r.state <> 'withdrawn')
	AND NOT ` + inQuestion

// inQuestion tells that a person has to say first what the bank meant of an item i.
const inQuestion = `(
	EXISTS (SELECT FROM bank_findings f WHERE f.closed_at IS NULL AND f.item_id = i.id)
	OR EXISTS (SELECT FROM bank_findings f WHERE f.closed_at IS NULL AND f.message_id = i.message_id
		AND f.item_id IS NULL AND f.kind IN ('differs', 'unknown_item'))
	OR EXISTS (SELECT FROM bank_findings f WHERE f.closed_at IS NULL AND f.kind IN ('unreadable', 'not_stored')
		AND coalesce(f.merchant_id, i.merchant_id) = i.merchant_id)
	OR EXISTS (SELECT FROM bank_entries e WHERE e.merchant_id = i.merchant_id AND e.state = 'unmatched' AND NOT e.credit
		AND e.booked_on >= i.action_date AND e.amount_cents = i.amount_cents))`

// holdSilent locks debits that silence says are paid by now.
func (t unit) holdSilent(now time.Time, limit int) ([]Item, error) {
	return t.itemsBy(`SELECT `+itemFacts+` FROM bank_items i WHERE silence_at <= $1 AND `+silent+`
		ORDER BY id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`, database.Instant(now), limit)
}

// heldUp are merchants with debits that silence would have counted before a moment, and after the one until which the
// bank was heard.
func (t unit) heldUp(until, before time.Time) ([]uuid.UUID, error) {
	if before.IsZero() {
		return nil, nil
	}
	return t.ids(`SELECT DISTINCT merchant_id FROM bank_items i WHERE silence_at <= ? AND silence_at > ? AND `+silent,
		database.Instant(before), database.Instant(until))
}

package debit

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/database"
)

// messaging lets one transaction at a time take messages of the bank about what it does not hold.
const messaging = 7316214005

// newMessages tells which of a bank's messages, by their ids, were not recorded before. Another process with the
// same messages waits until this transaction ends: with hold, where this transaction holds what the message is about,
// and otherwise here. A message is written once, with its outcome; until then a lock stands for it: that of the debit
// which the message is about, or one for all others.
func newMessages(tx *database.Tx, gateway string, messages []bank.Message,
	held func(bank.Message) bool) (map[string]bool, error) {
	fresh, ids := map[string]bool{}, make([]string, len(messages))
	all := true
	for i, m := range messages {
		all = all && held(m)
		ids[i], fresh[m.ID] = m.ID, true
	}
	if !all {
		tx.Later(`SELECT pg_advisory_xact_lock($1)`, messaging)
	}
	err := database.Query(tx, func(id *string) []any { return []any{id} }, func(id string) { delete(fresh, id) },
		`SELECT message_id FROM bank_messages WHERE gateway = $1 AND message_id = ANY($2)`, gateway, ids)
	if err != nil {
		return nil, fmt.Errorf("keep bank messages: %w", err)
	}
	return fresh, nil
}

func orEmptyBytes(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// outcome is what one message of the bank changed.
type outcome struct {
	message    bank.Message
	merchantID uuid.UUID // zero when nobody's
	text       string    // "applied: …" or "ignored: …"
}

// noteOutcomes writes what each new message changed, or why nothing.
func noteOutcomes(tx *database.Tx, gateway string, outcomes []outcome) {
	n := len(outcomes)
	ids, kinds, codes, texts := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	instructions, merchants := make([]uuid.UUID, n), make([]*uuid.UUID, n)
	times, raws := make([]time.Time, n), make([][]byte, n)
	for i, o := range outcomes {
		m := o.message
		ids[i], kinds[i], codes[i], instructions[i], times[i], raws[i] = m.ID, string(m.Kind), m.Code, m.InstructionID,
			database.Instant(m.At), orEmptyBytes(m.Raw)
		texts[i], merchants[i] = o.text, database.OrNull(o.merchantID)
	}
	tx.Later(
		`INSERT INTO bank_messages (gateway, message_id, instruction_id, kind, code, at, raw,
			received_at, outcome, merchant_id)
		SELECT $1, m.id, m.instruction, m.kind, m.code, m.at, m.raw, $8, m.outcome, m.merchant
		FROM unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::bytea[], $9::text[], $10::uuid[])
			AS m (id, instruction, kind, code, at, raw, outcome, merchant) ORDER BY m.id`,
		gateway,
		ids,
		instructions,
		kinds,
		codes,
		times,
		raws,
		tx.Now(),
		texts,
		merchants,
	)
}

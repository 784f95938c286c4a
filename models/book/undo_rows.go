package book

import (
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/followup"
)

// handedOver are the groups of an import that have handed a debit to the bank.
func handedOver(tx *database.Tx, i Import) (map[string]bool, error) {
	var groups []string
	err := tx.Gorm().Raw(`SELECT DISTINCT r.group_name FROM book_import_rows r
			JOIN collections c ON c.token_id = r.token_id AND c.merchant_id = r.merchant_id
			WHERE r.merchant_id = ? AND r.import_id = ? AND r.token_id IS NOT NULL
			AND c.state NOT IN ('scheduled', 'cancelled')`, i.MerchantID, i.ID).Find(&groups).Error
	if err != nil {
		return nil, fmt.Errorf("look for debits of an import: %w", err)
	}
	out := map[string]bool{}
	for _, group := range groups {
		out[group] = true
	}
	return out, nil
}

// hanging looks for what hangs on the rows that somebody else made since: such rows stay.
func (b *back) hanging(tx *database.Tx) error {
	places := b.going()
	column := func() []*string { return make([]*string, len(places)) }
	clients, tokens, subscribers := column(), column(), column()
	owed, made := column(), make([]bool, len(places))
	for at, n := range places {
		r := b.rows[n]
		clients[at], tokens[at], subscribers[at] = orNone(r.ClientID), orNone(r.TokenID), orNone(r.SubscriberID)
		owed[at], made[at] = orNone(r.Undo.Owed), r.Undo.MadeWho
	}
	type found struct {
		place                                                int
		purchases, accounts, subscriptions, notes, amendment bool
		owed, closed                                         bool
	}
	err := database.Query(tx, func(f *found) []any {
		return []any{&f.place, &f.purchases, &f.accounts, &f.subscriptions, &f.notes, &f.amendment,
			&f.owed, &f.closed}
	}, func(f found) {
		n := places[f.place-1]
		switch {
		case f.purchases:
			b.why[n] = "there are purchases or debits of the client since"
		case f.owed:
			b.why[n] = "what was taken over as owed was mailed, paid or changed since"
		case f.closed:
			b.why[n] = "the month in which what is owed was taken over is closed in the books"
		case f.accounts:
			b.why[n] = "its accounts were changed since"
		case f.subscriptions:
			b.why[n] = "another subscription was added since"
		case f.notes:
			b.why[n] = "notes were written about the client since"
		case f.amendment:
			b.why[n] = "its mandate was changed since"
		}
	}, hangingOn,
		b.i.MerchantID.String(), clients, tokens, subscribers, made, database.IDs(b.notes()), owed)
	if err != nil {
		return fmt.Errorf("look at what hangs on clients: %w", err)
	}
	return nil
}

// hangingOn asks by index for each row. EXISTS would be answered by a look at whole tables, once there are many rows.
const hangingOn = `SELECT r.at::int,
		coalesce((SELECT r.made FROM purchases p WHERE p.merchant_id = $1 AND p.client_id = r.client
				AND p.id IS DISTINCT FROM r.token AND p.id IS DISTINCT FROM r.owed LIMIT 1)
			OR (SELECT true FROM purchases p WHERE p.merchant_id = $1 AND p.token_id = r.token LIMIT 1)
			OR (SELECT true FROM collections c WHERE c.merchant_id = $1 AND c.token_id = r.token LIMIT 1), false),
		coalesce((SELECT r.made FROM tokens t WHERE t.merchant_id = $1 AND t.client_id = r.client
				AND t.id IS DISTINCT FROM r.token LIMIT 1)
			OR (SELECT t.state <> 'active' FROM tokens t WHERE t.merchant_id = $1 AND t.id = r.token), false),
		coalesce((SELECT r.made FROM template_clients s WHERE s.merchant_id = $1 AND s.client_id = r.client
			AND s.id IS DISTINCT FROM r.subscriber LIMIT 1), false),
		coalesce((SELECT r.made FROM notes n WHERE n.merchant_id = $1 AND n.client_id = r.client
				AND NOT n.id = ANY($6::uuid[]) LIMIT 1)
			OR (SELECT r.made FROM promises p WHERE p.merchant_id = $1 AND p.client_id = r.client LIMIT 1), false),
		coalesce((SELECT true FROM amendments a WHERE a.merchant_id = $1 AND a.old_token_id = r.token LIMIT 1)
			OR (SELECT true FROM mandate_evidence e WHERE e.merchant_id = $1 AND e.mandate_id = r.token
				AND NOT EXISTS (SELECT FROM book_scans s WHERE s.id = e.id) LIMIT 1), false),
		coalesce((SELECT p.status NOT IN ('created', 'overdue') OR p.mail_count > 0 OR p.collection_count > 0
				OR p.payment_count > 0 FROM purchases p WHERE p.merchant_id = $1 AND p.id = r.owed)
			OR (SELECT true FROM notes n WHERE n.merchant_id = $1 AND n.object_id = r.owed LIMIT 1)
			OR (SELECT true FROM promises o WHERE o.merchant_id = $1 AND o.client_id = r.client
				AND o.purchase_id = r.owed LIMIT 1)
			OR (SELECT true FROM write_offs w WHERE w.purchase_id = r.owed LIMIT 1)
			OR (SELECT true FROM collections c WHERE c.merchant_id = $1 AND c.purchase_id = r.owed LIMIT 1), false),
		coalesce((SELECT true FROM journal_entries j WHERE j.purchase_id = r.owed
			AND j.day <= books_locked_until($1) LIMIT 1), false)
	FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::boolean[], $7::uuid[])
		WITH ORDINALITY AS r (client, token, subscriber, made, owed, at)`

func orNone(id uuid.UUID) *string {
	if id == uuid.Nil {
		return nil
	}
	text := id.String()
	return &text
}

// notes are those that the rows wrote.
func (b *back) notes() (ids []uuid.UUID) {
	for _, n := range b.going() {
		ids = append(ids, b.rows[n].Undo.Notes...)
	}
	return ids
}

// removeMade deletes what the rows made: accounts with their mandates and the purchases that stand for them, notes,
// references, scans, and the clients who came with them.
func (b *back) removeMade(tx *database.Tx) {
	m, tokens := b.i.MerchantID, database.IDs(b.ids(func(r Row) uuid.UUID { return r.TokenID }))
	clients := database.IDs(b.ids(func(r Row) uuid.UUID {
		if r.Undo.MadeWho {
			return r.ClientID
		}
		return uuid.Nil
	}))
	owed := database.IDs(b.ids(func(r Row) uuid.UUID { return r.Undo.Owed }))
	references := database.TextArray{}
	for _, n := range b.going() {
		if text := b.rows[n].Undo.Refer; text != "" {
			references = append(references, text)
		}
	}
	numbers := []int{}
	for _, n := range b.going() {
		numbers = append(numbers, b.rows[n].N)
	}
	followup.RemoveNotes(tx, b.i.MerchantID, b.notes())
	tx.Exec(`DELETE FROM mandate_evidence e USING book_scans s WHERE s.merchant_id = ? AND s.import_id = ?
		AND s.n = ANY(?::int[]) AND e.merchant_id = s.merchant_id AND e.id = s.id`, m, b.i.ID, database.Numbers(numbers))
	for _, one := range []struct {
		sql  string
		of   database.TextArray
		more []any
	}{
		{`DELETE FROM tokens WHERE merchant_id = ? AND id = ANY(?::uuid[])`, tokens, nil},
		{`DELETE FROM mandates WHERE merchant_id = ? AND id = ANY(?::uuid[])`, tokens, nil},
		{`DELETE FROM purchases WHERE merchant_id = ? AND id = ANY(?::uuid[])`, tokens, nil},
		{`DELETE FROM journal_entries WHERE merchant_id = ? AND purchase_id = ANY(?::uuid[])`, owed, nil},
		{`DELETE FROM purchases WHERE merchant_id = ? AND id = ANY(?::uuid[])`, owed, nil},
		{`DELETE FROM client_references WHERE merchant_id = ? AND reference = ANY(?::text[]) AND import_id = ?`,
			references, []any{b.i.ID.String()}},
		{`DELETE FROM client_references WHERE merchant_id = ? AND client_id = ANY(?::uuid[])`, clients, nil},
		{`DELETE FROM recently_opened WHERE merchant_id = ? AND object_id = ANY(?::uuid[])`, clients, nil},
		{`DELETE FROM clients WHERE merchant_id = ? AND id = ANY(?::uuid[])`, clients, nil},
	} {
		tx.Exec(one.sql, append([]any{m, one.of}, one.more...)...)
	}
}

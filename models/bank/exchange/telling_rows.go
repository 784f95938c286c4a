package exchange

import (
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// toldRow is a movement that is kept, with the kinds of documents that told of it.
type toldRow struct {
	id        uuid.UUID
	key       string
	reference string
	ofItem    bool // of an item, or of a whole file
	open      bool // of nothing yet
	by        []string
}

// addEntries keeps entries that are new, and gives those.
func (t unit) addEntries(entries []Entry) ([]Entry, error) {
	entries, err := t.withoutEarlier(entries)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	// Two documents of one bank at once: the second sees what the first has kept.
	if err := t.Gorm().Exec(`SELECT pg_advisory_xact_lock(hashtextextended('movements of a bank', 0))`).Error; err != nil {
		return nil, err
	}
	if entries, err = t.unseen(entries); err != nil {
		return nil, err
	}
	fresh, seen, err := t.tell(entries)
	if err != nil {
		return nil, err
	}
	kept, err := addNew(t, movementTable, fresh)
	if err != nil {
		return nil, err
	}
	fresh = slices.DeleteFunc(fresh, func(n Entry) bool { return !kept[n.ID.String()] })
	for _, n := range fresh {
		seen[n.place] = told{n.ID, n}
	}
	return fresh, t.keepTellings(seen)
}

// told is a place of a document with the movement that it tells of.
type told struct {
	id uuid.UUID
	of Entry
}

// unseen leaves out what this document told before.
func (t unit) unseen(entries []Entry) ([]Entry, error) {
	places := make(database.TextArray, len(entries))
	for i, n := range entries {
		places[i] = n.place
	}
	var found []string
	err := t.Gorm().Raw(`SELECT key FROM bank_tellings WHERE key = ANY(?::text[])`, places).Find(&found).Error
	known := map[string]bool{}
	for _, key := range found {
		known[key] = true
	}
	return slices.DeleteFunc(entries, func(n Entry) bool { return known[n.place] }), err
}

// tell finds which movements are kept already: by their key, or since a document of another kind told of one like it.
func (t unit) tell(entries []Entry) (fresh []Entry, seen map[string]told, err error) {
	byKey, alike, err := t.known(entries)
	if err != nil {
		return nil, nil, err
	}
	seen = map[string]told{}
	for _, n := range entries {
		row := byKey[n.Key]
		if row == nil {
			row = likely(n, alike[n.alike])
		}
		switch {
		case row == nil:
			fresh = append(fresh, n)
			continue
		case n.State == EntryMatched && row.open: // it is told with our ids now
			fresh = append(fresh, n)
			err = t.explain(row.id, "The bank tells it again with our reference, and that counts.")
		default:
			seen[n.place] = told{row.id, n}
		}
		row.open, row.by = false, append(row.by, string(n.told))
		if err != nil {
			return nil, nil, err
		}
	}
	return fresh, seen, nil
}

// likely is the movement that another kind of document told of already.
func likely(n Entry, rows []*toldRow) *toldRow {
	if n.told == "" {
		return nil
	}
	for _, r := range rows {
		differ := n.Reference != "" && r.reference != "" && n.Reference != r.reference
		ours := n.State == EntryMatched || n.State == EntryExplained
		switch {
		case slices.Contains(r.by, string(n.told)) || differ:
		case ours && !r.open: // another item's
		case !ours && r.ofItem && !fits(n.BankCode, Debits) && !fits(n.BankCode, Refunds):
		default:
			return r
		}
	}
	return nil
}

// known are movements that are kept under the keys of entries, or are alike.
func (t unit) known(entries []Entry) (byKey map[string]*toldRow, alike map[string][]*toldRow, err error) {
	keys, likes := map[string]bool{}, map[string]bool{}
	for _, n := range entries {
		keys[n.Key], likes[n.alike] = true, true
	}
	byKey, alike = map[string]*toldRow{}, map[string][]*toldRow{}
	err = t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `
			SELECT e.id, e.key, e.reference, e.item_id IS NOT NULL OR e.message_id IS NOT NULL,
				e.state IN ('unmatched', 'other', 'fee') AND e.item_id IS NULL AND e.paid_cents = 0,
				coalesce((SELECT max(t.alike) FROM bank_tellings t WHERE t.entry_id = e.id), ''),
				ARRAY(SELECT DISTINCT t.told FROM bank_tellings t WHERE t.entry_id = e.id)
			FROM bank_entries e WHERE e.key = ANY($1)
				OR e.id IN (SELECT t.entry_id FROM bank_tellings t WHERE t.alike = ANY($2)) ORDER BY e.id`,
			slices.Sorted(maps.Keys(keys)), slices.Sorted(maps.Keys(likes)))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			r, like := &toldRow{}, ""
			if err := rows.Scan((*[16]byte)(&r.id), &r.key, &r.reference, &r.ofItem, &r.open, &like, &r.by); err != nil {
				return err
			}
			byKey[r.key] = r
			if like != "" {
				alike[like] = append(alike[like], r)
			}
		}
		return rows.Err()
	})
	return byKey, alike, err
}

// keepTellings notes the places that tell of movements.
func (t unit) keepTellings(seen map[string]told) error {
	var places, likes, kinds database.TextArray
	var ids []uuid.UUID
	for _, place := range slices.Sorted(maps.Keys(seen)) {
		s := seen[place]
		places, likes, kinds, ids = append(places, place), append(likes, s.of.alike), append(kinds, string(s.of.told)),
			append(ids, s.id)
	}
	if len(places) == 0 {
		return nil
	}
	return t.Gorm().Exec(`INSERT INTO bank_tellings (key, alike, entry_id, told)
		SELECT * FROM unnest(?::text[], ?::text[], ?::uuid[], ?::text[]) ON CONFLICT DO NOTHING`, places, likes,
		database.IDs(ids), kinds).Error
}

// explain says that a movement is told by others, which count.
func (t unit) explain(id uuid.UUID, why string) error {
	return t.explained(`UPDATE bank_entries SET state = 'explained', note = ?
		WHERE id = ? AND state IN ('unmatched', 'other', 'fee') AND paid_cents = 0`, why, id)
}

// explained changes movements, and closes what was asked about those of a document when none of them is open any more.
func (t unit) explained(update string, args ...any) error {
	type place struct{ ArrivalID, MerchantID uuid.UUID }
	var of []place
	if err := t.Gorm().Raw(update+` RETURNING arrival_id, merchant_id`, args...).Find(&of).Error; err != nil {
		return err
	}
	asked := map[place]bool{}
	for _, p := range of {
		if asked[p] {
			continue
		}
		asked[p] = true
		if err := allMatched(t, Entry{ArrivalID: p.ArrivalID, MerchantID: p.MerchantID}, ""); err != nil {
			return err
		}
	}
	return nil
}

// explainItems lets a sum of a whole file or part stand for the movements of its items on that day.
func (t unit) explainItems(sum Entry) error {
	return t.explained(`UPDATE bank_entries SET state = 'explained', note = ? WHERE message_id = ?
		AND ? IN ('', group_id) AND item_id IS NOT NULL AND booked_on = ? AND credit = ? AND state = ?`, inOneSum,
		sum.MessageID, sum.GroupID, sum.BookedOn, sum.Credit, EntryMatched)
}

// toldInOneSum tells that the bank booked the file of an item's movement in one sum on that day. What it booked of a
// file is read once.
func (c *change) toldInOneSum(n Entry) (bool, error) {
	kept, known := c.booksOf[n.MessageID]
	if !known {
		var err error
		if kept, err = c.tx.sumsOf(n.MessageID); err != nil {
			return false, err
		}
		c.booksOf[n.MessageID] = kept
	}
	stands := func(s Entry) bool {
		return s.MessageID == n.MessageID && (s.GroupID == "" || s.GroupID == n.GroupID) && s.BookedOn == n.BookedOn &&
			s.Credit == n.Credit
	}
	return slices.ContainsFunc(c.sums, stands) || slices.ContainsFunc(kept, stands), nil
}

// sumsOf are the movements of a message that were booked for all of it or for a group.
func (t unit) sumsOf(messageID string) (sums []Entry, err error) {
	err = t.Gorm().Raw(`SELECT coalesce(group_id, '') AS group_id, booked_on, credit, message_id
		FROM bank_entries WHERE message_id = ? AND item_id IS NULL AND state = 'matched'`, messageID).Find(&sums).Error
	return sums, err
}

// wholes are how many entries of the bank are told in all their parts, less those that this explains already.
const wholes = `(SELECT coalesce(sum(p.amount_cents) / max(p.entry_cents), 0) FROM bank_entries p
		WHERE p.entry_key = k.key AND p.entry_cents > 0)
	- (SELECT count(*) FROM bank_entries w WHERE w.entry_key = k.key AND w.entry_cents = 0 AND w.state = 'explained')`

// toldInParts tells that all parts of a sum are told.
func (t unit) toldInParts(n Entry) (is bool, err error) {
	err = t.Gorm().Raw(`SELECT `+wholes+` > 0 FROM (VALUES (?::text)) AS k (key)`, n.EntryKey).Find(&is).Error
	return is, err
}

// explainSums lets the parts of sums count in their place.
func (t unit) explainSums(keys map[string]bool) error {
	if len(keys) == 0 {
		return nil
	}
	return t.explained(`UPDATE bank_entries e SET state = 'explained', note = ?
		FROM unnest(?::text[]) AS k (key) WHERE e.id IN (SELECT o.id FROM bank_entries o WHERE o.entry_key = k.key
			AND o.entry_cents = 0 AND o.item_id IS NULL AND o.message_id IS NULL AND o.paid_cents = 0
			AND o.state IN ('unmatched', 'other')
			ORDER BY o.id LIMIT greatest(`+wholes+`, 0))`, inParts, database.TextArray(slices.Sorted(maps.Keys(keys))))
}

// unmatchedAmong tells which movements wait for a person.
func (t unit) unmatchedAmong(entries []Entry) (map[uuid.UUID]bool, error) {
	ids := make([]uuid.UUID, 0, len(entries))
	for _, n := range entries {
		ids = append(ids, n.ID)
	}
	return t.idSet(`SELECT id FROM bank_entries WHERE id = ANY(?::uuid[]) AND state = 'unmatched'`,
		database.IDs(ids))
}

// toldAs are the states of the movements that places tell of.
func (t unit) toldAs(places map[int]string) (map[int]EntryState, error) {
	at := map[string]int{}
	for n, place := range places {
		at[place] = n
	}
	states := map[int]EntryState{}
	var rows []struct {
		Key   string
		State EntryState
	}
	err := t.Gorm().Raw(`SELECT t.key, e.state FROM bank_tellings t JOIN bank_entries e ON e.id = t.entry_id
		WHERE t.key = ANY(?::text[])`, database.TextArray(slices.Sorted(maps.Keys(at)))).Find(&rows).Error
	for _, r := range rows {
		states[at[r.Key]] = r.State
	}
	return states, err
}

// replaceReported explains what reports during the day told and the statements of the days do not book.
func (t unit) replaceReported(closed []closedDays) error {
	for _, d := range closed {
		if err := t.explained(`UPDATE bank_entries e SET state = 'explained', note = ?
			WHERE account_hash = ? AND booked_on BETWEEN ? AND ? AND state IN ('unmatched', 'other', 'fee') AND paid_cents = 0
				AND EXISTS (SELECT FROM bank_tellings t WHERE t.entry_id = e.id)
				AND NOT EXISTS (SELECT FROM bank_tellings t WHERE t.entry_id = e.id AND t.told <> 'report')`,
			intraday, d.account, d.from, d.until); err != nil {
			return err
		}
	}
	return nil
}

// codesOf are the reasons for which money of items was not collected or went back, as they were recorded.
func (t unit) codesOf(items []uuid.UUID) (map[uuid.UUID]string, error) {
	var rows []struct {
		ItemID uuid.UUID
		Code   string
	}
	codes := map[uuid.UUID]string{}
	err := t.Gorm().Raw(`SELECT a.item_id, a.code FROM bank_answers a
		JOIN bank_items i ON i.id = a.item_id AND i.kind = 'debits'
		WHERE a.item_id = ANY(?::uuid[]) AND a.kind IN ('unpaid', 'disputed')`, database.IDs(items)).Find(&rows).Error
	for _, r := range rows {
		codes[r.ItemID] = r.Code
	}
	return codes, err
}

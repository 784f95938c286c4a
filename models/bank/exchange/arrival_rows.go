package exchange

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

var (
	movementTable = table.New[Entry]("bank_entries")
	documentTable = table.New[Document]("bank_files_in")
	findingTable  = table.New[Finding]("bank_findings")
	saveMovement  = movementTable.Write(`UPDATE bank_entries
		SET @set(state, item_id, message_id, group_id, matched_by, matched_at, fee_cents, note)
		WHERE id = @id AND state <> 'matched'`)
	freeMovement = movementTable.Write(`UPDATE bank_entries
		SET @set(state, item_id, message_id, group_id, matched_by, matched_at, fee_cents, note)
		WHERE id = @id AND state = 'matched'`)
	closeDocument = documentTable.Write(`UPDATE bank_files_in SET @set(name, bank_id, state, why, events, item_count,
		sum_cents, read_at, movements, new_movements, strange_movements, strange_account)
		WHERE id = @id AND state = 'open'`)
	insertFinding = findingTable.Write(`INSERT INTO bank_findings (@columns) VALUES (@values)
		ON CONFLICT (kind, subject) WHERE closed_at IS NULL DO NOTHING`)
	saveFinding = findingTable.Write(`UPDATE bank_findings SET @set(closed_at, closed_by, resolution)
		WHERE id = @id AND closed_at IS NULL`)
)

// withoutEarlier leaves out entries that were kept before keys told the account.
func (t unit) withoutEarlier(entries []Entry) ([]Entry, error) {
	var keys []string
	for _, e := range entries {
		if e.earlierKey != "" {
			keys = append(keys, e.earlierKey)
		}
	}
	if len(keys) == 0 {
		return entries, nil
	}
	known := map[string]uuid.UUID{}
	err := t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT key, coalesce(merchant_id, $2) FROM bank_entries
			WHERE key = ANY($1) AND account_hash IS NULL`, database.Native([]any{keys, uuid.Nil})...)
		if err != nil {
			return err
		}
		var key string
		var of uuid.UUID
		_, err = pgx.ForEachRow(rows, []any{&key, (*[16]byte)(&of)}, func() error { known[key] = of; return nil })
		return err
	})
	return slices.DeleteFunc(entries, func(e Entry) bool {
		of, is := known[e.earlierKey]
		return is && of == e.MerchantID
	}), err
}

func (t unit) holdEntry(merchantID, id uuid.UUID) (Entry, error) {
	return database.First(held(t, movementTable, `merchant_id = $1 AND id = $2`, merchantID, id))
}

// unmatchedIn counts the movements of a merchant in one document that belong to nothing yet.
func (t unit) unmatchedIn(merchantID, arrivalID uuid.UUID) (n int, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT count(*) FROM bank_entries WHERE merchant_id = $1 AND arrival_id = $2
			AND state = 'unmatched'`, database.Native([]any{merchantID, arrivalID})...).Scan(&n)
	})
	return n, err
}

// held locks the records that a condition finds.
func held[T any](t unit, from *table.Table[T], condition string, args ...any) (found []T, err error) {
	err = t.Pgx(func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), from.Select+condition+` FOR NO KEY UPDATE`, database.Native(args)...)
		if err != nil {
			return err
		}
		found, err = from.Collect(t.DB().Seal, rows)
		return err
	})
	return found, err
}

// freeEntry lets a movement belong to nothing again.
func (t unit) freeEntry(e Entry) error {
	database.MustChange(t.Tx, freeMovement, e)
	return nil
}

func (t unit) saveEntry(e Entry) error {
	database.MustChange(t.Tx, saveMovement, e)
	return nil
}

func (t unit) saveStatement(s Statement) error {
	var opening, closing *int64
	if s.HasOpening {
		opening = &s.OpeningCents
	}
	if s.HasClosing {
		closing = &s.ClosingCents
	}
	t.Later(`INSERT INTO bank_statements (merchant_id, account_hash, day, opening_cents, closing_cents)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (merchant_id, day, account_hash) DO UPDATE SET
		opening_cents = coalesce(excluded.opening_cents, bank_statements.opening_cents),
		closing_cents = coalesce(excluded.closing_cents, bank_statements.closing_cents)`,
		s.MerchantID, t.DB().Seal.Hash(s.MerchantID, "statement_account", s.Account.Reveal()), s.Day, opening, closing)
	return nil
}

func documentAt(merchantID, id uuid.UUID) seal.Place {
	return seal.PlaceOf("bank_files_in", "content", merchantID, id)
}

// openDocument keeps an arrival under its owner and the hash of its bytes, or gives the one that is there.
func (t unit) openDocument(d Document, packed []byte) (kept Document, fresh bool, err error) {
	args, err := documentTable.Insert.Args(t.DB().Seal, &d)
	if err != nil {
		return d, false, fmt.Errorf("keep a document: %w", err)
	}
	n, err := t.Exec(documentTable.Insert.SQL+` ON CONFLICT (sha256) DO NOTHING`, args...)
	if err != nil {
		return d, false, fmt.Errorf("keep a document: %w", err)
	}
	if n == 0 {
		kept, err = database.First(held(t, documentTable, `merchant_id = $1 AND content_sha256 = $2`, d.MerchantID,
			d.SHA256))
		if err != nil || packed == nil || kept.State != DocumentRejected || kept.Why != whyDamaged {
			return kept, false, err
		}
		d = kept // it is read from what is brought now
		d.State, d.Why, d.ReadAt = DocumentOpen, "", time.Time{}
		if err := t.reopenDocument(d.ID, d.ArrivedAt); err != nil {
			return d, false, err
		}
		if err := t.settleFindings(Unreadables, d.ID.String(), d.BroughtBy, "The file was imported again."); err != nil {
			return d, false, err
		}
	}
	if packed != nil {
		t.Later(
			`UPDATE bank_files_in SET content = $2 WHERE id = $1`,
			d.ID,
			t.DB().Seal.SealBytes(documentAt(d.MerchantID, d.ID),
				packed),
		)
		if err := t.Flush(); err != nil {
			return d, false, err
		}
	}
	return d, true, nil
}

// closeDocument adds what a document says of a merchant to that merchant's list, once the document is read.
func (t unit) closeDocument(d Document, of map[uuid.UUID]Tally) error {
	fresh, err := database.Change(t.Tx, closeDocument, d)
	if err != nil || !fresh {
		return err
	}
	if d.MerchantID != uuid.Nil {
		sum := of[d.MerchantID] // who imported it sees it, whatever it says
		of[d.MerchantID] = sum
	}
	for id, sum := range of {
		if id != uuid.Nil {
			t.Later(`INSERT INTO bank_files_in_of (merchant_id, document_id, arrived_at, item_count, sum_cents)
				VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`, id, d.ID, d.ArrivedAt, sum.Count, sum.SumCents)
		}
	}
	return nil
}

// openFindings keeps findings whose kind and subject are new.
func (t unit) openFindings(findings []Finding) error {
	for _, f := range findings {
		f.ID, f.OpenedAt = t.NewID(), t.Now()
		database.Write(t.Tx, insertFinding, f)
	}
	return nil
}

// concerns lets the people of a merchant see what concerns the installation, when it serves no other. The operator, who
// is of no merchant, always sees that.
func concerns(merchantID string) string {
	return fmt.Sprintf(`(merchant_id = %[1]s OR merchant_id IS NULL AND (%[1]s = '%[2]s'
		OR (SELECT count(*) = 1 FROM merchants)))`, merchantID, uuid.Nil)
}

func (t unit) holdDocument(id uuid.UUID) (Document, error) {
	return database.First(held(t, documentTable, `id = $1`, id))
}

func (t unit) holdFinding(merchantID, id uuid.UUID) (Finding, error) {
	return database.First(held(t, findingTable, concerns(`$1`)+` AND id = $2`, merchantID, id))
}

func (t unit) saveFinding(f Finding) error {
	database.MustChange(t.Tx, saveFinding, f)
	return nil
}

// settleWhere closes open findings by a condition, whose arguments begin with $4.
func (t unit) settleWhere(by, resolution, condition string, args ...any) {
	t.Later(`UPDATE bank_findings SET closed_at = $1, closed_by = $2, resolution = $3 WHERE closed_at IS NULL AND `+
		condition, append([]any{t.Now(), by, resolution}, args...)...)
}

// settleFindings closes what is open about a subject.
func (t unit) settleFindings(k FindingKind, subject, by, resolution string) error {
	t.settleWhere(by, resolution, `kind = $4 AND subject = $5`, string(k), subject)
	return nil
}

// settleOfMessage closes what is open about a message as a whole.
func (t unit) settleOfMessage(k FindingKind, messageID, by, resolution string) {
	t.settleWhere(by, resolution, `kind = $4 AND message_id = $5 AND item_id IS NULL`, string(k), messageID)
}

// settleOfDocument closes what is open about the reading of a document, whoever it was asked.
func (t unit) settleOfDocument(id uuid.UUID, by, resolution string) {
	t.settleWhere(by, resolution, `arrival_id = $4 AND kind IN ('unreadable', 'not_stored')`, id)
}

// settleKind closes all open findings of a kind.
func (t unit) settleKind(k FindingKind, resolution string) error {
	t.settleWhere("", resolution, `kind = $4`, string(k))
	return nil
}

// leaveUnmatched says of the movements of a merchant in a document that belong to nothing that they are none of ours.
func (t unit) leaveUnmatched(merchantID, arrivalID uuid.UUID, note string) (n int64, err error) {
	return t.Exec(`UPDATE bank_entries SET state = 'other', note = $3
		WHERE merchant_id = $1 AND arrival_id = $2 AND state = 'unmatched'`, merchantID, arrivalID, note)
}

// waiting are merchants with items at the bank that have no answer.
func (t unit) waiting() ([]uuid.UUID, error) {
	return t.ids(`SELECT DISTINCT merchant_id FROM bank_items WHERE state = 'sent' AND outcome IN ('', 'in_tracking')
		ORDER BY 1`)
}

// reopenDocument lets a document be read once more, as one that arrived at that moment.
func (t unit) reopenDocument(id uuid.UUID, arrived time.Time) error {
	n, err := t.Exec(`UPDATE bank_files_in SET state = 'open', why = '', read_at = NULL, arrived_at = $2
		WHERE id = $1 AND state <> 'open'`, id, arrived)
	if err == nil && n == 0 {
		return fault.New(fault.Conflict, "reading", "This file is being read already.")
	}
	return err
}

// ownerOf finds whose account that is; zero when it is nobody's.
func (t unit) ownerOf(account bank.AccountNumber) (uuid.UUID, error) {
	owner, err := merchant.OwnerOf(t.Tx, account)
	if fault.Is(err, fault.NotFound) {
		return uuid.Nil, nil
	}
	return owner, err
}

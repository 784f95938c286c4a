package book

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// handedOver are the groups of an import that have handed a debit to the bank.
func handedOver(tx *database.Tx, i Import) (map[string]bool, error) {
	out := map[string]bool{}
	err := database.Query(tx, func(group *string) []any { return []any{group} }, func(group string) { out[group] = true },
		`SELECT DISTINCT r.group_name FROM book_import_rows r JOIN collections c ON c.token_id = r.token_id
			AND c.merchant_id = r.merchant_id WHERE r.merchant_id = $1 AND r.import_id = $2 AND r.token_id IS NOT NULL
			AND c.state NOT IN ('scheduled', 'cancelled')`, i.MerchantID.String(), i.ID.String())
	if err != nil {
		return nil, fmt.Errorf("look for debits of an import: %w", err)
	}
	return out, nil
}

// othersOf says what hangs on a row that somebody else made since; empty where nothing does.
func othersOf(tx *database.Tx, i Import, row Row) (string, error) {
	var purchases, accounts, subscriptions, notes, amendments bool
	err := tx.Pgx(func(on pgx.Tx) error {
		return on.QueryRow(tx.Context(), `SELECT
			EXISTS (SELECT FROM purchases WHERE merchant_id = $1 AND client_id = $2 AND id IS DISTINCT FROM $3::uuid AND $6)
				OR EXISTS (SELECT FROM purchases WHERE merchant_id = $1 AND token_id = $3::uuid)
				OR EXISTS (SELECT FROM collections WHERE merchant_id = $1 AND token_id = $3::uuid),
			$6 AND EXISTS (SELECT FROM tokens WHERE merchant_id = $1 AND client_id = $2 AND id IS DISTINCT FROM $3::uuid)
				OR EXISTS (SELECT FROM tokens WHERE merchant_id = $1 AND id = $3::uuid AND state <> 'active'),
			$6 AND EXISTS (SELECT FROM template_clients WHERE merchant_id = $1 AND client_id = $2
				AND id IS DISTINCT FROM $4::uuid),
			$6 AND (EXISTS (SELECT FROM notes WHERE merchant_id = $1 AND client_id = $2 AND NOT id = ANY($5::uuid[]))
				OR EXISTS (SELECT FROM promises WHERE merchant_id = $1 AND client_id = $2)),
			EXISTS (SELECT FROM amendments WHERE merchant_id = $1 AND old_token_id = $3::uuid)
				OR EXISTS (SELECT FROM mandate_evidence WHERE merchant_id = $1 AND mandate_id = $3::uuid)`,
			i.MerchantID.String(), row.ClientID.String(), orNone(row.TokenID), orNone(row.SubscriberID),
			database.IDs(row.Undo.Notes), row.Undo.MadeWho).Scan(&purchases, &accounts, &subscriptions, &notes, &amendments)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows), err != nil:
		return "", fmt.Errorf("look at what hangs on a client: %w", err)
	case purchases:
		return "there are purchases or debits of the client since", nil
	case accounts:
		return "its accounts were changed since", nil
	case subscriptions:
		return "another subscription was added since", nil
	case notes:
		return "notes were written about the client since", nil
	case amendments:
		return "its mandate was changed since", nil
	}
	return "", nil
}

func orNone(id uuid.UUID) *string {
	if id == uuid.Nil {
		return nil
	}
	text := id.String()
	return &text
}

// removeMade deletes what a row made: the account with its mandate and the purchase that stands for them, the
// reference, and a client who came with it.
func removeMade(tx *database.Tx, i Import, row Row) error {
	return tx.Pgx(func(on pgx.Tx) error {
		type act struct {
			sql  string
			args []any
		}
		m, client := i.MerchantID.String(), row.ClientID.String()
		var acts []act
		if row.TokenID != uuid.Nil {
			id := row.TokenID.String()
			acts = append(acts, act{`DELETE FROM tokens WHERE merchant_id = $1 AND id = $2`, []any{m, id}},
				act{`DELETE FROM mandates WHERE merchant_id = $1 AND id = $2`, []any{m, id}},
				act{`DELETE FROM purchases WHERE merchant_id = $1 AND id = $2`, []any{m, id}})
		}
		if row.Undo.Refer != "" {
			acts = append(acts, act{`DELETE FROM client_references WHERE merchant_id = $1 AND reference = $2 AND import_id = $3`,
				[]any{m, row.Undo.Refer, i.ID.String()}})
		}
		if row.Undo.MadeWho {
			acts = append(acts, act{`DELETE FROM client_references WHERE merchant_id = $1 AND client_id = $2`, []any{m, client}},
				act{`DELETE FROM recently_opened WHERE merchant_id = $1 AND object_id = $2`, []any{m, client}},
				act{`DELETE FROM clients WHERE merchant_id = $1 AND id = $2`, []any{m, client}})
		}
		for _, one := range acts {
			if _, err := on.Exec(tx.Context(), one.sql, one.args...); err != nil {
				return fmt.Errorf("take back what an import made: %w", err)
			}
		}
		return nil
	})
}

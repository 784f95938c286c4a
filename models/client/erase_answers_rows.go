package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
)

// eraseAnswers leaves of the kept answers that name the client no more than ids. They
// must stay: a request that is sent again must not be done again.
func eraseAnswers(t *database.Tx, tx pgx.Tx, c Client) error {
	said := saidOf(c)
	rows, err := tx.Query(t.Context(), `SELECT is_test, key, body FROM idempotency_keys WHERE merchant_id = $1`,
		c.MerchantID.String())
	if err != nil {
		return err
	}
	shorter := &pgx.Batch{}
	var isTest bool
	var key string
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&isTest, &key, &sealed}, func() error {
		body, err := t.DB().Seal.OpenBytes(database.AnswerAt(c.MerchantID.String(), isTest, key), sealed)
		if errors.Is(err, seal.ErrDamaged) {
			return nil // nobody can read it
		}
		if err != nil {
			return fmt.Errorf("open the answer of a key: %w", err)
		}
		if names(body, said) {
			shorter.Queue(
				`UPDATE idempotency_keys SET body = $4 WHERE merchant_id = $1 AND is_test = $2 AND key = $3`,
				c.MerchantID.String(),
				isTest,
				key,
				t.DB().Seal.SealBytes(database.AnswerAt(c.MerchantID.String(), isTest, key), idAlone(body)),
			)
		}
		return nil
	})
	if err != nil || shorter.Len() == 0 {
		return err
	}
	return tx.SendBatch(t.Context(), shorter).Close()
}

func names(body []byte, said []string) bool {
	text := strings.ToLower(string(body))
	for _, word := range said {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// idAlone is an answer without anything but what it is about. The answer of a form,
// which is an address of ours, stays.
func idAlone(body []byte) []byte {
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return body
	}
	few := map[string]json.RawMessage{}
	for _, name := range []string{"id", "type", "status"} {
		if v, ok := all[name]; ok {
			few[name] = v
		}
	}
	out, _ := json.Marshal(few) // read from JSON a moment ago
	return out
}

package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/client"
)

// hostless are the attempts of a purchase without the payer's address on the internet.
const hostless = `COALESCE((SELECT jsonb_agg(a - 'client_ip' ORDER BY n) FROM jsonb_array_elements(%s) WITH ORDINALITY AS all_of (a, n)), '[]')`

// erasing removes a person from what stands beside its client: @m merchant, @c
// client, @ids its purchases, @subs its subscriptions.
var erasing = []struct{ table, sql string }{
	{"purchases", `UPDATE purchases SET payer_name = @erased, payer_email = '', payer = @payer::jsonb, payer_sealed = NULL, created_ip = '',
		details = details - 'email_message', attempts = ` + fmt.Sprintf(hostless, "attempts") + `,
		search = array_to_tsvector(array_remove(regexp_split_to_array(lower(reference || ' ' || reference_generated), '\s+')
			|| regexp_split_to_array(lower(reference || ' ' || reference_generated), '[^[:alnum:]]+'), '')),
		version = version + 1, updated_at = @at WHERE merchant_id = @m AND id = ANY(@ids::uuid[])`},
	{"tokens", `UPDATE tokens SET holder_name = @erased, account_sealed = '', account_hash = '' WHERE merchant_id = @m AND (client_id = @c OR id = ANY(@ids::uuid[]))`},
	{"mails", `UPDATE mails SET recipient = '', cc = '{}', bcc = '{}', subject = 'Erased', text_body = '', html_body = '', body_sealed = NULL, attachments = '[]', error = '',
		state = CASE state WHEN 'queued' THEN 'failed' ELSE state END, next_try_at = NULL
		WHERE merchant_id = @m AND (client_id = @c OR purchase_id = ANY(@ids::uuid[]))`},
	{"template_clients", `UPDATE template_clients SET debit = '{}', debit_sealed = NULL, version = version + 1 WHERE merchant_id = @m AND client_id = @c`},
	{"batch_rows", `UPDATE batch_rows r SET cells = @cells, name = @erased, problems = NULL, broken = NULL, error = '', same_hash = NULL
		FROM batches b WHERE b.merchant_id = @m AND r.merchant_id = @m AND r.batch_id = b.id AND (r.client_id = @c OR r.purchase_id = ANY(@ids::uuid[])
			OR @name <> '' AND r.client_id IS NULL AND r.purchase_id IS NULL AND lower(r.name) = @name AND b.state IN ('done', 'stopped'))`},
	{"account_verifications", `DELETE FROM account_verifications WHERE merchant_id = @m AND client_id = @c AND purchase_id IS NULL`},
	{"events", `UPDATE events SET snapshot = jsonb_set(snapshot, '{purchase}', (snapshot -> 'purchase') || jsonb_build_object('payer', @payer::jsonb, 'payer_name', @erased::text,
			'payer_email', '', 'created_ip', '', 'details', (snapshot -> 'purchase' -> 'details') - 'email_message',
			'attempts', ` + fmt.Sprintf(hostless, "snapshot -> 'purchase' -> 'attempts'") + `))
		WHERE merchant_id = @m AND source_id = ANY(@ids::uuid[]) AND jsonb_typeof(snapshot -> 'purchase') = 'object'`},
	{"events", `UPDATE events SET snapshot = snapshot || jsonb_build_object('subscriber', (snapshot -> 'subscriber') || '{"debit": {}}',
			'client', jsonb_build_object('full_name', @erased::text, 'email', ''))
		WHERE merchant_id = @m AND object_id = ANY(@subs::uuid[]) AND jsonb_typeof(snapshot -> 'subscriber') = 'object'`},
	{"delivery_attempts", `UPDATE delivery_attempts a SET answer = '' FROM deliveries d
		WHERE d.merchant_id = @m AND a.delivery_id = d.id AND d.source_id = ANY(@ids::uuid[] || @subs::uuid[])`},
	{"api_requests", `UPDATE api_requests SET request = '', answer = '', query = '' WHERE merchant_id = @m
		AND EXISTS (SELECT FROM unnest(@said::text[]) AS said WHERE position(said IN lower(request || ' ' || answer || ' ' || query || ' ' || path)) > 0)`},
	// Statements name payers: those of its time are made again from the ledger, with the same sums.
	{"company_statements", `UPDATE company_statements SET status = 'pending', claim = NULL, claimed_until = NULL, file = NULL WHERE merchant_id = @m AND status IN ('running', 'finished')
		AND EXISTS (SELECT FROM ledger_entries e WHERE e.merchant_id = @m AND e.purchase_id = ANY(@ids::uuid[]))`},
}

// eraseRows runs the statements above over what belongs to the client.
func (t *Tx) eraseRows(tx pgx.Tx, c client.Client) error {
	args := erasureArgs(c)
	args["at"], args["said"], args["cells"] = t.now, saidOf(c), []byte{}
	var err error
	if args["ids"], err = idsOf(t.ctx, tx, `SELECT id::text FROM `+ofClient+` AS mine`, args); err != nil {
		return err
	}
	if args["subs"], err = idsOf(t.ctx, tx, `SELECT id::text FROM template_clients WHERE merchant_id = @m AND client_id = @c`, args); err != nil {
		return err
	}
	for _, e := range erasing {
		if _, err := tx.Exec(t.ctx, e.sql, args); err != nil {
			return fmt.Errorf("erase from %s: %w", e.table, err)
		}
	}
	return t.eraseAnswers(tx, c)
}

func idsOf(ctx context.Context, tx pgx.Tx, sql string, args pgx.NamedArgs) ([]string, error) {
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// eraseAnswers leaves of the kept answers that name the client no more than ids. They
// must stay: a request that is sent again must not be done again.
func (t *Tx) eraseAnswers(tx pgx.Tx, c client.Client) error {
	said := saidOf(c)
	rows, err := tx.Query(t.ctx, `SELECT is_test, key, body FROM idempotency_keys WHERE merchant_id = $1`, c.MerchantID.String())
	if err != nil {
		return err
	}
	shorter := &pgx.Batch{}
	var isTest bool
	var key string
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&isTest, &key, &sealed}, func() error {
		body, err := t.s.seal.OpenBytes(answerAt(c.MerchantID.String(), isTest, key), sealed)
		if err != nil {
			return fmt.Errorf("open the answer of a key: %w", err)
		}
		if names(body, said) {
			shorter.Queue(`UPDATE idempotency_keys SET body = $4 WHERE merchant_id = $1 AND is_test = $2 AND key = $3`,
				c.MerchantID.String(), isTest, key, t.s.seal.SealBytes(answerAt(c.MerchantID.String(), isTest, key), idAlone(body)))
		}
		return nil
	})
	if err != nil || shorter.Len() == 0 {
		return err
	}
	return tx.SendBatch(t.ctx, shorter).Close()
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

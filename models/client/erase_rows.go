package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/ownrule"
	"debitdesk/models/requestlog"
	"debitdesk/models/task"
)

// ofClient are the purchases of a client (@m merchant, @c client). A purchase that
// was made without a client record, but in the same name and with the same e-mail
// address, is the same person's.
const ofClient = `(SELECT id FROM purchases WHERE merchant_id = @m AND client_id = @c
	UNION SELECT id FROM purchases WHERE merchant_id = @m AND client_id IS NULL AND @email <> '' AND @name <> ''
		AND search_key(merchant_id, id, search) @@ ` + inEveryStep + ` AND lower(payer_email) = @email
			AND lower(payer_name) = @name)`

// inEveryStep finds @words, which are one word, among the purchases of all times.
const inEveryStep = `(SELECT string_agg('''' || right((@m)::text, 12) || lpad(to_hex(step), 4, '0')
	|| substr(@words, 2), ' | ')::tsquery FROM generate_series(
		(SELECT ('x' || left(id::text, 4))::bit(16)::int FROM purchases WHERE merchant_id = @m ORDER BY id LIMIT 1),
		(SELECT ('x' || left(id::text, 4))::bit(16)::int FROM purchases WHERE merchant_id = @m
		ORDER BY id DESC LIMIT 1)) AS step)`

const aboutErasure = `WITH mine AS MATERIALIZED ` + ofClient + `,
	debits AS MATERIALIZED (SELECT state, final_at, action_date FROM collections
	WHERE merchant_id = @m AND purchase_id IN (SELECT id FROM mine))
	SELECT (SELECT count(*) FROM mine) AS purchases,
		(SELECT count(*) FROM mails WHERE merchant_id = @m
		AND (client_id = @c OR purchase_id = ANY (ARRAY(SELECT id FROM mine)))) AS mails,
		(SELECT count(*) FROM mandates WHERE merchant_id = @m AND id IN (SELECT id FROM mine)) AS mandates,
		(SELECT count(*) FROM invoices WHERE merchant_id = @m AND purchase_id IN (SELECT id FROM mine)) AS invoices,
		(SELECT count(*) FROM debits WHERE state IN ('submitted', 'in_tracking', 'provisional')) AS at_bank,
		(SELECT count(*) FROM debits WHERE state = 'scheduled') AS waiting,
		(SELECT CASE WHEN bool_and(final_at IS NOT NULL) THEN max((final_at AT TIME ZONE 'Africa/Johannesburg')::date) END
		FROM debits WHERE state IN ('submitted', 'in_tracking', 'provisional')) AS at_bank_end,
		(SELECT count(*) FROM debits WHERE state = 'disputed') AS disputes,
		(SELECT count(*) FROM refunds WHERE merchant_id = @m AND state = 'pending' AND purchase_id IN (SELECT id FROM mine))
			AS refunds,
		COALESCE((SELECT max(action_date) FROM debits WHERE state NOT IN ('cancelled', 'recalled')),
			(SELECT max(day) FROM (
				SELECT (created_at AT TIME ZONE 'Africa/Johannesburg')::date AS day FROM mandates
				WHERE merchant_id = @m AND id IN (SELECT id FROM mine)
				UNION ALL SELECT issued FROM invoices WHERE merchant_id = @m AND purchase_id IN (SELECT id FROM mine)) AS kept))
			AS last_debit`

func erasureArgs(c Client) map[string]any {
	return map[string]any{"m": c.MerchantID.String(), "c": c.ID.String(), "email": strings.ToLower(c.Email),
		"name": strings.ToLower(c.FullName), "words": database.SearchQuery(c.Email),
		"erased": ErasedName, "payer": erasedPayer()}
}

func erasedPayer() string {
	text, _ := json.Marshal(Details{FullName: ErasedName}) // texts
	return string(text)
}

// readErasure tells what the erasure of a client is about.
func readErasure(by *gorm.DB, c Client) (Erasure, error) {
	var e Erasure
	if err := by.Raw(aboutErasure, erasureArgs(c)).Take(&e).Error; err != nil {
		return e, fmt.Errorf("look at what an erasure is about: %w", err)
	}
	e.Client = c
	return e, nil
}

// Erasure tells what the erasure of a client is about, deleted clients included; NotFound otherwise.
func (s Store) Erasure(ctx context.Context, merchantID, id uuid.UUID) (Erasure, error) {
	var c Client
	if err := s.Gorm(ctx).Scopes(Of(merchantID)).Take(&c, "id = ?", id).Error; err != nil {
		return Erasure{}, err
	}
	e, err := readErasure(s.Gorm(ctx), c)
	if err == nil {
		e.Own, err = ownrule.Store{DB: s.DB}.OwnRules(ctx, merchantID)
	}
	return e, err
}

// erasureWithin is Erasure as the transaction sees it.
func erasureWithin(t *database.Tx, merchantID, id uuid.UUID) (e Erasure, err error) {
	c, err := lockAny(t, merchantID, id)
	if err != nil {
		return e, err
	}
	if e, err = readErasure(t.Gorm(), c); err == nil {
		e.Own, err = ownrule.Within(t, merchantID)
	}
	return e, err
}

// eraseAll removes the personal data of a client wherever it stands. What the law keeps
// stays until the day of c.EvidenceUntil. A test plants a client with words of its own and
// looks through every table: a new one that keeps them must be named in erasing.
func eraseAll(t *database.Tx, c Client) error {
	before, err := lockAny(t, c.MerchantID, c.ID)
	if err != nil {
		return err
	}
	if err := eraseRows(t, before); err != nil {
		return err
	}
	if err := eraseMerged(t, c); err != nil {
		return err
	}
	erased := Client{ID: c.ID, MerchantID: c.MerchantID, Details: Details{FullName: ErasedName},
		UpdatedAt: t.Now()}
	found, err := database.Change(t, eraseClient, erased, database.OrNull(c.EvidenceUntil))
	if err == nil && !found {
		err = fault.ErrLost
	}
	return err
}

// saidOf is what gives a person away in texts of others: the log of requests, answers
// of endpoints.
func saidOf(c Client) []string {
	said := []string{c.ID.String()}
	for _, word := range []string{c.Email, c.Phone, c.FullName, c.LegalName} {
		if len(word) >= 5 { // shorter ones are in everybody's texts
			said = append(said, strings.ToLower(word))
		}
	}
	return said
}

// hostless are the attempts of a purchase without the client's address on the internet.
const hostless = `COALESCE((SELECT jsonb_agg(a - 'client_ip' ORDER BY n)
	FROM jsonb_array_elements(%s) WITH ORDINALITY AS all_of (a, n)), '[]')`

// deletions are the requests for a second approver to delete tokens of the client.
const deletions = `SELECT id FROM approvals WHERE merchant_id = @m AND kind = 'delete_tokens'
	AND jsonb_exists_any(subject -> 'tokens', (@ids)::text[])`

// stopRequests are the requests for a second approver to stop everything of the client.
const stopRequests = `SELECT id FROM approvals WHERE merchant_id = @m AND kind = 'stop_client'
	AND subject ->> 'client' = (@c)::text`

// erasing removes a person from what stands beside its client: @m merchant, @c
// client, @ids its purchases, @subs its subscriptions.
var erasing = []struct{ table, sql string }{
	{
		"purchases",
		`UPDATE purchases SET payer_name = @erased, payer_email = '', payer = (@payer)::jsonb,
			payer_sealed = NULL, created_ip = '',
		details = details - 'email_message', attempts = ` + fmt.Sprintf(hostless, "attempts") + `,
		search = array_to_tsvector(array_remove(regexp_split_to_array(lower(reference || ' ' || reference_generated), '\s+')
			|| regexp_split_to_array(lower(reference || ' ' || reference_generated), '[^[:alnum:]]+'), '')),
		version = version + 1, updated_at = @at WHERE merchant_id = @m AND id = ANY((@ids)::uuid[])`,
	},
	{
		"tokens",
		`UPDATE tokens SET holder_name = @erased, account_sealed = '', account_hash = ''
			WHERE merchant_id = @m AND (client_id = @c OR id = ANY((@ids)::uuid[]))`,
	},
	{
		"mails",
		`UPDATE mails SET recipient = '', cc = '{}', bcc = '{}', subject = 'Erased', text_body = '', html_body = '',
			body_sealed = NULL, attachments = '[]', error = '',
		state = CASE state WHEN 'queued' THEN 'failed' ELSE state END, next_try_at = NULL
		WHERE merchant_id = @m AND (client_id = @c OR purchase_id = ANY((@ids)::uuid[]))`,
	},
	// Requests to delete a token name its holder, and so do the mails about them.
	{
		"mails",
		`UPDATE mails SET subject = 'Erased', text_body = '', html_body = '', body_sealed = NULL,
			state = CASE state WHEN 'queued' THEN 'failed' ELSE state END, next_try_at = NULL
		WHERE merchant_id = @m AND object_id IN (` + deletions + ` UNION ALL ` + stopRequests + `)`,
	},
	{
		"approvals",
		`UPDATE approvals SET subject = CASE WHEN jsonb_array_length(subject -> 'tokens') = 1
				THEN jsonb_set(subject - 'shown', '{name}', '"delete a token of an erased client"') ELSE subject - 'shown' END,
			reason = 'Erased', decision = CASE decision WHEN '' THEN '' ELSE 'Erased' END
		WHERE merchant_id = @m AND id IN (` + deletions + `)`,
	},
	{
		"approvals",
		`UPDATE approvals SET subject = jsonb_set(subject - 'shown', '{name}',
				'"stop everything that is debited from an erased client"'),
			reason = 'Erased', decision = CASE decision WHEN '' THEN '' ELSE 'Erased' END
		WHERE merchant_id = @m AND id IN (` + stopRequests + `)`,
	},
	// That a number wants no SMS stays, for it is what its owner asked for.
	{"sms_messages", `UPDATE sms_messages SET recipient = '', text_sealed = NULL, why = '',
		state = CASE state WHEN 'queued' THEN 'skipped' ELSE state END WHERE merchant_id = @m
		AND (client_id = @c OR purchase_id = ANY((@ids)::uuid[]))`},
	{"sms_replies", `UPDATE sms_replies SET phone = '', text_sealed = NULL WHERE merchant_id = @m AND client_id = @c`},
	{"client_merges", `UPDATE client_merges SET gone_name = @erased, before_sealed = NULL, moved = '{}'
		WHERE merchant_id = @m AND (kept_id = @c OR gone_id = @c)`},
	{"client_page_links", `UPDATE client_page_links SET asked_by = CASE purpose WHEN 'asked' THEN @erased ELSE asked_by END
		WHERE merchant_id = @m AND client_id = @c`},
	{"client_page_acts", `UPDATE client_page_acts SET wish = '{}', code_hash = NULL,
		state = CASE state WHEN 'asked' THEN 'over' ELSE state END WHERE merchant_id = @m AND client_id = @c`},
	// That it was asked for and answered is evidence; what was said is not kept.
	{"client_requests", `UPDATE client_requests SET about = '', text = '', answer = '', version = version + 1,
		recorded_by = CASE channel WHEN 'page' THEN @erased ELSE recorded_by END, updated_at = @at
		WHERE merchant_id = @m AND client_id = @c`},
	{"client_stops", `UPDATE client_stops SET reason = 'Erased' WHERE merchant_id = @m AND client_id = @c`},
	{
		"template_clients",
		`UPDATE template_clients SET debit = '{}', debit_sealed = NULL, version = version + 1
			WHERE merchant_id = @m AND client_id = @c`,
	},
	// What is undone would bring the cells back.
	{"batch_mends", `DELETE FROM batch_mends WHERE merchant_id = @m AND batch_id IN (SELECT batch_id FROM batch_rows
		WHERE merchant_id = @m AND (client_id = @c OR purchase_id = ANY((@ids)::uuid[])))`},
	{"batch_rows",
		`UPDATE batch_rows r SET cells = @cells, name = @erased, problems = NULL, broken = NULL, error = '', same_hash = NULL
		FROM batches b WHERE b.merchant_id = @m AND r.merchant_id = @m AND r.batch_id = b.id
		AND (r.client_id = @c OR r.purchase_id = ANY((@ids)::uuid[])
			OR @name <> '' AND r.client_id IS NULL AND r.purchase_id IS NULL AND lower(r.name) = @name
			AND b.state IN ('done', 'stopped'))`},
	{"book_scans", `DELETE FROM book_scans s USING book_import_rows r WHERE r.merchant_id = @m AND r.client_id = @c
		AND s.import_id = r.import_id AND s.n = r.n`},
	{"book_import_rows", `UPDATE book_import_rows SET cells = '', undo_sealed = NULL, findings = NULL, changes = NULL,
		broken = NULL, name = @erased, reason = '' WHERE merchant_id = @m AND client_id = @c`},
	{"book_imports", `UPDATE book_imports i SET kept = (SELECT coalesce(jsonb_agg(k), '[]') FROM
		jsonb_array_elements(kept) k
		WHERE k ->> 'client' IS DISTINCT FROM (@c)::text) WHERE merchant_id = @m AND kept @>
		jsonb_build_array(jsonb_build_object('client', (@c)::text))`},
	{"client_references", `DELETE FROM client_references WHERE merchant_id = @m AND client_id = @c`},
	{"account_verifications",
		`DELETE FROM account_verifications WHERE merchant_id = @m AND client_id = @c AND purchase_id IS NULL`},
	{"notes", `DELETE FROM notes WHERE merchant_id = @m AND (client_id = @c OR purchase_id = ANY((@ids)::uuid[]))`},
	{"promises",
		`UPDATE promises SET text = '', state = CASE state WHEN 'open' THEN 'withdrawn' ELSE state END, updated_at = @at
		WHERE merchant_id = @m AND (client_id = @c OR purchase_id = ANY((@ids)::uuid[]))`},
	{
		"events",
		`UPDATE events SET snapshot = jsonb_set(snapshot, '{purchase}',
			(snapshot -> 'purchase') || jsonb_build_object('payer', (@payer)::jsonb, 'payer_name', (@erased)::text,
			'payer_email', '', 'created_ip', '', 'details', (snapshot -> 'purchase' -> 'details') - 'email_message',
			'attempts', ` + fmt.Sprintf(hostless, "snapshot -> 'purchase' -> 'attempts'") + `))
		WHERE merchant_id = @m AND source_id = ANY((@ids)::uuid[]) AND jsonb_typeof(snapshot -> 'purchase') = 'object'`},
	{
		"events",
		`UPDATE events SET snapshot = snapshot || jsonb_build_object('subscriber',
			(snapshot -> 'subscriber') || '{"debit": {}}',
			'client', jsonb_build_object('full_name', (@erased)::text, 'email', ''))
		WHERE merchant_id = @m AND object_id = ANY((@subs)::uuid[]) AND jsonb_typeof(snapshot -> 'subscriber') = 'object'`,
	},
	{"delivery_attempts", `UPDATE delivery_attempts a SET answer = '' FROM deliveries d
		WHERE d.merchant_id = @m AND a.delivery_id = d.id AND d.source_id = ANY((@ids)::uuid[] || (@subs)::uuid[])`},
	// Statements name clients: those of its time are made again from the ledger, with the same sums.
	{
		"company_statements",
		`UPDATE company_statements SET status = 'pending', claim = NULL, claimed_until = NULL, file = NULL
			WHERE merchant_id = @m AND status IN ('pending', 'running', 'finished')
		AND EXISTS (SELECT FROM ledger_entries e WHERE e.merchant_id = @m AND e.purchase_id = ANY((@ids)::uuid[]))`,
	},
}

// eraseRows runs the statements above over what belongs to the client.
func eraseRows(t *database.Tx, c Client) error {
	args := erasureArgs(c)
	args["at"], args["cells"] = t.Now(), []byte{}
	var purchases, subscriptions []uuid.UUID
	if err := t.Gorm().Raw(`SELECT id FROM `+ofClient+` AS mine`, args).Find(&purchases).Error; err != nil {
		return err
	}
	if err := t.Gorm().Raw(`SELECT id FROM template_clients WHERE merchant_id = @m AND client_id = @c`, args).
		Find(&subscriptions).Error; err != nil {
		return err
	}
	args["ids"], args["subs"] = database.IDs(purchases), database.IDs(subscriptions)
	for _, e := range erasing {
		if err := t.Gorm().Exec(e.sql, args).Error; err != nil {
			return fmt.Errorf("erase from %s: %w", e.table, err)
		}
	}
	if err := t.Pgx(func(tx pgx.Tx) error {
		if err := requestlog.Erase(t.Context(), tx, c.MerchantID, saidOf(c)); err != nil {
			return fmt.Errorf("erase from the log of requests: %w", err)
		}
		if err := task.Erase(t.Context(), t, tx, c.MerchantID); err != nil {
			return fmt.Errorf("erase from tasks: %w", err)
		}
		return nil
	}); err != nil {
		return err
	}
	return t.Pgx(func(tx pgx.Tx) error { return eraseAnswers(t, tx, c) })
}

package find

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
)

// Store asks all records at once. Nothing that it asks grows with a merchant's history: each statement reads the newest
// rows and then an index that begins with the merchant, up to a limit.
type Store struct{ *database.DB }

// What one search costs at most.
const (
	nearRows = 120 // the newest rows, in which words are met without an index
	common   = 60  // of them that have the words: then the newest are enough
	rare     = 25  // of them that have a word, at most, where the index is asked for it
	counted  = 100 // what is counted
	perStep  = 200 // rows that an index gives for one step of time
	shown    = 8
	kept     = 20 // pages that are remembered for a person
)

// answer is what one source gives. count is how many there are; -1 where that is more than is counted.
type answer struct {
	kind  Kind
	hits  []Hit
	count int
}

// source is one statement. Every one gives the same columns.
type source struct {
	kind  Kind
	score Score // of what it finds
	sql   string
	args  []any
}

// mine are the rows of the merchant.
var mine = database.BoundTo("merchant_id", "$1")

// byWords finds the rows of a table ($1 merchant) by their words: $2 what begins a word of them, $3 whole
// words, $4 and $5 each thing that was typed, as it begins a word and as it begins a key of the index. Among
// the newest rows everything is met. For the rest the index is asked for what few of the newest have, from step
// to step of time until enough is found.
func byWords(table, where string) string { return byWordsUpTo(table, where, common, counted, shown) }

// byWordsUpTo is byWords with as many of the newest rows as are enough, that are counted, and that are given.
func byWordsUpTo(table, where string, common, counted, shown int) string {
	step := func(order string) string {
		return fmt.Sprintf(
			`(SELECT ('x' || left(id::text, 4))::bit(16)::int FROM %s WHERE %s ORDER BY merchant_id %[3]s, id %[3]s LIMIT 1)`,
			table,
			mine,
			order,
		)
	}
	return strings.NewReplacer("@table", table, "@where", where, "@mine", mine, "@last",
		step("DESC"), "@first", step("ASC"),
		"@near", strconv.Itoa(nearRows), "@common", strconv.Itoa(common), "@rare", strconv.Itoa(rare),
		"@step", strconv.Itoa(perStep),
		"@counted", strconv.Itoa(counted), "@shown", strconv.Itoa(shown)).
		Replace(`WITH
		newest AS MATERIALIZED (SELECT of.* FROM (SELECT id FROM @table WHERE @mine
		ORDER BY merchant_id DESC, id DESC LIMIT @near) AS w
			CROSS JOIN LATERAL (SELECT id, search, (search @@ $2::tsquery@where) IS TRUE AS hit FROM @table
			WHERE id = w.id OFFSET 0) AS of),
		near AS MATERIALIZED (SELECT count(*) = @near AS ends_early, count(*) FILTER (WHERE hit) AS hits FROM newest),
		keys AS MATERIALIZED (SELECT string_agg(k.key, ' & ') AS rare FROM unnest($4::text[], $5::text[]) AS k (word, key)
			WHERE (SELECT count(*) FROM newest WHERE search @@ k.word::tsquery) <= @rare),
		older AS MATERIALIZED (SELECT f.id, f.whole FROM generate_series(@last, @first, -1) AS step, LATERAL (
			WITH rows AS MATERIALIZED (SELECT id, merchant_id, search FROM @table WHERE search_key(merchant_id, id, search) @@
				replace((SELECT rare FROM keys), chr(1), right($1::text, 12) || lpad(to_hex(step), 4, '0'))::tsquery@where
				LIMIT @step)
			SELECT id, (search @@ $3::tsquery) IS TRUE AS whole FROM rows WHERE merchant_id = $1 AND search @@ $2::tsquery
			ORDER BY id DESC) AS f
			WHERE (SELECT rare FROM keys) IS NOT NULL AND (SELECT ends_early AND hits < @common FROM near) LIMIT @counted + 1),
		found AS (SELECT id, (search @@ $3::tsquery) IS TRUE AS whole FROM newest WHERE hit
		UNION SELECT id, whole FROM older),
		tally AS MATERIALIZED (SELECT CASE WHEN count(*) > @counted
		OR (SELECT ends_early AND (hits >= @common OR (SELECT rare FROM keys) IS NULL) FROM near)
			THEN -1 ELSE count(*) END AS n FROM found),
		best AS MATERIALIZED (SELECT id, whole FROM found ORDER BY whole DESC, id DESC LIMIT @shown) `)
}

// counts is what a statement without a count of its own says: what it shows.
const counts = "count(*) OVER ()"

var clientLine = "SELECT t.id, NULL::uuid, " + client.NameIn("t.") +
	", t.email, t.phone, '', 0::bigint, '', NULL::date, %s, %s FROM "

const (
	purchaseLine = `SELECT t.id, NULL::uuid, t.payer_name, t.payer_email,
		coalesce(nullif(t.reference, ''), t.reference_generated), t.status,
		t.total_cents, t.currency, CASE WHEN t.due_given THEN (t.due AT TIME ZONE 'Africa/Johannesburg')::date END,
		%s, %s FROM `
	mandateLine = `SELECT t.id, NULL::uuid, t.holder_name, '', t.contract_reference, t.state, 0::bigint,
		'', NULL::date, %s, %s FROM `
	//nolint:gosec // a query, no credential
	tokenLine = `SELECT t.id, NULL::uuid, t.holder_name, t.bank_code, t.account_mask, t.state, 0::bigint,
		'', NULL::date, %s, %s FROM `
	invoiceLine = `SELECT t.id, t.purchase_id, p.payer_name, '', t.number, p.status, t.total_cents,
		t.currency, t.issued, %s, %s FROM `
	batchLine = `SELECT t.id, NULL::uuid, t.name, '', '', t.state, 0::bigint, '',
		(t.created_at AT TIME ZONE 'Africa/Johannesburg')::date, %s, %s FROM `
	templateLine = `SELECT t.id, NULL::uuid, t.title, '', '', CASE WHEN t.paused THEN 'paused'
		ELSE '' END, t.total_cents, t.currency, NULL::date, %s, %s FROM `
)

func line(columns, whole, n string) string { return fmt.Sprintf(columns, whole, n) }

const bestFirst = " ORDER BY best.whole DESC, t.id DESC"

// The statements that words are looked up with.
var (
	clientsByWords = byWords("clients", " AND deleted_at IS NULL") + line(clientLine, "best.whole",
		"(SELECT n FROM tally)") +
		"best JOIN clients t ON t.merchant_id = $1 AND t.id = best.id" + bestFirst
	purchasesByWords = byWords("purchases", "") + line(purchaseLine, "best.whole", "(SELECT n FROM tally)") +
		"best JOIN purchases t ON t.merchant_id = $1 AND t.id = best.id" + bestFirst
	mandatesByWords = byWords("mandates", "") + line(mandateLine, "best.whole", "(SELECT n FROM tally)") +
		"best JOIN mandates t ON t.merchant_id = $1 AND t.id = best.id" + bestFirst
	// Names are few: the newest of them are looked through.
	batchesByName   = line(batchLine, "false", counts) + named("batches", "name", "") + endOfShort
	templatesByName = line(templateLine, "false", counts) + named("billing_templates", "title",
		" AND deleted_at IS NULL") + endOfShort
)

const endOfShort = " ORDER BY t.id DESC LIMIT 8"

// named finds rows of which every typed word stands in the name ($2, as patterns).
func named(table, column, where string) string {
	return fmt.Sprintf(`(SELECT * FROM %s WHERE %s%s ORDER BY merchant_id DESC, id DESC LIMIT %d) AS t
		WHERE regexp_replace(normalize(lower(t.%s), NFD), '[\u0300-\u036f]', '',
		'g') LIKE ALL ($2::text[])`, table, mine, where, nearRows, column)
}

// ofTable reads rows of a table by their own ids or by another condition.
func ofTable(table, where string) string {
	return table + " t WHERE t.merchant_id = $1 AND " + where
}

// invoicesBy reads invoices and credit notes with their purchases.
func invoicesBy(where string) string {
	return line(invoiceLine, "true", counts) + "(SELECT * FROM invoices WHERE merchant_id = $1 AND " + where +
		" LIMIT 200) AS t JOIN purchases p ON p.merchant_id = $1 AND p.id = t.purchase_id ORDER BY t.number DESC LIMIT 8"
}

// inRange reads what has an id from $2 to $3.
func inRange(columns, table, where string) string {
	return line(columns, "true", counts) + ofTable(table, "t.id BETWEEN $2 AND $3"+where) + endOfShort
}

// sources are the statements that a meaning needs.
func (s Store) sources(merchantID uuid.UUID, m Meaning) (all []source) {
	add := func(kind Kind, score Score, sql string, args ...any) {
		all = append(all, source{kind, score, sql, append([]any{merchantID}, args...)})
	}
	if m.First != uuid.Nil {
		add(Clients, ByID, inRange(clientLine, "clients", " AND t.deleted_at IS NULL"), m.First, m.Last)
		add(Purchases, ByID, inRange(purchaseLine, "purchases", ""), m.First, m.Last)
		add(Mandates, ByID, inRange(mandateLine, "mandates", ""), m.First, m.Last)
		add(Tokens, ByID, inRange(tokenLine, "tokens", ""), m.First, m.Last)
		add(Batches, ByID, inRange(batchLine, "batches", ""), m.First, m.Last)
		add(Templates, ByID, inRange(templateLine, "billing_templates", " AND t.deleted_at IS NULL"), m.First, m.Last)
		if m.First == m.Last {
			add(Invoices, ByID, invoicesBy("id = $2"), m.First)
			add(Purchases, ByID, line(purchaseLine, "true", counts)+ofTable("purchases",
				"t.id = (SELECT c.purchase_id FROM collections c WHERE c.id = $2 AND c.merchant_id = $1)"), m.First)
		}
	}
	if m.Identity != "" {
		add(Clients, ByNumber, line(clientLine, "true", counts)+ofTable(
			"clients",
			"t.deleted_at IS NULL AND t.personal_code_hash = $2",
		)+endOfShort, client.IdentityHash(s.Seal, merchantID, m.Identity))
	}
	if len(m.Words) > 0 && longest(m.Words) > 1 {
		wanted := m.Wanted()
		clients := byBeginnings(merchantID, clientsByWords, ByWords, wanted)
		purchases, mandates := clients, clients
		purchases.kind, purchases.sql = Purchases, purchasesByWords
		mandates.kind, mandates.sql = Mandates, mandatesByWords
		all = append(all, clients, purchases, mandates)
		patterns := make(database.TextArray, len(m.Words))
		for i, w := range m.Words {
			patterns[i] = database.Holding(w)
		}
		add(Batches, ByWords, batchesByName, patterns)
		add(Templates, ByWords, templatesByName, patterns)
	}
	if m.Digits != "" {
		add(
			Tokens,
			ByNumber,
			line(tokenLine, "true", counts)+"(SELECT * FROM tokens WHERE "+mine+
				" AND right(account_mask, 4) = $2 ORDER BY merchant_id DESC, id DESC LIMIT 250) AS t"+endOfShort,
			m.Digits,
		)
	}
	if m.Number != "" {
		const begun = `kind = '%s' AND number COLLATE "C" >= $2 AND number COLLATE "C" < $3`
		end := m.Number + string(utf8.MaxRune)
		add(Invoices, ByNumber, invoicesBy(fmt.Sprintf(begun, "invoice")), m.Number, end)
		add(Invoices, ByNumber, invoicesBy(fmt.Sprintf(begun, "credit_note")), m.Number, end)
	}
	if m.Serial > 0 {
		add(Invoices, ByNumber, invoicesBy("serial = $2 AND starts_with(number, $3)"), m.Serial, m.Prefix)
	}
	if m.Cents > 0 {
		add(Purchases, ByAmount, purchasesByAmount, m.Cents)
	}
	return all
}

// byBeginnings asks a statement of byWords for the words that are wanted.
func byBeginnings(merchantID uuid.UUID, sql string, score Score, wanted []database.Beginning) source {
	var words, keys database.TextArray
	for i := range wanted {
		words = append(words, database.Beginnings(wanted[i:i+1], "", false))
		keys = append(keys, database.Beginnings(wanted[i:i+1], database.KeyMark, false))
	}
	return source{Clients, score, sql, []any{merchantID, database.Beginnings(wanted, "", false),
		database.Beginnings(wanted, "", true), words, keys}}
}

// purchasesByAmount looks through the newest rows, and then in the index of amounts.
var purchasesByAmount = fmt.Sprintf(
	`WITH newest AS MATERIALIZED (SELECT id, total_cents = $2 AS hit FROM purchases
		WHERE `+mine+` ORDER BY merchant_id DESC, id DESC LIMIT %d),
	others AS MATERIALIZED (SELECT id FROM purchases WHERE `+mine+` AND total_cents = $2
		AND (SELECT count(*) FROM newest WHERE hit) < %d ORDER BY merchant_id, total_cents LIMIT %d),
	found AS (SELECT id FROM newest WHERE hit UNION SELECT id FROM others),
	best AS MATERIALIZED (SELECT id FROM found ORDER BY id DESC LIMIT %d) `,
	nearRows,
	shown,
	perStep,
	shown,
) +
	line(
		purchaseLine,
		"false",
		fmt.Sprintf(
			"CASE WHEN (SELECT count(*) FROM newest WHERE hit) >= %d OR (SELECT count(*) FROM others) >= %d THEN -1 "+
				"ELSE (SELECT count(*) FROM found) END",
			shown,
			perStep,
		),
	) + "best JOIN purchases t ON t.merchant_id = $1 AND t.id = best.id ORDER BY t.id DESC"

func longest(words []string) (n int) {
	for _, w := range words {
		n = max(n, utf8.RuneCountInString(w))
	}
	return n
}

// find asks all sources in one round trip.
func (s Store) find(ctx context.Context, merchantID uuid.UUID, m Meaning) ([]answer, error) {
	return s.ask(ctx, s.sources(merchantID, m))
}

func (s Store) ask(ctx context.Context, all []source) ([]answer, error) {
	if len(all) == 0 {
		return nil, nil
	}
	batch := &pgx.Batch{}
	// Until the end of the batch no table is scanned: what is looked for is rare.
	batch.Queue("SELECT set_config('enable_seqscan', 'off', true)")
	for _, one := range all {
		batch.Queue(one.sql, database.Native(one.args)...)
	}
	results := s.Pool.SendBatch(ctx, batch)
	answers, err := readAnswers(results, all)
	if end := results.Close(); err == nil && end != nil {
		err = fmt.Errorf("find: %w", end)
	}
	return answers, err
}

func readAnswers(results pgx.BatchResults, all []source) (answers []answer, err error) {
	if _, err := results.Exec(); err != nil {
		return nil, fmt.Errorf("find: %w", err)
	}
	for _, one := range all {
		rows, err := results.Query()
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", one.kind, err)
		}
		a := answer{kind: one.kind}
		a.hits, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Hit, error) {
			h, whole, n, err := readHit(one.kind, row)
			if h.Score, a.count = one.score, int(n); whole && one.score == ByWords {
				h.Score = ByWhole
			}
			return h, err
		})
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", one.kind, err)
		}
		answers = append(answers, a)
	}
	return answers, nil
}

func readHit(kind Kind, row pgx.CollectableRow) (h Hit, whole bool, n int64, err error) {
	var of *[16]byte
	var day *time.Time
	h.Kind = kind
	err = row.Scan((*[16]byte)(&h.ID), &of, &h.Name, &h.Second, &h.Mark, &h.State, &h.Cents, &h.Currency, &day, &whole, &n)
	if of != nil {
		h.Of = *of
	}
	if day != nil {
		y, month, d := day.Date()
		h.Day = calendar.On(y, month, d)
	}
	return h, whole, n, err
}

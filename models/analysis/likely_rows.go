package analysis

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

// The parts of the days that cases are taken from.
const (
	partBefore  = "before" // the days that are tried are judged by them
	partBetween = "between"
	partTested  = "tested"
)

// caseRow is how debits with one record went.
type caseRow struct {
	Record  Record `gorm:"embedded"`
	Part    string
	N, Lost int64
}

// mostOfAccount is how many of the newest debits of an account are looked at: more than there are of a month each.
const mostOfAccount = 100

// withRecords are debits of some accounts with what is known before each: @lost are the states of those that failed.
// Debits of one day do not know of each other, since the bank answers them together. The bank's own faults are left
// out: they say nothing about an account.
const withRecords = `SELECT c.id, c.token_id, c.mandate_id, c.purchase_id, c.action_date, c.amount_cents, c.currency,
		c.state IN @lost AS lost, c.state IN @open AS planned,
		coalesce(max(CASE WHEN c.state IN @lost THEN c.result_code ELSE '' END)
			OVER (days GROUPS BETWEEN 1 PRECEDING AND 1 PRECEDING), '') AS code,
		count(*) FILTER (WHERE c.state IN @lost) OVER six AS failed, count(*) OVER six AS of
	FROM accounts CROSS JOIN LATERAL (SELECT * FROM collections o WHERE o.token_id = accounts.token_id
		AND o.merchant_id = @merchant ORDER BY o.id DESC LIMIT @most) c
	WHERE (c.state IN @answered AND c.result_code <> @fault
			AND c.action_date BETWEEN (@first)::date AND (@to)::date
		OR c.state IN @open AND c.action_date BETWEEN (@today)::date AND (@last)::date)
	WINDOW days AS (PARTITION BY c.token_id ORDER BY c.action_date),
		six AS (days GROUPS BETWEEN @debits PRECEDING AND 1 PRECEDING)`

// recordOf are the columns of a record.
const recordOf = `d.code, d.failed, d.of, mandate_age(false, sast_day(m.consent_at), d.action_date) AS age,
	universal_branch(m.bank_code) AS bank, extract(day FROM d.action_date)::int AS day`

func recordArgs(merchantID uuid.UUID, first, to calendar.Date) map[string]any {
	return map[string]any{"merchant": merchantID, "first": first, "to": to, "today": to, "last": to,
		"lost":     collection.Names(collection.OutcomeFailed, collection.OutcomeDisputed),
		"answered": collection.Names(collection.Answered...), "open": []string{},
		"fault": bank.CodeNotRun, "debits": RememberedDebits, "most": mostOfAccount}
}

// afterFailures counts the answered debits that followed a failure, by their records. Of many failures it draws one in
// so many by chance, and takes what followed them: nothing that is counted was chosen by how it went itself.
func (s Store) afterFailures(ctx context.Context, merchantID uuid.UUID, first, from, to calendar.Date,
	oneIn int64) (out []caseRow, err error) {
	args := recordArgs(merchantID, first, to)
	args["from"], args["oneIn"], args["tested"] = from, oneIn, to.AddDays(1-testedDays)
	args["before"] = to.AddDays(-testedDays - lagDays)
	if err := s.Gorm(ctx).Raw(`WITH drawn AS MATERIALIZED (SELECT id FROM collections
			WHERE merchant_id = @merchant AND action_date BETWEEN (@first)::date AND (@to)::date AND state IN @lost
				AND uuid_hash(id) % @oneIn = 0),
		accounts AS MATERIALIZED (SELECT c.token_id, min(c.action_date) AS since FROM drawn
			JOIN collections c USING (id) WHERE c.merchant_id = @merchant GROUP BY 1),
		records AS (`+withRecords+`)
		SELECT `+recordOf+`, CASE WHEN d.action_date <= (@before)::date THEN 'before'
				WHEN d.action_date >= (@tested)::date THEN 'tested' ELSE 'between' END AS part,
			count(*) AS n, count(*) FILTER (WHERE d.lost) AS lost
		FROM records d JOIN mandates m ON m.id = d.mandate_id AND m.merchant_id = @merchant
			JOIN accounts a USING (token_id)
		WHERE d.code <> '' AND d.action_date >= (@from)::date AND d.action_date > a.since
		GROUP BY 1, 2, 3, 4, 5, 6, 7`, args).
		Find(&out).Error; err != nil {
		return nil, fmt.Errorf("debits after failures: %w", err)
	}
	return out, nil
}

// plannedAfterFailures are the planned debits from accounts whose last debit failed, of each account those of its next
// day; of one account alone, where that is named.
func (s Store) plannedAfterFailures(ctx context.Context, merchantID uuid.UUID, today calendar.Date,
	token uuid.UUID) (out []AtRisk, err error) {
	of := ``
	if token != uuid.Nil {
		of = ` AND id = @token`
	}
	args := recordArgs(merchantID, today.AddDays(-rememberedDays), today)
	args["token"] = token
	args["open"], args["last"] = collection.Names(collection.OutcomeOpen), today.AddDays(ComingDays-1)
	if err := s.Gorm(ctx).Raw(`WITH accounts AS MATERIALIZED (SELECT id AS token_id FROM tokens
			WHERE merchant_id = @merchant AND failures > 0`+of+`),
		records AS (`+withRecords+`)
		SELECT d.id, d.purchase_id, d.action_date AS "on", d.amount_cents AS cents, `+recordOf+`
		FROM (SELECT *, min(action_date) FILTER (WHERE planned) OVER (PARTITION BY token_id) AS next FROM records) d
			JOIN mandates m ON m.id = d.mandate_id AND m.merchant_id = @merchant
		WHERE d.planned AND d.action_date = d.next AND d.code <> '' AND d.currency = 'ZAR'`, args).
		Find(&out).Error; err != nil {
		return nil, fmt.Errorf("planned debits after failures: %w", err)
	}
	return out, nil
}

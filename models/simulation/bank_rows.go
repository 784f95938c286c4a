package simulation

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/mandate"
)

var (
	phones = table.View[Phone]()
)

// waitingAtBank and heardFromBank are the states of what the bank has not answered, and of what it may still
// speak about.
var (
	waitingAtBank = []string{"submitted", "in_tracking"}
	heardFromBank = []string{"provisional", "successful", "final", "disputed"}
)

// AtBank lists collections that the bank has or may still speak about, those it has not
// answered first, then by action date, newest first. The newest days come from what is
// counted of each day, as many of them as fill the list, so that no other debits are looked at.
func (s Store) AtBank(ctx context.Context, merchantID uuid.UUID, limit int) (found []AtBank, err error) {
	var parts []string
	var args []any
	for _, states := range [][]string{waitingAtBank, heardFromBank} {
		kept := "SELECT state, day, n FROM debit_day_deltas WHERE merchant_id = ? AND state = ANY(?::text[])"
		args = append(args, merchantID, database.Texts(states))
		for _, state := range states {
			kept += " UNION ALL (SELECT state, day, n FROM debit_days WHERE merchant_id = ? AND state = ? " +
				"ORDER BY day DESC LIMIT ?)"
			args = append(args, merchantID, state, limit)
		}
		parts = append(parts, `(SELECT c.* FROM (SELECT state, day, sum(sum(n)) OVER (ORDER BY day DESC
				RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP) AS newer FROM (`+kept+`) AS kept
				GROUP BY state, day HAVING sum(n) > 0) AS days
			CROSS JOIN LATERAL (SELECT * FROM collections WHERE merchant_id = ? AND action_date = days.day AND state = days.state
				ORDER BY id DESC LIMIT ?) AS c WHERE coalesce(days.newer, 0) < ? ORDER BY c.action_date DESC, c.id DESC LIMIT ?)`)
		args = append(args, merchantID, limit, limit, limit)
	}
	err = s.Gorm(ctx).Raw(`SELECT c.*, p.reference_generated AS reference, p.payer_name, t.account_mask
		FROM (`+strings.Join(parts, " UNION ALL ")+`) AS c JOIN purchases p ON p.id = c.purchase_id
			JOIN tokens t ON t.id = c.token_id
		ORDER BY (c.state IN ('submitted', 'in_tracking')) DESC, c.action_date DESC, c.id DESC LIMIT ?`,
		append(args, limit)...).Find(&found).Error
	return found, err
}

// onPhones are the newest requests in some states, with what a handset shows of them. The page is cut before anything
// is looked up beside it.
const onPhones = `SELECT a.*, m.id AS m_id, m.merchant_id AS m_merchant_id, m.kind AS m_kind, m.state AS m_state,
	m.contract_reference AS m_contract_reference,
	m.abbreviated_name AS m_abbreviated_name, m.period_units AS m_period_units, m.deduction_day AS m_deduction_day,
	m.amount_cents AS m_amount_cents,
	m.terms AS m_terms, m.holder_name AS m_holder_name, m.account_mask AS m_account_mask,
	m.bank_code AS m_bank_code, b.name AS brand, p.currency
	FROM (SELECT * FROM mandate_authentications WHERE merchant_id = ? AND %s ORDER BY id DESC LIMIT ?) a
	JOIN mandates m ON m.id = a.mandate_id JOIN brands b ON b.id = m.brand_id JOIN purchases p ON p.id = m.id
	ORDER BY %s DESC, a.id DESC`

// mostPhones is how many open requests are shown.
const mostPhones = 200

const openAuthentication = `state IN ('requested', 'sent', 'delivered')`

// Phones lists the newest requests: those that wait for an answer and, at most limit, those
// that are over, the last answered first.
func (s Store) Phones(ctx context.Context, merchantID uuid.UUID,
	limit int) (open, over []Phone, err error) {
	found, err := database.SeekEach(ctx, s.DB, phones, []database.Statement{
		{Query: fmt.Sprintf(onPhones, openAuthentication, "a.requested_at"), Args: []any{merchantID, mostPhones}},
		{Query: fmt.Sprintf(onPhones, "NOT "+openAuthentication, "coalesce(a.answered_at, a.expires_at, a.requested_at)"),
			Args: []any{merchantID, limit}}})
	if err != nil {
		return nil, nil, err
	}
	return found[0], found[1], nil
}

// OpenAuthentication is the request of a mandate that waits for an answer; NotFound when none does.
func (s Store) OpenAuthentication(ctx context.Context, merchantID,
	mandateID uuid.UUID) (a mandate.Authentication, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("number DESC").
		Take(&a, "mandate_id = ? AND "+openAuthentication, mandateID).Error
	return a, err
}

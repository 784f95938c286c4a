package facet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
)

// Store is where filters look what there is to choose from.
type Store struct{ *database.DB }

// Each condition is a subquery that stays one: it is asked for each record that is looked at, by an index of its id.

// Purchase are the conditions on a purchase, by the name that it has in a statement.
func (f Filter) Purchase(p string) (c listing.Condition) {
	newest := "collections c WHERE c.merchant_id = " + p + ".merchant_id AND c.purchase_id = " + p +
		".id AND c.attempt = " + p +
		".collection_count"
	if f.Answer == Never {
		c.And(p + ".collection_count = 0")
	}
	if debit := f.ofDebit(); debit.SQL != "" {
		c.And("EXISTS (SELECT FROM "+newest+" AND "+debit.SQL+" OFFSET 0)", debit.Args...)
	}
	if f.Method != "" {
		c.And("coalesce((SELECT c.method FROM "+newest+"), "+p+".method) = ?", string(f.Method))
	}
	if account := f.ofAccount("t"); account.SQL != "" { // that of a purchase that stores an account has its id
		c.And(
			"EXISTS (SELECT FROM tokens t WHERE t.merchant_id = "+p+".merchant_id"+
				" AND t.id = coalesce((SELECT c.token_id FROM "+newest+"), "+p+".token_id, "+p+".id) AND "+account.SQL+" OFFSET 0)",
			account.Args...)
	}
	if f.FailedAgain {
		c.And(p + ".collection_count > 1 AND (SELECT count(*) FROM collections c WHERE c.merchant_id = " + p +
			".merchant_id AND c.purchase_id = " + p + ".id AND c.state = 'unpaid') > 1")
	}
	f.madeBy(&c, p)
	return c
}

// Token are the conditions on a token.
func (f Filter) Token(t string) (c listing.Condition) {
	c = f.ofAccount(t)
	if f.Method != "" {
		c.And(t+".method = ?", string(f.Method))
	}
	if f.FailedAgain {
		c.And(t + ".failures > 1")
	}
	f.ofDebits(&c, t)
	f.ofMaking(&c, t)
	return c
}

// Mandate are the conditions on a mandate, whose token and purchase have its id.
func (f Filter) Mandate(m string) (c listing.Condition) {
	if f.BankCode != "" {
		c.And(m+".bank_code = ?", f.BankCode)
	}
	account := Filter{Health: f.Health}.ofAccount("t")
	if f.FailedAgain {
		account.And("t.failures > 1")
	}
	if account.SQL != "" {
		c.And(
			"EXISTS (SELECT FROM tokens t WHERE t.merchant_id = "+m+".merchant_id AND t.id = "+m+".id"+
				" AND "+account.SQL+" OFFSET 0)",
			account.Args...)
	}
	if f.Method != "" {
		c.And(m+".kind = ?", string(f.Method))
	}
	f.ofDebits(&c, m)
	f.ofMaking(&c, m)
	return c
}

// Client are the conditions on a client, of whose accounts one fits them all.
func (f Filter) Client(k string) (c listing.Condition) {
	if f == (Filter{}) {
		return c
	}
	one := f.Token("t")
	c.And("EXISTS (SELECT FROM tokens t WHERE t.merchant_id = "+k+".merchant_id AND t.client_id = "+k+
		".id AND t.state IN ('active', 'blocked') AND "+one.SQL+" OFFSET 0)", one.Args...)
	return c
}

// outcomes are what the answers say of a debit.
var outcomes = map[Answer]collection.Outcome{
	Collected: collection.OutcomeCollected,
	Failed:    collection.OutcomeFailed,
	Disputed:  collection.OutcomeDisputed,
	Waiting:   collection.OutcomeOpen,
}

// ofDebit are the conditions on the newest debit, which is called c.
func (f Filter) ofDebit() (c listing.Condition) {
	switch outcome, known := outcomes[f.Answer]; {
	case known:
		c.And("c.state = ANY(?::text[])", database.Texts(collection.StatesOf(outcome)))
	case f.Answer != "" && f.Answer != Never:
		c.And("c.result_code = ?", string(f.Answer))
	}
	between(&c, f.DebitFrom, f.DebitTo)
	return c
}

func between(c *listing.Condition, from, to calendar.Date) {
	if !from.IsZero() {
		c.And("c.action_date >= ?", from)
	}
	if !to.IsZero() {
		c.And("c.action_date <= ?", to)
	}
}

// ofAccount are the conditions on an account.
func (f Filter) ofAccount(t string) (c listing.Condition) {
	if f.BankCode != "" {
		c.And(t+".bank_code = ?", f.BankCode)
	}
	switch f.Health {
	case "":
	case Sound:
		c.And(t + ".state = 'active' AND " + t + ".failures = 0 AND " + t + ".last_success_at IS NOT NULL")
	case Failing:
		c.And(t + ".state = 'active' AND " + t + ".failures > 0")
	case Unused:
		c.And(t + ".state = 'active' AND " + t + ".last_used_at IS NULL")
	case Blocked:
		c.And(t + ".state = 'blocked'")
	}
	return c
}

// ofDebits are the conditions on the debits of an account: on the last that the bank has answered, and on the next.
func (f Filter) ofDebits(c *listing.Condition, t string) {
	of := "c.merchant_id = " + t + ".merchant_id AND c.token_id = " + t + ".id"
	last := f
	last.DebitFrom, last.DebitTo = calendar.Date{}, calendar.Date{}
	switch debit := last.ofDebit(); {
	case f.Answer == Never:
		c.And("NOT EXISTS (SELECT FROM collections c WHERE " + of + " OFFSET 0)")
	case f.Answer == Waiting:
		c.And(
			"EXISTS (SELECT FROM (SELECT c.state FROM collections c WHERE "+of+" ORDER BY c.id DESC LIMIT 1) AS c"+
				" WHERE "+debit.SQL+" OFFSET 0)",
			debit.Args...)
	case debit.SQL != "":
		c.And("EXISTS (SELECT FROM (SELECT c.state, c.result_code FROM collections c WHERE "+of+
			" AND c.state NOT IN ('scheduled', 'submitted', 'in_tracking', 'cancelled', 'recalled') "+
			"ORDER BY c.id DESC LIMIT 1) AS c WHERE "+
			debit.SQL+" OFFSET 0)", debit.Args...)
	}
	if f.ByDebitDate() { // what is scheduled stands in an index of its account, or of its purchase, which has the same id
		var days listing.Condition
		between(&days, f.DebitFrom, f.DebitTo)
		c.And("(EXISTS (SELECT FROM purchases w JOIN collections c ON c.merchant_id = w.merchant_id AND c.purchase_id = w.id"+
			" AND c.attempt = w.collection_count WHERE w.merchant_id = "+t+".merchant_id AND w.token_id = "+t+
			".id AND w.status = 'pending_charge' AND c.state = 'scheduled' AND "+days.SQL+" OFFSET 0)"+
			" OR EXISTS (SELECT FROM (SELECT * FROM collections c WHERE c.purchase_id = "+t+
			".id AND c.state = 'scheduled' OFFSET 0) AS c JOIN purchases w ON w.id = c.purchase_id"+
			" AND w.merchant_id = c.merchant_id AND w.collection_count = c.attempt WHERE c.merchant_id = "+t+
			".merchant_id AND c.token_id = c.purchase_id AND "+days.SQL+" OFFSET 0))",
			slices.Concat(days.Args, days.Args)...)
	}
}

// ofMaking are the conditions on the purchase that an account was stored by.
func (f Filter) ofMaking(c *listing.Condition, t string) {
	var making listing.Condition
	if f.madeBy(&making, "w"); making.SQL != "" {
		c.And(
			"EXISTS (SELECT FROM purchases w WHERE w.merchant_id = "+t+".merchant_id AND w.id = "+t+".id"+
				" AND "+making.SQL+" OFFSET 0)",
			making.Args...)
	}
}

const subscriptions = "('billing_subscriptions', 'billing_subscriptions_invoice')"

func (f Filter) madeBy(c *listing.Condition, p string) {
	switch Maker(f.MadeBy) {
	case "":
	case People:
		// An invoice with a template is one that somebody sent from it.
		c.And(p + ".user_id IS NOT NULL AND (" + p + ".product = 'purchases' OR " +
			p + ".product = 'billing_invoices' AND " + p + ".template_id IS NOT NULL)")
	case Programs:
		c.And(p + ".user_id IS NULL AND " + p + ".product NOT IN " + subscriptions)
	case Batches:
		c.And(p + ".product = 'billing_invoices' AND " + p + ".user_id IS NOT NULL AND " + p + ".template_id IS NULL")
	case Subscriptions:
		c.And(p + ".product IN " + subscriptions)
	default:
		id, _ := uuid.Parse(f.MadeBy)
		c.And(p+".user_id = ? AND "+p+".product NOT IN "+subscriptions, id)
	}
}

// How much is looked at to say what there is to choose from.
const (
	failureDays   = 10 // the newest debit dates on which any debit failed
	failuresOfDay = 40
	newestChoices = 40
)

// codes are those of the newest failures. What is kept of each day leads to them.
func (s Store) codes(ctx context.Context, merchantID uuid.UUID) ([]string, error) {
	var codes []string
	err := s.Gorm(ctx).Raw(fmt.Sprintf(
		`SELECT DISTINCT result_code FROM (SELECT DISTINCT day FROM (
			(SELECT day FROM debit_days WHERE merchant_id = ? AND state = 'unpaid' ORDER BY day DESC LIMIT %[1]d)
			UNION ALL SELECT day FROM debit_day_deltas WHERE merchant_id = ? AND state = 'unpaid') AS kept
			ORDER BY day DESC LIMIT %[1]d) AS days
		CROSS JOIN LATERAL (SELECT result_code FROM collections
			WHERE merchant_id = ? AND action_date = days.day AND state = 'unpaid' LIMIT %[2]d) AS c
		WHERE result_code <> '' ORDER BY 1`, failureDays, failuresOfDay), merchantID, merchantID, merchantID).
		Find(&codes).Error
	if err != nil {
		return nil, fmt.Errorf("find recent codes: %w", err)
	}
	return codes, nil
}

func (s Store) team(ctx context.Context, merchantID uuid.UUID) ([]Choice, error) {
	return s.choices(
		ctx,
		`SELECT u.id, coalesce(nullif(u.name, ''), u.email) AS name FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.merchant_id = ? ORDER BY m.user_id LIMIT %d`,
		merchantID,
	)
}

func (s Store) templates(ctx context.Context, merchantID uuid.UUID) ([]Choice, error) {
	return s.choices(
		ctx,
		`SELECT id, title AS name FROM billing_templates WHERE `+database.Bound("merchant_id")+` AND deleted_at IS NULL
			ORDER BY merchant_id DESC, id DESC LIMIT %d`,
		merchantID,
	)
}

func (s Store) batches(ctx context.Context, merchantID uuid.UUID) ([]Choice, error) {
	return s.choices(ctx, `SELECT id, name FROM batches WHERE `+database.Bound("merchant_id")+
		` ORDER BY merchant_id DESC, id DESC LIMIT %d`, merchantID)
}

func (s Store) choices(ctx context.Context, query string, merchantID uuid.UUID) (out []Choice, err error) {
	if err = s.Gorm(ctx).Raw(fmt.Sprintf(query, newestChoices), merchantID).Find(&out).Error; err != nil {
		return nil, fmt.Errorf("find what to choose from: %w", err)
	}
	for i := range out {
		out[i].Name = strings.TrimSpace(out[i].Name)
	}
	return out, nil
}

// Debits are the conditions on the debit date of a debit, which is called c.
func (f Filter) Debits() (c listing.Condition) {
	between(&c, f.DebitFrom, f.DebitTo)
	return c
}

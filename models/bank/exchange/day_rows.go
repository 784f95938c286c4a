package exchange

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// The parts of a day at the bank, as Day explains them. The lists behind the figures of days have these conditions, and
// the view bank_day_facts the same; a test compares their totals.
const (
	// handedOver, acknowledgedItem and openItem are of debits on their debit date.
	handedOver       = `i.message_id IS NOT NULL`
	acknowledgedItem = `i.message_id IN (SELECT m.id FROM bank_files_out m WHERE m.ack_at IS NOT NULL)`
	openItem         = handedOver + ` AND i.state = 'sent' AND i.outcome IN ('', 'in_tracking')`
	// paidNow and paidBefore tell that money came in: it is there, or it went back.
	paidNow    = `i.outcome IN ('provisional', 'successful')`
	paidBefore = `i.outcome IN ('unpaid', 'disputed', 'paid_again') AND came_before(i.id, i.outcome, i.back_on)`
	// wentBack is of what went out on the day of the bank's answer, or on the day before it was paid again.
	wentBack = `i.outcome IN ('unpaid', 'disputed', 'refund_settled', 'paid_again') AND
		(i.kind = 'refunds' OR i.kind = 'debits' AND ` + paidBefore + `)`
	wentOn = `CASE WHEN i.outcome = 'paid_again' THEN i.back_on ELSE i.outcome_on END`
	// cameAgain is of what came in once more on the day of the bank's answer.
	cameAgain = `i.kind = 'debits' AND i.outcome = 'paid_again'`
)

func (s Store) BankDays(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) ([]Day, error) {
	var all []Day
	err := s.Gorm(ctx).Raw(`SELECT day, handed_n AS handed_over_count, handed::bigint AS handed_over_cents,
			ack_n AS acknowledged_count, ack::bigint AS acknowledged_cents, open_n AS open_count, open::bigint AS open_cents,
			paid_n AS paid_count, paid::bigint AS paid_cents, back_n AS back_count, back::bigint AS back_cents,
			booked_n AS booked_count, booked::bigint AS booked_cents, moved AS movements, told AS statement
		FROM bank_days_now(?, ?, ?) ORDER BY day DESC`, merchantID, from, to).Find(&all).Error
	var days []Day
	for _, d := range all {
		if d.HandedOver.Count+d.Paid.Count+d.Back.Count+d.Movements > 0 || d.Statement {
			days = append(days, d)
		}
	}
	return days, err
}

// itemsWhere narrows items, and says what each adds to the expected sum of the day that was asked for.
func itemsWhere(merchantID uuid.UUID, f ItemFilter) (w *condition, signed string) {
	w, signed = &condition{}, "i.amount_cents"
	w.and("i.merchant_id = ?", merchantID)
	if f.ID != uuid.Nil {
		w.and("i.id = ?", f.ID)
	}
	if f.MessageID != "" {
		w.and("i.message_id = ?", f.MessageID)
	}
	if f.State != "" {
		w.and("i.state = ?", string(f.State))
	}
	switch f.Outcome {
	case OutcomeNone:
		w.and("i.outcome IN ('', 'in_tracking', 'mandate_delivered')")
	case OutcomePaid:
		w.and("i.outcome IN ('provisional', 'successful', 'paid_again', 'refund_settled', 'mandate_accepted')")
	case OutcomeBack:
		w.and(
			"i.outcome NOT IN ('', 'in_tracking', 'mandate_delivered', 'provisional', 'successful', " +
				"'paid_again', 'refund_settled', 'mandate_accepted')",
		)
	}
	onDate, in := "i.kind = 'debits' AND i.action_date = ? AND ", paidNow+" OR "+paidBefore
	switch f.Part {
	case "":
		w.days("i.action_date", f.Day, f.Day)
	case PartHandedOver:
		w.and(onDate+handedOver, f.Day)
	case PartAcknowledged:
		w.and(onDate+acknowledgedItem, f.Day)
	case PartOpen:
		w.and(onDate+openItem, f.Day)
	case PartPaid:
		w.and("("+onDate+"("+in+")) OR (i.outcome_on = ? AND "+cameAgain+")", f.Day, f.Day)
	case PartBack:
		w.and(wentOn+" = ? AND "+wentBack, f.Day)
	case PartExpected:
		day := "'" + f.Day.String() + "'::date" // a date, as our calendar writes it
		in, back := "i.kind = 'debits' AND i.action_date = "+day+" AND ("+in+")", wentOn+" = "+day+" AND "+wentBack
		again := "i.outcome_on = " + day + " AND " + cameAgain
		w.and("(" + in + ") OR (" + back + ") OR (" + again + ")")
		signed = "i.amount_cents * ((" + in + ")::integer + coalesce((" + again + ")::integer, 0) - coalesce((" + back +
			")::integer, 0))"
	}
	return w, signed
}

// The purchase that an item belongs to: the item of a debit is a collection, of a refund the refund, of a mandate its
// authentication; a recall and a cancellation have theirs as their subject.
const (
	joinItem = `LEFT JOIN collections c ON c.id = CASE i.kind WHEN 'debits' THEN i.id WHEN 'recalls'
		THEN i.subject_id END
		LEFT JOIN refunds r ON i.kind = 'refunds' AND r.id = i.id
		LEFT JOIN mandate_authentications u ON u.id = CASE i.kind WHEN 'mandates' THEN i.id WHEN 'cancellations'
		THEN i.subject_id END`
	joinPurchase = joinItem + ` LEFT JOIN purchases p ON p.id = coalesce(c.purchase_id, r.purchase_id, u.mandate_id)
		AND p.merchant_id = i.merchant_id`
	purchaseOf = `p.id AS purchase_id`
)

// nameOfPurchase is the reference and the client of the purchase, joined as p.
func nameOfPurchase(reference string) string {
	return `coalesce(nullif(p.reference, ''), p.reference_generated, '') AS ` + reference +
		`, coalesce(nullif(p.payer_name, ''), p.payer_email, '') AS client_name`
}

func itemLine(signed string, more ...string) string {
	return "SELECT " + itemTable.Columns("i", "order_sealed") + ", " + purchaseOf + ", " + nameOfPurchase("reference") +
		`, coalesce((SELECT a.code FROM bank_answers a WHERE a.item_id = i.id AND a.kind = i.outcome), '') AS code, ` +
		strings.Join(append([]string{signed + ` AS day_cents`}, more...), ", ") + ` FROM `
}

func (s Store) ItemLines(ctx context.Context, merchantID uuid.UUID, f ItemFilter,
	ask paging.Ask) (found []ItemLine, err error) {
	w, signed := itemsWhere(merchantID, f)
	if f.ArrivalID != uuid.Nil {
		if err := s.answeredIn(ctx, w, f.ArrivalID); err != nil {
			return nil, err
		}
	}
	order := w.pageByID("i.id", ask)
	direction := "DESC"
	if ask.Newer {
		direction = "ASC"
	}
	err = s.Gorm(ctx).Raw(itemLine(signed)+"(SELECT * FROM bank_items i WHERE "+w.String()+order+") i "+
		joinPurchase+" ORDER BY i.id "+direction,
		w.args...).Find(&found).Error
	return found, err
}

// answeredIn narrows items to those that a document answers.
func (s Store) answeredIn(ctx context.Context, w *condition, documentID uuid.UUID) error {
	var d Document
	err := s.Gorm(ctx).Scopes(database.AcrossMerchants, withoutContent).Take(&d, "id = ?", documentID).Error
	if err == nil {
		w.and("i.id IN (SELECT a.item_id FROM bank_answers a WHERE left(a.id, 16) = ?)",
			hex.EncodeToString(d.SHA256[:min(8, len(d.SHA256))]))
	}
	return err
}

func (s Store) CountItems(ctx context.Context, merchantID uuid.UUID,
	f ItemFilter) (n Figure, err error) {
	w, signed := itemsWhere(merchantID, f)
	if f.ArrivalID != uuid.Nil {
		if err := s.answeredIn(ctx, w, f.ArrivalID); err != nil {
			return n, err
		}
	}
	err = s.Gorm(ctx).
		Raw("SELECT count(*) AS count, coalesce(sum("+signed+"), 0)::bigint AS cents FROM bank_items i WHERE "+
			w.String(), w.args...).
		Scan(&n).
		Error
	return n, err
}

// How far the debit date may lie from a movement: where nobody searches, and where somebody does (ours).
const (
	nearDays = 40
	farDays  = 400
)

// namedIn joins, as n, by what a text names the purchase p: the number of its invoice, or its reference.
const namedIn = ` CROSS JOIN LATERAL (SELECT coalesce(
	(SELECT v.number FROM invoices v WHERE v.merchant_id = i.merchant_id AND v.kind = 'invoice' AND v.purchase_id = p.id
		AND strpos(upper(?), upper(v.number)) > 0 LIMIT 1),
	CASE WHEN length(p.reference) > 3 AND strpos(upper(?), upper(p.reference)) > 0 THEN p.reference END, '') AS named) n`

// Candidates are items that a movement may belong to: those that its text names first, then those without an outcome.
func (s Store) Candidates(ctx context.Context, merchantID uuid.UUID, e Entry, search string,
	limit int) (found []ItemLine, err error) {
	w, days := &condition{}, nearDays
	w.and("i.merchant_id = ? AND i.message_id IS NOT NULL", merchantID)
	q := database.SearchQuery(search)
	if q != "" { // whoever searches may find one of another amount, for a fee in the movement
		days = farDays
		w.and("(p.search @@ ?::tsquery) IS TRUE", q)
		least, most := e.AmountCents/2+1, e.AmountCents
		if e.Credit {
			least, most = e.AmountCents, 2*e.AmountCents-1
		}
		w.and("i.amount_cents BETWEEN ? AND ?", least, most)
	} else {
		w.and("i.amount_cents = ?", e.AmountCents)
	}
	w.and("i.kind = 'debits' AND i.action_date BETWEEN ? AND ? OR i.kind = 'refunds' AND NOT ?", e.BookedOn.AddDays(-days),
		e.BookedOn.AddDays(days), e.Credit)
	open := "'', 'in_tracking'"
	if !e.Credit {
		open += ", 'provisional', 'successful'" // what came in may go out again
	}
	err = s.Gorm(ctx).Raw(itemLine("i.amount_cents", "n.named")+"bank_items i "+joinPurchase+namedIn+" WHERE "+w.String()+
		` ORDER BY n.named = '', EXISTS (SELECT FROM bank_entries e WHERE e.item_id = i.id AND e.credit = ?),
		i.outcome NOT IN (`+open+`),
		i.amount_cents <> ?, abs(i.action_date - ?::date), i.id DESC`+fmt.Sprintf(" LIMIT %d", limit),
		slices.Concat([]any{e.Remittance, e.Remittance}, w.args,
			[]any{e.Credit, e.AmountCents, e.BookedOn})...).
		Find(&found).Error
	return found, err
}

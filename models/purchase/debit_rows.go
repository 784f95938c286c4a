package purchase

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
)

// linkSent is when the last mail with the link of a purchase was sent.
type linkSent struct {
	ID uuid.UUID
	At time.Time
}

// LinksSent tells when the last mail with the link to pay of each purchase was taken by the relay. A reminder is one
// mail for all that a client owes.
func (s Store) LinksSent(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs ...uuid.UUID) (map[uuid.UUID]time.Time, error) {
	sent := make(map[uuid.UUID]time.Time, len(purchaseIDs))
	var found []linkSent
	err := s.Gorm(ctx).Raw(`SELECT p.id, m.at FROM purchases p CROSS JOIN LATERAL (
			SELECT max(f.sent_at) AS at FROM (
				SELECT sent_at FROM mails WHERE merchant_id = ? AND purchase_id = p.id AND state = 'sent' AND kind = ANY(?::text[])
				UNION ALL SELECT sent_at FROM mails WHERE merchant_id = ? AND client_id = p.client_id AND state = 'sent'
					AND kind = ?) f) m
		WHERE p.merchant_id = ? AND p.id = ANY(?::uuid[]) AND m.at IS NOT NULL`, merchantID,
		database.TextArray(WithLink), merchantID, MailReminder, merchantID, database.IDs(purchaseIDs)).Find(&found).Error
	for _, l := range found {
		sent[l.ID] = l.At
	}
	return sent, err
}

// debitWhere is the condition on debits, for figures, the list, its count and its export alike.
func debitWhere(merchantID uuid.UUID, f DebitFilter) (string, []any) {
	where, args := "merchant_id = ?", []any{merchantID}
	if len(f.Outcomes) > 0 {
		where, args = where+" AND state = ANY(?::text[])", append(args, database.Texts(collection.StatesOf(f.Outcomes...)))
	}
	if len(f.States) > 0 {
		where, args = where+" AND state = ANY(?::text[])", append(args, database.Texts(f.States))
	}
	if !f.From.IsZero() {
		where, args = where+" AND action_date >= ?", append(args, f.From)
	}
	if !f.To.IsZero() {
		where, args = where+" AND action_date <= ?", append(args, f.To)
	}
	if f.Method != "" {
		where, args = where+" AND method = ?", append(args, string(f.Method))
	}
	if f.BrandID != uuid.Nil {
		where, args = where+" AND brand_id = ?", append(args, f.BrandID)
	}
	if f.Weekday != 0 {
		where, args = where+" AND extract(isodow FROM action_date) = ?", append(args, f.Weekday)
	}
	if f.MonthDay != 0 {
		where, args = where+" AND extract(day FROM action_date) = ?", append(args, f.MonthDay)
	}
	if !f.SubmitAt.IsZero() {
		where, args = where+" AND state = 'scheduled' AND submit_at = ?", append(args, f.SubmitAt)
	}
	if !f.SubmitBy.IsZero() {
		where, args = where+" AND state = 'scheduled' AND submit_at <= ?", append(args, f.SubmitBy)
	}
	return where, args
}

// debitBeside is what a filter asks of debits, called c, that is not kept by day.
func debitBeside(f DebitFilter) (where string, args []any) {
	if f.Code != "" { // no other debits have a reason; so much stands in an index
		where, args = " AND c.state = ANY(?::text[]) AND c.result_code = ?", []any{database.Texts(collection.StatesOf(
			collection.OutcomeFailed, collection.OutcomeDisputed)), strings.TrimPrefix(f.Code, NoCode)}
	}
	if f.Traits != (Traits{}) {
		traits, traitArgs := debitTraits(f.Traits)
		where, args = where+traits, append(args, traitArgs...)
	}
	return where, args
}

// ahead is how much later than the debit date the id of a debit can be: it is planned by
// then, and clocks differ.
const ahead = 48 * time.Hour

// Debits lists debits, newest first. Few are found by their days and states, as they are kept by day; many are met on
// the way from the newest on.
func (s Store) Debits(ctx context.Context, merchantID uuid.UUID, f DebitFilter,
	ask paging.Ask) (paging.Page[collection.Collection], error) {
	w := &listing.Walk{Columns: collection.Columns(""), From: "collections", Alias: "c"}
	w.And("merchant_id = ?", merchantID)
	beside, besideArgs := debitBeside(f)
	if where, args := debitWhere(merchantID, f); len(args)+len(besideArgs) > 1 {
		few, err := s.fewDebits(ctx, merchantID, f)
		if err != nil {
			return paging.Page[collection.Collection]{}, err
		}
		if few {
			found, err := s.debitsOfDays(ctx, merchantID, f, ask)
			return paging.Cut(ask, found), err
		}
		w.Fitting(where+beside, slices.Concat(args, besideArgs)...)
	}
	if !f.To.IsZero() {
		w.And("id < ?", paging.FirstAt(f.To.AddDays(1).At(0, 0).Add(ahead)))
	}
	return listing.PageOf[collection.Collection](ctx, s.DB, w, ask, nil)
}

// debitsOfDays looks up what stands in the days and states of a filter.
func (s Store) debitsOfDays(ctx context.Context, merchantID uuid.UUID, f DebitFilter,
	ask paging.Ask) (found []collection.Collection, err error) {
	kept, args := debitWhere(merchantID, f)
	where, besideArgs := debitBeside(f)
	direction, beside, from := database.BesideID("id", ask)
	err = s.Gorm(ctx).Raw(fmt.Sprintf(`SELECT %[1]s FROM (
			SELECT DISTINCT state, day FROM debit_sums WHERE %[2]s) AS kept
		CROSS JOIN LATERAL (SELECT * FROM collections WHERE merchant_id = ? AND action_date = kept.day AND state = kept.state
			OFFSET 0) AS c WHERE %[3]s%[4]s ORDER BY id %[5]s LIMIT %[6]d`, collection.Columns("c"), keptByDay(kept),
		strings.NewReplacer("state ", "c.state ").Replace(kept)+where, beside, direction, ask.Fetch()),
		slices.Concat(args, []any{merchantID}, args, besideArgs, from)...).Find(&found).Error
	return found, err
}

// keptByDay is a condition on debits as what is kept by day has it.
func keptByDay(where string) string {
	return strings.NewReplacer("action_date", "day", "submit_at", "at").Replace(where)
}

// TallyDebits counts and sums debits, up to limit; 0 is no limit. What is kept by day answers
// every filter but those of debitBeside, for which debits are counted one by one.
func (s Store) TallyDebits(ctx context.Context, merchantID uuid.UUID, f DebitFilter,
	limit int64) (t Tally, err error) {
	where, args := debitWhere(merchantID, f)
	parts := "debit_sums WHERE " + keptByDay(where)
	if limit == 0 {
		limit = math.MaxInt64
	}
	if kept, ok := traitKept(f); ok {
		return s.tallyByTrait(ctx, merchantID, f, kept, limit)
	}
	if beside, besideArgs := debitBeside(f); beside != "" {
		parts, args = fmt.Sprintf(`(SELECT 1 AS n, amount_cents AS cents FROM collections AS c WHERE %s%s LIMIT %d) AS parts`,
			where, beside, limit), append(args, besideArgs...)
	}
	query := fmt.Sprintf(`SELECT least(coalesce(sum(n), 0), %d)::bigint AS n,
			least(coalesce(sum(cents), 0), 9223372036854775807)::bigint AS cents FROM %s`, limit, parts)
	if err := s.Gorm(ctx).Raw(query, args...).Take(&t).Error; err != nil {
		return t, fmt.Errorf("sum up debits: %w", err)
	}
	return t, nil
}

// DebitsNear gives by mandate the days of the debits that are under way or collected: all under a once-off mandate,
// of others those with an action date from one day to another.
func (s Store) DebitsNear(ctx context.Context, merchantID uuid.UUID, mandateIDs []uuid.UUID, from,
	to calendar.Date) (map[uuid.UUID][]mandate.Day, error) {
	out := map[uuid.UUID][]mandate.Day{}
	if len(mandateIDs) == 0 {
		return out, nil
	}
	var id uuid.UUID
	var d mandate.Day
	err := s.Pool.Each(ctx, []any{&id, &d.Due, &d.Action}, func() error { out[id] = append(out[id], d); return nil },
		`SELECT mandate_id, original_date, action_date FROM collections WHERE merchant_id = $1 AND mandate_id = ANY($2)
		AND (once_off OR action_date BETWEEN $3 AND $4) AND `+collection.Standing, merchantID, mandateIDs, from, to)
	if err != nil {
		return nil, fmt.Errorf("find debits under mandates: %w", err)
	}
	return out, nil
}

// DebitsBefore gives, for each of some debits, the days of those under its mandate that are under way or collected,
// began before it and run within a period of it.
func (s Store) DebitsBefore(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID][]mandate.Day, error) {
	var found []struct {
		ID                       uuid.UUID
		OriginalDate, ActionDate calendar.Date
	}
	err := s.Gorm(ctx).Raw(`SELECT own.id, collections.original_date, collections.action_date FROM collections own
		JOIN collections ON collections.merchant_id = own.merchant_id AND collections.mandate_id = own.mandate_id
			AND (collections.created_at, collections.id) < (own.created_at, own.id)
			AND collections.action_date BETWEEN own.action_date - ?::int AND own.action_date + ?::int AND collections.`+
		collection.Standing+`
		WHERE own.merchant_id = ? AND own.id = ANY(?::uuid[])`, mandate.PeriodReach, mandate.PeriodReach, merchantID,
		database.IDs(ids)).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find debits before others: %w", err)
	}
	out := map[uuid.UUID][]mandate.Day{}
	for _, f := range found {
		out[f.ID] = append(out[f.ID], mandate.Day{Due: f.OriginalDate, Action: f.ActionDate})
	}
	return out, nil
}

package store

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
	"debitdesk/models/database/table"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

var collectionTable = table.New("collections",
	collection.ResultColumn(func(c *collection.Collection) *collection.Collection { return c }))

// InsertCollection plans a debit, in this transaction.
func (t *Tx) InsertCollection(c collection.Collection) { database.Insert(t.Tx, collectionTable, c) }

// moveCollection never takes back what another step noted meanwhile: that a
// cancelled collection may be at the bank, since a process had claimed it for the
// hand-over.
var moveCollection = collectionTable.Write(`UPDATE collections SET
	recall_due = @recall_due OR (@state = 'cancelled' AND claimed_until IS NOT NULL),
	@set(state, proof_due, soft_before, result_code, result_at,
		provisional_at, final_at, alert_at, disputable, disputable_because, dispute_deadline, dispute_until, dispute_rows,
		proof_until, updated_at)
	WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")

// MoveCollection writes what may change of a collection, if it still stands in
// the state from; false when another was quicker.
func (t *Tx) MoveCollection(c collection.Collection, from collection.State) (bool, error) {
	return database.Change(t.Tx, moveCollection, c, from)
}

// SaveCollection is MoveCollection for a row that this transaction has locked:
// nobody can be quicker, so the write may wait and travel with others.
func (t *Tx) SaveCollection(c collection.Collection, from collection.State) {
	database.Save(t.Tx, moveCollection, c, from)
}

var planCollection = collectionTable.Write(
	`UPDATE collections SET @set(action_date, original_date, submit_at, execute_at, final_at, alert_at,
		dispute_deadline, dispute_until, dispute_rows, statement_line, updated_at, disputable, disputable_because)
	WHERE merchant_id = @merchant_id AND id = @id AND state = 'scheduled' AND claimed_until IS NULL`)

// PlanCollection implements purchase.Tx.
func (t *Tx) PlanCollection(c collection.Collection) (bool, error) {
	planned, err := database.Change(t.Tx, planCollection, c)
	if planned && err == nil {
		t.Later(`UPDATE purchases SET execute_at = $3, version = version + 1, updated_at = $4
			WHERE merchant_id = $1 AND id = $2 AND status = 'pending_charge'`, c.MerchantID, c.PurchaseID, c.ExecuteAt, t.Now())
	}
	return planned, err
}

// WithdrawCollection implements purchase.Tx. A claim that has run out counts too:
// the bank may have got the collection all the same.
func (t *Tx) WithdrawCollection(merchantID, id uuid.UUID) (bool, error) {
	return t.ExecOne("withdraw collection", `UPDATE collections SET state = 'cancelled', updated_at = $3
		WHERE merchant_id = $1 AND id = $2 AND state = 'scheduled' AND claimed_until IS NULL`, merchantID, id, t.Now())
}

// LatestCollections gives the newest collection of each purchase that has one.
func (s *Store) LatestCollections(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs ...uuid.UUID) (map[uuid.UUID]collection.Collection, error) {
	latest := make(map[uuid.UUID]collection.Collection, len(purchaseIDs))
	if len(purchaseIDs) == 0 {
		return latest, nil
	}
	found, err := database.Seek(ctx, s.DB, collectionTable,
		`SELECT c.*, EXISTS (SELECT FROM tokens t WHERE t.id = c.token_id AND t.state = 'deleting') AS held
		FROM unnest(?::text[]::uuid[]) AS p (id) CROSS JOIN LATERAL (SELECT * FROM collections
			WHERE purchase_id = p.id AND merchant_id = ?
			ORDER BY attempt DESC LIMIT 1) AS c`, database.IDs(purchaseIDs), merchantID)
	for _, c := range found {
		latest[c.PurchaseID] = c
	}
	return latest, err
}

// linkSent is when the last mail with the link of a purchase was sent.
type linkSent struct {
	ID uuid.UUID
	At time.Time
}

var linkSentView = table.View[linkSent]()

// LinksSent implements purchase.Reader. A reminder is one mail for all that a client owes.
func (s *Store) LinksSent(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs ...uuid.UUID) (map[uuid.UUID]time.Time, error) {
	sent := make(map[uuid.UUID]time.Time, len(purchaseIDs))
	found, err := database.Seek(ctx, s.DB, linkSentView, `SELECT p.id, m.at FROM purchases p CROSS JOIN LATERAL (
			SELECT max(f.sent_at) AS at FROM (
				SELECT sent_at FROM mails WHERE merchant_id = ? AND purchase_id = p.id AND state = 'sent' AND kind = ANY(?::text[])
				UNION ALL SELECT sent_at FROM mails WHERE merchant_id = ? AND client_id = p.client_id AND state = 'sent'
					AND kind = ?) f) m
		WHERE p.merchant_id = ? AND p.id = ANY(?::uuid[]) AND m.at IS NOT NULL`, merchantID,
		database.TextArray(purchase.WithLink), merchantID, purchase.MailReminder, merchantID, database.IDs(purchaseIDs))
	for _, l := range found {
		sent[l.ID] = l.At
	}
	return sent, err
}

// CollectionsUnder gives the newest debits under a mandate, the newest first.
func (s *Store) CollectionsUnder(ctx context.Context, merchantID, mandateID uuid.UUID,
	limit int) ([]collection.Collection, error) {
	return database.All(ctx, s.DB, collectionTable, "merchant_id = $1 AND mandate_id = $2 ORDER BY id DESC LIMIT $3",
		merchantID, mandateID, limit)
}

// debitWhere is the condition on debits, for figures, the list, its count and its
// export alike.
func debitWhere(merchantID uuid.UUID, f purchase.DebitFilter) (string, []any) {
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
func debitBeside(f purchase.DebitFilter) (where string, args []any) {
	if f.Code != "" { // no other debits have a reason; so much stands in an index
		where, args = " AND c.state = ANY(?::text[]) AND c.result_code = ?", []any{database.Texts(collection.StatesOf(
			collection.OutcomeFailed, collection.OutcomeDisputed)), strings.TrimPrefix(f.Code, purchase.NoCode)}
	}
	if f.Traits != (purchase.Traits{}) {
		traits, traitArgs := debitTraits(f.Traits)
		where, args = where+traits, append(args, traitArgs...)
	}
	return where, args
}

// ahead is how much later than the debit date the id of a debit can be: it is planned by
// then, and clocks differ.
const ahead = 48 * time.Hour

// Debits implements purchase.Lister. Few are found by their days and states, as they are
// kept by day; many are met on the way from the newest on.
func (s *Store) Debits(ctx context.Context, merchantID uuid.UUID, f purchase.DebitFilter,
	ask paging.Ask) (paging.Page[collection.Collection], error) {
	w := &listing.Walk{Columns: collectionTable.Columns(""), From: "collections", Alias: "c"}
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
	return listing.Page(ctx, s.DB, collectionTable, w, ask, nil)
}

// DebitsByID implements purchase.Lister.
func (s *Store) DebitsByID(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) ([]collection.Collection, error) {
	return database.All(ctx, s.DB, collectionTable, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
}

// debitsOfDays looks up what stands in the days and states of a filter.
func (s *Store) debitsOfDays(ctx context.Context, merchantID uuid.UUID, f purchase.DebitFilter,
	ask paging.Ask) ([]collection.Collection, error) {
	kept, args := debitWhere(merchantID, f)
	where, besideArgs := debitBeside(f)
	direction, beside, from := database.BesideID("id", ask)
	return database.Seek(ctx, s.DB, collectionTable, fmt.Sprintf(`SELECT %[1]s FROM (
			SELECT DISTINCT state, day FROM debit_sums WHERE %[2]s) AS kept
		CROSS JOIN LATERAL (SELECT * FROM collections WHERE merchant_id = ? AND action_date = kept.day AND state = kept.state
			OFFSET 0) AS c WHERE %[3]s%[4]s ORDER BY id %[5]s LIMIT %[6]d`, collectionTable.Columns("c"), keptByDay(kept),
		strings.NewReplacer("state ", "c.state ").Replace(kept)+where, beside, direction, ask.Fetch()),
		slices.Concat(args, []any{merchantID}, args, besideArgs, from)...)
}

// keptByDay is a condition on debits as what is kept by day has it.
func keptByDay(where string) string {
	return strings.NewReplacer("action_date", "day", "submit_at", "at").Replace(where)
}

// TallyDebits implements purchase.Lister; a limit of 0 is none. What is kept by day answers every filter but those of
// debitBeside, for which debits are counted one by one.
func (s *Store) TallyDebits(ctx context.Context, merchantID uuid.UUID, f purchase.DebitFilter,
	limit int64) (t purchase.Tally, err error) {
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
	if err := s.Row(ctx, query, args...).Scan(&t.N, &t.Cents); err != nil {
		return t, fmt.Errorf("sum up debits: %w", err)
	}
	return t, nil
}

// DebitsUnder implements purchase.Reader.
func (s Store) DebitsUnder(ctx context.Context, merchantID, mandateID uuid.UUID) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM collections WHERE merchant_id = $1 AND mandate_id = $2
		AND `+standing, merchantID, mandateID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count debits under a mandate: %w", err)
	}
	return n, nil
}

// standing: a debit that is under way or was collected, and did not fail; as the
// index collections_once says it.
const standing = `state NOT IN ('unpaid', 'cancelled', 'recalled', 'dispute_lost')`

// DebitsNear implements purchase.Reader.
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
		AND (once_off OR action_date BETWEEN $3 AND $4) AND `+standing, merchantID, mandateIDs, from, to)
	if err != nil {
		return nil, fmt.Errorf("find debits under mandates: %w", err)
	}
	return out, nil
}

// DebitsBefore implements purchase.Reader.
func (s Store) DebitsBefore(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID][]mandate.Day, error) {
	out := map[uuid.UUID][]mandate.Day{}
	var id uuid.UUID
	var d mandate.Day
	err := s.Pool.Each(ctx, []any{&id, &d.Due, &d.Action}, func() error { out[id] = append(out[id], d); return nil },
		`SELECT own.id, collections.original_date, collections.action_date FROM collections own
		JOIN collections ON collections.merchant_id = own.merchant_id AND collections.mandate_id = own.mandate_id
			AND (collections.created_at, collections.id) < (own.created_at, own.id)
			AND collections.action_date BETWEEN own.action_date - $3::int AND own.action_date + $3::int AND collections.`+
			standing+`
		WHERE own.merchant_id = $1 AND own.id = ANY($2)`, merchantID, ids, mandate.PeriodReach)
	if err != nil {
		return nil, fmt.Errorf("find debits before others: %w", err)
	}
	return out, nil
}

// HoldDebits implements purchase.Tx. Debits of one mandate begin one after the
// other: the second waits for the first, and then finds it.
func (t *Tx) HoldDebits(merchantID, mandateID uuid.UUID, from, to calendar.Date, seen int) {
	t.Must(`SELECT count(*) FROM (SELECT 1 FROM mandates WHERE merchant_id = $1 AND id = $2 FOR NO KEY UPDATE) AS held`,
		merchantID, mandateID)
	t.Must(`SELECT CASE WHEN count(*) = $5 THEN 1 ELSE 0 END FROM collections WHERE merchant_id = $1 AND mandate_id = $2
		AND action_date BETWEEN $3 AND $4 AND `+standing, merchantID, mandateID, from, to, seen)
}

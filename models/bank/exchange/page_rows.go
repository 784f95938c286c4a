package exchange

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// condition collects conditions and their values.
type condition struct {
	text []string
	args []any
}

func (w *condition) and(text string, args ...any) {
	w.text, w.args = append(w.text, text), append(w.args, args...)
}

func (w *condition) String() string { return "(" + strings.Join(w.text, ") AND (") + ")" }

// days narrows a date column.
func (w *condition) days(column string, from, to calendar.Date) {
	if !from.IsZero() {
		w.and(column+" >= ?", from)
	}
	if !to.IsZero() {
		w.and(column+" <= ?", to)
	}
}

// times narrows a column of instants.
func (w *condition) times(column string, from, to time.Time) {
	if !from.IsZero() {
		w.and(column+" >= ?", database.Instant(from))
	}
	if !to.IsZero() {
		w.and(column+" <= ?", database.Instant(to))
	}
}

// pageByID is the order of a page by ids, newest first, and where it begins.
func (w *condition) pageByID(column string, ask paging.Ask) (order string) {
	direction, beside, args := database.BesideID(column, ask)
	w.and("true"+beside, args...)
	return fmt.Sprintf(" ORDER BY %s %s LIMIT %d", column, direction, ask.Fetch())
}

// WaitingByKind counts what CutNow would take, by the same condition. By the condition of CutWaiting.
func (s Store) WaitingByKind(ctx context.Context, merchantID uuid.UUID,
	by time.Time) (found []Waiting, err error) {
	err = s.Gorm(ctx).Raw(`SELECT kind, count(*) AS count, coalesce(sum(amount_cents), 0)::bigint AS cents FROM bank_items
		WHERE merchant_id = ? AND `+waitingBy+`? GROUP BY kind`, merchantID, database.Instant(by)).Find(&found).Error
	return found, err
}

// leavingBy is what cutWaiting would take by a moment.
func (s Store) leavingBy(ctx context.Context, merchantID uuid.UUID, by time.Time) (found []Leaving, err error) {
	err = s.Gorm(ctx).Raw(`SELECT kind, method, action_date AS day, count(*) AS count,
			coalesce(sum(amount_cents), 0)::bigint AS cents
		FROM bank_items WHERE merchant_id = ? AND `+waitingBy+`? GROUP BY 1, 2, 3 ORDER BY 3, 1, 2`, merchantID,
		database.Instant(by)).
		Find(&found).Error
	return found, err
}

func messagesWhere(merchantID uuid.UUID, f MessageFilter) *condition {
	w := &condition{}
	w.and("merchant_id = ?", merchantID)
	if f.Kind != "" {
		w.and("kind = ?", string(f.Kind))
	}
	w.times("made_at", f.From, f.To)
	return w
}

func (s Store) ExchangeMessages(ctx context.Context, merchantID uuid.UUID, f MessageFilter,
	ask paging.Ask) (found []Message, err error) {
	w := messagesWhere(merchantID, f)
	if len(f.States) > 0 {
		w.and("state = ANY(?::text[])", database.Texts(f.States))
	}
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	if ask.From != uuid.Nil {
		kind, number := NumberOf(ask.From)
		w.and("(made_at, id) "+compare+" (SELECT b.made_at, b.id FROM bank_files_out b WHERE b.kind = ? AND b.number = ?)",
			string(kind), number)
	}
	err = s.Gorm(ctx).Scopes(withoutContent).Where(w.String(), w.args...).
		Order(fmt.Sprintf("made_at %s, id %s", direction, direction)).Limit(ask.Fetch()).Find(&found).Error
	return found, err
}

// countedBy reads how many there are of each state.
func countedBy[S ~string](ctx context.Context, s Store, from string, w *condition) (map[S]int64, error) {
	return database.CountByState[S](ctx, s.DB, "SELECT state, count(*) AS n FROM "+from+" WHERE "+w.String()+
		" GROUP BY state", w.args...)
}

func (s Store) CountMessages(ctx context.Context, merchantID uuid.UUID, f MessageFilter) (
	map[MessageState]int64, error) {
	return countedBy[MessageState](ctx, s, "bank_files_out", messagesWhere(merchantID, f))
}

// mostHistory is how many acts on one message are shown.
const mostHistory = 100

func (s Store) MessageHistory(ctx context.Context, merchantID uuid.UUID, m Message) ([]audit.Entry, error) {
	var found []database.Audited
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("id DESC").Limit(mostHistory).
		Find(&found, "object_type = 'bank_message' AND object_id = ?", m.UUID()).Error
	return database.EntriesOf(found), err
}

// RefusedIn counts what waits for a person's decision in each of some messages.
func (s Store) RefusedIn(ctx context.Context, merchantID uuid.UUID, messageIDs []string) (map[string]Tally,
	error) {
	out := map[string]Tally{}
	if len(messageIDs) == 0 {
		return out, nil
	}
	var found []struct {
		MessageID string
		Tally
	}
	err := s.Gorm(ctx).Raw(`SELECT message_id, count(*)::integer AS count, sum(amount_cents)::bigint AS sum_cents
		FROM bank_items WHERE merchant_id = ? AND message_id IN ? AND state = 'refused' GROUP BY message_id`, merchantID,
		messageIDs).Find(&found).Error
	for _, f := range found {
		out[f.MessageID] = f.Tally
	}
	return out, err
}

// visibleDocument is one that speaks of the merchant, or was imported for it; who is alone sees all.
const visibleDocument = `d.merchant_id = ? OR EXISTS (SELECT FROM bank_files_in_of v WHERE v.document_id = d.id
	AND v.merchant_id = ?) OR (SELECT count(*) = 1 FROM merchants)`

func documentsWhere(merchantID uuid.UUID, f DocumentFilter) *condition {
	w := &condition{}
	w.and(visibleDocument, merchantID, merchantID)
	if f.ID != uuid.Nil {
		w.and("d.id = ?", f.ID)
	}
	w.times("d.arrived_at", f.From, f.To)
	return w
}

// documentColumns are those of a document d but for its bytes, and for what it says of all merchants.
var documentColumns = database.Columns[Document]("d", "item_count", "sum_cents")

// What a document says of others is not counted.
func (s Store) Documents(ctx context.Context, merchantID uuid.UUID, f DocumentFilter,
	ask paging.Ask) (found []Document, err error) {
	w := documentsWhere(merchantID, f)
	if f.State != "" {
		w.and("d.state = ?", string(f.State))
	}
	order := w.pageByID("d.id", ask)
	err = s.Gorm(ctx).Raw(`SELECT `+documentColumns+`, coalesce(o.item_count, 0) AS item_count,
			coalesce(o.sum_cents, 0) AS sum_cents FROM bank_files_in d
		LEFT JOIN bank_files_in_of o ON o.document_id = d.id AND o.merchant_id = ? WHERE `+w.String()+order,
		slices.Concat([]any{merchantID}, w.args)...).Find(&found).Error
	return found, err
}

func (s Store) CountDocuments(ctx context.Context, merchantID uuid.UUID, f DocumentFilter) (
	map[DocumentState]int64, error) {
	return countedBy[DocumentState](ctx, s, "bank_files_in d", documentsWhere(merchantID, f))
}

func movementsWhere(merchantID uuid.UUID, f EntryFilter) *condition {
	w := &condition{}
	w.and("e.merchant_id = ?", merchantID)
	if f.ID != uuid.Nil {
		w.and("e.id = ?", f.ID)
	}
	if f.ArrivalID != uuid.Nil {
		w.and("e.arrival_id = ?", f.ArrivalID)
	}
	w.days("e.booked_on", f.From, f.To)
	return w
}

// By the day on which they were booked.
func (s Store) BankMovements(ctx context.Context, merchantID uuid.UUID, f EntryFilter,
	ask paging.Ask) (found []EntryLine, err error) {
	w := movementsWhere(merchantID, f)
	if f.State != "" {
		w.and("e.state = ?", string(f.State))
	}
	direction, compare := "DESC", "<"
	if ask.Newer {
		direction, compare = "ASC", ">"
	}
	if ask.From != uuid.Nil {
		w.and("(e.booked_on, e.id) "+compare+" (SELECT b.booked_on, b.id FROM bank_entries b WHERE b.id = ?)", ask.From)
	}
	order := fmt.Sprintf("booked_on %s, e.id %s", direction, direction)
	err = s.Gorm(ctx).Raw("SELECT e.*, "+purchaseOf+`, coalesce(b.pays, 0) AS pays, `+
		nameOfPurchase("purchase_reference")+` FROM (SELECT * FROM bank_entries e WHERE `+w.String()+" ORDER BY e."+order+
		fmt.Sprintf(" LIMIT %d", ask.Fetch())+`) e LEFT JOIN bank_items i ON i.id = e.item_id `+joinPaid+
		" ORDER BY e."+order, w.args...).Find(&found).Error
	return found, err
}

// joinPaid is joinPurchase for movements e, of which some pay purchases themselves: the first of those is p.
const joinPaid = joinItem + ` LEFT JOIN LATERAL (SELECT (array_agg(b.purchase_id ORDER BY b.id))[1] AS purchase_id,
		count(DISTINCT b.purchase_id) AS pays
		FROM bank_payments b WHERE b.entry_id = e.id AND b.undone_at IS NULL) b ON e.paid_cents > 0
		LEFT JOIN purchases p ON p.id = coalesce(b.purchase_id, c.purchase_id, r.purchase_id, u.mandate_id)
		AND p.merchant_id = e.merchant_id`

// Money that went out is below zero.
func (s Store) CountMovements(ctx context.Context, merchantID uuid.UUID, f EntryFilter) (
	map[EntryState]Figure, error) {
	var rows []struct {
		State string
		Figure
	}
	w := movementsWhere(merchantID, f)
	if err := s.Gorm(ctx).
		Raw("SELECT e.state, count(*) AS count, sum("+signedEntry+")::bigint AS cents FROM bank_entries e WHERE "+
			w.String()+" GROUP BY e.state", w.args...).
		Scan(&rows).
		Error; err != nil {
		return nil, err
	}
	out := map[EntryState]Figure{}
	for _, r := range rows {
		out[EntryState(r.State)] = r.Figure
	}
	return out, nil
}

// signedEntry is what a movement adds to the account.
const signedEntry = `CASE WHEN e.credit THEN e.amount_cents ELSE -e.amount_cents END`

// ourPart is what of it is of our items: the rest is the bank's fee.
const ourPart = `CASE WHEN e.credit THEN e.amount_cents - e.fee_cents ELSE e.fee_cents - e.amount_cents END`

func findingsWhere(merchantID uuid.UUID, f FindingFilter) *condition {
	w := &condition{}
	w.and(concerns("?"), merchantID, merchantID)
	if f.ID != uuid.Nil {
		w.and("id = ?", f.ID)
	}
	if f.ArrivalID != uuid.Nil {
		w.and("arrival_id = ?", f.ArrivalID)
	}
	if f.MessageID != "" {
		w.and("message_id = ?", f.MessageID)
	}
	switch f.State {
	case FindingOpen:
		w.and("closed_at IS NULL")
	case FindingClosed:
		w.and("closed_at IS NOT NULL")
	}
	return w
}

func (s Store) ExchangeFindings(ctx context.Context, merchantID uuid.UUID, f FindingFilter,
	ask paging.Ask) (found []Finding, err error) {
	w := findingsWhere(merchantID, f)
	order := w.pageByID("id", ask)
	err = s.Gorm(ctx).Raw("SELECT * FROM bank_findings WHERE "+w.String()+order, w.args...).Find(&found).Error
	return found, err
}

func (s Store) CountFindings(ctx context.Context, merchantID uuid.UUID,
	f FindingFilter) (n int64, err error) {
	w := findingsWhere(merchantID, f)
	err = s.Gorm(ctx).Raw("SELECT count(*) FROM bank_findings WHERE "+w.String(), w.args...).Scan(&n).Error
	return n, err
}

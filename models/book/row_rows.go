package book

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// RowQuery says which rows are read, in the order of the file.
type RowQuery struct {
	States   []RowState
	Verdicts []Verdict
	Cause    string // that keeps the row out
	Warned   string // another cause
	Group    string
	After    int
	Limit    int
}

// rows reads rows of an import in the order of the file. Nothing is sorted for it: each step of a large import would
// sort all that is left.
func (s Store) rows(ctx context.Context, merchantID, id uuid.UUID, q RowQuery) ([]Row, error) {
	where, args := "merchant_id = ? AND import_id = ? AND n > ?", []any{merchantID, id, q.After}
	and := func(asked bool, condition string, arg any) {
		if asked {
			where, args = where+" AND "+condition, append(args, arg)
		}
	}
	and(len(q.States) > 0, "state = ANY(?::text[])", database.Texts(q.States))
	and(len(q.Verdicts) > 0, "verdict = ANY(?::text[])", database.Texts(q.Verdicts))
	and(q.Cause != "", "? = ANY(causes)", q.Cause)
	and(q.Warned != "", "? = ANY(warned)", q.Warned)
	and(q.Group != "", "group_name = ?", q.Group)
	found, err := database.SeekUnsorted(ctx, s.DB, rowTable, rowTable.Select+where+" ORDER BY n LIMIT ?",
		append(args, q.Limit)...)
	return rowsOf(found), err
}

func rowsOf(found []rowLine) []Row {
	out := make([]Row, len(found))
	for n, l := range found {
		out[n] = l.Row
	}
	return out
}

func (s Store) lines(ctx context.Context, merchantID, id uuid.UUID, condition string, args ...any) ([]Row, error) {
	found, err := database.All(ctx, s.DB, rowTable, "merchant_id = $1 AND import_id = $2 AND "+condition,
		append([]any{merchantID, id}, args...)...)
	return rowsOf(found), err
}

// rowsAt reads rows by their numbers, in order, and keeps others from changing them.
func rowsAt(tx *database.Tx, i Import, numbers []int) ([]Row, error) {
	return Store{tx.DB()}.lines(tx.Context(), i.MerchantID, i.ID, "n = ANY($3) ORDER BY n FOR UPDATE", numbers)
}

// lastApplied reads the last rows that were done and not taken back, the last one first; only those before a row.
func lastApplied(tx *database.Tx, i Import, before, limit int) ([]Row, error) {
	return Store{tx.DB()}.lines(tx.Context(), i.MerchantID, i.ID,
		"state = 'applied' AND ($3 = 0 OR n < $3) ORDER BY n DESC LIMIT $4", before, limit)
}

// stand makes sure that rows are as they were read; fault.ErrLost when another process has done them meanwhile.
func stand(tx *database.Tx, i Import, as RowState, rows []Row) error {
	numbers := make([]int, len(rows))
	for at, r := range rows {
		numbers[at] = r.N
	}
	var still int64
	err := tx.Gorm().Table("book_import_rows").
		Where("merchant_id = ? AND import_id = ? AND n = ANY(?::int[]) AND state = ?", i.MerchantID, i.ID,
			database.Numbers(numbers), as).Count(&still).Error
	switch {
	case err != nil:
		return fmt.Errorf("look at rows again: %w", err)
	case int(still) != len(rows):
		return fault.ErrLost
	}
	return nil
}

// moveRows writes what became of rows, if all of them stand as they did; fault.ErrLost otherwise.
func moveRows(tx *database.Tx, i Import, was RowState, rows []Row) error {
	n, err := database.ChangeMany(tx, moveRow, linesOf(i, rows), string(was))
	if err != nil {
		return fmt.Errorf("save rows of an import: %w", err)
	}
	if int(n) != len(rows) {
		return fault.ErrLost
	}
	return nil
}

// measure has the planner look at the tables that an import fills.
func (s Store) measure(ctx context.Context) error {
	if err := s.Gorm(ctx).Exec(`ANALYZE clients, client_references, purchases, mandates, tokens, template_clients,
		book_import_rows`).Error; err != nil {
		return fmt.Errorf("look at the tables of an import: %w", err)
	}
	return nil
}

// CauseCount is how many rows have a cause.
type CauseCount struct {
	Cause  string
	Rows   int
	First  int  // the first of them
	Column int  `gorm:"-"` // of the first
	Keeps  bool // it keeps the rows out
}

// causes counts rows by what is found about them.
func (s Store) causes(ctx context.Context, merchantID, id uuid.UUID) (out []CauseCount, err error) {
	err = s.Gorm(ctx).Raw(`SELECT cause, keeps, count(*) AS rows, min(n) AS first FROM (
		SELECT n, unnest(causes) AS cause, true AS keeps FROM book_import_rows WHERE merchant_id = ? AND import_id = ?
			AND verdict IN ('refused', 'held')
		UNION ALL SELECT n, unnest(warned), false FROM book_import_rows WHERE merchant_id = ? AND import_id = ?) AS c
		GROUP BY cause, keeps ORDER BY keeps DESC, count(*) DESC, cause`, merchantID, id, merchantID, id).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("count causes: %w", err)
	}
	return out, nil
}

// GroupSum is what a group of an import adds up to.
type GroupSum struct {
	Name            string
	Rows            int
	Clients         int
	Accounts        int // that can be debited
	Subscriptions   int
	Cents           int64 // of one debit of each subscription
	FirstOn, LastOn Day   // of the first debits
}

// groups adds up the rows that came in, or will, by group.
func (s Store) groups(ctx context.Context, merchantID, id uuid.UUID) (out []GroupSum, err error) {
	err = s.Gorm(ctx).Raw(`SELECT group_name AS name, count(*) AS rows,
		count(*) FILTER (WHERE verdict = 'created') AS clients, count(*) FILTER (WHERE debitable) AS accounts,
		count(*) FILTER (WHERE cents > 0) AS subscriptions, coalesce(sum(cents), 0)::bigint AS cents,
		min(first_on) AS first_on, max(first_on) AS last_on
		FROM book_import_rows WHERE merchant_id = ? AND import_id = ?
			AND (state <> 'undone' OR token_id IS NOT NULL OR verdict = 'created' AND client_id IS NOT NULL)
			AND verdict IN ('created', 'updated', 'unchanged') GROUP BY group_name ORDER BY group_name`, merchantID, id).
		Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("add up groups: %w", err)
	}
	return out, nil
}

// DaySum is what the first debits of a day add up to.
type DaySum struct {
	On    Day
	Rows  int
	Cents int64
}

// days adds up the first debits of a group by day.
func (s Store) days(ctx context.Context, merchantID, id uuid.UUID, group string) (out []DaySum, err error) {
	err = s.Gorm(ctx).Raw(`SELECT first_on AS "on", count(*) AS rows, sum(cents)::bigint AS cents FROM book_import_rows
		WHERE merchant_id = ? AND import_id = ? AND group_name = ? AND cents > 0 AND state <> 'undone'
			AND verdict IN ('created', 'updated') GROUP BY first_on ORDER BY first_on`, merchantID, id, group).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("add up first debits: %w", err)
	}
	return out, nil
}

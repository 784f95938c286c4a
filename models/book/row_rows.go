package book

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
	numbers, still := make([]int, len(rows)), 0
	for at, r := range rows {
		numbers[at] = r.N
	}
	err := database.Query(tx, func(n *int) []any { return []any{n} }, func(n int) { still = n }, `SELECT count(*)::int
		FROM book_import_rows WHERE merchant_id = $1 AND import_id = $2 AND n = ANY($3::int[]) AND state = $4`,
		i.MerchantID.String(), i.ID.String(), numbers, string(as))
	switch {
	case err != nil:
		return fmt.Errorf("look at rows again: %w", err)
	case still != len(rows):
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
	if _, err := s.Pool.Exec(ctx, `ANALYZE clients, client_references, purchases, mandates, tokens, template_clients,
		book_import_rows`); err != nil {
		return fmt.Errorf("look at the tables of an import: %w", err)
	}
	return nil
}

// CauseCount is how many rows have a cause.
type CauseCount struct {
	Cause  string
	Rows   int
	First  int  // the first of them
	Column int  // of the first
	Keeps  bool // it keeps the rows out
}

// causes counts rows by what is found about them.
func (s Store) causes(ctx context.Context, merchantID, id uuid.UUID) (out []CauseCount, err error) {
	rows, err := s.Pool.Query(ctx, `SELECT cause, keeps, count(*), min(n) FROM (
		SELECT n, unnest(causes) AS cause, true AS keeps FROM book_import_rows WHERE merchant_id = $1 AND import_id = $2
			AND verdict IN ('refused', 'held')
		UNION ALL SELECT n, unnest(warned), false FROM book_import_rows WHERE merchant_id = $1 AND import_id = $2) AS c
		GROUP BY cause, keeps ORDER BY keeps DESC, count(*) DESC, cause`, merchantID.String(), id.String())
	if err != nil {
		return nil, fmt.Errorf("count causes: %w", err)
	}
	var c CauseCount
	_, err = pgx.ForEachRow(rows, []any{&c.Cause, &c.Keeps, &c.Rows, &c.First}, func() error {
		out = append(out, c)
		return nil
	})
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
	rows, err := s.Pool.Query(ctx, `SELECT group_name, count(*), count(*) FILTER (WHERE verdict = 'created'),
		count(*) FILTER (WHERE debitable), count(*) FILTER (WHERE cents > 0), coalesce(sum(cents), 0)::bigint,
		min(first_on), max(first_on)
		FROM book_import_rows WHERE merchant_id = $1 AND import_id = $2
			AND (state <> 'undone' OR token_id IS NOT NULL OR verdict = 'created' AND client_id IS NOT NULL)
			AND verdict IN ('created', 'updated', 'unchanged') GROUP BY group_name ORDER BY group_name`, merchantID.String(),
		id.String())
	if err != nil {
		return nil, fmt.Errorf("add up groups: %w", err)
	}
	out, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (g GroupSum, err error) {
		var from, to *Day
		err = r.Scan(&g.Name, &g.Rows, &g.Clients, &g.Accounts, &g.Subscriptions, &g.Cents, &from, &to)
		g.FirstOn, g.LastOn = database.OrZero(from), database.OrZero(to)
		return g, err
	})
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
	rows, err := s.Pool.Query(ctx, `SELECT first_on, count(*), sum(cents)::bigint FROM book_import_rows
		WHERE merchant_id = $1 AND import_id = $2 AND group_name = $3 AND cents > 0 AND state <> 'undone'
			AND verdict IN ('created', 'updated') GROUP BY first_on ORDER BY first_on`, merchantID.String(), id.String(), group)
	if err != nil {
		return nil, fmt.Errorf("add up first debits: %w", err)
	}
	out, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (d DaySum, err error) {
		var on *Day
		err = r.Scan(&on, &d.Rows, &d.Cents)
		d.On = database.OrZero(on)
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up first debits: %w", err)
	}
	return out, nil
}

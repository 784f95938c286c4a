// Package listing reads lists that may be long: record by record through an index, or by
// the words that a person searches for. No page costs more the longer its list is.
package listing

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// mostWalked is how many records one page of a walk looks at. A walk that comes so far
// without filling its page ends there, and the next page goes on: no page costs more
// the longer the list is.
const mostWalked = 3_000

// Walk is a list that is met record by record in the order of its ids. An index leads
// through what Where lets by; what Fits says is looked at in each record.
type Walk struct {
	Columns, From string // what is read, and of what
	Alias         string // what Fits calls the records; empty: it names columns alone
	Key           string // the id column; empty: id
	Called        string // the same in the rows that are read; empty: id
	Where         string // never empty
	Args          []any
	Fits          string // empty: every record fits
	FitArgs       []any
	Most          int // records that one page looks at; 0: 3 000
	// Own is the table where From is that table alone, Where begins with its merchant, and an index has the merchant's
	// records in the order of their ids; Of is the merchant. That index is read first, and no other can be: a plan that
	// serves all merchants would else read the records of others to find those of one that has few.
	Own string
	Of  uuid.UUID
}

// ofMerchant is how Where begins.
const ofMerchant = "merchant_id = ?"

// beside is the direction of a page, and what bounds it.
func (w *Walk) beside(ask paging.Ask) (direction, where string, args []any) {
	direction, where, args = database.BesideID(w.ID(), ask)
	if w.Own == "" {
		return direction, where, args
	}
	compare, from := "<", uuid.Max
	if ask.Newer {
		compare, from = ">", uuid.Nil
	}
	if ask.From != uuid.Nil {
		from = ask.From
	}
	return direction, fmt.Sprintf(" AND (merchant_id, %s) %s (?, ?)", w.ID(), compare), []any{w.Of, from}
}

// ids reads the ids of the next records, with what follows their order.
func (w *Walk) ids(as string, ask paging.Ask, most int, rest string) string {
	direction, beside, _ := w.beside(ask)
	if w.Own == "" {
		return fmt.Sprintf(
			"SELECT %[1]s AS %[2]s FROM %[3]s WHERE %[4]s%[5]s ORDER BY %[1]s %[6]s%[7]s",
			w.ID(),
			as,
			w.Source(ask, most),
			w.Where,
			beside,
			direction,
			rest,
		)
	}
	end, compare := uuid.Nil, ">"
	if ask.Newer {
		end, compare = uuid.Max, "<"
	}
	all := strings.Replace(w.Where, ofMerchant, fmt.Sprintf("(merchant_id, %s) %s (?, '%s')", w.ID(), compare, end), 1)
	return fmt.Sprintf(
		"SELECT %[1]s AS %[2]s FROM %[3]s WHERE %[4]s%[5]s ORDER BY merchant_id %[6]s, %[1]s %[6]s%[7]s",
		w.ID(),
		as,
		w.From,
		all,
		beside,
		direction,
		rest,
	)
}

// lazy is the walk as it is gone when each record is looked at: it stops as soon as a page is full, which the index of
// its own would not let it.
func (w *Walk) lazy() *Walk {
	of := *w
	if of.Fits != "" {
		of.Own = ""
	}
	return &of
}

// rows reads some of the next records, up to most, in the order of the walk.
func (w *Walk) rows(columns string, ask paging.Ask, most int) string {
	direction, beside, _ := w.beside(ask)
	limit := fmt.Sprintf(" LIMIT %d", most)
	if w.Own == "" {
		return "SELECT " + columns + " FROM " + w.Source(ask,
			most) + " WHERE " + w.Where + beside + " ORDER BY " + w.ID() + " " + direction + limit
	}
	return fmt.Sprintf(`SELECT %s FROM (SELECT of.*, w.walked_id FROM (%s) AS w
		CROSS JOIN LATERAL (SELECT * FROM %s WHERE id = w.walked_id OFFSET 0) AS of) AS %s ORDER BY walked_id %s`, columns,
		w.ids("walked_id", ask, most, limit), w.Own, cmp.Or(w.Alias, "walked"), direction)
}

// And adds a condition that an index answers.
func (w *Walk) And(condition string, args ...any) {
	if w.Where != "" {
		condition = " AND " + condition
	}
	w.Where, w.Args = w.Where+condition, append(w.Args, args...)
}

// Fitting adds a condition that is looked at in each record.
func (w *Walk) Fitting(condition string, args ...any) {
	if w.Fits != "" {
		condition = " AND " + condition
	}
	w.Fits, w.FitArgs = w.Fits+condition, append(w.FitArgs, args...)
}

// All is the condition on every record of the walk.
func (w *Walk) All() (string, []any) {
	if w.Fits == "" {
		return w.Where, w.Args
	}
	return w.Where + " AND " + w.Fits, slices.Concat(w.Args, w.FitArgs)
}

// ID is the id column.
func (w *Walk) ID() string {
	if w.Key == "" {
		return "id"
	}
	return w.Key
}

// fromHere stands among the values of a walk for the place of the page.
type fromHere struct{}

// Source is what is read, whose parts stand in the direction of a page and give up to most records each.
func (w *Walk) Source(ask paging.Ask, most int) string {
	direction, beside, _ := database.BesideID("id", ask)
	_, behind, _ := database.BesideID("object_id", ask)
	return strings.NewReplacer("@direction", direction, "@beside", beside, "@behind", behind, "@most", strconv.Itoa(most)).
		Replace(w.From)
}

// Values are those of the source and of Where.
func (w *Walk) Values(ask paging.Ask) []any {
	out := make([]any, 0, len(w.Args))
	for _, arg := range w.Args {
		if _, here := arg.(fromHere); !here {
			out = append(out, arg)
		} else if ask.From != uuid.Nil {
			out = append(out, ask.From)
		}
	}
	return out
}

func (w *Walk) reach() int {
	if w.Most == 0 {
		return mostWalked
	}
	return w.Most
}

// statement reads the records of one page, or, with end, the id of the record at which
// the walk ends.
func (w *Walk) statement(ask paging.Ask, end bool) (string, []any) {
	if end {
		_, _, from := w.beside(ask)
		return w.ids("id", ask, w.reach(), fmt.Sprintf(" OFFSET %d LIMIT 1", w.reach()-1)), slices.Concat(w.Values(ask), from)
	}
	w = w.lazy()
	direction, _, from := w.beside(ask)
	args := slices.Concat(w.Values(ask), from)
	most := w.reach()
	if w.Fits == "" {
		most = ask.Fetch()
	}
	page := w.rows(w.Columns, ask, most)
	if w.Fits == "" {
		return page, args
	}
	return fmt.Sprintf("SELECT * FROM (%s) AS %s WHERE %s ORDER BY %s %s LIMIT %d", page,
		cmp.Or(w.Alias, "walked"), w.Fits, cmp.Or(w.Called, "id"), direction, ask.Fetch()), slices.Concat(args, w.FitArgs)
}

// Page reads one page of a walk. read says how, where more than the record is wanted.
func Page[T any](ctx context.Context, db *database.DB, as *table.Table[T], w *Walk, ask paging.Ask,
	read func(page string) string) (paging.Page[T], error) {
	page, args := w.statement(ask, false)
	if read != nil {
		page = read(page)
	}
	found, err := database.Seek(ctx, db, as, page, args...)
	if err != nil {
		return paging.Page[T]{}, err
	}
	reached, err := walkedTo(ctx, db, w, ask, len(found))
	return paging.CutAt(ask, found, reached), err
}

// walkedTo is the record at which a walk ended that did not fill its page; the zero id
// where it came to the end of the list.
func walkedTo(ctx context.Context, db *database.DB, w *Walk, ask paging.Ask, found int) (reached uuid.UUID, err error) {
	if w.Fits == "" || found >= ask.Fetch() {
		return uuid.Nil, nil
	}
	query, args := w.statement(ask, true)
	ids, err := IDs(ctx, db, query, args...)
	if err != nil || len(ids) == 0 {
		return uuid.Nil, err
	}
	return ids[0], nil
}

// Count counts by state, the first column of the walk, what fits among the records
// that one page would look at; nil where there are more of them.
func Count[S ~string](ctx context.Context, db *database.DB, w *Walk) (map[S]int64, error) {
	sums, err := Sums[S](ctx, db, w, "0")
	if sums == nil {
		return nil, err
	}
	counts := make(map[S]int64, len(sums))
	for state, sum := range sums {
		counts[state] = sum.N
	}
	return counts, err
}

// Sum is how many records there are, and what they come to.
type Sum struct{ N, Cents int64 }

// Sums is Count with what a column of the records comes to.
func Sums[S ~string](ctx context.Context, db *database.DB, w *Walk, cents string) (map[S]Sum, error) {
	fits := w.Fits
	if fits == "" {
		fits = "true"
	}
	var rows []struct {
		State S
		Sum   `gorm:"embedded"`
		Seen  int64
	}
	w = w.lazy()
	_, _, from := w.beside(paging.Ask{})
	err := db.Gorm(ctx).Raw(fmt.Sprintf(`SELECT state, count(*) FILTER (WHERE %[1]s) AS n, count(*) AS seen,
			least(coalesce(sum(%[2]s) FILTER (WHERE %[1]s), 0), 9223372036854775807)::bigint AS cents
		FROM (%[3]s) AS %[4]s GROUP BY state`, fits, cents, w.rows(w.Columns, paging.Ask{}, w.reach()),
		cmp.Or(w.Alias, "walked")),
		slices.Concat(w.FitArgs, w.FitArgs, w.Values(paging.Ask{}), from)...).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("count: %w", err)
	}
	sums, seen := map[S]Sum{}, int64(0)
	for _, r := range rows {
		if seen += r.Seen; r.N > 0 {
			sums[r.State] = r.Sum
		}
	}
	if seen >= int64(w.reach()) {
		return nil, nil
	}
	return sums, nil
}

// CountFound counts by state what a search finds; nil where that is more than is counted.
// of reads the states of some ids.
func CountFound[S ~string](ctx context.Context, db *database.DB, f *Search, of string,
	args ...any) (map[S]int64, error) {
	ids, err := FindAll(ctx, db, f)
	if ids == nil {
		return nil, err
	}
	return database.CountByState[S](ctx, db, "SELECT state, count(*) AS n FROM ("+of+
		" = ANY(?::uuid[])) AS found GROUP BY state", append(args, database.IDs(ids))...)
}

// InStates are the records of a merchant in some states, each state in the order of its
// index, so that they are merged and not sorted, and no more of each than is wanted. The
// states stand in the statement: of a rare one the planner would else read all records.
func InStates[S ~string](table, column string, merchantID uuid.UUID, states []S) (from string, args []any) {
	for n, state := range states {
		if n > 0 {
			from += " UNION ALL "
		}
		from += "(SELECT * FROM " + table + " WHERE merchant_id = ? AND " + column + " = " + Literal(state) +
			"@beside ORDER BY id @direction LIMIT @most)"
		args = append(args, merchantID, fromHere{})
	}
	return "(" + from + ")", args
}

// IDsFirst are the records of a table that a condition finds, which stand beside their ids in w: an index that
// holds the ids leads there, and no more records are read than are wanted.
func IDsFirst(table, alias, where string, merchantID uuid.UUID, args ...any) (from string, all []any) {
	return "(SELECT id FROM " + table + " WHERE " + where +
			"@beside ORDER BY id @direction LIMIT @most) AS w CROSS JOIN LATERAL" +
			" (SELECT * FROM " + table + " WHERE id = w.id AND merchant_id = ? OFFSET 0) AS " + alias, slices.Concat(
			args,
			[]any{fromHere{}, merchantID},
		)
}

var stateForm = regexp.MustCompile(`^[a-z_]+$`)

// Literal writes a state into a statement. Text that does not look like a state matches no rows.
func Literal[S ~string](state S) string {
	if !stateForm.MatchString(string(state)) {
		return "''"
	}
	return "'" + string(state) + "'"
}

// Waits is the condition that a record waits for somebody's attention for a reason. Its place is the merchant. Each
// record is looked up by itself.
func Waits(id, kind, and string) string {
	return "EXISTS (SELECT FROM attention_now(?, '" + kind + "') AS w WHERE w.object_id = " + id + and + " OFFSET 0)"
}

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
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
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
	Alone         string // From without what is joined to each record; empty: nothing is
	Key           string // the id column; empty: id
	Called        string // the same in the rows that are read; empty: id
	Where         string // never empty
	Args          []any
	Fits          string // empty: every record fits
	FitArgs       []any
	Most          int // records that one page looks at; 0: 3 000
	// By is the column with which the index begins that leads through the walk; empty: merchant_id. No other index can be
	// read first, so that no page reads records of another merchant, whatever plan PostgreSQL makes for all merchants.
	By string
	// Ordered says that From has the order of the ids by itself, and gives no column By.
	Ordered bool
	// Unsorted says that Where bounds the ids, or that From reads what waits. By them alone PostgreSQL would read the
	// records of all merchants, and sort them, wherever it expects few, or all that waits; it is told to read in the order
	// of the walk.
	Unsorted bool

	columnArgs []any // the values of Columns
}

const ofMerchant = "merchant_id"

// bound writes the conditions on the column By as database.Bound does.
func (w *Walk) bound(text string) string {
	if w.Ordered {
		return text
	}
	by := cmp.Or(w.By, ofMerchant)
	return strings.ReplaceAll(text, by+" = ?", database.Bound(by))
}

// order is the order of the walk, in which the id is called by a name.
func (w *Walk) order(id, direction string) string {
	if w.Ordered {
		return " ORDER BY " + id + " " + direction
	}
	return " ORDER BY " + w.by(id) + " " + direction + ", " + id + " " + direction
}

// by is the column By beside one of the id.
func (w *Walk) by(id string) string {
	alias, _, named := strings.Cut(id, ".")
	if !named {
		return cmp.Or(w.By, ofMerchant)
	}
	return alias + "." + cmp.Or(w.By, ofMerchant)
}

// from is where the records of one side of a place are read, up to most in each part, in the order of the walk.
func (w *Walk) from(ask paging.Ask, most int) string {
	direction, beside, _ := database.BesideID(w.ID(), ask)
	return " FROM " + w.bound(w.Source(ask, most)) + " WHERE " + w.bound(w.Where) + beside + w.order(w.ID(), direction)
}

// rows reads some of the next records, up to most, in the order of the walk.
func (w *Walk) rows(columns string, ask paging.Ask, most int) string {
	return fmt.Sprintf("SELECT %s%s LIMIT %d", columns, w.from(ask, most), most)
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

// FittingTime adds that a moment of each record lies between two, both included; zero: open.
func (w *Walk) FittingTime(column string, from, to time.Time) {
	if !from.IsZero() {
		w.Fitting(column+" >= ?", from)
	}
	if !to.IsZero() {
		w.Fitting(column+" <= ?", to)
	}
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

// asked are the values of what is read on one side of a place.
func (w *Walk) asked(ask paging.Ask) []any {
	_, _, from := database.BesideID(w.ID(), ask)
	return slices.Concat(w.Values(ask), from)
}

// alone is the walk without what is joined to each record.
func (w *Walk) alone() *Walk {
	of := *w
	of.From = cmp.Or(w.Alone, w.From)
	return &of
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
	direction, _, _ := database.BesideID(w.ID(), ask)
	args, most := w.asked(ask), w.reach()
	if end {
		alone := w.alone()
		return fmt.Sprintf("SELECT %s AS id%s OFFSET %d LIMIT 1", w.ID(), alone.from(ask, most), most-1), args
	}
	args = slices.Concat(w.columnArgs, args)
	if w.Fits == "" {
		return w.rows(w.Columns, ask, ask.Fetch()), args
	}
	return fmt.Sprintf("SELECT * FROM (%s) AS %s WHERE %s%s LIMIT %d", w.rows(w.Columns, ask, most),
		cmp.Or(w.Alias, "walked"), w.Fits, w.order(cmp.Or(w.Called, "id"), direction),
		ask.Fetch()), slices.Concat(args, w.FitArgs)
}

// PageOf reads one page of a walk. read says how, where more than the record is wanted.
func PageOf[T any](ctx context.Context, db *database.DB, w *Walk, ask paging.Ask,
	read func(page string) string) (paging.Page[T], error) {
	page, args := w.statement(ask, false)
	if read != nil {
		page = read(page)
	}
	var found []T
	if err := w.on(ctx, db).Raw(page, args...).Find(&found).Error; err != nil {
		return paging.Page[T]{}, err
	}
	reached, err := walkedTo(ctx, db, w, ask, len(found))
	return paging.CutAt(ask, found, reached), err
}

// on is GORM for what is asked of a walk.
func (w *Walk) on(ctx context.Context, db *database.DB) *gorm.DB {
	if w.Unsorted {
		return db.Gorm(ctx).Scopes(database.Unsorted)
	}
	return db.Gorm(ctx)
}

// walkedTo is the record at which a walk ended that did not fill its page; the zero id
// where it came to the end of the list.
func walkedTo(ctx context.Context, db *database.DB, w *Walk, ask paging.Ask, found int) (reached uuid.UUID, err error) {
	if w.Fits == "" || found >= ask.Fetch() {
		return uuid.Nil, nil
	}
	query, args := w.statement(ask, true)
	ids, err := once(ctx, query, args, func() ([]uuid.UUID, error) { return w.readIDs(ctx, db, query, args...) })
	if err != nil || len(ids) == 0 {
		return uuid.Nil, err
	}
	return ids[0], nil
}

// readIDs reads the ids of what is asked of a walk.
func (w *Walk) readIDs(ctx context.Context, db *database.DB, query string, args ...any) (ids []uuid.UUID, err error) {
	if !w.Unsorted {
		return IDs(ctx, db, query, args...)
	}
	var found []struct{ ID uuid.UUID }
	err = db.Gorm(ctx).Scopes(database.Unsorted).Raw(query, args...).Find(&found).Error
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	return ids, err
}

// IDs are the ids of the first records of a walk, up to most.
func (w *Walk) IDs(ctx context.Context, db *database.DB, most int) ([]uuid.UUID, error) {
	return IDs(ctx, db, w.rows(w.ID(), paging.Ask{}, most), w.Values(paging.Ask{})...)
}

// InStates are the records of a merchant in some states, each state in the order of its
// index, so that they are merged and not sorted, and no more of each than is wanted. The
// states stand in the statement: of a rare one the planner would else read all records.
func InStates[S ~string](table, column string, merchantID uuid.UUID, states []S) (from string, args []any) {
	parts := make([]Part, len(states))
	for n, state := range states {
		parts[n] = Part{"SELECT * FROM " + table + " WHERE " + database.Bound(ofMerchant) + " AND " + column + " = " +
			Literal(state), []any{merchantID}}
	}
	return Merged(parts...)
}

// Part reads some of the records of a walk. Its statement ends with its conditions, of which one names the merchant.
type Part struct {
	SQL  string
	Args []any
}

// Merged are the records of several parts with the same columns, each in the order of its index, and no more of each
// than is wanted.
func Merged(parts ...Part) (from string, args []any) {
	for n, part := range parts {
		if n > 0 {
			from += " UNION ALL "
		}
		from += "(" + part.SQL + "@beside ORDER BY merchant_id @direction, id @direction LIMIT @most)"
		args = append(append(args, part.Args...), fromHere{})
	}
	return "(" + from + ")", args
}

// IDsFirst are the records of a table that a condition finds, which stand beside their ids in w: an index that holds
// the ids leads there, and no more records are read than are wanted. The index begins with the column by, whose value
// comes first.
func IDsFirst(table, alias, by, where string, merchantID uuid.UUID, args ...any) (from string, all []any) {
	return "(SELECT id FROM " + table + " WHERE " + database.Bound(by) + where + "@beside ORDER BY " + by +
			" @direction, id @direction LIMIT @most) AS w CROSS JOIN LATERAL (SELECT * FROM " + table +
			" WHERE id = w.id AND merchant_id = ? OFFSET 0) AS " + alias,
		slices.Concat(args, []any{fromHere{}, merchantID})
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

package listing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// Count counts the records of a walk, up to most.
func (w *Walk) Count(ctx context.Context, db *database.DB, most int64) (n int64, err error) {
	query, args := w.rows("1", paging.Ask{}, int(most)), w.Values(paging.Ask{})
	if w.Fits != "" { // as many of its source are looked at
		query = "SELECT 1 FROM (" + w.rows("*", paging.Ask{}, int(most)) + ") AS " + cmp.Or(w.Alias, "walked") +
			" WHERE " + w.Fits
		args = append(args, w.FitArgs...)
	}
	err = w.on(ctx, db).Raw("SELECT count(*) FROM ("+query+") AS counted", args...).Find(&n).Error
	return n, err
}

// CountTo counts the records of a walk by state, its one column, up to most.
func CountTo[S ~string](ctx context.Context, db *database.DB, w *Walk, most int64) (map[S]int64, error) {
	return database.CountByState[S](ctx, db, "SELECT state, count(*) AS n FROM ("+
		w.rows(w.Columns, paging.Ask{}, int(most))+") AS part GROUP BY state", w.Values(paging.Ask{})...)
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

// Sums is Count with what a column of the records comes to. Whether there are too many is asked first: each of them is
// looked at only where that tells something.
func Sums[S ~string](ctx context.Context, db *database.DB, w *Walk, cents string) (map[S]Sum, error) {
	const summed = "%s AS n, count(*) AS seen, least(coalesce(%s, 0), 9223372036854775807)::bigint AS cents"
	of, most := paging.Ask{}, w.reach()
	looked, args := w.rows(w.Columns, of, most)+") AS "+cmp.Or(w.Alias, "walked"), w.Values(of)
	query := "SELECT state, " + fmt.Sprintf(summed, "count(*)", "sum("+cents+")") + " FROM (" + looked + " GROUP BY state"
	if w.Fits != "" {
		query = fmt.Sprintf(`WITH there AS MATERIALIZED (SELECT count(*) AS n FROM (%[1]s) AS few)
			SELECT state, %[2]s FROM (SELECT state, %[3]s AS cents, (%[4]s) IS TRUE AS hit FROM (%[5]s OFFSET 0) AS part
				WHERE (SELECT n FROM there) < %[6]d GROUP BY state
			UNION ALL SELECT '', 0, n, 0 FROM there WHERE n >= %[6]d`, w.alone().rows("1", of, most),
			fmt.Sprintf(summed, "count(*) FILTER (WHERE hit)", "sum(cents) FILTER (WHERE hit)"), cents, w.Fits, looked, most)
		args = slices.Concat(args, w.FitArgs, args)
	}
	var state string
	var sum Sum
	sums, seen, all := map[S]Sum{}, int64(0), int64(0)
	err := db.Each(ctx, []any{&state, &sum.N, &seen, &sum.Cents}, func() error {
		if all += seen; sum.N > 0 {
			sums[S(state)] = sum
		}
		return nil
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("count: %w", err)
	}
	if all >= int64(w.reach()) {
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

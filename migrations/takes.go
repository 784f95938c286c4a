package migrations

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Takes is how long a step takes in this database, by the rows that its tables have. A step that says nothing in its
// file takes less than a second whatever there is.
type Takes struct {
	Time  time.Duration // in whole seconds, rounded up
	Waits []string      // the tables to which nothing is written meanwhile
}

// Sentence is what an operator reads; "" where it takes no time to speak of.
func (t Takes) Sentence() string {
	if t.Time == 0 {
		return ""
	}
	said := "about a second"
	switch {
	case t.Time >= 2*time.Minute:
		said = fmt.Sprintf("about %d minutes", t.Time.Round(time.Minute)/time.Minute)
	case t.Time > time.Second:
		said = fmt.Sprintf("about %d seconds", t.Time/time.Second)
	}
	if len(t.Waits) > 0 {
		said += "; writes to " + strings.Join(t.Waits, " and ") + " wait"
	}
	return said
}

// Plus is how long both take, one after the other.
func (t Takes) Plus(other Takes) Takes {
	t.Time += other.Time
	for _, w := range other.Waits {
		if !slices.Contains(t.Waits, w) {
			t.Waits = append(slices.Clip(t.Waits), w)
		}
	}
	return t
}

// said is how a file tells how long its step takes: measured on two slow cores, rounded up.
var said = regexp.MustCompile(
	`(?m)^-- Takes (\d+) s for each million rows of (\w+); (writes to them wait|nothing waits)\.$`)

// share is one sentence of a file.
type share struct {
	table      string
	perMillion time.Duration
	waits      bool
}

// sharesOf are what the file of a step says.
func sharesOf(files fs.FS, name string) (out []share, err error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	for _, m := range said.FindAllStringSubmatch(string(text), -1) {
		seconds, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, share{m[2], time.Duration(seconds) * time.Second, strings.HasPrefix(m[3], "writes")})
	}
	return out, nil
}

// foretell tells how long each missing step takes. A table that is not there yet has no rows.
func foretell(ctx context.Context, pool *pgxpool.Pool, steps []Migration) error {
	for i := range steps {
		if steps[i].Applied {
			continue
		}
		shares, err := sharesOf(Files, steps[i].Name)
		if err != nil {
			return err
		}
		for _, s := range shares {
			var rows float64
			if err := pool.QueryRow(ctx, `SELECT coalesce(sum(greatest(c.reltuples, s.n_live_tup)), 0)::float8
				FROM pg_class c LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
				WHERE c.oid = to_regclass($1) OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass($1))`,
				s.table).Scan(&rows); err != nil {
				return fmt.Errorf("rows of %s: %w", s.table, err)
			}
			steps[i].Takes = steps[i].Takes.Plus(s.of(rows))
		}
	}
	return nil
}

// of is how long so many rows take. Less than half a second is none.
func (s share) of(rows float64) (t Takes) {
	took := time.Duration(rows / 1e6 * float64(s.perMillion))
	if took < time.Second/2 {
		return t
	}
	t.Time = (took + time.Second - 1).Truncate(time.Second)
	if s.waits {
		t.Waits = []string{s.table}
	}
	return t
}

// Missing is how long the missing steps take together.
func Missing(steps []Migration) (all Takes) {
	for _, s := range steps {
		all = all.Plus(s.Takes)
	}
	return all
}

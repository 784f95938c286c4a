package plans

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/plural"
)

// Limits say what a plan may do.
type Limits struct {
	Grows []string // tables that grow with a merchant
	Rows  int64    // read of one table, or sorted
	// NoSeqScan has the planner use an index wherever there is one, so that a scan that is left means that there is
	// none: of tables that are small, it would read the whole otherwise.
	NoSeqScan bool
	// NoSort has the planner take an index that has an order wherever there is one: of tables that are small, it would
	// sort all that is there otherwise.
	NoSort bool
	// Of is the merchant whose statements they are, and As another, in whose name they are asked instead: by the plan
	// that PostgreSQL makes for all merchants. Blocks is how many a statement may read then.
	Of, As uuid.UUID
	Blocks int64
}

// Plan is what became of a statement.
type Plan struct {
	Statement
	Took     time.Duration
	Offences []string
	Read     int64  // the most rows that one part of the plan read of a table that grows
	Text     string // the plan, for a person

	beyond bool
}

// Bounded tells whether the statement reads and sorts no more than it says itself that it looks at, by a LIMIT: that
// does not grow.
func (p Plan) Bounded() bool { return !p.beyond }

var limited = regexp.MustCompile(`LIMIT (\d+)|OFFSET (\d+)`)

// limit is the largest that stands in the statement.
func (p *Plan) limit() (most int64) {
	for _, found := range limited.FindAllStringSubmatch(p.SQL, -1) {
		if n, err := strconv.ParseInt(found[1]+found[2], 10, 64); err == nil {
			most = max(most, n+1)
		}
	}
	return most
}

// node is a part of a plan as PostgreSQL tells it.
type node struct {
	Kind     string  `json:"Node Type"`
	Table    string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Expected float64 `json:"Plan Rows"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Lossy    float64 `json:"Rows Removed by Index Recheck"`
	Joined   float64 `json:"Rows Removed by Join Filter"`
	Hit      int64   `json:"Shared Hit Blocks"`
	Fetched  int64   `json:"Shared Read Blocks"`
	Parts    []node  `json:"Plans"`
}

var (
	explainable = regexp.MustCompile(`(?is)^[\s(]*(select|with|update|insert|delete)\b`)
	writes      = regexp.MustCompile(`(?i)\b(insert\s+into|update\s+\w+\s+(as\s+\w+\s+)?set|delete\s+from)\b`)
)

// Explain runs each statement once in a transaction that is rolled back, and tells which do what they may not.
func Explain(ctx context.Context, dsn string, statements []Statement, limits Limits) ([]Plan, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var out []Plan
	for _, s := range statements {
		if !explainable.MatchString(s.SQL) {
			continue
		}
		p, err := explain(ctx, conn, s, limits)
		if err != nil {
			p.Statement, p.Took = s, time.Minute
			p.offend("is not explained: %v", err)
		}
		out = append(out, p)
	}
	return out, nil
}

func explain(ctx context.Context, conn *pgx.Conn, s Statement, limits Limits) (p Plan, err error) {
	p.Statement = s
	begin := "BEGIN; SET LOCAL timezone = 'UTC'; SET LOCAL plan_cache_mode = auto; " + // as where people work
		"SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '30s'"
	if limits.As != uuid.Nil {
		begin += "; SET LOCAL plan_cache_mode = force_generic_plan"
	}
	if limits.NoSort || s.noSort {
		begin += "; SET LOCAL enable_sort = off"
	}
	if limits.NoSeqScan {
		begin += "; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
	}
	if _, err := conn.PgConn().Exec(ctx, begin).ReadAll(); err != nil {
		return p, err
	}
	defer func() {
		if _, e := conn.PgConn().Exec(ctx, "ROLLBACK").ReadAll(); err == nil {
			err = e
		}
	}()
	how := "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "
	// What a statement writes is there already: its plan is looked at, and how many rows are expected.
	if writes.MatchString(s.SQL) {
		how = "EXPLAIN (FORMAT JSON) "
	}
	var told []byte
	if limits.As != uuid.Nil {
		told, err = asAnother(ctx, conn.PgConn(), how, s, limits)
	} else {
		told, err = first(conn.PgConn().ExecParams(ctx, how+s.SQL, s.values, s.types, s.formats, nil).Read())
	}
	if err != nil {
		return p, err
	}
	var read []struct {
		Plan node
		Took float64 `json:"Execution Time"`
	}
	if err := json.Unmarshal(told, &read); err != nil {
		return p, err
	}
	if blocks := read[0].Plan.Hit + read[0].Plan.Fetched; limits.Blocks > 0 && blocks > limits.Blocks {
		p.offend("reads %s", plural.Of(blocks, "block"))
	}
	p.Took = time.Duration(read[0].Took * float64(time.Millisecond))
	p.look(read[0].Plan, limits, writes.MatchString(s.SQL), math.Inf(1))
	p.Text = outline(read[0].Plan, 0)
	return p, nil
}

// look collects what a part of a plan and its parts do that they may not. What is only expected of a part is expected
// of its scan to the end: no more of it is wanted than atMost.
func (p *Plan) look(n node, limits Limits, expected bool, atMost float64) {
	if expected {
		n.Rows, n.Loops = min(n.Expected, atMost), 1
		if n.Kind == "Limit" {
			atMost = n.Rows
		}
	}
	loops := max(n.Loops, 1)
	read := int64((n.Rows + n.Filtered + n.Lossy) * loops)
	grows := slices.Contains(limits.Grows, n.Table)
	if grows && n.Loops > 0 && strings.HasSuffix(n.Kind, "Scan") {
		p.Read = max(p.Read, read)
	}
	switch {
	case n.Kind == "Seq Scan" && grows && n.Loops > 0 && (limits.NoSeqScan || read > limits.Rows):
		p.beyond = true
		p.offend("scans the whole of %s (%d rows)", n.Table, read)
	case grows && strings.HasSuffix(n.Kind, "Scan") && read > limits.Rows:
		p.beyond = p.beyond || read > p.limit()
		p.offend("reads %s of %s by %s", plural.Of(read, "row"), n.Table, n.Index)
	case strings.HasSuffix(n.Kind, "Sort"):
		for _, part := range n.Parts {
			rows := part.Rows
			if expected {
				rows = min(part.Expected, atMost)
			}
			if sorted := int64(rows * max(part.Loops, 1)); sorted > limits.Rows {
				p.beyond = p.beyond || sorted > p.limit()
				p.offend("sorts %s", plural.Of(sorted, "row"))
			}
		}
	}
	for _, part := range n.Parts {
		if part.Table == "" && strings.HasPrefix(n.Kind, "Bitmap") { // an index of the table above it
			part.Table = n.Table
		}
		p.look(part, limits, expected, atMost)
	}
}

func (p *Plan) offend(format string, args ...any) {
	p.Offences = append(p.Offences, fmt.Sprintf(format, args...))
}

func outline(n node, depth int) string {
	text := fmt.Sprintf("%s%s %s %s rows=%.0f loops=%.0f removed=%.0f\n", strings.Repeat("  ", depth), n.Kind, n.Table,
		n.Index, n.Rows, n.Loops, n.Filtered+n.Lossy+n.Joined)
	for _, part := range n.Parts {
		text += outline(part, depth+1)
	}
	return text
}

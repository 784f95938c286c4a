package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/report"
)

// Arrears are read from an index that holds what may be in arrears and nothing else. If a status is added in Go that
// the index does not have, PostgreSQL cannot use it, and each look at the report would read every purchase.
func TestArrearsAreReadFromTheirIndex(t *testing.T) {
	t.Parallel()
	s, who, _ := openAt(t, time.Date(2026, 6, 2, 9, 0, 0, 0, time.UTC))
	query, args := s.Statement(report.LateQuery(), who.MerchantID, uuid.New(), s.Now())
	tx, err := s.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	for _, setting := range []string{"enable_seqscan", "enable_bitmapscan"} { // the table is empty
		if _, err := tx.Exec(t.Context(), "SET LOCAL "+setting+" = off"); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := tx.Query(t.Context(), "EXPLAIN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(lines, "\n")
	if !strings.Contains(plan, "Index Only Scan using purchases_in_arrears") {
		t.Errorf("arrears are read in another way:\n%s", plan)
	}
}

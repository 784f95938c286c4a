package prove

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A history is played in a database of its own, however the address names the one that the operator uses.
func TestNoAddressLeadsToTheDatabaseOfTheOperator(t *testing.T) {
	const ours = "debitdesk_prove_1"
	for _, dsn := range []string{"postgres://me:secret@host/live?sslmode=disable", "postgres:///?host=/tmp&dbname=live",
		"postgresql://host/postgres?database=live&dbname=live", "postgres://host/li%2Fve"} {
		got, err := (&bases{dsn: dsn}).address(ours)
		if err != nil {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		c, err := pgx.ParseConfig(got)
		if err != nil || c.Database != ours {
			t.Errorf("%s became %s, which leads to %v, %v", dsn, got, c, err)
		}
	}
	if got, err := (&bases{dsn: "host=host dbname=live password=secret"}).address(ours); err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("an address that is no URL became %q, %v", got, err)
	}
}

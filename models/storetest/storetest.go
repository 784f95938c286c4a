// Package storetest is what tests of the rows of concepts and of all above them share: a database whose connections and
// figures are looked after, and the product's clock. Nothing outside tests imports it.
package storetest

import (
	"context"
	"testing"

	"debitdesk/models/database/dbtest"
	"debitdesk/models/storetest/held"
	"debitdesk/models/storetest/thorough"
	"debitdesk/models/user"
)

// DSN gives one test its own database, migrated and without rows, as a
// postgres:// URL. It is dropped when the test ends. A test fails that takes a second
// connection to it while it holds one.
func DSN(tb testing.TB) string {
	tb.Helper()
	return guarded(tb, func() string { return dbtest.Migrated(tb) })
}

// Filled is DSN with the rows that fill makes: once for each name in this process, and copied for each test. fill must
// close its connections before it returns.
func Filled(tb testing.TB, name string, fill func(ctx context.Context, dsn string) error) string {
	tb.Helper()
	return guarded(tb, func() string {
		return dbtest.Filled(tb, name, fill)
	})
}

// figuresOneIn is how many tests share one that ends with a look at the figures, which costs the server as much as a
// short test does.
const figuresOneIn = 10

func guarded(tb testing.TB, open func() string) string {
	tb.Helper()
	held.Refuse()
	user.HashCheaply()
	dsn := open()
	if thorough.OneIn(figuresOneIn, tb.Name()) {
		fold := thorough.OneIn(2, tb.Name()+", folded")
		tb.Cleanup(func() { figuresAgree(tb, dsn, fold) })
	}
	tb.Cleanup(func() {
		for _, where := range held.Refused(dbtest.Database(dsn)) {
			tb.Errorf("a second connection was asked for while one is held:\n%s", where)
		}
	})
	return dsn
}

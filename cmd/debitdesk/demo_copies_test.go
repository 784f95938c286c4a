package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"debitdesk/models/keyfile"
	"debitdesk/models/storetest"
)

// demoOn is an environment with a demo of its own, of so many clients. The months of a demo are lived once in a run for
// each number of clients; a test gets a copy of the database and of the keys that open it.
func demoOn(t *testing.T, clients int) map[string]string {
	t.Helper()
	keys := filepath.Join(scratch, fmt.Sprint("demo-", clients))
	dsn := storetest.Filled(t, fmt.Sprint("demo ", clients),
		func(ctx context.Context, dsn string) error {
			if err := os.MkdirAll(keys, 0o700); err != nil {
				return err
			}
			env := map[string]string{"DATABASE_URL": dsn, "DEBITDESK_DATA": keys}
			if got := typed(t, env, "", "demo", "--clients", fmt.Sprint(clients)); got.code != exitOK {
				return errors.New(got.err)
			}
			return ctx.Err()
		})
	data := t.TempDir()
	key, err := os.ReadFile(filepath.Join(keys, keyfile.Name))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(data, keyfile.Name), key, 0o600))
	return map[string]string{"DATABASE_URL": dsn, "DEBITDESK_DATA": data}
}

// openDemo is openSite with a demo of so many clients.
func openDemo(t *testing.T, clients int) *site {
	return openSiteOn(t, demoOn(t, clients), func(*App) {})
}

package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/cmd/app"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/keyfile"
	"debitdesk/models/storetest/multiply"
	"debitdesk/models/upkeep"
)

// multiplied fills a database that holds the demo with so many times its rows. The keys of its data folder seal them.
func multiplied(ctx context.Context, dsn, folder string, times, neighbour int) error {
	keys, err := keyfile.Load(filepath.Join(folder, keyfile.Name))
	if err != nil {
		return err
	}
	box, err := keys.Box()
	if err != nil {
		return err
	}
	s, err := database.Open(ctx, dsn, database.Options{Seal: box})
	if err != nil {
		return err
	}
	defer s.Close()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	o := multiply.Options{Times: times, Neighbour: neighbour, Box: box, Sealed: upkeep.SealedColumns()}
	began := time.Now()
	o.Tell = func(what string) {
		fmt.Fprintf(os.Stderr, "%5.0f s  %s\n", time.Since(began).Seconds(), what)
	}
	if err := conn.QueryRow(ctx, `SELECT id FROM merchants WHERE is_demo`).Scan(&o.Merchant); err != nil {
		return err
	}
	if err := conn.Close(ctx); err != nil {
		return err
	}
	if err := multiply.Fill(ctx, dsn, o); err != nil {
		return err
	}
	o.Tell("links of the audit")
	if err := linked(ctx, s, keys.Signing); err != nil {
		return err
	}
	o.Tell("filled")
	return nil
}

// linked links the entries of the audit as the product does. An index helps for as long as millions wait at once.
func linked(ctx context.Context, s *database.DB, keys []credential.Key) error {
	if _, err := s.Pool.Exec(ctx, "CREATE INDEX waiting_for_links ON audit_entries (turn, id)"); err != nil {
		return err
	}
	if err := app.AuditService(s, keys, "", slog.New(slog.DiscardHandler)).Link(ctx); err != nil {
		return err
	}
	for _, q := range []string{"DROP INDEX waiting_for_links", "VACUUM (ANALYZE) audit_links",
		"VACUUM (ANALYZE) audit_tiles",
		"VACUUM (ANALYZE) audit_progress"} {
		if _, err := s.Pool.Exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/demo"
	"debitdesk/models/storetest/multiply"
	"debitdesk/models/storetest/plans"
)

const (
	demoAdmin = "admin@kloofstreet.example"
	// mostRead is how many rows of one table a statement of a page may read: a page of them and what stands beside it.
	mostRead = 1000
	// sampled is for how many pages a statement is explained, since its values differ.
	sampled = 3
	// readOfNobody is how many rows of one table, and blocks, a statement may read for a merchant that has no records.
	readOfNobody = 300
	settled      = 15 * time.Second // in which a server that was just started asks what it asks without anybody
)

// statementsOf opens pages of a database's own server and explains what each asks, and what the server asks by itself.
// As a merchant that is named, they are explained by the plan that serves all.
func statementsOf(ctx context.Context, dsn, folder string, pages []walk.Address,
	as uuid.UUID) (found []plans.Plan, err error) {
	tables, err := multiply.Growing(ctx, dsn)
	if err != nil {
		return nil, err
	}
	l, err := plans.Listen(dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }()
	env := demoEnv(folder, l.DSN())
	l.Doing("nobody")
	working := &server{}
	if err := working.serve(env); err != nil {
		return nil, err
	}
	time.Sleep(settled)
	working.leave()
	l.Doing("")
	s := &server{}
	if err := s.serve(env, "--no-workers"); err != nil {
		return nil, err
	}
	defer s.leave()
	client, err := walk.SignIn(s.base, demoAdmin, demo.Password)
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		l.Doing(p.Path)
		res, err := client.Get(s.base + p.Path)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	l.Doing("")
	limits := plans.Limits{Grows: tables, Rows: mostRead}
	if as != uuid.Nil {
		limits.As, limits.Rows, limits.Blocks = as, readOfNobody, readOfNobody
		if limits.Of, err = demoMerchant(ctx, dsn); err != nil {
			return nil, err
		}
	}
	for _, st := range some(l.Statements()) {
		some, err := plans.Explain(ctx, dsn, []plans.Statement{st}, limits)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	slices.SortFunc(found, func(a, b plans.Plan) int { return int(b.Took - a.Took) })
	return found, nil
}

// onlyExplain prints the offenders of a database that holds the demo, one page of each kind and one value of each
// filter.
func onlyExplain(ctx context.Context, dsn, folder string, nobody bool) error {
	s := &server{}
	if err := s.serve(demoEnv(folder, dsn), "--no-workers"); err != nil {
		return err
	}
	client, err := walk.SignIn(s.base, demoAdmin, demo.Password)
	if err != nil {
		return err
	}
	w := walk.Walk{Base: s.base, Client: client, Same: 1, Values: 1, Start: append(seeds, walk.Found...)}
	pages, err := w.Pages()
	s.leave()
	if err != nil {
		return err
	}
	var as uuid.UUID
	if nobody {
		as = uuid.New()
	}
	found, err := statementsOf(ctx, dsn, folder, pages, as)
	if err != nil {
		return err
	}
	statements, offending, beyond := tell(os.Stdout, found)
	fmt.Printf("%d statements, %d of them read or sort more than %d rows, %d of these more than a LIMIT of theirs says, "+
		"or scan a table that grows\n", statements, offending, mostRead, beyond)
	return nil
}

// demoMerchant is the merchant of the demo.
func demoMerchant(ctx context.Context, dsn string) (id uuid.UUID, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return id, err
	}
	defer func() { _ = conn.Close(ctx) }()
	return id, conn.QueryRow(ctx, `SELECT id FROM merchants WHERE is_demo`).Scan(&id)
}

// some keeps each statement for some of the pages that ask it.
func some(all []plans.Statement) (out []plans.Statement) {
	seen := map[string]int{}
	for _, s := range all {
		if s.For == "nobody" {
			seen[s.SQL] = sampled
			out = append(out, s)
		}
	}
	for _, s := range all {
		if seen[s.SQL]++; seen[s.SQL] <= sampled {
			out = append(out, s)
		}
	}
	return out
}

// tell prints the offenders, the slowest first, each statement once. Those beyond are marked: no LIMIT of theirs bounds
// what they read.
func tell(to io.Writer, found []plans.Plan) (statements, offending, beyond int) {
	shown := map[string]bool{}
	for _, p := range found {
		if shown[p.SQL] {
			continue
		}
		statements++
		if len(p.Offences) == 0 {
			continue
		}
		shown[p.SQL] = true
		offending++
		mark := ""
		if !p.Bounded() {
			beyond++
			mark = "BEYOND "
		}
		fmt.Fprintf(to, "%8.1f ms  %s\n    %s%s\n    %s\n\n", milliseconds(p.Took), p.For, mark,
			strings.Join(p.Offences, "; "), strings.Join(strings.Fields(p.SQL), " "))
	}
	return statements, offending, beyond
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// demoEnv is the environment of a server on a database that holds the demo.
func demoEnv(folder, dsn string) []string {
	return append(os.Environ(), "DEBITDESK_DATA="+folder, "DEBITDESK_LISTEN=127.0.0.1:0", "DEBITDESK_LOG=error",
		"DEBITDESK_RATE_LIMIT=0", "DATABASE_URL="+dsn)
}

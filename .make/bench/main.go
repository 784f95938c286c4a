// Command bench measures the product beside what its database can do: the built
// binary on its own private PostgreSQL with fsync on, pgbench against the same
// server, all in one run. It prints a table of ratios; only those hold from one
// machine to another. BENCH names: purchase, charge, page, memory, closing, panels, billing, batch, book, hooks,
// requestlog, exchange, monthend, pages.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"
)

func main() {
	pick := flag.String("run", ".", "measure what matches this expression")
	seconds := flag.Int("seconds", 8, "length of one measurement")
	rows := flag.Int("rows", 1_000_000, "purchases of the large list")
	var many manyRows
	flag.StringVar(&many.keep, "keep", "", "the folder with the multiplied demo, which stays for another run")
	flag.IntVar(&many.times, "times", 4000, "how many times the rows of the demo")
	flag.IntVar(&many.neighbour, "neighbour", 1000, "how many times at a second merchant")
	fill := flag.String("fill", "", "only multiply the demo in the database that this connection string names")
	explain := flag.String("explain", "", "only explain what pages ask of the database that this connection string names")
	nobody := flag.Bool("nobody", false,
		"with -explain: in the name of a merchant without records, by the plan that serves all")
	data := flag.String("data", "data", "with -fill and -explain: the data folder with its keys")
	flag.Parse()
	if *explain != "" {
		if err := onlyExplain(context.Background(), *explain, *data, *nobody); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if *fill != "" {
		if err := multiplied(context.Background(), *fill, *data, many.times, many.neighbour); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(context.Background(), regexp.MustCompile(*pick), time.Duration(*seconds)*time.Second,
		*rows, many); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	connections = 16
	everyPage   = "pages"
)

func run(ctx context.Context, pick *regexp.Regexp, length time.Duration, rows int, many manyRows) error {
	var s *server
	defer func() {
		if s != nil {
			s.stop()
		}
	}()
	var table []line
	for _, m := range []struct {
		name    string
		measure func(context.Context, *server, time.Duration, int) ([]line, error)
	}{{"purchase", purchases}, {"charge", charges}, {"page", pages}, {"memory", memory}, {"closing", closing},
		{"panels", panels},
		{"billing", bills}, {"batch", batches}, {"book", books}, {"hooks", hooks}, {"requestlog", requestLog},
		{"exchange", exchanges}, {"monthend", monthEnd}, {everyPage, many.everyPage}} {
		if !pick.MatchString(m.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring", m.name, "…")
		if s == nil && m.name != everyPage { // which has servers of its own
			var err error
			if s, err = start(ctx); err != nil {
				return err
			}
		}
		lines, err := m.measure(ctx, s, length, rows)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, l := range lines {
			fmt.Fprintln(os.Stderr, l.what, l.measured, l.against, l.ratio)
		}
		table = append(table, lines...)
	}
	fmt.Println("| What | Measured | Against | Ratio | Aim |")
	fmt.Println("|---|---|---|---|---|")
	for _, l := range table {
		fmt.Printf("| %s | %s | %s | %s | %s |\n", l.what, l.measured, l.against, l.ratio, l.aim)
	}
	return nil
}

// line is one row of the table, in finished words.
type line struct{ what, measured, against, ratio, aim string }

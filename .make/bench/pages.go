package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/demo"
)

const (
	opens       = 5   // of each page, on both, in turn
	mostSlower  = 3.0 // times the demo alone
	pageAim     = 15 * time.Millisecond
	searchAim   = 25 * time.Millisecond // and reports
	auditAim    = 50 * time.Millisecond // search of the audit
	worstShown  = 10
	restMemory  = 100 // MB
	worstMemory = 200
	readers     = 8 // people who open pages at once when the memory is looked at
)

// apiLists are what programs read; they have no links to follow.
var apiLists = []string{"/api/v1/clients/", "/api/v1/clients/?q=nkosi", "/api/v1/purchases/",
	"/api/v1/purchases/?status=paid",
	"/api/v1/purchases/?q=nkosi", "/api/v1/purchases/counts/", "/api/v1/account/json/balance/",
	"/api/v1/account/json/turnover/",
	"/api/v1/billing_templates/", "/api/v1/company_statements/", "/api/v1/webhooks/", "/api/v1/webhooks/deliveries/"}

// seeds are pages that nothing of the dashboard's own pages links to.
var seeds = []string{"/sandbox/desk", "/sandbox/phone", "/sandbox/mail", "/bank", "/approvals", "/developers/events",
	"/developers/requests", "/audit", "/reports"}

// opened is a page on both databases.
type opened struct {
	walk.Address
	alone, multiplied time.Duration
}

func (o opened) aim() time.Duration {
	path, query, _ := strings.Cut(o.Path, "?")
	searches := strings.Contains("&"+query, "&q=") || strings.Contains(query, "_q=")
	switch {
	case path == "/audit" && searches:
		return auditAim
	case searches || path == "/reports" || strings.HasPrefix(path, "/api/v1/account/"):
		return searchAim
	}
	return pageAim
}

func (o opened) ratio() float64 { return o.multiplied.Seconds() / max(o.alone.Seconds(), 1e-6) }

func (o opened) missed() bool { return o.multiplied > o.aim() || o.ratio() > mostSlower }

// everyPage opens every page of the demo alone and of the multiplied demo, in turn.
func (many manyRows) everyPage(ctx context.Context, _ *server, _ time.Duration, _ int) ([]line, error) {
	d, err := openDesk(ctx, many)
	if d != nil {
		defer d.close()
	}
	if err != nil {
		return nil, err
	}
	alone, err := walk.SignIn(d.alone.base, demoAdmin, demo.Password)
	if err != nil {
		return nil, err
	}
	multiplied, err := walk.SignIn(d.multiplied.base, demoAdmin, demo.Password)
	if err != nil {
		return nil, err
	}
	w := walk.Walk{Base: d.alone.base, Client: alone, Start: append(seeds, walk.Found...)}
	addresses, err := w.Pages()
	if err != nil {
		return nil, err
	}
	for _, path := range apiLists {
		addresses = append(addresses, walk.Address{Path: path, Kind: path})
	}
	time.Sleep(settled)
	rest, err := d.multiplied.resident()
	if err != nil {
		return nil, err
	}
	all, err := d.inTurn(alone, multiplied, addresses)
	if err != nil {
		return nil, err
	}
	lines := append(issueTable(all), worst(all)...)
	typed, err := d.palette(alone, multiplied)
	if err != nil {
		return nil, err
	}
	lines = append(lines, typed...)
	export, err := d.export(multiplied)
	if err != nil {
		return nil, err
	}
	if err := d.crowd(multiplied, addresses); err != nil {
		return nil, err
	}
	peak, err := d.multiplied.peak()
	if err != nil {
		return nil, err
	}
	lines = append(lines, export,
		line{"(k) memory of the server at rest", megabytes(rest), "", "", fmt.Sprintf("under %d MB", restMemory)},
		line{fmt.Sprintf("(k) its peak while %d people open pages and one exports", readers),
			fmt.Sprintf("%.0f MB", float64(peak)/1024), "", "", fmt.Sprintf("under %d MB", worstMemory)})
	asked, err := d.plans(ctx, addresses)
	return append(lines, asked), err
}

// inTurn opens each page several times on both, one after the other, and takes the medians.
func (d *desk) inTurn(alone, multiplied *http.Client, addresses []walk.Address) ([]opened, error) {
	var all []opened
	for _, a := range addresses {
		var one, many []time.Duration
		for n := range opens {
			x, err := d.openOne(alone, d.alone.base+a.Path)
			if err != nil {
				return nil, err
			}
			y, err := d.openOne(multiplied, d.multiplied.base+a.Path)
			if err != nil {
				return nil, err
			}
			if one, many = append(one, x), append(many, y); n == 1 && y > time.Second { // once more says nothing new
				break
			}
		}
		slices.Sort(one)
		slices.Sort(many)
		all = append(all, opened{a, one[len(one)/2], many[len(many)/2]})
	}
	return all, nil
}

func (d *desk) openOne(client *http.Client, address string) (time.Duration, error) {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	if strings.Contains(address, "/api/v1/") {
		client = http.DefaultClient
		r.Header.Set("Authorization", "Bearer "+d.cast.Token)
	}
	began := time.Now()
	res, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0, err
	}
	if res.StatusCode >= http.StatusInternalServerError {
		return 0, fmt.Errorf("%s: %s", address, res.Status)
	}
	return time.Since(began), nil
}

// issueTable are the pages that the aims name; of several, the slowest counts.
func issueTable(all []opened) (lines []line) {
	for _, one := range []struct{ what, pages string }{
		{"home", `^/$`}, {"needs attention", `^/attention$`}, {"the badge alone", `^/account$`},
		{"clients", `^/clients$`}, {"tokens", `^/tokens$`}, {"mandates", `^/mandates$`}, {"purchases", `^/purchases$`},
		{"invoices", `^/invoices$`}, {"subscribers", `^/templates/[^/]+$`}, {"audit", `^/audit$`},
		{"events", `^/developers/events$`},
		{"requests", `^/developers/requests$`}, {"a client", `^/clients/[^/]+$`},
		{"a purchase", `^/purchases/[0-9a-f-]{36}$`},
		{"search of the audit", `^/audit\?.*q=`}, {"search of tokens", `^/tokens\?q=`},
		{"search of invoices", `^/invoices\?q=`},
		{"search of clients", `^/clients\?q=`}, {"search of purchases", `^/purchases\?q=`},
		{"reports", `^/reports`}, {"balance", `/balance`}, {"turnover", `/turnover`},
	} {
		var found *opened
		for i := range all {
			if regexp.MustCompile(one.pages).MatchString(all[i].Path) && (found == nil || all[i].multiplied > found.multiplied) {
				found = &all[i]
			}
		}
		if found != nil {
			lines = append(lines, found.line("(k) "+one.what))
		}
	}
	least := slices.MinFunc(all, func(a, b opened) int { return int(a.multiplied - b.multiplied) })
	missed := 0
	for _, o := range all {
		if o.missed() {
			missed++
		}
	}
	return append([]line{least.line("(k) any page, the least")}, append(lines,
		line{fmt.Sprintf("(k) of %d pages, those that miss the aim", len(all)), fmt.Sprint(missed), "", "", "0"})...)
}

// worst are the pages that miss their aim by most.
func worst(all []opened) (lines []line) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b opened) int {
		return int(1000 * (b.multiplied.Seconds()/b.aim().Seconds() - a.multiplied.Seconds()/a.aim().Seconds()))
	})
	for n, o := range all {
		fmt.Fprintf(os.Stderr, "%8.1f ms %8.1f ms  %5.1f  %s\n", milliseconds(o.multiplied),
			milliseconds(o.alone), o.ratio(), o.Path)
		if n < worstShown {
			lines = append(lines, o.line(fmt.Sprintf("(k) worst %d: %s", n+1, o.Path)))
		}
	}
	return lines
}

func (o opened) line(what string) line {
	return line{what, fmt.Sprintf("%.1f ms", milliseconds(o.multiplied)),
		fmt.Sprintf("alone: %.1f ms", milliseconds(o.alone)),
		fmt.Sprintf("%.1f", o.ratio()), fmt.Sprintf("at most %.0f, under %.0f ms", mostSlower, milliseconds(o.aim()))}
}

// export reads the client export to its end: when its first byte comes, and how many rows a second.
func (d *desk) export(client *http.Client) (line, error) {
	began := time.Now()
	patient := *client
	patient.Timeout = 0
	res, err := patient.Get(d.multiplied.base + "/clients/export?format=csv")
	if err != nil {
		return line{}, err
	}
	defer func() { _ = res.Body.Close() }()
	body := bufio.NewReader(res.Body)
	if _, err := body.Peek(1); err != nil {
		return line{}, err
	}
	first := time.Since(began)
	rows := 0
	buf := make([]byte, 1<<16)
	for {
		n, err := body.Read(buf)
		rows += bytes.Count(buf[:n], []byte{'\n'})
		if err == io.EOF {
			break
		}
		if err != nil {
			return line{}, err
		}
	}
	return line{fmt.Sprintf("(k) export of %d clients", rows-1),
		fmt.Sprintf("%.0f rows/s", float64(rows)/time.Since(began).Seconds()),
		fmt.Sprintf("first byte after %.0f ms", milliseconds(first)), "", "100 000 rows/s, first byte under 200 ms"}, nil
}

// crowd opens all pages by several people at once while one exports.
func (d *desk) crowd(client *http.Client, addresses []walk.Address) error {
	var wg sync.WaitGroup
	errs := make(chan error, readers+1)
	wg.Go(func() {
		if _, err := d.export(client); err != nil {
			errs <- err
		}
	})
	for n := range readers {
		wg.Go(func() {
			for i := n; i < len(addresses); i += readers {
				if _, err := d.openOne(client, d.multiplied.base+addresses[i].Path); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// plans explains what the pages ask.
func (d *desk) plans(ctx context.Context, addresses []walk.Address) (line, error) {
	d.multiplied.leave()
	d.multiplied = nil
	pages := slices.DeleteFunc(slices.Clone(addresses),
		func(a walk.Address) bool { return strings.HasPrefix(a.Path, "/api/") })
	found, err := statementsOf(ctx, d.db.DSN(multipliedDatabase), d.second(), pages, uuid.Nil)
	if err != nil {
		return line{}, err
	}
	statements, offending, beyond := tell(os.Stderr, found)
	return line{"(k) statements that scan a table that grows, or read or sort more than they say by a LIMIT",
		fmt.Sprint(beyond), fmt.Sprintf("of %d; %d more than a page", statements, offending), "", "0"}, nil
}

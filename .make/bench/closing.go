package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	closings     = 100 // pages that are opened by a caller of each kind
	mostAsClosed = 1.5 // times what the same page takes on a connection that stays
)

// closing opens pages of one record behind a caller that closes the connection with the answer, as proxies with their
// usual settings and monitors do, beside one that keeps it; and gives up searches before their answer.
func closing(ctx context.Context, s *server, _ time.Duration, _ int) ([]line, error) {
	browser, err := s.signIn()
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := range closings {
		var client struct{ ID string }
		if err := s.post("/api/v1/clients/", fmt.Sprintf(`{"email":"closing%d@example.com","full_name":"Thandi Nkosi"}`, i),
			&client); err != nil {
			return nil, err
		}
		ids = append(ids, client.ID)
	}
	closes := *browser
	closes.Transport = &http.Transport{DisableKeepAlives: true}
	var kept, closed []time.Duration
	before, err := s.sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		for _, of := range []struct {
			by   *http.Client
			took *[]time.Duration
		}{{browser, &kept}, {&closes, &closed}} {
			began := time.Now()
			if err := open(ctx, of.by, s.base+"/clients/"+id); err != nil {
				return nil, err
			}
			*of.took = append(*of.took, time.Since(began))
		}
	}
	between, err := s.sessions(ctx)
	if err != nil {
		return nil, err
	}
	for range closings {
		short, leave := context.WithTimeout(ctx, 2*time.Millisecond)
		_ = open(short, &closes, s.base+"/clients?q=thandi") // it is given up
		leave()
	}
	after, err := s.sessions(ctx)
	if err != nil {
		return nil, err
	}
	slices.Sort(kept)
	slices.Sort(closed)
	a, b := kept[len(kept)/2], closed[len(closed)/2]
	return []line{
		{"(l) page of a client, by a caller that closes each connection", fmt.Sprintf("%.1f ms", milliseconds(b)),
			fmt.Sprintf("kept: %.1f ms", milliseconds(a)), fmt.Sprintf("%.2f", b.Seconds()/a.Seconds()),
			fmt.Sprintf("at most %.1f", mostAsClosed)},
		{fmt.Sprintf("(l) sessions of the database that %d such pages cost", closings), fmt.Sprint(between - before), "", "",
			"below 10"},
		{fmt.Sprintf("(l) sessions that %d searches cost that were given up", closings), fmt.Sprint(after - between), "", "",
			"below 10"},
	}, nil
}

func open(ctx context.Context, by *http.Client, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := by.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, res.Status)
	}
	return nil
}

// sessions is how many the database has had so far.
func (s *server) sessions(ctx context.Context) (int, error) {
	if err := s.exec(ctx, `SELECT pg_stat_force_next_flush()`); err != nil {
		return 0, err
	}
	text, err := s.query(ctx, `SELECT sessions::text FROM pg_stat_database WHERE datname = current_database()`)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"
)

// hooks measures what events cost: POST /purchases/ while a webhook of the merchant
// is told of each, beside the same without one.
func hooks(ctx context.Context, s *server, length time.Duration, _ int) ([]line, error) {
	var told atomic.Int64
	till := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		told.Add(1)
	}))
	defer till.Close()
	var client, hook struct{ ID string }
	if err := s.post("/api/v1/clients/", `{"email":"hooks@example.com","full_name":"Thandi Nkosi"}`, &client); err != nil {
		return nil, err
	}
	if err := s.post("/api/v1/webhooks/", fmt.Sprintf(`{"title":"Till","callback":%q,"all_events":true}`, till.URL),
		&hook); err != nil {
		return nil, err
	}
	request := s.apiRequest("/api/v1/purchases/", s.purchase(client.ID, 0))
	rate := func() (float64, error) { return s.load(length, func(int64) string { return request }) }
	const on, off = "UPDATE webhooks SET deleted_at = NULL", "UPDATE webhooks SET deleted_at = now()"
	with, without, err := inTurn(
		func() (float64, error) {
			if err := s.exec(ctx, on); err != nil {
				return 0, err
			}
			return rate()
		},
		func() (float64, error) { // nothing is left to tell
			if err := s.exec(ctx, off,
				"UPDATE deliveries SET state = 'dropped', next_at = NULL WHERE state = 'pending'"); err != nil {
				return 0, err
			}
			return rate()
		})
	if err != nil {
		return nil, err
	}
	if told.Load() == 0 {
		return nil, fmt.Errorf("nobody was told")
	}
	if err := s.exec(ctx, off,
		"UPDATE deliveries SET state = 'dropped', next_at = NULL WHERE state = 'pending'"); err != nil {
		return nil, err
	}
	out := rates("POST /purchases/ while a webhook is told of each, 16 connections", with, "the same without a webhook",
		without)
	out.aim = "for comparison"
	return []line{out, {"events told meanwhile, receiver and load on the same machine", fmt.Sprint(told.Load()), "", "",
		"for comparison"}}, nil
}

package main

import (
	"context"
	"time"
)

// requestLog measures what the log of requests costs: the same server with and
// without it, in turn.
func requestLog(_ context.Context, s *server, length time.Duration, _ int) ([]line, error) {
	var client struct{ ID string }
	if err := s.post("/api/v1/clients/", `{"email":"logged@example.com","full_name":"Thandi Nkosi","phone":"27821234567"}`,
		&client); err != nil {
		return nil, err
	}
	usual := s.env
	with := func(setting string) func() (float64, error) {
		return func() (float64, error) {
			s.leave()
			if err := s.serve(append(usual[:len(usual):len(usual)], "DEBITDESK_REQUEST_LOG="+setting)); err != nil {
				return 0, err
			}
			request := s.apiRequest("/api/v1/purchases/", s.purchase(client.ID, 0))
			if _, err := s.load(time.Second, func(int64) string { return request }); err != nil { // warm
				return 0, err
			}
			return s.load(length, func(int64) string { return request })
		}
	}
	logged, plain, err := inTurn(with("true"), with("false"))
	s.leave()
	if back := s.serve(usual); err == nil {
		err = back
	}
	if err != nil {
		return nil, err
	}
	out := rates("POST /purchases/ with the log of requests, 16 connections", logged, "without it", plain)
	out.aim = "≥ 0.85"
	return []line{out}, nil
}

package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// payersAsked is how many payers are asked at once.
const payersAsked = 20

// onTime asks payers for real: the sandbox bank's yes comes after five seconds, or
// nobody answers and the time limit ends it. It measures how long after its time
// the outcome stands in the open panel: sweep, bank, database, stream.
func (s *server) onTime(ctx context.Context, browser *http.Client) ([]line, error) {
	if err := s.morning(); err != nil {
		return nil, err
	}
	answered, err := s.outcomes(ctx, browser, "4055550000",
		`SELECT a.due_at FROM sandbox_answers a JOIN mandate_authentications m ON m.id = a.instruction_id
		WHERE m.mandate_id = $1 AND a.kind = 'mandate_accepted'`)
	if err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	ended, err := s.outcomes(ctx, browser, "4055558480",
		`UPDATE mandate_authentications SET expires_at = sent_at + interval '6 seconds'
			WHERE mandate_id = $1 RETURNING expires_at`)
	if err != nil {
		return nil, fmt.Errorf("time limits: %w", err)
	}
	against, aim := fmt.Sprintf("%d payers", payersAsked), "all within "+within.String()
	return []line{
		{"(e) the bank's answer, from when it is due to the open panel", spread(answered), against, ratioOf(answered), aim},
		{"(e) the end of the time limit, to the open panel", spread(ended), against, ratioOf(ended), aim},
	}, nil
}

// morning moves the sandbox clock to when payers may be asked in real time, which
// is from 03:00 to 20:30; the credential lives no longer than a day.
func (s *server) morning() error {
	now := time.Now().In(time.FixedZone("SAST", 2*60*60))
	if now.Hour() >= 3 && now.Hour() < 20 {
		return nil
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), 3, 1, 0, 0, now.Location())
	if now.Hour() >= 20 {
		at = at.AddDate(0, 0, 1)
	}
	var moved struct{ Now int64 }
	return s.post("/sandbox/clock", fmt.Sprintf(`{"now":%q}`, at.Format(time.RFC3339)), &moved)
}

// outcomes asks payers with that account and gives how late each outcome was in
// the panel. due tells when it was to come, by the sandbox clock.
func (s *server) outcomes(ctx context.Context, browser *http.Client, account, due string) ([]time.Duration, error) {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var micros int64
	if err := conn.QueryRow(ctx, `SELECT offset_micros FROM sandbox_clock`).Scan(&micros); err != nil {
		return nil, err
	}
	type outcome struct {
		id  string
		at  time.Time
		err error
	}
	came, planned := make(chan outcome, payersAsked), map[string]time.Time{}
	for range payersAsked {
		id, err := s.ask(account)
		if err != nil {
			return nil, err
		}
		go func() {
			at, err := s.outcome(ctx, browser, id)
			came <- outcome{id, at, err}
		}()
		if planned[id], err = dueOf(ctx, conn, due, id); err != nil {
			return nil, err
		}
	}
	var late []time.Duration
	for range payersAsked {
		one := <-came
		if one.err != nil {
			return nil, one.err
		}
		late = append(late, one.at.Add(time.Duration(micros)*time.Microsecond).Sub(planned[one.id]))
	}
	return late, nil
}

// dueOf waits until the bank has the request.
func dueOf(ctx context.Context, conn *pgx.Conn, query, id string) (at time.Time, err error) {
	for range 200 {
		var sent *time.Time
		if err = conn.QueryRow(ctx, `SELECT sent_at FROM mandate_authentications WHERE mandate_id = $1`,
			id).Scan(&sent); err == nil && sent != nil {
			return at, conn.QueryRow(ctx, query, id).Scan(&at)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return at, fmt.Errorf("the bank did not get the request of %s: %w", id, err)
}

func (s *server) ask(account string) (string, error) {
	var made struct{ ID string }
	err := s.post("/api/v1/purchases/", fmt.Sprintf(
		`{"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,
		"client":{"email":"asked@example.com","full_name":"Nomvula Dlamini","phone":"27821234567",
		"personal_code":"8501015009086",
		"bank_account":%q,"bank_code":"632005"},
		"purchase":{"products":[{"name":"Membership","price":14900}],
		"payment_method_details":{"direct_debit":{"deduction_day":1,"value_type":"VARIABLE",
		"authentication_type":"REALTIME","debit_sequence":"RCUR","adjustment_category":"NEVER","max_amount_cents":20000}}}}`,
		s.cast.BrandID, account), &made)
	return made.ID, err
}

// outcome is when the panel of a mandate shows that it is settled.
func (s *server) outcome(ctx context.Context, browser *http.Client, id string) (time.Time, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/mandates/"+id+"/events", nil)
	if err != nil {
		return time.Time{}, err
	}
	res, err := browser.Do(r)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = res.Body.Close() }()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: final") {
			return time.Now(), nil
		}
	}
	return time.Time{}, fmt.Errorf("the stream of %s ended without an outcome: status %d: %w", id, res.StatusCode,
		lines.Err())
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/store/keyfile"
)

const (
	monthDebits = 20_000
	monthFactor = 3.0 // times the COPY, at most
	monthRate   = 5_000
	monthPages  = 25 * time.Millisecond
	idleLook    = 10 * time.Second
	aside       = 10 * time.Minute // the clock goes on while a step is prepared
)

// added are the tables that a debit adds rows to, in an order that foreign keys allow, with the column that tells when.
var added = []struct{ name, at string }{
	{"sandbox_instructions", "received_at"},
	{"sandbox_answers", "(SELECT received_at FROM sandbox_instructions i WHERE i.id = t.instruction_id)"},
	{"audit_entries", "at"}, {"bank_messages", "received_at"},
	{"ledger_entries", "(SELECT received_at FROM bank_messages b WHERE b.instruction_id = t.collection_id)"},
	{"events", "created_at"},
}

// monthEnd moves the clock of a server that works over the day on which 20 000 debits are due: they are handed
// to the sandbox bank, which pays each, and turn final. Meanwhile a person opens pages. Beside each step the
// rows that it added are taken out and COPYed into the same tables again.
func monthEnd(ctx context.Context, s *server, _ time.Duration, _ int) (out []line, err error) {
	browser, err := s.signIn()
	if err != nil {
		return nil, err
	}
	idle, err := s.idle(ctx)
	if err != nil {
		return nil, err
	}
	var paid, final, busy []time.Duration
	var steps, copied, finalCopied []time.Duration
	for range rounds {
		m, err := s.month(ctx, browser)
		if err != nil {
			return nil, err
		}
		paid, final, busy = append(paid, m.handedOver+m.answered), append(final, m.final), append(busy, m.pages...)
		steps, copied, finalCopied = append(steps, m.handedOver), append(copied, m.copied), append(finalCopied, m.finalCopied)
	}
	for _, took := range [][]time.Duration{paid, final, steps, copied, finalCopied, busy} {
		slices.Sort(took)
	}
	took, beside := paid[rounds/2], copied[rounds/2]
	closed, closedBeside := final[rounds/2], finalCopied[rounds/2]
	return []line{
		{fmt.Sprintf("(j) %d debits due on one day: handed over and answered", monthDebits),
			fmt.Sprintf("%s, %.0f/s, of it handed over %s", seconds(took), monthDebits/took.Seconds(), seconds(steps[rounds/2])),
			"COPY of the rows it adds: " + seconds(beside), fmt.Sprintf("%.2f", took.Seconds()/beside.Seconds()),
			fmt.Sprintf("at least %d/s, at most %.2f", monthRate, monthFactor)},
		{"(j) … made final", fmt.Sprintf("%s, %.0f/s", seconds(closed), monthDebits/closed.Seconds()),
			"COPY of the rows it adds: " + seconds(closedBeside), fmt.Sprintf("%.2f", closed.Seconds()/closedBeside.Seconds()),
			fmt.Sprintf("at most %.2f", monthFactor)},
		{fmt.Sprintf("(j) pages meanwhile, %d of them", len(busy)), spread(busy), "",
			fmt.Sprintf("%.2f", busy[len(busy)/2].Seconds()/monthPages.Seconds()), "median under " + monthPages.String()},
		idle,
	}, nil
}

// idle counts what a server that has nothing to do asks its database.
func (s *server) idle(ctx context.Context) (line, error) {
	const asked = "SELECT xact_commit::text FROM pg_stat_database WHERE datname = current_database()"
	count := func() (int, error) {
		if err := s.exec(ctx, "SELECT pg_stat_clear_snapshot()"); err != nil {
			return 0, err
		}
		text, err := s.query(ctx, asked)
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(text)
	}
	time.Sleep(2 * time.Second) // what is under way ends, and is counted
	before, err := count()
	if err != nil {
		return line{}, err
	}
	took := s.cpuFor(idleLook)
	after, err := count()
	return line{"(j) a server with nothing to do asks",
		fmt.Sprintf("%.1f transactions/s", float64(after-before)/idleLook.Seconds()),
		"processor of the server: " + fmt.Sprintf("%.1f %%", 100*took.Seconds()/idleLook.Seconds()),
		"", "for comparison"}, err
}

// oneMonth is what one month end took.
type oneMonth struct {
	handedOver, answered, final, copied, finalCopied time.Duration
	pages                                            []time.Duration
}

// month is one month end, a month after the last.
func (s *server) month(ctx context.Context, browser *http.Client) (m oneMonth, err error) {
	day, err := s.plan(ctx)
	if err != nil {
		return m, err
	}
	over, opened := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-over:
				opened <- nil
				return
			default:
			}
			took, err := s.open(browser, len(watched))
			if err != nil {
				opened <- err
				return
			}
			m.pages = append(m.pages, took...)
		}
	}()
	for _, step := range []struct {
		to   time.Time
		took *time.Duration
	}{{day.submit.Add(-aside), nil}, {day.submit, &m.handedOver}, {day.answer, &m.answered},
		{day.final.Add(-aside), nil}, {day.final, &m.final}} {
		if err = s.exec(ctx, "CHECKPOINT"); err != nil {
			break
		}
		began := time.Now()
		if err = s.post("/sandbox/clock", fmt.Sprintf(`{"now":%q}`, step.to.Format(time.RFC3339Nano)),
			new(struct{})); err != nil {
			break
		}
		if step.took != nil {
			*step.took = time.Since(began)
		}
	}
	close(over)
	if err = errors.Join(err, <-opened); err != nil {
		return m, err
	}
	done, err := s.query(ctx, `SELECT count(*)::text FROM collections WHERE state = 'final' AND final_at = $1`, day.final)
	if err == nil && done != strconv.Itoa(monthDebits) {
		err = fmt.Errorf("%s debits are final, want %d", done, monthDebits)
	}
	if err != nil {
		return m, err
	}
	if m.copied, err = s.addAgain(ctx, day.submit, day.final, 7*monthDebits); err != nil {
		return m, err
	}
	m.finalCopied, err = s.addAgain(ctx, day.final, day.final.Add(time.Hour), 2*monthDebits)
	return m, err
}

// addAgain takes the rows that were added from one moment to another out of their tables and COPYs them in
// again, in one transaction, and gives how long that took.
func (s *server) addAgain(ctx context.Context, from, to time.Time, least int64) (took time.Duration, err error) {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	held, all := make([]bytes.Buffer, len(added)), int64(0)
	mine := func(at string) string {
		return fmt.Sprintf("%s >= '%s' AND %s < '%s'", at, from.Format(time.RFC3339Nano), at, to.Format(time.RFC3339Nano))
	}
	for i, t := range added {
		tag, err := conn.PgConn().CopyTo(ctx, &held[i],
			"COPY (SELECT t.* FROM "+t.name+" t WHERE "+mine(t.at)+") TO STDOUT (FORMAT binary)")
		if err != nil {
			return 0, err
		}
		all += tag.RowsAffected()
	}
	if all < least {
		return 0, fmt.Errorf("%d rows were added, want %d at least", all, least)
	}
	for _, t := range slices.Backward(added) {
		if err := s.exec(ctx, "ALTER TABLE "+t.name+" DISABLE TRIGGER USER", "DELETE FROM "+t.name+" t WHERE "+mine(t.at),
			"ALTER TABLE "+t.name+" ENABLE TRIGGER USER", "VACUUM "+t.name); err != nil {
			return 0, err
		}
	}
	if err := s.exec(ctx, "CHECKPOINT"); err != nil {
		return 0, err
	}
	began := time.Now()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for i, t := range added {
			if _, err := tx.Conn().PgConn().CopyFrom(ctx, &held[i], "COPY "+t.name+" FROM STDIN (FORMAT binary)"); err != nil {
				return fmt.Errorf("copy into %s: %w", t.name, err)
			}
		}
		return nil
	})
	return time.Since(began), err
}

// monthDay are the moments of debits that are due on one day.
type monthDay struct{ submit, answer, final time.Time }

// plan makes 20 000 clients, each with an account and a purchase that is debited in a month: copies of one that went
// through the API, straight in the tables.
func (s *server) plan(ctx context.Context) (day monthDay, err error) {
	now, err := s.clock()
	if err != nil {
		return day, err
	}
	var client, token, charged struct{ ID string }
	if err := s.post("/api/v1/clients/", fmt.Sprintf(`{"email":"month%s@example.com","full_name":"Sipho Ndlovu",
		"bank_account":"4000000000","bank_code":"632005"}`, now.Format("20060102")), &client); err != nil {
		return day, err
	}
	if err := s.post("/api/v1/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"Store","price":0}],"payment_method_details":{"direct_debit":{"deduction_day":1}}}}`,
		client.ID, s.cast.BrandID), &token); err != nil {
		return day, err
	}
	if err := s.post("/api/v1/purchases/", s.purchase(client.ID, now.AddDate(0, 0, 28).Unix()), &charged); err != nil {
		return day, err
	}
	if err := s.post("/api/v1/purchases/"+charged.ID+"/charge/", `{"recurring_token":"`+token.ID+`"}`,
		new(struct{})); err != nil {
		return day, err
	}
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return day, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var action time.Time
	err = conn.QueryRow(ctx, `SELECT submit_at, final_at, action_date FROM collections
		WHERE purchase_id = $1`, charged.ID).Scan(
		&day.submit, &day.final, &action)
	if err != nil {
		return day, err
	}
	day.answer = calendar.DateOf(action.Add(12*time.Hour)).At(23, 59)
	return day, s.multiply(ctx, conn, token.ID, charged.ID, now)
}

// clock is the moment at which the sandbox stands.
func (s *server) clock() (time.Time, error) {
	var at struct{ Now int64 }
	r, err := http.NewRequest(http.MethodGet, s.base+"/sandbox/clock", nil)
	if err != nil {
		return time.Time{}, err
	}
	r.Header.Set("Authorization", "Bearer "+s.cast.Token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = res.Body.Close() }()
	err = json.NewDecoder(res.Body).Decode(&at)
	return time.Unix(at.Now, 0).UTC(), err
}

// multiply copies a client, a token with its mandate, and a purchase with its debit. An account number opens in its own
// row alone, so each is sealed anew.
func (s *server) multiply(ctx context.Context, conn *pgx.Conn, tokenID, purchaseID string, now time.Time) error {
	keys, err := keyfile.Open("", filepath.Join(s.folder, "data"))
	if err != nil {
		return err
	}
	box, err := keys.Box()
	if err != nil {
		return err
	}
	merchantID, err := uuid.Parse(s.cast.MerchantID)
	if err != nil {
		return err
	}
	n := monthDebits - 1
	clients, tokens, debits, owed := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	sealed, hashes := make([][]byte, n), make([][]byte, n)
	for i := range n {
		at := now.Add(time.Duration(i) * time.Microsecond)
		token := database.NewID(at)
		number := fmt.Sprintf("4%02d%05d0000", now.Unix()/86_400%100, i)[:12]
		clients[i], tokens[i] = database.NewID(at).String(), token.String()
		debits[i], owed[i] = database.NewID(at).String(), database.NewID(at).String()
		sealed[i] = box.Seal(seal.PlaceOf("tokens", "account_sealed", merchantID, token), number)
		hashes[i] = box.Hash(merchantID, "account", number)
	}
	copies := func(table, columns, from, changes string) string {
		return `INSERT INTO ` + table + ` (` + columns + `) SELECT (r).` + strings.ReplaceAll(columns, ", ", ", (r).") +
			` FROM (SELECT jsonb_populate_record(p, jsonb_build_object(` + changes + `)) AS r
			FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[], $5::bytea[], $6::uuid[]) WITH ORDINALITY
			AS u (token, debit, owed, sealed, hash, client, n),
			(SELECT q FROM ` + table + ` AS q WHERE ` + from + `) AS one(p)) AS made`
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		token, debit := "id = '"+tokenID+"'", "purchase_id = '"+purchaseID+"'"
		for _, c := range []struct{ table, from, changes string }{
			{"clients", "id = (SELECT client_id FROM tokens WHERE " + token + ")", "'id', u.client, " +
				"'email', 'm' || u.n || (p).email, 'bank_account_sealed', NULL, 'bank_account_hash', NULL"},
			{"mandates", token, "'id', u.token, 'client_id', u.client, 'contract_reference', 'M" +
				strconv.FormatInt(now.Unix()/86_400%1_000, 10) + "X' || u.n"},
			{"tokens", token, "'id', u.token, 'client_id', u.client, 'mandate_id', u.token, 'account_sealed', u.sealed, " +
				"'account_hash', u.hash"},
			{"purchases", "id = '" + purchaseID + "'", "'id', u.owed, 'client_id', u.client, 'token_id', u.token, " +
				"'payer_sealed', NULL, 'reference_generated', (p).reference_generated || 'M' || u.n"},
			{"collections", debit, "'id', u.debit, 'purchase_id', u.owed, 'client_id', u.client, 'token_id', u.token, " +
				"'mandate_id', u.token"},
		} {
			var columns string
			if err := tx.QueryRow(ctx, `SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute
				WHERE attrelid = $1::regclass
				AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, c.table).Scan(&columns); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, copies(c.table, columns, c.from, c.changes), tokens, debits, owed,
				sealed, hashes, clients); err != nil {
				return fmt.Errorf("copy %s: %w", c.table, err)
			}
			if _, err := tx.Exec(ctx, "ANALYZE "+c.table); err != nil { // as it would be by the day on which they are due
				return err
			}
		}
		return nil
	})
}

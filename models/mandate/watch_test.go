package mandate_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/mandate"
	"debitdesk/models/storetest"
)

func watching(t *testing.T) (*database.DB, *mandate.Watch) {
	t.Helper()
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	w, err := mandate.Store{DB: s}.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return s, w
}

func notify(t *testing.T, s *database.DB, ids ...uuid.UUID) {
	t.Helper()
	for _, id := range ids {
		if _, err := s.Pool.Exec(t.Context(), `SELECT pg_notify('debitdesk_mandate', $1)`, id.String()); err != nil {
			t.Fatal(err)
		}
	}
}

// told waits for a change; open is false when nothing will be told any more.
func told(t *testing.T, changed <-chan struct{}) (open bool) {
	t.Helper()
	select {
	case _, open = <-changed:
		return open
	case <-time.After(4 * time.Minute):
		t.Fatal("no change was told")
		return false
	}
}

func silent(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	select {
	case <-changed:
		t.Fatal("a change was told that was none")
	default:
	}
}

func TestAChangeReachesEverybodyWhoWatchesThatMandateAndNobodyElse(t *testing.T) {
	t.Parallel()
	s, w := watching(t)
	mine, other := uuid.New(), uuid.New()
	first, cancelFirst := w.Subscribe(mine)
	second, cancelSecond := w.Subscribe(mine)
	stranger, cancelStranger := w.Subscribe(other)
	defer cancelFirst()
	defer cancelStranger()

	notify(t, s, mine)
	told(t, first)
	told(t, second)
	silent(t, stranger)

	cancelSecond()
	notify(t, s, mine)
	told(t, first)
	silent(t, second)
	if n := w.Watchers(); n != 2 {
		t.Errorf("%d watch, want 2", n)
	}
}

func TestChangesThatNobodyTookYetAreOne(t *testing.T) {
	t.Parallel()
	s, w := watching(t)
	many, last := uuid.New(), uuid.New()
	changed, cancel := w.Subscribe(many)
	defer cancel()
	end, cancelEnd := w.Subscribe(last)
	defer cancelEnd()
	before := w.Version(many)

	notify(t, s, many, many, many, last) // they come in order
	told(t, end)
	told(t, changed)
	silent(t, changed)
	if after := w.Version(many); after != before+3 {
		t.Errorf("version %d after three changes of version %d", after, before)
	}
}

func TestALostConnectionIsOpenedAgainAndEverybodyIsWokenOnce(t *testing.T) {
	t.Parallel()
	s, w := watching(t)
	id := uuid.New()
	changed, cancel := w.Subscribe(id)
	defer cancel()

	var ended int
	err := s.Pool.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE application_name = 'debitdesk watch' AND datname = current_database()`).Scan(&ended)
	if err != nil || ended != 1 {
		t.Fatalf("ended %d connections, %v", ended, err)
	}
	told(t, changed) // of the new connection
	silent(t, changed)
	notify(t, s, id)
	told(t, changed)
}

func TestAMovedClockWakesEverybody(t *testing.T) {
	t.Parallel()
	s, w := watching(t)
	changed, cancel := w.Subscribe(uuid.New())
	defer cancel()
	if err := s.Clock.MoveTo(t.Context(), s.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	told(t, changed)
}

func TestClosingEndsAllSubscriptionsAndLaterOnesAtOnce(t *testing.T) {
	t.Parallel()
	_, w := watching(t)
	before, cancel := w.Subscribe(uuid.New())
	w.Close()
	after, cancelAfter := w.Subscribe(uuid.New())
	for _, changed := range []<-chan struct{}{before, after} {
		if told(t, changed) {
			t.Error("a subscription outlives the watch")
		}
	}
	cancel()
	cancelAfter()
}

func TestWhatTheTriggersTellOf(t *testing.T) {
	t.Parallel()
	s, w := watching(t)
	id, merchant := uuid.New(), uuid.New()
	changed, cancel := w.Subscribe(id)
	defer cancel()
	for _, step := range []string{
		`INSERT INTO mandate_authentications (id, merchant_id, mandate_id, number, method, state, requested_at)
			VALUES (gen_random_uuid(), $2, $1, 1, 'REALTIME', 'requested', now())`,
		`UPDATE mandate_authentications SET state = 'sent', sent_at = now() WHERE mandate_id = $1 AND merchant_id = $2`,
		`UPDATE mandates SET state = 'active' WHERE id = $1 AND merchant_id = $2`,
	} {
		seedMandate(t, s, merchant, id)
		if _, err := s.Pool.Exec(t.Context(), step, id, merchant); err != nil {
			t.Fatal(err)
		}
		told(t, changed)
	}
}

// seedMandate writes a DebiCheck mandate that waits for the payer, once.
func seedMandate(t *testing.T, s *database.DB, merchant, id uuid.UUID) {
	t.Helper()
	_, err := s.Pool.Exec(t.Context(), `WITH m AS (INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
			VALUES ($1, 'watched', 'Watched', true, now(), now()) ON CONFLICT DO NOTHING),
		b AS (INSERT INTO brands (id, merchant_id, name, created_at, updated_at) VALUES ($1, $1, 'Watched', now(), now())
		ON CONFLICT DO NOTHING)
		INSERT INTO mandates (id, merchant_id, brand_id, kind, state, contract_reference, profile_code, abbreviated_name,
		clearing_account, period_units,
			deduction_day, amount_cents, holder_name, account_mask, bank_code, account_type, consent_text, consent_at,
			consent_channel, created_at, updated_at)
		VALUES ($2, $1, $1, 'debicheck', 'submitted', 'W1', 'TEST1', 'TESTMERCH1', '12345678', 'months', 1, 0, '', '', '', '',
		'', now(), 'bank', now(), now())
		ON CONFLICT DO NOTHING`, merchant, id)
	if err != nil {
		t.Fatal(err)
	}
}

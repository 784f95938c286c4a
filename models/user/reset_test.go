package user_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/queue"
	"debitdesk/models/user"
)

const newPassword = "four calm pelicans"

// askReset asks and does what was left to the background, as its worker does.
func (h *house) askReset(t *testing.T, email, ip string) {
	t.Helper()
	must(t, h.AskReset(t.Context(), email, ip))
	for _, job := range h.jobs.take() {
		must(t, h.SendReset(t.Context(), job))
	}
}

func (h *house) resetLink(t *testing.T, to string) string {
	t.Helper()
	var merchantID, id uuid.UUID
	must(t,
		h.store.Pool.QueryRow(t.Context(),
			`SELECT merchant_id, id FROM mails WHERE kind = 'password_reset' AND recipient = $1 ORDER BY id DESC LIMIT 1`,
			to).Scan(&merchantID, &id))
	m, err := outbox.Store{DB: h.store}.Mail(t.Context(), merchantID, id)
	must(t, err)
	text := m.Text
	_, rest, _ := strings.Cut(text, "https://desk.example/reset/")
	token, _, _ := strings.Cut(rest, "\n")
	return token
}

func (h *house) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	must(t, h.store.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func (h *house) session(t *testing.T, id string) {
	t.Helper()
	must(t, user.Store{DB: h.store}.InsertSession(t.Context(), user.Session{Hash: []byte(id), UserID: h.thandi.ID,
		MerchantID: h.thandi.MerchantID, Data: "{}", CreatedAt: h.Now(), SeenAt: h.Now(),
		ExpiresAt: h.Now().Add(user.SessionIdle)}))
}

func (h *house) reset(t *testing.T, token, word string) error {
	t.Helper()
	_, err := h.ResetPassword(t.Context(), token, word, "10.0.0.1", "r")
	return err
}

func wants(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.HasCode(err, code) {
		t.Fatalf("got %v; want %s", err, code)
	}
}

func TestAForgottenPasswordIsReplacedByMail(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.session(t, "a")
	h.session(t, "b")
	h.askReset(t, " THANDI@example.com ", "10.0.0.1")
	token := h.resetLink(t, "Thandi@example.com")
	if h.count(t, `SELECT count(*) FROM password_resets WHERE token_hash = $1`, user.TokenHash(token)) != 1 ||
		h.count(t, `SELECT count(*) FROM audit_entries WHERE to_jsonb(audit_entries)::text LIKE '%' || $1 || '%'`,
			token) != 0 {
		t.Fatal("the link is not kept as a hash alone")
	}
	wants(t, h.reset(t, token, "short"), "min_length") // a refused password uses no link up
	must(t, h.reset(t, token, newPassword))
	if h.count(t, `SELECT count(*) FROM sessions`) != 0 {
		t.Fatal("sessions go on")
	}
	must(t, h.try(t, "thandi@example.com", newPassword, "10.0.0.1"))
	if err := h.try(t, "thandi@example.com", password, "10.0.0.1"); !fault.Is(err, fault.Unauthenticated) {
		t.Fatalf("the old password: %v", err)
	}
	if h.audited(t, "user.reset_asked") != 1 || h.audited(t, "user.password_reset") != 1 ||
		h.count(t, `SELECT count(*) FROM mails WHERE kind = 'password_changed'`) != 1 {
		t.Fatal("the audit or the person is not told")
	}
	wants(t, h.reset(t, token, newPassword), "reset_used")
}

func TestALinkWorksForAnHour(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.askReset(t, "thandi@example.com", "10.0.0.1")
	token := h.resetLink(t, "Thandi@example.com")
	h.wait(time.Hour - time.Second)
	if _, err := h.FindReset(t.Context(), token); err != nil {
		t.Fatalf("a second before: %v", err)
	}
	h.wait(time.Second)
	wants(t, h.reset(t, token, newPassword), "reset_expired")
	if err := h.reset(t, "unknown", newPassword); !fault.Is(err, fault.NotFound) {
		t.Fatalf("unknown: %v", err)
	}
}

func TestOneOfTwoLinksUsedAtOnceWinsAndEndsTheOthers(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.askReset(t, "thandi@example.com", "10.0.0.1")
	first := h.resetLink(t, "Thandi@example.com")
	h.askReset(t, "thandi@example.com", "10.0.0.1")
	second := h.resetLink(t, "Thandi@example.com")
	var won atomic.Int32
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if h.reset(t, second, newPassword) == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d won", won.Load())
	}
	wants(t, h.reset(t, first, newPassword), "reset_used")
}

func TestAskingTellsNothingOfWhoIsKnown(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, email := range []string{"thandi@example.com", "nobody@example.com", "", "' OR 1=1"} {
		must(t, h.AskReset(t.Context(), email, "10.0.0.1"))
	}
	jobs := h.jobs.take()
	if len(jobs) != 4 { // the same is written for each
		t.Fatalf("%d jobs", len(jobs))
	}
	for _, job := range jobs {
		must(t, h.SendReset(t.Context(), job))
	}
	if n := h.count(t, `SELECT count(*) FROM mails`); n != 1 {
		t.Fatalf("%d mails", n)
	}
	if _, err := h.store.Pool.Exec(t.Context(), `UPDATE memberships SET disabled_at = now()`); err != nil {
		t.Fatal(err)
	}
	h.askReset(t, "thandi@example.com", "10.0.0.2")
	if n := h.count(t, `SELECT count(*) FROM mails`); n != 1 {
		t.Fatal("somebody disabled got a link")
	}
}

func TestOneAddressGetsThreeMailsAndOneCallerTwentyTries(t *testing.T) {
	t.Parallel()
	h := open(t)
	for i := range 4 {
		must(t, h.AskReset(t.Context(), "thandi@example.com", "10.0.0."+string(rune('1'+i))))
	}
	if n := len(h.jobs.take()); n != 3 {
		t.Fatalf("%d mails, silently", n)
	}
	h.wait(time.Minute)
	must(t, h.AskReset(t.Context(), "thandi@example.com", "10.0.0.8"))
	if n := len(h.jobs.take()); n != 1 {
		t.Fatal("a minute later none")
	}
	for i := range 20 {
		must(t, h.AskReset(t.Context(), uuid.NewString()+"@example.com", "10.0.1.1"))
		if i == 18 && h.AskReset(t.Context(), "x@example.com", "10.0.1.2") != nil {
			t.Fatal("another caller is stopped")
		}
	}
	wantLocked(t, h.AskReset(t.Context(), "x@example.com", "10.0.1.1"), 60)
}

func TestAResetOpensTheLockOfTheAccount(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.failTimes(t, 5, "thandi@example.com", "10.0.0.1")
	wantLocked(t, h.try(t, "thandi@example.com", password, "10.0.0.2"), 60)
	h.askReset(t, "thandi@example.com", "10.0.0.2")
	must(t, h.reset(t, h.resetLink(t, "Thandi@example.com"), newPassword))
	must(t, h.try(t, "thandi@example.com", newPassword, "10.0.0.2"))
}

func TestAPasswordIsChangedByWhoKnowsTheOldOne(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.session(t, "this")
	h.session(t, "other")
	me := h.thandi.Actor()
	change := func(old, word string) error { return h.ChangePassword(t.Context(), me, old, word, []byte("this")) }
	wants(t, change("wrong password!", newPassword), "wrong")
	wants(t, change(password, "short"), "min_length")
	wants(t, change(password, "Thandi@example.com"), "password_is_email")
	must(t, change(password, newPassword))
	if h.count(t, `SELECT count(*) FROM sessions WHERE id_hash = 'this'`) != 1 ||
		h.count(t, `SELECT count(*) FROM sessions`) != 1 {
		t.Fatal("the wrong sessions ended")
	}
	if h.audited(t, "user.password_changed") != 1 || h.audited(t, "user.password_refused") != 1 {
		t.Fatal("not in the audit")
	}
	must(t, h.try(t, "thandi@example.com", newPassword, "10.0.0.1"))
	for range 5 {
		wants(t, change("wrong password!", password), "wrong")
	}
	wantLocked(t, change(newPassword, password), 60)
	if err := h.ChangePassword(t.Context(), actor.OperatorOf(h.thandi.MerchantID), "", newPassword, nil); !fault.Is(err,
		fault.Forbidden) {
		t.Fatalf("no person: %v", err)
	}
}

func TestTheFirstGuessesAreNoPasswords(t *testing.T) {
	t.Parallel()
	for word, code := range map[string]string{"Password1234": "password_common", " qwertyuiop123": "password_common",
		"n@example.com": "password_is_email", "N@EXAMPLE.com": "password_is_email",
		"elevenchars": "min_length", "twelve chars": "", strings.Repeat("ä", 256): "",
		strings.Repeat("ä", 257): "max_length"} {
		var wrong fault.Problems
		user.CheckPassword(&wrong, "password", "n@example.com", word)
		if err := wrong.Err(); code == "" && err != nil || code != "" && !fault.HasCode(err, code) {
			t.Errorf("%q: %v; want %s", word, err, code)
		}
	}
}

func (j *jobs) take() []queue.ResetPassword {
	j.Lock()
	defer j.Unlock()
	out := j.resets
	j.resets = nil
	return out
}

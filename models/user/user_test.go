package user_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/handlers/letters"
	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/user"
)

const password = "correct horse battery"

type house struct {
	*user.Service
	store    *database.DB
	operator actor.Actor
	stranger actor.Actor
	ahead    atomic.Int64
	thandi   user.User
	jobs     jobs
}

// jobs are what was left to the background.
type jobs struct {
	sync.Mutex
	resets []queue.ResetPassword
}

func (j *jobs) keep(_ context.Context, _ pgx.Tx, all []queue.Job) error {
	j.Lock()
	defer j.Unlock()
	for _, one := range all {
		if ask, is := one.(queue.ResetPassword); is {
			j.resets = append(j.resets, ask)
		}
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{operator: actor.OperatorOf(uuid.New()), stranger: actor.OperatorOf(uuid.New())}
	box, err := seal.NewBox([]seal.Key{{ID: "t", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	db, err := database.Open(t.Context(), storetest.DSN(t),
		database.Options{Sandbox: true, MaxConns: 8, Seal: box, Enqueue: h.jobs.keep})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	h.store = db
	for slug, id := range map[string]uuid.UUID{"ours": h.operator.MerchantID, "theirs": h.stranger.MerchantID} {
		if _, err := db.Pool.Exec(t.Context(),
			`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, now(), now())`,
			id, slug); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	h.Service = &user.Service{Store: user.Store{DB: db},
		Letters: letters.Writer{Base: "https://desk.example"},
		Now:     func() time.Time { return start.Add(time.Duration(h.ahead.Load())) }}
	h.thandi, err = h.Create(t.Context(), h.operator,
		user.Input{Email: "Thandi@example.com", Name: "Thandi", Password: password, Role: actor.Admin})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) wait(d time.Duration) { h.ahead.Add(int64(d)) }

func (h *house) try(t *testing.T, email, word, ip string) error {
	t.Helper()
	_, err := h.SignIn(t.Context(), user.Attempt{Email: email, Password: word, IP: ip})
	return err
}

func (h *house) failTimes(t *testing.T, n int, email, ip string) {
	t.Helper()
	for range n {
		if err := h.try(t, email, "wrong password!", ip); !fault.Is(err, fault.Unauthenticated) {
			t.Fatalf("got %v; want a refusal that is no lock", err)
		}
	}
}

func wantLocked(t *testing.T, err error, seconds int) {
	t.Helper()
	f, ok := fault.From(err)
	if !ok || f.Kind != fault.TooMany || f.RetryAfterSeconds != seconds {
		t.Fatalf("got %#v; want a lock of %d s", err, seconds)
	}
}

func (h *house) audited(t *testing.T, action string) (n int) {
	t.Helper()
	if err := h.store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM audit_entries WHERE action = $1`,
		action).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAPersonSignsInWithTheirPassword(t *testing.T) {
	t.Parallel()
	h := open(t)
	u, err := h.SignIn(t.Context(), user.Attempt{Email: " thandi@EXAMPLE.com ", Password: password, IP: "10.0.0.1"})
	if err != nil || u.ID != h.thandi.ID || u.Role != actor.Admin || u.MerchantID != h.operator.MerchantID {
		t.Fatalf("got %+v, %v", u, err)
	}
	if h.audited(t, "user.signed_in") != 1 || h.audited(t, "user.sign_in_failed") != 0 {
		t.Fatal("the sign-in is not in the audit, or a failure is")
	}
}

func TestWrongUnknownAndDisabledGetTheSameSentence(t *testing.T) {
	t.Parallel()
	h := open(t)
	gone, err := h.Create(t.Context(), h.operator, user.Input{Email: "gone@example.com", Password: password,
		Role: actor.Staff})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.Pool.Exec(t.Context(), `UPDATE memberships SET disabled_at = now() WHERE user_id = $1`,
		gone.ID); err != nil {
		t.Fatal(err)
	}
	sentences := map[string]bool{}
	for _, c := range [][2]string{
		{"thandi@example.com", "wrong password!"}, {"nobody@example.com", password}, {"gone@example.com", password},
		{"", ""}, {"thandi@example.com", strings.Repeat("x", 100_000)},
	} {
		err := h.try(t, c[0], c[1], "10.0.0.1")
		if !fault.Is(err, fault.Unauthenticated) {
			t.Fatalf("%s: %v", c[0], err)
		}
		sentences[err.Error()] = true
	}
	if len(sentences) != 1 {
		t.Fatalf("sentences differ: %v", sentences)
	}
	if n := h.audited(t, "user.sign_in_failed"); n != 3 {
		t.Fatalf("%d failures of known people in the audit; want 3", n)
	}
}

func TestTheFifthFailureLocksForAMinuteAndEachFurtherForLonger(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.failTimes(t, 5, "thandi@example.com", "10.0.0.1")
	for i, minutes := range []int{1, 2, 4, 8, 15, 15} {
		wantLocked(t, h.try(t, "thandi@example.com", password, "10.0.0.2"), minutes*60)
		h.wait(time.Duration(minutes)*time.Minute - time.Second)
		wantLocked(t, h.try(t, "THANDI@example.com", password, "10.0.0.2"), 1)
		h.wait(time.Second)
		if i < 5 {
			h.failTimes(t, 1, "thandi@example.com", "10.0.0.1")
		}
	}
	if err := h.try(t, "thandi@example.com", password, "10.0.0.2"); err != nil {
		t.Fatalf("after the lock: %v", err)
	}
}

func TestFourFailuresDoNotLockAndSuccessForgetsThem(t *testing.T) {
	t.Parallel()
	h := open(t)
	for range 2 {
		h.failTimes(t, 4, "thandi@example.com", "10.0.0.1")
		if err := h.try(t, "thandi@example.com", password, "10.0.0.1"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFailuresAreForgottenAfterADay(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.failTimes(t, 4, "thandi@example.com", "10.0.0.1")
	h.wait(24 * time.Hour)
	h.failTimes(t, 1, "thandi@example.com", "10.0.0.1")
	if err := h.try(t, "thandi@example.com", password, "10.0.0.1"); err != nil {
		t.Fatal(err)
	}
}

func TestUnknownPeopleAreLockedLikeKnownOnes(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.failTimes(t, 5, "nobody@example.com", "10.0.0.1")
	wantLocked(t, h.try(t, "nobody@example.com", password, "10.0.0.2"), 60)
}

func TestOneAddressThatGuessesAtManyPeopleIsLocked(t *testing.T) {
	t.Parallel()
	h := open(t)
	for i := range 20 {
		h.failTimes(t, 1, string(rune('a'+i))+"@example.com", "10.0.0.9")
		if i == 10 { // a sign-in of one's own in between opens nothing
			if err := h.try(t, "thandi@example.com", password, "10.0.0.9"); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantLocked(t, h.try(t, "thandi@example.com", password, "10.0.0.9"), 60)
	if err := h.try(t, "thandi@example.com", password, "10.0.0.1"); err != nil {
		t.Fatalf("from another address: %v", err)
	}
}

func TestGuessesAtOnceGetNoMoreTriesThanOneAfterTheOther(t *testing.T) {
	t.Parallel()
	h := open(t)
	var all sync.WaitGroup
	var tried atomic.Int64
	for range 12 {
		all.Go(func() {
			if _, err := h.SignIn(t.Context(), user.Attempt{Email: "thandi@example.com", Password: "wrong password!",
				IP: "10.0.0.1"}); fault.Is(err, fault.Unauthenticated) {
				tried.Add(1)
			}
		})
	}
	all.Wait()
	if n := tried.Load(); n != 5 {
		t.Fatalf("%d passwords were looked at; want 5", n)
	}
}

func TestEveryProblemOfANewPersonIsNamed(t *testing.T) {
	t.Parallel()
	h := open(t)
	good := user.Input{Email: "new@example.com", Password: strings.Repeat("é", user.MinPassword), Role: actor.Staff}
	with := func(change func(*user.Input)) user.Input { in := good; change(&in); return in }
	for name, c := range map[string]struct {
		in   user.Input
		code string
		at   string
	}{
		"no e-mail":           {with(func(in *user.Input) { in.Email = "" }), "required", "email"},
		"no address":          {with(func(in *user.Input) { in.Email = "Thandi <t@example.com>" }), "invalid", "email"},
		"taken in other case": {with(func(in *user.Input) { in.Email = "THANDI@example.com" }), "unique", "email"},
		"unknown role":        {with(func(in *user.Input) { in.Role = "owner" }), "invalid_choice", "role"},
		"11 characters": {with(func(in *user.Input) { in.Password = strings.Repeat("é", 11) }), "min_length",
			"password"},
		"257 characters": {with(func(in *user.Input) { in.Password = strings.Repeat("é", 257) }), "max_length",
			"password"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Create(t.Context(), h.operator, c.in)
			f, ok := fault.From(err)
			if !ok || len(f.Fields) != 1 || f.Fields[0].Code != c.code || f.Fields[0].Path != c.at {
				t.Fatalf("got %v; want %s at %s", err, c.code, c.at)
			}
		})
	}
	if _, err := h.Create(t.Context(), h.operator, user.Input{}); len(fieldsOf(err)) != 3 {
		t.Fatalf("got %v; want email, role and password", err)
	}
	for _, n := range []int{user.MinPassword, user.MaxPassword} {
		in := with(func(in *user.Input) {
			in.Email, in.Password = strings.Repeat("a", n/8)+"@example.com", strings.Repeat("é", n)
		})
		if _, err := h.Create(t.Context(), h.operator, in); err != nil {
			t.Fatalf("%d characters: %v", n, err)
		}
		if err := h.try(t, in.Email, in.Password, "10.0.0.1"); err != nil {
			t.Fatalf("%d characters, signing in: %v", n, err)
		}
	}
}

func fieldsOf(err error) []fault.Field {
	f, ok := fault.From(err)
	if !ok {
		return nil
	}
	return f.Fields
}

func TestOnlyAdminsAddPeople(t *testing.T) {
	t.Parallel()
	h := open(t)
	staff := actor.Actor{Kind: actor.User, ID: uuid.New(), MerchantID: h.operator.MerchantID, Role: actor.Staff}
	if _, err := h.Create(t.Context(), staff, user.Input{}); !fault.Is(err, fault.Forbidden) {
		t.Fatalf("staff add: %v", err)
	}
}

func TestAThemeIsKept(t *testing.T) {
	t.Parallel()
	h := open(t)
	if err := h.SetTheme(t.Context(), h.thandi.Actor(), "dark"); err != nil {
		t.Fatal(err)
	}
	if err := h.SetTheme(t.Context(), h.thandi.Actor(), "pink"); !fault.Is(err, fault.Invalid) {
		t.Fatalf("pink: %v", err)
	}
	u, err := user.Store{DB: h.store}.User(t.Context(), h.thandi.MerchantID, h.thandi.ID)
	if err != nil || u.Theme != "dark" {
		t.Fatalf("got %q, %v", u.Theme, err)
	}
}

// Whoever works in several businesses signs in to the one that was worked for last, and never to one whose membership
// was disabled while there is another.
func TestThePersonOfAnAddressIsInTheBusinessThatIsOpen(t *testing.T) {
	t.Parallel()
	h := open(t)
	find := func() uuid.UUID {
		t.Helper()
		u, _, err := user.Store{DB: h.store}.UserByEmail(t.Context(), "  "+strings.ToUpper(h.thandi.Email))
		must(t, err)
		return u.MerchantID
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := h.store.Pool.Exec(t.Context(), sql, args...)
		must(t, err)
	}
	other, now := h.store.NewID(), h.Now()
	exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
		VALUES ($1, 'other', 'Other', true, $2, $2)`, other, now)
	exec(`INSERT INTO memberships (user_id, merchant_id, role, created_at, updated_at, last_used_at)
		VALUES ($1, $2, 'staff', $3, $3, $3)`, h.thandi.ID, other, now.Add(time.Hour))
	if got := find(); got != other {
		t.Errorf("not the business that was worked for last")
	}
	exec(`UPDATE memberships SET disabled_at = $2 WHERE merchant_id = $1`, other, now)
	if got := find(); got != h.thandi.MerchantID {
		t.Errorf("a business that let the person go comes first")
	}
}

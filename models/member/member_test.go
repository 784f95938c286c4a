package member_test

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
	"debitdesk/models/mail/outbox"
	"debitdesk/models/member"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/user"
)

const password = "three quiet herons"

// house is two businesses with an admin each; the clock is the real one, moved on by wait.
type house struct {
	*member.Service
	t            *testing.T
	store        *database.DB
	users        *user.Service
	ours, theirs actor.Actor // operators
	thandi, lebo user.User   // admins of ours and theirs
	ahead        atomic.Int64
}

func open(t *testing.T) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "t", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, MaxConns: 8, Seal: box,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(db.Close)
	h := &house{t: t, store: db, ours: actor.OperatorOf(uuid.New()), theirs: actor.OperatorOf(uuid.New())}
	for name, id := range map[string]uuid.UUID{"Ours": h.ours.MerchantID, "Theirs": h.theirs.MerchantID} {
		_, err := db.Pool.Exec(
			t.Context(),
			`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
				VALUES ($1, lower($2), $2, true, now(), now())`,
			id,
			name,
		)
		must(t, err)
	}
	start := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	now := func() time.Time { return start.Add(time.Duration(h.ahead.Load())) }
	h.Service = &member.Service{Store: member.Store{DB: db}, Now: now,
		Letters: letters.Writer{Base: "https://desk.example"}}
	h.users = &user.Service{Store: user.Store{DB: db}, Now: now,
		Letters: letters.Writer{Base: "https://desk.example"}}
	h.thandi = h.person(h.ours, "thandi@example.com", actor.Admin)
	h.lebo = h.person(h.theirs, "lebo@example.com", actor.Admin)
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (h *house) person(of actor.Actor, email string, role actor.Role) user.User {
	h.t.Helper()
	u, err := h.users.Create(h.t.Context(), of, user.Input{Email: email, Name: strings.ToUpper(email[:1]) +
		email[1:strings.Index(email, "@")], Password: password, Role: role})
	must(h.t, err)
	return u
}

func (h *house) wait(d time.Duration) { h.ahead.Add(int64(d)) }

// link is the token in the newest mail of that kind to the address.
func (h *house) link(kind, to string) string {
	h.t.Helper()
	var merchantID, id uuid.UUID
	must(h.t, h.store.Pool.QueryRow(h.t.Context(),
		`SELECT merchant_id, id FROM mails WHERE kind = $1 AND recipient = $2 ORDER BY id DESC LIMIT 1`, kind,
		to).Scan(&merchantID, &id))
	m, err := outbox.Store{DB: h.store}.Mail(h.t.Context(), merchantID, id)
	must(h.t, err)
	text := m.Text
	_, rest, _ := strings.Cut(text, "https://desk.example/invite/")
	token, _, _ := strings.Cut(rest, "\n")
	if len(token) != 43 {
		h.t.Fatalf("no link in %s", text)
	}
	return token
}

func (h *house) invite(email string, terms member.Terms) string {
	h.t.Helper()
	_, err := h.Invite(h.t.Context(), h.thandi.Actor(), member.Input{Email: email, Name: "New", Terms: terms})
	must(h.t, err)
	return h.link(member.MailInvitation, email)
}

func (h *house) join(token string) (user.User, error) {
	return h.Join(h.t.Context(), member.Newcomer{Token: token, Name: "Sipho Dube", Password: password, IP: "10.0.0.7"})
}

func (h *house) count(sql string, args ...any) (n int) {
	h.t.Helper()
	must(h.t, h.store.Pool.QueryRow(h.t.Context(), sql, args...).Scan(&n))
	return n
}

func (h *house) member(id uuid.UUID) member.Member {
	h.t.Helper()
	m, err := h.Find(h.t.Context(), h.ours, id)
	must(h.t, err)
	return m
}

func wants(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.HasCode(err, code) {
		t.Fatalf("got %v; want %s", err, code)
	}
}

var staff = member.Terms{Role: actor.Staff}

func TestSomebodyNewIsInvitedAndJoins(t *testing.T) {
	t.Parallel()
	h := open(t)
	limit := int64(500_00)
	token := h.invite("sipho@example.com", member.Terms{Role: actor.Finance,
		Grants: actor.Grants{actor.Refund: false, actor.Reveal: true, actor.Bill: true}, BatchLimitCents: &limit})
	w, err := h.Welcome(t.Context(), token)
	if err != nil || w.State != member.Open || w.HasAccount || w.Business.Name != "Ours" {
		t.Fatalf("got %+v, %v", w, err)
	}
	u, err := h.join(token)
	must(t, err)
	m := h.member(u.ID)
	if m.Role != actor.Finance || len(m.Grants) != 2 || m.Grants[actor.Refund] || !m.Grants[actor.Reveal] ||
		*m.BatchLimitCents != limit || m.Name != "Sipho Dube" || !m.Active() {
		t.Fatalf("joined as %+v", m)
	}
	in, err := h.users.SignIn(t.Context(), user.Attempt{Email: "sipho@example.com", Password: password, IP: "10.0.0.7"})
	if err != nil || in.MerchantID != h.ours.MerchantID || in.Actor().Can(actor.Refund) || !in.Actor().Can(actor.Reveal) ||
		*in.Actor().BatchLimitCents != limit {
		t.Fatalf("signed in as %+v, %v", in, err)
	}
	if h.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'invitation.accepted' AND merchant_id = $1 AND actor_id = $2
			AND after->>'role' = 'finance'`,
		h.ours.MerchantID,
		u.ID,
	) != 1 ||
		h.count(`SELECT count(*) FROM audit_entries WHERE action = 'invitation.sent' AND merchant_id = $1`,
			h.ours.MerchantID) != 1 {
		t.Fatal("the audit does not tell of it")
	}
	_, err = h.join(token)
	wants(t, err, "invitation_used")
}

func TestALinkHoldsATokenThatIsKeptAsAHashAlone(t *testing.T) {
	t.Parallel()
	h := open(t)
	token, other := h.invite("a@example.com", staff), h.invite("b@example.com", staff)
	if token == other ||
		h.count(
			`SELECT count(*) FROM invitations WHERE encode(token_hash, 'escape') LIKE '%' || $1 || '%'
				OR token_hash = convert_to($1, 'UTF8')`,
			token,
		) != 0 ||
		h.count(`SELECT count(*) FROM audit_entries WHERE to_jsonb(audit_entries)::text LIKE '%' || $1 || '%'`, token) != 0 {
		t.Fatal("the token itself is kept")
	}
	if h.count(`SELECT count(*) FROM invitations WHERE token_hash = $1`, user.TokenHash(token)) != 1 {
		t.Fatal("its hash is not")
	}
}

func TestAnInvitationIsOpenForSevenDays(t *testing.T) {
	t.Parallel()
	h := open(t)
	token := h.invite("sipho@example.com", staff)
	h.wait(7*24*time.Hour - time.Second)
	w, err := h.Welcome(t.Context(), token)
	if err != nil || w.State != member.Open {
		t.Fatalf("a second before: %s, %v", w.State, err)
	}
	h.wait(time.Second)
	if w, err = h.Welcome(t.Context(), token); err != nil || w.State != member.Expired {
		t.Fatalf("after seven days: %s, %v", w.State, err)
	}
	_, err = h.join(token)
	wants(t, err, "invitation_expired")
	again := h.invite("sipho@example.com", staff) // an expired one is no hindrance
	_, err = h.join(token)
	wants(t, err, "invitation_revoked")
	_, err = h.join(again)
	must(t, err)
}

func TestSendingAgainReplacesTheLink(t *testing.T) {
	t.Parallel()
	h := open(t)
	old := h.invite("sipho@example.com", staff)
	var id uuid.UUID
	must(t, h.store.Pool.QueryRow(t.Context(), `SELECT id FROM invitations`).Scan(&id))
	h.wait(8 * 24 * time.Hour) // also when it has expired
	for range 9 {
		_, err := h.Resend(t.Context(), h.thandi.Actor(), id)
		must(t, err)
	}
	_, err := h.Resend(t.Context(), h.thandi.Actor(), id)
	wants(t, err, "invitation_mailed_often")
	if n := h.count(`SELECT count(*) FROM mails WHERE kind = 'invitation'`); n != 10 {
		t.Fatalf("%d mails", n)
	}
	_, err = h.join(old)
	wants(t, err, "not_found")
	_, err = h.join(h.link(member.MailInvitation, "sipho@example.com"))
	must(t, err)
	_, err = h.Resend(t.Context(), h.thandi.Actor(), id)
	if err == nil {
		t.Fatal("an accepted one was sent again")
	}
}

func TestARevokedInvitationOpensNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	token := h.invite("sipho@example.com", staff)
	var id uuid.UUID
	must(t, h.store.Pool.QueryRow(t.Context(), `SELECT id FROM invitations`).Scan(&id))
	must(t, h.Revoke(t.Context(), h.thandi.Actor(), id))
	_, err := h.join(token)
	wants(t, err, "invitation_revoked")
	wants(t, h.Revoke(t.Context(), h.thandi.Actor(), id), "invitation_not_open")
	h.invite("sipho@example.com", staff)
}

func TestTwoAcceptancesAtOnceHaveOneWinner(t *testing.T) {
	t.Parallel()
	h := open(t)
	token := h.invite("sipho@example.com", staff)
	var won atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := h.join(token); err == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || h.count(`SELECT count(*) FROM memberships WHERE merchant_id = $1`, h.ours.MerchantID) != 2 {
		t.Fatalf("%d won", won.Load())
	}
}

func TestAPersonOfAnotherBusinessAcceptsWithTheirAccount(t *testing.T) {
	t.Parallel()
	h := open(t)
	token := h.invite("LEBO@example.com", staff)
	w, err := h.Welcome(t.Context(), token)
	if err != nil || !w.HasAccount {
		t.Fatalf("%+v, %v", w, err)
	}
	_, err = h.join(token)
	wants(t, err, "has_account")
	_, err = h.Accept(t.Context(), h.thandi.Actor(), token)
	wants(t, err, "invitation_of_another")
	u, err := h.Accept(t.Context(), h.lebo.Actor(), token)
	if err != nil || u.MerchantID != h.ours.MerchantID || u.Role != actor.Staff || u.ID != h.lebo.ID {
		t.Fatalf("%+v, %v", u, err)
	}
	_, err = h.Accept(t.Context(), h.lebo.Actor(), token)
	wants(t, err, "invitation_used")
	if at, err := (user.Store{DB: h.store}).User(t.Context(), h.theirs.MerchantID, h.lebo.ID); err != nil ||
		at.Role != actor.Admin {
		t.Fatalf("at home: %+v, %v", at, err)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE merchant_id = $1 AND action LIKE 'invitation%'`,
		h.theirs.MerchantID); n != 0 {
		t.Fatal("the other business learns of it")
	}
	if _, err := h.users.SignIn(t.Context(), user.Attempt{Email: "lebo@example.com", Password: password,
		IP: "10.0.0.7"}); err != nil {
		t.Fatalf("the password did not stay: %v", err)
	}
}

func TestWhoIsInvitedTwiceOrWronglyIsRefusedInWords(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.invite("sipho@example.com", staff)
	negative := int64(-1)
	for name, c := range map[string]struct {
		in   member.Input
		code string
	}{
		"no address":       {member.Input{Terms: staff}, "required"},
		"already invited":  {member.Input{Email: "SIPHO@example.com", Terms: staff}, "already_invited"},
		"a member already": {member.Input{Email: "Thandi@Example.com", Terms: staff}, "already_member"},
		"no such role":     {member.Input{Email: "n@example.com", Terms: member.Terms{Role: "owner"}}, "invalid_choice"},
		"no such permission": {member.Input{Email: "n@example.com",
			Terms: member.Terms{Role: actor.Staff, Grants: actor.Grants{"fly": true}}}, "invalid_choice"},
		"not given singly": {member.Input{Email: "n@example.com",
			Terms: member.Terms{Role: actor.Staff, Grants: actor.Grants{actor.Manage: true}}}, "invalid_choice"},
		"a negative limit": {member.Input{Email: "n@example.com",
			Terms: member.Terms{Role: actor.Staff, BatchLimitCents: &negative}}, "min_value"},
	} {
		if _, err := h.Invite(t.Context(), h.thandi.Actor(), c.in); !fault.HasCode(err, c.code) {
			t.Errorf("%s: %v; want %s", name, err, c.code)
		}
	}
	// An address with an account elsewhere is invited like any other.
	if _, err := h.Invite(t.Context(), h.thandi.Actor(),
		member.Input{Email: "lebo@example.com", Terms: staff}); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyAdminsOfTheBusinessDealWithPeople(t *testing.T) {
	t.Parallel()
	h := open(t)
	sipho := h.person(h.ours, "sipho@example.com", actor.Staff)
	h.invite("new@example.com", staff)
	var id uuid.UUID
	must(t, h.store.Pool.QueryRow(t.Context(), `SELECT id FROM invitations`).Scan(&id))
	ctx := t.Context()
	for _, role := range []actor.Role{actor.Finance, actor.Staff, actor.ReadOnly} {
		who := actor.Actor{Kind: actor.User, ID: uuid.New(), MerchantID: h.ours.MerchantID, Role: role}
		_, list := h.List(ctx, who)
		_, find := h.Find(ctx, who, sipho.ID)
		_, invite := h.Invite(ctx, who, member.Input{})
		_, resend := h.Resend(ctx, who, id)
		for what, err := range map[string]error{"list": list, "find": find, "invite": invite, "resend": resend,
			"revoke": h.Revoke(ctx, who, id), "change": h.Change(ctx, who, sipho.ID, staff),
			"disable": h.Disable(ctx, who, sipho.ID), "enable": h.Enable(ctx, who, sipho.ID),
			"remove": h.Remove(ctx, who, sipho.ID)} {
			if !fault.Is(err, fault.Forbidden) {
				t.Errorf("%s by %s: %v", what, role, err)
			}
		}
	}
	lebo := h.lebo.Actor()
	_, find := h.Find(ctx, lebo, sipho.ID)
	_, resend := h.Resend(ctx, lebo, id)
	for what, err := range map[string]error{"find": find, "resend": resend, "revoke": h.Revoke(ctx, lebo, id),
		"change":  h.Change(ctx, lebo, sipho.ID, staff),
		"disable": h.Disable(ctx, lebo, sipho.ID), "enable": h.Enable(ctx, lebo, sipho.ID),
		"remove": h.Remove(ctx, lebo, sipho.ID)} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s by a stranger: %v", what, err)
		}
	}
	if p, err := h.List(ctx, lebo); err != nil || len(p.Members) != 1 || len(p.Invitations) != 0 {
		t.Fatalf("the stranger sees %+v, %v", p, err)
	}
}

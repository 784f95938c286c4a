package member_test

import (
	"context"
	"sync"
	"testing"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/member"
	"debitdesk/models/user"
)

func (h *house) session(u user.User, id string) {
	h.t.Helper()
	must(h.t, user.Store{DB: h.store}.InsertSession(h.t.Context(), user.Session{Hash: []byte(id), UserID: u.ID,
		MerchantID: u.MerchantID,
		Data:       "{}", CreatedAt: h.Now(), SeenAt: h.Now(), ExpiresAt: h.Now().Add(user.SessionIdle)}))
}

func (h *house) living(id string) bool {
	h.t.Helper()
	_, found, err := user.Store{DB: h.store}.FindSession(h.t.Context(), [][]byte{[]byte(id)}, h.Now(),
		h.Now().Add(-user.SessionAbsolute))
	must(h.t, err)
	return found
}

func TestTermsChangeWithBeforeAndAfterInTheAudit(t *testing.T) {
	t.Parallel()
	h := open(t)
	sipho := h.person(h.ours, "sipho@example.com", actor.Staff)
	limit := int64(0)
	must(t, h.Change(t.Context(), h.thandi.Actor(), sipho.ID,
		member.Terms{Role: actor.Finance, Grants: actor.Grants{actor.DeleteTokens: true}, BatchLimitCents: &limit}))
	m := h.member(sipho.ID)
	if m.Role != actor.Finance || !m.Grants[actor.DeleteTokens] || *m.BatchLimitCents != 0 {
		t.Fatalf("%+v", m)
	}
	if h.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'membership.changed' AND object_id = $1 AND actor_id = $2
			AND before->>'role' = 'staff' AND after->>'role' = 'finance'
		AND after->'grants'->>'delete_tokens' = 'true' AND before->'batch_limit_cents' = 'null'
		AND after->>'batch_limit_cents' = '0'`,
		sipho.ID,
		h.thandi.ID,
	) != 1 {
		t.Fatal("not in the audit")
	}
	must(t, h.Change(t.Context(), h.thandi.Actor(), sipho.ID, m.Terms)) // nothing changes, nothing is noted
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'membership.changed'`); n != 1 {
		t.Fatalf("%d entries", n)
	}
	wants(t, h.Change(t.Context(), h.thandi.Actor(), sipho.ID, member.Terms{Role: "owner"}), "invalid_choice")
}

func TestNobodyChangesThemselves(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.person(h.ours, "sipho@example.com", actor.Admin)
	me, ctx := h.thandi.Actor(), t.Context()
	for what, err := range map[string]error{"change": h.Change(ctx, me, me.ID, staff),
		"disable": h.Disable(ctx, me, me.ID), "remove": h.Remove(ctx, me, me.ID)} {
		if !fault.HasCode(err, "member_is_self") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestTheLastAdminStays(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := t.Context()
	for what, err := range map[string]error{"demoted": h.Change(ctx, h.ours, h.thandi.ID, staff),
		"disabled": h.Disable(ctx, h.ours, h.thandi.ID), "removed": h.Remove(ctx, h.ours, h.thandi.ID)} {
		if !fault.HasCode(err, "last_admin") {
			t.Errorf("%s: %v", what, err)
		}
	}
	second := h.person(h.ours, "sipho@example.com", actor.Admin)
	must(t, h.Disable(ctx, h.ours, second.ID))
	wants(t, h.Remove(ctx, h.ours, h.thandi.ID), "last_admin") // a disabled admin does not count
	must(t, h.Enable(ctx, h.ours, second.ID))
	must(t, h.Remove(ctx, h.ours, h.thandi.ID))
	wants(t, h.Disable(ctx, h.ours, second.ID), "last_admin")
}

func TestTwoAdminsWhoTurnOnEachOtherAtOnceLeaveOne(t *testing.T) {
	t.Parallel()
	acts := map[string]func(*house, context.Context, actor.Actor, user.User) error{
		"demote": func(h *house, ctx context.Context, who actor.Actor, u user.User) error {
			return h.Change(ctx, who, u.ID, staff)
		},
		"disable": func(h *house, ctx context.Context, who actor.Actor, u user.User) error {
			return h.Disable(ctx, who, u.ID)
		},
		"remove": func(h *house, ctx context.Context, who actor.Actor, u user.User) error {
			return h.Remove(ctx, who, u.ID)
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			second := h.person(h.ours, "sipho@example.com", actor.Admin)
			var both sync.WaitGroup
			both.Go(func() { _ = act(h, t.Context(), h.thandi.Actor(), second) })
			both.Go(func() { _ = act(h, t.Context(), second.Actor(), h.thandi) })
			both.Wait()
			if n := h.count(`SELECT count(*) FROM memberships WHERE merchant_id = $1 AND role = 'admin' AND disabled_at IS NULL`,
				h.ours.MerchantID); n != 1 {
				t.Fatalf("%d admins are left", n)
			}
		})
	}
}

func TestDisablingEndsTheSessionsOfThatBusinessAlone(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.Enrol(t.Context(), h.ours, "lebo@example.com", staff)
	must(t, err)
	here, err := user.Store{DB: h.store}.User(t.Context(), h.ours.MerchantID, h.lebo.ID)
	must(t, err)
	h.session(here, "ours")
	h.session(h.lebo, "theirs")
	must(t, h.Disable(t.Context(), h.thandi.Actor(), h.lebo.ID))
	if h.living("ours") || !h.living("theirs") {
		t.Fatal("the wrong sessions ended")
	}
	in, err := h.users.SignIn(t.Context(), user.Attempt{Email: "lebo@example.com", Password: password, IP: "10.0.0.7"})
	if err != nil || in.MerchantID != h.theirs.MerchantID {
		t.Fatalf("signed in to %v, %v", in.MerchantID, err)
	}
	if _, err := h.users.Open(t.Context(), h.lebo.Actor(), h.ours.MerchantID, true); !fault.Is(err, fault.NotFound) {
		t.Fatalf("switched to a business that disabled them: %v", err)
	}
	must(t, h.Enable(t.Context(), h.thandi.Actor(), h.lebo.ID))
	if u, err := h.users.Open(t.Context(), h.lebo.Actor(), h.ours.MerchantID, true); err != nil || u.Role != actor.Staff {
		t.Fatalf("%+v, %v", u, err)
	}
}

func TestWhoIsRemovedEverywhereComesBackByInvitationAlone(t *testing.T) {
	t.Parallel()
	h := open(t)
	sipho := h.person(h.ours, "sipho@example.com", actor.Finance)
	h.session(sipho, "s")
	must(t, h.Remove(t.Context(), h.thandi.Actor(), sipho.ID))
	attempt := user.Attempt{Email: "sipho@example.com", Password: password, IP: "10.0.0.7"}
	if _, err := h.users.SignIn(t.Context(), attempt); !fault.Is(err, fault.Unauthenticated) || h.living("s") {
		t.Fatalf("still in: %v", err)
	}
	if h.count(`SELECT count(*) FROM users WHERE id = $1 AND disabled_at IS NOT NULL`, sipho.ID) != 1 {
		t.Fatal("a process of the release before would let them in")
	}
	token := h.invite("sipho@example.com", staff)
	if w, err := h.Welcome(t.Context(), token); err != nil || w.HasAccount {
		t.Fatalf("%+v, %v", w, err)
	}
	u, err := h.join(token)
	if err != nil || u.ID != sipho.ID {
		t.Fatalf("%+v, %v", u, err)
	}
	if in, err := h.users.SignIn(t.Context(), attempt); err != nil || in.Role != actor.Staff {
		t.Fatalf("%+v, %v", in, err)
	}
}

func TestTheCommandLineAddsAMembershipAndNobodyElseDoes(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.Enrol(t.Context(), h.thandi.Actor(), "lebo@example.com", staff)
	if !fault.Is(err, fault.Forbidden) {
		t.Fatalf("an admin: %v", err)
	}
	u, err := h.Enrol(t.Context(), h.ours, "lebo@example.com", member.Terms{Role: actor.ReadOnly})
	if err != nil || u.Role != actor.ReadOnly {
		t.Fatalf("%+v, %v", u, err)
	}
	_, err = h.Enrol(t.Context(), h.ours, "lebo@example.com", staff)
	wants(t, err, "unique")
}

func TestSigningInGoesToTheBusinessLastUsed(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.Enrol(t.Context(), h.ours, "lebo@example.com", staff)
	must(t, err)
	attempt := user.Attempt{Email: "lebo@example.com", Password: password, IP: "10.0.0.7"}
	for _, to := range []actor.Actor{h.ours, h.theirs, h.ours} {
		h.wait(1)
		who, err := h.users.SignIn(t.Context(), attempt)
		must(t, err)
		h.wait(1e6)
		if _, err := h.users.Open(t.Context(), who.Actor(), to.MerchantID, true); err != nil {
			t.Fatal(err)
		}
		if in, err := h.users.SignIn(t.Context(), attempt); err != nil || in.MerchantID != to.MerchantID {
			t.Fatalf("signed in to %s, %v; want %s", in.MerchantID, err, to.MerchantID)
		}
	}
}

package credential_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// pass lets real time pass.
func (h *house) pass(t *testing.T, d time.Duration) {
	t.Helper()
	h.wait(d)
}

// The clock of the sandbox is moved by days in every trial; a credential lives by
// real time alone (API contract, 12.11).
func TestTheSandboxClockNeitherEndsNorProlongsACredential(t *testing.T) {
	t.Parallel()
	h := open(t)
	ahead := func(d time.Duration) {
		if err := h.store.Clock.MoveTo(t.Context(), h.store.Now().Add(d)); err != nil {
			t.Fatal(err)
		}
	}
	before := h.issue(t, credential.Input{Lifetime: 24 * time.Hour})
	old := h.issue(t, credential.Input{Lifetime: 90 * 24 * time.Hour})
	if _, err := h.Rotate(t.Context(), h.ours, old.ID, time.Hour); err != nil {
		t.Fatal(err)
	}
	ahead(40 * 24 * time.Hour)
	after := h.issue(t, credential.Input{Lifetime: 24 * time.Hour})
	if since := time.Since(after.CreatedAt); since < 0 || since > time.Hour ||
		after.ExpiresAt.Sub(after.CreatedAt) > 24*time.Hour {
		t.Errorf("issued %s ago, until %s", since, after.ExpiresAt)
	}
	works := func(c credential.Issued) bool {
		_, err := h.Verify(t.Context(), c.Token)
		return err == nil
	}
	if !works(before) || !works(old) || !works(after) {
		t.Errorf("the clock of the sandbox ended one: before %v, replaced %v, after %v", works(before), works(old),
			works(after))
	}
	h.wait(2 * time.Hour)
	if works(old) {
		t.Error("the overlap goes on after its hour")
	}
	h.wait(23 * time.Hour)
	if works(before) || works(after) {
		t.Errorf("a day later: before %v, after %v", works(before), works(after))
	}
}

func TestBothTokensWorkDuringTheOverlapAndThenTheNewOneAlone(t *testing.T) {
	t.Parallel()
	for _, overlap := range []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour} {
		t.Run(overlap.String(), func(t *testing.T) {
			t.Parallel()
			h := open(t)
			old := h.issue(t, credential.Input{Scopes: []actor.Scope{actor.ScopeRead}, Lifetime: 90 * 24 * time.Hour})
			h.pass(t, time.Hour)
			at := h.Now()
			next, err := h.Rotate(t.Context(), h.ours, old.ID, overlap)
			if err != nil {
				t.Fatal(err)
			}
			if next.Name != old.Name || !slices.Equal(next.Scopes, old.Scopes) || next.Replaces != old.ID ||
				next.Old.ReplacedBy != next.ID || next.Secret != "" {
				t.Errorf("got %+v", next)
			}
			if life := next.ExpiresAt.Sub(next.CreatedAt); life > 90*24*time.Hour || life < 90*24*time.Hour-2*time.Second {
				t.Errorf("the successor lives %s", life)
			}
			works := func(token string) bool {
				_, err := h.Verify(t.Context(), token)
				return err == nil
			}
			if overlap > 0 {
				h.pass(t, overlap-h.Now().Sub(at)-time.Minute) // real time passes, too
				if !works(old.Token) || !works(next.Token) {
					t.Errorf("a minute before the end: old %v, new %v", works(old.Token), works(next.Token))
				}
				h.pass(t, 2*time.Minute)
			}
			if works(old.Token) || !works(next.Token) {
				t.Errorf("after the end: old %v, new %v", works(old.Token), works(next.Token))
			}
		})
	}
}

func TestATokenEndsNoLaterForBeingRotated(t *testing.T) {
	t.Parallel()
	h := open(t)
	old := h.issue(t, credential.Input{Lifetime: time.Hour})
	next, err := h.Rotate(t.Context(), h.ours, old.ID, 24*time.Hour)
	if err != nil || !next.Old.ExpiresAt.Equal(old.ExpiresAt) {
		t.Errorf("ends %s instead of %s, %v", next.Old.ExpiresAt, old.ExpiresAt, err)
	}
}

func TestBothSecretsOfAClientWorkDuringTheOverlapAndItsTokensEndWithIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	old, err := h.IssueClient(t.Context(), h.ours, credential.Input{Name: "ERP"})
	if err != nil {
		t.Fatal(err)
	}
	exchange := func(id, secret string) (string, error) {
		out, err := h.Exchange(t.Context(), credential.Request{ClientID: id, Secret: secret})
		return out.Token, err
	}
	before, err := exchange(old.ClientID, old.Secret)
	if err != nil {
		t.Fatal(err)
	}
	at := h.Now()
	next, err := h.Rotate(t.Context(), h.ours, old.ID, time.Hour)
	if err != nil || next.Secret == "" || next.Secret == old.Secret || next.Token != "" || !next.ExpiresAt.IsZero() {
		t.Fatalf("got %+v, %v", next, err)
	}
	h.pass(t, time.Hour-h.Now().Sub(at)-time.Minute)
	during, err := exchange(old.ClientID, old.Secret)
	if err != nil {
		t.Errorf("the old secret during the overlap: %v", err)
	}
	fresh, err := exchange(next.ID.String(), next.Secret)
	if err != nil {
		t.Errorf("the new secret during the overlap: %v", err)
	}
	for _, token := range []string{before, during, fresh} {
		if _, err := h.Verify(t.Context(), token); err != nil {
			t.Errorf("during the overlap: %v", err)
		}
	}
	h.pass(t, 2*time.Minute)
	_, err = exchange(old.ClientID, old.Secret)
	wantRefused(t, err)
	for _, token := range []string{before, during} {
		_, err = h.Verify(t.Context(), token)
		wantRefused(t, err)
	}
	if _, err := h.Verify(t.Context(), fresh); err != nil {
		t.Errorf("the successor's token: %v", err)
	}
	if _, err := exchange(next.ID.String(), next.Secret); err != nil {
		t.Errorf("the new secret afterwards: %v", err)
	}
}

func TestWhatCannotBeRotated(t *testing.T) {
	t.Parallel()
	h := open(t)
	rotate := func(who actor.Actor, id uuid.UUID, overlap time.Duration) error {
		_, err := h.Rotate(t.Context(), who, id, overlap)
		return err
	}
	one := h.issue(t, credential.Input{})
	for _, overlap := range []time.Duration{-time.Second, credential.MaxOverlap + time.Second} {
		if err := rotate(h.ours, one.ID, overlap); !fault.Is(err, fault.Invalid) {
			t.Errorf("an overlap of %s: %v", overlap, err)
		}
	}
	if err := rotate(h.theirs, one.ID, 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("by a stranger: %v", err)
	}
	staff := h.ours
	staff.Role = actor.Staff
	if err := rotate(staff, one.ID, 0); !fault.Is(err, fault.Forbidden) {
		t.Errorf("by staff: %v", err)
	}
	if err := rotate(h.ours, one.ID, time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := rotate(h.ours, one.ID, time.Hour); !fault.HasCode(err, "credential_not_active") {
		t.Errorf("a second time: %v", err)
	}
	revoked := h.issue(t, credential.Input{})
	if _, err := h.Revoke(t.Context(), h.ours, revoked.ID); err != nil {
		t.Fatal(err)
	}
	if err := rotate(h.ours, revoked.ID, 0); !fault.HasCode(err, "credential_not_active") {
		t.Errorf("a revoked one: %v", err)
	}
	client, err := h.IssueClient(t.Context(), h.ours, credential.Input{Name: "ERP"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.Exchange(t.Context(), credential.Request{ClientID: client.ClientID, Secret: client.Secret})
	if err != nil {
		t.Fatal(err)
	}
	if err := rotate(h.ours, token.ID, 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("an exchanged token: %v", err)
	}
	over := h.issue(t, credential.Input{Lifetime: time.Minute})
	h.pass(t, 2*time.Minute)
	if err := rotate(h.ours, over.ID, 0); !fault.HasCode(err, "credential_not_active") {
		t.Errorf("an expired one: %v", err)
	}
}

func TestOfTwoRotationsAtOnceOneWins(t *testing.T) {
	t.Parallel()
	h := open(t)
	old := h.issue(t, credential.Input{})
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			_, err := h.Rotate(t.Context(), h.ours, old.ID, time.Hour)
			done <- err
		}()
	}
	won := 0
	for range cap(done) {
		if err := <-done; err == nil {
			won++
		} else if !fault.HasCode(err, "credential_not_active") {
			t.Error(err)
		}
	}
	var kept, audited int
	row := h.store.Pool.QueryRow(
		t.Context(),
		`SELECT (SELECT count(*) FROM credentials WHERE replaces = $1),
			(SELECT count(*) FROM audit_entries WHERE object_id = $1 AND action = 'credential.replaced')`,
		old.ID,
	)
	if err := row.Scan(&kept, &audited); err != nil || won != 1 || kept != 1 || audited != 1 {
		t.Errorf("%d won, %d successors, %d audit entries, %v", won, kept, audited, err)
	}
}

func TestARotationWithoutOverlapIsSeenByEveryProcessAtOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	old := h.issue(t, credential.Input{})
	other, err := database.Open(t.Context(), h.store.Pool.Config().ConnString(),
		database.Options{Sandbox: true, MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	elsewhere := &credential.Service{Store: credential.Store{DB: other}, Keys: h.Keys, Now: h.Now,
		Issuer: h.Issuer}
	if _, err := elsewhere.Verify(t.Context(), old.Token); err != nil {
		t.Fatal(err)
	}
	next, err := h.Rotate(t.Context(), h.ours, old.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = elsewhere.Verify(t.Context(), old.Token)
	wantRefused(t, err)
	if _, err := elsewhere.Verify(t.Context(), next.Token); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Revoke(t.Context(), h.ours, next.ID); err != nil {
		t.Fatal(err)
	}
	_, err = elsewhere.Verify(t.Context(), next.Token)
	wantRefused(t, err)
}

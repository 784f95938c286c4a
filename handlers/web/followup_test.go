package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/attention"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/paging"
	"debitdesk/models/upkeep"
)

// waiting counts what needs attention: the badge, home and the check of kept figures say the same.
func (b business) waiting(want int, when string) {
	b.t.Helper()
	for range 2 { // before and after what changed was worked off
		n, err := attention.Store{DB: b.Store}.Count(b.t.Context(), b.A.ID, b.Store.Now().AddDate(0, 0, -30))
		if n != want || err != nil {
			b.t.Errorf("%s: %d wait, want %d, %v", when, n, want, err)
		}
		sum := 0
		for href, line := range b.followed() {
			if !strings.Contains(href, "failed_since") {
				n := 0
				for _, digit := range countIn(line) {
					n = n*10 + int(digit-'0')
				}
				sum += n
			}
		}
		if sum != want {
			b.t.Errorf("%s: home says %d, want %d", when, sum, want)
		}
		if wrong, err := (upkeep.Store{DB: b.Store}).WrongFigures(b.t.Context()); len(wrong) > 0 || err != nil {
			b.t.Errorf("%s: %v %v", when, wrong, err)
		}
		if _, err := b.Store.Pool.Exec(b.t.Context(), "SELECT fold_figures(1000000)"); err != nil {
			b.t.Fatal(err)
		}
		if _, err := b.Store.Pool.Exec(b.t.Context(), "SELECT fold_figures(1000000)"); err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestWhatNeedsAttentionIsPutOffClosedAndPromised(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002") // fails on the second day
	id := b.charged(client, token, 30007, 4)
	b.later(7)
	ctx, staff, service := t.Context(), b.A.Staff.Actor(), b.Followups
	purchase := followup.Object{Type: followup.Purchase, ID: uuid.MustParse(id)}
	failed := []followup.Item{{Kind: "failed", ObjectID: purchase.ID}}
	b.waiting(1, "after the failure")

	t.Run("only who may, and only its own", func(t *testing.T) {
		for who, kind := range map[*actor.Actor]fault.Kind{ptr(b.A.Reader.Actor()): fault.Forbidden,
			ptr(b.B.Staff.Actor()): fault.NotFound} {
			if _, err := service.AddNote(ctx, *who, []followup.Object{purchase}, "Hello"); !fault.Is(err, kind) {
				t.Errorf("note: %v", err)
			}
			if _, err := service.AddPromise(ctx, *who, purchase, followup.Promising{DueOn: dayOf(b).AddDays(1)}); !fault.Is(err,
				kind) {
				t.Errorf("promise: %v", err)
			}
			if _, err := service.Assign(ctx, *who, []followup.Object{purchase}, who.ID); !fault.Is(err, kind) {
				t.Errorf("owner: %v", err)
			}
			if kind == fault.NotFound {
				kind = fault.Conflict // nothing of theirs waits
			}
			if _, err := service.Snooze(ctx, *who, failed, dayOf(b).AddDays(1)); !fault.Is(err, kind) {
				t.Errorf("snooze: %v", err)
			}
		}
		if _, err := service.Assign(ctx, staff, []followup.Object{purchase}, b.B.Staff.ID); !fault.Is(err, fault.Invalid) {
			t.Errorf("a stranger looks after it: %v", err)
		}
	})

	t.Run("notes and calls", func(t *testing.T) {
		about := []followup.Object{purchase, {Type: followup.Client, ID: uuid.MustParse(client)},
			{Type: followup.Token, ID: uuid.MustParse(token)}, {Type: followup.Mandate, ID: uuid.MustParse(token)}, purchase}
		if n, err := service.AddNote(ctx, staff, about, " Calls back on Friday. "); n != 4 || err != nil {
			t.Fatalf("%d %v", n, err)
		}
		if _, err := service.LogCall(ctx, staff, about[:1],
			followup.Call{Outcome: followup.Reached, Phone: "082 123 4567"}); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []string{"", "   ", "ID 8001015009087", "card 4000 1234 1234 1234", strings.Repeat("x", 2001)} {
			if _, err := service.AddNote(ctx, staff, about, wrong); !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		all, err := service.Store.NotesOfClient(ctx, b.A.ID, uuid.MustParse(client), paging.Ask{Limit: 10})
		if err != nil || len(all.Items) != 5 || all.Items[0].Phone != "27821234567" ||
			all.Items[1].Text != "Calls back on Friday." {
			t.Errorf("%+v %v", all.Items, err)
		}
		calls, err := service.Store.LastCalls(ctx, b.A.ID, []uuid.UUID{uuid.MustParse(client)})
		if err != nil || calls[uuid.MustParse(client)].Outcome != followup.Reached {
			t.Errorf("%+v %v", calls, err)
		}
	})

	t.Run("snoozed", func(t *testing.T) {
		until := dayOf(b).AddDays(2)
		if _, err := service.Snooze(ctx, staff, failed, dayOf(b)); !fault.Is(err, fault.Invalid) {
			t.Errorf("until today: %v", err)
		}
		if n, err := service.Snooze(ctx, staff, failed, until); n != 1 || err != nil {
			t.Fatalf("%d %v", n, err)
		}
		b.waiting(0, "while it is snoozed")
		if strings.Contains(b.Page(b.A.Staff, "GET", "/purchases?attention=failed", nil).Want(http.StatusOK).Body, id) {
			t.Error("the list of what failed shows what is snoozed")
		}
		b.later(1)
		b.waiting(0, "a day before")
		b.later(1)
		b.waiting(1, "on its day")
	})

	t.Run("closed, undone, and failed anew", func(t *testing.T) {
		if _, err := service.Close(ctx, staff, failed, "mood"); !fault.Is(err, fault.Invalid) {
			t.Errorf("no reason: %v", err)
		}
		must(t, second(service.Close(ctx, staff, failed, followup.Agreed)))
		b.waiting(0, "when it was closed")
		done, err := service.Store.DoneSince(ctx, b.A.ID, dayOf(b).At(0, 0), 10)
		if err != nil || len(done) != 1 || done[0].Reason != followup.Agreed {
			t.Errorf("%+v %v", done, err)
		}
		must(t, second(service.Reopen(ctx, staff, failed)))
		b.waiting(1, "when that was undone")
		if _, err := service.Reopen(ctx, staff, failed); !fault.Is(err, fault.Conflict) {
			t.Errorf("undone twice: %v", err)
		}
		must(t, second(service.Close(ctx, staff, failed, followup.Agreed)))
		rec, err := b.Purchases.Get(ctx, staff, purchase.ID)
		must(t, err)
		again, err := b.Purchases.Again(ctx, rec)
		must(t, err)
		must(t, second(b.Purchases.ChargeOn(ctx, staff, purchase.ID, uuid.MustParse(token), again.From)))
		b.waiting(0, "when it is to be debited again")
		b.later(40)
		b.waiting(1, "when it failed again")
	})

	t.Run("promised", func(t *testing.T) {
		p, err := service.AddPromise(ctx, staff, purchase, followup.Promising{DueOn: dayOf(b).AddDays(2)})
		if err != nil || p.AmountCents != 30007 {
			t.Fatalf("%+v %v", p, err)
		}
		b.waiting(0, "until the day of the promise")
		b.later(2)
		b.waiting(0, "on the day of the promise")
		b.later(1)
		b.waiting(1, "on the day after it")
		must(t, second(service.SettlePromise(ctx, staff, p.ID, followup.Broken)))
		b.waiting(1, "when the promise was broken, for the debit failed")
		if _, err := service.SettlePromise(ctx, staff, p.ID, followup.Kept); !fault.Is(err, fault.Conflict) {
			t.Errorf("settled twice: %v", err)
		}
		_, err = service.AddPromise(ctx, staff, purchase, followup.Promising{DueOn: dayOf(b), AmountCents: 30008})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("more than it comes to: %v", err)
		}
		must(t, second(service.AddPromise(ctx, staff, purchase, followup.Promising{DueOn: dayOf(b)})))
		must(t, second(service.AddPromise(ctx, staff, purchase, followup.Promising{DueOn: dayOf(b), AmountCents: 20000})))
		b.waiting(0, "until the day of the newer promise is over")
		b.API("POST", "/purchases/"+id+"/mark_as_paid/", map[string]any{}).Want(200)
		b.waiting(0, "when it is paid")
		promises, err := service.Store.PromisesOf(ctx, b.A.ID, uuid.MustParse(client), 10)
		if err != nil || len(promises) != 3 || promises[0].Standing(dayOf(b)) != followup.Kept ||
			promises[1].State != followup.Withdrawn {
			t.Errorf("%+v %v", promises, err)
		}
	})
	if n := b.Count(`SELECT count(*) FROM audit_entries WHERE action LIKE 'followup.%' AND text LIKE '%Friday%'`); n != 0 {
		t.Errorf("%d entries keep what a note says", n)
	}
	b.Page(b.A.Owner, "GET", "/purchases/"+id, nil).Want(http.StatusOK).Contains("Closed: agreed with the client.")
}

func ptr[T any](v T) *T { return &v }

func second[T any](_ T, err error) error { return err }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

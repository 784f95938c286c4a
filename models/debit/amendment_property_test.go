package debit_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"debitdesk/models/amendment"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/storetest/thorough"
	"debitdesk/models/token"
)

// replacing is one stored account to which everything happens in any order.
type replacing struct {
	*house
	t         *rapid.T
	old       uuid.UUID
	amendment uuid.UUID
	charged   []uuid.UUID
}

// refusedOr: refusals are answers; anything else is a defect.
func (r *replacing) refusedOr(err error) {
	if _, refused := fault.From(err); err != nil && !refused {
		r.t.Fatal(err)
	}
}

// next25th is a deduction day that a charge now can reach.
func (r *replacing) next25th() calendar.Date {
	d := calendar.DateOf(r.store.Now().AddDate(0, 0, 4))
	for d.Day != 25 {
		d = d.AddDays(1)
	}
	return d
}

func (r *replacing) act(what string) {
	switch what {
	case "charge":
		rec, err := r.charge(r.old, rapid.SampledFrom([]int64{9900, 12000, 12001}).Draw(r.t, "cents"), r.next25th())
		if r.refusedOr(err); err == nil {
			r.charged = append(r.charged, rec.ID)
		}
	case "amend":
		account := rapid.SampledFrom([]string{"4000000000", "4000008002", "4000008480", "4000008600"}).Draw(r.t, "account")
		a, err := r.amendments.Amend(ctx, r.who, r.old, toDebiCheck(account, 9900, 12000))
		if r.refusedOr(err); err == nil {
			r.amendment = a.ID
		}
	case "delete":
		r.refusedOr(r.deletions.DeleteToken(ctx, r.program(), uuid.Nil, r.old))
	case "cancel":
		if len(r.charged) > 0 {
			_, err := r.purchases.Cancel(ctx, r.who, rapid.SampledFrom(r.charged).Draw(r.t, "which"))
			r.refusedOr(err)
		}
	case "take over":
		if r.amendment != uuid.Nil {
			_, err := r.amendments.TakeOver(ctx, r.who, r.amendment, r.agreed(r.amendment))
			r.refusedOr(err)
		}
	case "abandon":
		if r.amendment != uuid.Nil {
			_, err := r.amendments.Abandon(ctx, r.who, r.amendment)
			r.refusedOr(err)
		}
	case "minutes":
		r.to(r.store.Now().Add(3 * time.Minute))
	case "days":
		days := rapid.IntRange(1, 12).Draw(r.t, "days")
		r.to(calendar.DateOf(r.store.Now()).AddDays(days).At(9, 0))
	}
}

// Whatever is charged, cancelled, deleted, answered and taken over in between:
// nothing waits on a token that ended, nothing is collected twice or above the new
// terms, and a take-over leaves one of the two tokens in use.
func TestAnAmendmentKeepsItsPromisesInAnyOrder(t *testing.T) {
	t.Parallel()
	h := amending(t)
	thorough.Check(t, func(t *rapid.T) {
		if now := h.store.Now().In(calendar.SAST); now.Hour() < 8 || now.Hour() > 18 {
			h.to(calendar.DateOf(now).AddDays(1).At(9, 0))
		}
		r := &replacing{house: h, t: t, old: h.tokenise("4000000000", 0).ID}
		acts := rapid.SampledFrom([]string{"charge", "charge", "amend", "amend", "minutes", "minutes", "days", "take over",
			"take over", "take over", "abandon", "cancel", "delete"})
		plain := []string{"charge", "amend", "minutes",
			"take over"}[:rapid.SampledFrom([]int{0, 4}).Draw(t, "begins plainly")]
		for _, what := range append(plain, rapid.SliceOfN(acts, 3, 12).Draw(t, "acts")...) {
			r.act(what)
			r.keeps()
		}
	})
	if n := h.number(`SELECT count(*) FROM amendments WHERE state = 'done' AND moved > 0`); n == 0 {
		t.Error("no take-over moved anything, so that nothing was tried")
	}
}

func (r *replacing) keeps() {
	if n := r.number(
		`SELECT count(*) FROM collections c JOIN tokens t ON t.id = c.token_id
			WHERE c.state = 'scheduled' AND t.state IN ('deleted', 'superseded')`,
	); n != 0 {
		r.t.Fatalf("%d debits wait on a token that ended", n)
	}
	if n := r.number(
		`SELECT count(*) FROM (SELECT purchase_id FROM collections WHERE state NOT IN ('cancelled', 'unpaid', 'recalled')
			GROUP BY purchase_id HAVING count(*) > 1) AS twice`,
	); n != 0 {
		r.t.Fatalf("%d purchases have two debits", n)
	}
	if n := r.number(`SELECT count(*) FROM collections c WHERE c.method = $1 AND c.amount_cents > 12000`,
		string(bank.DebiCheck)); n != 0 {
		r.t.Fatalf("%d debits above the new terms", n)
	}
	if r.amendment == uuid.Nil {
		return
	}
	a := r.sheet(r.amendment)
	if old := a.Old.Token.State; a.State == amendment.AmendmentDone && old != token.Superseded && old != token.Deleted ||
		a.State == amendment.AmendmentOpen && old == token.Superseded {
		r.t.Fatalf("the amendment is %s and the old token %s", a.State, old)
	}
}

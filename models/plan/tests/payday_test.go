package tests

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/plan"
)

// A client who pays right after the 15th and at no other time is waited for until then; one who shows no pay day until
// the day of the plan. The rehearsal finds the same days by what was known at the time.
func TestAPlanWaitsForTheLikelyPayDayOfEachClient(t *testing.T) {
	h := open(t)
	p := h.plan(plan.Steps{plan.Money: {{Kind: plan.WaitLikely, N: 20}, {Kind: plan.Task, Text: "Call."}}})
	var ids, clients []uuid.UUID
	for range 2 {
		clientID, tokenID := h.stored()
		clients = append(clients, clientID)
		ids = append(ids, h.charged(clientID, tokenID, nov(25)))
	}
	for day, state := range map[string]string{"2026-07-15": "final", "2026-08-17": "final", "2026-09-15": "final",
		"2026-10-15": "final", "2026-08-25": "unpaid", "2026-09-25": "unpaid", "2026-10-26": "unpaid"} {
		h.exec(`WITH one AS (INSERT INTO purchases SELECT (jsonb_populate_record(p, jsonb_build_object(
				'id', gen_random_uuid()))).* FROM purchases p WHERE p.id = $1 RETURNING id)
			INSERT INTO collections SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),
				'purchase_id', one.id, 'action_date', $2::text, 'state', $3::text, 'result_code', '02',
				'result_at', $2::text || 'T10:00:00Z', 'final_at', $2::text || 'T10:00:00Z'))).*
				FROM collections c, one WHERE c.purchase_id = $1`, ids[0], day, state)
	}
	once, err := collection.Store{DB: h.store}.KnownTries(ctx, h.who.MerchantID, clients)
	must(t, err)
	twice, err := collection.Store{DB: h.store}.KnownTries(ctx, h.who.MerchantID, slices.Concat(clients, clients))
	must(t, err)
	if len(once[clients[0]]) != 7 || !reflect.DeepEqual(once, twice) {
		t.Errorf("%d debits of a client tell of a pay day, and %d of one who is named twice", len(once[clients[0]]),
			len(twice[clients[0]]))
	}
	h.to(nov(26).At(9, 0))
	for _, id := range ids {
		h.answer(id, "02")
	}
	want := []calendar.Date{dec(15), dec(18)} // the 20th is a Sunday
	h.to(dec(14).At(12, 0))
	for i, id := range ids {
		if n := h.number(`SELECT count(*) FROM plan_runs WHERE purchase_id = $1 AND state = 'waiting'
			AND due_at = $2`, id, want[i].At(8, 0)); n != 1 {
			t.Errorf("the run of client %d does not wait until %s", i+1, want[i])
		}
	}
	h.to(dec(21).At(12, 0))
	r, err := h.use.Plans.Rehearse(ctx, h.who, p.ID, nov(1))
	must(t, err)
	for i, id := range ids {
		was, is := ran(h.taken(h.run(id))), rehearsed(r, id)
		if len(was) != 2 || len(is) != 2 || was[1] != is[1] || is[1].Kind != plan.Task || is[1].On != want[i] {
			t.Errorf("client %d: the run\n%v\nthe rehearsal\n%v", i+1, was, is)
		}
	}
}

package handlers_test

import (
	"net/url"

	"github.com/google/uuid"
)

// plans are made, changed, paused and ended by several at once, and so is what one does about a purchase.
func (c *callers) plans() {
	steps := func(name string) url.Values {
		return form("name", name, "money.0", "task", "form_key", uuid.NewString())
	}
	c.exec(`UPDATE plans SET state = 'ended' WHERE merchant_id = $1`, c.A.ID)
	c.all("POST /plans", func(int) ask { return ask{body: steps("Weekly")} }, 303, 422)
	ids := c.column(`SELECT id::text FROM plans WHERE merchant_id = $1 AND state <> 'ended'`, c.A.ID)
	if len(ids) != 1 {
		c.t.Errorf("%d plans answer for the same debits", len(ids))
	}
	c.all("POST /plans/:id", func(int) ask { return ask{ids: ids, body: steps("Weekly")} }, 303)
	c.all("POST /plans/:id/state", func(i int) ask {
		return ask{ids: ids, body: form("state", []string{"paused", "active"}[i%2])}
	}, 303)
	run := c.column(`INSERT INTO plan_runs (id, merchant_id, plan_id, version, purchase_id, token_id, mandate_id,
			collection_id, method, branch, cause, code, failed_on, day, state, due_at, started_at, updated_at)
		SELECT gen_random_uuid(), p.merchant_id, $1::uuid, 1, p.id, p.id, p.id, p.id, 'eft', 'money', 'no_funds', '02',
			'2026-11-25', '2026-11-25', 'waiting', p.created_at, p.created_at, p.created_at
		FROM purchases p WHERE p.merchant_id = $2 ORDER BY p.id LIMIT 1 RETURNING purchase_id::text || id`, ids[0], c.A.ID)
	c.all("POST /purchases/:id/plan", func(i int) ask {
		return ask{ids: []string{run[0][:36]}, body: form("run", run[0][36:], "do", []string{"hold", "resume"}[i%2])}
	}, 303)
	c.all("POST /plans/:id/moving", func(int) ask { return ask{ids: ids, body: form("version", "1")} }, 303)
	c.exec(`DELETE FROM plan_runs WHERE merchant_id = $1`, c.A.ID)
	c.all("POST /plans/:id/ending", func(int) ask { return ask{ids: ids, body: url.Values{}} }, 303)
}

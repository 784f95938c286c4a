package prove

// ofPlans holds of plans at every moment between two transactions.
var ofPlans = []sentence{
	{"a plan never debits again what the client stopped or disputed", `SELECT s.run_id || '/' || s.n FROM plan_steps s
		JOIN plan_runs r ON r.id = s.run_id WHERE s.kind = 'debit_again' AND s.outcome = 'done' AND r.branch <> 'money'`},
	{"what a plan debits again is a debit of its purchase", `SELECT s.run_id || '/' || s.n
		FROM plan_steps s JOIN plan_runs r ON r.id = s.run_id LEFT JOIN collections c ON c.id = s.made_id
		AND c.purchase_id = r.purchase_id AND c.merchant_id = s.merchant_id
		WHERE s.kind = 'debit_again' AND s.outcome = 'done' AND c.id IS NULL`},
	{"a debit is of one step", `SELECT made_id || ': ' || count(*) FROM plan_steps WHERE made_id IS NOT NULL
		GROUP BY made_id HAVING count(*) > 1`},
	{"a reminder leaves once for each step", `SELECT r.purchase_id || ': ' || count(*) || ' steps, ' || (SELECT count(*)
		FROM mails m WHERE m.purchase_id = r.purchase_id AND m.kind = 'reminder')
		FROM plan_steps s JOIN plan_runs r ON r.id = s.run_id
		WHERE s.kind = 'message' AND s.outcome = 'done' GROUP BY r.purchase_id HAVING count(*) <> (SELECT count(*)
			FROM mails m WHERE m.purchase_id = r.purchase_id AND m.kind = 'reminder')`},
	{"no plan takes steps while a debit is under way", `SELECT r.id || ' ' || c.state FROM plan_runs r
		JOIN collections c ON c.purchase_id = r.purchase_id
		WHERE r.state = 'waiting' AND c.state IN ('scheduled', 'submitted', 'in_tracking')`},
	{"no plan works on what is not owed", `SELECT r.id || ' ' || p.status FROM plan_runs r
		JOIN purchases p ON p.id = r.purchase_id WHERE r.state IN ('waiting', 'with_person') AND NOT is_owed(p.status)`},
	{"no plan works on an account that was deleted", `SELECT r.id::text FROM plan_runs r
		JOIN tokens t ON t.id = r.token_id WHERE r.state = 'waiting' AND t.state = 'deleted'`},
	{"an open promise holds the plan", `SELECT r.id::text FROM plan_runs r JOIN promises p ON p.purchase_id = r.purchase_id
		WHERE r.state = 'waiting' AND p.state = 'open'
			AND p.due_on >= (SELECT product_today())`},
}

// queued holds of plans and the queue when nothing is due any more.
var queued = []sentence{
	{"no step of a plan is late", `SELECT r.id || ' ' || r.due_at FROM plan_runs r
		JOIN plans p ON p.id = r.plan_id AND p.state = 'active', sandbox_clock c
		WHERE r.state = 'waiting' AND r.due_at < now() + make_interval(secs => c.offset_micros / 1e6) - interval '1 minute'`},
	{"what failed and is owed is in the queue", `SELECT p.id || ' ' || p.status || ' ' || last.state FROM purchases p
		JOIN LATERAL (SELECT c.state FROM collections c WHERE c.purchase_id = p.id ORDER BY c.created_at DESC, c.id DESC
			LIMIT 1) last ON true
		WHERE is_owed(p.status) AND last.state IN ('unpaid', 'recalled', 'disputed', 'dispute_lost')
			AND NOT EXISTS (SELECT FROM attention_facts a WHERE a.merchant_id = p.merchant_id AND a.object_id = p.id)`},
}

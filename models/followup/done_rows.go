package followup

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
)

// DoneSince is what left the list since a moment, newest first: acts that still hold, and what was solved and does not
// wait again.
func (s Store) DoneSince(ctx context.Context, merchantID uuid.UUID, since time.Time,
	limit int) (found []Done, err error) {
	err = s.Gorm(ctx).Scopes(database.GenericPlan).Raw(`WITH done AS MATERIALIZED (
			(SELECT object_id, kind, at AS began, state, hidden_until::text AS hidden_until, reason, actor, acted_at AS at
				FROM followups WHERE merchant_id = ? AND acted_at >= ? AND state <> 'open' ORDER BY acted_at DESC LIMIT ?)
			UNION ALL (SELECT object_id, kind, NULL, 'solved', '', '', '', solved_at
				FROM attention_solved WHERE merchant_id = ? AND solved_at >= ? ORDER BY solved_at DESC LIMIT ?))
		SELECT d.object_id, d.kind, d.state, d.hidden_until, d.reason,
		coalesce(nullif(d.actor, ''), who.actor_name, '') AS actor,
			d.at, coalesce(nullif(p.payer_name, ''), p.payer_email, nullif(`+client.NameIn("k.")+`, ''),
				f.recipient, '') AS name,
			coalesce(nullif(p.reference, ''), p.reference_generated, t.account_mask,
			m.contract_reference, b.title, f.subject, rq.about, '')
				AS reference,
			coalesce(p.id, pr.purchase_id, f.purchase_id) AS purchase_id, s.template_id, k.id AS client_id,
			coalesce(p.status, '') AS status, coalesce(pr.state, '') AS settled
		FROM done d
			LEFT JOIN purchases p ON p.id = d.object_id AND p.merchant_id = ?
				AND d.kind NOT IN ('blocked', 'replaced', 'suspended', 'idle', 'stranded', 'terms', 'mail', 'promise', 'request')
			LEFT JOIN tokens t ON d.kind IN ('blocked', 'replaced') AND t.id = d.object_id AND t.merchant_id = ?
			LEFT JOIN mandates m ON d.kind IN ('suspended', 'idle') AND m.id = d.object_id AND m.merchant_id = ?
			LEFT JOIN template_clients s ON d.kind IN ('stranded', 'terms') AND s.id = d.object_id AND s.merchant_id = ?
			LEFT JOIN billing_templates b ON b.id = s.template_id
			LEFT JOIN mails f ON d.kind = 'mail' AND f.id = d.object_id AND f.merchant_id = ?
			LEFT JOIN promises pr ON d.kind = 'promise' AND pr.merchant_id = ? AND pr.id = d.object_id
			LEFT JOIN client_requests rq ON d.kind = 'request' AND rq.merchant_id = ? AND rq.id = d.object_id
			LEFT JOIN clients k ON k.id = coalesce(p.client_id, t.client_id, m.client_id, s.client_id, pr.client_id, f.client_id,
				rq.client_id)
			LEFT JOIN LATERAL (SELECT a.actor_name FROM (SELECT actor_kind, actor_name FROM audit_entries a
					WHERE d.state = 'solved' AND d.kind <> 'mail' AND a.merchant_id = ? AND a.at <= d.at
						AND a.purchase_id = coalesce(p.id, t.id, m.id, pr.purchase_id)
						AND (d.kind = 'promise' OR a.action NOT LIKE 'followup.%') ORDER BY a.id DESC LIMIT 1) a
				WHERE a.actor_kind = 'user') who ON true
			CROSS JOIN LATERAL (SELECT count(*) AS n FROM (SELECT w.kind, w.at FROM attention_facts w
					WHERE w.object_id = d.object_id AND w.merchant_id = ? OFFSET 0) w
				WHERE w.kind = d.kind AND w.at = coalesce(d.began, w.at)) waits
		WHERE (waits.n > 0) = (d.state <> 'solved') AND coalesce(p.id, t.id, m.id, s.id, f.id, pr.id, rq.id) IS NOT NULL
		ORDER BY d.at DESC LIMIT ?`,
		merchantID, since, limit, merchantID, since, limit,
		merchantID, merchantID, merchantID, merchantID, merchantID, merchantID, merchantID, merchantID, merchantID, limit).
		Find(&found).Error
	return found, err
}

// Tidy forgets what was solved before a moment.
func (s Store) Tidy(ctx context.Context, before time.Time) error {
	return s.InChunks(ctx, `DELETE FROM attention_solved WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM attention_solved WHERE solved_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, before)
}

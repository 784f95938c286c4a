package followup

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// whose is what is shown of the client k of a purchase p.
const whose = `p.client_id, coalesce(nullif(p.payer_name, ''), p.payer_email) AS name, coalesce(k.phone, '') AS phone,
	coalesce(nullif(p.reference, ''), p.reference_generated) AS reference, p.total_cents AS cents, p.currency`

// LinksEnding are the purchases that can no longer be paid after a moment between two, the earliest first.
func (s Store) LinksEnding(ctx context.Context, merchantID uuid.UUID, from, to time.Time,
	limit int) (found []Ending, err error) {
	err = s.Gorm(ctx).Raw(`SELECT 'link' AS kind, p.id AS object_id, p.pass_at AS at, `+whose+`
		FROM (SELECT * FROM purchases WHERE merchant_id = ? AND due_strict AND pass_at IS NOT NULL
		AND pass_at > ? AND pass_at <= ?
				ORDER BY pass_at LIMIT ?) p
			LEFT JOIN clients k ON k.id = p.client_id WHERE is_owed(p.status)
			ORDER BY p.pass_at, p.id`, merchantID, from, to, limit).Find(&found).Error
	return found, err
}

// RequestsEnding are the requests to confirm a mandate that run out between two moments, the earliest first. A request
// in real time is answered or over within two minutes, and is none of them.
func (s Store) RequestsEnding(ctx context.Context, merchantID uuid.UUID, from, to time.Time,
	limit int) (found []Ending, err error) {
	err = s.Gorm(ctx).Raw(`SELECT 'request' AS kind, p.id AS object_id, a.expires_at AS at,
			a.method = 'FALLBACK' AS registered, `+whose+`
		FROM (SELECT * FROM mandate_authentications WHERE merchant_id = ? AND state IN ('sent', 'delivered')
				AND method <> 'REALTIME' AND expires_at > ? AND expires_at <= ? ORDER BY expires_at LIMIT ?) a
			JOIN purchases p ON p.id = a.mandate_id AND p.merchant_id = a.merchant_id
			LEFT JOIN clients k ON k.id = p.client_id ORDER BY a.expires_at, p.id`, merchantID, from, to, limit).
		Find(&found).Error
	return found, err
}

// DisputesHidden are the disputes whose mandate can be proven until a day between two, both included, and that are
// snoozed or closed today, the earliest first. A dispute that the release before took has no such day: its rule
// gave 30.
func (s Store) DisputesHidden(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date,
	limit int) (found []Ending, err error) {
	const lastDay = `coalesce(c.proof_until, (c.result_at AT TIME ZONE 'Africa/Johannesburg')::date + 30)`
	err = s.Gorm(ctx).Raw(`SELECT 'proof' AS kind, p.id AS object_id,
			(`+lastDay+`)::timestamp AT TIME ZONE 'Africa/Johannesburg' AS at, `+whose+`
		FROM (SELECT * FROM attention WHERE merchant_id = ? AND kind = 'disputed' AND at >= ?
				AND hidden_until > (SELECT product_today())) a
			JOIN purchases p ON p.id = a.object_id AND p.merchant_id = a.merchant_id AND p.status = 'chargeback'
			JOIN collections c ON c.purchase_id = p.id AND c.attempt = p.collection_count
				AND (c.proof_until IS NOT NULL OR c.proof_due) AND `+lastDay+` BETWEEN ? AND ?
			LEFT JOIN clients k ON k.id = p.client_id ORDER BY 3, p.id LIMIT ?`,
		merchantID, from.AddDays(-proofLongest).At(0, 0), from, to, limit).Find(&found).Error
	return found, err
}

// proofLongest is more days than any rule gives to prove a mandate.
const proofLongest = 100

// RequestsOf are the requests to confirm a mandate that a client has not answered, the earliest first.
func (s Store) RequestsOf(ctx context.Context, merchantID, clientID uuid.UUID, limit int) (found []Ending, err error) {
	err = s.Gorm(ctx).Raw(`SELECT 'request' AS kind, m.id AS object_id, a.expires_at AS at,
			a.method = 'FALLBACK' AS registered, m.contract_reference AS reference
		FROM (SELECT * FROM mandates WHERE client_id = ? AND merchant_id = ? ORDER BY id DESC LIMIT ?) m
			CROSS JOIN LATERAL (SELECT * FROM mandate_authentications WHERE mandate_id = m.id
				AND state IN ('sent', 'delivered') AND expires_at IS NOT NULL OFFSET 0) a
		WHERE m.state = 'pending_authentication' ORDER BY a.expires_at, m.id`, clientID, merchantID, limit).Find(&found).Error
	return found, err
}

package trail

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
)

// keepTaken keeps that a pack was taken out, before any of it leaves.
func (s Store) keepTaken(ctx context.Context, who actor.Actor, p MandatePack) error {
	return s.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{Action: "mandate.pack_exported", ObjectType: "mandate", ObjectID: p.MandateID,
			PurchaseID: p.MandateID, Text: "The audit pack of mandate " + p.Reference + " was downloaded."})
		return nil
	})
}

// aboutChunk is how many entries are read at once.
const aboutChunk = 500

// aboutThem are the links of entries about some objects, object by object: purchases have one index, others another.
// Nothing is joined before it is found, since a merchant has many entries and an object few.
const aboutThem = `SELECT l.n FROM unnest($2::uuid[]) AS o(id)
	CROSS JOIN LATERAL (
		(SELECT e.id FROM audit_entries e WHERE e.merchant_id = $1 AND e.purchase_id = o.id
			ORDER BY e.merchant_id, e.purchase_id, e.id LIMIT 10000)
		UNION ALL (SELECT e.id FROM audit_entries e WHERE e.merchant_id = $1 AND e.object_id = o.id
			AND e.client_id IS DISTINCT FROM e.object_id AND e.purchase_id IS DISTINCT FROM e.object_id
			ORDER BY e.merchant_id, e.object_id, e.id LIMIT 10000)) AS e
	CROSS JOIN LATERAL (SELECT k.n FROM audit_links k WHERE k.entry_id = e.id LIMIT 1) AS l`

// about visits the entries about some objects that are in a log, in its order.
func (s Store) about(ctx context.Context, l log, objects []uuid.UUID, visit func(entered) error) error {
	ids := make([]string, len(objects))
	for i, id := range objects {
		ids[i] = id.String()
	}
	for after := l.First - 1; ; {
		rows, err := s.Pool.Query(ctx, `SELECT l.n, l.entry_id, l.hash, `+keptColumns+`
			FROM audit_links l JOIN audit_entries e ON e.id = l.entry_id WHERE l.merchant_id = $1 AND l.n = ANY (ARRAY(
				SELECT DISTINCT n FROM (`+aboutThem+`) AS them WHERE n > $3 AND n <= $4 ORDER BY n LIMIT $5)) ORDER BY l.n`,
			l.merchantID, ids, after, l.Last(), aboutChunk)
		if err != nil {
			return fmt.Errorf("entries about a mandate: %w", err)
		}
		read, err := pgx.CollectRows(rows, enteredOf(l.merchantID))
		if err != nil {
			return fmt.Errorf("entries about a mandate: %w", err)
		}
		for _, one := range read {
			after = one.N
			if err := visit(one); err != nil {
				return err
			}
		}
		if len(read) < aboutChunk {
			return nil
		}
	}
}

package client

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// dropping removes what the law kept of erased clients: @ids are the clients. Mandates come first, so that a document
// which is being added to one is either refused or removed with the others.
var dropping = []struct{ table, sql string }{
	{
		"mandates",
		`UPDATE mandates SET holder_name = @erased, account_mask = '', bank_code = '', consent_text = '', consent_ip = '',
			consent_agent = '' WHERE client_id = ANY((@ids)::uuid[])`,
	},
	{"mandates_replaced", `DELETE FROM mandates_replaced WHERE client_id = ANY((@ids)::uuid[])`},
	{"mandate_evidence",
		`DELETE FROM mandate_evidence WHERE mandate_id IN (SELECT id FROM mandates WHERE client_id = ANY((@ids)::uuid[]))`},
	{
		"account_verifications",
		`DELETE FROM account_verifications WHERE client_id = ANY((@ids)::uuid[])
			OR purchase_id IN (SELECT id FROM mandates WHERE client_id = ANY((@ids)::uuid[]))`,
	},
	{"tokens", `UPDATE tokens SET account_mask = '', bank_code = '' WHERE client_id = ANY((@ids)::uuid[])`},
	{
		"invoices",
		`UPDATE invoices SET particulars = jsonb_set(particulars, '{recipient}', jsonb_build_object('name', (@erased)::text))
			WHERE client_id = ANY((@ids)::uuid[])`,
	},
	{"clients", `UPDATE clients SET evidence_until = NULL WHERE id = ANY((@ids)::uuid[])`},
}

// DropEvidence removes what was kept of erased clients until a day before today, some
// clients at a time, and tells how many there were.
func (s Store) DropEvidence(ctx context.Context, today calendar.Date) (n int, err error) {
	err = s.InTx(ctx, func(tx *database.Tx) error {
		var ids []uuid.UUID
		err := tx.Gorm().Raw(`SELECT id FROM clients WHERE evidence_until < ? ORDER BY evidence_until LIMIT 100
			FOR UPDATE SKIP LOCKED`, today).Find(&ids).Error
		if n = len(ids); err != nil || n == 0 {
			return err
		}
		args := map[string]any{"erased": ErasedName, "ids": database.IDs(ids)}
		for _, d := range dropping {
			if err := tx.Gorm().Exec(d.sql, args).Error; err != nil {
				return fmt.Errorf("drop from %s: %w", d.table, err)
			}
		}
		return nil
	})
	return n, err
}

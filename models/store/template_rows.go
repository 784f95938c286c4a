package store

import (
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/store/table"
	"debitdesk/models/subscription"
)

var (
	templateTable = table.New[subscription.Template]("billing_templates")
	moveTemplate  = templateTable.Write(`UPDATE billing_templates SET @set, version = version + 1
		WHERE merchant_id = @merchant_id AND id = @id AND version = @version AND deleted_at IS NULL`)
)

// InsertTemplate implements subscription.Tx.
func (t *Tx) InsertTemplate(tpl subscription.Template) { insert(t, templateTable, tpl) }

// MoveTemplate implements subscription.Tx: compare-and-set on the version.
func (t *Tx) MoveTemplate(tpl subscription.Template) { move(t, moveTemplate, tpl) }

// EndSubscribersOf implements subscription.Tx.
func (t *Tx) EndSubscribersOf(merchantID, templateID uuid.UUID, why string) (int, error) {
	n, err := t.exec(`UPDATE template_clients SET status = 'inactive', why = $3, next_on = NULL, next_at = NULL, stored_token = NULL, stored_at = NULL,
		version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND template_id = $2 AND status <> 'inactive'`, merchantID, templateID, why, t.now)
	if err != nil {
		return 0, fmt.Errorf("end subscribers: %w", err)
	}
	return int(n), nil
}

package store

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/store/seal"
	"debitdesk/models/store/table"
	"debitdesk/models/subscription"
	"debitdesk/models/webhook"
)

var (
	subscriberTable = table.New("template_clients",
		table.Column[subscription.Subscriber]{Name: "debit", Write: func(_ *seal.Box, x *subscription.Subscriber) (any, error) {
			b, err := json.Marshal(maskedDebit(x.Debit))
			return string(b), err
		}, Read: func(_ *seal.Box, x *subscription.Subscriber, stored []byte) error {
			err := json.Unmarshal(stored, &x.Debit.Fields)
			delete(x.Debit.Fields, debtorAccount)
			delete(x.Debit.Fields, debtorID)
			return err
		}},
		table.Column[subscription.Subscriber]{Name: "debit_sealed", Write: sealDebtor, Read: openDebtor})
	moveSubscriber = subscriberTable.Write(`UPDATE template_clients SET @set, version = version + 1 WHERE merchant_id = @merchant_id AND id = @id AND version = @version`)
	periodTable    = table.New[subscription.Period]("billing_periods")
	insertPeriod   = periodTable.Write(`INSERT INTO billing_periods (@columns, merchant_id, created_at) VALUES (@values, @merchant, @now)`, "merchant", "now")
)

// debtorNumbers are the two numbers of a subscriber's DebiCheck fields; they are sealed.
type debtorNumbers struct {
	Account string `json:"a,omitempty"`
	ID      string `json:"i,omitempty"`
}

// The masks stand where the numbers would, for whoever reads the row alone.
const debtorAccount, debtorID = "debtor_account_number", "debtor_id_number"

func maskedDebit(d subscription.Debit) map[string]any {
	out := make(map[string]any, len(d.Fields)+2)
	for k, v := range d.Fields {
		out[k] = v
	}
	delete(out, debtorAccount)
	delete(out, debtorID)
	if d.DebtorAccount != "" {
		out[debtorAccount] = d.DebtorAccount.String()
	}
	if d.DebtorID != "" {
		out[debtorID] = d.DebtorID.String()
	}
	return out
}

func sealDebtor(box *seal.Box, x *subscription.Subscriber) (any, error) {
	n := debtorNumbers{x.Debit.DebtorAccount.Reveal(), x.Debit.DebtorID.Reveal()}
	if n == (debtorNumbers{}) {
		return nil, nil
	}
	b, err := json.Marshal(n)
	return box.SealBytes(placeOf("template_clients", "debit_sealed", x.MerchantID, x.ID), b), err
}

func openDebtor(box *seal.Box, x *subscription.Subscriber, stored []byte) error {
	var n debtorNumbers
	b, err := box.OpenBytes(placeOf("template_clients", "debit_sealed", x.MerchantID, x.ID), stored)
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	x.Debit.DebtorAccount, x.Debit.DebtorID = bank.AccountNumber(n.Account), bank.IDNumber(n.ID)
	return err
}

// InsertSubscriber implements subscription.Tx.
func (t *Tx) InsertSubscriber(x subscription.Subscriber) { insert(t, subscriberTable, x) }

// MoveSubscriber implements subscription.Tx: compare-and-set on the version.
func (t *Tx) MoveSubscriber(x subscription.Subscriber) { move(t, moveSubscriber, x) }

// InsertPeriod implements subscription.Tx.
func (t *Tx) InsertPeriod(merchantID uuid.UUID, p subscription.Period) {
	write(t, insertPeriod, p, merchantID, t.now)
}

// FollowToken implements purchase.Tx.
func (t *Tx) FollowToken(merchantID, old, next uuid.UUID) {
	t.later(`UPDATE template_clients SET token_id = $3, version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND token_id = $2`, merchantID, old, next, t.now)
}

// EndSubscribers implements purchase.Tx.
func (t *Tx) EndSubscribers(merchantID, clientID uuid.UUID) (ended []uuid.UUID, err error) {
	err = query(t, func(id *uuid.UUID) []any { return []any{id} }, func(id uuid.UUID) { ended = append(ended, id) },
		`UPDATE template_clients SET status = 'inactive', why = 'client_deleted', next_on = NULL, next_at = NULL, stored_token = NULL, stored_at = NULL,
		version = version + 1, updated_at = $3 WHERE merchant_id = $1 AND client_id = $2 AND status <> 'inactive' RETURNING id`, merchantID, clientID, t.now)
	if err != nil {
		return nil, fmt.Errorf("end subscribers: %w", err)
	}
	return ended, nil
}

// TellSubscriber implements subscription.Tx.
func (t *Tx) TellSubscriber(name string, x subscription.Subscriber) {
	t.tell(x.MerchantID, name, webhook.ObjectSubscriber, x.ID, x.ID)
}

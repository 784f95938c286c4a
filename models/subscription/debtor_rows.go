package subscription

import (
	"encoding/json"

	"gorm.io/gorm"

	"debitdesk/models/bank"
	"debitdesk/models/database/seal"
)

// debtorNumbers are the two numbers of a subscriber's DebiCheck fields; they are sealed.
type debtorNumbers struct {
	Account string `json:"a,omitempty"`
	ID      string `json:"i,omitempty"`
}

// AfterFind implements GORM's hook: the numbers are put where their masks stand.
func (s *Subscriber) AfterFind(*gorm.DB) error {
	s.Debit.unmask(s.Numbers)
	s.Numbers = debtorNumbers{}
	return nil
}

// unmask puts the numbers where their masks stand.
func (d *Debit) unmask(n debtorNumbers) {
	delete(d.Fields, debtorAccount)
	delete(d.Fields, debtorID)
	d.DebtorAccount, d.DebtorID = bank.AccountNumber(n.Account), bank.IDNumber(n.ID)
}

// The masks stand where the numbers would, for whoever reads the row alone.
const debtorAccount, debtorID = "debtor_account_number", "debtor_id_number"

func maskedDebit(d Debit) map[string]any {
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

func sealDebtor(box *seal.Box, x *Subscriber) (any, error) {
	n := debtorNumbers{x.Debit.DebtorAccount.Reveal(), x.Debit.DebtorID.Reveal()}
	if n == (debtorNumbers{}) {
		return nil, nil
	}
	b, err := json.Marshal(n)
	return box.SealBytes(seal.PlaceOf("template_clients", "debit_sealed", x.MerchantID, x.ID), b), err
}

func openDebtor(box *seal.Box, x *Subscriber, stored []byte) error {
	var n debtorNumbers
	b, err := box.OpenBytes(seal.PlaceOf("template_clients", "debit_sealed", x.MerchantID, x.ID), stored)
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	x.Debit.DebtorAccount, x.Debit.DebtorID = bank.AccountNumber(n.Account), bank.IDNumber(n.ID)
	return err
}

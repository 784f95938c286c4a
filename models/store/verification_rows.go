package store

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/mandate"
	"debitdesk/models/store/seal"
	"debitdesk/models/store/table"
)

var verificationTable = table.New("account_verifications", table.Column[mandate.Verification]{
	Name: "account_hash",
	Write: func(box *seal.Box, v *mandate.Verification) (any, error) {
		return hashOfAccount(box, v.MerchantID, v.BankCode, v.Account), nil
	},
})

// hashOfAccount finds an account at its bank without its number.
func hashOfAccount(box *seal.Box, merchantID uuid.UUID, bankCode string, number bank.AccountNumber) []byte {
	return box.Hash(merchantID, "account", bankCode+"/"+number.Reveal())
}

// InsertVerification implements purchase.Tx. The number itself is not kept.
func (t *Tx) InsertVerification(v mandate.Verification) { insert(t, verificationTable, v) }

// VerificationsOf implements mandate.Reader.
func (s *Store) VerificationsOf(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]mandate.Verification, error) {
	return all(ctx, s, verificationTable, "merchant_id = $1 AND purchase_id = $2 ORDER BY id DESC LIMIT 50", merchantID, purchaseID)
}

// VerificationsOfClient implements mandate.Lister.
func (s *Store) VerificationsOfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]mandate.Verification, error) {
	return all(ctx, s, verificationTable, "merchant_id = $1 AND client_id = $2 ORDER BY id DESC LIMIT 50", merchantID, clientID)
}

package store

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/purchase"
	"debitdesk/models/store/seal"
	"debitdesk/models/store/table"
)

// payerNumbers are the numbers behind the masks; they are sealed.
type payerNumbers struct {
	PersonalCode string `json:"p,omitempty"`
	BankAccount  string `json:"a,omitempty"`
}

// The payer's details mask their own numbers when they are encoded. The numbers are
// sealed beside them.
var (
	purchaseTable = table.New("purchases",
		table.Column[purchase.Purchase]{Name: "payer_name", Write: func(_ *seal.Box, p *purchase.Purchase) (any, error) { return p.Payer.FullName, nil }},
		table.Column[purchase.Purchase]{Name: "payer_email", Once: true, Write: func(_ *seal.Box, p *purchase.Purchase) (any, error) { return p.Payer.Email, nil }},
		table.Column[purchase.Purchase]{Name: "payer_sealed", Write: sealPayer, Read: openPayer},
		table.Column[purchase.Purchase]{Name: "search", Once: true, Write: func(_ *seal.Box, p *purchase.Purchase) (any, error) {
			return vectorOf(wordsOf(p.Payer.FullName, p.Payer.Email, p.Reference, p.ReferenceGenerated)), nil
		}},
	).Then(func(p *purchase.Purchase) { p.Seen = p.AsSeen() })
	movePurchase = purchaseTable.Write(`UPDATE purchases SET @set, version = version + 1
		WHERE id = @id AND merchant_id = @merchant_id AND status = @from AND version = @version`, "from")
	purchaseColumns = purchaseTable.Columns("")
)

func sealPayer(box *seal.Box, p *purchase.Purchase) (any, error) {
	n := payerNumbers{p.Payer.PersonalCode.Reveal(), p.Payer.BankAccount.Reveal()}
	if n == (payerNumbers{}) {
		return nil, nil
	}
	b, err := json.Marshal(n)
	return box.SealBytes(placeOf("purchases", "payer_sealed", p.MerchantID, p.ID), b), err
}

func openPayer(box *seal.Box, p *purchase.Purchase, stored []byte) error {
	var n payerNumbers
	b, err := box.OpenBytes(placeOf("purchases", "payer_sealed", p.MerchantID, p.ID), stored)
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	p.Payer.PersonalCode, p.Payer.BankAccount = bank.IDNumber(n.PersonalCode), bank.AccountNumber(n.BankAccount)
	return err
}

// versioned is a purchase as it is stored: its first version is 1.
func versioned(p purchase.Purchase) purchase.Purchase {
	p.Version = max(p.Version, 1)
	return p
}

// InsertPurchase implements purchase.Tx.
func (t *Tx) InsertPurchase(p purchase.Purchase) {
	insert(t, purchaseTable, versioned(p))
	t.tellMade(p)
}

// MovePurchase implements purchase.Tx: compare-and-set on status and version.
func (t *Tx) MovePurchase(p purchase.Purchase, from purchase.Status) {
	move(t, movePurchase, versioned(p), from)
	t.tellMoved(p)
}

// SavePurchase is MovePurchase for a row that this transaction holds: nobody can
// be quicker, so the write may wait and travel with others.
func (t *Tx) SavePurchase(p purchase.Purchase, from purchase.Status) {
	write(t, movePurchase, versioned(p), from)
	t.tellMoved(p)
}

// SentPurchases implements purchase.Tx: one statement for all of a merchant.
func (t *Tx) SentPurchases(of map[uuid.UUID][]uuid.UUID) error {
	sent, err := json.Marshal([]purchase.Change{{Status: purchase.Sent, At: t.now}})
	if err != nil {
		return fmt.Errorf("mark purchases sent: %w", err)
	}
	for merchantID, ids := range of {
		t.later(`UPDATE purchases SET status = 'sent', history = history || $3::jsonb, version = version + 1, updated_at = $4
			WHERE merchant_id = $1 AND id = ANY($2::uuid[]) AND status = 'created'`, merchantID, idsText(ids), string(sent), t.now)
	}
	return nil
}

var readdressPurchase = purchaseTable.Write(`UPDATE purchases SET @set(payer_email, search) WHERE merchant_id = @merchant_id AND id = @id`)

// ReaddressPurchase implements purchase.Tx.
func (t *Tx) ReaddressPurchase(p purchase.Purchase) { write(t, readdressPurchase, p) }

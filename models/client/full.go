package client

import (
	"encoding/json"

	"debitdesk/models/bank"
)

// inFull are the details of a client with their numbers in full.
type inFull struct {
	Details
	Account  string   `json:"kept_account,omitempty"`
	Identity string   `json:"kept_identity,omitempty"`
	KeptTags []string `json:"kept_tags,omitempty"`
}

// InFull writes details with their numbers in full. It must be sealed wherever it is kept.
func InFull(d Details) ([]byte, error) {
	return json.Marshal(inFull{d, d.BankAccount.Reveal(), d.PersonalCode.Reveal(), d.Tags})
}

// FromFull reads what InFull wrote.
func FromFull(text []byte) (Details, error) {
	var k inFull
	err := json.Unmarshal(text, &k)
	k.BankAccount, k.PersonalCode = bank.AccountNumber(k.Account), bank.IDNumber(k.Identity)
	k.Tags = k.KeptTags
	return k.Details, err
}

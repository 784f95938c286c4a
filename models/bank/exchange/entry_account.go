package exchange

import (
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

// onOurAccount writes the account of an event as we know it: banks put the branch in front of it, or signs between.
func (c *change) onOurAccount(e *Event) error {
	for _, form := range c.s.Rules.Habits.forms(e.Account) {
		of := *e
		of.Account = form
		id, err := c.merchantOf(of)
		if err != nil {
			return err
		}
		if id != uuid.Nil {
			e.Account = form
			return nil
		}
	}
	return nil
}

// accountForms are the numbers that a bank may mean, the one that it wrote first: without what stands before the last
// sign between digits, and without a branch of six digits.
func accountForms(account bank.AccountNumber) []bank.AccountNumber {
	forms := []bank.AccountNumber{account}
	text := string(account)
	if cut := strings.LastIndexAny(text, " -/."); cut > 0 && len(text)-cut > 6 {
		forms = append(forms, bank.AccountNumber(text[cut+1:]))
	}
	if digits := string(bank.CleanAccount(text)); len(digits) >= branchLength+7 {
		forms = append(forms, bank.AccountNumber(digits[branchLength:]))
	}
	return forms
}

// branchLength is how many digits a branch has.
const branchLength = 6

// merchantOf finds whose account a movement is on; zero when it is nobody's.
func (c *change) merchantOf(e Event) (id uuid.UUID, err error) {
	if e.Account == "" {
		return uuid.Nil, nil
	}
	id, known := c.accounts[e.Account]
	if !known {
		if id, err = c.tx.ownerOf(e.Account); err != nil {
			return uuid.Nil, err
		}
		if !c.mayTell(id) {
			id = uuid.Nil
		}
		c.accounts[e.Account] = id
	}
	return id, nil
}

// accountHash names the account that a movement is on, without telling it.
func (c *change) accountHash(e Event) []byte {
	return c.tx.DB().Seal.Hash(uuid.Nil, "movement_account", e.Account.Key())
}

// onBalance keeps what a statement says of an account at the beginning or end of a day.
func (c *change) onBalance(e Event) error {
	if !e.HasAmount || e.BookedOn.IsZero() {
		return nil // its problem says so; it stops nothing
	}
	merchantID, err := c.merchantOf(e)
	if err != nil {
		return err
	}
	if merchantID == uuid.Nil {
		if c.account == "" {
			c.account = e.Account.String()
		}
		return nil
	}
	st := Statement{MerchantID: merchantID, Account: e.Account, Day: e.BookedOn}
	cents := e.AmountCents
	if !e.Credit {
		cents = -cents
	}
	if e.Opening {
		st.HasOpening, st.OpeningCents = true, cents
	} else {
		st.HasClosing, st.ClosingCents = true, cents
	}
	return c.tx.saveStatement(st)
}

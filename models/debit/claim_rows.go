package debit

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/token"
)

// claim is a collection that this process hands over.
type claim struct {
	Collection collection.Collection
	Token      token.State
	Order      bank.Instruction // with the account number opened
	Wrong      error            // why the account could not be opened; the claim then runs out by itself
}

// What runs the debits crosses merchants: it serves them all.

// How long a process has to hand over what it claimed. After it another takes
// over: the first has crashed, or the bank gets the same ids twice, which changes
// nothing there. In the sandbox a person waits for it, and the bank is at hand.
const (
	handOverTime        = 2 * time.Minute
	sandboxHandOverTime = 3 * time.Second
)

func (s Store) handOverTime() time.Duration {
	if s.Options.Sandbox {
		return sandboxHandOverTime
	}
	return handOverTime
}

// claimed is a collection with what the bank must know of its account.
type claimed struct {
	collection.Collection
	TokenState           token.State
	HolderName, BankCode string
	AccountType          bank.AccountType
	AccountSealed        []byte
	BankReference        string
	ContractReference    string
	MandateAt            time.Time // when the client gave the mandate
	Follows              bool      // a debit of the same mandate went before it
	Creditor             creditor  `gorm:"embedded"`
}

// creditor is the merchant's side of a payment as a query finds it.
type creditor struct {
	CreditorName, ProfileCode, AbbreviatedName, ClearingAccount, ClearingBranch string
}

// payeeColumns and payeeRows find it beside the mandate m. A mandate keeps its own copy of the profile that it
// was given for; the branch is the profile's.
const (
	payeeColumns = `COALESCE(NULLIF(b.legal_name, ''), b.name) AS creditor_name, m.profile_code, m.abbreviated_name,
		m.clearing_account, COALESCE(f.branch_code, '') AS clearing_branch`
	payeeRows = ` JOIN brands b ON b.id = m.brand_id LEFT JOIN debit_profiles f ON f.brand_id = m.brand_id
		AND f.profile_code = m.profile_code AND f.abbreviated_name = m.abbreviated_name
		AND f.account_number = m.clearing_account `
)

func (c creditor) domain() bank.Creditor {
	return bank.Creditor{Name: c.CreditorName, AbbreviatedName: c.AbbreviatedName, ProfileCode: c.ProfileCode,
		Branch: c.ClearingBranch, Account: c.ClearingAccount}
}

// followsAnother: a debit of the same mandate went to the bank before this one, or goes before it. One that was
// withdrawn does not count, nor one that was refused when it was handed over and so never left the claim: the bank ran
// neither. The order is the order of handing over, so that a debit that is handed over again says the same again.
// They are counted, and not looked for one by one, so that the index of the mandate is read however many there are; the
// merchant is compared in a way that no index serves, so that its whole history is never read beside the mandate's.
const followsAnother = `(SELECT count(*) > 0 FROM collections o WHERE o.mandate_id = c.mandate_id
	AND o.merchant_id IS NOT DISTINCT FROM c.merchant_id
	AND (o.submit_at, o.id) < (c.submit_at, c.id) AND o.state NOT IN ('cancelled', 'recalled')
	AND NOT (o.state = 'unpaid' AND o.claimed_until IS NOT NULL))`

// sequence is where a debit stands among those of its mandate.
func (c claimed) sequence() bank.Sequence {
	switch {
	case c.OnceOff:
		return bank.OnceOffDebit
	case c.Follows:
		return bank.RecurringDebit
	}
	return bank.FirstDebit
}

// mandateAt is when the client gave the mandate m: by DebiCheck when the client's bank had the answer.
const mandateAt = `COALESCE(CASE m.kind WHEN 'debicheck' THEN m.accepted_at END, m.consent_at)`

var claims = table.View(collection.ResultColumn(func(c *claimed) *collection.Collection { return &c.Collection }))

// claimDue takes scheduled collections whose submission deadline has come, for two minutes: a crashed process gives
// them up by itself. Claims live by the database's real time, which is the same for every process and which nobody
// moves.
func (s Store) claimDue(ctx context.Context, limit int) ([]claim, error) {
	found, err := database.Seek(ctx, s.DB, claims,
		`WITH due AS (SELECT id FROM collections WHERE state = 'scheduled' AND submit_at <= ? AND `+notLeaving+`
				AND (claimed_until IS NULL OR claimed_until < now()) ORDER BY submit_at, id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED),
			claimed AS (UPDATE collections c SET claimed_until = now() + make_interval(secs => ?) FROM due
			WHERE c.id = due.id RETURNING c.*)
		SELECT c.*, t.state AS token_state, t.holder_name, t.bank_code, t.account_type, t.account_sealed, m.bank_reference,
			m.contract_reference, `+mandateAt+` AS mandate_at, `+followsAnother+` AS follows, `+payeeColumns+`
		FROM claimed c JOIN tokens t ON t.id = c.token_id JOIN mandates m ON m.id = c.mandate_id`+payeeRows+
			`ORDER BY c.submit_at, c.id`,
		s.Now(), limit, s.handOverTime().Seconds())
	if err != nil {
		return nil, fmt.Errorf("claim collections: %w", err)
	}
	out := make([]claim, len(found))
	for i, c := range found {
		number, wrong := token.OpenAccount(s.Seal, c.MerchantID, c.TokenID, c.AccountSealed)
		out[i] = claim{Collection: c.Collection, Token: c.TokenState, Wrong: wrong, Order: bank.Instruction{
			ID: c.ID, MerchantID: c.MerchantID, Method: c.Method, AmountCents: c.AmountCents, Currency: c.Currency,
			ActionDate: c.ActionDate,
			Branch:     c.BankCode, Account: number, AccountType: c.AccountType, HolderName: c.HolderName,
			StatementLine: c.StatementLine, Creditor: c.Creditor.domain(), Sequence: c.sequence(),
			ContractReference: c.ContractReference, MandateDate: calendar.DateOf(c.MandateAt),
			MandateReference: c.BankReference, TrackingDays: c.TrackingDays, Disputable: c.Disputable,
		}}
	}
	return out, nil
}

// notLeaving: nothing is debited from an account that is being deleted, or of a client whose debits are stopped. Few
// ever are.
const notLeaving = `token_id ` + token.NotBeingDeleted + ` AND token_id ` + token.NotHeld

// releaseClaims gives claims up at once. The mark stays, in the past: the bank may
// have got the collection all the same.
func (s Store) releaseClaims(ctx context.Context, ids []uuid.UUID) error {
	err := s.Gorm(ctx).Exec(`UPDATE collections SET claimed_until = now() - interval '1 second' WHERE id = ANY(?::uuid[])
		AND claimed_until > now()`, database.IDs(ids)).Error
	if err != nil {
		return fmt.Errorf("release claims: %w", err)
	}
	return nil
}

// tokensDebited gives the tokens that collections debit. Those that are not ours are left out.
func (s Store) tokensDebited(ctx context.Context, collectionIDs []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	var found []struct{ ID, TokenID uuid.UUID }
	err := s.Gorm(ctx).Raw(`SELECT id, token_id FROM collections WHERE id = ANY(?::uuid[])`, database.IDs(collectionIDs)).
		Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find the tokens of collections: %w", err)
	}
	tokens := make(map[uuid.UUID]uuid.UUID, len(found))
	for _, f := range found {
		tokens[f.ID] = f.TokenID
	}
	return tokens, nil
}

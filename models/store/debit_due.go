package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/debit"
	"debitdesk/models/mandate"
	"debitdesk/models/token"
)

// What runs the debits crosses merchants: it serves them all.

// How long a process has to hand over what it claimed. After it another takes
// over: the first has crashed, or the bank gets the same ids twice, which changes
// nothing there. In the sandbox a person waits for it, and the bank is at hand.
const (
	handOverTime        = 2 * time.Minute
	sandboxHandOverTime = 3 * time.Second
)

func (s *Store) handOverTime() time.Duration {
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

// ClaimDue implements debit.Reader. Claims live by the database's real time, which
// is the same for every process and which nobody moves.
func (s *Store) ClaimDue(ctx context.Context, limit int) ([]debit.Claim, error) {
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
	out := make([]debit.Claim, len(found))
	for i, c := range found {
		number, wrong := token.OpenAccount(s.Seal, c.MerchantID, c.TokenID, c.AccountSealed)
		out[i] = debit.Claim{Collection: c.Collection, Token: c.TokenState, Wrong: wrong, Order: bank.Instruction{
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

// ReleaseClaims implements debit.Reader. The mark stays, in the past: the bank may
// have got the collection all the same.
func (s *Store) ReleaseClaims(ctx context.Context, ids []uuid.UUID) error {
	_, err := s.Pool.Exec(ctx,
		`UPDATE collections SET claimed_until = now() - interval '1 second' WHERE id = ANY($1) AND claimed_until > now()`,
		ids)
	if err != nil {
		return fmt.Errorf("release claims: %w", err)
	}
	return nil
}

// recallable: a recall waits until no hand-over of the collection is under way.
const recallable = `recall_due AND (claimed_until IS NULL OR claimed_until < now())`

// RecallsDue implements debit.Reader.
func (s *Store) RecallsDue(ctx context.Context, limit int) ([]collection.Collection, error) {
	return database.All(ctx, s.DB, collection.Table, recallable+` ORDER BY id LIMIT $1`, limit)
}

// contestable: what the client agreed to on our page or confirmed at the bank is a
// record; a permission that the merchant vouched for needs a document.
const contestable = `c.proof_due AND (m.consent_channel = 'pay_page' OR m.bank_reference <> ''
	OR EXISTS (SELECT FROM mandate_evidence e WHERE e.mandate_id = m.id))`

// ContestsDue implements debit.Reader.
func (s *Store) ContestsDue(ctx context.Context, limit int) ([]debit.Contest, error) {
	due, err := database.Seek(ctx, s.DB, collection.Table,
		`SELECT c.* FROM collections c JOIN mandates m ON m.id = c.mandate_id WHERE `+
			contestable+` ORDER BY c.id LIMIT ?`, limit)
	if err != nil {
		return nil, fmt.Errorf("find contests: %w", err)
	}
	out := make([]debit.Contest, len(due))
	for i, c := range due {
		out[i].Collection = c
		if out[i].Mandate, err = s.Mandate(ctx, c.MerchantID, c.MandateID); err != nil {
			return nil, err
		}
		if out[i].Evidence, err = s.newestEvidence(ctx, c.MerchantID, c.MandateID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Store) newestEvidence(ctx context.Context, merchantID, mandateID uuid.UUID) (*mandate.Evidence, error) {
	files, err := s.EvidenceOf(ctx, merchantID, mandateID)
	for _, f := range slices.Backward(files) {
		e, err := s.Evidence(ctx, merchantID, f.ID)
		if err != nil {
			return nil, err
		}
		if !e.Any() { // one that is damaged proves nothing
			return &e, nil
		}
	}
	return nil, err
}

// TokensDebited implements debit.Reader.
func (s *Store) TokensDebited(ctx context.Context, collectionIDs []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	const sql = `SELECT id, token_id FROM collections WHERE id = ANY($1::uuid[])`
	var collectionID, tokenID uuid.UUID
	tokens := make(map[uuid.UUID]uuid.UUID, len(collectionIDs))
	rows, err := s.Pool.Query(ctx, sql, database.IDs(collectionIDs))
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&collectionID, &tokenID}, func() error {
			tokens[collectionID] = tokenID
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("find the tokens of collections: %w", err)
	}
	return tokens, nil
}

// RefundsDue implements debit.Reader. A refund goes back to the account that the
// money was collected from.
func (s *Store) RefundsDue(ctx context.Context, limit int) ([]bank.Refund, error) {
	var rows []struct {
		ID            uuid.UUID
		MerchantID    uuid.UUID
		AmountCents   int64
		Currency      string
		CollectionID  uuid.UUID
		StatementLine string
		TokenID       uuid.UUID
		HolderName    string
		BankCode      string
		AccountType   string
		AccountSealed []byte
		Creditor      creditor `gorm:"embedded"`
	}
	err := s.Gorm(ctx).Raw(
		`SELECT r.id, r.merchant_id, r.amount_cents, r.currency, c.id AS collection_id, c.statement_line, t.id AS token_id,
			t.holder_name, t.bank_code, t.account_type, t.account_sealed, `+payeeColumns+`
		FROM refunds r JOIN purchases p ON p.id = r.purchase_id AND p.status = 'pending_refund'
		JOIN collections c ON c.id = r.collection_id AND c.state IN ('successful', 'final', 'dispute_won')
		JOIN tokens t ON t.id = c.token_id JOIN mandates m ON m.id = c.mandate_id`+payeeRows+`
		WHERE r.state = 'pending' AND r.channel = 'bank' AND NOT r.handed_over AND r.due_at <= ?
		ORDER BY r.due_at, r.id LIMIT ?`, s.Now(), limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find refunds: %w", err)
	}
	var out []bank.Refund
	var wrong error
	for _, r := range rows {
		number, err := token.OpenAccount(s.Seal, r.MerchantID, r.TokenID, r.AccountSealed)
		if err != nil {
			wrong = errors.Join(wrong, err)
			continue
		}
		out = append(out, bank.Refund{ID: r.ID, InstructionID: r.CollectionID, MerchantID: r.MerchantID,
			AmountCents: r.AmountCents, Currency: r.Currency,
			Branch: r.BankCode, Account: number, AccountType: bank.AccountType(r.AccountType), HolderName: r.HolderName,
			StatementLine: r.StatementLine, Creditor: r.Creditor.domain()})
	}
	return out, wrong
}

// planned are the moments at which something of the product or of the sandbox bank becomes due: a column, and the rows
// in which it counts. Each has an index of just these rows.
var planned = []struct{ at, rows string }{
	{"submit_at", "collections WHERE state = 'scheduled' AND " + notLeaving},
	{"until", "token_deletions WHERE state = 'waiting'"},
	{"expires_at", "approvals WHERE state = 'open'"},
	{"execute_at", "purchases WHERE status = 'pending_charge'"},
	{"final_at", "collections WHERE state = 'provisional'"},
	{"alert_at", "collections WHERE state = 'submitted' AND alerted_at IS NULL"},
	{"pass_at", "purchases WHERE pass_at IS NOT NULL"},
	{"requested_at", "mandate_authentications WHERE state = 'requested' AND mandate_id " + token.NotHeld},
	{"expires_at", "mandate_authentications WHERE state IN ('sent', 'delivered')"},
	{"due_at", "sandbox_answers WHERE delivered_at IS NULL"},
}

// earliest asks for the first moment of each kind, or the first after $1. Each is one entry of its index, whatever the
// plan knows of $1: a question about a moment that is only known later would be planned as if a third of all rows were
// due, and read whole tables.
func earliest(after bool, more ...string) string {
	parts := make([]string, len(planned), len(planned)+len(more))
	for i, p := range planned {
		later := ""
		if after {
			later = " AND " + p.at + " > $1"
		}
		parts[i] = fmt.Sprintf("(SELECT %[1]s AS at FROM %[2]s%[3]s ORDER BY %[1]s LIMIT 1)", p.at, p.rows, later)
	}
	return strings.Join(append(parts, more...), " UNION ALL ")
}

var (
	nextDue = `SELECT at FROM (` + earliest(true,
		`(SELECT next_try_at FROM mails WHERE state = 'queued' AND next_try_at > $1 ORDER BY next_try_at LIMIT 1)`) +
		`) AS planned ORDER BY at LIMIT 1`
	overdue = `SELECT EXISTS (SELECT FROM (` + earliest(false) + `) AS planned WHERE at <= $1)
		OR EXISTS (SELECT FROM collections WHERE recall_due)
		OR ` + undated + `
		OR EXISTS (SELECT FROM mandate_authentications WHERE cancel_due)
		OR EXISTS (SELECT FROM collections c JOIN mandates m ON m.id = c.mandate_id WHERE ` + contestable + `)`
)

// NextDue implements debit.Reader; mails that wait for another try count too.
func (s *Store) NextDue(ctx context.Context) (time.Time, bool, error) {
	var at time.Time
	err := s.Pool.QueryRow(ctx, nextDue, s.Now()).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("find what is due next: %w", err)
	}
	return at.UTC(), true, nil
}

// Overdue implements debit.Reader.
func (s *Store) Overdue(ctx context.Context) (is bool, err error) {
	if err = s.Pool.QueryRow(ctx, overdue, s.Now()).Scan(&is); err != nil {
		return false, fmt.Errorf("look for what is overdue: %w", err)
	}
	return is, nil
}

var _ debit.Reader = (*Store)(nil)
var _ debit.Tx = (*Tx)(nil)

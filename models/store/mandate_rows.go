package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/mandate"
)

type mandateRow struct {
	ID                uuid.UUID `gorm:"primaryKey"`
	MerchantID        uuid.UUID
	BrandID           uuid.UUID
	ClientID          *uuid.UUID
	Kind              string
	State             string
	ContractReference string
	ProfileCode       string
	AbbreviatedName   string
	ClearingAccount   string
	PeriodUnits       string
	DeductionDay      int
	AmountCents       int64
	HolderName        string
	AccountMask       string
	BankCode          string
	AccountType       string
	ConsentText       string
	ConsentAt         time.Time
	ConsentIP         string
	ConsentAgent      string
	ConsentChannel    string
	Terms             string
	OneDebit          bool
	Fallback          bool
	BankReference     string
	ReasonCode        string
	AcceptedAt        *time.Time
	EndedAt           *time.Time
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

func (mandateRow) TableName() string { return "mandates" }

func (r mandateRow) domain() mandate.Mandate {
	m := mandate.Mandate{ID: r.ID, MerchantID: r.MerchantID, BrandID: r.BrandID, ClientID: orZero(r.ClientID), Kind: mandate.Kind(r.Kind),
		State: mandate.State(r.State), ContractReference: r.ContractReference, ProfileCode: r.ProfileCode, AbbreviatedName: r.AbbreviatedName,
		ClearingAccount: r.ClearingAccount, PeriodUnits: r.PeriodUnits, DeductionDay: r.DeductionDay, AmountCents: r.AmountCents,
		HolderName: r.HolderName, AccountMask: r.AccountMask, BankCode: r.BankCode, AccountType: bank.AccountType(r.AccountType),
		Consent:  mandate.Consent{Text: r.ConsentText, At: r.ConsentAt.UTC(), IP: r.ConsentIP, Agent: r.ConsentAgent, Channel: mandate.Channel(r.ConsentChannel)},
		OneDebit: r.OneDebit, Fallback: r.Fallback, BankReference: r.BankReference, ReasonCode: r.ReasonCode, AcceptedAt: utc(r.AcceptedAt), EndedAt: utc(r.EndedAt),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
	if m.Kind == mandate.DebiCheck {
		m.Terms = &mandate.Terms{}
		_ = json.Unmarshal([]byte(r.Terms), m.Terms) // as we wrote it
	}
	return m
}

func mandateRowOf(m mandate.Mandate) *mandateRow {
	terms := []byte("{}")
	if m.Terms != nil {
		terms, _ = json.Marshal(m.Terms) // texts and numbers
	}
	return &mandateRow{ID: m.ID, MerchantID: m.MerchantID, BrandID: m.BrandID, ClientID: orNull(m.ClientID), Kind: string(m.Kind), State: string(m.State),
		ContractReference: m.ContractReference, ProfileCode: m.ProfileCode, AbbreviatedName: m.AbbreviatedName, ClearingAccount: m.ClearingAccount,
		PeriodUnits: m.PeriodUnits, DeductionDay: m.DeductionDay, AmountCents: m.AmountCents, HolderName: m.HolderName, AccountMask: m.AccountMask,
		BankCode: m.BankCode, AccountType: string(m.AccountType), ConsentText: m.Consent.Text, ConsentAt: m.Consent.At, ConsentIP: m.Consent.IP,
		ConsentAgent: m.Consent.Agent, ConsentChannel: string(m.Consent.Channel), Terms: string(terms), OneDebit: m.OneDebit, Fallback: m.Fallback, BankReference: m.BankReference,
		ReasonCode: m.ReasonCode, AcceptedAt: instantOrNull(m.AcceptedAt), EndedAt: instantOrNull(m.EndedAt), CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}
}

// InsertMandate implements purchase.Tx.
func (t *Tx) InsertMandate(m mandate.Mandate) { t.create(mandateRowOf(m)) }

// moveMandate is a compare-and-set on the state; who gave it, to whom and for whom
// never changes.
const moveMandate = `UPDATE mandates SET state = $4, contract_reference = $5, amount_cents = $6, holder_name = $7, account_mask = $8, bank_code = $9,
	account_type = $10, consent_text = $11, consent_at = $12, consent_ip = $13, consent_agent = $14, consent_channel = $15, terms = $16,
	fallback = $17, bank_reference = $18, reason_code = $19, accepted_at = $20, ended_at = $21, updated_at = $22, one_debit = $23
	WHERE merchant_id = $1 AND id = $2 AND state = $3`

func moveMandateArgs(m mandate.Mandate, from mandate.State) []any {
	r := mandateRowOf(m)
	return []any{r.MerchantID, r.ID, string(from), r.State, r.ContractReference, r.AmountCents, r.HolderName, r.AccountMask, r.BankCode,
		r.AccountType, r.ConsentText, Instant(r.ConsentAt), r.ConsentIP, r.ConsentAgent, r.ConsentChannel, r.Terms,
		r.Fallback, r.BankReference, r.ReasonCode, r.AcceptedAt, r.EndedAt, Instant(r.UpdatedAt), r.OneDebit}
}

// RenewMandate implements purchase.Tx.
func (t *Tx) RenewMandate(m mandate.Mandate, from mandate.State) {
	t.mustMove(moveMandate, moveMandateArgs(m, from)...)
}

// SaveMandate is RenewMandate for a row that this transaction holds.
func (t *Tx) SaveMandate(m mandate.Mandate, from mandate.State) {
	t.later(moveMandate, moveMandateArgs(m, from)...)
}

// EndMandate implements purchase.Tx. The bank hears of it through the newest
// authentication, if there is one; no answer to it counts any more.
func (t *Tx) EndMandate(merchantID, id uuid.UUID, state mandate.State) {
	t.later(`UPDATE mandates SET state = $3, ended_at = $4, updated_at = $4 WHERE merchant_id = $1 AND id = $2 AND state NOT IN ('cancelled', 'superseded')`,
		merchantID, id, string(state), t.now)
	t.later(`UPDATE mandate_authentications SET cancel_due = true,
		state = CASE WHEN state IN ('requested', 'sent', 'delivered') THEN 'withdrawn' ELSE state END
		WHERE merchant_id = $1 AND mandate_id = $2 AND number = (SELECT max(number) FROM mandate_authentications WHERE mandate_id = $2)`, merchantID, id)
}

// Mandate implements purchase.Reader.
func (s *Store) Mandate(ctx context.Context, merchantID, id uuid.UUID) (mandate.Mandate, error) {
	row, err := take[mandateRow](ctx, s, "merchant_id = $1 AND id = $2", merchantID, id)
	return row.domain(), missing(err, "find mandate")
}

// MandatesByID implements purchase.Reader.
func (s *Store) MandatesByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]mandate.Mandate, error) {
	rows, err := takeAll[mandateRow](ctx, s, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
	if err != nil {
		return nil, fmt.Errorf("find mandates: %w", err)
	}
	out := make([]mandate.Mandate, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out, nil
}

type evidenceRow struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	MerchantID  uuid.UUID
	MandateID   uuid.UUID
	Name        string
	ContentType string
	SizeBytes   int64
	SHA256      []byte `gorm:"column:sha256"`
	Content     []byte
	CreatedAt   time.Time
}

func (evidenceRow) TableName() string { return "mandate_evidence" }

func (r evidenceRow) domain() mandate.Evidence {
	return mandate.Evidence{ID: r.ID, MerchantID: r.MerchantID, MandateID: r.MandateID, Name: r.Name, ContentType: r.ContentType,
		SizeBytes: r.SizeBytes, SHA256: r.SHA256, CreatedAt: r.CreatedAt.UTC()}
}

// InsertEvidence implements purchase.Tx. Scans show account numbers and are sealed.
func (t *Tx) InsertEvidence(e mandate.Evidence) {
	t.create(&evidenceRow{ID: e.ID, MerchantID: e.MerchantID, MandateID: e.MandateID, Name: e.Name, ContentType: e.ContentType,
		SizeBytes: e.SizeBytes, SHA256: e.SHA256, Content: t.s.seal.SealBytes(placeOf("mandate_evidence", "content", e.MerchantID, e.ID), e.Content), CreatedAt: e.CreatedAt})
}

// EvidenceOf lists the files that prove a mandate, without their content.
func (s *Store) EvidenceOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]mandate.Evidence, error) {
	var rows []evidenceRow
	err := s.read(ctx).Omit("content").Order("id").Find(&rows, "merchant_id = ? AND mandate_id = ?", merchantID, mandateID).Error
	if err != nil {
		return nil, fmt.Errorf("list evidence: %w", err)
	}
	out := make([]mandate.Evidence, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out, nil
}

// Evidence opens one file.
func (s *Store) Evidence(ctx context.Context, merchantID, id uuid.UUID) (mandate.Evidence, error) {
	var row evidenceRow
	if err := missing(s.read(ctx).Take(&row, "merchant_id = ? AND id = ?", merchantID, id).Error, "find evidence"); err != nil {
		return mandate.Evidence{}, err
	}
	e := row.domain()
	content, err := s.seal.OpenBytes(placeOf("mandate_evidence", "content", merchantID, row.ID), row.Content)
	e.Content = content
	return e, err
}

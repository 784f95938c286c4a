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
	Terms             []byte `gorm:"type:jsonb"`
	HolderName        string
	AccountMask       string
	BankCode          string
	AccountType       string
	ConsentText       string
	ConsentAt         time.Time
	ConsentIP         string
	ConsentAgent      string
	ConsentChannel    string
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
	return mandate.Mandate{ID: r.ID, MerchantID: r.MerchantID, BrandID: r.BrandID, ClientID: orZero(r.ClientID), Kind: mandate.Kind(r.Kind),
		State: mandate.State(r.State), ContractReference: r.ContractReference, ProfileCode: r.ProfileCode, AbbreviatedName: r.AbbreviatedName,
		ClearingAccount: r.ClearingAccount, PeriodUnits: r.PeriodUnits, DeductionDay: r.DeductionDay, AmountCents: r.AmountCents,
		HolderName: r.HolderName, AccountMask: r.AccountMask, BankCode: r.BankCode, AccountType: bank.AccountType(r.AccountType),
		Consent: mandate.Consent{Text: r.ConsentText, At: r.ConsentAt.UTC(), IP: r.ConsentIP, Agent: r.ConsentAgent, Channel: mandate.Channel(r.ConsentChannel)},
		Terms:   termsOf(r.Terms), Fallback: r.Fallback, BankReference: r.BankReference, ReasonCode: r.ReasonCode,
		AcceptedAt: utcOrZero(r.AcceptedAt), EndedAt: utcOrZero(r.EndedAt),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
}

// InsertMandate implements purchase.Tx.
func (t *Tx) InsertMandate(m mandate.Mandate) {
	t.create(&mandateRow{ID: m.ID, MerchantID: m.MerchantID, BrandID: m.BrandID, ClientID: orNull(m.ClientID), Kind: string(m.Kind), State: string(m.State),
		ContractReference: m.ContractReference, ProfileCode: m.ProfileCode, AbbreviatedName: m.AbbreviatedName, ClearingAccount: m.ClearingAccount,
		PeriodUnits: m.PeriodUnits, DeductionDay: m.DeductionDay, AmountCents: m.AmountCents, Terms: termsJSON(m.Terms), HolderName: m.HolderName, AccountMask: m.AccountMask,
		BankCode: m.BankCode, AccountType: string(m.AccountType), ConsentText: m.Consent.Text, ConsentAt: m.Consent.At, ConsentIP: m.Consent.IP,
		ConsentAgent: m.Consent.Agent, ConsentChannel: string(m.Consent.Channel),
		Fallback: m.Fallback, BankReference: m.BankReference, ReasonCode: m.ReasonCode, AcceptedAt: instantOrNull(m.AcceptedAt), EndedAt: instantOrNull(m.EndedAt),
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt})
}

func termsJSON(t *mandate.Terms) []byte {
	if t == nil {
		return []byte("{}")
	}
	text, _ := json.Marshal(t) // strings, numbers and booleans
	return text
}

func termsOf(text []byte) *mandate.Terms {
	t := &mandate.Terms{}
	if err := json.Unmarshal(text, t); err != nil || t.ValueType == "" {
		return nil // EFT
	}
	return t
}

// Mandate implements purchase.Reader.
func (s *Store) Mandate(ctx context.Context, merchantID, id uuid.UUID) (mandate.Mandate, error) {
	row, err := take[mandateRow](ctx, s, "merchant_id = $1 AND id = $2", merchantID, id)
	return row.domain(), missing(err, "find mandate")
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
		SizeBytes: e.SizeBytes, SHA256: e.SHA256, Content: t.s.seal.SealBytes(e.MerchantID, e.Content), CreatedAt: e.CreatedAt})
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
	content, err := s.seal.OpenBytes(merchantID, row.Content)
	e.Content = content
	return e, err
}

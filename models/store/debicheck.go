package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/debit"
	"debitdesk/models/mandate"
	"debitdesk/models/token"
)

// HoldAsked implements debit.Tx. A mandate, its token and its purchase share one id.
func (t *Tx) HoldAsked(authenticationIDs []uuid.UUID) (map[uuid.UUID]debit.Asked, error) {
	ctx := t.Context()
	const which = `id IN (SELECT mandate_id FROM mandate_authentications WHERE id = ANY($1)) ORDER BY id FOR NO KEY UPDATE`
	tokens, err := database.All(ctx, t.s.DB, token.Table, which, authenticationIDs)
	if err != nil {
		return nil, fmt.Errorf("hold tokens: %w", err)
	}
	mandates, err := database.All(ctx, t.s.DB, mandate.Table, which, authenticationIDs)
	if err != nil {
		return nil, fmt.Errorf("hold mandates: %w", err)
	}
	asked, err := database.All(ctx, t.s.DB, mandate.Authentications, `id = ANY($1) ORDER BY id FOR NO KEY UPDATE`,
		authenticationIDs)
	if err != nil {
		return nil, fmt.Errorf("hold authentications: %w", err)
	}
	purchases, err := t.holdPurchases(which, authenticationIDs)
	if err != nil {
		return nil, err
	}
	held := map[uuid.UUID]debit.Asked{}
	for _, a := range asked {
		one := debit.Asked{Authentication: a}
		for _, k := range tokens {
			if k.ID == a.MandateID {
				one.Token = k
			}
		}
		for _, m := range mandates {
			if m.ID == a.MandateID {
				one.Mandate = m
			}
		}
		for _, p := range purchases {
			if p.ID == a.MandateID {
				one.Purchase = p
			}
		}
		held[a.ID] = one
	}
	return held, nil
}

// ClaimRequests implements debit.Reader.
func (s *Store) ClaimRequests(ctx context.Context, limit int) ([]debit.RequestClaim, error) {
	due, err := database.Seek(
		ctx,
		s.DB,
		mandate.Authentications,
		`WITH due AS (SELECT id FROM mandate_authentications WHERE state = 'requested'
			AND (claimed_until IS NULL OR claimed_until < now()) AND mandate_id `+token.NotHeld+`
				ORDER BY requested_at, id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED)
		UPDATE mandate_authentications a SET claimed_until = now() + make_interval(secs => ?) FROM due
		WHERE a.id = due.id RETURNING a.*`,
		limit,
		s.handOverTime().Seconds(),
	)
	if err != nil {
		return nil, fmt.Errorf("claim mandate requests: %w", err)
	}
	claims := make([]debit.RequestClaim, len(due))
	for i, a := range due {
		claims[i] = s.requestOf(ctx, a)
	}
	return claims, nil
}

// requestOf is what the bank is asked. The numbers come from the purchase's own
// copy of the client's details.
func (s *Store) requestOf(ctx context.Context, a mandate.Authentication) (c debit.RequestClaim) {
	c.Authentication = a
	m, err := s.Mandate(ctx, a.MerchantID, a.MandateID)
	if err != nil {
		c.Wrong = err
		return c
	}
	if c.Purchase, c.Wrong = s.Purchase(ctx, a.MerchantID, a.MandateID); c.Wrong != nil {
		return c
	}
	by, err := s.creditorOf(ctx, m)
	if err != nil {
		c.Wrong = err
		return c
	}
	p := c.Purchase
	if p.Any() {
		c.Wrong = fmt.Errorf("read the client's numbers of mandate %s: %w", a.MandateID, seal.ErrDamaged)
		return c
	}
	c.Order = bank.MandateRequest{
		ID: a.ID, MandateID: m.ID, MerchantID: m.MerchantID, Authentication: string(a.Method),
		ContractReference: m.ContractReference,
		AbbreviatedName:   m.AbbreviatedName, CreditorAccount: m.ClearingAccount, Creditor: by, HolderName: m.HolderName,
		Identity: p.Payer.PersonalCode, Phone: p.Payer.Phone,
		Branch: m.BankCode, Account: p.Payer.BankAccount, AccountType: m.AccountType, ValueType: string(m.Terms.ValueType),
		DebitSequence: string(m.Terms.DebitSequence),
		PeriodUnits:   m.PeriodUnits, DeductionDay: m.DeductionDay, AmountCents: m.Terms.PriceCents,
		MaxAmountCents: m.Terms.MaxAmountCents, Currency: p.Currency, DateAdjustment: m.Terms.AllowDateAdjustment,
	}
	return c
}

// creditorOf is the merchant's side of what is collected under a mandate.
func (s *Store) creditorOf(ctx context.Context, m mandate.Mandate) (bank.Creditor, error) {
	var found creditor
	err := s.Gorm(ctx).Raw(`SELECT `+payeeColumns+` FROM mandates m`+payeeRows+`WHERE m.merchant_id = ? AND m.id = ?`,
		m.MerchantID, m.ID).Scan(&found).Error
	if err != nil {
		return bank.Creditor{}, fmt.Errorf("find who collects under a mandate: %w", err)
	}
	return found.domain(), nil
}

// ReleaseRequest implements debit.Reader.
func (s *Store) ReleaseRequest(ctx context.Context, id uuid.UUID) error {
	if _, err := s.Pool.Exec(ctx,
		`UPDATE mandate_authentications SET claimed_until = now() + interval '1 second' WHERE id = $1`, id); err != nil {
		return fmt.Errorf("release mandate request: %w", err)
	}
	return nil
}

// RunOut implements debit.Reader.
func (s *Store) RunOut(ctx context.Context, realTime, delayed time.Time, limit int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	// In the order of its index: most requests of the past have run out, so that PostgreSQL would look for those that are
	// open among all of them.
	err := s.Gorm(ctx).Raw(`SELECT id FROM (SELECT id FROM mandate_authentications WHERE state IN ('sent', 'delivered')
			AND expires_at <= ? ORDER BY expires_at LIMIT ?) AS passed
		UNION ALL SELECT id FROM mandate_authentications WHERE state = 'requested'
		AND requested_at <= CASE method WHEN 'REALTIME' THEN ? ELSE ?::timestamptz END LIMIT ?`,
		s.Now(), limit, database.Instant(realTime), database.Instant(delayed), limit).Scan(&ids).Error
	if err != nil {
		return nil, fmt.Errorf("find what was not answered: %w", err)
	}
	return ids, nil
}

// CancelsDue implements debit.Reader.
func (s *Store) CancelsDue(ctx context.Context, limit int) ([]mandate.Authentication, error) {
	return database.All(ctx, s.DB, mandate.Authentications, `cancel_due ORDER BY id LIMIT $1`, limit)
}

// AskingNow tells whether any client is being asked about a mandate, or any bank has
// yet to hear that an answer is not wanted any more. It reads partial indexes that
// hold nothing else.
func (s *Store) AskingNow(ctx context.Context) (asking bool, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT EXISTS (SELECT FROM mandate_authentications WHERE state IN ('requested', 'sent', 'delivered'))
		OR EXISTS (SELECT FROM mandate_authentications WHERE cancel_due)`).Scan(&asking)
	if err != nil {
		return false, fmt.Errorf("look for open authentications: %w", err)
	}
	return asking, nil
}

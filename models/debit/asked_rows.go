package debit

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// askedRows is an authentication with all that hangs on its answer.
type askedRows struct {
	Authentication mandate.Authentication
	Mandate        mandate.Mandate
	Token          token.Token
	Purchase       purchase.Purchase
}

// requestClaim is an authentication that this process hands over.
type requestClaim struct {
	Authentication mandate.Authentication
	Purchase       purchase.Purchase   // that asked for the mandate
	Order          bank.MandateRequest // with the numbers opened; what follows from the clock is left to the service
	Wrong          error               // why they could not be opened
}

// holdAsked locks what authentications touch: tokens first, then mandates,
// authentications and purchases. Unknown ids are left out. A mandate, its token and its purchase share one id.
func holdAsked(tx *database.Tx, authenticationIDs []uuid.UUID) (map[uuid.UUID]askedRows, error) {
	asked, of := []mandate.Authentication(nil), database.IDs(authenticationIDs)
	const which = `id IN (SELECT mandate_id FROM mandate_authentications WHERE id = ANY(?::uuid[]))`
	held := func() *gorm.DB {
		return tx.Gorm().Scopes(database.AcrossMerchants, database.ForNoKeyUpdate).Order("id")
	}
	var tokens []token.Token
	if err := held().Find(&tokens, which, of).Error; err != nil {
		return nil, fmt.Errorf("hold tokens: %w", err)
	}
	var mandates []mandate.Mandate
	if err := held().Find(&mandates, which, of).Error; err != nil {
		return nil, fmt.Errorf("hold mandates: %w", err)
	}
	if err := held().Find(&asked, "id = ANY(?::uuid[])", of).Error; err != nil {
		return nil, fmt.Errorf("hold authentications: %w", err)
	}
	purchases, err := holdPurchases(tx, `id IN (SELECT mandate_id FROM mandate_authentications WHERE id = ANY($1))
		ORDER BY id FOR NO KEY UPDATE`, authenticationIDs)
	if err != nil {
		return nil, err
	}
	found := map[uuid.UUID]askedRows{}
	for _, a := range asked {
		one := askedRows{Authentication: a}
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
		found[a.ID] = one
	}
	return found, nil
}

// claimRequests takes authentications that the bank has yet to get, as claimDue does.
func (s Store) claimRequests(ctx context.Context, limit int) ([]requestClaim, error) {
	var due []mandate.Authentication
	err := s.Gorm(ctx).Raw(`WITH due AS (SELECT id FROM mandate_authentications WHERE state = 'requested'
			AND (claimed_until IS NULL OR claimed_until < now()) AND mandate_id `+token.NotHeld+`
				ORDER BY requested_at, id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED)
		UPDATE mandate_authentications a SET claimed_until = now() + make_interval(secs => ?) FROM due
		WHERE a.id = due.id RETURNING a.*`,
		limit, s.handOverTime().Seconds()).Find(&due).Error
	if err != nil {
		return nil, fmt.Errorf("claim mandate requests: %w", err)
	}
	claims := make([]requestClaim, len(due))
	for i, a := range due {
		claims[i] = s.requestOf(ctx, a)
	}
	return claims, nil
}

// requestOf is what the bank is asked. The numbers come from the purchase's own
// copy of the client's details.
func (s Store) requestOf(ctx context.Context, a mandate.Authentication) (c requestClaim) {
	c.Authentication = a
	m, err := s.mandates().Mandate(ctx, a.MerchantID, a.MandateID)
	if err != nil {
		c.Wrong = err
		return c
	}
	if c.Purchase, c.Wrong = (purchase.Store{DB: s.DB}).Purchase(ctx, a.MerchantID, a.MandateID); c.Wrong != nil {
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
func (s Store) creditorOf(ctx context.Context, m mandate.Mandate) (bank.Creditor, error) {
	var found creditor
	err := s.Gorm(ctx).Raw(`SELECT `+payeeColumns+` FROM mandates m`+payeeRows+`WHERE m.merchant_id = ? AND m.id = ?`,
		m.MerchantID, m.ID).Scan(&found).Error
	if err != nil {
		return bank.Creditor{}, fmt.Errorf("find who collects under a mandate: %w", err)
	}
	return found.domain(), nil
}

// releaseRequest gives one up at once.
func (s Store) releaseRequest(ctx context.Context, id uuid.UUID) error {
	if err := s.Gorm(ctx).Exec(
		`UPDATE mandate_authentications SET claimed_until = now() + interval '1 second' WHERE id = ?`, id).Error; err != nil {
		return fmt.Errorf("release mandate request: %w", err)
	}
	return nil
}

// runOut lists authentications whose time limit has come, and those that never
// reached the bank: real-time ones requested by the first instant, others by the second.
func (s Store) runOut(ctx context.Context, realTime, delayed time.Time, limit int) ([]uuid.UUID, error) {
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

// cancelsDue lists authentications of which the bank is to hear that they are not
// wanted any more.
func (s Store) cancelsDue(ctx context.Context, limit int) (due []mandate.Authentication, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Where("cancel_due").Order("id").Limit(limit).Find(&due).Error
	return due, err
}

package purchase

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/token"
)

// Charge attaches a stored account to a purchase. The purchase then waits for its
// due date. The order of the checks is the API contract's (3.8).
func (s *Service) Charge(ctx context.Context, who actor.Actor, id, tokenID uuid.UUID) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(Tx, *Record) error, error) {
		t, m, err := s.chargeable(ctx, rec.Purchase, tokenID)
		if err != nil {
			return nil, err
		}
		if err := s.mayCharge(rec.Purchase); err != nil {
			return nil, err
		}
		because, err := s.judge(rec.Purchase, m)
		if err != nil {
			return nil, err
		}
		return s.charging(who, t, m, because), nil
	})
}

// chargeable finds the token, or says why it cannot be used and what helps.
func (s *Service) chargeable(ctx context.Context, p Purchase, tokenID uuid.UUID) (token.Token, mandate.Mandate, error) {
	t, err := s.Read.Token(ctx, p.MerchantID, tokenID)
	if fault.Is(err, fault.NotFound) {
		return t, mandate.Mandate{}, invalidToken("Invalid or inactive recurring token!")
	}
	if err != nil {
		return t, mandate.Mandate{}, err
	}
	switch {
	case t.State == token.Blocked:
		return t, mandate.Mandate{}, invalidToken("This recurring token is blocked: %s. %s", bank.Label(t.BlockedCode), bank.Remedy(t.BlockedCode))
	case t.State == token.Superseded:
		return t, mandate.Mandate{}, invalidToken("This recurring token was replaced by newer details of the client. Use the new token.")
	case t.State != token.Active:
		return t, mandate.Mandate{}, invalidToken("Invalid or inactive recurring token!")
	case t.BrandID != p.BrandID:
		return t, mandate.Mandate{}, invalidToken("This recurring token belongs to another brand.")
	case t.ClientID != uuid.Nil && p.ClientID != uuid.Nil && t.ClientID != p.ClientID:
		return t, mandate.Mandate{}, invalidToken("This recurring token belongs to another client.")
	}
	m, err := s.Read.Mandate(ctx, p.MerchantID, t.MandateID)
	if err == nil && !m.State.Usable() {
		err = invalidToken("The mandate of this recurring token is not usable (%s). Store the account again with a new mandate.", m.State.Label())
	}
	if err == nil {
		err = s.onceOffIsFree(ctx, m)
	}
	return t, m, err
}

// onceOffIsFree: a once-off mandate allows one debit. That two charges do not slip
// through together is the database's to see (collections_once).
func (s *Service) onceOffIsFree(ctx context.Context, m mandate.Mandate) error {
	if !m.AllowsOneDebit() {
		return nil
	}
	n, err := s.Read.DebitsUnder(ctx, m.MerchantID, m.ID)
	if err == nil && n > 0 {
		err = invalidToken("The mandate of this recurring token allows one debit only, and that was made. Set up a new mandate for more.")
	}
	return err
}

func invalidToken(format string, args ...any) error {
	return fault.New(fault.Conflict, "invalid_recurring_token", format, args...)
}

// mayCharge checks status, currency and due.
func (s *Service) mayCharge(p Purchase) error {
	switch now := s.Now(); {
	case !p.Payable(now):
		return fault.New(fault.Conflict, "purchase_charge_wrong_status", "Only a purchase that is not paid yet can be charged; this one is %s.", p.Status)
	case !p.DueGiven || s.Timetable.TooSoon(p.Due, now):
		return fault.At("due", "due_too_soon", "A debit order needs a due date at least two days ahead.")
	case p.Currency != money.ZAR:
		return fault.New(fault.Conflict, "purchase_charge_error", "Debit orders are in ZAR; this purchase is in %s.", p.Currency)
	case p.TotalCents == 0:
		return fault.New(fault.Conflict, "purchase_charge_error", "There is nothing to collect: the total is 0.")
	}
	return nil
}

// judge holds a purchase against the terms of a mandate: why the payer could
// dispute the debit, or why it may not run at all.
func (s *Service) judge(p Purchase, m mandate.Mandate) (because []string, err error) {
	return m.Judge(mandate.Debit{AmountCents: p.TotalCents, Currency: p.Currency, Due: calendar.DateOf(p.Due)}, s.Calendar)
}

func (s *Service) charging(who actor.Actor, t token.Token, m mandate.Mandate, because []string) func(Tx, *Record) error {
	return func(tx Tx, rec *Record) error {
		before := rec.Status
		tx.HoldToken(t.MerchantID, t.ID)
		method := bank.Method(t.Method)
		c := s.collectionOf(tx, rec.Purchase, t.ID, m, s.Timetable.For(method).Plan(s.Calendar, rec.Due, rec.Brand.ShiftFor(method), tx.Now()))
		if len(because) > 0 {
			c.Disputable, c.DisputableBecause = true, because
		}
		rec.TokenID = t.ID
		rec.CollectionCount++
		rec.Collection = &c
		rec.move(PendingCharge, tx.Now())
		tx.InsertCollection(c)
		tx.Audit(who, audit.Entry{Action: "purchase.charged", ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID, PurchaseID: rec.ID,
			Text:   fmt.Sprintf("%s will be debited from %s on %s.", sayCents(rec.Purchase), t.AccountMask, c.ActionDate.Format("2 Jan 2006")),
			Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status, "recurring_token": t.ID, "action_date": c.ActionDate}})
		return nil
	}
}

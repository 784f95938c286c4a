package amendment

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// AmendByClient begins to replace an EFT account as its client asked: the client gives the new one on the page of the
// new purchase. Where a replacement is open already, it is that one.
func (s *Service) AmendByClient(ctx context.Context, who actor.Actor, tokenID uuid.UUID) (Amendment, error) {
	open, err := s.store().Of(ctx, who.MerchantID, tokenID)
	if err == nil && open.State == AmendmentOpen {
		return open, nil
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return Amendment{}, err
	}
	m, err := s.Purchases.Mandates().Mandate(ctx, who.MerchantID, tokenID)
	if err != nil {
		return Amendment{}, err
	}
	in := Revision{Method: purchase.EFT, DirectDebit: purchase.DirectDebitInput{PeriodUnits: m.PeriodUnits}}
	if m.PeriodUnits != "days" {
		in.DirectDebit.DeductionDay = &m.DeductionDay
	}
	a, err := s.amend(ctx, who, tokenID, in)
	if fault.HasCode(err, "amendment_open") { // another began in the same moment
		return s.store().Of(ctx, who.MerchantID, tokenID)
	}
	return a, err
}

package subscription

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// Judge holds the next periods of subscribers against the mandates of their accounts, where price, mandate or date have
// changed since they were last looked at, and keeps why one cannot be debited. It may be repeated and run in several
// processes at once.
func (s *Service) Judge(ctx context.Context) error {
	var after uuid.UUID
	var wrong []error
	for {
		due, err := s.Store.subscribersToJudge(ctx, after, block)
		if err != nil || len(due) == 0 {
			return errors.Join(append(wrong, err)...)
		}
		after = due[len(due)-1].ID
		for _, sub := range due {
			why, err := s.unfit(ctx, sub)
			if err == nil {
				err = s.Store.keepVerdict(ctx, sub, why)
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("judge the terms of subscriber %s: %w", sub.ID, err))
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// unfit says why the next period of a subscriber could not be debited under the mandate of its account; empty when it
// could, and where another reason stands in the way, which is told elsewhere.
func (s *Service) unfit(ctx context.Context, sub Subscriber) (string, error) {
	t, err := s.Store.AnyTemplate(ctx, sub.MerchantID, sub.TemplateID)
	if err != nil {
		return "", err
	}
	if sub.NextOn.IsZero() || sub.Switches.ConfirmEachOrder || t.On(sub.NextOn).priceOf(sub) == 0 ||
		!t.DeletedAt.IsZero() {
		return "", nil
	}
	o, err := s.orderFor(ctx, t, sub)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	f, err := s.Purchases.ForecastPeriod(ctx, s.bill(o, sub.NextOn), sub.TokenID)
	if err != nil || f.Problems.Has(purchase.AtToken) || len(f.Problems) == 0 {
		return "", err
	}
	refusal, _ := fault.From(f.Problems.Err())
	return refusal.Words(), nil
}

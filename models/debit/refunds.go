package debit

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

// refunds hands money that is owed back to payers over to the bank, under the
// refund's own id. What the bank refuses is left to a person.
func (s *Service) refunds(ctx context.Context, done *Done) error {
	return sweep(func() (int, error) {
		due, err := s.Read.RefundsDue(ctx, s.chunk())
		if len(due) == 0 {
			return 0, wrap("hand refunds over", err)
		}
		receipts, err := s.Bank.SubmitRefunds(ctx, due)
		if err == nil && len(receipts) != len(due) {
			err = fmt.Errorf("%d receipts for %d refunds", len(receipts), len(due))
		}
		if err != nil {
			return 0, wrap("hand refunds over", err)
		}
		var accepted []uuid.UUID
		for _, r := range receipts {
			if !r.Refused {
				accepted = append(accepted, r.ID)
			} else if err := s.refundRefused(ctx, r); err != nil {
				return 0, err
			}
		}
		if err := s.InTx(ctx, func(tx Tx) error { tx.RefundsHandedOver(accepted); return nil }); err != nil {
			return 0, wrap("hand refunds over", err)
		}
		done.Refunded += len(due)
		return len(due), nil
	})
}

func (s *Service) refundRefused(ctx context.Context, receipt bank.Receipt) error {
	r, err := s.Read.RefundByID(ctx, receipt.ID)
	if err == nil {
		_, err = s.Purchases.RefundFailed(ctx, r.MerchantID, r.PurchaseID, r.ID, bank.CodeOf(receipt.Code).Label())
	}
	return wrap("leave a refund to a person", err)
}

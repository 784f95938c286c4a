package debit

import (
	"context"
	"fmt"

	"github.com/google/uuid"
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
		err = s.InTx(ctx, func(tx Tx) error {
			var accepted []uuid.UUID
			for _, r := range receipts {
				if !r.Refused {
					accepted = append(accepted, r.ID)
				} else if _, err := tx.RefundByHand(r.ID); err != nil {
					return err
				}
			}
			tx.RefundsHandedOver(accepted)
			return nil
		})
		if err != nil {
			return 0, wrap("hand refunds over", err)
		}
		done.Refunded += len(due)
		return len(due), nil
	})
}

package debit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/database"
)

// refunds hands money that is owed back to clients over to the bank, under the
// refund's own id. What the bank refuses is left to a person.
func (s *Service) refunds(ctx context.Context, done *Done) error {
	return sweep(func() (int, error) {
		due, err := s.Store.refundsDue(ctx, s.chunk())
		if len(due) == 0 {
			return 0, wrap("hand refunds over", err)
		}
		if due, err = s.claimed(ctx, due); err != nil {
			return 0, wrap("hand refunds over", err)
		}
		receipts, err := s.Bank.SubmitRefunds(ctx, due)
		if errors.Is(err, bank.ErrUnable) {
			receipts, err = unable(due), nil
		}
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
		if err := s.InTx(ctx, func(tx *database.Tx) error { refundsHandedOver(tx, accepted); return nil }); err != nil {
			return 0, wrap("hand refunds over", err)
		}
		done.Refunded += len(due)
		return len(due), nil
	})
}

// claimed are those of the refunds that nobody ended before their hand-over began.
func (s *Service) claimed(ctx context.Context, due []bank.Refund) (out []bank.Refund, err error) {
	ids := make([]uuid.UUID, len(due))
	for i, r := range due {
		ids[i] = r.ID
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		held, err := claimRefunds(tx, ids)
		out = slices.DeleteFunc(slices.Clone(due), func(r bank.Refund) bool { return !slices.Contains(held, r.ID) })
		return err
	})
	return out, err
}

// unable are the refusals of a connection that pays no refunds.
func unable(due []bank.Refund) []bank.Receipt {
	receipts := make([]bank.Receipt, len(due))
	for i, r := range due {
		receipts[i] = bank.Receipt{ID: r.ID, Refused: true, Code: bank.CodeUnable}
	}
	return receipts
}

func (s *Service) refundRefused(ctx context.Context, receipt bank.Receipt) error {
	r, err := s.Purchases.Store.RefundByID(ctx, receipt.ID)
	if err == nil {
		_, err = s.Purchases.RefundFailed(ctx, r.MerchantID, r.PurchaseID, r.ID, refusedRefund(receipt.Code))
	}
	return wrap("leave a refund to a person", err)
}

// refusedRefund says why a refund did not reach the client.
func refusedRefund(code string) string {
	if code == bank.CodeUnable {
		return bank.CannotRefund
	}
	return "The client’s bank did not accept the refund: " + bank.CodeOf(code).Label() + "."
}

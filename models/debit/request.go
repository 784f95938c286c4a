package debit

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
)

// request hands to the bank what clients are to be asked. The time to answer counts
// from then. A request that the bank took before a crash is handed over again
// under the same id, which changes nothing there.
func (s *Service) request(ctx context.Context, done *Done) error {
	var wrong error
	err := sweep(func() (sent int, err error) {
		claims, err := s.Store.claimRequests(ctx, s.chunk())
		if err != nil {
			return 0, err
		}
		for _, c := range claims {
			if err := s.requestOne(ctx, c); err != nil {
				wrong = errors.Join(wrong, err)
				continue
			}
			sent++
			done.touchMandate(c.Authentication.ID)
		}
		done.Asked += sent
		return sent, nil
	})
	return errors.Join(err, wrong)
}

func (s *Service) requestOne(ctx context.Context, c requestClaim) error {
	if c.Wrong != nil {
		return fmt.Errorf("request a mandate: %w", c.Wrong)
	}
	at := s.Now()
	if !at.Before(c.Authentication.RequestedAt.Add(
		s.Limits.For(c.Authentication.Method))) { // nobody waits for it any more
		return s.onAsked(ctx, c.Authentication.ID, (*question).passed)
	}
	brand, err := s.Purchases.Merchants().Brand(ctx, c.Purchase.MerchantID, c.Purchase.BrandID)
	if err != nil {
		return fmt.Errorf("request mandate %s: %w", c.Order.MandateID, err)
	}
	c.Order.AnswerBy = s.Limits.Ends(c.Authentication.Method, at)
	most, _ := s.Purchases.Schedule(brand, bank.DebiCheck).Tracking(calendar.DateOf(at))
	c.Order.Tracking = min(c.Purchase.TrackingDays(s.Limits), most) > 0
	c.Order.FirstDate = s.Purchases.FirstDate(c.Purchase, brand)
	receipt, err := s.Bank.RequestMandate(ctx, c.Order)
	if errors.Is(err, bank.ErrUnable) {
		return s.onAsked(ctx, c.Authentication.ID, func(q *question) {
			if q.a.is.State == mandate.AuthRequested {
				q.decline(mandate.FailedAtBank, bank.CodeUnable, at)
			}
		})
	}
	if err != nil {
		return errors.Join(fmt.Errorf("request mandate %s: %w", c.Order.MandateID, err),
			s.Store.releaseRequest(context.WithoutCancel(ctx), c.Authentication.ID))
	}
	return s.onAsked(ctx, c.Authentication.ID, func(q *question) {
		switch {
		case q.a.is.State != mandate.AuthRequested: // an answer was quicker
		case receipt.Refused:
			q.decline(mandate.Rejected, cmp.Or(receipt.Code, "MS03"), at)
		default:
			q.sent(at)
			q.note(actor.SystemOf(q.m.is.MerchantID), "mandate.sent",
				"The request was handed to the client’s bank; the client can answer until %s.", q.say(q.a.is.ExpiresAt))
		}
	})
}

// runOut ends authentications whose time has passed. A request that did not even
// reach the bank in the time that the client has to answer is given up: nobody waits
// for it any more, and real time has its window. One that cannot be ended does not
// stand in the way of the others.
func (s *Service) runOut(ctx context.Context, done *Done) error {
	var wrong error
	err := sweep(func() (ended int, err error) {
		now := s.Now()
		ids, err := s.Store.runOut(ctx, now.Add(-s.Limits.RealTime), now.Add(-s.Limits.Delayed), s.chunk())
		if err != nil {
			return 0, err
		}
		for _, id := range ids {
			if err := s.onAsked(ctx, id, (*question).passed); err != nil {
				wrong = errors.Join(wrong, err)
				continue
			}
			ended++
			done.touchMandate(id)
		}
		done.RunOut += ended
		return ended, nil
	})
	return wrap("end what was not answered", errors.Join(err, wrong))
}

// withdraw tells the bank what is not wanted any more: a mandate whose token was
// deleted, or an answer that came too late.
func (s *Service) withdraw(ctx context.Context, done *Done) error {
	var wrong error
	err := sweep(func() (told int, err error) {
		due, err := s.Store.cancelsDue(ctx, s.chunk())
		if err != nil {
			return 0, err
		}
		for _, a := range due {
			if err := s.withdrawOne(ctx, a); err != nil {
				wrong = errors.Join(wrong, err)
				continue
			}
			told++
			done.touchMandate(a.ID)
		}
		done.Withdrawn += told
		return told, nil
	})
	return errors.Join(err, wrong)
}

func (s *Service) withdrawOne(ctx context.Context, a mandate.Authentication) error {
	text, unable := "The client’s bank was told that this mandate request is withdrawn.",
		"Your bank connection cannot withdraw this mandate request. Ask your bank to cancel it."
	if a.State == mandate.AuthAccepted {
		text = "The client’s bank was told that this mandate is cancelled."
		unable = "Your bank connection cannot cancel this mandate. Ask your bank to cancel it."
	}
	switch err := s.Bank.CancelMandate(ctx, a.ID); {
	case errors.Is(err, bank.ErrUnable):
		text = unable
	case err != nil && !errors.Is(err, bank.ErrUnknown):
		return fmt.Errorf("cancel mandate %s: %w", a.MandateID, err)
	}
	return s.InTx(ctx, func(tx *database.Tx) error {
		first, err := mandate.CancelTold(tx, a.ID)
		if err != nil || !first {
			return err
		}
		held, err := holdAsked(tx, []uuid.UUID{a.ID})
		if asked, found := held[a.ID]; found {
			noteMandate(tx, actor.SystemOf(a.MerchantID), asked.Mandate, "mandate.cancelled_at_bank", "%s", text)
		}
		return err
	})
}

package purchase

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// SettleRefund records that the client has the money of the oldest refund back that is not with the bank: a person
// paid it. Once only. What waits at the bank connection is taken back first; what left is refused: the bank pays it.
func (s *Service) SettleRefund(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	return s.endRefund(ctx, who, id, slices.Clone[[]Refund], func(r Refund) func(*database.Tx, *Record) error {
		r.Channel = ByPerson
		return s.settle(who, r)
	})
}

// WithdrawRefund ends the newest refund under way that is not with the bank: the client gets nothing back of it.
func (s *Service) WithdrawRefund(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	return s.endRefund(ctx, who, id, NewestFirst, func(r Refund) func(*database.Tx, *Record) error {
		return func(tx *database.Tx, rec *Record) error {
			before := rec.Status
			r.State, r.UpdatedAt = RefundDropped, tx.Now()
			moveRefund(tx, r, RefundPending)
			rec.Dropped(r)
			rec.followPayment(tx.Now())
			tx.Audit(who, audit.Entry{Action: "purchase.refund_withdrawn", ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text:   "The refund of " + money.Format(r.AmountCents, r.Currency) + " was withdrawn. Nothing is paid back.",
				Before: map[string]any{"status": before},
				After:  map[string]any{"status": rec.Status, "amount_cents": r.AmountCents}})
			return nil
		}
	})
}

const noRefundWaits = "No refund of this purchase is waiting."

// refundAtBank says why a refund can be neither withdrawn nor paid by a person.
const refundAtBank = "The bank has this refund and pays it. Wait for its answer; " +
	"if it cannot pay, pay the client yourself then."

// WhyNoRefundEnds says why no refund under way can be withdrawn or paid by a person; empty where one may be.
func (s *Service) WhyNoRefundEnds(rec Record) string {
	switch {
	case len(rec.Refunds) == 0:
		return noRefundWaits
	case !slices.ContainsFunc(rec.Refunds, func(r Refund) bool { return !r.AtBank() || r.Held }):
		return refundAtBank
	}
	return ""
}

// refundsUnderWay are those of a purchase, each with whether the bank connection still gives it back.
func (s *Service) refundsUnderWay(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]Refund, error) {
	all, err := s.Store.RefundsUnderWay(ctx, merchantID, purchaseID)
	if err != nil || s.HeldRefunds == nil {
		return all, err
	}
	var ids []uuid.UUID
	for _, r := range all {
		if r.HandedOver {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return all, nil
	}
	held, err := s.HeldRefunds(ctx, merchantID, ids)
	for i := range all {
		all[i].Held = slices.Contains(held, all[i].ID)
	}
	return all, err
}

// EndedNext is the refund that is ended by hand next: the first in an order that the bank does not have, else the first
// that its connection gives back, else the first.
func EndedNext(all []Refund) (Refund, bool) {
	for _, can := range []func(Refund) bool{func(r Refund) bool { return !r.AtBank() },
		func(r Refund) bool { return r.Held }} {
		if i := slices.IndexFunc(all, can); i >= 0 {
			return all[i], true
		}
	}
	if len(all) == 0 {
		return Refund{}, false
	}
	return all[0], true
}

// NewestFirst is the order in which refunds are withdrawn.
func NewestFirst(all []Refund) []Refund {
	all = slices.Clone(all)
	slices.Reverse(all)
	return all
}

// endRefund ends one refund under way by hand: the first in the given order that the bank does not have, or gives back.
func (s *Service) endRefund(ctx context.Context, who actor.Actor, id uuid.UUID, order func([]Refund) []Refund,
	end func(Refund) func(*database.Tx, *Record) error) (Record, error) {
	if err := who.May(actor.Refund); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if len(rec.Refunds) == 0 {
			return nil, fault.New(fault.Conflict, "purchase_refund_wrong_status", noRefundWaits)
		}
		all := order(rec.Refunds)
		if i := slices.IndexFunc(all, func(r Refund) bool { return !r.AtBank() }); i >= 0 {
			return end(all[i]), nil
		}
		return func(tx *database.Tx, rec *Record) error {
			for _, r := range all {
				back, err := s.takeBack(tx, r)
				if err != nil {
					return err
				}
				if back {
					return end(r)(tx, rec)
				}
			}
			return fault.New(fault.Conflict, "purchase_refund_wrong_status", refundAtBank)
		}, nil
	})
}

// takeBack has the bank connection give a refund back that has not left; false where it cannot.
func (s *Service) takeBack(tx *database.Tx, r Refund) (bool, error) {
	if s.TakeRefundBack == nil || !r.HandedOver {
		return false, nil
	}
	return s.TakeRefundBack(tx, r.MerchantID, r.ID)
}

// RefundSettled records the bank's word that the client has the money back; false when it was recorded before. The
// word counts even when the refund fell away meanwhile, or when a person has paid it as well.
func (s *Service) RefundSettled(ctx context.Context, merchantID, purchaseID, id uuid.UUID) (news bool, err error) {
	return s.refundAnswered(ctx, merchantID, purchaseID, id, func(r Refund) (func(*database.Tx, *Record) error, bool) {
		if r.State == RefundSettled {
			return settleAgain(actor.BankOf(merchantID), r), r.Channel == ByPerson && r.PaidTwiceAt.IsZero()
		}
		r.Channel = ByBank
		return s.settle(actor.BankOf(merchantID), r), true
	})
}

// RefundFailed records that the bank cannot pay a refund out, with a sentence that says
// why; false when it waits no more. A person pays it, unless the money went back another way meanwhile.
func (s *Service) RefundFailed(ctx context.Context, merchantID, purchaseID, id uuid.UUID,
	why string) (news bool, err error) {
	return s.refundAnswered(ctx, merchantID, purchaseID, id, func(r Refund) (func(*database.Tx, *Record) error, bool) {
		return func(tx *database.Tx, rec *Record) error {
			text := why + " "
			if rec.Payment != nil && rec.PaymentCount == r.Payment {
				r.Channel = ByPerson
				text += "Pay it back another way and mark it as done."
			} else {
				r.State = RefundDropped
				rec.Dropped(r)
				text += "Nothing is owed: the debit was returned, so the client has the money."
			}
			r.UpdatedAt = tx.Now()
			moveRefund(tx, r, RefundPending)
			rec.followPayment(tx.Now())
			tx.Audit(actor.BankOf(merchantID), audit.Entry{Action: "purchase.refund_failed", ObjectType: "purchase",
				ObjectID: rec.ID, ClientID: rec.ClientID, PurchaseID: rec.ID, Text: text})
			return nil
		}, r.State == RefundPending && r.Channel == ByBank
	})
}

// refundAnswered applies the bank's word to a refund as it stands now.
func (s *Service) refundAnswered(ctx context.Context, merchantID, purchaseID, id uuid.UUID,
	decide func(Refund) (write func(*database.Tx, *Record) error, news bool)) (news bool, err error) {
	_, err = s.change(ctx, merchantID, purchaseID, func(Record) (func(*database.Tx, *Record) error, error) {
		r, err := s.Store.Refund(ctx, merchantID, id)
		if err != nil {
			return nil, err
		}
		var write func(*database.Tx, *Record) error
		if write, news = decide(r); !news {
			return nil, nil
		}
		return write, nil
	})
	return news && err == nil, err
}

// settle is a refund that was paid out: the money left, whatever the purchase is by now.
func (s *Service) settle(who actor.Actor, r Refund) func(*database.Tx, *Record) error {
	return func(tx *database.Tx, rec *Record) error {
		from, before := r.State, rec.Status
		r.State, r.SettledAt, r.UpdatedAt = RefundSettled, tx.Now(), tx.Now()
		moveRefund(tx, r, from)
		if from == RefundPending {
			rec.Dropped(r)
		}
		rec.Book(tx, refundEntry(r))
		rec.followPayment(tx.Now())
		text := money.Format(r.AmountCents, r.Currency) + " was paid back."
		if rec.NetCents < 0 {
			text += " The debit was also returned: the client has the money twice."
		}
		tx.Audit(who, refunded(rec, before, text))
		return s.creditRefund(tx, who, rec, r)
	}
}

// settleAgain is the bank's payment of a refund that a person has paid as well. It is no credit: the client has more
// than was meant.
func settleAgain(who actor.Actor, r Refund) func(*database.Tx, *Record) error {
	return func(tx *database.Tx, rec *Record) error {
		before := rec.Status
		r.PaidTwiceAt, r.UpdatedAt = tx.Now(), tx.Now()
		moveRefund(tx, r, RefundSettled)
		rec.OverpaidCents += r.AmountCents
		rec.Book(tx, refundEntry(r))
		tx.Audit(who, refunded(rec, before, money.Format(r.AmountCents, r.Currency)+
			" was paid back by the bank, too: the client has this refund twice."))
		return nil
	}
}

func refunded(rec *Record, before Status, text string) audit.Entry {
	return audit.Entry{Action: "purchase.refunded", ObjectType: "purchase", ObjectID: rec.ID,
		ClientID: rec.ClientID, PurchaseID: rec.ID, Text: text,
		Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status,
			"refunded_cents": rec.RefundedCents}}
}

// Dropped takes a refund from those under way.
func (p *Purchase) Dropped(r Refund) { p.RefundingCents -= r.AmountCents }

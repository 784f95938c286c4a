package plan

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// act takes a step by the use case of the button, which writes it in the transaction of what it does: a step that was
// taken or stopped meanwhile undoes that.
func (s *Service) act(ctx context.Context, t turn) error {
	kept := false
	keep := func(tx *database.Tx) error {
		v := t.after(tx.Now())
		made, err := t.made(tx)
		if err != nil {
			return err
		}
		if made != uuid.Nil {
			v.MadeID = &made
		}
		done, err := move(tx, t.MerchantID, fromAct, []moved{v})
		if err == nil && !done[t.ID] {
			err = errTaken
		}
		kept = err == nil
		return err
	}
	err := s.use(ctx, t, keep)
	switch {
	case err != nil && refusal(err):
		t.move = Move{What: Refuse, Day: t.move.Day, Why: err.Error()}
	case err != nil || kept:
		return err
	default: // the use case found nothing to do
		t.move = Move{What: Skip, Day: t.move.Day, Why: "There was nothing to do."}
	}
	return s.write(ctx, t.MerchantID, []turn{t})
}

// refusal tells that a use case refused the step for a reason that stays; who came first is none.
func refusal(err error) bool {
	f, is := fault.From(err)
	return is && f.Kind != fault.NotFound && f.Code != "conflict" && f.Code != errTaken.Code
}

// use calls the use case of a step.
func (s *Service) use(ctx context.Context, t turn, keep func(*database.Tx) error) (err error) {
	who := t.plan.actor()
	purchases := *s.Purchases
	purchases.InTx = with(s.Purchases.InTx, keep)
	switch t.step().Kind {
	case DebitAgain:
		_, err = purchases.ChargeOn(ctx, who, t.PurchaseID, t.rec.Collection.TokenID, t.day)
	case Message:
		if t.step().Texts(t.rec.Payer.Email != "") {
			_, err = purchases.RemindBySMS(ctx, who, t.PurchaseID)
			break
		}
		_, err = purchases.Remind(ctx, who, t.PurchaseID)
	case AskAccount:
		_, err = purchases.ResendInvoice(ctx, who, t.PurchaseID)
	case Pause:
		subscriptions := *s.Subscriptions
		subscriptions.InTx = with(s.Subscriptions.InTx, keep)
		_, err = subscriptions.SetSubscriberPaused(ctx, who, t.SubscriberID, true)
	case WaitDays, WaitBusiness, WaitPayDay, WaitLikely, Task, Stop:
	}
	return err
}

// with adds a last word to transactions.
func with(run func(context.Context, func(*database.Tx) error) error,
	keep func(*database.Tx) error) func(context.Context, func(*database.Tx) error) error {
	return func(ctx context.Context, do func(*database.Tx) error) error {
		return run(ctx, func(tx *database.Tx) error {
			if err := do(tx); err != nil {
				return err
			}
			return keep(tx)
		})
	}
}

// dayBefore is how long before its last moment a debit is planned.
const dayBefore = 24 * time.Hour

package debit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/money"
	"debitdesk/models/token"
)

// handOver gives collections to the bank at their submission deadline. What the
// bank took before a crash is handed over again under the same id, which changes
// nothing there.
func (s *Service) handOver(ctx context.Context, done *Done) error {
	var seen sync.Mutex
	var unreadable error
	err := s.inLanes(done, func(done *Done) (int, error) {
		claims, err := s.Store.claimDue(ctx, s.chunk())
		if err != nil || len(claims) == 0 {
			return 0, err
		}
		seen.Lock()
		readable := slices.DeleteFunc(slices.Clone(claims), func(c claim) bool {
			unreadable = errors.Join(unreadable, c.Wrong)
			return c.Wrong != nil
		})
		seen.Unlock()
		if err := s.handOverChunk(ctx, readable); err != nil {
			return 0, errors.Join(err, s.Store.releaseClaims(context.WithoutCancel(ctx), idsOf(readable)))
		}
		for _, c := range readable {
			done.touch(c.Collection.ID)
		}
		done.HandedOver += len(readable)
		return len(claims), nil
	})
	return wrap("hand collections over", errors.Join(err, unreadable))
}

func (s *Service) handOverChunk(ctx context.Context, claims []claim) error {
	var orders []bank.Instruction
	var stopped []refusal
	able := s.Bank.Capabilities()
	for _, c := range claims {
		switch {
		case !mayCollect(c):
			stopped = append(stopped, refusal{c.Collection.ID, bank.CodeBlocked, true})
		case c.Order.Method == bank.DebiCheck && !able.DebiCheck:
			stopped = append(stopped, refusal{c.Collection.ID, bank.CodeUnable, true})
		default:
			orders = append(orders, c.Order)
		}
	}
	corrected, err := s.correct(ctx, claims, orders)
	if err != nil {
		return err
	}
	receipts, err := s.submit(ctx, orders)
	if err != nil {
		return err
	}
	var accepted []uuid.UUID
	for _, r := range receipts {
		if r.Refused {
			stopped = append(stopped, refusal{r.ID, cmp.Or(r.Code, bank.CodeBlocked), false})
		} else {
			accepted = append(accepted, r.ID)
		}
	}
	return s.InTx(ctx, func(tx *database.Tx) error {
		ctx := tx.Context()
		if err := recordSubmitted(tx, accepted, corrected); err != nil {
			return err
		}
		return s.refuse(ctx, tx, stopped)
	})
}

// mayCollect: a token that was blocked since the charge is not debited any more
// (industry: stop at once, collecting again needs a new mandate).
func mayCollect(c claim) bool { return c.Token == token.Active || c.Token == token.Pending }

func (s *Service) submit(ctx context.Context, orders []bank.Instruction) ([]bank.Receipt, error) {
	if len(orders) == 0 {
		return nil, nil
	}
	receipts, err := s.Bank.Submit(ctx, orders)
	if err == nil && len(receipts) != len(orders) {
		err = fmt.Errorf("%d receipts for %d instructions", len(receipts), len(orders))
	}
	return receipts, err
}

func idsOf(claims []claim) []uuid.UUID {
	ids := make([]uuid.UUID, len(claims))
	for i, c := range claims {
		ids[i] = c.Collection.ID
	}
	return ids
}

// correct tells the bank what is true by now of debits that were planned as the second in their period, and gives those
// that are not any more.
func (s *Service) correct(ctx context.Context, claims []claim,
	orders []bank.Instruction) (map[uuid.UUID]collection.Collection, error) {
	now := make([]collection.Collection, len(claims))
	byMerchant := map[uuid.UUID][]*collection.Collection{}
	for i, claim := range claims {
		now[i] = claim.Collection
		byMerchant[now[i].MerchantID] = append(byMerchant[now[i].MerchantID], &now[i])
	}
	for merchantID, debits := range byMerchant {
		if err := s.Purchases.CorrectSeconds(ctx, merchantID, debits...); err != nil {
			return nil, err
		}
	}
	corrected := map[uuid.UUID]collection.Collection{}
	for i, c := range now {
		if len(c.DisputableBecause) != len(claims[i].Collection.DisputableBecause) {
			corrected[c.ID] = c
		}
	}
	for i, o := range orders {
		if c, is := corrected[o.ID]; is {
			orders[i].Disputable = c.Disputable
		}
	}
	return corrected, nil
}

func recordSubmitted(tx *database.Tx, ids []uuid.UUID, corrected map[uuid.UUID]collection.Collection) error {
	if len(ids) == 0 {
		return nil
	}
	moved, err := submitted(tx, ids)
	for _, c := range moved {
		if is, changed := corrected[c.ID]; changed {
			c.Disputable, c.DisputableBecause = is.Disputable, is.DisputableBecause
			collection.Save(tx, c, c.State)
		}
		note(tx, actor.SystemOf(c.MerchantID), c, "collection.submitted", "The debit of %s for %s was handed to the bank.",
			money.Format(c.AmountCents, c.Currency), c.ActionDate.Format("2 Jan 2006"))
	}
	return err
}

// note puts a sentence about a collection on the time lines.
func note(tx *database.Tx, who actor.Actor, c collection.Collection, action, format string, args ...any) {
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "collection", ObjectID: c.ID, ClientID: c.ClientID,
		PurchaseID: c.PurchaseID,
		Text:       fmt.Sprintf(format, args...), After: map[string]any{"state": c.State}})
}

// refusal is a collection that does not run.
type refusal struct {
	id   uuid.UUID
	code string
	ours bool // stopped here, before the bank saw it
}

func (s *Service) refuse(ctx context.Context, tx *database.Tx, stopped []refusal) error {
	if len(stopped) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(stopped))
	for i, r := range stopped {
		ids[i] = r.id
	}
	set, err := s.hold(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, r := range stopped {
		set.refuse(r)
	}
	set.save()
	return nil
}

// recall tells the bank about collections that were withdrawn after it got them.
func (s *Service) recall(ctx context.Context, done *Done) error {
	var wrong error
	err := sweep(func() (told int, err error) {
		due, err := s.Store.recallsDue(ctx, s.chunk())
		if err != nil {
			return 0, err
		}
		for _, c := range due {
			if err := s.recallOne(ctx, c); err != nil {
				wrong = errors.Join(wrong, err)
				continue
			}
			told++
			done.touch(c.ID)
		}
		done.Recalled += told
		return told, nil
	})
	return errors.Join(err, wrong)
}

func (s *Service) recallOne(ctx context.Context, c collection.Collection) error {
	err := s.Bank.Recall(ctx, c.ID)
	var text string
	switch {
	case err == nil:
		text = "The bank was told to withdraw the debit."
	case errors.Is(err, bank.ErrTooLate):
		text = "The recall came too late: the bank had run the debit. Money that still arrives must be refunded."
	case errors.Is(err, bank.ErrUnable):
		text = bank.Capabilities{}.NoRecall() + " If it is paid, refund the client."
	case errors.Is(err, bank.ErrUnknown): // it never got there
	default:
		return fmt.Errorf("recall collection %s: %w", c.ID, err)
	}
	return s.InTx(ctx, func(tx *database.Tx) error {
		first, err := recallTold(tx, c.ID)
		if err == nil && first && text != "" {
			note(tx, actor.SystemOf(c.MerchantID), c, "collection.recalled", "%s", text)
		}
		return err
	})
}

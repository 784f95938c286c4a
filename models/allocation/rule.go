package allocation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// RuleName is how time lines and the audit call the rule.
const RuleName = "Rule for EFT payments"

// ruleOf acts for the rule within one merchant.
func ruleOf(merchantID uuid.UUID) actor.Actor {
	return actor.Actor{Kind: actor.System, Name: RuleName, MerchantID: merchantID}
}

// Rule tells whether the rule is on: since when, and who switched it on. Since is zero where it is off.
type Rule struct {
	Since time.Time
	By    string
}

// On tells whether movements are booked without a person.
func (r Rule) On() bool { return !r.Since.IsZero() }

// Rule is the setting of a business.
func (s *Service) Rule(ctx context.Context, who actor.Actor) (Rule, error) {
	if err := who.May(actor.Read); err != nil {
		return Rule{}, err
	}
	return s.Store.rule(ctx, who.MerchantID)
}

// SetRule switches the rule on or off. It directs money: where the business wants a second approver for that, a person
// asks one for it; to switch it off needs none.
func (s *Service) SetRule(ctx context.Context, who actor.Actor, on bool) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	if on {
		if err := s.Alone(ctx, who); err != nil {
			return err
		}
	}
	return s.Purchases.InTx(ctx, func(tx *database.Tx) error {
		_, err := s.SetRuleIn(tx, who, on)
		return err
	})
}

// SetRuleIn is SetRule in the transaction of a decision. It says in words what it does.
func (s *Service) SetRuleIn(tx *database.Tx, who actor.Actor, on bool) ([]string, error) {
	before, err := lockRule(tx, who.MerchantID, true)
	if err != nil {
		return nil, err
	}
	if before.On() == on {
		return nil, fault.New(fault.Conflict, "nothing_changes", "The rule for EFT payments is %s already.", onOff(on))
	}
	after := Rule{}
	lines := []string{"The rule for EFT payments is switched off.",
		"Money that comes in by EFT waits for a person, as before. What the rule booked stays booked."}
	if on {
		after = Rule{Since: tx.Now(), By: who.Name}
		lines = []string{"The rule for EFT payments is switched on.",
			"Money that comes in by EFT is booked without a person where its text has the whole reference of one open " +
				"purchase, which owes just that amount.", "It looks at what comes from then on. Each payment can be undone."}
		if err := s.Movements.Store.JudgeAll(tx, who.MerchantID, nil); err != nil {
			return nil, fmt.Errorf("leave what waits to people: %w", err)
		}
	}
	if err := saveRule(tx, who.MerchantID, after); err != nil {
		return nil, err
	}
	tx.Audit(who, audit.Entry{Action: "bank.eft_rule_changed", ObjectType: "merchant", ObjectID: who.MerchantID,
		Text:   "The rule for EFT payments was switched " + onOff(on) + ".",
		Before: map[string]any{"eft_rule": onOff(before.On())}, After: map[string]any{"eft_rule": onOff(on)}})
	return lines, nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// shortestBare is how long a name of digits alone must be for the rule (ours): a year is no reference.
const shortestBare = 6

// telling says that a name is meant as a reference: it has letters and digits, or enough digits.
func telling(name string) bool {
	return len(name) >= shortestBare || strings.ContainsFunc(name, unicode.IsLetter)
}

// meant is the purchase that the rule books a movement on; false: a person decides. Its text names one open purchase
// and nothing else, which owes all that came, and no debit of it is planned.
func (t text) meant(s *Service) (Offer, bool) {
	if t.cut || t.found.closed || t.entry.Reversal || t.found.left != t.entry.AmountCents {
		return Offer{}, false
	}
	all := t.found.ranked(s, false)
	if len(all) != 1 || !all[0].Sure() || !telling(all[0].Named) {
		return Offer{}, false
	}
	return all[0], true
}

// mostJudged is how many movements the rule looks at together (ours).
const mostJudged = 200

// Run lets the rule look at the movements that came, of the businesses that have it on: each once. It books a movement
// and notes that it has looked at it in one transaction, so that it may be stopped at any moment and begin again, and
// run in several processes.
func (s *Service) Run(ctx context.Context) (booked int, err error) {
	var wrong []error
	for len(wrong) == 0 {
		found, err := s.Movements.Store.ToJudge(ctx, mostJudged)
		if err != nil || len(found) == 0 {
			return booked, err
		}
		of := map[uuid.UUID][]exchange.Entry{}
		for _, n := range found {
			of[n.MerchantID] = append(of[n.MerchantID], n)
		}
		for merchantID, entries := range of {
			n, err := s.judge(ctx, ruleOf(merchantID), entries)
			if booked += n; err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	return booked, errors.Join(wrong...)
}

// judge books movements of one business, or leaves them to a person.
func (s *Service) judge(ctx context.Context, who actor.Actor, entries []exchange.Entry) (booked int, err error) {
	all, err := s.textsOf(ctx, who, entries, nil)
	if err != nil {
		return 0, err
	}
	meant := map[uuid.UUID]Offer{}
	for _, t := range all {
		if o, is := t.meant(s); is {
			meant[t.entry.ID] = o
		}
	}
	left := []uuid.UUID{}
	var wrong []error
	for _, n := range entries {
		o, is := meant[n.ID]
		if !is {
			left = append(left, n.ID)
			continue
		}
		done, err := s.bookByRule(ctx, who, n, o.ID)
		if done {
			booked++
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("book movement %s by the rule: %w", n.ID, err))
		}
	}
	if len(left) > 0 {
		wrong = append(wrong, s.Purchases.InTx(ctx, func(tx *database.Tx) error {
			return s.Movements.Store.JudgeAll(tx, who.MerchantID, left)
		}))
	}
	return booked, errors.Join(wrong...)
}

// bookByRule books one movement, as long as the rule is on and nobody has decided about it.
func (s *Service) bookByRule(ctx context.Context, who actor.Actor, n exchange.Entry, purchaseID uuid.UUID) (done bool,
	err error) {
	err = fault.Again(purchase.Tries, busy, func() error {
		done = false
		rec, err := s.Purchases.Load(ctx, who.MerchantID, purchaseID)
		if err != nil {
			return err
		}
		return s.Purchases.InTx(ctx, func(tx *database.Tx) error {
			rule, err := lockRule(tx, who.MerchantID, false)
			if err != nil || !rule.On() {
				return err
			}
			first, err := s.Movements.Store.Judge(tx, who.MerchantID, n.ID)
			if err != nil || !first {
				return err
			}
			if payable := s.Purchases.MayMarkAsPaid(rec) == nil; !payable || rec.OpenCents() != n.AmountCents {
				return nil // it changed since: a person decides
			}
			held, err := s.Movements.Store.Pay(tx, who, n.ID, n.AmountCents, 0)
			if err != nil {
				return err
			}
			done = true
			return s.book(tx, who, held, rec, n.AmountCents)
		})
	})
	return done && err == nil, err
}

const (
	// RehearsedDays is how far back the rule is rehearsed (ours).
	RehearsedDays = 90
	mostRehearsed = 2000
)

// Rehearsal is what the rule would have done with the movements of the past.
type Rehearsal struct {
	Looked, Would int   // movements that waited for a person, and those that the rule would have booked
	Cents         int64 // of these
	Same          int   // of these, those that people booked on the very purchase
	More          bool  // there were more than were looked at
}

// Rehearse tries the rule on the movements of the past, by the code that acts. A purchase that a movement has paid
// since counts as it stood before.
func (s *Service) Rehearse(ctx context.Context, who actor.Actor) (r Rehearsal, err error) {
	if err := who.May(actor.Manage); err != nil {
		return r, err
	}
	since := calendar.DateOf(s.Purchases.Now()).AddDays(-RehearsedDays)
	found, err := s.Movements.Store.ToRehearse(ctx, who.MerchantID, since, mostRehearsed+1)
	if err != nil {
		return r, err
	}
	if r.More = len(found) > mostRehearsed; r.More {
		found = found[:mostRehearsed]
	}
	r.Looked = len(found)
	for len(found) > 0 {
		part := found[:min(len(found), mostJudged)]
		found = found[len(part):]
		entries, paid := make([]exchange.Entry, len(part)), map[uuid.UUID]uuid.UUID{}
		for i, f := range part {
			if entries[i] = f.Entry; f.PaidID != uuid.Nil {
				paid[f.ID] = f.PaidID
			}
		}
		all, err := s.textsOf(ctx, who, entries, paid)
		if err != nil {
			return r, err
		}
		for _, t := range all {
			o, is := t.meant(s)
			if !is {
				continue
			}
			r.Would, r.Cents = r.Would+1, r.Cents+t.entry.AmountCents
			if paid[t.entry.ID] == o.ID {
				r.Same++
			}
		}
	}
	return r, nil
}

package approval

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
)

// Loosen is the request that less needs a second approver. It needs one itself:
// otherwise one person could turn the rule off, act, and turn it on again.
const Loosen Kind = "loosen"

// Loosening is what is demanded now and what is asked for.
type Loosening struct {
	Before merchant.Demands `json:"before"`
	After  merchant.Demands `json:"after"`
}

// BeforeInWords and AfterInWords say what is demanded.
func (l Loosening) BeforeInWords() string { return inWords(l.Before) }

// AfterInWords says what would be demanded.
func (l Loosening) AfterInWords() string { return inWords(l.After) }

// loosening is the subject of a request for fewer approvals.
func (s *Service) loosening(ctx context.Context, who actor.Actor, of Subject) (Subject, error) {
	if err := who.May(actor.Manage); err != nil {
		return of, err
	}
	if of.Loosening == nil {
		return of, fault.Missing()
	}
	after := of.Loosening.After
	if err := checkDemands(after); err != nil {
		return of, err
	}
	before, err := s.merchants().Demands(ctx, who.MerchantID)
	if err != nil {
		return of, err
	}
	if !Looser(before, after) {
		return of, fault.New(fault.Conflict, "nothing_looser",
			"This asks for at least as many approvals as now, so it needs no approval: save it.")
	}
	return Subject{Loosening: &Loosening{before, after}, Name: "ask for fewer approvals: " + inWords(after)}, nil
}

// carryOutLoosening sets what was asked for, as long as what is demanded is still
// what the second approver was shown.
func (s *Service) carryOutLoosening(ctx context.Context, tx *database.Tx, asker user.User, a Approval) error {
	as := asker.Actor()
	if err := still(as.May(actor.Manage)); err != nil {
		return err
	}
	if a.Subject.Loosening == nil {
		return fault.Missing()
	}
	before, err := s.setDemands(ctx, tx, as, a.Subject.Loosening.After,
		map[string]any{"approved_by": a.DecidedName, "approval": a.ID})
	if err == nil && !same(before, a.Subject.Loosening.Before) {
		err = fault.New(fault.Conflict, "demands_changed",
			"What needs a second approver has changed since this request was made. Refuse it; it can be asked for again.")
	}
	return err
}

// setDemands writes what needs a second approver and tells what did before. When less
// does than before, the other admins are told by mail.
func (s *Service) setDemands(ctx context.Context, tx *database.Tx, who actor.Actor, d merchant.Demands,
	also map[string]any) (merchant.Demands, error) {
	before, err := merchant.SetDemands(tx, who.MerchantID, d)
	if err != nil || same(before, d) {
		return before, err
	}
	id := tx.NewID() // of this change, for its mails
	after := told(d)
	for name, value := range also {
		after[name] = value
	}
	tx.Audit(who, audit.Entry{Action: "approval.demands_changed", ObjectType: "merchant", ObjectID: who.MerchantID,
		Text: "A second approver is now needed: " + inWords(d) + ".", Before: told(before), After: after})
	if !Looser(before, d) {
		return before, nil
	}
	all, err := s.people().Colleagues(ctx, who.MerchantID)
	if err != nil {
		return before, err
	}
	m, err := s.merchants().Merchant(ctx, who.MerchantID)
	if err != nil {
		return before, err
	}
	n := 0
	for _, u := range all {
		if u.ID != who.ID && u.Actor().Can(actor.Manage) {
			n++
			tx.InsertMail(mail.Mail{MerchantID: who.MerchantID, ObjectID: id, Kind: MailLoosened, Attempt: n, To: u.Email,
				State:  mail.Queued,
				Letter: s.Letters.Loosened(who.Name, before, d, u, m)})
		}
	}
	return before, nil
}

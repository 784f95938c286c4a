package deletion

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// DeletionImpacts shows what deleting live tokens does, before it is asked, with the
// least harmful of the choices. Tokens that are gone are left out.
func (s *Service) DeletionImpacts(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Impact, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.impacts(ctx, who.MerchantID, database.InOrder(ids), s.Purchases.Now().Add(UndoTime))
}

func (s *Service) impacts(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID, at time.Time) ([]Impact, error) {
	var out []Impact
	for _, id := range ids {
		t, err := s.Purchases.Tokens().Token(ctx, merchantID, id)
		switch {
		case fault.Is(err, fault.NotFound) || err == nil && !t.Live():
			continue
		case err != nil:
			return nil, err
		}
		i, err := s.impact(ctx, t, ids, at)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// impact is the one list of what deleting a token does at a moment: pages show it, and
// the deletion does it. Accounts in gone are deleted with it, so that nothing moves there.
func (s *Service) impact(ctx context.Context, t token.Token, gone []uuid.UUID, at time.Time) (Impact, error) {
	i := Impact{Token: t}
	var err error
	if i.Mandate, err = s.Purchases.Mandates().Mandate(ctx, t.MerchantID, t.MandateID); err != nil {
		return i, err
	}
	o := options{s: s, at: at, token: t}
	if o.others, err = s.otherAccounts(ctx, t, gone); err != nil {
		return i, err
	}
	planned, err := s.plannedOn(ctx, &i)
	if err != nil {
		return i, err
	}
	if i.Uses, err = o.ofDebits(ctx, planned); err != nil || s.Subscriptions == nil {
		return i, err
	}
	subscribed, err := s.Subscriptions.ChargedOn(ctx, t.MerchantID, t.ID)
	if err != nil {
		return i, err
	}
	for _, sub := range subscribed {
		u, err := o.ofSubscription(ctx, sub)
		if err != nil {
			return i, err
		}
		i.Uses = append(i.Uses, u)
	}
	return i, nil
}

// plannedOn gives the debits that are planned from an account, by their dates, and
// notes those that the bank has.
func (s *Service) plannedOn(ctx context.Context, i *Impact) (planned []purchase.Record, err error) {
	waiting, err := s.Purchases.Store.WaitingFor(ctx, i.Token.MerchantID, i.Token.ID)
	if err != nil {
		return nil, err
	}
	brands, latest, err := s.Purchases.BesideAll(ctx, i.Token.MerchantID, waiting)
	if err != nil {
		return nil, err
	}
	for _, p := range waiting {
		rec := purchase.Record{Purchase: p, Brand: brands[p.BrandID]}
		c, known := latest[p.ID]
		rec.Collection = &c
		switch {
		case known && c.State == collection.Scheduled:
			planned = append(planned, rec)
		case known && c.State.AtBank():
			i.AtBank = append(i.AtBank, rec)
		}
	}
	slices.SortStableFunc(planned, func(a, b purchase.Record) int {
		return a.Collection.ActionDate.Compare(b.Collection.ActionDate)
	})
	return planned, nil
}

// otherAccounts are the other accounts of the token's client that can be debited again
// and again.
func (s *Service) otherAccounts(ctx context.Context, t token.Token, gone []uuid.UUID) (out []token.Token, err error) {
	if t.ClientID == uuid.Nil {
		return nil, nil
	}
	live, err := s.Purchases.Tokens().TokensOf(ctx, t.MerchantID, t.ClientID)
	if err != nil {
		return nil, err
	}
	for _, other := range live {
		if other.ID == t.ID || other.State != token.Active || other.BrandID != t.BrandID || slices.Contains(gone, other.ID) {
			continue
		}
		m, err := s.Purchases.Mandates().Mandate(ctx, t.MerchantID, other.MandateID)
		if err != nil {
			return nil, err
		}
		if m.State.Usable() && !m.AllowsOneDebit() {
			out = append(out, other)
		}
	}
	return out, nil
}

// options works out what can become of the uses of an account.
type options struct {
	s      *Service
	at     time.Time // when the deletion is final
	token  token.Token
	others []token.Token
}

// onto is a debit that is planned, as a wish to debit another account.
func onto(p purchase.Purchase, tokenID uuid.UUID) purchase.Wish {
	p.ID = uuid.Nil // as if it were not charged yet
	return purchase.Wish{Purchase: p, TokenID: tokenID, AtOnce: true}
}

func (o options) ofDebits(ctx context.Context, planned []purchase.Record) ([]Use, error) {
	uses, wishes := make([]Use, len(planned)), make([]purchase.Wish, len(planned))
	for n, rec := range planned {
		uses[n] = Use{Debit: &rec, Options: []Effect{{Choice{Do: Drop}, "Leave the purchase unpaid",
			"Not debited. The purchase stays unpaid, and no mail is sent."}}}
		uses[n].Effect = uses[n].Options[0]
	}
	for _, other := range o.others {
		for n, rec := range planned {
			wishes[n] = onto(rec.Purchase, other.ID)
		}
		all, err := o.s.Purchases.ForecastsAt(ctx, o.token.MerchantID, wishes, o.at)
		if err != nil {
			return nil, err
		}
		for n, f := range all {
			if planned[n].ID != o.token.ID { // the first debit of the account itself stays
				uses[n].offer(f, "Debited from "+other.Named()+" on "+f.Plan.ActionDate.Format(calendar.WeekdayForm)+" instead.",
					"The client could dispute it at the bank.")
			}
		}
	}
	for n, rec := range planned {
		if rec.ID == o.token.ID {
			continue
		}
		if failed := rec.Purchase; rec.Payer.Email != "" {
			if failed.Status = purchase.Failed; failed.Payable(o.at) {
				uses[n].Options = append(uses[n].Options, Effect{Choice{Do: Ask}, "Ask the client for a new account",
					"Not debited. The invoice is mailed to " + rec.Payer.Email + ": the client can pay or give a new account there."})
			}
		}
		if purchase.CanMove(rec.Status, purchase.Cancelled) {
			words, err := o.cancelWords(ctx, rec)
			if err != nil {
				return nil, err
			}
			uses[n].Options = append(uses[n].Options, Effect{Choice{Do: Cancel}, "Cancel the purchase", words})
		}
	}
	return uses, nil
}

// offer adds another account to the options, or why it cannot be one.
func (u *Use) offer(f purchase.Forecast, words, disputable string) {
	if len(f.Problems) > 0 {
		u.Cannot = append(u.Cannot, f.Token.Named()+": "+purchase.Sentences(f.Err()))
		return
	}
	if len(f.Because) > 0 && f.Mandate.Kind == mandate.DebiCheck {
		words += " " + disputable
	}
	u.Options = append(u.Options, Effect{Choice{Do: UseOther, To: f.Token.ID}, "Debit " + f.Token.Named() + " instead",
		words})
}

func (o options) cancelWords(ctx context.Context, rec purchase.Record) (string, error) {
	const words = "Not debited. The purchase is cancelled"
	if o.s.Purchases.Papers == nil || rec.Payer.Email == "" {
		return words + ".", nil
	}
	issued, err := o.s.Purchases.Papers.Issued(ctx, rec.Purchase)
	if err != nil || !issued {
		return words + ", and no mail is sent.", err
	}
	return words + ", and a credit note is mailed to " + rec.Payer.Email + ".", nil
}

func (o options) ofSubscription(ctx context.Context, sub purchase.Subscribed) (Use, error) {
	u := Use{Subscription: &sub, Options: []Effect{{Choice{Do: Pause}, "Pause the subscription",
		"Paused. Nothing is billed and no mail is sent until you resume it."}}}
	if sub.Paused {
		u.Options[0].Words = "Stays paused, without an account. No mail is sent."
	}
	u.Effect = u.Options[0]
	for _, other := range o.others {
		f, err := o.s.Purchases.ForecastPeriod(ctx, sub.Next, other.ID)
		if err != nil {
			return u, err
		}
		u.offer(f, "Debited from "+other.Named()+" instead, from the next period on.",
			"The client could dispute these debits at the bank.")
	}
	if sub.Email != "" {
		u.Options = append(u.Options, Effect{Choice{Do: Ask}, "Ask the client for a new account",
			"Paused until the client has given a new account: the link is mailed once to " + sub.Email +
				". Billing then continues; missed periods are not billed."})
	}
	if sub.Email != "" && sub.Invoices && !sub.Paused {
		u.Options = append(u.Options, invoiced(sub))
	}
	u.Options = append(u.Options, Effect{Choice{Do: Cancel}, "End the subscription",
		"Ends. Nothing more is billed, and no mail is sent."})
	return u, nil
}

// ClientImpact is what deleting a client does to its accounts and subscriptions.
type ClientImpact struct {
	Accounts      []Impact      // debits are dropped, no mail is sent
	Pending       []token.Token // on their way to be stored
	Subscriptions []purchase.Subscribed
	Refused       error // why this person cannot do it; nil: can
}

// Lines are all effects, one a line.
func (c ClientImpact) Lines() (out []string) {
	for _, i := range c.Accounts {
		for _, line := range i.Lines() {
			out = append(out, i.Token.Named()+": "+line)
		}
	}
	for _, t := range c.Pending {
		out = append(out, t.Named()+": it is no longer stored. The client’s answer is no longer needed.")
	}
	for _, s := range c.Subscriptions {
		out = append(out, fmt.Sprintf("Subscription “%s”: Ends. Nothing more is billed, and no mail is sent.", s.Title))
	}
	return out
}

// ImpactOfClient shows what deleting a client does, and whether this person may.
func (s *Service) ImpactOfClient(ctx context.Context, who actor.Actor,
	clientID uuid.UUID) (out ClientImpact, err error) {
	if err := who.May(actor.Read); err != nil {
		return out, err
	}
	live, err := s.Purchases.Tokens().TokensOf(ctx, who.MerchantID, clientID)
	if err != nil {
		return out, err
	}
	if out.Refused = s.mayForget(ctx, who, live); out.Refused != nil && !fault.Is(out.Refused, fault.Forbidden) &&
		!fault.Is(out.Refused, fault.Conflict) {
		return out, out.Refused
	}
	leaving, err := s.Purchases.Tokens().DeletingTokensOf(ctx, who.MerchantID, clientID)
	if err != nil {
		return out, err
	}
	for _, t := range append(live, leaving...) {
		i, err := s.impact(ctx, t, nil, s.Purchases.Now())
		if err != nil {
			return out, err
		}
		i.withoutSubscriptions()
		out.Accounts = append(out.Accounts, i)
	}
	if out.Pending, err = s.Purchases.Tokens().PendingTokensOf(ctx, who.MerchantID, clientID); err != nil {
		return out, err
	}
	if s.Subscriptions != nil {
		out.Subscriptions, err = s.Subscriptions.OfClient(ctx, who.MerchantID, clientID)
	}
	return out, err
}

// mayForget tells why somebody may not delete a client with these live accounts.
func (s *Service) mayForget(ctx context.Context, who actor.Actor, live []token.Token) error {
	if len(live) == 0 {
		return nil
	}
	if who.May(actor.DeleteTokens) != nil {
		return fault.New(
			fault.Forbidden,
			"permission_denied",
			"This client has tokens, and your role does not let you delete those. "+
				"An admin of your business can do it or change your role.",
		)
	}
	return s.alone(ctx, who)
}

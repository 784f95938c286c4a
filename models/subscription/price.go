package subscription

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// PriceChange is the price of a template for the periods that are billed from a date on. Its JSON is how it is stored.
type PriceChange struct {
	ID       uuid.UUID          `json:"id"`
	From     calendar.Date      `json:"from"`
	Products []purchase.Product `json:"products"`
	Cents    int64              `json:"cents"`
	// Applied: the template has the new price, and Was is that of the periods before.
	Applied  bool               `json:"applied"`
	Was      []purchase.Product `json:"was,omitempty"`
	WasCents int64              `json:"was_cents,omitempty"`
	By       string             `json:"by"`
	At       time.Time          `json:"at"`
}

// On is the template at the price of what is billed on a day.
func (t Template) On(day calendar.Date) Template {
	switch c := t.Price; {
	case c == nil:
	case !c.Applied && !day.Before(c.From):
		return t.at(c.Products, c.Cents)
	case c.Applied && day.Before(c.From):
		return t.at(c.Was, c.WasCents)
	}
	return t
}

// at is the template at another price. The terms of a mandate that are asked for follow, as with a subscriber's own
// price.
func (t Template) at(products []purchase.Product, cents int64) Template {
	t.Details.Products, t.TotalCents = products, cents
	if dd := t.Details.DirectDebit; dd != nil && dd.Terms != nil {
		t.Details.DirectDebit = priced(dd, t.Details)
	}
	return t
}

// Coming is the price change that has not begun; nil: there is none.
func (t Template) Coming() *PriceChange {
	if t.Price == nil || t.Price.Applied {
		return nil
	}
	return t.Price
}

// PriceInput is another price as it was asked for: of each line, in their order.
type PriceInput struct {
	Problems fault.Problems // of its shape, reported with the rest
	From     calendar.Date
	Prices   []int64
	Agreed   bool // a second approver agreed to it
}

// AtFrom is the field of the day from which another price is billed.
const AtFrom = "from"

// AtPrice is the field of the new price of a line; the first is 0.
func AtPrice(line int) string { return "price-" + strconv.Itoa(line) }

// Repriced is what a price change does to one subscriber.
type Repriced struct {
	Subscriber
	Was, Is int64
	FirstOn calendar.Date // the first day billed at the new price; zero: not known yet
	Fixed   bool          // a FIXED mandate that the client has to confirm anew
	Why     string        // why a period at the new price could not be debited; empty: it could
}

// PricePlan is what a price change does: the page shows it, and the change does it.
type PricePlan struct {
	Template Template
	Change   PriceChange
	Changed  []Repriced // whose price changes
	Own      []Repriced // who have a price of their own, which stays
	Stays    bool       // the present price holds after all, and what was planned is withdrawn
	NoMail   int        // clients who have no e-mail address
	Clients  int        // who are told
	Second   error      // why a second approver is needed; nil: none is
}

// Fixed are the subscribers whose FIXED mandates must be confirmed anew.
func (p PricePlan) Fixed() []Repriced { return p.which(func(r Repriced) bool { return r.Fixed }) }

// Below are the others whose own terms allow less than the new price.
func (p PricePlan) Below() []Repriced {
	return p.which(func(r Repriced) bool { return r.Why != "" && !r.Fixed })
}

func (p PricePlan) which(is func(Repriced) bool) (out []Repriced) {
	for _, r := range p.Changed {
		if is(r) {
			out = append(out, r)
		}
	}
	return out
}

// Digest is the same as long as the change does the same to the same subscribers.
func (p PricePlan) Digest() string {
	sum := sha256.New()
	fmt.Fprintln(sum, p.Change.From, p.Change.Cents, p.Template.Version)
	for _, r := range p.Changed {
		fmt.Fprintln(sum, r.ID, r.Was, r.Is, r.Why)
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// mostRepriced is how many subscribers a price change is planned for together.
const mostRepriced = 20_000

// PlanPrice tells what another price from a date on would do.
func (s *Service) PlanPrice(ctx context.Context, who actor.Actor, id uuid.UUID, in PriceInput) (p PricePlan,
	err error) {
	if err := who.May(actor.Bill); err != nil {
		return p, err
	}
	t, err := s.Store.Template(ctx, who.MerchantID, id)
	if err != nil {
		return p, err
	}
	return s.planPrice(ctx, who, t, in)
}

func (s *Service) planPrice(ctx context.Context, who actor.Actor, t Template, in PriceInput) (p PricePlan, err error) {
	if p.Template = t; !t.IsSubscription {
		return p, notSubscription()
	}
	if p.Change, err = s.checkPrice(t, in); err != nil {
		return p, err
	}
	after := t.at(p.Change.Products, p.Change.Cents)
	if coming := t.Coming(); coming != nil && p.Change.Cents == t.TotalCents {
		p.Stays, p.Change.From = true, coming.From
	}
	err = s.mayChangePrice(ctx, who, t, after)
	if fault.HasCode(err, "approval_needed") {
		p.Second, err = err, nil
	}
	if err != nil {
		return p, err
	}
	all, err := s.Store.runningOn(ctx, t.MerchantID, t.ID, mostRepriced+1)
	if err != nil {
		return p, err
	}
	if len(all) > mostRepriced {
		return p, fault.New(fault.Conflict, "too_many", "A price can change for at most %s together.",
			plural.Of(mostRepriced, "subscriber"))
	}
	under, err := s.mandatesOf(ctx, t.MerchantID, all)
	if err != nil {
		return p, err
	}
	noMail := map[uuid.UUID]bool{}
	for _, sub := range all {
		r := reprice(t, after, sub, p.Change.From, under[sub.TokenID])
		if r.Was == r.Is {
			p.Own = append(p.Own, r)
			continue
		}
		p.Changed = append(p.Changed, r)
		if sub.ClientEmail == "" {
			noMail[sub.ClientID] = true
		}
	}
	heard, err := s.heardOf(ctx, p)
	if err != nil {
		return p, err
	}
	clients, _ := p.told(heard)
	p.NoMail, p.Clients = len(noMail), len(clients)
	return p, nil
}

// checkPrice reports everything that is wrong with a price, and gives it as a change.
func (s *Service) checkPrice(t Template, in PriceInput) (PriceChange, error) {
	w, d := in.Problems, t.Details
	day := today(s.Now())
	if !w.Has(AtFrom) && (in.From.IsZero() || !in.From.After(day) || in.From.After(day.AddDays(2*366))) {
		w.Add(AtFrom, "invalid", "Enter a day from tomorrow on, within two years.")
	}
	if d.SubtotalOverrideCents != nil || d.TaxOverrideCents != nil || d.DiscountOverrideCents != nil ||
		d.TotalOverrideCents != nil {
		w.Add(fault.All, "invalid", "A program set the total of this template itself. Change its price there.")
		return PriceChange{}, w.Err()
	}
	d.Products = slices.Clone(d.Products)
	for i := range d.Products {
		at := AtPrice(i)
		switch {
		case w.Has(at):
		case i >= len(in.Prices):
			w.Add(at, "required", "Enter the new price.")
		case in.Prices[i] < 0 || in.Prices[i] > money.MaxCents:
			w.Add(at, "invalid", "Enter an amount from 0,00 to %s.", money.Format(money.MaxCents, t.Currency))
		default:
			d.Products[i].PriceCents = in.Prices[i]
		}
	}
	total, wrong := d.TotalCents()
	if len(w) == 0 && len(wrong) > 0 {
		w.Add(AtPrice(0), "invalid", "%s", wrong[0].Message)
	}
	if coming := t.Coming(); len(w) == 0 && coming == nil && total == t.TotalCents &&
		slices.EqualFunc(d.Products, t.Details.Products, samePrice) {
		w.Add(AtPrice(0), "invalid", "This is the price already.")
	}
	if len(w) == 0 && total == 0 {
		w.Add(AtPrice(0), "min_value", "The total must be more than 0,00. To bill nothing, pause the template.")
	}
	return PriceChange{From: in.From, Products: d.Products, Cents: total}, w.Err()
}

func samePrice(a, b purchase.Product) bool { return a.PriceCents == b.PriceCents }

// mandatesOf gives the mandates under which some subscribers are debited, by the id of their tokens.
func (s *Service) mandatesOf(ctx context.Context, merchantID uuid.UUID,
	all []Subscriber) (map[uuid.UUID]mandate.Mandate, error) {
	const atOnce = 1000
	out := map[uuid.UUID]mandate.Mandate{}
	for some := range slices.Chunk(all, atOnce) {
		var ids []uuid.UUID
		for _, sub := range some {
			if sub.TokenID != uuid.Nil {
				ids = append(ids, sub.TokenID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		tokens, mandates, err := s.Purchases.Mandates().TokensWithMandates(ctx, merchantID, slices.Compact(ids))
		if err != nil {
			return nil, err
		}
		under := mandate.ByID(mandates)
		for _, t := range tokens {
			if m, known := under[t.MandateID]; known && t.State != token.Deleted && t.State != token.Superseded {
				out[t.ID] = m
			}
		}
	}
	return out, nil
}

// reprice is what another price does to one subscriber, whose first period may still come to another total.
func reprice(before, after Template, sub Subscriber, from calendar.Date, m mandate.Mandate) Repriced {
	every := Subscriber{Override: sub.Override.Every()}
	r := Repriced{Subscriber: sub, Was: before.priceOf(every), Is: after.priceOf(every)}
	if coming := before.Coming(); coming != nil && after.TotalCents == before.TotalCents { // what was planned is withdrawn
		r.Was = before.at(coming.Products, coming.Cents).priceOf(every)
	}
	for day := range before.Plan.ahead(sub) {
		if !day.Before(from) {
			r.FirstOn = day
			break
		}
	}
	on := r.FirstOn
	if on.IsZero() {
		on = from
	}
	switch most := sub.Debit.Whole("max_amount_cents"); {
	case r.Was == r.Is:
	case m.Terms != nil:
		r.Why = m.AgainstAmount(r.Is, on)
		r.Fixed = r.Why != "" && m.Terms.ValueType == mandate.Fixed
	case most != nil && r.Is > *most:
		r.Why = fmt.Sprintf("Its own maximum of one debit is %s.", money.Format(*most, before.Currency))
	}
	return r
}

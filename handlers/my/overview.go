package my

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/checkout"
	"debitdesk/handlers/my/mytext"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/collection"
	"debitdesk/models/followup"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
	"debitdesk/views/my"
)

// How much the page shows: it stays below 30 kB.
const (
	mostOwed   = 8
	mostPaid   = 6
	mostTurns  = 4
	mostThings = 6
	paidMonths = 13 // source: follow-up, section 9
)

// overview is what the page is made from.
type overview struct {
	v         clientpage.Visit
	account   report.Account
	owed      []report.AccountLine
	paid      []report.AccountLine
	outlooks  map[uuid.UUID]purchase.Outlook
	promises  map[uuid.UUID]followup.Promise
	turns     []subscription.Turn
	tokens    map[uuid.UUID]token.Token
	mandates  []mandate.Entry
	subs      []subscription.Subscriber
	templates map[uuid.UUID]subscription.Template
	settings  map[uuid.UUID]clientpage.Settings // by brand
	moreOwed  bool
	morePaid  bool
}

// Show serves GET /my.
func (p *Pages) Show(c echo.Context) error {
	v, ok, err := p.visit(c)
	if !ok || err != nil {
		return err
	}
	o, err := p.read(c.Request().Context(), v)
	if err != nil {
		return err
	}
	return p.show(c, http.StatusOK, v, func(w locale.Words) templ.Component { return my.Page(p.view(c, w, o)) })
}

// read collects all that is this client's, and nothing else.
func (p *Pages) read(ctx context.Context, v clientpage.Visit) (o overview, err error) {
	o.v = v
	who, id := actor.SystemOf(v.Client.MerchantID), v.Client.ID
	today := calendar.DateOf(p.Service.Now())
	if o.account, err = p.Money.Account(ctx, who, id, today); err != nil {
		return o, err
	}
	since := p.Service.Now().AddDate(0, -paidMonths, 0)
	for _, l := range o.account.Lines {
		switch {
		case l.OwedCents() > 0:
			o.owed = append(o.owed, l)
		case l.ReceivedCents <= 0 || !l.ChangedAt.After(since):
		case len(o.paid) == mostPaid:
			o.morePaid = true
		default:
			o.paid = append(o.paid, l)
		}
	}
	slices.Reverse(o.owed) // the oldest first
	if o.moreOwed = len(o.owed) > mostOwed; o.moreOwed {
		o.owed = o.owed[:mostOwed]
	}
	ids := make([]uuid.UUID, 0, len(o.owed)+len(o.paid))
	for _, l := range slices.Concat(o.owed, o.paid) {
		ids = append(ids, l.ID)
	}
	if o.outlooks, err = p.Service.Purchases.Outlooks(ctx, who, ids); err != nil {
		return o, err
	}
	if o.promises, err = p.Service.Followups.Store.OpenPromises(ctx, who.MerchantID, ids); err != nil {
		return o, err
	}
	if o.turns, err = p.Service.Subscriptions.PlannedOf(ctx, who, id); err != nil {
		return o, err
	}
	return o, p.readRest(ctx, who, &o)
}

func (p *Pages) readRest(ctx context.Context, who actor.Actor, o *overview) error {
	live, err := p.Service.Purchases.Tokens().TokensOf(ctx, who.MerchantID, o.v.Client.ID)
	if err != nil {
		return err
	}
	o.tokens = map[uuid.UUID]token.Token{}
	for _, t := range live {
		o.tokens[t.ID] = t
	}
	given, err := p.Mandates.Mandates(ctx, who.MerchantID, mandate.Filter{ClientID: o.v.Client.ID},
		paging.Ask{Limit: mostThings})
	if err != nil {
		return err
	}
	o.mandates = given.Items
	subs, err := p.Service.Subscriptions.Subscribers(ctx, who, uuid.Nil,
		subscription.SubscriberFilter{ClientID: o.v.Client.ID}, paging.Ask{Limit: mostThings})
	if err != nil {
		return err
	}
	o.subs, o.templates = subs.Items, map[uuid.UUID]subscription.Template{}
	brands := map[uuid.UUID]bool{o.v.Brand.ID: true}
	for _, s := range o.subs {
		t, err := p.Service.Subscriptions.Store.AnyTemplate(ctx, who.MerchantID, s.TemplateID)
		if err != nil {
			return err
		}
		o.templates[t.ID], brands[t.BrandID] = t, true
	}
	for _, one := range o.outlooks {
		brands[one.BrandID] = true
	}
	for _, t := range o.tokens {
		brands[t.BrandID] = true
	}
	o.settings = map[uuid.UUID]clientpage.Settings{}
	for id := range brands {
		if o.settings[id], err = p.Service.SettingsOf(ctx, who.MerchantID, id); err != nil {
			return err
		}
	}
	return nil
}

// offer is the link to an act on the page of a brand, where it is offered.
func (o overview) offer(w locale.Words, links *[]components.Link, brand uuid.UUID, k clientpage.Kind,
	object uuid.UUID) {
	policy := o.settings[brand].Of(k)
	if policy == clientpage.Off {
		return
	}
	l := components.Link{Text: mytext.Act(w, k, policy == clientpage.AskStaff), Href: actOn(k, object)}
	*links = append(*links, l)
}

func (p *Pages) view(c echo.Context, w locale.Words, o overview) my.PageView {
	v := my.PageView{Frame: p.frame(c, w, o.v.Brand, w.Say("my.title")), Title: w.Say("my.title"), Foot: foot(w),
		Keep: offerToKeep(w, o.v), Until: w.Say("my.until", "time", w.Clock(p.closesAt(o.v))),
		Close: components.Button{Label: w.Say("my.close"), FormAction: "/my/leaving"}, Owe: p.owe(w, o), Pay: pay(w, o),
		Planned: p.planned(w, o), Paid: paid(w, o), Mandates: o.permissions(w), Subs: o.subscriptions(w),
		More: my.Part{ID: "more", Title: w.Say("my.more")}}
	if len(o.owed) > 0 {
		v.Total = my.Sum{Label: w.Say("my.owe.total"), Amount: o.account.Owing.Format(money.ZAR)}
	}
	if o.moreOwed {
		v.Owe.After = w.Say("my.owe.more")
	}
	if o.morePaid {
		v.Paid.After = w.Say("my.paid.older")
	}
	o.offer(w, &v.More.Links, o.v.Brand.ID, clientpage.Details, uuid.Nil)
	o.offer(w, &v.More.Links, o.v.Brand.ID, clientpage.Privacy, uuid.Nil)
	return v
}

// owe lists what is owed, each with what can be done about it.
func (p *Pages) owe(w locale.Words, o overview) my.Part {
	part := my.Part{ID: "owe", Title: w.Say("my.owe"), Empty: w.Say("my.owe.nothing")}
	if len(o.account.Lines) > 0 {
		part.Links = []components.Link{{Text: w.Say("my.owe.statement"), Href: statementPath}}
	}
	now := p.Service.Now()
	for _, l := range o.owed {
		one := o.outlooks[l.ID]
		i := my.Item{Title: before(one.Purchase), Reference: l.Reference, Amount: money.Format(l.OwedCents(), l.Currency),
			Pill: checkout.State(w, one.Record)}
		if !one.Due.IsZero() {
			i.Texts = append(i.Texts, w.Say("my.owe.due", "date", w.Day(calendar.DateOf(one.Due))))
		}
		if part := l.TotalCents - l.OwedCents(); part > 0 {
			i.Texts = append(i.Texts, w.Say("my.owe.part", "part", money.Format(part, l.Currency),
				"total", money.Format(l.TotalCents, l.Currency)))
		}
		if promise, open := o.promises[l.ID]; open {
			i.Texts = append(i.Texts, w.Say("my.owe.promised", "date", w.Day(promise.DueOn)))
		}
		if c := one.Collection; c != nil && c.Result.Code != "" && one.Status == purchase.Failed {
			i.Texts = append(i.Texts, w.Say("my.owe.failed", "date", w.Day(c.ActionDate), "reason",
				mytext.Reason(w, c.Result.Code)))
		}
		if one.Payable(now) {
			i.Links = append(i.Links, components.Link{Text: w.Say("my.owe.see", "reference", o.told(w, l, one.Due)),
				Href: weblink.Payer(l.ID)})
			o.offer(w, &i.Links, one.BrandID, clientpage.Promise, l.ID)
			if p.Service.Purchases.MayResendInvoice(one.Record) == nil {
				o.offer(w, &i.Links, one.BrandID, clientpage.Invoice, l.ID)
			}
		}
		part.Items = append(part.Items, i)
	}
	return part
}

// told is a reference as links name it: with the due date where several purchases have the same one, as those of a
// subscription do.
func (o overview) told(w locale.Words, l report.AccountLine, due time.Time) string {
	same := func(other report.AccountLine) bool { return other.ID != l.ID && other.Reference == l.Reference }
	if due.IsZero() || !slices.ContainsFunc(o.owed, same) && !slices.ContainsFunc(o.paid, same) {
		return l.Reference
	}
	return l.Reference + ", " + w.Day(calendar.DateOf(due))
}

// title is what a purchase is called: its first product, and its reference.
func title(p purchase.Purchase, reference string) string {
	if len(p.Details.Products) > 0 && p.Details.Products[0].Name != "" {
		return p.Details.Products[0].Name + ", " + reference
	}
	return reference
}

// before is what a purchase is for, as it stands before its reference.
func before(p purchase.Purchase) string {
	return strings.TrimSuffix(title(p, ""), " ")
}

func debitFor(w locale.Words, what, account string) string {
	if account == "" {
		return w.Say("my.planned.for", "what", what)
	}
	return w.Say("my.planned.from", "what", what, "account", account)
}

// planned lists debits that are under way, and what subscriptions bill next.
func (p *Pages) planned(w locale.Words, o overview) my.Part {
	part := my.Part{ID: "planned", Title: w.Say("my.planned"), Empty: w.Say("my.planned.nothing")}
	debited := slices.DeleteFunc(slices.Clone(o.owed), func(l report.AccountLine) bool {
		c := o.outlooks[l.ID].Collection
		return c == nil || !slices.Contains([]collection.State{collection.Scheduled, collection.Submitted,
			collection.InTracking}, c.State)
	})
	slices.SortStableFunc(debited, func(a, b report.AccountLine) int {
		return o.outlooks[a.ID].Collection.ActionDate.Compare(o.outlooks[b.ID].Collection.ActionDate)
	})
	for _, l := range debited {
		one := o.outlooks[l.ID]
		c := one.Collection
		i := my.Item{Title: w.Say("my.planned.debit", "date", w.LongDay(c.ActionDate)),
			Amount: money.Format(c.AmountCents, c.Currency),
			Texts:  []string{debitFor(w, title(one.Purchase, l.Reference), o.tokens[c.TokenID].AccountMask)}}
		if c.State != collection.Scheduled || !c.SubmitAt.After(p.Service.Now()) {
			i.Texts = append(i.Texts, w.Say("my.planned.with_bank"))
		} else if _, err := p.Service.Purchases.DayMovesOf(one.Record); err == nil {
			o.offer(w, &i.Links, one.BrandID, clientpage.Day, l.ID)
			i.Texts = append(i.Texts, w.Say("my.planned.until", "moment", w.Moment(c.SubmitAt)))
		}
		part.Items = append(part.Items, i)
	}
	for n, t := range o.turns {
		if n == mostTurns {
			break
		}
		part.Items = append(part.Items, my.Item{Title: t.Template.Name(), Amount: money.Format(t.Cents, t.Template.Currency),
			Texts: []string{w.Say("my.planned.bill", "billed", w.Day(t.BilledOn), "due", w.Day(t.DueOn))}})
	}
	return part
}

// paid lists what was paid, with receipts and invoices.
func paid(w locale.Words, o overview) my.Part {
	part := my.Part{ID: "paid", Title: w.Say("my.paid"), Empty: w.Say("my.paid.nothing")}
	for _, l := range o.paid {
		one := o.outlooks[l.ID]
		i := my.Item{Title: before(one.Purchase), Reference: l.Reference, Amount: money.Format(l.ReceivedCents, l.Currency),
			Pill: checkout.State(w, one.Record)}
		at, reads, named := weblink.Payer(l.ID), "", o.told(w, l, one.Due)
		if len(one.Brand.Offered()) > 0 { // the file is in the language of this page
			reads = "?" + checkout.LanguageField + "=" + string(w.Language)
		}
		if one.Payment != nil {
			i.Texts = append(i.Texts, w.Say("my.paid.on", "date", w.Day(calendar.DateOf(one.Payment.PaidOn))))
			i.Links = append(i.Links, components.Link{Text: w.Say("my.paid.receipt", "reference", named),
				Href: at + "receipt.pdf" + reads})
		}
		if l.Invoiced {
			i.Links = append(i.Links, components.Link{Text: w.Say("my.paid.invoice", "reference", named),
				Href: at + "invoice.pdf" + reads})
			if one.Brand.Structured() {
				i.Links = append(i.Links, components.Link{Text: w.Say("my.paid.ubl", "reference", named),
					Href: at + "invoice.xml"})
			}
		}
		if l.RefundedCents > 0 {
			i.Texts = append(i.Texts, w.Say("my.paid.refunded", "amount", money.Format(l.RefundedCents, l.Currency)))
		}
		part.Items = append(part.Items, i)
	}
	return part
}

// permissions lists the mandates, each with its wording.
func (o overview) permissions(w locale.Words) my.Part {
	part := my.Part{ID: "mandates", Title: w.Say("my.mandates"), Empty: w.Say("my.mandates.nothing")}
	for _, m := range o.mandates {
		i := my.Item{Title: mytext.Permission(w, m.AccountMask, bank.BankName(m.BankCode)),
			Texts: []string{mytext.PermissionState(w, m.Kind == mandate.DebiCheck,
				mytext.MandateOf(w, m.State, o.tokens[m.ID].State), m.ContractReference)},
			Links: []components.Link{{Text: w.Say("my.mandates.read"), Href: mandatePath(m.ID)}}}
		if t, live := o.tokens[m.ID]; live && t.Live() {
			o.offer(w, &i.Links, t.BrandID, clientpage.Account, t.ID)
			if t.Objected() {
				i.Texts = append(i.Texts, w.Say("my.mandates.objected"))
			} else {
				o.offer(w, &i.Links, t.BrandID, clientpage.Objected, t.ID)
			}
		}
		part.Items = append(part.Items, i)
	}
	return part
}

// subscriptions lists them, each with what can be done.
func (o overview) subscriptions(w locale.Words) my.Part {
	part := my.Part{ID: "subscriptions", Title: w.Say("my.subs"), Empty: w.Say("my.subs.nothing")}
	for _, s := range o.subs {
		t := o.templates[s.TemplateID]
		i := my.Item{Title: t.Name(), Texts: []string{mytext.SubscriptionState(w, string(s.Status), s.Why, t.Paused)}}
		if s.Status == subscription.Active && !t.Paused && !s.NextOn.IsZero() {
			i.Texts = append(i.Texts, w.Say("my.subs.next", "date", w.Day(s.NextOn)))
		}
		if s.MayStopByClient() == nil {
			o.offer(w, &i.Links, t.BrandID, clientpage.Stop, s.ID)
		}
		if s.MayPauseByClient() == nil {
			o.offer(w, &i.Links, t.BrandID, clientpage.Pause, s.ID)
		}
		part.Items = append(part.Items, i)
	}
	return part
}

// closesAt is when a page closes, by the clock that the page goes by: that of the sandbox may stand on another day than
// the one by which visits end.
func (p *Pages) closesAt(v clientpage.Visit) time.Time {
	return p.Service.Now().Add(v.Until.Sub(p.Service.Real()))
}

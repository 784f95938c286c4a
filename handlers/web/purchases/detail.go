package purchases

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/followup"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Show serves GET /purchases/:id.
func (p *Purchases) Show(c echo.Context) error {
	rec, err := p.find(c)
	if err != nil {
		return err
	}
	view, err := p.detail(c, rec)
	if err != nil {
		return err
	}
	if kit.PeekFor(c) {
		return kit.ShowPeek(c, peekOf(view))
	}
	about := followup.Object{Type: followup.Purchase, ID: rec.ID}
	if view.NotesBox, _, err = p.Notes(c.Request().Context(), access.Actor(c), about); err != nil {
		return err
	}
	return p.Desk.ShowIn(c, http.StatusOK, view.Title, words.Purchases,
		func(f layout.Frame) templ.Component { return pages.Purchase(f, view) })
}

// peekOf is what a list shows of a purchase beside it.
func peekOf(v pages.PurchaseView) components.Peek {
	peek := components.Peek{Title: v.Title, Sub: v.For, Amount: v.Amount, Pills: []components.Pill{v.Pill}, Next: v.Next,
		Primary: v.Primary, Acts: kit.ActButtons(v.Acts),
		Facts: components.Facts{Items: slices.Concat(v.Facts.Items, v.Debit.Items)}}
	if v.Result != nil {
		peek.Note = components.Note{Kind: v.Result.Kind, Title: v.Result.Title, Text: v.Result.Again + " " + v.Result.Remedy}
	}
	return peek
}

func (p *Purchases) find(c echo.Context) (purchase.Record, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return purchase.Record{}, err
	}
	return p.Service.Get(c.Request().Context(), access.Actor(c), id)
}

func (p *Purchases) detail(c echo.Context, rec purchase.Record) (pages.PurchaseView, error) {
	ctx, who, now := c.Request().Context(), access.Actor(c), p.Desk.Now()
	view := pages.PurchaseView{
		Title: "Purchase " + words.Reference(rec.Purchase), ID: components.IDChip{ID: rec.ID.String(), What: "purchase"},
		For:    lineWords(rec.Details),
		Amount: words.Sum(rec.TotalCents, rec.Currency),
		Pill:   statusPill(rec, p.Service, now), Next: NextStep(rec, p.Service, now),
		Notes: rec.Details.Notes,
	}
	usable, err := p.Service.StoredFor(ctx, rec)
	if err != nil {
		return view, err
	}
	again, err := p.Service.Again(ctx, rec)
	if err != nil {
		return view, err
	}
	view.Primary, view.Acts = possible(rec, p.Service, who, usable, again, now)
	box, atWork, err := p.Plan(ctx, who, rec.ID)
	if err != nil {
		return view, err
	}
	view.PlanBox = box
	if view.Result = resultView(rec, again, now); view.Result != nil {
		view.Next = "You did not receive this money. Nothing more happens unless you act."
		switch {
		case rec.Status == purchase.Chargeback:
			view.Next = disputedWords(rec, p.Service, now)
		case atWork != "":
			view.Next = "You did not receive this money. The plan “" + atWork + "” is at work on it."
		}
	}
	if rec.Payable(now) && (rec.TotalCents > 0 || rec.Method != "") {
		view.Link = p.Link(rec)
		view.Acts = slices.DeleteFunc(view.Acts, func(a pages.Act) bool {
			return a.Href == view.Link.SendHref
		}) // stands beside the link
	}
	events, err := p.Events.Timeline(ctx, who.MerchantID, trail.Subject{PurchaseID: rec.ID}, kit.EventsAsk(c))
	if err != nil {
		return view, err
	}
	view.Timeline = kit.History(events, nil)
	if planned := p.planned(rec, now); len(planned) > 0 {
		view.Timeline.Days = append([]components.Day{{Label: "Planned", Entries: planned}}, view.Timeline.Days...)
	}
	if n := len(events.Items); n > 0 && events.Older {
		view.OlderHref = words.PurchasePath(rec.ID) + "?events=" + events.Items[n-1].ID.String() + "#events"
	}
	if view.Facts, err = p.facts(c, rec, now); err != nil {
		return view, err
	}
	if err := p.writeOff(c, rec, &view); err != nil {
		return view, err
	}
	if view.Invoice, err = p.invoiceBlock(c, rec); err != nil {
		return view, err
	}
	view.Debit = debitFacts(rec, now)
	if rec.Collection != nil {
		view.Statement = rec.Collection.StatementLine
	}
	view.Lines, view.Total = LineRows(rec)
	return view, nil
}

// writeOff says of a purchase that is owed for good what the books expect no more of it, and offers to write it off or
// to take that back.
func (p *Purchases) writeOff(c echo.Context, rec purchase.Record, view *pages.PurchaseView) error {
	if !slices.Contains(purchase.Late, rec.Status) && rec.Status != purchase.Expired {
		return nil
	}
	who := access.Actor(c)
	at, err := p.Standing(c.Request().Context(), who, rec.ID)
	if err != nil {
		return err
	}
	act := pages.Act{Label: "Write off…", Icon: "x", Href: words.PurchasePath(rec.ID, "write-off")}
	if at.Left() > 0 {
		act.Label = "Take back the write-off…"
		view.Facts.Items = append(view.Facts.Items, components.Fact{Label: "Written off",
			Value: words.Sum(at.Left(), rec.Currency)})
	}
	if who.Can(actor.Books) {
		view.Acts = append(view.Acts, act)
	}
	return nil
}

// disputedWords says where a dispute stands: who has the money, and who has to do what until when.
func disputedWords(rec purchase.Record, s *purchase.Service, now time.Time) string {
	c := rec.Collection
	gone := words.Sum(rec.TotalCents, rec.Currency)
	const again = " To debit again, set up a new mandate."
	switch {
	case c.State == collection.DisputeLost:
		return "The dispute was decided in favour of the client, and " + gone + " went back." + again
	case rec.Payment == nil:
		return "The client disputed the debit, and the bank gave " + gone + " back." + again
	case c.ProofDue || s.Bank.NoContest() != "" && !c.ProofBy().IsZero():
		return "The client disputes the debit. The bank asks for proof of the mandate until " +
			words.SayDay(c.ProofBy(), now) + ". " +
			cmp.Or(s.Bank.NoContest(), "Add the mandate that the client signed, and it is sent to the bank.")
	}
	return "The client disputes the debit. The mandate was sent to the bank as proof, and the bank has yet to decide."
}

// unconfirmed: the mandate that the purchase asked for, which shares its id, did not
// come about.
func unconfirmed(rec purchase.Record) bool {
	_, _, is := rec.Unconfirmed()
	return is
}

func currencySign(currency string) string {
	if currency == money.ZAR {
		return "R"
	}
	return currency
}

func resultView(rec purchase.Record, again purchase.Again, now time.Time) *pages.ResultView {
	c := rec.Collection
	if c == nil || c.Result.IsZero() || !bank.CodeOf(c.Result.Code).Failed() {
		return nil
	}
	code := bank.CodeOf(c.Result.Code)
	return &pages.ResultView{Kind: "bad", Title: "The bank answered: " + code.Label(),
		Again: words.AgainWords(rec, again, now), Remedy: cmp.Or(again.Remedy, code.Remedy)}
}

func (p *Purchases) Link(rec purchase.Record) *pages.LinkView {
	v := &pages.LinkView{URL: p.PayerURL(rec.ID), ImageHref: words.PurchasePath(rec.ID, "qr")}
	if rec.Payer.Email != "" {
		v.SendHref, v.Mail = words.PurchasePath(rec.ID, "mail"), "Send by mail…"
	}
	switch rec.MailCount {
	case 0:
	case 1:
		v.Sent, v.Mail = "mailed once", "Send again…"
	default:
		v.Sent, v.Mail = "mailed "+words.Grouped(int64(rec.MailCount))+" times", "Send again…"
	}
	if v.Mail != "" && wantsReminder(rec) {
		v.Mail = "Send reminder…"
	}
	return v
}

// PayerURL is where the client pays or gives the bank details.
func (p *Purchases) PayerURL(id uuid.UUID) string { return p.Desk.BaseURL + weblink.Payer(id) }

// possible are the acts of a purchase: the one that most likely comes next, and
// the others with the rule where they are not possible.
func possible(rec purchase.Record, s *purchase.Service, who actor.Actor, usable []token.Token, again purchase.Again,
	now time.Time) (components.Button, []pages.Act) {
	acts := []pages.Act{
		{Label: "Charge a token", Icon: "bank", Href: words.PurchasePath(rec.ID, "charge"),
			Why: whyNotCharge(rec, usable, now)},
		{Label: "Send the link…", Icon: "mail", Href: words.PurchasePath(rec.ID, "mail"), Why: whyNotMail(rec, now)},
		{Label: "Mark as paid…", Icon: "money", Href: words.PurchasePath(rec.ID, "payment"), Why: whyNotPaid(rec, now)},
		{Label: "Refund…", Icon: "undo", Href: words.PurchasePath(rec.ID, "refund"), Why: whyNotRefund(rec, who)},
		{Label: "Cancel purchase…", Icon: "x", Href: words.PurchasePath(rec.ID, "cancellation"), Why: whyNotCancel(rec, s)},
	}
	if rec.PartPaidCents() > 0 {
		acts = append(acts, pages.Act{Label: "Take back the payment…", Icon: "undo",
			Href: words.PurchasePath(rec.ID, "payment", "return"), Why: whyNot(s.MayTakeBack(rec), who.Can(refundAct))})
	}
	if len(rec.Refunds) > 0 {
		acts = append(acts, pages.Act{Label: "Withdraw the refund…", Icon: "x",
			Href: words.PurchasePath(rec.ID, "withdrawal"), Why: whyNotSettle(rec, s, who)})
	}
	store := components.Button{Label: "Store a bank account", Icon: "bank", Kind: "primary",
		Href: words.ClientHref(rec.ClientID) + "/accounts/new", Changes: true}
	switch {
	case rec.AwaitsClient():
		return components.Button{Label: "Show the mandate", Icon: "file", Kind: "primary", Href: words.MandatePath(rec.ID)},
			acts
	case unconfirmed(rec) && rec.Payable(now):
		return components.Button{Label: "Ask the client again", Icon: "bank", Kind: "primary",
			Href: words.MandatePath(rec.ID)}, acts
	case rec.Status == purchase.PendingRefund && (s.WhyNoRefundEnds(rec) != "" ||
		!slices.ContainsFunc(rec.Refunds, func(r purchase.Refund) bool { return r.Channel == purchase.ByPerson })):
		// The bank pays it: a person records that only where it was paid in another way.
		return components.Button{}, append(acts, pages.Act{Label: "Record the refund as paid…", Icon: "check",
			Href: words.PurchasePath(rec.ID, "settlement"), Why: whyNotSettle(rec, s, who)})
	case rec.Status == purchase.PendingRefund && who.Can(refundAct):
		return components.Button{Label: "Record the refund as paid", Icon: "check", Kind: "primary",
			Href: words.PurchasePath(rec.ID, "settlement"), Changes: true}, acts
	case rec.Status == purchase.Chargeback && rec.Collection != nil && rec.Collection.ProofDue && s.Bank.NoContest() == "":
		return components.Button{Label: "Add the signed mandate", Icon: "upload", Kind: "primary", Changes: true,
			Href: words.MandatePath(rec.Collection.MandateID, "evidence", "new")}, acts
	case rec.Status == purchase.Chargeback && rec.Collection != nil:
		return components.Button{Label: "Show the mandate", Icon: "file", Kind: "primary",
			Href: words.MandatePath(rec.Collection.MandateID)}, acts
	case rec.Status == purchase.Preauthorized && rec.IsRecurringToken && rec.ClientID != uuid.Nil:
		return components.Button{Label: "New purchase", Icon: "plus", Kind: "primary", Href: "/purchases/new?client=" +
			rec.ClientID.String(), Changes: true}, acts
	case again.Asked && !again.May() && len(again.Others) == 0 && rec.ClientID != uuid.Nil:
		return store, acts
	case acts[0].Why == "" || acts[1].Why == "" && rec.Payable(now):
		i := 0
		if acts[0].Why != "" {
			i = 1
		}
		primary := components.Button{Label: acts[i].Label, Icon: acts[i].Icon, Kind: "primary", Href: acts[i].Href,
			Changes: true}
		return primary, append(acts[:i:i], acts[i+1:]...)
	case rec.Payable(now) && rec.ClientID != uuid.Nil && rec.TotalCents > 0:
		return store, acts
	}
	return components.Button{}, acts
}

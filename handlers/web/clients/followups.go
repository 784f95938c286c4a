package clients

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/followup"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/report"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// followUp adds what the client owes, what is next, what was written down about it, and its files.
func (h *Clients) followUp(c echo.Context, one client.Client, view *pages.ClientView) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	a, err := h.Reports.ClientAccount(ctx, who, one.ID)
	if err != nil {
		return err
	}
	sum := func(label string, s money.Sum, note string) components.Fact {
		return components.Fact{Label: label, Value: words.JoinedWords(" ", words.SumOf(s, money.ZAR), note)}
	}
	view.Account = components.Facts{
		Items: []components.Fact{sum("Billed", a.BilledCents, ""), sum("Credited", a.CreditedCents, ""),
			sum("Paid", a.PaidCents, ""), sum("Of it provisional", a.Provisional, ""),
			sum("Refunded", a.RefundedCents, ""), sum("Owed", a.Owing, ""), sum("Of which failed or overdue", a.Overdue, "")},
	}
	if a.Older {
		view.AccountNote = "Of the newest 200 purchases."
	}
	box, promises, err := h.Notes(ctx, who, followup.Object{Type: followup.Client, ID: one.ID})
	if err != nil {
		return err
	}
	view.Notes = box
	if err := h.next(ctx, who, one, a, promises, view); err != nil {
		return err
	}
	if view.Primary, err = h.primary(ctx, who, one, a); err != nil {
		return err
	}
	return h.files(c, one, view)
}

// nextShown is how much of what is next a client's page shows.
const nextShown = 15

// next lists what is next for a client, the earliest first: debits, debits that may be made again, due dates, requests
// that run out, promises to pay and subscriptions.
func (h *Clients) next(ctx context.Context, who actor.Actor, one client.Client, a report.ClientAccount,
	promises []followup.Promise, view *pages.ClientView) error {
	now := h.Desk.Now()
	type line struct {
		at time.Time
		pages.NextLine
	}
	var lines []line
	add := func(at time.Time, l pages.NextLine) { lines = append(lines, line{at, l}) }
	for _, p := range a.Planned {
		add(
			p.ActionDate.At(0, 0),
			pages.NextLine{Text: debitWords(p, now), Href: words.PurchasePath(p.ID), Reference: p.Reference,
				Sum: words.Sum(p.DebitCents, p.Currency)},
		)
	}
	for _, p := range a.Falling {
		text := "Turns overdue after "
		if p.DueStrict {
			text = "Can be paid until "
		}
		add(
			p.PassAt,
			pages.NextLine{Text: text + words.SayMinute(p.PassAt, now), Href: words.PurchasePath(p.ID), Reference: p.Reference,
				Sum: words.Sum(p.OwedCents(), p.Currency)},
		)
	}
	if err := h.retries(ctx, who, a, func(at calendar.Date, l pages.NextLine) { add(at.At(0, 0), l) }); err != nil {
		return err
	}
	requests, err := h.Followups.Store.RequestsOf(ctx, who.MerchantID, one.ID, kit.BesideRows)
	if err != nil {
		return err
	}
	for _, r := range requests {
		text := "The client can confirm the mandate until "
		if r.Registered {
			text = "The mandate is registered without an answer on "
		}
		add(
			r.At,
			pages.NextLine{Text: text + words.SayMinute(r.At, now), Href: words.MandatePath(r.ObjectID), Reference: r.Reference},
		)
	}
	for _, p := range promises {
		if p.Standing(calendar.DateOf(now)) == followup.Open {
			add(p.DueOn.At(0, 0), kit.PromiseLine(p, now))
		}
	}
	turns, err := h.Turns(ctx, who, one.ID)
	if err != nil {
		return err
	}
	for _, t := range turns {
		text := "Subscription bills on " + words.SayDay(t.BilledOn, now)
		if t.DueOn != t.BilledOn {
			text += ", due " + words.SayDay(t.DueOn, now)
		}
		add(
			t.BilledOn.At(0, 0),
			pages.NextLine{Text: text, Href: words.TemplateHref(t.Template.ID, "/subscribers/"+t.Subscriber.ID.String()),
				Reference: t.Template.Name(), Sum: words.Sum(t.Cents, t.Template.Currency)},
		)
	}
	slices.SortStableFunc(lines, func(x, y line) int { return x.at.Compare(y.at) })
	if len(a.Planned) > 0 {
		view.NextMore = components.Link{Text: "Scheduled purchases",
			Href: "/purchases?status=pending_charge&client=" + one.ID.String()}
	}
	lines = lines[:min(len(lines), nextShown)]
	for _, l := range lines {
		view.Next = append(view.Next, l.NextLine)
	}
	return nil
}

// debitWords says when a debit runs, or for what it waits.
func debitWords(p report.ClientPurchase, now time.Time) string {
	day := words.SayDay(p.ActionDate, now)
	switch {
	case p.DebitState == collection.InTracking:
		return "Debited on " + day + "; the bank is waiting for money to arrive"
	case p.DebitState == collection.Submitted && !p.ActionDate.After(calendar.DateOf(now)):
		return "Debited on " + day + "; the bank has not answered yet"
	}
	text := "Debit on " + day
	if p.FirstDebit {
		text = "First debit under its mandate on " + day
	}
	if p.SubmitAt.After(now) {
		text += ", cut-off " + words.Moment(p.SubmitAt).Text
	}
	return text
}

// retries says when debits that failed may be made again.
func (h *Clients) retries(ctx context.Context, who actor.Actor, a report.ClientAccount,
	add func(calendar.Date, pages.NextLine)) error {
	if len(a.Failures) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(a.Failures))
	for i, p := range a.Failures {
		ids[i] = p.ID
	}
	found, err := h.Outlooks(ctx, who, ids)
	if err != nil {
		return err
	}
	now := h.Desk.Now()
	for _, p := range a.Failures {
		o, known := found[p.ID]
		if !known || !o.Again.Asked {
			continue
		}
		l := pages.NextLine{
			Text:      "The debit failed. Debit again? " + words.AgainWords(o.Record, o.Again, now),
			Href:      words.PurchasePath(p.ID),
			Reference: p.Reference,
			Sum:       words.Sum(p.OwedCents(), p.Currency),
		}
		day := calendar.DateOf(now)
		if o.Again.May() {
			day = o.Again.From
		}
		add(day, l)
	}
	return nil
}

// primary is what most likely comes next for a client.
func (h *Clients) primary(ctx context.Context, who actor.Actor, one client.Client,
	a report.ClientAccount) (components.Button, error) {
	if one.Erased() {
		return components.Button{}, nil
	}
	live, err := h.Tokens(ctx, who.MerchantID, one.ID)
	switch {
	case err != nil:
		return components.Button{}, err
	case a.Failed != nil:
		return components.Button{Label: "Look at the failed debit", Icon: "alert",
			Href: words.PurchasePath(a.Failed.ID)}, nil
	case live == 0:
		return components.Button{Label: "Store a bank account", Icon: "bank",
			Href: words.ClientHref(one.ID) + "/accounts/new", Changes: true}, nil
	}
	return components.Button{Label: "New purchase", Icon: "plus", Href: "/purchases/new?client=" + one.ID.String(),
		Changes: true}, nil
}

// files lists the documents of a client, and the account as a file.
func (h *Clients) files(c echo.Context, one client.Client, view *pages.ClientView) error {
	ask := paging.Ask{Limit: kit.BesideRows}
	ask.From, _ = uuid.Parse(c.QueryParam("files"))
	found, err := h.Money.ClientFiles(c.Request().Context(), access.Actor(c), one.ID, ask)
	if err != nil {
		return err
	}
	if ask.From == uuid.Nil {
		view.Files = []pages.FileLine{
			{Name: "Account as of today (Excel)", Href: words.ClientHref(one.ID) + "/account/export?format=xlsx",
				Note: "purchases, payments and what is still to be paid"},
		}
	}
	for _, f := range found.Items {
		view.Files = append(view.Files, fileLine(f))
	}
	if n := len(found.Items); n > 0 && found.Older {
		view.OlderFiles = words.ClientHref(one.ID) + "?files=" + found.Items[n-1].ID.String() + "#files"
	}
	return nil
}

func fileLine(f report.ClientFile) pages.FileLine {
	l := pages.FileLine{Name: f.Name, At: words.DayOf(f.At)}
	if f.Cents > 0 {
		l.Sum = words.Sum(f.Cents, f.Currency)
	}
	switch f.Kind {
	case report.InvoiceFile:
		l.Name, l.Href, l.Note = "Invoice "+f.Name, weblink.Payer(f.ObjectID)+"invoice.pdf", "PDF"
	case report.CreditNoteFile:
		l.Name, l.Href, l.Note = "Credit note "+f.Name, weblink.Payer(f.ObjectID)+"invoice.pdf?credit-note", "PDF"
	case report.MandateFile:
		l.Name, l.Href, l.Note = "Mandate "+f.Name, words.MandatePath(f.ObjectID, "document.pdf"), "PDF, with what proves it"
	case report.EvidenceFile:
		l.Href, l.Note = words.MandatePath(f.ObjectID, "evidence", f.ID.String()), "evidence of a mandate"
	}
	return l
}

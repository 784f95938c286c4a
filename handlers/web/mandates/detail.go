package mandates

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
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
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Show serves GET /mandates/:id.
func (h *Mandates) Show(c echo.Context) error {
	s, rec, err := h.open(c)
	if err != nil {
		return err
	}
	view, err := h.detail(c, s, rec)
	if err != nil {
		return err
	}
	if kit.PeekFor(c) {
		return kit.ShowPeek(c, peekOf(view))
	}
	about := followup.Object{Type: followup.Mandate, ID: s.ID}
	if view.Notes, _, err = h.Notes(c.Request().Context(), access.Actor(c), about); err != nil {
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Mandate "+s.ContractReference, mandatesSection,
		func(f layout.Frame) templ.Component { return pages.Mandate(f, view) })
}

// peekOf is what a list shows of a mandate beside it.
func peekOf(v pages.MandateDetailView) components.Peek {
	peek := components.Peek{Title: v.Title, Sub: v.Payer + " · " + v.Method, Pills: []components.Pill{v.Pill, v.Verified},
		Next: v.Next, Primary: v.Primary, Acts: kit.MenuButtons(v.Menu),
		Facts: components.Facts{Items: slices.Concat(v.Facts.Items, v.Terms.Items)}}
	if peek.Primary.Label != "" {
		peek.Primary.Kind = "primary"
	}
	if v.Reason != nil {
		peek.Note = *v.Reason
	}
	return peek
}

// open finds a mandate and the purchase that asked for it.
func (h *Mandates) open(c echo.Context) (mandate.Sheet, purchase.Record, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return mandate.Sheet{}, purchase.Record{}, err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	s, err := h.Service.Show(ctx, who, id)
	if err != nil {
		return s, purchase.Record{}, err
	}
	rec, err := h.Purchases.Get(ctx, who, id)
	return s, rec, err
}

func (h *Mandates) detail(c echo.Context, s mandate.Sheet, rec purchase.Record) (pages.MandateDetailView, error) {
	ctx, who, now := c.Request().Context(), access.Actor(c), h.Desk.Now()
	m := s.Mandate
	v := pages.MandateDetailView{Title: "Mandate " + m.ContractReference,
		ID: components.IDChip{ID: m.ID.String(), What: "mandate"}, Method: words.KindWords[m.Kind],
		Payer: cmp.Or(m.HolderName, words.PayerName(rec.Purchase)), Pill: mandatePill(m, newestOf(s), now),
		Next: mandateNext(m, newestOf(s), now), Verified: words.VerifiedPill(s.Verifications),
		Reason: mandateReason(m), Body: consentView(m, s.Evidence, now), Asked: askedRows(s.Authentications, now)}
	v.Terms, v.Explained = termFacts(m, rec.Currency), explained(m, rec.Currency)
	v.Statement = statementPreview(m)
	if len(s.Verifications) > 0 {
		v.Checks = checkRows(s.Verifications[0])
		v.Checked = words.Ago(s.Verifications[0].At, now)
	}
	debits, err := h.Purchases.DebitsUnder(ctx, who.MerchantID, m.ID, kit.BesideRows)
	if err != nil {
		return v, err
	}
	for _, d := range debits {
		v.Debits = append(v.Debits, debitRow(d))
	}
	if len(debits) == kit.BesideRows {
		v.MoreHref = "/purchases?token=" + m.ID.String()
	}
	if v.Live, err = h.live(c, s, rec); err != nil {
		return v, err
	}
	if v.Reason != nil {
		v.Next = strings.TrimSpace(endWords[m.State]) // the reason stands below, or in the live panel
	}
	if v.Live != nil {
		v.Reason = nil
	}
	events, err := h.Events.Timeline(ctx, who.MerchantID, trail.Subject{PurchaseID: m.ID}, kit.EventsAsk(c))
	if err != nil {
		return v, err
	}
	v.Timeline = kit.History(events, nil)
	if n := len(events.Items); n > 0 && events.Older {
		v.OlderHref = words.MandatePath(m.ID) + "?events=" + events.Items[n-1].ID.String() + "#events"
	}
	return v, h.beside(c, &v, s, rec)
}

// live is the place of the panel that follows the client's answer: it is there
// while a DebiCheck request waits, and when nothing came of one that can be made again.
func (h *Mandates) live(c echo.Context, s mandate.Sheet, rec purchase.Record) (templ.Component, error) {
	settled := slices.Contains([]purchase.Status{purchase.Paid, purchase.Refunded, purchase.PendingCharge,
		purchase.Cancelled, purchase.Expired}, rec.Status)
	again := s.State.Unanswered() && !settled // paid another way, it needs no mandate
	if s.Kind != mandate.DebiCheck || !s.State.Waiting() && !again {
		return nil, nil
	}
	return h.LivePanel(c.Request().Context(), access.Actor(c), s)
}

// beside fills in the facts and what can be done.
func (h *Mandates) beside(c echo.Context, v *pages.MandateDetailView, s mandate.Sheet, rec purchase.Record) error {
	who, m, now := access.Actor(c), s.Mandate, h.Desk.Now()
	add := func(f components.Fact) { v.Facts.Items = append(v.Facts.Items, f) }
	if m.ClientID != uuid.Nil {
		add(components.Fact{Label: "Client", Value: words.PayerName(rec.Purchase), Href: words.ClientHref(m.ClientID)})
	}
	t, err := h.Tokens.Get(c.Request().Context(), who, m.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	v.Menu = []components.MenuItem{{Label: "Download mandate document", Icon: "download",
		Href: words.MandatePath(m.ID, "document.pdf")}}
	if who.Can(actor.Manage) {
		v.Menu = append(v.Menu, components.MenuItem{Label: "Download audit pack", Icon: "download",
			Href: words.MandatePath(m.ID, "pack.zip")})
	}
	if err == nil {
		add(components.Fact{Label: "Token", Value: t.Token.Named(), Href: words.TokenPath(t.ID)})
		if t.Live() {
			v.Menu = append(v.Menu, components.MenuItem{Label: "Change the details…", Icon: "repeat",
				Href: words.TokenPath(t.ID) + "/amendment", Changes: true})
			v.Menu = append(v.Menu, components.MenuItem{Label: "Delete token…", Icon: "trash", Href: "/tokens/deletion?id=" +
				t.ID.String(), Danger: true, Divider: true, Why: kit.WhyNotDelete(who)})
		}
	}
	add(components.Fact{Label: "Purchase", Value: words.Reference(rec.Purchase), Href: words.PurchasePath(m.ID)})
	if m.State.Usable() && m.ClientID != uuid.Nil && who.Can(actor.Write) && err == nil && t.Live() {
		v.Primary = components.Button{Label: "New purchase", Icon: "plus", Href: "/purchases/new?client=" +
			m.ClientID.String(), Changes: true}
	}
	v.Facts.Items = append(v.Facts.Items, mandateFacts(m, now)...)
	add(components.Fact{Label: "Brand", Value: rec.Brand.Name})
	return nil
}

func newestOf(s mandate.Sheet) *mandate.Authentication {
	if a, asked := s.Asked(); asked {
		return &a
	}
	return nil
}

// mandateReason is the bank's reason why the mandate is of no use, with what helps.
func mandateReason(m mandate.Mandate) *components.Note {
	if m.ReasonCode == "" || endWords[m.State] == "" {
		return nil
	}
	title, remedy, _ := strings.Cut(reasonWords(m.ReasonCode), ". ")
	return &components.Note{Kind: "bad", Title: title, Text: remedy}
}

func askedRows(list []mandate.Authentication, now time.Time) (rows []pages.AskedRow) {
	for _, a := range list {
		row := pages.AskedRow{Number: words.Grouped(int64(a.Number)), Method: words.Capital(a.Label()),
			Pill: authPills[a.State], By: a.RequestedBy, Facts: components.Facts{Wide: true}}
		at := func(label string, t time.Time) {
			if !t.IsZero() {
				row.Facts.Items = append(row.Facts.Items,
					components.Fact{Label: label, Part: components.When(second(t, now))})
			}
		}
		add := func(label, value string) {
			if value != "" {
				row.Facts.Items = append(row.Facts.Items, components.Fact{Label: label, Value: value})
			}
		}
		at("Requested", a.RequestedAt)
		at("Sent to the bank", a.SentAt)
		at("Delivered", a.DeliveredAt)
		if a.State.Open() {
			at("Expires", a.ExpiresAt)
		}
		at("Answered", a.AnsweredAt)
		add("Channel", answerChannel(a.Channel))
		if a.Code != "" {
			add("Reason", bank.MandateCodeOf(a.Code).Label())
		}
		rows = append(rows, row)
	}
	return rows
}

// second is ago to the second, as limits of 120 of them need it.
func second(at, now time.Time) components.Time {
	t := words.Ago(at, now)
	t.Text = at.In(calendar.SAST).Format(words.MinuteForm + ":05")
	return t
}

func checkRows(v mandate.Verification) (rows []pages.CheckRow) {
	for _, c := range v.Answers.Checks() {
		row := pages.CheckRow{Label: c.Label, Answer: words.Capital(words.AnswerWords[c.Answer])}
		switch {
		case c.Answer == bank.Yes:
			row.Icon, row.Kind = "done", "done"
		case c.Answer == bank.No && c.Fatal:
			row.Icon, row.Kind, row.Note = "alert", "bad", "the account is refused"
		case c.Answer == bank.No:
			row.Icon, row.Kind, row.Note = "alert", "wait", "a warning"
		default:
			row.Icon = "draft"
		}
		rows = append(rows, row)
	}
	return rows
}

func debitRow(c collection.Collection) pages.DebitRow {
	row := pages.DebitRow{Href: words.PurchasePath(c.PurchaseID), Day: words.DayTime(c.ActionDate),
		Amount: words.Minus(words.AmountIn(c.AmountCents, c.Currency)), Pill: collectionPill(c)}
	if !c.Result.IsZero() && bank.CodeOf(c.Result.Code).Failed() {
		row.Result = bank.CodeOf(c.Result.Code).Label()
	}
	if because, may := c.MayBeDisputed(); may {
		row.Disputable, row.Because = "Yes", words.AllBecause(because, ", ")
	} else {
		row.Disputable = "No"
	}
	return row
}

var collectionKinds = map[collection.State]string{
	collection.Scheduled: "progress", collection.Submitted: "progress", collection.InTracking: "wait",
	collection.Provisional: "done", collection.Successful: "done",
	collection.Final: "done", collection.Unpaid: "bad", collection.Disputed: "bad", collection.DisputeWon: "done",
	collection.DisputeLost: "bad",
	collection.Cancelled:   "draft", collection.Recalled: "draft",
}

func collectionPill(c collection.Collection) components.Pill {
	return components.Pill{Kind: collectionKinds[c.State], Word: c.State.Label()}
}

// statementPreview is what the client will read on the bank statement; the last six
// characters are the day of the debit.
func statementPreview(m mandate.Mandate) string {
	line, err := collection.StatementLine(m.AbbreviatedName, m.ContractReference, "YYMMDD")
	if err != nil {
		return ""
	}
	return line
}

package tokens

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/mandates"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Show serves GET /tokens/:id.
func (h *Tokens) Show(c echo.Context) error {
	ctx, who, now := c.Request().Context(), access.Actor(c), h.Desk.Now()
	e, err := h.find(c)
	if err != nil {
		return err
	}
	sheet, err := h.Mandates.Show(ctx, who, e.MandateID)
	if err != nil {
		return err
	}
	made, err := h.Purchases.List(ctx, who, purchase.Filter{TokenID: e.ID}, paging.Ask{Limit: kit.BesideRows})
	if err != nil {
		return err
	}
	first, err := h.Purchases.Get(ctx, who, e.ID)
	if err != nil {
		return err
	}
	if first.Collection != nil && !made.Older { // what stored the account was debited, or will be
		made.Items = append(made.Items, first)
	}
	view := pages.TokenView{Title: e.Token.Named(), ID: components.IDChip{ID: e.ID.String(), What: "token"},
		Pill: tokenPill(e.Token), Health: health(e.Token, made.Items, now),
		Facts: tokenFacts(e, now), Mandate: mandates.MandateView(sheet.Mandate, sheet.Evidence, now),
		MandateHref: words.MandatePath(e.MandateID), Verified: words.VerifiedPill(sheet.Verifications),
		MoreHref: "/purchases?token=" + e.ID.String()}
	view.Purchases = kit.TableOf("Purchases", purchases.PurchaseColumns(h.Purchases, now, false), made.Items)
	if !made.Older {
		view.MoreHref = ""
	}
	if e.State == token.Active && e.Failures > 0 {
		if view.Health.Text, err = h.againOf(ctx, made.Items, e.ID, now, view.Health.Text); err != nil {
			return err
		}
	}
	if err := h.addWaiting(c, e, &view); err != nil {
		return err
	}
	if e.State == token.Deleting {
		if view.Leaving, err = h.leaving(ctx, who, func(t token.Token) bool { return t.ID == e.ID }); err != nil {
			return err
		}
	}
	if e.Live() {
		if e.State == token.Active && e.ClientID != uuid.Nil {
			view.Primary = components.Button{Label: "New purchase", Icon: "plus", Kind: "primary",
				Href: "/purchases/new?client=" + e.ClientID.String(), Changes: true}
		}
		if who.Can(actor.Write) {
			view.Acts = append(view.Acts, pages.Act{Label: "Replace this account", Icon: "repeat", Href: words.TokenPath(e.ID) +
				"/amendment"})
		}
		view.Acts = append(view.Acts, pages.Act{Label: "Delete token…", Icon: "trash", Href: "/tokens/deletion?id=" +
			e.ID.String(), Why: kit.WhyNotDelete(who)})
	}
	if kit.PeekFor(c) {
		return kit.ShowPeek(c, components.Peek{Title: view.Title, Pills: []components.Pill{view.Pill, view.Verified},
			Note: view.Health, Primary: view.Primary, Acts: kit.ActButtons(view.Acts), Facts: view.Facts})
	}
	if view.Notes, _, err = h.Notes(ctx, who, followup.Object{Type: followup.Token, ID: e.ID}); err != nil {
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, view.Title, words.TokensSection,
		func(f layout.Frame) templ.Component { return pages.Token(f, view) })
}

// againOf answers "may I debit again?" for the newest purchase that failed on the
// account, with what the page of that purchase says.
func (h *Tokens) againOf(ctx context.Context, made []purchase.Record, id uuid.UUID, now time.Time,
	otherwise string) (string, error) {
	for _, rec := range made {
		if rec.Collection == nil || rec.Collection.TokenID != id {
			continue
		}
		again, err := h.Purchases.Again(ctx, rec)
		if err != nil {
			return "", err
		}
		if again.Asked {
			return "May I debit " + words.Reference(rec.Purchase) + " again? " + words.AgainWords(rec, again, now), nil
		}
	}
	return otherwise, nil
}

// addWaiting says what waits for the token: a request to delete it, and the change of details that replaces it, or did.
func (h *Tokens) addWaiting(c echo.Context, e token.Entry, view *pages.TokenView) error {
	ctx, who, now := c.Request().Context(), access.Actor(c), h.Desk.Now()
	add := func(label, value, href string) {
		view.Facts.Items = append(view.Facts.Items, components.Fact{Label: label, Value: value, Href: href})
	}
	if e.Live() {
		asked, waits, err := h.Approvals.DeletionOf(ctx, who, e.ID)
		if err != nil {
			return err
		}
		if waits {
			href := words.ApprovalPath(asked.ID)
			add("Deletion", "Waiting for a second approver", href)
			view.Waiting = append(view.Waiting, pages.TokenWaits{Note: components.Note{Kind: "warn",
				Title: "A second approver is asked to delete this token", Text: asked.AskedName + " asked on " +
					words.SayMinute(asked.CreatedAt, now) + ". The token stays in use until the request is approved."},
				More: components.Link{Text: "Show the request", Href: href}})
		}
	}
	if e.State == token.Active {
		open, err := h.Amendments.Replacing(ctx, who, []uuid.UUID{e.ID})
		if err != nil {
			return err
		}
		if id := open[e.ID]; id != uuid.Nil {
			href := words.AmendmentPath(id, "")
			add("Replaces", "Another account", href)
			view.Waiting = append(view.Waiting, pages.TokenWaits{Note: components.Note{Kind: "warn",
				Title: "This account is to replace another", Text: "Until it takes over, debits run from the old one."},
				More: components.Link{Text: words.TakeOver, Href: href}})
		}
	}
	change, err := h.Amendments.AmendmentOf(ctx, who, e.ID)
	switch {
	case fault.Is(err, fault.NotFound):
	case err != nil:
		return err
	case change.State == amendment.AmendmentOpen:
		href := words.AmendmentPath(change.ID, "")
		add("New details", "Under way", href)
		if e.Live() {
			view.Waiting = append(view.Waiting, pages.TokenWaits{Note: components.Note{Kind: "info",
				Title: "New details are to replace this token", Text: "It stays in use until they work."},
				More: components.Link{Text: "Show the new details", Href: href}})
		}
	case change.State == amendment.AmendmentDone && e.State == token.Superseded:
		add("Replaced by", "The new account", words.TokenPath(change.NewID))
	}
	return nil
}

func (h *Tokens) find(c echo.Context) (token.Entry, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return token.Entry{}, err
	}
	return h.Register.Get(c.Request().Context(), access.Actor(c), id)
}

// health says how the account has behaved, and what helps when it is blocked.
func health(t token.Token, made []purchase.Record, now time.Time) components.Note {
	switch {
	case t.State == token.Blocked:
		return components.Note{Kind: "bad", Title: "Blocked: " + bank.Label(t.BlockedCode),
			Text: "May I debit again? No, not from this account. " + bank.Remedy(t.BlockedCode)}
	case t.State != token.Active:
		return components.Note{Kind: "info", Title: tokenPill(t).Word, Text: tokenPill(t).Title}
	case t.Failures > 0:
		return components.Note{Kind: "warn", Title: "Failed " + plural.Of(t.Failures, "time") + " in a row",
			Text: "Before you debit again, agree with the client on a day when there is money."}
	case !t.LastSuccessAt.IsZero():
		return components.Note{Kind: "ok", Title: "Healthy", Text: "The last debit succeeded on " +
			words.SayDay(calendar.DateOf(t.LastSuccessAt), now) + "."}
	case t.LastUsedAt.IsZero():
		return firstDebit(t, made, now)
	}
	return components.Note{Kind: "info", Title: "No answer yet", Text: "It was charged on " +
		words.SayDay(calendar.DateOf(t.LastUsedAt), now) + "; the bank has not answered yet."}
}

// firstDebit says how it stands with the first debit of an account of which the bank has told nothing yet.
func firstDebit(t token.Token, made []purchase.Record, now time.Time) components.Note {
	var next calendar.Date
	for _, rec := range made {
		c := rec.Collection
		if c == nil || c.TokenID != t.ID {
			continue
		}
		switch {
		case c.State == collection.Submitted:
			return components.Note{Kind: "info", Title: "No answer yet", Text: "The bank has not answered the debit of " +
				words.SayDay(c.ActionDate, now) + " yet."}
		case c.State == collection.Scheduled && (next.IsZero() || c.ActionDate.Before(next)):
			next = c.ActionDate
		}
	}
	if next.IsZero() {
		return components.Note{Kind: "info", Title: "Not charged yet", Text: "The first debit shows whether debits succeed."}
	}
	return components.Note{Kind: "info", Title: "Not debited yet", Text: "The first debit is on " +
		words.SayDay(next, now) + ". It shows whether debits succeed."}
}

func tokenFacts(e token.Entry, now time.Time) components.Facts {
	var f components.Facts
	add := func(fact components.Fact) { f.Items = append(f.Items, fact) }
	if e.ClientID != uuid.Nil {
		add(components.Fact{Label: "Client", Value: e.ClientName, Href: words.ClientHref(e.ClientID)})
	}
	add(components.Fact{Label: "Account holder", Value: e.HolderName})
	add(components.Fact{Label: "Bank", Value: strings.TrimSpace(bank.BankName(e.BankCode) + " " + e.BankCode)})
	add(components.Fact{Label: "Account", Value: e.AccountMask, Mono: true})
	add(components.Fact{Label: "Type", Value: e.AccountType.Label()})
	add(components.Fact{Label: "Method", Value: words.KindWords[mandate.Kind(e.Method)]})
	add(components.Fact{Label: "Stored", Part: components.When(words.Ago(e.CreatedAt, now))})
	if e.CreatedBy != "" {
		add(components.Fact{Label: "Stored by", Value: e.CreatedBy})
	}
	for _, t := range []struct {
		label string
		at    time.Time
	}{{"Last used", e.LastUsedAt}, {"Last success", e.LastSuccessAt}} {
		if t.at.IsZero() {
			add(components.Fact{Label: t.label, Value: "never"})
		} else {
			add(components.Fact{Label: t.label, Part: components.When(words.Ago(t.at, now))})
		}
	}
	add(components.Fact{Label: "Failures in a row", Value: words.Grouped(int64(e.Failures))})
	add(components.Fact{Label: "Created by", Value: "Purchase", Href: words.PurchasePath(e.ID)})
	return f
}

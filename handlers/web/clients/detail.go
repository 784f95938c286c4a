package clients

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/deletion"
	"debitdesk/models/estimate"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Show serves GET /clients/:id.
func (h *Clients) Show(c echo.Context) error {
	one, err := h.find(c)
	if fault.Is(err, fault.NotFound) {
		return h.livesOn(c, err)
	}
	if err != nil {
		return err
	}
	return h.page(c, one, nil)
}

// Reveal serves POST /clients/:id/numbers: the answer alone shows the numbers in
// full, and the audit keeps that it did.
func (h *Clients) Reveal(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	numbers, err := h.Service.Reveal(c.Request().Context(), access.Actor(c), one.ID)
	if err != nil {
		return err
	}
	if c.Request().Header.Get("HX-Target") == pages.NumbersTarget {
		return html.Send(c, http.StatusOK, pages.ClientNumbers(numbersView(access.Actor(c), one, &numbers)))
	}
	return h.page(c, one, &numbers)
}

func (h *Clients) page(c echo.Context, one client.Client, shown *client.Numbers) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	view := pages.ClientView{
		Name: one.Name(), ID: components.IDChip{ID: one.ID.String(), What: "client"}, Sub: clientSub(one),
		EditHref: words.ClientHref(one.ID) + "/edit", Facts: clientFacts(one), Numbers: numbersView(who, one, shown),
	}
	impact, err := h.impactOn(c, one)
	if err != nil {
		return err
	}
	why := whyNotForget(impact)
	view.Menu = []components.MenuItem{
		{Label: "Account as of a day", Icon: "money", Href: words.ClientHref(one.ID) + "/account"},
		{Label: "Messages", Icon: "mail", Href: "/messages?client=" + one.ID.String()},
	}
	if who.Can(actor.Write) {
		if !one.Erased() {
			view.Menu = append(view.Menu, components.MenuItem{Label: "Send the client’s page…", Icon: "mail",
				Href: words.ClientHref(one.ID) + "/page"})
		}
		view.Menu = append(
			view.Menu,
			components.MenuItem{Label: "Delete client…", Icon: "trash", Href: words.ClientHref(one.ID) +
				"/deletion", Danger: true, Why: why},
		)
	}
	if one.Erased() {
		view.EditHref, view.Menu, view.Panels = "", view.Menu[:1],
			append(view.Panels, components.Message(components.Note{Title: "The personal data of this client was erased on " +
				words.SayDay(calendar.DateOf(one.ErasedAt), h.Desk.Now()),
				Text: evidenceWords(one, h.Desk.Now())}))
	} else if who.Can(actor.Manage) {
		view.Menu = append(view.Menu, components.MenuItem{Label: "Erase personal data…", Icon: "trash",
			Href: words.ClientHref(one.ID) + "/erasure", Danger: true, Why: why})
	}
	if !one.Erased() {
		view.Menu = append(view.Menu, mergeItem(who, one)...)
		view.Menu = append(view.Menu, stopItem(who, one)...)
	}
	if kit.PeekFor(c) {
		return kit.ShowPeek(c, peekOf(view, one))
	}
	if fact, err := h.payDay(ctx, who, one); err != nil {
		return err
	} else if fact.Value != "" {
		view.Facts.Items = append(view.Facts.Items, fact)
	}
	if err := h.stopOn(c, one, &view); err != nil {
		return err
	}
	if err := h.mergedOn(c, one, &view); err != nil {
		return err
	}
	if err := h.followUp(c, one, &view); err != nil {
		return err
	}
	for _, draw := range h.Panels {
		panel, err := draw(ctx, who, one)
		if err != nil {
			return err
		}
		view.Panels = append(view.Panels, panel)
	}
	if !one.Erased() || who.Can(actor.Manage) { // the entries name who it was
		if err := h.timeline(c, one, &view); err != nil {
			return err
		}
	}
	return h.Desk.ShowIn(c, http.StatusOK, view.Name, clientsSection,
		func(f layout.Frame) templ.Component { return pages.Client(f, view) })
}

// payDay says when the client probably has money. Below so many debits there is nothing to say, and nothing is.
func (h *Clients) payDay(ctx context.Context, who actor.Actor, one client.Client) (components.Fact, error) {
	fact := components.Fact{Label: "Likely pay day"}
	if one.Erased() || h.PayDay == nil {
		return fact, nil
	}
	found, sure, err := h.PayDay(ctx, who, one.ID)
	switch {
	case err != nil || found.Tries < estimate.FewestTries:
		return fact, err
	case sure:
		fact.Value = words.Capital(words.PayDay(found)) + ", from " + plural.Of(found.Tries, "debit")
	default:
		fact.Value = "Cannot say, from " + plural.Of(found.Tries, "debit")
	}
	return fact, nil
}

// peekOf is what a list shows of a client beside it.
func peekOf(v pages.ClientView, one client.Client) components.Peek {
	peek := components.Peek{Title: v.Name, Sub: v.Sub, Facts: components.Facts{Items: slices.Concat(v.Facts.Items,
		v.Numbers.Facts.Items)}, Acts: kit.MenuButtons(v.Menu)}
	if v.EditHref != "" {
		of := "?client=" + one.ID.String()
		peek.Primary = components.Button{Label: "New purchase", Icon: "plus", Kind: "primary", Href: "/purchases/new" + of,
			Changes: true}
		peek.Acts = slices.Concat([]components.Button{
			{Label: "Purchases", Icon: "receipt", Href: "/purchases" + of, Small: true},
			{Label: "Edit client", Icon: "edit", Href: v.EditHref, Small: true, Changes: true}}, peek.Acts)
	}
	return peek
}

// evidenceWords says what is left of an erased client.
func evidenceWords(c client.Client, now time.Time) string {
	if c.EvidenceUntil.IsZero() {
		return "Its purchases stay without the person."
	}
	return "Its purchases stay without the person. Mandates and invoices are kept until " +
		words.SayDay(c.EvidenceUntil, now) + ", as the law asks."
}

// purchaseHref leads from an event to its purchase.
func purchaseHref(e audit.Entry) string {
	if e.PurchaseID == uuid.Nil {
		return ""
	}
	return words.PurchasePath(e.PurchaseID)
}

func clientSub(c client.Client) string {
	var parts []string
	for _, part := range []string{c.Email, words.PhoneWords(c.Phone)} {
		if part != "" && part != c.Name() {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

func numbersView(who actor.Actor, c client.Client, shown *client.Numbers) pages.NumbersView {
	v := pages.NumbersView{Revealed: shown != nil}
	account, identity := c.BankAccount.String(), c.PersonalCode.String()
	if c.AccountUnreadable() {
		account = "Cannot be read"
	}
	if c.IdentityUnreadable() {
		identity = "Cannot be read"
	}
	if c.Any() {
		v.Problem = unreadable
	}
	if shown != nil {
		account, identity = shown.BankAccount, shown.PersonalCode
	} else if who.Can(actor.Reveal) && !c.Any() && (account != "" || identity != "") {
		v.Action = words.ClientHref(c.ID) + "/numbers"
	}
	branch := c.BankCode
	if name := bank.BankName(c.BankCode); name != "" {
		branch = name + ", " + c.BankCode
	}
	v.Facts = components.Facts{Items: []components.Fact{
		{Label: "Account number", Value: account, Mono: account != ""},
		{Label: "Bank and branch", Value: branch},
		{Label: "Account type", Value: c.AccountType.Label()},
		{Label: "Identity number", Value: identity, Mono: identity != ""},
	}}
	return v
}

func clientFacts(c client.Client) components.Facts {
	facts := components.Facts{Items: []components.Fact{
		{Label: "Full name", Value: c.FullName}, {Label: "E-mail"}, {Label: "Phone"},
	}}
	if c.Email != "" {
		facts.Items[1].Part = components.To(components.Link{Text: c.Email, Href: "mailto:" + url.PathEscape(c.Email)})
	}
	if c.Phone != "" {
		facts.Items[2].Part = components.To(components.Link{Text: words.PhoneWords(c.Phone), Href: words.PhoneHref(c.Phone)})
	}
	add := func(label, value string) {
		if value != "" {
			facts.Items = append(facts.Items, components.Fact{Label: label, Value: value})
		}
	}
	add("Address", words.JoinedWords(", ", c.StreetAddress, c.City, c.State, c.ZipCode, client.CountryName(c.Country)))
	add(
		"Delivery address",
		words.JoinedWords(", ", c.ShippingStreetAddress, c.ShippingCity, c.ShippingState, c.ShippingZipCode,
			client.CountryName(c.ShippingCountry)),
	)
	for _, in := range clientInputs {
		for _, f := range client.TextFields() {
			if in.section == "business" && f.Name == in.name {
				add(in.label, *f.At(&c.Details))
			}
		}
	}
	add("Electronic address", c.ElectronicAddress)
	if c.ChosenLanguage != "" {
		add("Language", languageName(c.ChosenLanguage)+", chosen by the client")
	} else {
		add("Language", languageName(c.Language))
	}
	add("Tags", client.TagsText(c.Tags))
	add("Copies to", strings.Join(c.CC, ", "))
	add("Hidden copies to", strings.Join(c.BCC, ", "))
	facts.Items = append(facts.Items, components.Fact{Label: "Added", Part: components.When(words.Moment(c.CreatedAt))})
	return facts
}

// AskDelete serves GET /clients/:id/deletion.
func (h *Clients) AskDelete(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	return h.askDelete(c, http.StatusOK, one, "")
}

// Delete serves POST /clients/:id/deletion.
func (h *Clients) Delete(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	impact, err := h.impactOn(c, one)
	if err != nil {
		return err
	}
	if impact.Refused != nil {
		return impact.Refused
	}
	if wrong := clientConfirmation(one, impact).Wrong(form); wrong != "" {
		return h.askDelete(c, http.StatusUnprocessableEntity, one, wrong)
	}
	if err := h.Service.Delete(c.Request().Context(), access.Actor(c), one.ID); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", one.Name()+" was deleted.", "/clients")
}

func (h *Clients) askDelete(c echo.Context, status int, one client.Client, typeError string) error {
	impact, err := h.impactOn(c, one)
	if err != nil {
		return err
	}
	view := pages.ActView{Title: "Delete client", Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)},
		Blocked: whyNotForget(impact),
		Question: components.Confirm{
			ID: "delete", Title: "Delete " + one.Name() + "?",
			Text:   "The client disappears from all lists. This cannot be undone. Purchases, mandates and their evidence stay.",
			Action: words.ClientHref(one.ID) + "/deletion", Button: "Delete client", CancelHref: words.ClientHref(one.ID),
			Breaks: impact.Lines(),
		}}
	clientConfirmation(one, impact).Ask(&view.Question, typeError)
	return h.Desk.ShowIn(c, status, view.Title, clientsSection,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// impactOn is what ends with a client, and why this person may not end it.
func (h *Clients) impactOn(c echo.Context, one client.Client) (deletion.ClientImpact, error) {
	if one.Erased() {
		return deletion.ClientImpact{}, nil
	}
	return h.Impact(c.Request().Context(), access.Actor(c), one.ID)
}

// whyNotForget is why the person may not delete the client, or nothing.
func whyNotForget(i deletion.ClientImpact) string {
	if i.Refused == nil {
		return ""
	}
	return i.Refused.Error()
}

// clientConfirmation is what a person types before a client is deleted: what is asked
// before its stored accounts are, or else the end of the account on its record.
func clientConfirmation(one client.Client, impact deletion.ClientImpact) kit.TypedWord {
	masks := make([]string, 0, len(impact.Accounts))
	for _, i := range impact.Accounts {
		masks = append(masks, i.Token.AccountMask)
	}
	if len(masks) == 0 && one.BankAccount.Tail() != "" {
		masks = append(masks, one.BankAccount.String())
	}
	return kit.TypedDigits(masks)
}

func (h *Clients) find(c echo.Context) (client.Client, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return client.Client{}, err
	}
	return h.Service.Get(c.Request().Context(), access.Actor(c), id)
}

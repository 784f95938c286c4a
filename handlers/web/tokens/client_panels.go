package tokens

import (
	"context"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/deletion"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/pages"
)

// TokensPanel draws the stored accounts on a client's page.
func (h *Tokens) TokensPanel(ctx context.Context, who actor.Actor, c client.Client) (templ.Component, error) {
	if c.Erased() { // its accounts are gone, and no new one can be stored
		return templ.NopComponent, nil
	}
	page, err := h.Register.List(ctx, who, token.Filter{ClientID: c.ID}, paging.Ask{Limit: kit.BesideRows})
	if err != nil {
		return nil, err
	}
	said, err := h.Mandates.VerificationsOfClient(ctx, who, c.ID)
	if err != nil {
		return nil, err
	}
	view := pages.TokenPanelView{StoreHref: words.ClientHref(c.ID) + "/accounts/new",
		MandateHref: words.ClientHref(c.ID) + "/mandates/new"}
	if view.Leaving, err = h.leaving(ctx, who, func(t token.Token) bool { return t.ClientID == c.ID }); err != nil {
		return nil, err
	}
	for _, e := range page.Items {
		view.Rows = append(view.Rows, pages.TokenRow{Href: words.TokenPath(e.ID), Bank: words.BankWords(e.BankCode),
			Account: e.AccountMask,
			Pill:    tokenPill(e.Token), Created: words.DayOf(e.CreatedAt),
			Verified: words.VerifiedPill(saidOf(said, e.MandateID))})
	}
	return pages.TokenPanel(view), nil
}

// PurchasesPanel draws the newest purchases on a client's page.
func (h *Tokens) PurchasesPanel(ctx context.Context, who actor.Actor, c client.Client) (templ.Component, error) {
	page, err := h.Purchases.List(ctx, who, purchase.Filter{ClientID: c.ID}, paging.Ask{Limit: kit.BesideRows})
	if err != nil {
		return nil, err
	}
	view := pages.PurchasePanelView{}
	if who.Can(actor.Write) && !c.Erased() {
		view.NewHref = "/purchases/new?client=" + c.ID.String()
	}
	view.Purchases = kit.TableOf("Purchases", purchases.PurchaseColumns(h.Purchases, h.Desk.Now(), false),
		page.Items)
	if page.Older {
		view.MoreHref = "/purchases?" + url.Values{"client": {c.ID.String()}}.Encode()
	}
	return pages.PurchasePanel(view), nil
}

// ClientImpact says what ends when a client is deleted.
func (h *Tokens) ClientImpact(ctx context.Context, who actor.Actor, clientID uuid.UUID) (deletion.ClientImpact, error) {
	return h.Deletions.ImpactOfClient(ctx, who, clientID)
}

// saidOf is what was said about the account of one purchase, newest first.
func saidOf(all []mandate.Verification, purchaseID uuid.UUID) (said []mandate.Verification) {
	for _, v := range all {
		if v.PurchaseID == purchaseID {
			said = append(said, v)
		}
	}
	return said
}

package bankfiles

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/allocation"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// movementLine is a movement with the purchase that it probably pays.
type movementLine struct {
	exchange.EntryLine
	probably allocation.Offer
	likely   bool
	mayPay   bool // the reader may book it
}

// lines adds to movements what each probably pays, of all together.
func (h *Pages) lines(ctx context.Context, who actor.Actor, found []exchange.EntryLine) ([]movementLine, error) {
	entries := make([]exchange.Entry, len(found))
	for i, e := range found {
		entries[i] = e.Entry
	}
	likely, err := h.Payments.Likely(ctx, who, entries)
	if err != nil {
		return nil, err
	}
	out := make([]movementLine, len(found))
	for i, e := range found {
		out[i] = movementLine{EntryLine: e, mayPay: who.Can(actor.Exchange) && who.Can(actor.Write)}
		out[i].probably, out[i].likely = likely[e.ID]
	}
	return out, nil
}

// movementLines is a page of the list.
func (h *Pages) movementLines(ctx context.Context, who actor.Actor, f exchange.EntryFilter, ask paging.Ask) (
	page paging.Page[movementLine], err error) {
	found, err := h.Exchange.Movements(ctx, who, f, ask)
	if err != nil {
		return page, err
	}
	page.Newer, page.Older = found.Newer, found.Older
	page.Items, err = h.lines(ctx, who, found.Items)
	return page, err
}

// probably says which purchase a movement probably pays, and books it with one press.
func probably(e movementLine, match components.Button) pages.BankProbablyView {
	o := e.probably
	v := pages.BankProbablyView{To: components.Link{Text: o.Called(), Href: words.PurchasePath(o.ID)},
		Why: words.PayerName(o.Purchase) + ": " + offerReasons(o), Match: match}
	if e.mayPay {
		v.Action = movementPath(e.ID, "payments")
		v.Fields = []components.Pair{{Name: "seen", Value: strconv.FormatInt(e.PaidCents, 10)},
			{Name: amountOf(o.ID.String()), Value: money.Amount(e.LeftCents())}, {Name: "from", Value: "list"}}
		v.Book = components.Button{Label: "Book as paid", Small: true, Attrs: map[string]any{
			"aria-label": "Book " + words.Sum(e.LeftCents(), e.Currency) + " as paid on " + o.Called()}}
	}
	return v
}

func idOf(e movementLine) uuid.UUID { return e.ID }

// mostProbable is how many movements the home page looks at (ours).
const mostProbable = 50

// Probable counts, of the newest movements that wait for a match, those that probably pay a purchase. first says of one
// of them which.
func (h *Pages) Probable(ctx context.Context, who actor.Actor) (n int, first string, err error) {
	page, err := h.movementLines(ctx, who, exchange.EntryFilter{State: exchange.EntryUnmatched},
		paging.Ask{Limit: mostProbable})
	for _, e := range page.Items {
		if !e.likely {
			continue
		}
		if n++; n == 1 {
			first = words.Sum(e.LeftCents(), e.Currency) + " probably pays " + e.probably.Called() + " (" +
				offerReasons(e.probably) + ")"
		}
	}
	return n, first, err
}

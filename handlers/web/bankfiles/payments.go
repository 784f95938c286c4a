package bankfiles

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/allocation"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// amountOf is the field of what a purchase gets.
func amountOf(id string) string { return "amount-" + id }

// payView is the form with the purchases that a movement may pay. Where one is sure, its amount is filled in.
func payView(n exchange.Entry, offers []allocation.Offer, search string, typed url.Values,
	wrong components.ErrorSummary) pages.BankPayView {
	if !n.Payable() {
		return pages.BankPayView{}
	}
	left := words.Sum(n.LeftCents(), n.Currency)
	v := pages.BankPayView{Action: movementPath(n.ID, "payments"), Seen: strconv.FormatInt(n.PaidCents, 10), Wrong: wrong,
		Left: left + " to book",
		Hint: "Enter how much each purchase gets. It is recorded as paid by transfer on " +
			n.BookedOn.Format("Mon 2 Jan 2006") + ", with the bank’s reference. Nothing is debited. What you do not book " +
			"stays unmatched, and you can undo each payment on the page of the movement.",
		Nothing: components.Empty{Icon: "search", Title: "No open purchase owes " + left,
			Text: "Search by the client or the reference to find others."}}
	if search != "" {
		v.Action += "?" + url.Values{"q": {search}}.Encode()
		v.Nothing.Title = "No open purchase was found"
	}
	if typed == nil {
		typed = url.Values{}
		if o, sure := allocation.Probable(offers); sure && search == "" {
			typed.Set(amountOf(o.ID.String()), money.Amount(n.LeftCents()))
		}
	}
	v.First = n.PaidCents > 0 || len(wrong.Items) > 0 || len(offers) > 0 && (offers[0].Named != "" || offers[0].ByName)
	v.Offers = kit.TableOf("Open purchases", offerColumns(typed, wrong), offers)
	return v
}

func offerColumns(typed url.Values, wrong components.ErrorSummary) []kit.Column[allocation.Offer] {
	return []kit.Column[allocation.Offer]{
		kit.ColumnOf("Client, purchase", func(o allocation.Offer) components.Cell {
			return components.Cell{Text: words.PayerName(o.Purchase), Href: words.PurchasePath(o.ID),
				Second: words.Reference(o.Purchase)}
		}),
		kit.ColumnOf("Owed", func(o allocation.Offer) components.Cell {
			return components.Cell{Text: words.Sum(o.OpenCents(), o.Currency)}
		}).Number(),
		kit.DayColumn("Due", 14, "", func(o allocation.Offer) time.Time { return o.Due }),
		kit.ColumnOf("Why", func(o allocation.Offer) components.Cell {
			return components.Cell{Text: offerWords(o), Blank: "Your choice"}
		}),
		kit.ColumnOf("Amount paid, R", func(o allocation.Offer) components.Cell {
			if o.Blocked != "" {
				return components.Cell{Text: o.Blocked}
			}
			name := amountOf(o.ID.String())
			f := components.Field{Label: "Amount paid of " + words.Reference(o.Purchase), Name: name, Value: typed.Get(name)}
			for _, p := range wrong.Items {
				if p.Field == name {
					f.Error = p.Text
				}
			}
			return components.Cell{Part: pages.BankPayField(f)}
		}),
	}
}

// offerWords say why a purchase is offered.
func offerWords(o allocation.Offer) string { return words.Capital(offerReasons(o)) }

// offerReasons say it within a sentence.
func offerReasons(o allocation.Offer) string {
	var why []string
	if o.Named != "" {
		why = append(why, o.Named+" in the text")
	}
	if o.ByName {
		why = append(why, "client’s name in the text")
	}
	switch {
	case o.Agrees && (o.Alike > 1 || o.More):
		more := ""
		if o.More {
			more = "at least "
		}
		why = append(why, fmt.Sprintf("amount agrees; %s%d purchases owe it", more, o.Alike))
	case o.Agrees:
		why = append(why, "amount agrees")
	case o.Named != "":
		why = append(why, "amount differs")
	}
	return strings.Join(why, ", ")
}

// Pay serves POST /bank/movements/{id}/payments: books money of a movement on the purchases that it pays.
func (h *Pages) Pay(c echo.Context) error {
	n, err := h.movement(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	parts, wrong := partsOf(form)
	if len(wrong.Items) > 0 {
		return h.showMatch(c, n, http.StatusUnprocessableEntity, form, wrong)
	}
	seen, _ := strconv.ParseInt(form.Get("seen"), 10, 64) // one that cannot be read is of a movement with nothing booked
	after, err := h.Payments.Pay(c.Request().Context(), access.Actor(c), n.ID, parts, seen)
	if f, known := fault.From(err); known && fault.Is(err, fault.Invalid) {
		for _, p := range f.Fields {
			at := ""
			if _, err := uuid.Parse(p.Path); err == nil {
				at = amountOf(p.Path)
			}
			wrong.Items = append(wrong.Items, components.ErrorItem{Field: at, Text: p.Message})
		}
		return h.showMatch(c, n, http.StatusUnprocessableEntity, form, wrong)
	}
	said := "The payment is booked."
	if after.LeftCents() > 0 {
		said += " " + words.Sum(after.LeftCents(), after.Currency) + " of the movement is left."
	}
	switch fromList := form.Get("from") == "list"; {
	case fromList && err != nil:
		return h.done(c, err, UnmatchedHref, said)
	case fromList:
		return h.booked(c, after)
	}
	return h.done(c, err, movementPath(n.ID), said)
}

// booked goes back to the list and tells what was paid, with a button that takes it back.
func (h *Pages) booked(c echo.Context, n exchange.Entry) error {
	paid, _, err := h.Payments.Paid(c.Request().Context(), access.Actor(c), n.ID)
	if err != nil || len(paid) == 0 {
		return h.done(c, err, UnmatchedHref, "The payment is booked.")
	}
	last := paid[len(paid)-1]
	said := words.Sum(last.AmountCents, last.Currency) + " is booked as paid on " + last.Reference + ", of " +
		last.Client + "."
	undo := movementPath(n.ID, "payments", "return") + "?payment=" + last.ID.String()
	if err := access.AddUndo(c, "ok", said, undo); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, UnmatchedHref)
}

// partsOf reads what each purchase gets.
func partsOf(form url.Values) (parts []allocation.Part, wrong components.ErrorSummary) {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		id, err := uuid.Parse(strings.TrimPrefix(name, amountOf("")))
		text := strings.TrimSpace(form.Get(name))
		if err != nil || !strings.HasPrefix(name, amountOf("")) || text == "" {
			continue
		}
		cents, err := money.Parse(text)
		if err != nil {
			wrong.Items = append(wrong.Items, components.ErrorItem{Field: name, Text: words.Capital(err.Error()) + "."})
		}
		parts = append(parts, allocation.Part{PurchaseID: id, Cents: cents})
	}
	return parts, wrong
}

// chosen are the purchases that a form has an amount for.
func chosen(form url.Values) (ids []uuid.UUID) {
	parts, _ := partsOf(form)
	for _, p := range parts {
		ids = append(ids, p.PurchaseID)
	}
	return ids[:min(len(ids), mostCandidates)]
}

// ReturnPayment serves POST /bank/movements/{id}/payments/return.
func (h *Pages) ReturnPayment(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	payment, err := uuid.Parse(cmp.Or(form.Get("payment"), c.QueryParam("payment")))
	if err != nil {
		return fault.Missing()
	}
	err = h.Payments.Undo(c.Request().Context(), access.Actor(c), id, payment)
	return h.done(c, err, movementPath(id),
		"The payment is taken back. The purchase is owed again, and the movement waits to be matched.")
}

// paidRows are what a movement paid.
func paidRows(n exchange.Entry, paid []allocation.Payment, stays []string, may bool) []pages.BankPaid {
	out := make([]pages.BankPaid, len(paid))
	for i, p := range paid {
		row := pages.BankPaid{ID: p.ID.String(), Why: stays[i],
			What: components.Link{Text: p.Reference, Href: words.PurchasePath(p.PurchaseID)},
			Text: joinedTexts(words.Sum(p.AmountCents, p.Currency), p.Client, "booked by "+p.ByName+" on "+
				words.Moment(p.CreatedAt).Text)}
		if may && stays[i] == "" {
			row.Action = movementPath(n.ID, "payments", "return")
		}
		out[i] = row
	}
	return out
}

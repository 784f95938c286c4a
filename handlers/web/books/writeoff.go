package books

import (
	"context"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/journal"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// takeBack in a form takes a write-off back in place of writing the debt off.
const takeBack = "take_back"

// AskWriteOff serves GET /purchases/:id/write-off: it writes the debt off, or takes the write-off back.
func (h *Books) AskWriteOff(c echo.Context) error { return h.askWriteOff(c, "", "", nil) }

func (h *Books) askWriteOff(c echo.Context, reason, key string, refused error) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	who := access.Actor(c)
	rec, err := h.Purchases.Get(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	at, err := h.Journal.Standing(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	name := words.Reference(rec.Purchase)
	v := pages.ActView{Title: "Write off purchase " + name, Blocked: at.Unwritable(),
		Back: components.Link{Text: "Purchase " + name, Href: words.PurchasePath(id)}}
	v.Question = components.Confirm{ID: "act", Action: words.PurchasePath(id, "write-off"),
		CancelHref: words.PurchasePath(id)}
	do := "write_off"
	if at.Left() > 0 && at.Owed <= 0 {
		do = takeBack
		v.Title, v.Blocked = "Take back the write-off of purchase "+name, ""
		v.Question.Title = "Take back the write-off of " + words.Sum(at.Left(), at.Currency) + "?"
		v.Question.Text = "The amount is owed in the books again, and its VAT with it."
		v.Question.Button, v.Question.Safe = "Take back the write-off", true
	} else if v.Blocked == "" {
		v.Question.Title = "Write off " + words.Sum(at.Owed, at.Currency) + " from " + words.PayerName(rec.Purchase) + "?"
		v.Question.Text = "Your books no longer expect this money. The purchase stays as it is, and no credit note is " +
			"written."
		v.Question.Breaks = writeOffBreaks(at)
		v.Question.Button = "Write off " + money.Format(at.Owed, at.Currency)
	}
	v.Question.Fields = []components.Pair{{Name: "do", Value: do}}
	return h.askWhy(c, words.Purchases, v, reason, key, refused)
}

func writeOffBreaks(at journal.Standing) (out []string) {
	switch {
	case at.Deferred:
		out = append(out, "VAT of "+words.Sum(at.OwedVAT, at.Currency)+
			" never becomes due: the invoice is on payments basis.")
	case at.OwedVAT != 0:
		out = append(out, "VAT of "+words.Sum(at.OwedVAT, at.Currency)+" comes back to you, in field 17 of the VAT201.")
	}
	return append(out, "What comes in later is posted as a bad debt recovered.")
}

// WriteOff serves POST /purchases/:id/write-off.
func (h *Books) WriteOff(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	who, reason, key := access.Actor(c), form.Get("reason"), form.Get(kit.FormKeyName)
	err = kit.Once(c, h.Desk, key, func(ctx context.Context) (w journal.WriteOff, err error) {
		if form.Get("do") == takeBack {
			if w, err = h.Journal.TakeBack(ctx, who, id, reason); err != nil {
				return w, err
			}
			return w, access.AddFlash(c, "ok", "The write-off was taken back.")
		}
		if w, err = h.Journal.WriteOff(ctx, who, id, reason); err != nil {
			return w, err
		}
		return w, access.AddFlash(c, "ok", words.Sum(w.AmountCents, w.Currency)+" was written off.")
	}, func(journal.WriteOff) string { return words.PurchasePath(id) })
	return kit.AskAgain(c, err, words.PurchasePath(id), func() error { return h.askWriteOff(c, reason, key, err) })
}

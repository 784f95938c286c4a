package batches

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/batch"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Result serves GET /batches/:id/result.
func (h *Batches) Result(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	if !b.Started() {
		return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, batchStep(b)))
	}
	view := pages.BatchResultView{Head: h.head(c, b, "result", nil), Stats: resultStats(b), Closing: closing(b),
		DownloadHref: words.BatchHref(b.ID, "result.csv"), Action: words.BatchHref(b.ID, "turns"), Lists: batchLists(b)}
	if view.Failed, err = h.failed(c, b); err != nil {
		return err
	}
	if err := h.planned(c, b, &view); err != nil {
		return err
	}
	sums, err := h.Money.OfBatch(c.Request().Context(), access.Actor(c), b.ID)
	if err != nil {
		return err
	}
	view.Stats = append(view.Stats, moneyStats(sums)...)
	n := b.Counts
	if over := b.State == batch.Done || b.State == batch.Stopped; over && access.Actor(c).Can(actor.Bill) {
		switch {
		case n.Failed > 0:
			view.Repair = "Fix " + plural.Of(n.Failed+n.Left(), "row")
		case n.Left() > 0: // it was stopped; nothing is wrong with them
			view.Repair = "Continue with " + plural.Of(n.Left(), "row")
		case n.Skipped > 0:
			view.Repair = "Fix rows that had problems"
		}
		if n.Sent > 0 {
			view.VoidHref, view.VoidLabel = words.BatchHref(b.ID, "voiding"), "Void what is unpaid"
		}
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Result of "+b.Name, batchesSection,
		func(f layout.Frame) templ.Component { return pages.BatchResult(f, view) })
}

// moneyHeads are what became of the money of invoices: on the page for all of them, in the file for each.
var moneyHeads = []string{"Billed", "Credited", "Paid", "Refunded", "Owed"}

// moneyStats says what became of the money of the invoices. The client’s account adds up in the same way.
func moneyStats(s report.Sums) (out []components.Stat) {
	for i, sum := range []money.Sum{s.BilledCents, s.CreditedCents, s.PaidCents, s.RefundedCents, s.Owing} {
		out = append(out, components.Stat{Label: moneyHeads[i], Value: words.SumOf(sum, money.ZAR)})
	}
	return out
}

// planned fills in the debits that the batch planned.
func (h *Batches) planned(c echo.Context, b batch.Batch, view *pages.BatchResultView) error {
	debits, err := h.Service.PlannedDebits(c.Request().Context(), access.Actor(c), b.ID)
	if err != nil || len(debits) == 0 {
		return err
	}
	e := batch.Effects{Debits: debits}
	view.Debits = debitLines(e, h.Desk.Now())
	var rows, cents int64
	for _, d := range debits {
		rows, cents = rows+int64(d.Rows), money.Plus(cents, d.Cents)
	}
	view.Stats = append(view.Stats, components.Stat{Label: "Debits planned", Value: words.Grouped(rows),
		Note: words.Sum(cents, money.ZAR)})
	return nil
}

// closing is the line that accounts for every row, checked.
func closing(b batch.Batch) components.Note {
	n := b.Counts
	text := fmt.Sprintf("%s read = %s sent + %s left out + %s failed", plural.Of(b.Rows, "row"),
		words.Grouped(int64(n.Sent+n.Voided)), words.Grouped(int64(n.Skipped)), words.Grouped(int64(n.Failed)))
	if n.Left() > 0 {
		text += " + " + words.Grouped(int64(n.Left())) + " not sent yet"
	}
	if n.Voided > 0 {
		text += "; of those sent, " + words.Grouped(int64(n.Voided)) + " " + plural.Was(n.Voided) + " voided"
	}
	if n.Uncharged > 0 {
		text += ". " + plural.Of(n.Uncharged, "debit") + " could not be planned; the result file says why"
	}
	switch {
	case !n.AddUp(b.Rows):
		return components.Note{Kind: "bad", Title: "The rows do not add up",
			Text: text + ". Tell us the number of this batch."}
	case n.Failed+n.Uncharged > 0:
		return components.Note{Kind: "warn", Title: "Every row is accounted for", Text: text + "."}
	}
	return components.Note{Kind: "ok", Title: "Every row is accounted for", Text: text + "."}
}

// AskVoid serves GET /batches/:id/voiding.
func (h *Batches) AskVoid(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	return h.askVoid(c, b, "")
}

// askVoid asks before invoices are voided. What still can be voided is found by the rule that voids; its number is
// typed.
func (h *Batches) askVoid(c echo.Context, b batch.Batch, wrong string) error {
	v, err := h.Service.Voidable(c.Request().Context(), access.Actor(c), b)
	if err != nil {
		return err
	}
	if v.Invoices == 0 {
		return h.runPage(c, b, fault.New(fault.Conflict, "nothing_to_void",
			"No invoice of this batch can be voided: all are paid, voided or with the bank."))
	}
	ask := components.Confirm{ID: "voiding", Title: "Void the unpaid invoices of " + b.Name + "?",
		Text: "This cannot be undone. Invoices paid in the meantime stay.",
		Breaks: []string{plural.Of(v.Invoices, "invoice") + " of " + words.Sum(v.Cents, "ZAR") + " " +
			plural.Is(v.Invoices) + " cancelled, with " +
			plural.Pick(v.Invoices, "a credit note", "a credit note each") + ".",
			creditMails(v.Mails), h.droppedWords()},
		Action: words.BatchHref(b.ID, "voiding"), Button: "Void " + plural.Of(v.Invoices, "invoice"),
		CancelHref: words.BatchHref(b.ID, "result")}
	voidedCount(v).Ask(&ask, wrong)
	return h.Desk.ShowIn(c, map[bool]int{true: http.StatusOK, false: http.StatusUnprocessableEntity}[wrong == ""],
		ask.Title, batchesSection, func(f layout.Frame) templ.Component { return pages.Ask(f, ask) })
}

// droppedWords says what becomes of debits under way.
func (h *Batches) droppedWords() string {
	if h.Service.Purchases.Bank.NoRecall() != "" {
		return "Debits that are planned are dropped. What the bank has already is left as it is."
	}
	return "Debits that are planned are dropped or recalled."
}

// Void serves POST /batches/:id/voiding.
func (h *Batches) Void(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	v, err := h.Service.Voidable(c.Request().Context(), access.Actor(c), b)
	if err != nil {
		return err
	}
	if wrong := voidedCount(v).Wrong(form); wrong != "" && v.Invoices > 0 {
		return h.askVoid(c, b, wrong)
	}
	_, err = h.Service.Void(c.Request().Context(), access.Actor(c), b.ID)
	switch {
	case kit.MayShow(err) && b.Started():
		return h.runPage(c, b, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, "run"))
}

// voidedCount is what is typed before invoices are voided.
func voidedCount(v batch.Voidable) kit.TypedWord {
	return kit.TypedWord{Word: strconv.Itoa(v.Invoices), What: "the number of invoices"}
}

// creditMails says how many mails voiding sends.
func creditMails(n int) string {
	if n == 0 {
		return "No credit note is mailed: no client has an e-mail address."
	}
	return plural.Of(n, "credit note") + " " + plural.Is(n) + " mailed."
}

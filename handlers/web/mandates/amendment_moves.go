package mandates

import (
	"strconv"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/amendment"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

func takeOverView(a amendment.AmendmentSheet, byInput map[string]string, now time.Time) *pages.TakeOverView {
	cents, n := a.MovesCents(), len(a.Moves)
	v := &pages.TakeOverView{Action: words.AmendmentPath(a.ID, "/takeover"), Count: strconv.Itoa(n),
		Cents: strconv.FormatInt(cents, 10),
		Old:   a.Old.Token.AccountMask, New: a.New.Token.AccountMask, Button: "Use " + a.New.Token.AccountMask +
			" from now on"}
	for _, m := range a.Moves {
		v.Moves = append(v.Moves, moveRow(m, now))
	}
	if n > 0 {
		v.Consent = components.Checkbox{Label: "Collect " + those(n) + ", " + words.Sum(cents, a.Moves[0].Currency) +
			" in all, from " + a.New.Token.AccountMask + " and not from " + a.Old.Token.AccountMask,
			Name: "consent", Error: byInput["consent"], Required: true}
	}
	if stopped := len(a.Stopped()); stopped > 0 {
		v.Stopped = plural.Of(stopped, "purchase") + " must be cancelled or fit the new terms first."
	}
	return v
}

func those(n int) string {
	return plural.Pick(n, "this ", "these ") + plural.Of(n, "purchase")
}

func moveRow(m amendment.Move, now time.Time) pages.MoveRow {
	r := pages.MoveRow{Name: purchaseName(m.Purchase), What: productName(m.Purchase), Href: words.PurchasePath(m.ID),
		Amount: words.Sum(m.TotalCents, m.Currency), Was: words.DayTime(m.Old.ActionDate),
		Is:   words.DayTime(m.Plan.ActionDate),
		Pill: components.Pill{Kind: "done", Word: "Fits"}}
	switch {
	case m.Stopping != "":
		r.Pill, r.Note, r.Stops = components.Pill{Kind: "bad", Word: "Does not fit"}, m.Stopping, true
		if m.Status == purchase.PendingCharge {
			r.CancelHref = words.PurchasePath(m.ID, "cancellation")
		}
	case len(m.Because) > 0:
		r.Pill, r.Note = components.Pill{Kind: "wait", Word: "Fits, may be disputed"}, disputeWords(m.Because)
	case m.Plan.ActionDate != m.Old.ActionDate:
		r.Note = "It runs on " + words.SayDay(m.Plan.ActionDate, now) + ", the new method’s day."
	}
	return r
}

func productName(p purchase.Purchase) string {
	if len(p.Details.Products) == 0 {
		return ""
	}
	return p.Details.Products[0].Name
}

func purchaseName(p purchase.Purchase) string {
	for _, text := range []string{p.Reference, p.ReferenceGenerated} {
		if text != "" {
			return text
		}
	}
	return p.ID.String()
}

func disputeWords(because []string) string {
	return "The client can dispute it: " + words.AllBecause(because, ", and ") + "."
}

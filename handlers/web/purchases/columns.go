package purchases

import (
	"slices"
	"strings"
	"time"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/invoices"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// PurchaseColumns are those of every list of purchases. Beside a client or a token the client and the due date are
// left out.
func PurchaseColumns(s *purchase.Service, now time.Time, withClient bool) []kit.Column[purchase.Record] {
	columns := []kit.Column[purchase.Record]{
		kit.ColumnOf("Reference", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: words.Reference(rec.Purchase), Href: words.PurchasePath(rec.ID),
				Second: lineWords(rec.Details), Small: "clip"}
		}).FileText("Reference", 20, func(rec purchase.Record) string { return words.Reference(rec.Purchase) }).
			FileText("For", 30, func(rec purchase.Record) string { return lineWords(rec.Details) }).SortText("reference"),
		kit.ColumnOf("Client", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: words.PayerName(rec.Purchase), Second: rec.Payer.Email}
		}).FileText("Client", 28, func(rec purchase.Record) string { return words.PayerName(rec.Purchase) }).
			FileText("E-mail", 30, func(rec purchase.Record) string { return rec.Payer.Email }).
			SortText("client").OnCard(kit.Lead),
		kit.ColumnOf("Amount, R", func(rec purchase.Record) components.Cell {
			return components.Cell{Text: words.Minus(words.AmountIn(rec.TotalCents, rec.Currency))}
		}).Number().InFile("Amount", 13, func(rec purchase.Record) export.Cell { return export.Amount(rec.TotalCents) }).
			FileText("Currency", 9, func(rec purchase.Record) string { return rec.Currency }).SortBy("amount").OnCard(kit.Aside),
		kit.PillColumn("Status", 18, func(rec purchase.Record) components.Pill { return statusPill(rec, s, now) }),
		kit.DayColumn("Due", 12, "", func(rec purchase.Record) time.Time {
			return invoices.Given(rec.Due,
				rec.DueGiven)
		}).Zoned().SortBy("due"),
		kit.DateColumn("Debit on", 12, func(rec purchase.Record) (day calendar.Date) {
			if rec.Collection != nil {
				day = rec.Collection.ActionDate
			}
			return day
		}).SortBy("debit"),
		kit.ColumnOf("Result", func(rec purchase.Record) components.Cell {
			text, look := resultWords(rec, now)
			return components.Cell{Text: text, Look: look}
		}).FileText("Result", 32, func(rec purchase.Record) string {
			text, _ := resultWords(rec, now)
			return text
		}),
	}
	if withClient {
		return columns
	}
	return slices.DeleteFunc(columns, func(c kit.Column[purchase.Record]) bool {
		return c.Head.Label == "Client" ||
			c.Head.Label == "Due"
	})
}

// listColumns are those of the list of all purchases: the result of the newest debit stands under the status,
// so that the other columns have room.
func listColumns(s *purchase.Service, now time.Time) []kit.Column[purchase.Record] {
	result := func(rec purchase.Record) string {
		text, _ := resultWords(rec, now)
		return text
	}
	columns := slices.DeleteFunc(PurchaseColumns(s, now, true), func(c kit.Column[purchase.Record]) bool {
		return c.Head.Label == "Result"
	})
	for n, c := range columns {
		if c.Head.Label == "Status" {
			columns[n] = kit.ColumnOf("Status", func(rec purchase.Record) components.Cell {
				text, look := resultWords(rec, now)
				pill := statusPill(rec, s, now)
				if text == pill.Word {
					text = ""
				}
				return components.Cell{Pill: pill, Second: text, Small: strings.TrimSpace("result " + look)}
			}).FileText("Status", 18, func(rec purchase.Record) string { return statusPill(rec, s, now).Word }).
				FileText("Result", 32, result).OnCard(kit.Corner)
		}
		if of := c.Cell; c.Head.Label == "Due" { // a card says it where it is another day than that of the debit
			columns[n].Cell = func(rec purchase.Record) components.Cell {
				cell := of(rec)
				if rec.Collection != nil && rec.Collection.ActionDate == calendar.DateOf(rec.Due) {
					cell.Class = "phone-hide"
				}
				return cell
			}
		}
	}
	return append(columns, kit.MomentColumn("Created", 20,
		func(rec purchase.Record) time.Time { return rec.CreatedAt }).SortBy(paging.Created).OnlyChosen())
}

// lineWords is what the purchase is for, in one line.
func lineWords(d purchase.Details) string {
	switch len(d.Products) {
	case 0:
		return ""
	case 1:
		return d.Products[0].Name
	}
	return d.Products[0].Name + " and " + plural.Of(len(d.Products)-1, "more line")
}

package bankfiles

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

func momentOr(t components.Time, instead string) templ.Component { return pages.MomentOr(t, instead) }

// amountColumn is money in rand, to the right.
func amountColumn[T any](label string, of func(T) int64) kit.Column[T] {
	return kit.ColumnOf(label+", R", func(item T) components.Cell {
		if of(item) == 0 {
			return components.Cell{}
		}
		return components.Cell{Text: words.Minus(money.Amount(of(item)))}
	}).Number().InFile(label+" (R)", 14, func(item T) export.Cell { return export.Amount(of(item)) })
}

func countColumn[T any](label string, of func(T) int64) kit.Column[T] {
	return kit.ColumnOf(label, func(item T) components.Cell { return components.Cell{Text: words.Grouped(of(item))} }).
		Number().
		InFile(label, 10, func(item T) export.Cell { return export.Count(of(item)) })
}

func hashColumn[T any](of func(T) []byte) kit.Column[T] {
	return kit.ColumnOf("SHA-256", func(item T) components.Cell {
		short, _ := hashOf(of(item))
		return components.Cell{Text: short, Look: "mono small"}
	}).NotOnPhones().FileText("SHA-256", 66, func(item T) string { _, whole := hashOf(of(item)); return whole })
}

var messageColumns = []kit.Column[exchange.Message]{
	kit.ColumnOf("File", func(m exchange.Message) components.Cell {
		return components.Cell{Text: m.FileName, Href: filePath(m.ID), Second: kindWords[m.Kind], Look: "wrap-anywhere"}
	}).FileText("File", 34, func(m exchange.Message) string { return m.FileName }).
		FileText("Kind", 18, func(m exchange.Message) string { return kindWords[m.Kind] }),
	kit.PillColumn("State", 22, messagePill),
	countColumn("Items", func(m exchange.Message) int64 { return int64(m.Count) }),
	amountColumn("Sum", func(m exchange.Message) int64 { return m.SumCents }),
	countColumn("Number", func(m exchange.Message) int64 { return m.Number }),
	hashColumn(func(m exchange.Message) []byte { return m.SHA256 }),
	kit.ColumnOf("Made", func(m exchange.Message) components.Cell {
		return components.Cell{Time: words.Moment(m.MadeAt), Second: by(m.MadeBy)}
	}).Zoned().InFile("Made (SAST)", 20, func(m exchange.Message) export.Cell { return export.Moment(m.MadeAt) }).
		FileText("Made by", 20, func(m exchange.Message) string { return by(m.MadeBy) }),
	kit.ColumnOf("Acknowledged", func(m exchange.Message) components.Cell {
		return components.Cell{Time: words.Moment(m.AckAt), Blank: "not yet"}
	}).Zoned().InFile("Acknowledged (SAST)", 20, func(m exchange.Message) export.Cell { return export.Moment(m.AckAt) }),
}

// itemName is who is debited, and for what.
func itemName(i exchange.ItemLine) (client, reference string) {
	client, reference = i.ClientName, i.Reference
	if client == "" {
		client = "Purchase unknown"
	}
	return client, reference
}

// itemCell leads to the purchase.
func itemCell(i exchange.ItemLine) components.Cell {
	client, reference := itemName(i)
	cell := components.Cell{Text: client, Strong: true, Second: reference}
	if i.Reference != "" {
		cell.Href, cell.Strong = words.PurchasePath(i.PurchaseID), false
	}
	return cell
}

func itemColumns(amount func(exchange.ItemLine) int64) []kit.Column[exchange.ItemLine] {
	return []kit.Column[exchange.ItemLine]{
		kit.ColumnOf("Client, purchase", itemCell).
			FileText("Client", 28, func(i exchange.ItemLine) string { return i.ClientName }).
			FileText("Purchase", 20, func(i exchange.ItemLine) string { return i.Reference }),
		kit.TextColumn("Kind", 18, func(i exchange.ItemLine) string { return kindWords[i.Kind] }).NotOnPhones(),
		kit.TextColumn("Method", 11, func(i exchange.ItemLine) string { return methodWords[i.Method] }).NotOnPhones(),
		kit.DateColumn("Debit date", 14, func(i exchange.ItemLine) date { return i.ActionDate }),
		amountColumn("Amount", amount),
		kit.PillColumn("State", 22, itemPill),
		kit.DateColumn("Answered on", 14, func(i exchange.ItemLine) date { return i.OutcomeOn }),
	}
}

// itemFileColumn leads to the file that an item left in.
var itemFileColumn = kit.ColumnOf("File", func(i exchange.ItemLine) components.Cell {
	if i.MessageID == "" {
		return components.Cell{}
	}
	return components.Cell{Part: components.To(components.Link{Text: i.MessageID, Href: filePath(i.MessageID)})}
}).FileText("File", 24, func(i exchange.ItemLine) string { return i.MessageID })

var documentColumns = []kit.Column[exchange.Document]{
	kit.ColumnOf("File", func(d exchange.Document) components.Cell {
		return components.Cell{Text: d.FileName, Href: receivedHref(d.ID), Second: d.Name, Look: "wrap-anywhere"}
	}).FileText("File", 34, func(d exchange.Document) string { return d.FileName }).
		FileText("Form", 20, func(d exchange.Document) string { return d.Name }),
	kit.ColumnOf("State", func(d exchange.Document) components.Cell {
		return components.Cell{Pill: documentPills[d.State], Second: d.Why}
	}).FileText("State", 12, func(d exchange.Document) string { return documentPills[d.State].Word }).
		FileText("Why", 40, func(d exchange.Document) string { return d.Why }),
	countColumn("Items", func(d exchange.Document) int64 { return int64(d.Count) }),
	amountColumn("Sum", func(d exchange.Document) int64 { return d.SumCents }),
	hashColumn(func(d exchange.Document) []byte { return d.SHA256 }),
	kit.ColumnOf("Arrived", func(d exchange.Document) components.Cell {
		return components.Cell{Time: words.Moment(d.ArrivedAt), Second: broughtBy(d)}
	}).Zoned().InFile("Arrived (SAST)", 20, func(d exchange.Document) export.Cell { return export.Moment(d.ArrivedAt) }).
		FileText("How", 26, broughtBy),
}

func broughtBy(d exchange.Document) string {
	if d.BroughtBy == "" {
		return "found in the folder"
	}
	return "imported by " + d.BroughtBy
}

func signed(e exchange.Entry) int64 {
	if e.Credit {
		return e.AmountCents
	}
	return -e.AmountCents
}

var movementColumns = []kit.Column[movementLine]{
	kit.DateColumn("Booked", 14, func(e movementLine) date { return e.BookedOn }),
	kit.ColumnOf("Movement", func(e movementLine) components.Cell {
		return components.Cell{Text: movementText(e.Entry), Href: movementPath(e.ID),
			Second: joinedTexts(e.Reason, e.Remittance), Look: "wrap-anywhere"}
	}).FileText("Movement", 40, func(e movementLine) string { return movementText(e.Entry) }).
		FileText("Bank’s reference", 24, func(e movementLine) string { return e.Entry.Reference }).
		FileText("Reason", 30, func(e movementLine) string { return e.Reason }).
		FileText("Payment text", 40, func(e movementLine) string { return e.Remittance }),
	amountColumn("Amount", func(e movementLine) int64 { return signed(e.Entry) }),
	kit.ColumnOf("State", func(e movementLine) components.Cell {
		second := ""
		switch {
		case e.MatchedBy != "":
			second = "by " + e.MatchedBy
		case e.PaidCents > 0:
			second = words.Sum(e.LeftCents(), e.Currency) + " left"
		}
		return components.Cell{Pill: entryPills[e.State], Second: second}
	}).FileText("State", 12, func(e movementLine) string { return entryPills[e.State].Word }).
		FileText("Matched by", 20, func(e movementLine) string { return e.MatchedBy }).
		InFile("Booked on purchases (R)", 14, func(e movementLine) export.Cell { return export.Amount(e.PaidCents) }),
	kit.ColumnOf("Belongs to", belongsTo).
		FileText("Client", 28, func(e movementLine) string { return e.ClientName }).
		FileText("Purchase", 20, func(e movementLine) string { return e.Reference }).
		FileText("File", 24, func(e movementLine) string { return e.MessageID }).
		FileText("Probably pays", 20, func(e movementLine) string { return e.probably.Purchase.Called() }),
}

// joinedTexts puts texts behind each other that are there.
func joinedTexts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " · ")
}

// movementText is what the bank calls a movement.
func movementText(e exchange.Entry) string {
	for _, text := range []string{e.Text, e.Reference, e.BankCode} {
		if text != "" {
			return text
		}
	}
	if e.Credit {
		return "Money in"
	}
	return "Money out"
}

// belongsTo leads to the purchase or the file of a movement, or to where it is matched.
func belongsTo(e movementLine) components.Cell {
	match := components.Button{Label: "Match…", Small: true, Href: movementPath(e.ID, "match")}
	switch {
	case e.Reference != "":
		cell := components.Cell{
			Part:   components.To(components.Link{Text: e.Reference, Href: words.PurchasePath(e.PurchaseID)}),
			Second: e.ClientName,
		}
		if more := e.Pays - 1; more > 0 {
			cell.Second = "and " + plural.Of(more, "more purchase")
		}
		switch {
		case e.State == exchange.EntryUnmatched && e.likely:
			cell.Part = pages.BankBelongs(components.Link{Text: e.Reference, Href: words.PurchasePath(e.PurchaseID)},
				pages.BankProbably(probably(e, match)))
		case e.State == exchange.EntryUnmatched:
			cell.Part = pages.BankBelongs(components.Link{Text: e.Reference, Href: words.PurchasePath(e.PurchaseID)},
				components.LinkButton(match))
		}
		return cell
	case e.MessageID != "":
		return components.Cell{Part: components.To(components.Link{Text: e.MessageID, Href: filePath(e.MessageID)})}
	case e.State == exchange.EntryUnmatched && e.likely:
		return components.Cell{Part: pages.BankProbably(probably(e, match))}
	case e.State == exchange.EntryUnmatched:
		return components.Cell{Part: components.LinkButton(match)}
	}
	return components.Cell{}
}

var sequenceWords = map[bank.Sequence]string{bank.FirstDebit: "First", bank.RecurringDebit: "Recurring",
	bank.OnceOffDebit: "Once-off"}

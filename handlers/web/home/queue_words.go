package home

import (
	"strings"

	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/attention"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/followup"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/views/pages"
)

// facts are what is known beside why an item waits.
func (b *queueBook) facts(i attention.Item) (out []string) {
	if o, known := b.outlooks[i.PurchaseID]; known {
		switch c := o.Collection; {
		case i.Kind == "failed" && c != nil:
			out = append(out, "Debit again? "+b.againWords(i, o))
		case i.Kind == "disputed" && c != nil && c.State.Outcome() == collection.OutcomeDisputed:
			switch by := c.ProofBy(); {
			case o.Record.Payment == nil && !c.ProofDue:
				out = append(out, "The bank paid the client back at once.")
			case !by.IsZero():
				out = append(out, "Deadline: prove the mandate by "+words.SayDay(by, b.now)+".")
			}
		}
	}
	if line := b.linkWords(i); line != "" {
		out = append(out, line)
	}
	if p, open := b.promises[i.PurchaseID]; open && i.Kind != string(followup.KindPromise) {
		out = append(out, "Promised "+words.Sum(p.AmountCents, p.Currency)+" for "+words.SayDay(p.DueOn, b.now)+".")
	}
	var parts []string
	if i.OwnerID != uuid.Nil {
		parts = append(parts, "Owner: "+kit.OwnerName(b.people, i.OwnerID))
	}
	if day, err := calendar.ParseDate(i.HiddenUntil); err == nil && day.After(calendar.DateOf(b.now)) {
		parts = append(parts, "Shown again on "+words.SayDay(day, b.now))
	}
	if len(parts) > 0 {
		out = append(out, strings.Join(parts, " · "))
	}
	if note, is := b.notes[i.ObjectID]; is {
		out = append(out, "“"+shortened(note.Text)+"” "+note.Author)
	}
	return out
}

// linkWords says when the client last had the link to pay, and whether they opened it since.
func (b *queueBook) linkWords(i attention.Item) string {
	o, known := b.outlooks[i.PurchaseID]
	if !known || !o.Payable(b.now) && i.Kind != string(followup.KindPromise) {
		return ""
	}
	sent, opened := o.LinkSentAt, o.OpenedAt
	switch {
	case sent.IsZero() && opened.IsZero():
		return ""
	case sent.IsZero():
		return "Link opened " + words.SayMinute(opened, b.now) + "."
	case opened.Before(sent):
		return "Link sent " + words.SayMinute(sent, b.now) + ", not opened yet."
	}
	return "Link sent " + words.SayMinute(sent, b.now) + "; opened " + words.SayMinute(opened, b.now) + "."
}

// againWords says whether and when a debit that failed may be made again. A blocked account is not helped by waiting.
func (b *queueBook) againWords(i attention.Item, o purchase.Outlook) string {
	switch {
	case i.Text == "" || !o.Again.Asked || o.Again.May():
		return words.AgainWords(o.Record, o.Again, b.now)
	case len(o.Again.Others) > 0:
		return "Not from this account, which is blocked. You can debit " + o.Again.Others[0].Named() + " instead."
	}
	return "No, the account is now blocked. " + bank.Remedy(i.Text)
}

// callWords says when the client was last called, and how that ended.
func (b *queueBook) callWords(i attention.Item) string {
	call, is := b.calls[i.ClientID]
	if !is {
		return ""
	}
	return "Last call " + words.SayDay(calendar.DateOf(call.CreatedAt), b.now) + ": " +
		strings.ToLower(call.Outcome.Label())
}

func (b *queueBook) promiseWords(i attention.Item) string {
	text := "Promised for " + words.SayDay(calendar.DateOf(i.At), b.now) + "."
	if calendar.DateOf(i.At).Before(calendar.DateOf(b.now)) {
		text = "The promise was not kept: it was for " + words.SayDay(calendar.DateOf(i.At), b.now) + "."
	}
	if i.Text != "" {
		text += " “" + i.Text + "”"
	}
	return text
}

// byClient puts the lines of one client together, where the first of them is, under the client's name.
func byClient(rows []pages.QueueRow, items []attention.Item) (out []pages.QueueRow) {
	of := map[uuid.UUID][]int{}
	for n, i := range items {
		of[i.ClientID] = append(of[i.ClientID], n)
	}
	for n, i := range items {
		lines := of[i.ClientID]
		switch {
		case i.ClientID == uuid.Nil || len(lines) == 1:
			row := rows[n]
			if row.Called != "" {
				row.Facts = append(row.Facts, row.Called)
			}
			out = append(out, row)
		case n == lines[0]:
			var cents int64
			for _, line := range lines {
				if items[line].Currency == money.ZAR {
					cents += items[line].Cents
				}
			}
			head := &pages.QueueClient{Name: i.Name, Href: words.ClientHref(i.ClientID), Phone: rows[n].Phone,
				PhoneHref: rows[n].PhoneHref, Called: rows[n].Called, Count: plural.Of(len(lines), "line")}
			if cents > 0 {
				head.Sum = words.Sum(cents, money.ZAR)
			}
			for at, line := range lines {
				row := rows[line]
				row.Under = true
				if at == 0 {
					row.Client = head
				}
				out = append(out, row)
			}
		}
	}
	return out
}

package batches

import (
	"strconv"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/batch"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// likeView says how a batch differs from the last one like it; nil where there is none.
func likeView(l *batch.Likeness, source batch.Source) *pages.BatchLike {
	if l == nil {
		return nil
	}
	v := &pages.BatchLike{Text: "Like " + l.Last.Name + ", sent " + words.Moment(l.Last.StartedAt).Text + ": ",
		LastHref: words.BatchHref(l.Last.ID, "result")}
	switch n := l.All(); n {
	case 0:
		v.Text += "every client is billed the same amount."
	default:
		v.Text += plural.Of(n, "client") + plural.Pick(n, " differs, ", " differ, ") + plural.Of(l.Same, "client") +
			plural.Pick(l.Same, " is", " are") + " billed as before."
	}
	amount := func(cents *int64) string {
		if cents == nil {
			return "–"
		}
		return words.Sum(*cents, "")
	}
	for _, d := range l.Rows {
		row := pages.BatchDifference{Client: components.Figure{Text: d.Name}, Row: "–", Was: amount(d.WasCents),
			Now: amount(d.Cents), What: "Other amount", By: pricedWords(d, source)}
		if d.ClientID != uuid.Nil {
			row.Client.Href = words.ClientHref(d.ClientID)
		}
		if d.N > 0 {
			row.Row = strconv.Itoa(d.N)
		}
		switch {
		case d.WasCents == nil:
			row.What = "New"
		case d.Cents == nil:
			row.What = "Missing"
		}
		v.Rows = append(v.Rows, row)
	}
	if more := l.All() - len(l.Rows); more > 0 {
		v.More = "And " + plural.Of(more, "client") + " more."
	}
	return v
}

// broughtWords say how the rows came.
var broughtWords = map[batch.Source]string{batch.FromFile: "In the file that ", batch.FromPaste: "In the rows that ",
	batch.FromClients: "As "}

var bringsWords = map[batch.Source]string{batch.FromFile: " uploaded on ", batch.FromPaste: " pasted on ",
	batch.FromClients: " set it for all clients on "}

// pricedWords say who made the amount of a client what it is.
func pricedWords(d batch.Difference, source batch.Source) (out []string) {
	if t := d.Template; t != nil {
		text := "Like the price of " + t.How
		if t.Own {
			text = "Like the client’s own price of " + t.How
		}
		text += ", changed by " + t.By + " on " + words.Moment(t.At).Text
		if !t.From.IsZero() {
			text += " from " + words.DayTime(t.From).Text + " on"
		}
		out = append(out, text+".")
	}
	switch p := d.Priced; {
	case d.Cents == nil:
	case p.How != "":
		out = append(out, p.By+" on "+words.Moment(p.At).Text+". "+p.How)
	default:
		out = append(out, broughtWords[source]+p.By+bringsWords[source]+words.Moment(p.At).Text+".")
	}
	return out
}

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
func likeView(l *batch.Likeness) *pages.BatchLike {
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
			Now: amount(d.Cents), What: "Other amount"}
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

package books

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const entriesPath = "/books/entries"

// boxWords is what people call the fields of a VAT201 that are made of entries.
var boxWords = map[journal.Box]string{journal.BoxStandard: "Field 1, standard-rated supplies",
	journal.BoxUntaxed: "Fields 2 and 3, supplies without VAT", journal.BoxOutput: "Field 4, output tax",
	journal.BoxRecovered: "Field 12, bad debts recovered", journal.BoxInput: "Field 15, VAT of fees",
	journal.BoxBad: "Field 17, bad debts"}

// Entries serves GET /books/entries.
func (h *Books) Entries(c echo.Context) error {
	q := kit.Written(c.QueryParams())
	f, after, wrong := filterOf(q)
	found, err := journal.List{}, wrong.Err()
	if err == nil {
		found, err = h.Journal.Entries(c.Request().Context(), access.Actor(c), f, after)
	}
	if err != nil && !kit.MayShow(err) {
		return err
	}
	byInput, summary, _ := kit.Problems(err)
	v := entriesView(q, f, byInput)
	v.Problems.Items = summary
	if err == nil && found.Total > 0 {
		v.Export = components.Export{Text: "Export " + plural.Of(found.Total, "entry") + ", with their accounts",
			CSVHref: entriesFileHref(q, "csv"), XLSXHref: entriesFileHref(q, "xlsx")}
	}
	v.Count = plural.Of(found.Total, "entry")
	mapped, mapErr := h.Journal.Map(c.Request().Context(), access.Actor(c))
	if mapErr != nil {
		return mapErr
	}
	for _, e := range found.Entries {
		v.Entries = append(v.Entries, entryLine(e, f, mapped.Accounts))
	}
	if err == nil && after == (journal.Place{}) {
		if err := h.causes(c, f, &v); err != nil {
			return err
		}
	}
	if f.Of() {
		v.Sum = words.Sum(found.Sum, f.Currency)
	}
	if found.Next != (journal.Place{}) {
		next := url.Values{}
		for name := range q {
			if value := q.Get(name); value != "" {
				next.Set(name, value)
			}
		}
		next.Set("after", found.Next.Day.String()+"_"+strconv.FormatInt(found.Next.N, 10))
		v.Older = entriesPath + "?" + next.Encode()
	}
	return h.Desk.ShowIn(c, kit.StatusOf(err), "Entries", section,
		func(frame layout.Frame) templ.Component { return pages.BookEntries(frame, v) })
}

// filterOf reads the address of the list.
func filterOf(q url.Values) (f journal.Filter, after journal.Place, wrong fault.Problems) {
	day := func(name string) (d calendar.Date) {
		if text := strings.TrimSpace(q.Get(name)); text != "" {
			var err error
			if d, err = calendar.ParseDate(text); err != nil {
				wrong.Add(name, "invalid", "Enter a day such as 2026-10-31.")
			}
		}
		return d
	}
	f = journal.Filter{From: day("from"), To: day("to"), Currency: q.Get("currency"), Role: journal.Role(q.Get("role")),
		Kind: journal.Kind(q.Get("kind")), Box: journal.Box(q.Get("box")), About: strings.TrimSpace(q.Get("about"))}
	if f.Currency == "" {
		f.Currency = money.ZAR
	}
	if text := strings.TrimSpace(q.Get("amount")); text != "" {
		cents, err := money.Parse(strings.TrimPrefix(text, "-"))
		if err != nil {
			wrong.Add("amount", "invalid", "%s.", words.Capital(err.Error()))
		}
		f.Cents = cents
	}
	if on, n, found := strings.Cut(q.Get("after"), "_"); found {
		var err error
		if after.Day, err = calendar.ParseDate(on); err == nil {
			after.N, err = strconv.ParseInt(n, 10, 64)
		}
		if err != nil {
			after = journal.Place{}
		}
	}
	return f, after, wrong
}

func entriesView(q url.Values, f journal.Filter, wrong map[string]string) pages.BookEntriesView {
	v := pages.BookEntriesView{
		From: components.DateField{Label: "First day", Name: "from", Value: q.Get("from"), Error: wrong["from"]},
		To:   components.DateField{Label: "Last day", Name: "to", Value: q.Get("to"), Error: wrong["to"]},
		Role: components.Select{Label: "Account", Name: "role", Error: wrong["role"], Blank: "All accounts"},
		Kind: components.Select{Label: "What happened", Name: "kind", Error: wrong["kind"], Blank: "Everything"},
		About: components.Field{Label: "Purchase, document or payout", Name: "about", Value: q.Get("about"), MaxLength: 100,
			Hint: "A reference or a number, such as INV-2026-000201."},
		Amount: components.Field{Label: "Amount", Name: "amount", Value: q.Get("amount"), Error: wrong["amount"],
			InputMode: "decimal", MaxLength: 20,
			Hint: "Of a difference between your package and Debitdesk: finds entries of that amount and of half of it, and " +
				"what else may explain it."},
	}
	for _, r := range journal.Used {
		v.Role.Options = append(v.Role.Options, components.Option{Value: string(r), Text: r.Word(), Selected: r == f.Role})
	}
	for _, k := range journal.Kinds {
		v.Kind.Options = append(v.Kind.Options, components.Option{Value: string(k), Text: k.Word(), Selected: k == f.Kind})
	}
	if f.Box != "" {
		v.Hidden = append(v.Hidden, components.Pair{Name: "box", Value: string(f.Box)})
		v.Of = boxWords[f.Box]
	} else if f.Role != "" {
		v.Of = f.Role.Word()
	}
	if f.Currency != money.ZAR {
		v.Hidden = append(v.Hidden, components.Pair{Name: "currency", Value: f.Currency})
	}
	return v
}

func entryLine(e journal.Listed, f journal.Filter, accounts journal.Accounts) pages.BookEntry {
	line := pages.BookEntry{Day: words.DayTime(e.Day), Text: e.Text(), UID: e.UID(), Client: e.Client}
	if e.PurchaseID != uuid.Nil {
		line.Href = words.PurchasePath(e.PurchaseID)
	} else if e.Kind.Recorded() {
		line.Href = recordPath(e.SourceID)
	}
	for i, cents := range e.Cents {
		if cents == 0 {
			continue
		}
		account := accounts.Of(journal.Roles[i], e.BrandID).Name
		if cents > 0 {
			line.Debits = append(line.Debits, pages.BookSide{Account: account, Amount: words.Sum(cents, e.Currency)})
		} else {
			line.Credits = append(line.Credits, pages.BookSide{Account: account, Amount: words.Sum(-cents, e.Currency)})
		}
	}
	if f.Of() {
		line.Figure = words.Sum(e.Figure, e.Currency)
	}
	return line
}

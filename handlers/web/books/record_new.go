package books

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// slip is what people call a kind of record in its form. Fields are its amounts, in their order.
type slip struct {
	tab, title, about, what, hint string
	amounts                       []slipAmount
}

type slipAmount struct{ name, label, hint string }

var slips = map[journal.Kind]slip{
	journal.FeeTaken: {"Fee", "Record a fee", "What your provider or bank charged, from its statement or invoice.",
		"What for", "Such as Monthly service fee.", []slipAmount{
			{"gross", "Amount, VAT included", ""},
			{"vat", "VAT in it", "As the statement has it. Leave it empty if it shows none."}}},
	journal.PaidOut: {"Payout", "Record a payout",
		"What your provider paid out of what it collected. What reached the bank is worked out.",
		"Who paid out", "Such as the name of your provider.", []slipAmount{
			{"gross", "Collected, before anything was taken off", ""},
			{"fee", "Fee, without VAT", "Leave it empty if there is none."},
			{"vat", "VAT on the fee", "As the statement has it. Leave it empty if it shows none."},
			{"held", "Held back", "What the provider keeps for returns, and releases later."}}},
	journal.Released: {"Release", "Record a release",
		"What your provider paid out of what it had held back.", "Who released it",
		"Such as the name of your provider.", []slipAmount{{"gross", "Amount", ""}}},
}

// NewFee serves GET /books/fees/new?kind=payout&movement=ID.
func (h *Books) NewFee(c echo.Context) error {
	return h.newFee(c, kit.Written(c.QueryParams()), kit.FormKeyOf(c), nil)
}

// newFee shows the form with what was typed, or, of a line of the bank, with what the bank says.
func (h *Books) newFee(c echo.Context, q url.Values, key string, refused error) error {
	line, err := h.lineOf(c, q.Get("movement"))
	if err != nil {
		return kit.GoBack(c, err, "/bank/movements/"+line.ID.String())
	}
	kind := kindAsked(q.Get("kind"), line)
	s := slips[kind]
	wrong, summary, _ := kit.Problems(refused)
	v := pages.BookRecordForm{Head: components.PageHead{Title: s.title,
		Back: components.Link{Text: "Fees and payouts", Href: feesPath}}, About: s.about,
		Problems: components.ErrorSummary{Items: summary},
		Hidden:   []components.Pair{{Name: kit.FormKeyName, Value: key}, {Name: "kind", Value: string(kind)}},
		Day: components.DateField{Label: "Day", Name: "day", Value: q.Get("day"), Error: wrong["day"], Required: true,
			Max: calendar.DateOf(h.Desk.Now()).String()},
		What: components.Field{Label: s.what, Name: "what", Value: q.Get("what"), Error: wrong["what"], Hint: s.hint,
			Required: true, MaxLength: 100},
		Number: components.Field{Label: "Reference", Name: "reference", Value: q.Get("reference"),
			Error: wrong["reference"], Hint: "Of the statement or invoice.", MaxLength: 50},
		Button: components.Button{Label: s.title, Kind: "primary"}}
	currency := line.Currency
	if line.ID == uuid.Nil {
		if currency, err = h.currencyOf(c, q, wrong, &v); err != nil {
			return err
		}
	}
	for _, a := range s.amounts {
		v.Amounts = append(v.Amounts, components.MoneyField{Label: a.label, Name: a.name, Value: q.Get(a.name),
			Error: wrong[a.name], Hint: a.hint, Currency: currencySign(currency), Required: a.name == "gross"})
	}
	if line.ID != uuid.Nil {
		ofLine(&v, line, kind, refused == nil)
	}
	v.Kinds = kindTabs(kind, line)
	if kind == journal.FeeTaken && line.ID == uuid.Nil {
		v.From = &components.Select{Label: "Taken from", Name: "from", Required: true, Options: []components.Option{
			{Value: "transit", Text: "Collections in transit: the provider took it off"},
			{Value: "bank", Text: "The bank account", Selected: q.Get("from") == "bank"}}}
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), s.title, section,
		func(f layout.Frame) templ.Component { return pages.BookRecordNew(f, v) })
}

func currencySign(currency string) string {
	if currency == money.ZAR {
		return ""
	}
	return currency
}

// kindsOf are the kinds that a line of the bank may be; all of them where there is none.
func kindsOf(line exchange.Entry) []journal.Kind {
	switch {
	case line.ID == uuid.Nil:
		return []journal.Kind{journal.PaidOut, journal.FeeTaken, journal.Released}
	case line.Credit:
		return []journal.Kind{journal.PaidOut, journal.Released}
	}
	return []journal.Kind{journal.FeeTaken}
}

func kindAsked(text string, line exchange.Entry) journal.Kind {
	may := kindsOf(line)
	if k := journal.Kind(text); slices.Contains(may, k) {
		return k
	}
	return may[0]
}

func kindTabs(kind journal.Kind, line exchange.Entry) (tabs []components.Tab) {
	may := kindsOf(line)
	if len(may) < 2 {
		return nil
	}
	for _, k := range may {
		q := url.Values{"kind": {string(k)}}
		if line.ID != uuid.Nil {
			q.Set("movement", line.ID.String())
		}
		tabs = append(tabs, components.Tab{Label: slips[k].tab, Href: feesPath + "/new?" + q.Encode(), Active: k == kind})
	}
	return tabs
}

// ofLine fills in what the bank says of its line.
func ofLine(v *pages.BookRecordForm, line exchange.Entry, kind journal.Kind, fresh bool) {
	v.Hidden = append(v.Hidden, components.Pair{Name: "movement", Value: line.ID.String()})
	v.About = "The bank booked " + words.Sum(line.AmountCents, line.Currency) + " on " +
		words.DayTime(line.BookedOn).Text + ": " + strings.TrimSpace(line.Text+" "+line.Reference) + "."
	if !fresh {
		return
	}
	v.Day.Value = line.BookedOn.String()
	v.Amounts[0].Value = money.Amount(line.AmountCents)
	if kind == journal.PaidOut {
		v.Amounts[0].Hint = "With the fee, its VAT and what was held back, if any. Less those it is what the bank booked."
	}
}

// lineOf is the line of the bank that is to be recorded; none where the address names none.
func (h *Books) lineOf(c echo.Context, text string) (exchange.Entry, error) {
	if text == "" {
		return exchange.Entry{}, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return exchange.Entry{}, fault.Missing()
	}
	return h.Journal.Line(c.Request().Context(), access.Actor(c), id)
}

// currencyOf lets people choose where there are several currencies, and says which one counts.
func (h *Books) currencyOf(c echo.Context, q url.Values, wrong map[string]string, v *pages.BookRecordForm) (string,
	error) {
	known, err := h.Journal.Currencies(c.Request().Context(), access.Actor(c))
	if err != nil || len(known) == 0 {
		return money.ZAR, err
	}
	if len(known) == 1 {
		v.Hidden = append(v.Hidden, components.Pair{Name: "currency", Value: known[0]})
		return known[0], nil
	}
	v.Currency = &components.Select{Label: "Currency", Name: "currency", Error: wrong["currency"], Required: true,
		Width: "m"}
	for _, currency := range known {
		v.Currency.Options = append(v.Currency.Options, components.Option{Value: currency, Text: currency,
			Selected: currency == q.Get("currency")})
	}
	return known[0], nil
}

// CreateFee serves POST /books/fees.
func (h *Books) CreateFee(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	line, err := h.lineOf(c, form.Get("movement"))
	if f, known := fault.From(err); err != nil && (!known || f.Kind != fault.Conflict) {
		return err // a conflict is a second click, or is said by the service
	}
	d, wrong := draftOf(form, line)
	key := form.Get(kit.FormKeyName)
	if err = wrong.Err(); err == nil {
		err = kit.Once(c, h.Desk, key, func(ctx context.Context) (journal.Record, error) {
			r, err := h.Journal.Record(ctx, access.Actor(c), d)
			if err != nil {
				return r, err
			}
			return r, access.AddFlash(c, "ok", r.Says()+" was recorded.")
		}, func(r journal.Record) string { return recordPath(r.ID) })
	}
	return kit.AskAgain(c, err, feesPath, func() error { return h.newFee(c, form, key, err) })
}

func draftOf(form url.Values, line exchange.Entry) (d journal.Draft, wrong fault.Problems) {
	d = journal.Draft{Kind: journal.Kind(form.Get("kind")), MovementID: line.ID, Currency: form.Get("currency"),
		FromBank: form.Get("from") == "bank", What: form.Get("what"), Reference: form.Get("reference")}
	if line.ID != uuid.Nil {
		d.Currency, d.FromBank = line.Currency, true
	}
	d.Day, _ = calendar.ParseDate(form.Get("day")) // the service says what is wrong with no day
	into := map[string]*int64{"gross": &d.Gross, "fee": &d.Fee, "vat": &d.VAT, "held": &d.Held}
	for _, a := range slips[d.Kind].amounts {
		text := strings.TrimSpace(form.Get(a.name))
		if text == "" {
			continue
		}
		var err error
		if *into[a.name], err = money.Parse(text); err != nil {
			wrong.Add(a.name, "invalid", "%s.", words.Capital(err.Error()))
		}
	}
	return d, wrong
}

package api

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

// Accounts serves /account/json/: figures of money.
type Accounts struct {
	Service *report.Money
}

type balanceBody struct {
	Balance   money.Sum `json:"balance"`
	Fee       money.Sum `json:"fee_sell"`
	Reserved  money.Sum `json:"reserved"`
	Gross     money.Sum `json:"gross_balance"`
	Outgoing  money.Sum `json:"pending_outgoing"`
	Available money.Sum `json:"available_balance"`
}

// Balance serves GET /account/json/balance/; report.Balance says what each figure is.
func (h *Accounts) Balance(c echo.Context) error {
	f, err := readMoneyFilter(c)
	if err != nil {
		return err
	}
	found, err := h.Service.Balance(c.Request().Context(), access.Actor(c), f)
	if err != nil {
		return err
	}
	out := map[string]balanceBody{}
	for currency, b := range found {
		out[currency] = balanceBody{Balance: b.NetCents(), Fee: b.FeeCents, Reserved: b.ReservedCents, Gross: b.GrossCents,
			Outgoing: b.OwedCents, Available: b.AvailableCents()}
	}
	return JSON(c, http.StatusOK, out)
}

type sideBody struct {
	Turnover money.Sum `json:"turnover"`
	Fee      money.Sum `json:"fee_sell"`
	Count    countBody `json:"count"`
}

type countBody struct {
	All int64 `json:"all"`
}

// Turnover serves GET /account/json/turnover/.
func (h *Accounts) Turnover(c echo.Context) error {
	f, err := readMoneyFilter(c)
	if err != nil {
		return err
	}
	t, err := h.Service.Turnover(c.Request().Context(), access.Actor(c), f)
	if err != nil {
		return err
	}
	side := func(s report.Side) sideBody { return sideBody{Turnover: s.Cents, Count: countBody{s.N}} }
	return JSON(c, http.StatusOK, map[string]sideBody{"incoming": side(t.Incoming), "outgoing": side(t.Outgoing)})
}

func readMoneyFilter(c echo.Context) (report.Filter, error) {
	var wrong fault.Problems
	f := moneyFilter(c, &wrong)
	return f, wrong.Err()
}

// mostValues is how often one filter may repeat.
const mostValues = 50

// moneyFilter reads the filters of figures and statements, which may repeat. Some
// programs write brand_id for brand (API contract 7).
func moneyFilter(c echo.Context, wrong *fault.Problems) report.Filter {
	f := report.Filter{Currencies: filterTexts(c, "currency", wrong), Methods: filterTexts(c, "payment_method", wrong),
		Products: filterTexts(c, "product", wrong),
		Flows:    filterTexts(c, "flow", wrong), Countries: filterTexts(c, "country", wrong),
		Terminals: filterTexts(c, "terminal_uid", wrong),
		Tokenized: queryBool(c, "tokenized", wrong), From: readUnix(c, "from", wrong), To: readUnix(c, "to", wrong)}
	f.To = wholeSecond(f.To)
	upper(f.Currencies, "currency", currencyForm.MatchString, wrong)
	upper(f.Countries, "country", countryForm.MatchString, wrong)
	for _, name := range []string{"brand", "brand_id"} {
		for _, text := range filterTexts(c, name, wrong) {
			id, err := input.ParseUUID(text)
			if err != nil {
				wrong.Add(name, "invalid", "Must be a valid UUID.")
				continue
			}
			f.Brands, f.BrandsAt = append(f.Brands, id), cmp.Or(f.BrandsAt, name)
		}
	}
	return f
}

// wholeSecond: an end that is given in seconds holds the whole of its second.
func wholeSecond(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.Add(time.Second - time.Microsecond)
}

// statementFilter is moneyFilter with what a statement can be narrowed by besides
// (API contract 12.15). Names that are not known are ignored.
func statementFilter(c echo.Context, wrong *fault.Problems) report.Filter {
	f := moneyFilter(c, wrong)
	f.Statuses, f.Lines = filterTexts(c, "status", wrong), filterTexts(c, "products", wrong)
	for _, status := range f.Statuses {
		if !purchase.Status(status).Known() {
			wrong.Add("status", "invalid_choice", "%q is not a valid choice.", shortText(status))
		}
	}
	for _, text := range filterTexts(c, "total", wrong) {
		cents, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			wrong.Add("total", "invalid", "A valid integer is required.")
		}
		f.Totals = append(f.Totals, cents)
	}
	if words := filterTexts(c, "q", wrong); len(words) > 0 {
		f.Query = strings.Join(words, " ")
	}
	period := func(name string) report.Period {
		return report.Period{From: readUnix(c, name+"_from", wrong), To: wholeSecond(readUnix(c, name+"_to", wrong))}
	}
	f.Paid, f.Updated = period("paid"), period("updated")
	return f
}

func upper(codes []string, name string, fits func(string) bool, wrong *fault.Problems) {
	for i, text := range codes {
		if codes[i] = strings.ToUpper(text); !fits(codes[i]) {
			wrong.Add(name, "invalid_choice", "%q is not a valid choice.", shortText(text))
		}
	}
}

// filterTexts are the values of a filter; empty ones count as left out.
func filterTexts(c echo.Context, name string, wrong *fault.Problems) (texts []string) {
	for _, text := range c.QueryParams()[name] {
		switch {
		case text == "":
		case len(texts) == mostValues:
			wrong.Add(name, "max_length", "Ensure this field has no more than %d elements.", mostValues)
			return texts
		case len(text) > 256:
			wrong.Add(name, "max_length", "Ensure this field has no more than 256 characters.")
		case strings.ContainsRune(text, 0) || strings.ToValidUTF8(text, "") != text:
			wrong.Add(name, "invalid", "This text contains characters that cannot be stored.")
		default:
			texts = append(texts, text)
		}
	}
	return texts
}

package api

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/static"
)

// Methods serves /payment_methods/.
type Methods struct {
	Base   Base
	Brands merchant.Store
	Bank   bank.Capabilities
}

type methodsList struct {
	Available []string            `json:"available_payment_methods"`
	ByCountry map[string][]string `json:"by_country"`
	Countries map[string]string   `json:"country_names"`
	Names     map[string]string   `json:"names"`
	Logos     map[string]string   `json:"logos"` // texts: a list breaks a real client (API contract 7)
	Cards     []string            `json:"card_methods"`
}

var (
	methodNames = map[string]string{purchase.EFT: "EFT debit order", purchase.DebiCheck: "DebiCheck"}
	methodLogos = map[string]string{purchase.EFT: "img/eft.svg", purchase.DebiCheck: "img/debicheck.svg"}
)

// List serves GET /payment_methods/: what a purchase with these values could be paid by.
func (h *Methods) List(c echo.Context) error {
	who := access.Actor(c)
	var wrong fault.Problems
	brand := needBrand(c, &wrong)
	ask := readMethodsAsk(c, &wrong)
	known := merchant.Brand{}
	if brand != uuid.Nil {
		var err error
		known, err = h.Brands.Brand(c.Request().Context(), who.MerchantID, brand)
		if fault.Is(err, fault.NotFound) {
			wrong.NoSuch("brand_id", brand)
		} else if err != nil {
			return err
		}
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	return JSON(c, http.StatusOK, h.body(h.connected(ask.usable(known))))
}

// connected leaves out what the bank connection cannot do.
func (h *Methods) connected(methods []string) []string {
	if h.Bank.NoDebiCheck() == "" {
		return methods
	}
	return slices.DeleteFunc(methods, func(m string) bool { return m == purchase.DebiCheck })
}

func (h *Methods) body(methods []string) methodsList {
	out := methodsList{Available: methods, ByCountry: map[string][]string{"ZA": methods, "any": {}},
		Countries: map[string]string{"ZA": "South Africa", "any": "Other"},
		Names:     map[string]string{}, Logos: map[string]string{}, Cards: []string{}}
	for _, m := range methods {
		out.Names[m], out.Logos[m] = methodNames[m], strings.TrimSuffix(string(h.Base), "/")+static.URL(methodLogos[m])
	}
	return out
}

// methodsAsk is what a purchase would have.
type methodsAsk struct {
	currency, country                        string
	recurring, skipCapture, preauthorization *bool
	cents                                    *int64
}

func readMethodsAsk(c echo.Context, wrong *fault.Problems) methodsAsk {
	ask := methodsAsk{currency: needCurrency(c, wrong), recurring: queryBool(c, "recurring", wrong),
		skipCapture:      queryBool(c, "skip_capture", wrong),
		preauthorization: queryBool(c, "preauthorization", wrong), country: queryCode(c, "country", countryForm, wrong)}
	if text := c.QueryParam("amount"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			wrong.Add("amount", "invalid", "A valid integer is required.")
		case n < 0:
			wrong.Add("amount", "min_value", "Ensure this value is greater than or equal to 0.")
		case n > money.MostCents:
			wrong.Add("amount", "max_value", "Ensure this value is less than or equal to %d.", money.MostCents)
		default:
			ask.cents = &n
		}
	}
	return ask
}

// usable are the methods for the ask. Debit orders are made in ZAR, in South Africa,
// by a brand with a registration at the bank. Both can store an account and collect
// later; DebiCheck always does, so it is no way to pay once without storing. A total
// of 0 is accepted only where an account is stored (API contract 3.2).
func (a methodsAsk) usable(b merchant.Brand) []string {
	is := func(flag *bool) bool { return flag != nil && *flag }
	_, registered := b.DefaultProfile()
	stores := is(a.recurring) || is(a.skipCapture) || is(a.preauthorization)
	switch {
	case !registered, a.currency != money.ZAR, a.country != "" && a.country != "ZA":
		return []string{}
	case a.cents != nil && *a.cents == 0 && !stores:
		return []string{}
	case a.recurring != nil && !*a.recurring:
		return []string{purchase.EFT}
	}
	return []string{purchase.EFT, purchase.DebiCheck}
}

var (
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
	countryForm  = regexp.MustCompile(`^[A-Z]{2}$`)
)

func needBrand(c echo.Context, wrong *fault.Problems) uuid.UUID {
	text := c.QueryParam("brand_id")
	if text == "" {
		wrong.Add("brand_id", "required", "This field is required.")
		return uuid.Nil
	}
	id, err := input.ParseUUID(text)
	if err != nil {
		wrong.Add("brand_id", "invalid", "Must be a valid UUID.")
	}
	return id
}

func needCurrency(c echo.Context, wrong *fault.Problems) string {
	if c.QueryParam("currency") == "" {
		wrong.Add("currency", "required", "This field is required.")
		return ""
	}
	return queryCode(c, "currency", currencyForm, wrong)
}

// queryCode is a code of letters, in any case.
func queryCode(c echo.Context, name string, form *regexp.Regexp, wrong *fault.Problems) string {
	code := strings.ToUpper(c.QueryParam(name))
	if code != "" && !form.MatchString(code) {
		wrong.Add(name, "invalid_choice", "%q is not a valid choice.", shortText(c.QueryParam(name)))
	}
	return code
}

func queryBool(c echo.Context, name string, wrong *fault.Problems) *bool {
	var yes bool
	switch strings.ToLower(c.QueryParam(name)) {
	case "":
		return nil
	case "true", "1":
		yes = true
	case "false", "0":
	default:
		wrong.Add(name, "invalid", "Must be a valid boolean.")
		return nil
	}
	return &yes
}

// shortText keeps a wrong value readable in a message.
func shortText(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

package mandates

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/clients"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// When the first debit of a new mandate runs.
const (
	firstOnDay = "day"   // on the next deduction day
	firstSoon  = "soon"  // as early as the cut-offs allow
	firstOther = "other" // on a day that was picked
	firstNone  = "none"  // nothing is collected now
)

// freshClientID stands in the form for a client who is added together with the mandate.
const freshClientID = "new"

// DdAt is where the problems of a debit-order block stand.
const DdAt = "purchase.payment_method_details.direct_debit"

// mandateSetup is the form as it was read: what it asks for, and what of it
// could not be read.
type mandateSetup struct {
	form     url.Values
	method   string
	brands   []merchant.Brand
	brand    merchant.Brand
	profile  merchant.Profile
	payer    *client.Client  // nil: none is chosen, or a new one is typed
	fresh    *client.Details // the new one
	alike    []client.Twin   // clients that may be the new one
	added    bool            // the client was added by this very request
	strict   bool            // what is empty is a problem too
	in       purchase.Input
	ask      mandate.Ask
	terms    mandate.Terms
	firstDay calendar.Date // of the first debit; zero is none
	price    int64         // cents
	priced   bool
	shape    fault.Problems
	termsOf  fault.Problems // what the rules say of the terms
}

// total is what the purchase collects, in cents.
func (s *mandateSetup) total() int64 {
	if s.form.Get("first") == firstNone {
		return 0
	}
	return s.price
}

// read reads the form. The error is none of the person's doing.
func (h *MandateForms) read(c echo.Context, form url.Values) (mandateSetup, error) {
	ctx, who := c.Request().Context(), access.Actor(c)
	s := mandateSetup{form: form, method: form.Get("method"), strict: form.Get("strict") != ""}
	if s.method != purchase.EFT {
		s.method = purchase.DebiCheck
	}
	var err error
	if s.brands, err = h.Purchases.Merchants().Brands(ctx, who.MerchantID); err != nil {
		return s, err
	}
	s.brand = purchases.BrandChosen(s.brands, form.Get("brand_id"))
	s.profile = profileChosen(s.brand, form.Get("profile_code"))
	if err := h.readClient(ctx, who, &s); err != nil {
		return s, err
	}
	s.in = purchase.Input{BrandID: s.brand.ID, UserID: who.ID,
		Options: purchase.Options{ForceRecurring: true, Whitelist: []string{s.method}, Platform: "web", Source: "web_office"},
		Details: purchase.Details{Timezone: "Africa/Johannesburg"}}
	if s.payer != nil {
		s.in.ClientID = s.payer.ID
	}
	s.readProduct()
	if s.method == purchase.DebiCheck {
		s.readTerms()
		s.readDays(h.days(s.brand), s.ask.AuthenticationType == string(mandate.RealTime) && len(s.missing()) == 0 &&
			!s.closed(h))
	}
	return s, nil
}

func (h *MandateForms) readClient(ctx context.Context, who actor.Actor, s *mandateSetup) (err error) {
	if s.form.Get("client_id") == freshClientID {
		d, wrong := clients.DetailsOf(s.form, client.Details{Country: "ZA"})
		d.Country = "ZA"
		s.fresh, s.shape = &d, wrong
		return nil
	}
	s.payer, err = (&purchases.Purchases{Clients: h.Clients}).ClientChosen(ctx, who, s.form.Get("client_id"))
	if err == nil && s.payer == nil {
		s.shape.Add("client_id", "required", "Choose the client, or add a new one.")
	}
	return err
}

func profileChosen(b merchant.Brand, id string) merchant.Profile {
	for _, p := range b.Profiles {
		if p.ID.String() == id {
			return p
		}
	}
	p, _ := b.DefaultProfile()
	return p
}

func (s *mandateSetup) readProduct() {
	product := purchase.Product{Name: strings.TrimSpace(s.form.Get("name")), Quantity: decimal.NewFromInt(1)}
	needed := s.method == purchase.DebiCheck // the form of an EFT account asks by itself
	if product.Name == "" && needed {
		s.shape.Add("name", "required", "Say what the debits are for.")
	}
	if cents := s.cents("price", "price"); cents != nil {
		s.price, s.priced = max(*cents, 0), true
		if *cents < 0 {
			s.shape.Add("price", "min_value", "A price cannot be below 0.")
		}
	} else if !s.shape.Has("price") && needed {
		s.shape.Add("price", "required", "Enter the amount of a usual debit.")
	}
	product.PriceCents = s.price
	s.in.Details.Products = []purchase.Product{product}
	if s.form.Get("first") == firstNone && s.method == purchase.DebiCheck {
		s.in.Details.TotalOverrideCents = new(int64)
	}
}

// cents reads an amount; nil is one that is empty or cannot be read.
func (s *mandateSetup) cents(input, path string) *int64 {
	text := strings.TrimSpace(s.form.Get(input))
	if text == "" {
		return nil
	}
	cents, err := money.Parse(text)
	if err != nil {
		s.shape.Add(path, "invalid", "%s.", words.Capital(err.Error()))
		return nil
	}
	return &cents
}

// readTerms reads what the client's bank is to allow. Fields that the form hides,
// such as an adjustment of a FIXED mandate, do not count.
func (s *mandateSetup) readTerms() {
	f := s.form
	s.ask = mandate.Ask{ValueType: f.Get("value_type"), AuthenticationType: f.Get("authentication_type"),
		DebitSequence:      f.Get("debit_sequence"),
		AdjustmentCategory: f.Get("adjustment_category"), DelayedOnFailure: f.Get("do_delayed_on_auth_failure") != "",
		AllowDateAdjustment: f.Get("allow_date_adjustment") != "", VerifyAccount: f.Get("verify_account") != ""}
	if s.ask.ValueType == string(mandate.Fixed) {
		s.ask.AdjustmentCategory = string(mandate.Never)
		if s.priced {
			s.ask.MaxAmountCents = &s.price
		}
	} else {
		s.ask.MaxAmountCents = s.cents("max_amount_cents", DdAt+".max_amount_cents")
	}
	if s.ask.AdjustmentCategory != string(mandate.Never) {
		s.ask.AdjustmentRate = s.rate()
		s.ask.AdjustmentAmountCents = s.cents("adjustment_amount_cents", DdAt+".adjustment_amount_cents")
	}
	s.terms = s.ask.Check(&s.termsOf, DdAt, s.price, s.total())
	dd := &purchase.DirectDebitInput{ProfileCode: s.profile.ProfileCode, AbbreviatedName: s.profile.AbbreviatedName,
		AccountNumber: s.profile.AccountNumber,
		PeriodUnits:   f.Get("period_units"), Ask: &s.ask}
	if day := s.deductionDay(); day != 0 {
		dd.DeductionDay = &day
	}
	s.in.DirectDebit = dd
}

func (s *mandateSetup) rate() *decimal.Decimal {
	const most = 16 // characters
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s.form.Get("adjustment_rate")), "%"))
	if text == "" {
		return nil
	}
	rate, err := decimal.NewFromString(strings.Replace(text, ",", ".", 1))
	if err != nil || len(text) > most {
		s.shape.Add(DdAt+".adjustment_rate", "invalid", "Enter a percentage such as 6 or 4,75.")
		return nil
	}
	return &rate
}

// deductionDay is 0 where days are the unit, or none was chosen.
func (s *mandateSetup) deductionDay() int {
	name := map[string]string{"months": "deduction_day", "weeks": "deduction_weekday"}[s.form.Get("period_units")]
	day, _ := strconv.Atoi(s.form.Get(name))
	return day
}

// draft is the mandate as it would stand.
func (s *mandateSetup) draft() mandate.Mandate {
	return mandate.Mandate{Kind: mandate.DebiCheck, PeriodUnits: s.form.Get("period_units"),
		DeductionDay: s.deductionDay(), AmountCents: s.total(),
		AbbreviatedName: s.profile.AbbreviatedName, Terms: &s.terms}
}

// check reports everything that is wrong, in the order of the form, in the words
// of the dashboard.
func (s *mandateSetup) check(ctx context.Context, who actor.Actor, h *MandateForms) error {
	wrong := append(fault.Problems{}, s.shape...)
	in := s.in
	if s.fresh != nil {
		if s.fresh.Email == "" {
			wrong.Add("email", "required", "Enter an e-mail address.")
		}
		stored := *s.fresh // in its stored form, as the purchase will find it
		wrong = append(wrong, stored.Check(client.ForDebit, calendar.DateOf(h.Desk.Now()))...)
		in.Client, in.ClientID = &stored, uuid.Nil
	}
	if s.method == purchase.DebiCheck {
		if h.switches(s) { // said with the other problems, where the rules say it last
			wrong.Add(DdAt+".authentication_type", "debicheck_unavailable", "%s", h.closedWords())
		}
		wrong = append(wrong, s.termsOf...)
		_, err := h.Purchases.Preview(ctx, who, in)
		f, ok := fault.From(err)
		if err != nil && (!ok || f.Kind != fault.Invalid) {
			return err
		}
		if ok {
			wrong = append(wrong, f.Fields...)
		}
	}
	return s.plainly(wrong).Err()
}

// clientDetails is what is known of the client, chosen or typed.
func (s *mandateSetup) clientDetails() (d client.Details, known bool) {
	switch {
	case s.payer != nil:
		return s.payer.Details, true
	case s.fresh != nil:
		return *s.fresh, true
	}
	return d, false
}

// missing names what DebiCheck needs of the client and nobody has given yet.
func (s *mandateSetup) missing() (words []string) {
	d, known := s.clientDetails()
	if !known {
		return nil
	}
	for _, need := range []struct{ detail, word string }{{"full_name", "full name"}, {"personal_code", "identity number"},
		{"phone", "phone number"},
		{"bank_account", "account number"}, {"bank_code", "branch code"}} {
		if !d.Knows(need.detail) {
			words = append(words, need.word)
		}
	}
	return words
}

// accountForm is where an EFT account is stored, with what was typed here.
func (s *mandateSetup) accountForm() string {
	query := url.Values{}
	for from, to := range map[string]string{"name": "name", "price": "amount"} {
		if text := strings.TrimSpace(s.form.Get(from)); text != "" {
			query.Set(to, text)
		}
	}
	return words.ClientHref(s.payer.ID) + "/accounts/new?" + query.Encode()
}

package templates

import (
	"maps"
	"net/url"
	"strings"

	"debitdesk/handlers/web/words"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// The inputs of a subscriber's own DebiCheck terms are named as the API names its fields.
const (
	firstAmount = "subscription_first_amount_cents"
	ownPrefix   = "subscription_"
)

// ownChoices are the terms that are chosen from a list, and what each choice is called.
var ownChoices = []struct {
	name, label string
	yes         bool // the choice is kept as yes or no
	options     []components.Option
}{
	{"value_type", "Amounts of the mandate", false, valueTypeOptions()},
	{"authentication_type", "The client is asked", false, []components.Option{
		{Value: string(mandate.Delayed), Text: "By SMS, with more time to answer"},
		{Value: string(mandate.RealTime), Text: "At once, on the phone"}}},
	{"allow_date_adjustment", "Debit dates", true, []components.Option{
		{Value: "yes", Text: "Other days are allowed"}, {Value: "no", Text: "Only the agreed day"}}},
}

func valueTypeOptions() (out []components.Option) {
	for _, one := range words.ValueTypes {
		out = append(out, components.Option{Value: string(one.Type), Text: one.OfTemplate})
	}
	return out
}

// termFields are the inputs of a subscriber's own terms, and of the first amount.
func termFields(v *pages.NewSubscriberView, form url.Values, byInput map[string]string) {
	v.First = components.MoneyField{Label: "First amount", Name: firstAmount, Value: form.Get(firstAmount),
		Error: byInput[firstAmount],
		Hint:  "For a first period that costs another amount (pro rata). Leave it empty for the usual price."}
	for _, c := range ownChoices {
		name := ownPrefix + c.name
		s := components.Select{Label: c.label, Name: name, Error: byInput[name], Quiet: true, Width: "l",
			Blank: "As the template says"}
		for _, o := range c.options {
			o.Selected = form.Get(name) == o.Value
			s.Options = append(s.Options, o)
		}
		v.Terms, v.OwnTerms = append(v.Terms, s), v.OwnTerms || form.Get(name) != "" || s.Error != ""
	}
	const most = ownPrefix + "max_amount_cents"
	v.Maximum = components.MoneyField{Label: "Never more than", Name: most, Value: form.Get(most), Error: byInput[most],
		Hint: "For each debit. Leave it empty for the template’s maximum."}
	v.OwnTerms = v.OwnTerms || form.Get(most) != "" || v.Maximum.Error != ""
}

// readTerms reads them. Terms that the form does not show stay as they are. Where the template has no terms, those that
// the form does not ask for are the plainest: no adjustments.
func readTerms(form url.Values, t subscription.Template, in *subscription.SubscriberInput) {
	cents := func(name string) *int64 {
		text := strings.TrimSpace(form.Get(name))
		if text == "" {
			return nil
		}
		n, err := money.Parse(text)
		if err != nil {
			in.Problems.Add(name, "invalid", "%s.", words.Capital(err.Error()))
			return nil
		}
		return &n
	}
	if form.Has(firstAmount) {
		in.First = cents(firstAmount)
	}
	fields := maps.Clone(in.Debit.Fields)
	if fields == nil {
		fields = map[string]any{}
	}
	brings := false
	for _, c := range ownChoices {
		name := ownPrefix + c.name
		switch value := form.Get(name); {
		case !form.Has(name):
		case value == "":
			delete(fields, c.name)
		case c.yes:
			fields[c.name], brings = value == "yes", true
		default:
			fields[c.name], brings = value, true
		}
	}
	if name := ownPrefix + "max_amount_cents"; form.Has(name) {
		delete(fields, "max_amount_cents")
		if most := cents(name); most != nil {
			fields["max_amount_cents"], brings = *most, true
		}
	}
	if dd := t.Details.DirectDebit; brings && (dd == nil || dd.Terms == nil) && fields["adjustment_category"] == nil {
		fields["adjustment_category"] = string(mandate.Never)
	} else if !brings && fields["adjustment_category"] == string(mandate.Never) && (dd == nil || dd.Terms == nil) {
		delete(fields, "adjustment_category")
	}
	in.Debit.Fields = fields
}

// termForm is what a subscriber brings, as the form shows it.
func termForm(form url.Values, s subscription.Subscriber) {
	if s.FirstCents != nil {
		form.Set(firstAmount, money.Amount(*s.FirstCents))
	}
	for _, c := range ownChoices {
		switch value := s.Debit.Fields[c.name].(type) {
		case string:
			form.Set(ownPrefix+c.name, value)
		case bool:
			form.Set(ownPrefix+c.name, map[bool]string{true: "yes", false: "no"}[value])
		}
	}
	if most := s.Debit.Whole("max_amount_cents"); most != nil {
		form.Set(ownPrefix+"max_amount_cents", money.Amount(*most))
	}
}

// ownFacts say what a subscriber brings, on its page.
func ownFacts(s subscription.Subscriber, currency string) (out []components.Fact) {
	if s.FirstCents != nil {
		out = append(out, components.Fact{Label: "First amount", Value: words.Sum(*s.FirstCents, currency)})
	}
	for _, c := range ownChoices {
		form := url.Values{}
		termForm(form, s)
		for _, o := range c.options {
			if form.Get(ownPrefix+c.name) == o.Value {
				out = append(out, components.Fact{Label: c.label, Value: o.Text})
			}
		}
	}
	if most := s.Debit.Whole("max_amount_cents"); most != nil {
		out = append(out, components.Fact{Label: "Never more than", Value: words.Sum(*most, currency)})
	}
	if s.Switches.ConfirmEachOrder {
		out = append(out, components.Fact{Label: "Each period", Value: "Asked for by invoice; the client confirms it"})
	}
	return out
}

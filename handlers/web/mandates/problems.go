package mandates

import (
	"slices"
	"strings"

	"debitdesk/handlers/web/words"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
)

// mandateInputs are the inputs in the order of the form, so that problems are
// listed as a person meets them.
var mandateInputs = []string{
	"method",
	"client_id",
	"full_name",
	"email",
	"phone",
	"personal_code",
	"bank_code",
	"bank_account",
	"account_type",
	"name",
	"price",
	"brand_id",
	"profile_code",
	"value_type",
	"max_amount_cents",
	"debit_sequence",
	"adjustment_category",
	"adjustment_rate",
	"adjustment_amount_cents",
	"period_units",
	"deduction_day",
	"allow_date_adjustment",
	"first",
	"due",
	"due_other",
	"authentication_type",
	"do_delayed_on_auth_failure",
	"verify_account",
}

// plainly puts problems beside the inputs of this form, each once, in the words
// of the dashboard: rand in place of cents, labels in place of field names.
func (s *mandateSetup) plainly(wrong fault.Problems) fault.Problems {
	var out fault.Problems
	for _, f := range wrong {
		if f.Code == "purchase_client_or_id_required" { // said beside the picker
			continue
		}
		f = s.plain(f)
		if leaf := f.Leaf(); leaf == fault.All && len(wrong) > 1 && f.Code == "min_value" ||
			slices.ContainsFunc(out, func(o fault.Field) bool { return o.Leaf() == leaf }) {
			continue
		}
		out = append(out, f)
	}
	rank := func(f fault.Field) int {
		if i := slices.Index(mandateInputs, f.Leaf()); i >= 0 {
			return i
		}
		return len(mandateInputs)
	}
	slices.SortStableFunc(out, func(a, b fault.Field) int { return rank(a) - rank(b) })
	return out
}

func (s *mandateSetup) plain(f fault.Field) fault.Field {
	if f.Path == DdAt+"."+fault.All { // of rate and amount together
		f.Path = DdAt + ".adjustment_rate"
	}
	switch leaf := f.Leaf(); {
	case len(s.brand.Profiles) == 0 && (leaf == "profile_code" || leaf == "abbreviated_name" || leaf == "account_number"):
		f.Path, f.Message = "brand_id", s.brand.Name+
			" has no registration at the bank yet, so no mandate can be set up for it."
	case strings.HasPrefix(f.Path, "purchase.products") && leaf == "price" && f.Code == "required":
		f.Message = "Enter the amount of a usual debit."
	case leaf == "payment_method_whitelist":
		f.Path = "method"
	case leaf == "max_amount_cents":
		f.Message = s.maximumWords(f)
	case leaf == "deduction_day" && s.form.Get("period_units") == "weeks":
		f.Path = "deduction_weekday"
	case f.Code == "adjustment_exclusive":
		f.Message = "Fill in the rate or the amount, not both."
	case leaf == "adjustment_rate" && f.Code == "required":
		f.Message = "Say by how much: fill in a rate or an amount, or choose that nothing is adjusted."
	case (leaf == "value_type" || leaf == "debit_sequence" || leaf == "authentication_type" ||
		leaf == "adjustment_category") && (f.Code == "required" || f.Code == "invalid_choice"):
		f.Message = "Choose one."
	case leaf == "email" && f.Code == "required":
		f.Message = "Enter an e-mail address; the link and the confirmation go there."
	}
	return f
}

func (s *mandateSetup) maximumWords(f fault.Field) string {
	say := func(cents int64) string { return words.Sum(cents, s.brand.Currency) }
	limit, unlimited := mandate.ValueType(s.ask.ValueType).LimitCents(s.price)
	switch {
	case f.Code == "required" && s.ask.ValueType == string(mandate.Fixed):
		return "The maximum is the price; enter the price."
	case f.Code == "required":
		return "Enter the maximum of one debit."
	case f.Code == "max_value" && !unlimited && limit == 0:
		return "This kind of mandate needs a price above 0. To take nothing now, " +
			"enter the real price and choose “Nothing now” below."
	case f.Code == "max_value" && !unlimited:
		return "At most " + say(limit) + ": one and a half times the price. For more choose “Depends on use”."
	case f.Code == "min_value" && s.total() > 0:
		return "Not below the first debit of " + say(s.total()) + "."
	case f.Code == "min_value":
		return "Enter an amount above 0."
	}
	return f.Message
}

// shown leaves out problems of inputs that nobody has come to yet.
func (s *mandateSetup) shown(wrong error) fault.Problems {
	f, ok := fault.From(wrong)
	if !ok {
		return nil
	}
	var out fault.Problems
	for _, p := range f.Fields {
		if s.strict || p.Code != "required" && !s.untouched(p.Leaf()) {
			out = append(out, p)
		}
	}
	return out
}

// untouched: the input is empty, so what is wrong with it is that it is.
func (s *mandateSetup) untouched(leaf string) bool {
	switch leaf {
	case fault.All:
		return !s.priced
	case "max_amount_cents", "price", "name", "email":
		return strings.TrimSpace(s.form.Get(leaf)) == "" && s.ask.ValueType != string(mandate.Fixed)
	}
	return false
}

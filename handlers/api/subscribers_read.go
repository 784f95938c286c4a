package api

import (
	"maps"

	"github.com/shopspring/decimal"

	"debitdesk/handlers/api/input"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/subscription"
)

// newSubscriber reads a client that is added to a template.
func newSubscriber(o *input.Object) subscription.SubscriberInput {
	in := subscription.SubscriberInput{ClientID: o.NeedUUID("client_id"),
		Switches: subscription.Switches{InvoiceOnChargeFailure: true, InvoiceOnAdd: true, Receipt: true}}
	in.FirstOn, _ = o.Date("subscription_billing_scheduled_on")
	readSubscriber(o, &in)
	in.Problems = o.Problems()
	return in
}

// readSubscriber puts what the request says over a subscriber; what it does not
// name stays. The client and the next date are fixed once it is there.
func readSubscriber(o *input.Object, in *subscription.SubscriberInput) {
	if o.Has("payment_method_whitelist") {
		in.Whitelist = readWhitelist(o)
	}
	readSwitch(o, "send_invoice_on_charge_failure", &in.Switches.InvoiceOnChargeFailure)
	readSwitch(o, "send_invoice_on_add_subscriber", &in.Switches.InvoiceOnAdd)
	readSwitch(o, "send_receipt", &in.Switches.Receipt)
	readSwitch(o, "subscription_confirm_each_order", &in.Switches.ConfirmEachOrder)
	if o.Has("invoice_reference") {
		in.Reference = textOrNone(o, "invoice_reference", 128)
	}
	if o.Has("invoice_override") {
		in.Override = readOverride(o)
	}
	if o.Has("subscription_first_amount_cents") {
		in.First = o.NullInt("subscription_first_amount_cents", amount)
	}
	readDebit(o, &in.Debit)
}

// readOverride is nil for null and for an object that says nothing.
func readOverride(o *input.Object) *subscription.Override {
	if o.IsLeftOut("invoice_override") {
		return nil
	}
	body, _ := o.Object("invoice_override")
	out := subscription.Override{
		DebtCents: body.NullInt("debt", balance), SubtotalOverrideCents: body.NullInt("subtotal_override", amount),
		TaxOverrideCents:      body.NullInt("total_tax_override", amount),
		DiscountOverrideCents: body.NullInt("total_discount_override", amount),
		TotalOverrideCents:    body.NullInt("total_override", amount),
	}
	if !body.IsLeftOut("products") {
		for _, p := range body.Objects("products", 0, 1000) {
			out.Products = append(out.Products, readProduct(p))
		}
	}
	if out.DebtCents == nil && out.SubtotalOverrideCents == nil && out.TaxOverrideCents == nil &&
		out.DiscountOverrideCents == nil &&
		out.TotalOverrideCents == nil && len(out.Products) == 0 {
		return nil
	}
	return &out
}

// readStatus is the wish to pause or to go on, nil when nothing is to change.
// stored is where the subscriber stands, empty when the caller may not know.
func readStatus(o *input.Object, stored subscription.Status) *bool {
	if o.IsBlank("status") {
		return nil
	}
	before := len(o.Problems())
	wanted := subscription.Status(o.Choice("status", "", string(subscription.Pending), string(subscription.Inactive),
		string(subscription.Active), string(subscription.Paused)))
	movable := stored == subscription.Active || stored == subscription.Paused || stored == ""
	switch {
	case len(o.Problems()) > before:
	case movable && (wanted == subscription.Active || wanted == subscription.Paused):
		return ref(wanted == subscription.Paused)
	case wanted == stored: // said again
	case stored == subscription.Pending:
		o.Add("status", "invalid",
			"This subscriber is pending: it becomes active when the bank account is stored or the first payment comes in.")
	case stored == subscription.Inactive:
		o.Add("status", "invalid", "This subscription has ended (inactive); add the client again to start a new one.")
	default:
		o.Add("status", "invalid", "The status can only be changed to active or subscription_paused.")
	}
	return nil
}

// readDebit reads the DebiCheck fields of a subscription. Null takes one away.
func readDebit(o *input.Object, d *subscription.Debit) {
	fields := maps.Clone(d.Fields)
	if fields == nil {
		fields = map[string]any{}
	}
	for _, f := range debitFields {
		name := "subscription_" + f.name
		switch {
		case !o.Has(name):
		case o.IsBlank(name):
			delete(fields, f.name)
		default:
			fields[f.name] = f.read(o, name)
		}
	}
	d.Fields = fields
	if o.Has("subscription_debtor_account_number") {
		d.DebtorAccount = bank.AccountNumber(textOrNone(o, "subscription_debtor_account_number", 34))
	}
	if o.Has("subscription_debtor_id_number") {
		d.DebtorID = bank.IDNumber(textOrNone(o, "subscription_debtor_id_number", 32))
	}
	if fields["adjustment_rate"] != nil && fields["adjustment_amount"] != nil {
		o.Add("__all__", "adjustment_exclusive",
			"Give subscription_adjustment_rate or subscription_adjustment_amount, not both.")
	}
}

// textOrNone is a text, "" for null.
func textOrNone(o *input.Object, name string, most int) string {
	if text := o.NullText(name, most); text != nil {
		return *text
	}
	return ""
}

// debitField is one DebiCheck field of a subscription, under its name without
// "subscription_" (API contract 5.2).
type debitField struct {
	name string
	read func(o *input.Object, name string) any
}

var debitFields = []debitField{
	{"tracking_period", wholeIn(0, int64(mandate.DefaultLimits().TrackingDays))}, // days
	{"value_type", oneOf(mandate.ValueTypes...)},
	{"allow_date_adjustment", yesNo},
	{"authentication_type", oneOf("REALTIME", "DELAYED")},
	{"realtime_auth_retries", wholeIn(0, 100)},
	{"do_delayed_on_auth_failure", yesNo},
	{"verify_account", yesNo},
	{"reference_number", textUpTo(128)},
	{"max_amount_cents", wholeIn(0, money.MaxCents)},
	{"creditor_profile_code", textUpTo(64)},
	{"creditor_abbreviated_name", textUpTo(10)},
	{"creditor_account_number", textUpTo(34)},
	{"debtor_account_type", oneOf("CURRENT", "SAVINGS", "TRANSMISSION")},
	{"debtor_branch_code", textUpTo(11)},
	{"debtor_first_name", textUpTo(128)},
	{"debtor_last_name", textUpTo(128)},
	{"debtor_phone_number", textUpTo(32)},
	{"adjustment_category", oneOf("NEVER", "QUARTERLY", "BIANNUALLY", "ANNUALLY", "REPO")},
	{"adjustment_rate", percent},
	{"adjustment_amount", wholeIn(-money.MaxCents, money.MaxCents)}, // may be below zero, as in a mandate
	{"release_date", day},
}

func wholeIn(lowest, highest int64) func(*input.Object, string) any {
	return func(o *input.Object, name string) any { return o.Int(name, 0, input.Between(lowest, highest)) }
}

func oneOf[T ~string](choices ...T) func(*input.Object, string) any {
	words := make([]string, len(choices))
	for i, one := range choices {
		words[i] = string(one)
	}
	return func(o *input.Object, name string) any { return o.Choice(name, "", words...) }
}

func textUpTo(most int) func(*input.Object, string) any {
	return func(o *input.Object, name string) any { return o.Text(name, most) }
}

func yesNo(o *input.Object, name string) any { return o.Bool(name, false) }

// percent is kept as text, so that it stays exact.
func percent(o *input.Object, name string) any {
	d := o.Decimal(name, decimal.Zero, 7, 4)
	o.Between(name, d, -100, 100)
	return d.String()
}

func day(o *input.Object, name string) any {
	d, given := o.Date(name)
	if !given {
		d = calendar.Date{}
	}
	return d.String()
}

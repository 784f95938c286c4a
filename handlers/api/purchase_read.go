package api

import (
	"strings"

	"github.com/shopspring/decimal"

	"debitdesk/handlers/api/input"
	"debitdesk/models/client"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// mandateFields belong to debicheck only (source: additional mandate fields).
var mandateFields = []string{"value_type", "authentication_type", "do_delayed_on_auth_failure", "debit_sequence",
	"adjustment_category",
	"adjustment_rate", "adjustment_amount_cents", "allow_date_adjustment", "verify_account", "max_amount_cents"}

// Amounts in cents, as one of them may be at most; and one that may be below zero.
var (
	amount  = input.Between(0, money.MostCents)
	balance = input.Between(-money.MostCents, money.MostCents)
)

// readPurchase reads the body of POST /purchases/. Rules are the use case's.
func readPurchase(o *input.Object) purchase.Input {
	var in purchase.Input
	in.ClientID = o.UUID("client_id")
	if body, given := o.Object("client"); given {
		in.Client = &client.Details{}
		ReadDetails(body, in.Client)
	}
	in.BrandID = o.NeedUUID("brand_id")
	if due, given := o.MomentUntil("due", purchase.LastDue); given {
		in.Due = &due
	}
	in.Issued, _ = o.Date("issued")
	in.Reference = o.Text("reference", 128)
	in.Options = readOptions(o)
	if body, ok := o.NeedObject("purchase"); ok {
		readDetails(body, &in)
	}
	in.Problems = o.Problems()
	return in
}

func readOptions(o *input.Object) purchase.Options {
	opt := purchase.Options{
		ForceRecurring: o.Bool("force_recurring", false), SkipCapture: o.Bool("skip_capture", false),
		SendReceipt:     o.Bool("send_receipt", false),
		SuccessRedirect: o.Text("success_redirect", 500), FailureRedirect: o.Text("failure_redirect", 500),
		CancelRedirect:  o.Text("cancel_redirect", 500),
		SuccessCallback: o.Text("success_callback", 500), CreatorAgent: o.Text("creator_agent", 32),
		Platform: o.Text("platform", 50),
		OrderID:  o.NullText("order_id", 128), Tags: o.Texts("tags", 50, 64, true), Source: "api",
	}
	if !o.IsNull("payment_method_whitelist") {
		opt.Whitelist = o.Texts("payment_method_whitelist", 50, 64, false)
		if opt.Whitelist == nil {
			opt.Whitelist = []string{}
		}
	}
	return opt
}

// readDetails reads "purchase". The codes of a currency and of a language are letters in
// any case, as in the address of /payment_methods/.
func readDetails(o *input.Object, in *purchase.Input) {
	in.Currency, in.DueStrict = shortText(strings.ToUpper(o.Text("currency", 0))), o.Bool("due_strict", false)
	in.Details = purchase.Details{
		Language: strings.ToLower(o.Text("language", 2)), Notes: o.Lines("notes", 10000),
		DebtCents:             o.Int("debt", 0, balance),
		SubtotalOverrideCents: o.NullInt("subtotal_override", amount),
		TaxOverrideCents:      o.NullInt("total_tax_override", amount),
		DiscountOverrideCents: o.NullInt("total_discount_override", amount),
		TotalOverrideCents:    o.NullInt("total_override", amount),
		RequestClientDetails:  o.Texts("request_client_details", 30, 64, true), Timezone: o.Text("timezone", 64),
		EmailMessage:  o.Lines("email_message", 256),
		SingleAttempt: o.Bool("single_attempt", false),
	}
	for _, p := range o.Objects("products", 1, 1000) {
		in.Details.Products = append(in.Details.Products, readProduct(p))
	}
	if meta, given := o.Object("metadata"); given && len(meta.Fields()) > 0 {
		if text, err := Marshal(meta.Fields()); err == nil {
			in.Details.Metadata = string(text)
		}
	}
	methods, given := o.Object("payment_method_details")
	if !given {
		return
	}
	if body, given := methods.Object("direct_debit"); given {
		in.DirectDebit = readDirectDebit(body)
	}
}

func readProduct(o *input.Object) purchase.Product {
	p := purchase.Product{
		Name: o.NeedText("name", 256), PriceCents: o.NeedInt("price", amount),
		Quantity:      o.Decimal("quantity", decimal.NewFromInt(1), 14, 4),
		DiscountCents: o.Int("discount", 0, amount), TaxPercent: o.Decimal("tax_percent", decimal.Zero, 5, 2),
		TotalOverrideCents: o.NullInt("total_price_override", amount),
	}
	if o.Has("category") && o.IsNull("category") {
		o.Add("category", "required", "This field may not be null.")
	} else {
		p.Category = o.Text("category", 256)
	}
	return p
}

func readDirectDebit(o *input.Object) *purchase.DirectDebitInput {
	d := &purchase.DirectDebitInput{ProfileCode: o.Text("profile_code", 64),
		AbbreviatedName: o.Text("abbreviated_name", 10),
		AccountNumber:   o.Text("account_number", 34), PeriodUnits: o.Text("period_units", 16)}
	if day := o.NullInt("deduction_day", input.Between(0, 1_000_000)); day != nil {
		n := int(*day)
		d.DeductionDay = &n
	}
	for _, name := range mandateFields {
		if !o.IsNull(name) {
			d.MandateFields = append(d.MandateFields, name)
		}
	}
	d.Ask = readAsk(o)
	return d
}

// readAsk reads the terms of a mandate; null counts as left out. Their limits are
// the rules'.
func readAsk(o *input.Object) *mandate.Ask {
	text := func(name string) string {
		if t := o.NullText(name, 0); t != nil {
			return *t
		}
		return ""
	}
	yes := func(name string) bool { b := o.NullBool(name); return b != nil && *b }
	return &mandate.Ask{
		ValueType: text("value_type"), AuthenticationType: text("authentication_type"), DebitSequence: text("debit_sequence"),
		AdjustmentCategory: text("adjustment_category"), DelayedOnFailure: yes("do_delayed_on_auth_failure"),
		AllowDateAdjustment: yes("allow_date_adjustment"), VerifyAccount: yes("verify_account"),
		AdjustmentRate:        o.NullDecimal("adjustment_rate"),
		AdjustmentAmountCents: o.NullInt("adjustment_amount_cents", input.Any),
		MaxAmountCents:        o.NullInt("max_amount_cents", input.Any),
	}
}

package api

import (
	"encoding/json"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
)

// subscriberBody is the complete key set of a billing template client (API
// contract 5.2).
type subscriberBody struct {
	Type                   string              `json:"type"`
	ID                     uuid.UUID           `json:"id"`
	CreatedOn              int64               `json:"created_on"`
	UpdatedOn              int64               `json:"updated_on"`
	ClientID               uuid.UUID           `json:"client_id"`
	Status                 subscription.Status `json:"status"`
	ScheduledOn            *string             `json:"subscription_billing_scheduled_on"`
	RecurringToken         *uuid.UUID          `json:"recurring_token"` // ours: null when there is none, or it was deleted
	Whitelist              []string            `json:"payment_method_whitelist"`
	CyclesPassed           int                 `json:"number_of_billing_cycles_passed"`
	InvoiceOnChargeFailure bool                `json:"send_invoice_on_charge_failure"`
	InvoiceOnAdd           bool                `json:"send_invoice_on_add_subscriber"`
	SendReceipt            bool                `json:"send_receipt"`
	InvoiceReference       string              `json:"invoice_reference"`
	ConfirmEachOrder       bool                `json:"subscription_confirm_each_order"`
	Override               *overrideBody       `json:"invoice_override"`
	FirstAmount            *int64              `json:"subscription_first_amount_cents"`
	debitBody
}

type overrideBody struct {
	Debt                  *int64        `json:"debt"`
	SubtotalOverride      *int64        `json:"subtotal_override"`
	TotalTaxOverride      *int64        `json:"total_tax_override"`
	TotalDiscountOverride *int64        `json:"total_discount_override"`
	TotalOverride         *int64        `json:"total_override"`
	Products              []productBody `json:"products"`
}

// debitBody is the DebiCheck fields of a subscription. Free texts that were not
// given are empty; everything else is null.
type debitBody struct {
	TrackingPeriod      *int64       `json:"subscription_tracking_period"` // days
	ValueType           *string      `json:"subscription_value_type"`
	AllowDateAdjustment *bool        `json:"subscription_allow_date_adjustment"`
	AuthenticationType  *string      `json:"subscription_authentication_type"`
	RealtimeAuthRetries *int64       `json:"subscription_realtime_auth_retries"`
	DelayedOnFailure    *bool        `json:"subscription_do_delayed_on_auth_failure"`
	VerifyAccount       *bool        `json:"subscription_verify_account"`
	ReferenceNumber     string       `json:"subscription_reference_number"`
	MaxAmountCents      *int64       `json:"subscription_max_amount_cents"`
	CreditorProfileCode string       `json:"subscription_creditor_profile_code"`
	CreditorName        string       `json:"subscription_creditor_abbreviated_name"`
	CreditorAccount     string       `json:"subscription_creditor_account_number"`
	DebtorAccount       string       `json:"subscription_debtor_account_number"` // masked
	DebtorAccountType   *string      `json:"subscription_debtor_account_type"`
	DebtorBranchCode    string       `json:"subscription_debtor_branch_code"`
	DebtorFirstName     string       `json:"subscription_debtor_first_name"`
	DebtorLastName      string       `json:"subscription_debtor_last_name"`
	DebtorIDNumber      string       `json:"subscription_debtor_id_number"` // masked
	DebtorPhoneNumber   string       `json:"subscription_debtor_phone_number"`
	AdjustmentCategory  *string      `json:"subscription_adjustment_category"`
	AdjustmentRate      *json.Number `json:"subscription_adjustment_rate"`   // percent
	AdjustmentAmount    *int64       `json:"subscription_adjustment_amount"` // cents
	ReleaseDate         *string      `json:"subscription_release_date"`
}

// SubscriberBody is a billing template client as the API and webhooks show it:
// its numbers masked.
func SubscriberBody(s subscription.Subscriber) any {
	next := s.NextOn
	if next.IsZero() && s.Status == subscription.Pending {
		next = s.FirstOn
	}
	return subscriberBody{
		Type: "billing_template_client", ID: s.ID, CreatedOn: s.CreatedAt.Unix(), UpdatedOn: s.UpdatedAt.Unix(),
		ClientID: s.ClientID, Status: s.Status,
		ScheduledOn: dateOrNull(next), RecurringToken: chargedOn(s), Whitelist: s.Whitelist, CyclesPassed: s.Passed,
		InvoiceOnChargeFailure: s.Switches.InvoiceOnChargeFailure, InvoiceOnAdd: s.Switches.InvoiceOnAdd,
		SendReceipt:      s.Switches.Receipt,
		InvoiceReference: s.Reference, ConfirmEachOrder: s.Switches.ConfirmEachOrder, Override: overrideOf(s.Override),
		FirstAmount: s.FirstCents, debitBody: debitOf(s.Debit),
	}
}

// chargedOn is the token that is charged; null when it was deleted or is being deleted.
func chargedOn(s subscription.Subscriber) *uuid.UUID {
	switch {
	case s.TokenID == uuid.Nil, s.Account == token.Deleting, s.Account == token.Deleted, s.Account == token.Superseded:
		return nil
	}
	return &s.TokenID
}

func overrideOf(o *subscription.Override) *overrideBody {
	if o = o.Every(); o == nil {
		return nil
	}
	return &overrideBody{Debt: o.DebtCents, SubtotalOverride: o.SubtotalOverrideCents,
		TotalTaxOverride:      o.TaxOverrideCents,
		TotalDiscountOverride: o.DiscountOverrideCents, TotalOverride: o.TotalOverrideCents, Products: productsOf(o.Products)}
}

func debitOf(d subscription.Debit) debitBody {
	kept := given(d.Fields)
	return debitBody{
		TrackingPeriod: kept.whole("tracking_period"), ValueType: kept.word("value_type"),
		AllowDateAdjustment: kept.yesNo("allow_date_adjustment"),
		AuthenticationType:  kept.word("authentication_type"), RealtimeAuthRetries: kept.whole("realtime_auth_retries"),
		DelayedOnFailure: kept.yesNo("do_delayed_on_auth_failure"), VerifyAccount: kept.yesNo("verify_account"),
		ReferenceNumber: kept.text("reference_number"), MaxAmountCents: kept.whole("max_amount_cents"),
		CreditorProfileCode: kept.text("creditor_profile_code"), CreditorName: kept.text("creditor_abbreviated_name"),
		CreditorAccount: kept.text("creditor_account_number"),
		DebtorAccount:   d.DebtorAccount.String(), DebtorAccountType: kept.word("debtor_account_type"),
		DebtorBranchCode: kept.text("debtor_branch_code"),
		DebtorFirstName:  kept.text("debtor_first_name"), DebtorLastName: kept.text("debtor_last_name"),
		DebtorIDNumber:    d.DebtorID.String(),
		DebtorPhoneNumber: kept.text("debtor_phone_number"), AdjustmentCategory: kept.word("adjustment_category"),
		AdjustmentRate:   kept.percent("adjustment_rate"),
		AdjustmentAmount: kept.whole("adjustment_amount"), ReleaseDate: kept.word("release_date"),
	}
}

// given is the DebiCheck fields as they were stored.
type given map[string]any

func (g given) text(name string) string { text, _ := g[name].(string); return text }

func (g given) word(name string) *string {
	if text := g.text(name); text != "" {
		return &text
	}
	return nil
}

func (g given) yesNo(name string) *bool {
	if b, ok := g[name].(bool); ok {
		return &b
	}
	return nil
}

// whole reads a number as it was given, or as it comes back from a store.
func (g given) whole(name string) *int64 {
	switch n := g[name].(type) {
	case int64:
		return &n
	case json.Number:
		if whole, err := n.Int64(); err == nil {
			return &whole
		}
	case float64:
		return ref(int64(n)) // exact: nothing kept here reaches 2 to the 53rd
	}
	return nil
}

func (g given) percent(name string) *json.Number {
	if text := g.text(name); text != "" {
		return ref(json.Number(text))
	}
	return nil
}

func dateOrNull(d calendar.Date) *string {
	if d.IsZero() {
		return nil
	}
	return ref(d.String())
}

package api

import (
	"github.com/google/uuid"

	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/weblink"
)

// templateBody is the complete key set of a template (API contract 5.1), with
// both names where a field has two.
type templateBody struct {
	Type               string             `json:"type"`
	ID                 uuid.UUID          `json:"id"`
	CreatedOn          int64              `json:"created_on"`
	UpdatedOn          int64              `json:"updated_on"`
	CompanyID          uuid.UUID          `json:"company_id"`
	IsTest             bool               `json:"is_test"`
	UserID             *uuid.UUID         `json:"user_id"`
	Purchase           detailsBody        `json:"purchase"`
	BrandID            uuid.UUID          `json:"brand_id"`
	Brand              uuid.UUID          `json:"brand"`
	Title              string             `json:"title"`
	IsSubscription     bool               `json:"is_subscription"`
	Issued             *string            `json:"issued"`
	InvoiceIssued      *string            `json:"invoice_issued"`
	Due                *int64             `json:"due"`
	InvoiceDue         *int64             `json:"invoice_due"`
	SkipCapture        bool               `json:"skip_capture"`
	InvoiceSkipCapture bool               `json:"invoice_skip_capture"`
	SendReceipt        bool               `json:"send_receipt"`
	InvoiceSendReceipt bool               `json:"invoice_send_receipt"`
	Period             int                `json:"subscription_period"`
	PeriodUnits        subscription.Units `json:"subscription_period_units"`
	DuePeriod          int                `json:"subscription_due_period"`
	DuePeriodUnits     subscription.Units `json:"subscription_due_period_units"`
	ChargePeriodEnd    bool               `json:"subscription_charge_period_end"`
	TrialPeriods       int                `json:"subscription_trial_periods"`
	Paused             bool               `json:"subscription_paused"`
	Active             bool               `json:"subscription_active"`
	HasActiveClients   bool               `json:"subscription_has_active_clients"`
	ForceRecurring     bool               `json:"force_recurring"`
	Cycles             *int               `json:"number_of_billing_cycles"`
	Whitelist          []string           `json:"payment_method_whitelist"`
	SuccessRedirect    string             `json:"success_redirect"`
	FailureRedirect    string             `json:"failure_redirect"`
	CancelRedirect     string             `json:"cancel_redirect"`
}

// TemplateBody is a template as the API shows it.
func TemplateBody(t subscription.Template) any {
	issued, due := dateOrNull(t.Issued), unixOrNull(t.Due)
	receipts := t.Options.SendReceipt || t.IsSubscription // there each subscriber has a switch of its own
	return templateBody{
		Type: "billing_template", ID: t.ID, CreatedOn: t.CreatedAt.Unix(), UpdatedOn: t.UpdatedAt.Unix(),
		CompanyID: t.MerchantID, IsTest: t.IsTest,
		UserID: idOrNull(t.UserID), Purchase: detailsOf(patternOf(t)), BrandID: t.BrandID, Brand: t.BrandID, Title: t.Title,
		IsSubscription: t.IsSubscription,
		Issued:         issued, InvoiceIssued: issued, Due: due, InvoiceDue: due, SkipCapture: t.Options.SkipCapture,
		InvoiceSkipCapture: t.Options.SkipCapture,
		SendReceipt:        receipts, InvoiceSendReceipt: receipts,
		Period: t.Plan.Period, PeriodUnits: t.Plan.Units, DuePeriod: t.Plan.DuePeriod, DuePeriodUnits: t.Plan.DueUnits,
		ChargePeriodEnd: t.Plan.ChargeAtEnd, TrialPeriods: t.Plan.TrialPeriods, Cycles: t.Plan.Cycles,
		Paused: t.Paused, Active: !t.Paused, HasActiveClients: t.HasActive, ForceRecurring: t.Options.ForceRecurring,
		Whitelist:       t.Options.Whitelist,
		SuccessRedirect: weblink.HideLogin(t.Options.SuccessRedirect),
		FailureRedirect: weblink.HideLogin(t.Options.FailureRedirect),
		CancelRedirect:  weblink.HideLogin(t.Options.CancelRedirect),
	}
}

// patternOf is what each purchase of the template will hold.
func patternOf(t subscription.Template) purchase.Record {
	return purchase.Record{Purchase: purchase.Purchase{Currency: t.Currency, TotalCents: t.TotalCents,
		DueStrict: t.DueStrict, Details: t.Details}}
}

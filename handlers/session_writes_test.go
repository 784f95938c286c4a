package handlers_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Every writing address of the API that a session may call, and what holds a person
// to there that holds on the pages. A new address is to be thought about and named.
var sessionWrites = map[string][]string{
	"the use case of the page, which limits nobody": {
		"POST /api/v1/clients", "PUT /api/v1/clients/:id", "PATCH /api/v1/clients/:id",
		"POST /api/v1/purchases", "POST /api/v1/purchases/:id/cancel", "POST /api/v1/purchases/:id/charge",
		"POST /api/v1/purchases/:id/capture",
		"POST /api/v1/purchases/:id/release", "POST /api/v1/purchases/:id/mark_as_paid",
		"POST /api/v1/purchases/:id/resend_invoice", "POST /api/v1/purchases/:id/refund",
		"POST /api/v1/company_statements", "POST /api/v1/company_statements/:id/cancel",
		"POST /api/v1/billing_templates", "PUT /api/v1/billing_templates/:id", "DELETE /api/v1/billing_templates/:id",
		"POST /api/v1/billing_templates/:id/send_invoice", "POST /api/v1/billing_templates/:id/add_subscriber",
		"PATCH /api/v1/billing_templates/:id/clients/:btc_id", "PATCH /api/v1/billing_templates/clients/:btc_id",
		"POST /billing_templates", "PUT /billing_templates/:id", "DELETE /billing_templates/:id",
		"POST /billing_templates/:id/send_invoice",
		"POST /billing_templates/:id/add_subscriber", "PATCH /billing_templates/:id/clients/:btc_id",
		"PATCH /billing_templates/clients/:btc_id"},
	"webhook.Service asks people for the permission for settings": {
		"POST /api/v1/webhooks", "PUT /api/v1/webhooks/:id", "PATCH /api/v1/webhooks/:id", "DELETE /api/v1/webhooks/:id",
		"POST /api/v1/webhooks/:id/test",
		"POST /api/v1/webhooks/:id/resend", "POST /api/v1/webhooks/deliveries/:id/resend"},
	"merchant.Demands.MaySend: the person's limit, the second approver": {"POST /api/v1/billing", "POST /billing",
		"POST /api/v1/billing_templates/:id/send_invoice", "POST /billing_templates/:id/send_invoice",
		"PUT /api/v1/billing_templates/:id", "PUT /billing_templates/:id"},
	"purchase.Service.DeleteToken: the second approver, undo": {
		"DELETE /api/v1/clients/:id/recurring_tokens/:token_id", "POST /api/v1/purchases/:id/delete_recurring_token",
		"POST /purchases/:id/delete_recurring_token"},
	"purchase.Service.ForgetClient: the second approver when accounts go with the client": {"DELETE /api/v1/clients/:id"},
}

func TestEveryWritingAddressOfTheAPIIsKnownToHoldPeopleToTheRulesOfThePages(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	var known []string
	for _, routes := range sessionWrites {
		known = append(known, routes...)
	}
	served := map[string]bool{}
	s.each(func(method, route string) {
		if method == http.MethodGet || method == http.MethodHead || !isAPI(route) &&
			!strings.HasSuffix(route, "/delete_recurring_token") {
			return
		}
		at := method + " " + route
		if served[at] = true; !slices.Contains(known, at) {
			t.Errorf("%s: what of the dashboard's rules (limits, second approver, undo) holds a person there?", at)
		}
	})
	for _, at := range known {
		if !served[at] {
			t.Errorf("%s is not served", at)
		}
	}
}

package subscription_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/subscription"
)

// changed are the facts of the newest entry about an object that differ, before and after.
func (h *house) changed(id uuid.UUID) map[string]string {
	h.t.Helper()
	var before, after map[string]any
	var texts [2][]byte
	must(h.t, h.store.Pool.QueryRow(ctx, `SELECT before, after FROM audit_entries WHERE object_id = $1
		ORDER BY id DESC LIMIT 1`, id).Scan(&texts[0], &texts[1]))
	must(h.t, json.Unmarshal(texts[0], &before))
	must(h.t, json.Unmarshal(texts[1], &after))
	out := map[string]string{}
	for name := range after {
		if b, a := fmt.Sprint(before[name]), fmt.Sprint(after[name]); b != a {
			out[name] = b + " → " + a
		}
	}
	for name, was := range before {
		if _, stays := after[name]; !stays {
			out[name] = fmt.Sprint(was) + " → nothing"
		}
	}
	return out
}

// Whatever a person changes of a template or a subscriber stands in the audit, before and after.
func TestTheAuditKeepsWhatWasAgreedBeforeAndAfter(t *testing.T) {
	t.Parallel()
	h := open(t)
	tpl := h.template(subscription.Default())
	for name, change := range map[string]func(*subscription.Input){
		"title":                          func(in *subscription.Input) { in.Title = "Gold" },
		"total_cents":                    func(in *subscription.Input) { in.Pattern.Details.Products[0].PriceCents++ },
		"lines":                          func(in *subscription.Input) { in.Pattern.Details.Products[0].Name = "Gold" },
		"note":                           func(in *subscription.Input) { in.Pattern.Details.Notes = "Thank you." },
		"message":                        func(in *subscription.Input) { in.Pattern.Details.EmailMessage = "Hello." },
		"due_strict":                     func(in *subscription.Input) { in.Pattern.DueStrict = true },
		"payment_methods":                func(in *subscription.Input) { in.Pattern.Options.Whitelist = []string{"eft"} },
		"send_invoice_on_charge_failure": func(in *subscription.Input) { in.Pattern.Options.InvoiceOnFailure = true },
		"period":                         func(in *subscription.Input) { in.Plan.Period = 2 },
	} {
		_, err := h.subs.Update(ctx, h.who, tpl.ID, h.asked(subscription.Default()))
		must(t, err)
		in := h.asked(subscription.Default())
		in.Pattern.Details = one(10000)
		change(&in)
		_, err = h.subs.Update(ctx, h.who, tpl.ID, in)
		must(t, err)
		if got := h.changed(tpl.ID); got[name] == "" {
			t.Errorf("%s of a template is changed, and the audit says %v", name, got)
		}
	}
	sub := h.add(tpl, h.client()).Subscriber
	total := int64(9000)
	for name, change := range map[string]func(*subscription.SubscriberInput){
		"total_cents": func(in *subscription.SubscriberInput) {
			in.Override = &subscription.Override{TotalOverrideCents: &total}
		},
		"lines": func(in *subscription.SubscriberInput) {
			in.Override = &subscription.Override{Products: one(8000).Products}
		},
		"first_amount_cents": func(in *subscription.SubscriberInput) { in.First = &total },
		"reference":          func(in *subscription.SubscriberInput) { in.Reference = "GYM-7" },
		"payment_methods":    func(in *subscription.SubscriberInput) { in.Whitelist = []string{"eft"} },
		"send_receipt":       func(in *subscription.SubscriberInput) { in.Switches.Receipt = false },
		"confirm_each_order": func(in *subscription.SubscriberInput) { in.Switches.ConfirmEachOrder = true },
		"send_invoice_on_charge_failure": func(in *subscription.SubscriberInput) {
			in.Switches.InvoiceOnChargeFailure = false
		},
	} {
		plain := func(in *subscription.SubscriberInput) {
			in.Override, in.First, in.Reference, in.Whitelist, in.Switches = nil, nil, "", nil, mails
		}
		for _, one := range []func(*subscription.SubscriberInput){plain, change} {
			_, err := h.subs.Change(ctx, h.who, tpl.ID, sub.ID, one)
			must(t, err)
		}
		if got := h.changed(sub.ID); got[name] == "" {
			t.Errorf("%s of a subscriber is changed, and the audit says %v", name, got)
		}
	}
}

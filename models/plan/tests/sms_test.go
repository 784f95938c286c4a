package tests

import (
	"strings"
	"testing"

	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/plan"
	"debitdesk/models/sms"
)

func TestAPlanRemindsBySMSWhereThereIsNoAddress(t *testing.T) {
	h := open(t)
	h.plan(plan.Steps{plan.Money: {{Kind: plan.Message, Channel: plan.Either}, {Kind: plan.Task}}})
	clientID, tokenID := h.stored()
	id := h.charged(clientID, tokenID, nov(25))
	h.exec(`UPDATE purchases SET payer_email = '',
		payer = payer || '{"email": "", "phone": "27821234567"}' WHERE id = $1`, id)
	h.to(nov(26).At(9, 0))
	h.answer(id, "02")
	taken := h.taken(h.run(id))
	if len(taken) == 0 || taken[0].Kind != plan.Message || taken[0].Outcome != plan.Done {
		t.Fatalf("the steps are %+v", taken)
	}
	_, err := h.use.Texts.SendDue(ctx)
	must(t, err)
	found, err := h.use.Texts.Store.Messages(ctx, h.who.MerchantID, paging.Ask{Limit: 10})
	must(t, err)
	if len(found) != 1 || found[0].PurchaseID != id || found[0].State != sms.Delivered || found[0].To != "+27821234567" ||
		!strings.HasPrefix(found[0].Text, "acme: R 100,00 is not paid yet.") ||
		!strings.Contains(found[0].Text, "https://desk.example/p/"+id.String()) || found[0].Parts > 2 {
		t.Errorf("the messages are %+v", found)
	}
	if n := h.number(`SELECT count(*) FROM mails WHERE purchase_id = $1 AND kind = 'reminder'`, id); n != 0 {
		t.Errorf("%d mails", n)
	}
}

func TestAPlanWithSMSNeedsAProvider(t *testing.T) {
	h := open(t)
	h.use.Texts.Gateway = nil
	_, err := h.use.Plans.Create(ctx, h.who, plan.Input{Name: "By SMS",
		Steps: plan.Steps{plan.Money: {{Kind: plan.Message, Channel: plan.BySMS}}}})
	if f, _ := fault.From(err); f == nil || len(f.Fields) != 1 || f.Fields[0].Path != plan.At(plan.Money, 0) {
		t.Errorf("without a provider: %v", err)
	}
}

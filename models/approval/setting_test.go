package approval_test

import (
	"context"
	"strings"
	"testing"

	"debitdesk/models/approval"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/webhook"
)

var newAccount = merchant.ProfileInput{ProfileCode: "TEST2", AbbreviatedName: "OTHER", AccountNumber: "62000000999",
	BranchCode: "250655"}

func (h *house) guarded() {
	h.t.Helper()
	must(h.t, h.approvals.Demand(context.Background(), h.asker, merchant.Demands{Settings: true}))
}

func (h *house) askSetting(s approval.Setting) approval.Approval {
	h.t.Helper()
	a, err := h.approvals.Ask(context.Background(), h.asker, approval.ChangeSetting, approval.Subject{Setting: &s},
		"We changed our bank.")
	must(h.t, err)
	return a
}

func TestAClearingAccountNeedsASecondApproverAndAllAdminsHearOfIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	_, err := h.approvals.Brands.AddProfile(ctx, h.asker, h.brand, newAccount)
	must(t, err) // as long as nobody demands it
	h.exec(`DELETE FROM debit_profiles WHERE profile_code = 'TEST2'`)
	h.guarded()
	profiles := func() int { return h.count(`SELECT count(*) FROM debit_profiles WHERE brand_id = $1`, h.brand) }
	_, err = h.approvals.Brands.AddProfile(ctx, h.asker, h.brand, newAccount)
	wantCode(t, err, "approval_needed")
	a := h.askSetting(approval.Setting{Do: approval.AddProfile, Brand: h.brand, Profile: &newAccount})
	if profiles() != 1 {
		t.Error("asking added it")
	}
	text := strings.Join(a.Subject.Setting.Lines, "\n")
	if !strings.Contains(text, "TEST2 · OTHER, account •••• 0999") || strings.Contains(text, "62000000999") {
		t.Errorf("it says %s", text)
	}
	open, err := h.approvals.OpenSettings(ctx, h.finance)
	if must(t, err); len(open) != 1 || open[0].ID != a.ID {
		t.Errorf("pending: %v", open)
	}
	_, err = h.says(h.asker, a, true)
	wantCode(t, err, "own_request")
	_, err = h.says(h.second, a, true)
	must(t, err)
	if profiles() != 2 || h.count(`SELECT count(*) FROM audit_entries WHERE action = 'profile.added' AND actor_id = $1`,
		h.asker.ID) != 2 {
		t.Error("it was agreed to and not done on behalf of who asked")
	}
}

func TestAChangeThatWaitsIsWithdrawnOrRefusedWithoutATrace(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	h.guarded()
	s := approval.Setting{Do: approval.AddProfile, Brand: h.brand, Profile: &newAccount}
	a := h.askSetting(s)
	_, err := h.approvals.Ask(ctx, h.asker, approval.ChangeSetting, approval.Subject{Setting: &s}, "Again.")
	wantCode(t, err, "already_asked")
	_, err = h.approvals.Withdraw(ctx, h.asker, a.ID)
	must(t, err)
	_, err = h.says(h.second, a, true)
	wantCode(t, err, "approval_over")
	a = h.askSetting(s)
	_, err = h.approvals.Decide(ctx, h.second, a.ID, approval.Verdict{Words: "Nobody told me."})
	must(t, err)
	if n := h.count(`SELECT count(*) FROM debit_profiles WHERE brand_id = $1`, h.brand); n != 1 {
		t.Errorf("%d profiles", n)
	}
	bad := newAccount
	bad.AccountNumber = "1"
	if _, err := h.approvals.Ask(ctx, h.asker, approval.ChangeSetting, approval.Subject{Setting: &approval.Setting{
		Do: approval.AddProfile, Brand: h.brand, Profile: &bad}}, "x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("an account that there cannot be: %v", err)
	}
	if _, err := h.approvals.Ask(ctx, h.finance, approval.ChangeSetting, approval.Subject{Setting: &s},
		"x"); !fault.Is(err, fault.Forbidden) {
		t.Errorf("finance: %v", err)
	}
}

func TestAnotherDefaultAccountIsNotTheOneThatWasAgreedTo(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	p, err := h.approvals.Brands.AddProfile(ctx, h.asker, h.brand, newAccount)
	must(t, err)
	third := newAccount
	third.ProfileCode = "TEST3"
	q, err := h.approvals.Brands.AddProfile(ctx, h.asker, h.brand, third)
	must(t, err)
	h.guarded()
	_, err = h.approvals.Brands.DefaultTo(ctx, h.asker, h.brand, p.ID)
	wantCode(t, err, "approval_needed")
	a := h.askSetting(approval.Setting{Do: approval.DefaultProfile, Brand: h.brand, ID: p.ID})
	b := h.askSetting(approval.Setting{Do: approval.DefaultProfile, Brand: h.brand, ID: q.ID})
	_, err = h.says(h.second, b, true)
	must(t, err)
	_, err = h.says(h.second, a, true)
	wantCode(t, err, "setting_changed")
	if n := h.count(`SELECT count(*) FROM debit_profiles WHERE id = $1 AND is_default`, q.ID); n != 1 {
		t.Error("the default is not what was agreed to")
	}
}

func TestAWebhookNeedsASecondApprover(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	h.guarded()
	in := approval.WebhookInput{Title: "Books", Callback: "https://books.example/in", AllEvents: true}
	_, err := h.approvals.Webhooks.Create(ctx, h.asker, webhook.Input{Title: in.Title, Callback: in.Callback,
		AllEvents: true})
	wantCode(t, err, "approval_needed")
	hooks := func() int { return h.count(`SELECT count(*) FROM webhooks WHERE deleted_at IS NULL`) }
	a := h.askSetting(approval.Setting{Do: approval.AddWebhook, Webhook: &in})
	if hooks() != 0 {
		t.Error("asking added it")
	}
	_, err = h.says(h.second, a, true)
	must(t, err)
	made, err := h.approvals.Webhooks.List(ctx, h.asker, paging.Ask{Limit: 10})
	must(t, err)
	if len(made.Items) != 1 || made.Items[0].PublicKey == "" {
		t.Fatalf("%+v", made.Items)
	}
	id := made.Items[0].ID
	in.Callback = "https://thief.example/in"
	_, err = h.approvals.Webhooks.Update(ctx, h.asker, id, func(now *webhook.Input) { now.Callback = in.Callback })
	wantCode(t, err, "approval_needed")
	wantCode(t, h.approvals.Webhooks.Delete(ctx, h.asker, id), "approval_needed")
	a = h.askSetting(approval.Setting{Do: approval.ChangeWebhook, ID: id, Webhook: &in})
	_, err = h.says(h.second, a, true)
	must(t, err)
	if n := h.count(`SELECT count(*) FROM webhooks WHERE callback = 'https://thief.example/in'`); n != 1 {
		t.Error("it was agreed to and not done")
	}
}

func TestSettingsNeedNoSecondApproverForPrograms(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.guarded()
	program := h.asker
	program.Kind, program.Scopes = "credential", nil
	program.Scopes = append(program.Scopes, "write")
	_, err := h.approvals.Webhooks.Create(context.Background(), program, webhook.Input{Title: "Books",
		Callback: "https://books.example/in", AllEvents: true})
	must(t, err)
}

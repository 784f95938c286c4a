package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/api/input"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

const (
	aBrand = "0192d1a0-0000-7000-8000-000000000001"
	aPayer = "0192d1a0-0000-7000-8000-000000000002"
)

func object(t *testing.T, body string) *input.Object {
	t.Helper()
	o, err := input.Read(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func form(t *testing.T, values url.Values) *input.Object {
	t.Helper()
	r := httptest.NewRequest(http.MethodPatch, "/", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	o, err := input.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func codes(p fault.Problems) []string {
	out := []string{}
	for _, f := range p {
		out = append(out, f.Path+"="+f.Code)
	}
	slices.Sort(out)
	return out
}

func aTemplate(kind, more string) string {
	return fmt.Sprintf(
		`{"brand_id":%q,"title":"Gym","is_subscription":%s,"purchase":{"products":[{"name":"Month","price":10000}]}%s}`,
		aBrand, kind, more)
}

func TestWhatASubscriptionLeavesOutTakesItsDefault(t *testing.T) {
	in := readTemplate(object(t, aTemplate("true", "")), nil)
	if len(in.Problems) > 0 {
		t.Fatal(in.Problems)
	}
	want := subscription.Plan{Period: 1, Units: subscription.Months, DuePeriod: 7, DueUnits: subscription.Days}
	if in.Plan != want || in.Paused || !in.IsSubscription || in.Title != "Gym" {
		t.Errorf("%+v", in)
	}
	o := in.Pattern.Options
	if o.ForceRecurring || o.SkipCapture || !o.SendReceipt || o.Whitelist != nil || o.SuccessRedirect != "" {
		t.Errorf("%+v", o)
	}
	nulls := readTemplate(object(t, aTemplate(
		"true",
		`,"subscription_period":null,"subscription_period_units":null,"subscription_due_period":null,"subscription_due_period_units":null,
		"subscription_charge_period_end":null,"subscription_trial_periods":null,"subscription_paused":null,"subscription_active":null,"number_of_billing_cycles":null,"payment_method_whitelist":null,"unknown":{"x":1}`,
	)), nil)
	if len(nulls.Problems) > 0 || nulls.Plan != want || nulls.Paused {
		t.Errorf("null counts as left out: %+v", nulls)
	}
}

func TestEachFieldOfAPlanIsRead(t *testing.T) {
	in := readTemplate(object(t, aTemplate(
		"true",
		`,"subscription_period":2,"subscription_period_units":"weeks","subscription_due_period":3,"subscription_due_period_units":"months",
		"subscription_charge_period_end":true,"subscription_trial_periods":4,"subscription_active":false,"number_of_billing_cycles":5,"force_recurring":true,"payment_method_whitelist":["eft"],
		"success_redirect":"https://a.example/1","failure_redirect":"https://a.example/2","cancel_redirect":"https://a.example/3"`,
	)), nil)
	p := in.Plan
	if len(in.Problems) > 0 || p.Period != 2 || p.Units != subscription.Weeks || p.DuePeriod != 3 ||
		p.DueUnits != subscription.Months || !p.ChargeAtEnd || p.TrialPeriods != 4 || *p.Cycles != 5 || !in.Paused {
		t.Errorf("%+v", in)
	}
	o := in.Pattern.Options
	if !o.ForceRecurring || !reflect.DeepEqual(o.Whitelist, []string{"eft"}) ||
		o.SuccessRedirect != "https://a.example/1" || o.FailureRedirect != "https://a.example/2" ||
		o.CancelRedirect != "https://a.example/3" {
		t.Errorf("%+v", o)
	}
}

func TestBothEndsOfEveryPlanLimit(t *testing.T) {
	for _, c := range []struct {
		more string
		want []string
	}{
		{`"subscription_period":1`, nil}, {`"subscription_period":256`, nil},
		{`"subscription_period":0`, []string{"subscription_period=min_value"}},
		{`"subscription_period":257`, []string{"subscription_period=max_value"}},
		{`"subscription_due_period":1`, nil}, {`"subscription_due_period":256`, nil},
		{`"subscription_due_period":0`, []string{"subscription_due_period=min_value"}},
		{`"subscription_due_period":257`, []string{"subscription_due_period=max_value"}},
		{`"subscription_trial_periods":0`, nil}, {`"subscription_trial_periods":256`, nil},
		{`"subscription_trial_periods":-1`, []string{"subscription_trial_periods=min_value"}},
		{`"subscription_trial_periods":257`, []string{"subscription_trial_periods=max_value"}},
		{`"number_of_billing_cycles":1`, nil}, {`"number_of_billing_cycles":0`,
			[]string{"number_of_billing_cycles=min_value"}},
		{`"number_of_billing_cycles":"x"`, []string{"number_of_billing_cycles=invalid"}},
		{`"subscription_period":1.5`, []string{"subscription_period=invalid"}}, {`"subscription_period":"2"`, nil},
		{`"subscription_period_units":"days"`, nil},
		{`"subscription_period_units":"years"`, []string{"subscription_period_units=invalid_choice"}},
		{`"subscription_due_period_units":5`, []string{"subscription_due_period_units=invalid_choice"}},
		{`"subscription_charge_period_end":"perhaps"`, []string{"subscription_charge_period_end=invalid"}},
		{`"subscription_paused":true,"subscription_active":false`, nil},
		{`"subscription_paused":false,"subscription_active":true`, nil},
		{`"subscription_paused":true,"subscription_active":true`, []string{"subscription_paused=invalid"}},
		{`"subscription_paused":false,"subscription_active":false`, []string{"subscription_paused=invalid"}},
		{`"subscription_active":"no"`, nil}, {`"subscription_active":7`, []string{"subscription_active=invalid"}},
	} {
		got := codes(readTemplate(object(t, aTemplate("true", ","+c.more)), nil).Problems)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.more, got, c.want)
		}
	}
}

func TestTheInvoiceFieldsHaveTwoNames(t *testing.T) {
	for _, c := range []struct {
		more string
		want []string
	}{
		{`"due":1796104800,"issued":"2026-11-30","skip_capture":true,"send_receipt":false`, nil},
		{`"invoice_due":1796104800,"invoice_issued":"2026-11-30","invoice_skip_capture":true,"invoice_send_receipt":false`,
			nil},
		{
			`"due":1796104800,"invoice_due":1796104800,"issued":"2026-11-30","invoice_issued":null,"skip_capture":true,"invoice_skip_capture":"true","send_receipt":false,"invoice_send_receipt":false`, nil},
	} {
		in := readTemplate(object(t, aTemplate("false", ","+c.more)), nil)
		p := in.Pattern
		if len(in.Problems) > 0 || p.Due == nil || p.Due.Unix() != 1796104800 ||
			p.Issued != (calendar.Date{Year: 2026, Month: time.November, Day: 30}) || !p.Options.SkipCapture ||
			p.Options.SendReceipt {
			t.Errorf("%s: %+v", c.more, in)
		}
	}
	for more, want := range map[string][]string{
		`"due":1,"invoice_due":2`:                                     {"due=invalid"},
		`"due":null,"invoice_due":""`:                                 {"due=required"},
		`"due":5,"issued":"2026-11-30","invoice_issued":"2026-12-01"`: {"issued=invalid"},
		`"due":5,"skip_capture":true,"invoice_skip_capture":false`:    {"skip_capture=invalid"},
		`"due":5,"send_receipt":false,"invoice_send_receipt":true`:    {"send_receipt=invalid"},
		`"due":5,"brand":"` + aPayer + `"`:                            {"brand=invalid"},
		`"invoice_due":"soon"`:                                        {"invoice_due=invalid"},
		`"due":5,"issued":"30-11-2026"`:                               {"issued=invalid"},
	} {
		if got := codes(readTemplate(object(t, aTemplate("false", ","+more)), nil).Problems); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", more, got, want)
		}
	}
	plain := readTemplate(object(t, aTemplate("false", `,"due":5`)), nil)
	if !plain.Pattern.Options.SendReceipt || plain.Pattern.Options.SkipCapture || !plain.Pattern.Issued.IsZero() {
		t.Errorf("defaults of an invoice: %+v", plain.Pattern.Options)
	}
	alias := readTemplate(object(t, `{"brand":"`+aBrand+
		`","title":"x","is_subscription":true,"purchase":{"products":[{"name":"a","price":1}]}}`), nil)
	if alias.Pattern.BrandID.String() != aBrand || len(alias.Problems) > 0 {
		t.Errorf("brand: %+v", alias.Problems)
	}
}

func TestWhatIsReadOnlyIsNotLookedAt(t *testing.T) {
	ofSubscriptions := `"subscription_period":9999,"subscription_period_units":7,"subscription_due_period":"x","subscription_charge_period_end":"x","subscription_trial_periods":-9,
		"subscription_paused":true,"subscription_active":true,"number_of_billing_cycles":-1,"subscription_has_active_clients":"x"`
	ofInvoices := `"due":"x","issued":"x","skip_capture":"x","send_receipt":"x","invoice_due":1,"invoice_send_receipt":false`
	always := `,"id":"x","type":1,"created_on":"x","updated_on":null,"company_id":1,"is_test":"x","user_id":1`
	once := readTemplate(object(t, aTemplate("false", `,"due":5,`+ofSubscriptions+always)), nil)
	if len(once.Problems) > 0 || once.Paused || once.Plan != subscription.Default() {
		t.Errorf("%+v", once)
	}
	runs := readTemplate(object(t, aTemplate("true", ","+ofInvoices+always)), nil)
	if len(runs.Problems) > 0 || runs.Pattern.Due != nil || !runs.Pattern.Issued.IsZero() ||
		runs.Pattern.Options.SkipCapture || !runs.Pattern.Options.SendReceipt {
		t.Errorf("%+v", runs)
	}
	plan := subscription.Plan{Period: 3, Units: subscription.Weeks, DuePeriod: 2, DueUnits: subscription.Weeks,
		TrialPeriods: 1}
	locked := readTemplate(object(t, aTemplate(
		"true",
		`,"subscription_period":9999,"subscription_period_units":7,"number_of_billing_cycles":-1,"subscription_paused":true`,
	)),
		&subscription.Template{IsSubscription: true, Launched: true, Plan: plan})
	if len(locked.Problems) > 0 || locked.Plan != plan || !locked.Paused {
		t.Errorf("a launched plan stays and pausing stays possible: %+v", locked)
	}
	open := readTemplate(object(t, aTemplate("true", `,"subscription_period":9999`)),
		&subscription.Template{IsSubscription: true, Plan: plan})
	if got := codes(open.Problems); !slices.Equal(got, []string{"subscription_period=max_value"}) {
		t.Errorf("nobody runs on it yet: %v", got)
	}
}

func TestATemplateNeedsItsRequiredFields(t *testing.T) {
	for body, want := range map[string][]string{
		`{}`: {"is_subscription=required", "purchase=required"},
		`{"brand_id":"","title":"  ","is_subscription":null,"purchase":null}`: {"is_subscription=required",
			"purchase=required"},
		aTemplate("false", ""):     {"due=required"},
		aTemplate(`"perhaps"`, ""): {"is_subscription=invalid"},
		fmt.Sprintf(`{"brand_id":"x","title":%q,"is_subscription":"true","purchase":[]}`, strings.Repeat("é", 257)): {
			"brand_id=invalid", "purchase=invalid", "title=max_length"},
	} {
		got := slices.DeleteFunc(codes(readTemplate(object(t, body), nil).Problems),
			func(c string) bool { return strings.HasPrefix(c, "purchase.") })
		if !slices.Equal(got, want) {
			t.Errorf("%.200s: %v, want %v", body, got, want)
		}
	}
	full := strings.Replace(aTemplate("true", ""), "Gym", strings.Repeat("é", 256), 1)
	if got := readTemplate(object(t, full), nil).Problems; len(got) > 0 {
		t.Errorf("256 letters: %v", got)
	}
}

func TestATemplateSentBackAsItWasAnsweredIsTheSame(t *testing.T) {
	for name, body := range map[string]string{
		"subscription": aTemplate("true",
			`,"subscription_period":2,"subscription_active":false,"number_of_billing_cycles":3,"payment_method_whitelist":["eft"]`),
		"invoice": aTemplate("false", `,"due":1796104800,"issued":"2026-11-30","send_receipt":false`),
	} {
		in := readTemplate(object(t, body), nil)
		in.Pattern.Details.Language, in.Pattern.Details.Timezone = "en", "UTC" // as the rules complete them
		stored := subscription.Template{ID: uuid.New(), BrandID: in.Pattern.BrandID, Title: in.Title,
			IsSubscription: in.IsSubscription, Currency: "ZAR", TotalCents: 10000,
			Details: in.Pattern.Details, Options: in.Pattern.Options, Issued: in.Pattern.Issued, Plan: in.Plan,
			Paused: in.Paused}
		if in.Pattern.Due != nil {
			stored.Due = *in.Pattern.Due
		}
		answer, err := Marshal(TemplateBody(stored))
		if err != nil {
			t.Fatal(err)
		}
		again := readTemplate(object(t, string(answer)), &stored)
		again.Pattern.Currency = ""
		first, _ := json.Marshal(in)
		second, _ := json.Marshal(again)
		if len(again.Problems) > 0 || strings.ReplaceAll(string(second), "[]", "null") != strings.ReplaceAll(string(first),
			"[]", "null") {
			t.Errorf("%s:\n%s\n%s", name, first, second)
		}
	}
}

func TestADebitOrderBlockTellsItsMethod(t *testing.T) {
	for block, want := range map[string][]string{
		`"profile_code":"TEST1"`: {"eft"}, ``: {"eft"}, `"value_type":"FIXED"`: {"debicheck"}, `"value_type":null`: {"eft"},
	} {
		body := fmt.Sprintf(
			`{"brand_id":%q,"title":"x","is_subscription":true,"purchase":{"products":[{"name":"a","price":1}],"payment_method_details":{"direct_debit":{%s}}}}`,
			aBrand,
			block,
		)
		if got := readTemplate(object(t, body), nil); !slices.Equal(got.Pattern.Options.Whitelist, want) {
			t.Errorf("%s: %v", block, got.Pattern.Options.Whitelist)
		}
	}
}

func TestTheKindOfATemplateCannotChange(t *testing.T) {
	for stored, body := range map[bool]string{true: aTemplate("false", ""), false: aTemplate("true", `,"due":5`)} {
		in := readTemplate(object(t, body), &subscription.Template{IsSubscription: stored})
		if got := codes(in.Problems); !slices.Equal(got, []string{"is_subscription=invalid"}) || in.IsSubscription != stored {
			t.Errorf("%v: %v", stored, got)
		}
	}
}

func TestInvoicesHaveAnAddress(t *testing.T) {
	for product, want := range map[string]bool{purchase.ByPurchases: false, purchase.ByInvoices: true,
		purchase.BySubscription: false, purchase.BySubscriptionInvoice: true} {
		if got := Base(
			"https://a.example",
		).invoice(purchase.Record{Purchase: purchase.Purchase{Product: product}}); (got != nil) != want {
			t.Errorf("%s: %v", product, got)
		}
	}
}

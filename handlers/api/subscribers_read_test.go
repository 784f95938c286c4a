package api

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/subscription"
)

func TestAnAddedClientNeedsNothingButItsID(t *testing.T) {
	in := newSubscriber(object(t, `{"client_id":"`+aPayer+
		`","brand_id":"ignored","status":"active","id":"x","number_of_billing_cycles_passed":7}`))
	if len(in.Problems) > 0 || in.ClientID.String() != aPayer || !in.FirstOn.IsZero() || in.Whitelist != nil ||
		in.Reference != "" || in.Override != nil || in.Paused != nil || len(in.Debit.Fields) > 0 {
		t.Errorf("%+v", in)
	}
	if want := (subscription.Switches{InvoiceOnChargeFailure: true, InvoiceOnAdd: true,
		Receipt: true}); in.Switches != want {
		t.Errorf("%+v", in.Switches)
	}
	for body, want := range map[string][]string{
		`{}`: {"client_id=required"}, `{"client_id":null}`: {"client_id=required"},
		`{"client_id":"x"}`: {"client_id=invalid"},
	} {
		if got := codes(newSubscriber(object(t, body)).Problems); !slices.Equal(got, want) {
			t.Errorf("%s: %v", body, got)
		}
	}
}

const everything = `"payment_method_whitelist":["debicheck"],"send_invoice_on_charge_failure":false,"send_invoice_on_add_subscriber":"false","send_receipt":0,
	"invoice_reference":"MEM-1","subscription_confirm_each_order":true,"invoice_override":{"debt":-5,"total_override":9000,"products":[{"name":"Half","price":5000,"quantity":"0.5"}]},
	"subscription_tracking_period":3,"subscription_value_type":"VARIABLE","subscription_allow_date_adjustment":false,"subscription_authentication_type":"DELAYED","subscription_realtime_auth_retries":2,
	"subscription_do_delayed_on_auth_failure":true,"subscription_verify_account":"true","subscription_reference_number":"REF","subscription_max_amount_cents":15000,"subscription_creditor_profile_code":"TEST1",
	"subscription_creditor_abbreviated_name":"TESTMERCH1","subscription_creditor_account_number":"12345678","subscription_debtor_account_number":"6200000001","subscription_debtor_account_type":"SAVINGS",
	"subscription_debtor_branch_code":"470010","subscription_debtor_first_name":"Thandi","subscription_debtor_last_name":"Nkosi","subscription_debtor_id_number":"8501015000085",
	"subscription_debtor_phone_number":"27821234567","subscription_adjustment_category":"ANNUALLY","subscription_adjustment_rate":"5.50","subscription_release_date":"2027-01-31"`

func TestEveryFieldOfASubscriberIsReadAndAnsweredMasked(t *testing.T) {
	in := newSubscriber(object(t, `{"client_id":"`+aPayer+`","subscription_billing_scheduled_on":"2027-01-31",`+everything+
		`}`))
	if len(in.Problems) > 0 || in.FirstOn != (calendar.Date{Year: 2027, Month: 1, Day: 31}) ||
		in.Debit.DebtorAccount.Reveal() != "6200000001" || in.Debit.DebtorID.Reveal() != "8501015000085" {
		t.Fatalf("%+v", in)
	}
	stored := subscription.Subscriber{ClientID: in.ClientID, Status: subscription.Pending, FirstOn: in.FirstOn,
		Whitelist: in.Whitelist, Switches: in.Switches, Reference: in.Reference, Override: in.Override, Debit: in.Debit}
	raw, err := json.Marshal(in.Debit.Fields) // as a store keeps it
	if err != nil {
		t.Fatal(err)
	}
	stored.Debit.Fields = nil
	if err := json.Unmarshal(raw, &stored.Debit.Fields); err != nil {
		t.Fatal(err)
	}
	text, err := Marshal(SubscriberBody(stored))
	if err != nil {
		t.Fatal(err)
	}
	got, asked := map[string]any{}, map[string]any{}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte("{"+everything+"}"), &asked); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"send_invoice_on_add_subscriber": false, "send_receipt": false,
		"subscription_verify_account": true, "subscription_adjustment_rate": 5.5,
		"subscription_debtor_account_number": "•••• 0001", "subscription_debtor_id_number": "850101•••••85",
		"subscription_adjustment_amount": nil, "subscription_billing_scheduled_on": "2027-01-31",
		"type": "billing_template_client", "status": "pending", "number_of_billing_cycles_passed": 0.0, "client_id": aPayer,
		"recurring_token": nil, "subscription_first_amount_cents": nil} {
		asked[name] = value
	}
	delete(asked, "invoice_override")
	override := got["invoice_override"].(map[string]any)
	product := override["products"].([]any)[0].(map[string]any)
	if override["debt"] != -5.0 || override["total_override"] != 9000.0 || override["subtotal_override"] != nil ||
		product["quantity"] != "0.5000" || product["price"] != 5000.0 {
		t.Errorf("%v", override)
	}
	delete(got, "invoice_override")
	for _, name := range []string{"id", "created_on", "updated_on"} {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s", name)
		}
		delete(got, name)
	}
	if !reflect.DeepEqual(got, asked) {
		t.Errorf("\n%v\n%v", got, asked)
	}
	if strings.Contains(string(text), "6200000001") || strings.Contains(string(text), "8501015000085") {
		t.Errorf("in clear: %s", text)
	}
}

func TestASubscriberAnswersEveryKeyWhateverWasGiven(t *testing.T) {
	text, err := Marshal(SubscriberBody(subscription.Subscriber{Status: subscription.Active,
		FirstOn: calendar.Date{Year: 2027, Month: 1, Day: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, f := range debitFields {
		value, ok := got["subscription_"+f.name]
		if !ok || value != nil && value != "" {
			t.Errorf("%s: %v %v", f.name, value, ok)
		}
	}
	for name, want := range map[string]any{"send_invoice_on_charge_failure": false,
		"send_invoice_on_add_subscriber": false, "send_receipt": false, "subscription_confirm_each_order": false,
		"payment_method_whitelist": nil, "invoice_override": nil, "invoice_reference": "",
		"subscription_debtor_account_number": "", "subscription_debtor_id_number": "",
		"subscription_billing_scheduled_on": nil} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s: %v", name, value)
		}
	}
}

func TestAPatchChangesWhatItNamesAndNothingElse(t *testing.T) {
	stored := newSubscriber(object(t, `{"client_id":"`+aPayer+`",`+everything+`}`))
	for name, c := range map[string]struct {
		body    string
		differs func(*subscription.SubscriberInput)
	}{
		"nothing": {`{}`, func(*subscription.SubscriberInput) {}},
		"read-only": {
			`{"client_id":"x","subscription_billing_scheduled_on":"x","number_of_billing_cycles_passed":"x","brand_id":1,"unknown":1}`, func(*subscription.SubscriberInput) {}},
		"a null switch": {`{"send_receipt":null}`, func(*subscription.SubscriberInput) {}},
		"a switch":      {`{"send_receipt":true}`, func(in *subscription.SubscriberInput) { in.Switches.Receipt = true }},
		"list and object": {`{"payment_method_whitelist":null,"invoice_override":null}`,
			func(in *subscription.SubscriberInput) { in.Whitelist, in.Override = nil, nil }},
		"an empty object": {`{"invoice_override":{}}`, func(in *subscription.SubscriberInput) { in.Override = nil }},
		"an empty list": {`{"payment_method_whitelist":[]}`,
			func(in *subscription.SubscriberInput) { in.Whitelist = []string{} }},
		"a reference": {`{"invoice_reference":null}`, func(in *subscription.SubscriberInput) { in.Reference = "" }},
		"another account": {`{"subscription_debtor_account_number":"6200000002"}`,
			func(in *subscription.SubscriberInput) { in.Debit.DebtorAccount = "6200000002" }},
		"no account": {`{"subscription_debtor_account_number":null}`,
			func(in *subscription.SubscriberInput) { in.Debit.DebtorAccount = "" }},
		"a debit field": {`{"subscription_tracking_period":10}`,
			func(in *subscription.SubscriberInput) { in.Debit.Fields["tracking_period"] = int64(10) }},
		"one less": {`{"subscription_value_type":null}`,
			func(in *subscription.SubscriberInput) { delete(in.Debit.Fields, "value_type") }},
	} {
		got, want := stored, newSubscriber(object(t, `{"client_id":"`+aPayer+`",`+everything+`}`))
		o := object(t, c.body)
		readSubscriber(o, &got)
		c.differs(&want)
		if len(o.Problems()) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%+v\n%+v", name, o.Problems(), got, want)
		}
	}
	if stored.Debit.Fields["tracking_period"] != int64(3) {
		t.Error("what was stored was written over")
	}
}

func TestAFormSaysTrueAndFalseAsTexts(t *testing.T) {
	in := newSubscriber(object(t, `{"client_id":"`+aPayer+`",`+everything+`}`))
	o := form(t, url.Values{"send_receipt": {"true"}, "subscription_confirm_each_order": {"false"},
		"invoice_reference": {""}, "invoice_override": {""}, "payment_method_whitelist": {"eft"},
		"subscription_tracking_period": {"5"}, "subscription_adjustment_rate": {""},
		"subscription_adjustment_amount": {"500"}, "subscription_release_date": {"2027-02-28"},
		"status": {"subscription_paused"}})
	readSubscriber(o, &in)
	paused := readStatus(o, subscription.Active)
	f := in.Debit.Fields
	if len(o.Problems()) > 0 || !in.Switches.Receipt || in.Switches.ConfirmEachOrder || in.Reference != "" ||
		in.Override != nil || !slices.Equal(in.Whitelist, []string{"eft"}) ||
		f["tracking_period"] != int64(5) || f["adjustment_rate"] != nil || f["adjustment_amount"] != int64(500) ||
		f["release_date"] != "2027-02-28" || paused == nil || !*paused {
		t.Errorf("%v %+v", o.Problems(), in)
	}
	nested := form(t, url.Values{"invoice_override.total_override": {"4000"}})
	readSubscriber(nested, &in)
	if in.Override == nil || *in.Override.TotalOverrideCents != 4000 {
		t.Errorf("%+v", in.Override)
	}
}

func TestEachWrongFieldOfASubscriberIsNamed(t *testing.T) {
	for body, want := range map[string][]string{
		`"send_receipt":"perhaps","send_invoice_on_charge_failure":[],"send_invoice_on_add_subscriber":5,"subscription_confirm_each_order":{}`: {"send_invoice_on_add_subscriber=invalid",
			"send_invoice_on_charge_failure=invalid", "send_receipt=invalid", "subscription_confirm_each_order=invalid"},
		`"payment_method_whitelist":7`: {
			"payment_method_whitelist=not_a_list"},
		`"payment_method_whitelist":""`: {
			"payment_method_whitelist=not_a_list"},
		`"invoice_override":{"products":""}`: {
			"invoice_override.products=not_a_list"},
		`"invoice_override":""`: {
			"invoice_override=invalid"},
		`"invoice_reference":"` + strings.Repeat("r", 129) + `"`: {
			"invoice_reference=max_length"},
		`"invoice_reference":"` + strings.Repeat("r", 128) + `"`: nil,
		`"invoice_override":7`: {
			"invoice_override=invalid"},
		`"invoice_override":{"total_override":-1,"debt":"x","products":[{"name":"a","price":1},{}]}`: {
			"invoice_override.debt=invalid", "invoice_override.products[1/2].name=required",
			"invoice_override.products[1/2].price=required", "invoice_override.total_override=min_value"},
		`"subscription_billing_scheduled_on":"2027-02-30"`: {
			"subscription_billing_scheduled_on=invalid"},
		`"subscription_tracking_period":11`: {
			"subscription_tracking_period=max_value"},
		`"subscription_tracking_period":-1`: {
			"subscription_tracking_period=min_value"},
		`"subscription_tracking_period":10`: nil,
		`"subscription_value_type":"fixed"`: {
			"subscription_value_type=invalid_choice"},
		`"subscription_authentication_type":"BATCH"`: {
			"subscription_authentication_type=invalid_choice"},
		`"subscription_debtor_account_type":"BOND"`: {
			"subscription_debtor_account_type=invalid_choice"},
		`"subscription_adjustment_category":"DAILY"`: {
			"subscription_adjustment_category=invalid_choice"},
		`"subscription_adjustment_rate":100.01`: {
			"subscription_adjustment_rate=max_value"},
		`"subscription_adjustment_rate":-100.01`: {
			"subscription_adjustment_rate=min_value"},
		`"subscription_adjustment_rate":"-4.5"`:  nil, // may be below zero, as in a mandate
		`"subscription_adjustment_amount":-2500`: nil,
		`"subscription_adjustment_rate":1,"subscription_adjustment_amount":1`: {
			"__all__=adjustment_exclusive"},
		`"subscription_release_date":"x","subscription_max_amount_cents":-1`: {
			"subscription_max_amount_cents=min_value", "subscription_release_date=invalid"},
		`"subscription_debtor_id_number":"` + strings.Repeat("1", 33) + `"`: {
			"subscription_debtor_id_number=max_length"},
		`"subscription_creditor_abbreviated_name":"ELEVENCHARS"`: {
			"subscription_creditor_abbreviated_name=max_length"},
		`"subscription_realtime_auth_retries":"x","subscription_verify_account":"x"`: {
			"subscription_realtime_auth_retries=invalid", "subscription_verify_account=invalid"},
		`"subscription_allow_date_adjustment":"x","subscription_do_delayed_on_auth_failure":"x"`: {
			"subscription_allow_date_adjustment=invalid", "subscription_do_delayed_on_auth_failure=invalid"},
		`"subscription_debtor_phone_number":[],"subscription_reference_number":{}`: {
			"subscription_debtor_phone_number=invalid", "subscription_reference_number=invalid"},
		`"subscription_max_amount_cents":99999999999999999999,"subscription_adjustment_amount":"12.5 rand"`: {
			"subscription_adjustment_amount=invalid", "subscription_max_amount_cents=max_value"},
	} {
		if got := codes(newSubscriber(object(t, `{"client_id":"`+aPayer+`",`+body+`}`)).Problems); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}

func TestAStatusMovesOnlyBetweenActiveAndPaused(t *testing.T) {
	yes, no := ref(true), ref(false)
	const invalid, choice = "status=invalid", "status=invalid_choice"
	for _, c := range []struct {
		stored subscription.Status
		sent   string
		paused *bool
		wrong  string
	}{
		{subscription.Active, `"subscription_paused"`, yes, ""}, {subscription.Active, `"active"`, no, ""},
		{subscription.Paused, `"active"`, no, ""}, {subscription.Paused, `"subscription_paused"`, yes, ""},
		{subscription.Active, `"pending"`, nil, invalid}, {subscription.Active, `"inactive"`, nil, invalid},
		{subscription.Paused, `"inactive"`, nil, invalid}, {subscription.Paused, `"pending"`, nil, invalid},
		{subscription.Pending, `"pending"`, nil, ""}, {subscription.Pending, `"active"`, nil, invalid},
		{subscription.Pending, `"subscription_paused"`, nil, invalid}, {subscription.Pending, `"inactive"`, nil, invalid},
		{subscription.Inactive, `"inactive"`, nil, ""}, {subscription.Inactive, `"active"`, nil, invalid},
		{subscription.Inactive, `"subscription_paused"`, nil, invalid}, {subscription.Inactive, `"pending"`, nil, invalid},
		{subscription.Active, `null`, nil, ""}, {subscription.Active, `""`, nil, ""},
		{subscription.Active, `"paused"`, nil, choice}, {subscription.Inactive, `true`, nil, choice},
		{"", `"active"`, no, ""}, {"", `"pending"`, nil, invalid}, // who may not read: the rules decide
	} {
		o := object(t, `{"status":`+c.sent+`}`)
		got := readStatus(o, c.stored)
		if !reflect.DeepEqual(got, c.paused) || strings.Join(codes(o.Problems()), " ") != c.wrong {
			t.Errorf("%s while %s: %v %v", c.sent, c.stored, got, o.Problems())
		}
	}
	if o := object(t, `{}`); readStatus(o, subscription.Pending) != nil || len(o.Problems()) > 0 {
		t.Error("nothing was said")
	}
}

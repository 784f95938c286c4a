package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
)

const (
	block = "purchase.payment_method_details.direct_debit"
	sound = `"value_type":"VARIABLE","authentication_type":"REALTIME","do_delayed_on_auth_failure":true,"debit_sequence":"RCUR","adjustment_category":"ANNUALLY",` +
		`"adjustment_rate":6,"adjustment_amount_cents":null,"allow_date_adjustment":true,"verify_account":true,"max_amount_cents":15000`
)

// waiting is a client whose phone is not known, so that nobody is asked yet.
func waiting(t *testing.T, h *handlertest.Server) string {
	t.Helper()
	return h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"bank_account": "6200000001", "bank_code": "470010", "personal_code": "8501015000085"}).Want(201).Text("id")
}

// asking is a body that stores an account by DebiCheck, for R 100,00.
func asking(h *handlertest.Server, client, fields string) string {
	return fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,
 "purchase":{"currency":"ZAR","products":[{"name":"Membership","price":10000}],
  "payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":1,"period_units":"months",%s}}}}`,
		client, h.A.BrandID, fields)
}

func TestTheTermsOfAMandateAreShownAsTheyWereAskedFor(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := waiting(t, h)
	want := map[string]any{block + ".value_type": "VARIABLE", block + ".authentication_type": "REALTIME",
		block + ".do_delayed_on_auth_failure": true,
		block + ".debit_sequence":             "RCUR", block + ".adjustment_category": "ANNUALLY",
		block + ".adjustment_rate":         6.0,
		block + ".adjustment_amount_cents": nil,
		block + ".allow_date_adjustment":   true, block + ".verify_account": true, block + ".max_amount_cents": 15000.0,
		block + ".deduction_day": 1.0,
		"status":                 "created", "is_recurring_token": false}
	made := h.API("POST", "/purchases/", asking(h, client, sound)).Want(201)
	holds(t, made.JSON(), want)
	holds(t, h.API("GET", "/purchases/"+made.Text("id")+"/", nil).Want(200).JSON(), want)
	shown, _ := at(made.JSON(), block).(map[string]any)
	for _, key := range []string{"adjustment_amount_cents", "terms", "price_cents"} {
		if _, there := shown[key]; there != (key == "adjustment_amount_cents") {
			t.Errorf("%s is shown: %v", key, there)
		}
	}
	eft := h.API("POST", "/purchases/", strings.Replace(tokenising(h, client, 0), `"deduction_day":1`,
		`"deduction_day":1,"value_type":null,"adjustment_rate":null,"verify_account":null`, 1)).Want(201).JSON()
	if shown, _ := at(eft, block).(map[string]any); len(shown) != 5 {
		t.Errorf("an EFT block shows %v", shown)
	}
}

func TestEveryRuleOnMandateFieldsHoldsAtTheAPI(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := waiting(t, h)
	for _, c := range []struct{ was, is, codes string }{ // was → is in the sound fields
		{"", "", ""},
		{`"adjustment_rate":6`, `"adjustment_rate":"4.75"`, ""},
		{`"adjustment_rate":6`, `"adjustment_rate":-0.5`, ""},
		{`"adjustment_rate":6,"adjustment_amount_cents":null`, `"adjustment_amount_cents":-500`, ""},
		{`"adjustment_rate":6,"adjustment_amount_cents":null`, `"adjustment_rate":null,"adjustment_amount_cents":500`, ""},
		{`"allow_date_adjustment":true,"verify_account":true,`, `"allow_date_adjustment":null,`, ""},
		{`"max_amount_cents":15000`, `"max_amount_cents":15001`, "max_amount_cents=max_value"},
		{`"max_amount_cents":15000`, `"max_amount_cents":10000`, ""},
		{`"max_amount_cents":15000`, `"max_amount_cents":9999`, "max_amount_cents=min_value"},
		{`"max_amount_cents":15000`, `"max_amount_cents":0`, "max_amount_cents=min_value"},
		{`"max_amount_cents":15000`, `"max_amount_cents":12.5`, "max_amount_cents=invalid"},
		{`"max_amount_cents":15000`, `"max_amount_cents":"R150"`, "max_amount_cents=invalid"},
		{`"max_amount_cents":15000`, `"max_amount_cents":1e30`, "max_amount_cents=max_value"},
		{`"max_amount_cents":15000`, `"max_amount_cents":null`, "max_amount_cents=required"},
		{`"adjustment_amount_cents":null`, `"adjustment_amount_cents":500`, "__all__=adjustment_exclusive"},
		{`"adjustment_rate":6,`, ``, "__all__=required"},
		{`"adjustment_rate":6`, `"adjustment_rate":"x"`, "adjustment_rate=invalid"},
		{`"adjustment_rate":6`, `"adjustment_rate":101`, "adjustment_rate=max_value"},
		{`"adjustment_rate":6`, `"adjustment_rate":1e99`, "adjustment_rate=max_digits"},
		{`"adjustment_rate":6,"adjustment_amount_cents":null`, `"adjustment_amount_cents":12.5`,
			"adjustment_amount_cents=invalid"},
		{`"adjustment_category":"ANNUALLY"`, `"adjustment_category":"ANNUAL"`, "adjustment_category=invalid_choice"},
		{`"adjustment_category":"ANNUALLY"`, `"adjustment_category":"NEVER"`, "adjustment_rate=invalid"},
		{`"value_type":"VARIABLE"`, `"value_type":"FIXED"`,
			"adjustment_category=invalid adjustment_rate=invalid max_amount_cents=max_value"},
		{`"value_type":"VARIABLE"`, `"value_type":7`, "value_type=invalid_choice"},
		{`"value_type":"VARIABLE"`, `"value_type":["FIXED"]`, "value_type=invalid"},
		{`"value_type":"VARIABLE"`, `"value_type":""`, "value_type=required"},
		{`"debit_sequence":"RCUR"`, `"debit_sequence":"FRST"`, "debit_sequence=invalid_choice"},
		{`"authentication_type":"REALTIME"`, `"authentication_type":"FALLBACK"`, "authentication_type=invalid_choice"},
		{`"verify_account":true`, `"verify_account":"perhaps"`, "verify_account=invalid"},
		{sound, `"value_type":null`,
			"value_type=required authentication_type=required debit_sequence=required adjustment_category=required " +
				"max_amount_cents=required"},
		{
			sound,
			`"deduction_day":31,"value_type":"FIXED","authentication_type":"DELAYED","debit_sequence":"OOFF","adjustment_category":"NEVER","max_amount_cents":10001`,
			"deduction_day=invalid max_amount_cents=max_value"},
	} {
		fields := sound
		if c.was != "" {
			if fields = strings.Replace(sound, c.was, c.is, 1); fields == sound {
				t.Fatalf("nothing to replace: %s", c.was)
			}
		}
		got := h.API("POST", "/purchases/", asking(h, client, fields))
		if c.codes == "" {
			got.Want(201)
			continue
		}
		want := strings.Fields(c.codes)
		for i := range want {
			want[i] = block + "." + want[i]
		}
		if got.Want(400).WantCode(want...); len(got.Codes()) != len(want) {
			t.Errorf("%s: %s", c.is, got.Body)
		}
	}
}

func TestThePriceOfAMandateIsTheSumOfTheLines(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := waiting(t, h)
	fixed := `"value_type":"FIXED","authentication_type":"DELAYED","debit_sequence":"RCUR","adjustment_category":"NEVER","max_amount_cents":%d`
	const price = `"products":[{"name":"Membership","price":10000}]`
	for _, c := range []struct {
		purchase string
		max      int
		code     string
	}{
		{price, 10000, ""}, {price + `,"total_override":0`, 10000, ""}, {price + `,"total_override":4000`, 4000, ""},
		{price + `,"total_override":4000`, 3999, "min_value"},
		{price + `,"debt":500`, 10500, "max_value"}, {price + `,"debt":500`, 10000, "max_value"},
		{`"products":[{"name":"m","price":0}]`, 1, "max_value"},
		{`"products":[{"name":"m","price":10000,"tax_percent":15}]`, 11500, ""},
		{`"products":[{"name":"m","price":10000,"tax_percent":15}]`, 11501, "max_value"},
	} {
		body := strings.Replace(asking(h, client, fmt.Sprintf(fixed, c.max)), price, c.purchase, 1)
		if got := h.API("POST", "/purchases/", body); c.code == "" {
			got.Want(201)
		} else {
			got.Want(400).WantCode(block + ".max_amount_cents=" + c.code)
		}
	}
	wrong := strings.Replace(asking(h, client, sound), price, `"products":[{"name":"m","price":100,"discount":200}]`, 1)
	if got := h.API("POST", "/purchases/", wrong).Want(400).WantCode(
		"purchase.products.0.__all__=product_subtotal_negative"); len(got.Codes()) != 1 {
		t.Errorf("a price that is not known limits the maximum: %s", got.Body)
	}
}

func TestAMandateByDebiCheckNeedsItsBlock(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := waiting(t, h)
	h.API("POST", "/purchases/", order(h, client, `,"payment_method_whitelist":["debicheck"],"force_recurring":true`,
		"")).Want(400).WantCode(block + "=required")
	h.API("POST", "/purchases/", order(h, client, `,"payment_method_whitelist":["debicheck"],"force_recurring":true`,
		`,"payment_method_details":{"direct_debit":{}}`)).
		Want(400).WantCode(block+".value_type=required", block+".max_amount_cents=required")
	h.API("POST", "/purchases/", order(h, client, `,"payment_method_whitelist":["debicheck"]`, "")).Want(201)
	both := strings.Replace(asking(h, client, sound), `["debicheck"]`, `["eft","debicheck"]`, 1)
	h.API("POST", "/purchases/", both).Want(400).WantCode("payment_method_whitelist=invalid_payment_method_whitelist")
	eft := strings.Replace(asking(h, client, sound), `["debicheck"]`, `["eft"]`, 1)
	got := h.API("POST", "/purchases/", eft).Want(400)
	for _, field := range []string{"value_type", "authentication_type", "do_delayed_on_auth_failure", "debit_sequence",
		"adjustment_category", "adjustment_rate",
		"allow_date_adjustment", "verify_account", "max_amount_cents"} {
		got.WantCode(block + "." + field + "=invalid")
	}
	if len(got.Codes()) != 9 {
		t.Errorf("a null is refused: %s", got.Body)
	}
}

func TestOutsideTheWindowOnlyTheDelayedKindIsTaken(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	evening := calendar.On(2026, 11, 20).At(21, 14)
	h.Purchases.Window, h.Purchases.Limits, h.Purchases.Now = mandate.DefaultWindow(), mandate.DefaultLimits(),
		func() time.Time { return evening }
	const message = "Real-time DebiCheck runs from 03:00 to 20:30 SAST; it is now 21:14 SAST. " +
		"Use authentication_type DELAYED."
	fields := strings.Replace(sound, `"verify_account":true`, `"verify_account":false`, 1)
	h.API("POST", "/purchases/", asking(h, client, fields)).Want(400).WantCode(block +
		".authentication_type=debicheck_unavailable").Contains(message)
	h.API("POST", "/purchases/", asking(h, client, strings.Replace(fields, "15000", "15001", 1))).Want(400).
		WantCode(block+".authentication_type=debicheck_unavailable", block+".max_amount_cents=max_value")
	if n := h.Count("SELECT count(*) FROM purchases"); n != 0 {
		t.Errorf("%d purchases were stored", n)
	}
	h.API("POST", "/purchases/", asking(h, client, strings.Replace(fields, "REALTIME", "DELAYED", 1))).Want(201)
	h.API("POST", "/purchases/", asking(h, waiting(t, h), fields)).Want(201) // the payer's page asks, at its own time
	evening = calendar.On(2026, 11, 20).At(20, 29).Add(59 * time.Second)
	holds(t, h.API("POST", "/purchases/", asking(h, client, fields)).Want(201).JSON(),
		map[string]any{"status": "pending_execute", "is_recurring_token": false})
}

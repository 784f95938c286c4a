package requestlog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"debitdesk/models/requestlog"
)

const jsonType = "application/json"

func body(text string) string { return requestlog.Body(jsonType, []byte(text), int64(len(text))) }

func TestNoNumberAndNoSecretOfABodyIsKept(t *testing.T) {
	for given, want := range map[string]string{
		`{"bank_account":"6200000001","bank_code":"470010"}`:                                                  `{"bank_account":"•••• 0001","bank_code":"470010"}`,
		`{"a":[{"b":{"bank_account": 6200000001 }}]}`:                                                         `{"a":[{"b":{"bank_account":"•••• 0001"}}]}`,
		`{"personal_code":"8001015009087"}`:                                                                   `{"personal_code":"•••• 9087"}`,
		`{"bank\u005faccount":"6200000001"}`:                                                                  `{"bank\u005faccount":"•••• 0001"}`,
		`{"Bank_Account":"6200000001","account-number":"6200000001"}`:                                         `{"Bank_Account":"•••• 0001","account-number":"•••• 0001"}`,
		`{"bank_account":"62 0000 0001"}`:                                                                     `{"bank_account":"••••"}`,
		`{"bank_account":"\u0036200000001"}`:                                                                  `{"bank_account":"•••• 0001"}`,
		`{"bank_account":["6200000001",{"x":"6200000001"}]}`:                                                  `{"bank_account":["•••• 0001",{"x":"•••• 0001"}]}`,
		`{"subscription_debtor_id_number":"x","subscription_debtor_phone_number":1}`:                          `{"subscription_debtor_id_number":"••••","subscription_debtor_phone_number":"••••"}`,
		`{"client_secret":"s3cret","access_token":"eyJ","secret":true}`:                                       `{"client_secret":"••••","access_token":"••••","secret":true}`,
		`{"bank_account":"","personal_code":null}`:                                                            `{"bank_account":"","personal_code":null}`,
		`{"bank_account":"•••• 0001"}`:                                                                        `{"bank_account":"•••• 0001"}`,
		`{"bank_account":"•••• 0001 is 6200000001"}`:                                                          `{"bank_account":"••••"}`,
		`{"bank_account":123456}`:                                                                             `{"bank_account":"••••"}`,
		`{"recurring_token":"0190","is_recurring_token":true,"id":"7","account_type":"savings"}`:              `{"recurring_token":"0190","is_recurring_token":true,"id":"7","account_type":"savings"}`,
		`{"recurring_token":"6200000001","client_id":6200000001,"due":1795222149}`:                            `{"recurring_token":"•••• 0001","client_id":"•••• 0001","due":1795222149}`,
		`{"m":"Invalid pk \"6200000001\" - it is not","a":"\u0036200000001"}`:                                 `{"m":"Invalid pk \"•••• 0001\" - it is not","a":"•••• 0001"}`,
		`{"id":"01a1fb94-1878-7e56-92dc-495065132456","r":"DD0000000001","d":"20261201"}`:                     `{"id":"01a1fb94-1878-7e56-92dc-495065132456","r":"DD0000000001","d":"20261201"}`,
		`{"email":{"x":6211113456},"n":[6211113456,12],"price":1000000000,"due":6200000001,"due":1795222149}`: `{"email":{"x":"•••• 3456"},"n":["•••• 3456",12],"price":1000000000,"due":"•••• 0001","due":1795222149}`,
		`{"callback":"https://anna:geheim@shop.example/","n":"https:\/\/a\u003ab\u0040shop.example"}`:         `{"callback":"https://••••@shop.example/","n":"https://••••@shop.example"}`,

		` [ 1 , -2.5e3 , "a\"b" , {} , [] , false ] `: `[1,-2.5e3,"a\"b",{},[],false]`,
	} {
		got := body(given)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", given, got, want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s is no JSON any more", got)
		}
	}
}

func TestWhatCannotBeReadIsDescribedAndNotKept(t *testing.T) {
	for _, given := range []string{`{"bank_account":"6200000001"`, `{bank_account:6200000001}`, `"6200000001"`,
		`6200000001`, `{"bank_account":"6200000001",}`,
		`{"bank_account" "6200000001"}`, `{"bank_account":6200000001x}`, `{} 6200000001`, `[6200000001`,
		"{\"a\":\"6200000001\x01\"}", `{"a":6200000001 7}`,
		strings.Repeat("[", 100) + "6200000001" + strings.Repeat("]", 100), `{"a":truefalse6200000001}`, "\xff6200000001"} {
		if got := body(given); strings.Contains(got, "62000") || !strings.HasPrefix(got, "(") {
			t.Errorf("%.60s became %s", given, got)
		}
	}
	for kind, want := range map[string]string{"text/plain": "(10 bytes of text/plain, not kept)",
		"multipart/form-data; boundary=x": "(10 bytes of multipart/form-data, not kept)",
		"application/pdf":                 "(10 bytes of application/pdf, not kept)"} {
		if got := requestlog.Body(kind, []byte("6200000001"), 10); got != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
	if got := requestlog.Body(jsonType, nil, 0); got != "" {
		t.Errorf("no body became %q", got)
	}
}

func TestALongBodyIsKeptUpToTheLastWholeThing(t *testing.T) {
	long := `{"name":"x","bank_account":"6200000001","notes":"` + strings.Repeat("n", requestlog.BodyKept) + `"}`
	for cut := range 60 {
		got := requestlog.Body(jsonType, []byte(long[:cut]), int64(len(long)))
		if strings.Contains(got, "62000") {
			t.Fatalf("cut at %d: %s", cut, got)
		}
	}
	got := requestlog.Body(jsonType, []byte(long[:requestlog.BodyKept]), int64(len(long)))
	if got != `{"name":"x","bank_account":"•••• 0001","notes":…` {
		t.Errorf("got %.100s", got)
	}
	form := "a=1&bank_account=6200000001&notes=" + strings.Repeat("n", requestlog.BodyKept)
	if got := requestlog.Body("application/x-www-form-urlencoded", []byte(form[:requestlog.BodyKept]),
		int64(len(form))); got != "(16\u00a0418 bytes, not kept)" {
		t.Errorf("got %.100s", got)
	}
}

func TestFormsQueriesAndPathsAreMasked(t *testing.T) {
	form := func(text string) string {
		return requestlog.Body("application/x-www-form-urlencoded; charset=utf-8", []byte(text), int64(len(text)))
	}
	for got, want := range map[string]string{
		form(
			"grant_type=client_credentials&client_id=7&client_secret=s3cret"): "grant_type=client_credentials" +
			"&client_id=7&client_secret=••••",
		form("bank%5Faccount=6200000001&send=true"):                          "bank%5Faccount=••••&send=true",
		form("%zz=6200000001"):                                               "%zz=••••",
		requestlog.MaskQuery("q=thandi&limit=5&personal_code=8001015009087"): "q=••••&limit=5&personal_code=••••",
		requestlog.MaskQuery("Q=a&q=&status=paid&access_token=x"):            "Q=••••&q=&status=paid&access_token=••••",
		requestlog.MaskQuery("time=1795222149&client_id=6200000001"):         "time=1795222149&client_id=•••• 0001",
		requestlog.MaskQuery(""):                                             "",
		requestlog.MaskPath("/api/v1/clients/6200000001"):                    "/api/v1/clients/••••",
		requestlog.MaskPath("/api/v1/clients/0190aaaa-0000-7000-8000-1"):     "/api/v1/clients/0190aaaa-0000-7000-8000-1",
		requestlog.MaskPath("/a\x00b\xff"):                                   "/a�b�",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzAMaskedBodyNeverHoldsTheNumber(f *testing.F) {
	f.Add(`{"bank_account":"6200000001"}`, 12)
	f.Add(`{"x":[{"personal_code":6200000001}]}`, 30)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		first := []byte(text)[:min(len(text), max(0, cut))]
		got := requestlog.Body(jsonType, first, int64(len(text)))
		if len(first) == len(text) && !strings.HasPrefix(got, "(") && got != "" && !json.Valid([]byte(got)) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestABodyIsMaskedWithoutACopyOfEachValue(t *testing.T) {
	text := "{" + strings.Repeat(`"name":"Thandi","price":10000,"paid":true,`, 50) + `"end":null}`
	body(text) // its names are known from now on
	if n := testing.AllocsPerRun(100, func() { body(text) }); n > 10 {
		t.Errorf("a body of 151 values costs %.0f allocations", n)
	}
}

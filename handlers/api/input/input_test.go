package input_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"debitdesk/handlers/api/input"
	"debitdesk/models/fault"
)

// parse is a request with the body, as it is read.
func parse(body string) (*input.Object, error) {
	return input.Read(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
}

func read(t *testing.T, body string) *input.Object {
	t.Helper()
	o, err := parse(body)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func codes(o *input.Object) string {
	var out []string
	for _, p := range o.Problems() {
		out = append(out, p.Path+"="+p.Code)
	}
	return strings.Join(out, " ")
}

func TestWhatOtherReadersOfJSONCouldNotReadIsRefused(t *testing.T) {
	nested := func(open, inner, shut string, n int) string {
		return `{"metadata":` + strings.Repeat(open, n) + inner + strings.Repeat(shut, n) + `}`
	}
	for body, want := range map[string]bool{
		nested("[", "1", "]", 60): true, nested(`{"a":`, "1", "}", 60): true, `{"n":` + strings.Repeat("9", 1000) + `}`: true,
		`{"n":1e999}`:             true,
		nested("[", "1", "]", 64): false, nested(`{"a":`, "1", "}", 5000): false,
		`{"metadata":[{"n":` + strings.Repeat("9", 1001) + `}]}`: false,
	} {
		if _, err := parse(body); (err == nil) != want {
			t.Errorf("%.60s… (%d bytes): %v", body, len(body), err)
		}
	}
}

func TestWhatIsNoObjectIsReportedAlone(t *testing.T) {
	o := read(t, `{"purchase":[],"clients":[null,{}]}`)
	inner, _ := o.NeedObject("purchase")
	inner.Objects("products", 1, 9)
	for _, c := range o.Objects("clients", 1, 9) {
		c.NeedText("name", 9)
	}
	if got, want := codes(o), "purchase=invalid clients[0/2]=invalid clients[1/2].name=required"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWholeNumbers(t *testing.T) {
	tests := []struct{ body, want string }{
		{`{"n":0}`, ""}, {`{"n":100}`, ""}, {`{"n":"7"}`, ""}, {`{"n":7.0}`, ""}, {`{"n":1e2}`, ""}, {`{"n":" 8 "}`, ""},
		{`{"n":-1}`, "n=min_value"}, {`{"n":101}`, "n=max_value"}, {`{"n":-0}`, ""},
		{`{"n":1.5}`, "n=invalid"}, {`{"n":"x"}`, "n=invalid"}, {`{"n":""}`, "n=invalid"}, {`{"n":true}`, "n=invalid"},
		{`{"n":[]}`, "n=invalid"},
		{`{"n":99999999999999999999}`, "n=max_value"}, {`{"n":-99999999999999999999}`, "n=min_value"},
		{`{"n":1e99}`, "n=max_value"}, {`{"n":1e999999999}`, "n=invalid"}, {`{"n":1e-99}`, "n=invalid"},
		{`{"n":"` + strings.Repeat("9", 1000) + `"}`, "n=max_value"},
		{`{"n":"` + strings.Repeat("9", 1001) + `"}`, "n=max_string_length"},
		{`{"n":null}`, "n=required"}, {`{}`, "n=required"},
	}
	for _, tt := range tests {
		o := read(t, tt.body)
		o.NeedInt("n", input.Between(0, 100))
		if got := codes(o); got != tt.want {
			t.Errorf("%.40s: %q, want %q", tt.body, got, tt.want)
		}
	}
}

func TestMissingFieldsHaveDefaultsAndNullIsRefused(t *testing.T) {
	o := read(t, `{"b":null,"t":null}`)
	if o.Int("n", 5, input.Any) != 5 || !o.Bool("x", true) || o.Text("y", 3) != "" || o.NullInt("b", input.Any) != nil ||
		o.NullText("t", 1) != nil {
		t.Error("a default is wrong")
	}
	if got := codes(o); got != "" {
		t.Errorf("problems %s", got)
	}
	o.Bool("b", true)
	o.Text("t", 1)
	if got := codes(o); got != "b=required t=required" {
		t.Errorf("problems %s", got)
	}
}

func TestDecimals(t *testing.T) {
	tests := []struct{ body, value, want string }{
		{`{"n":1.555}`, "1.555", ""}, {`{"n":"1.5550"}`, "1.555", ""}, {`{"n":"1.55500000"}`, "1.555", ""},
		{`{"n":1.55551}`, "0", "n=max_decimal_places"},
		{`{"n":999999}`, "999999", ""}, {`{"n":1000000}`, "0", "n=max_digits"}, {`{"n":1e-4}`, "0.0001", ""},
		{`{"n":1e-5}`, "0", "n=max_decimal_places"},
		{`{"n":"NaN"}`, "0", "n=invalid"}, {`{"n":"Infinity"}`, "0", "n=invalid"}, {`{"n":1e999999999}`, "0", "n=invalid"},
		{`{"n":{}}`, "0", "n=invalid"},
	}
	for _, tt := range tests {
		o := read(t, tt.body)
		got := o.Decimal("n", decimal.Zero, 10, 4)
		if got.String() != tt.value || codes(o) != tt.want {
			t.Errorf("%s: %s %q, want %s %q", tt.body, got, codes(o), tt.value, tt.want)
		}
	}
}

func TestMoments(t *testing.T) {
	for body, want := range map[string]string{`{"n":1795417200}`: "", `{"n":0}`: "", `{"n":-1}`: "n=min_value",
		`{"n":253402300799}`: "", `{"n":253402300800}`: "n=max_value"} {
		o := read(t, body)
		if _, given := o.Moment("n"); !given || codes(o) != want {
			t.Errorf("%s: %q, want %q", body, codes(o), want)
		}
	}
}

func TestIDsDatesAndChoices(t *testing.T) {
	o := read(
		t,
		`{"id":"0193b5a2-0000-7000-8000-000000000000","bad":"{0193b5a2-0000-7000-8000-000000000000}","no":5,"d":"2028-02-29","e":"2027-02-29","z":"0000-01-01","c":"b","x":"q"}`,
	)
	o.NeedUUID("id")
	o.UUID("bad")
	o.UUID("no")
	for _, name := range []string{"d", "e", "z"} {
		o.Date(name)
	}
	if o.Choice("c", "a", "a", "b") != "b" || o.Choice("x", "a", "a", "b") != "a" || o.Choice("y", "a", "a", "b") != "a" {
		t.Error("a choice is wrong")
	}
	if got := codes(o); got != "bad=invalid no=invalid e=invalid z=invalid x=invalid_choice" {
		t.Errorf("problems %s", got)
	}
}

func TestNestedProblemsCarryTheirPlace(t *testing.T) {
	o := read(t, `{"purchase":{"products":[{"price":1},{"price":-1},5]},"client":"x"}`)
	purchase, _ := o.NeedObject("purchase")
	for _, p := range purchase.Objects("products", 1, 3) {
		p.NeedInt("price", input.NotBelow0)
	}
	o.NeedObject("client")
	o.NeedObject("missing")
	want := "purchase.products[2/3]=invalid purchase.products[1/3].price=min_value client=invalid missing=required"
	if got := codes(o); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestListsHaveBounds(t *testing.T) {
	for body, want := range map[string]string{`{"l":[]}`: "l=min_length", `{"l":[{},{},{}]}`: "l=max_length",
		`{"l":{}}`: "l=not_a_list", `{}`: "l=required", `{"l":[{}]}`: "", `{"l":[{},{}]}`: ""} {
		o := read(t, body)
		o.Objects("l", 1, 2)
		if got := codes(o); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

func TestFormsAreReadLikeObjects(t *testing.T) {
	r := httptest.NewRequest(http.MethodPatch, "/",
		strings.NewReader("send_receipt=false&invoice_override.debt=-5&paused=true&cc=a&tags=x&tags=y&empty="))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	o, err := input.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	inner, given := o.Object("invoice_override")
	if o.Bool("send_receipt", true) || !o.Bool("paused", false) || !given || inner.Int("debt", 0, input.Any) != -5 ||
		len(o.Texts("cc", 5, 5, true)) != 1 || len(o.Texts("tags", 5, 5, false)) != 2 ||
		o.NullInt("empty", input.Any) != nil || o.Err() != nil {
		t.Errorf("read wrongly: %v", o.Err())
	}
}

func TestFormsThatContradictThemselvesDoNotPanic(t *testing.T) {
	for _, body := range []string{"a=1&a.b=2", "a.b=2&a=1", "....=1", "=1", "a%00=1", "%zz", strings.Repeat("a.", 500) +
		"=1", "a=%00", "a=%ff"} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if o, err := input.Read(r); err == nil {
			o.Text("a", 5)
			o.Object("a")
		} else if !fault.HasCode(err, "parse_error") {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestRuleProblemsDoNotHideShapeProblems(t *testing.T) {
	o := read(t, `{"a":"x"}`)
	o.Int("a", 0, input.Any)
	o.Merge(fault.Problems{{Path: "a", Code: "rule"}, {Path: "b", Code: "rule"}})
	if got := codes(o); got != "a=invalid b=rule" {
		t.Errorf("problems %s", got)
	}
}

func TestTextsThatAreNotWholeAreRefused(t *testing.T) {
	for _, body := range []string{"{\"a\":\"caf\xe9\"}", "{\"a\xff\":1}", `{"a":"\ud800"}`, `{"a":"\udc00"}`,
		`{"a":"\uD83Dx\uDE00"}`, `{"a":"\ud83d\ud83d\ude00"}`, `{"a":"\\\ud800"}`, `{"\ud800":1}`, `{"a":"\ud83d\n"}`,
		"\xff"} {
		if _, err := parse(body); !fault.HasCode(err, "parse_error") {
			t.Errorf("%q: %v", body, err)
		}
	}
	for body, want := range map[string]string{`{"a":"\ud83d\ude00"}`: "😀", `{"a":"\\ud800"}`: `\ud800`,
		`{"a":"\ufffd\u00e9"}`: "\ufffdé", `{"a":"\\\uD83D\uDE00\\"}`: `\😀\`} {
		o := read(t, body)
		if got := o.Text("a", 50); got != want || codes(o) != "" {
			t.Errorf("%s: %q, want %q (%s)", body, got, want, codes(o))
		}
	}
}

func FuzzAnyBodyIsReadOrRefused(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"a":[{"b":"c"}]}`, `{"a":1e400}`, "{\"a\":\"\xff\"}",
		`{"a":{"a":{"a":null}}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		o, err := parse(body)
		if err != nil {
			return
		}
		o.Text("a", 5)
		o.Int("a", 0, input.Any)
		o.Decimal("a", decimal.Zero, 10, 4)
		o.Bool("a", false)
		o.UUID("a")
		o.Date("a")
		o.Moment("a")
		o.Texts("a", 3, 3, true)
		for _, inner := range o.Objects("a", 0, 5) {
			inner.NeedText("b", 3)
		}
	})
}

func TestJSONThatIsCalledAFormIsReadAsJSON(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(` {"amount": 1000}`))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl says unless it is told
	o, err := input.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := o.NeedInt("amount", input.NotBelow0); got != 1000 || codes(o) != "" {
		t.Errorf("%d %s", got, codes(o))
	}
	r = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"amount": 1000`))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if _, err := input.Read(r); !fault.HasCode(err, "parse_error") {
		t.Errorf("half a body: %v", err)
	}
}

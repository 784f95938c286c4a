package my_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/views/documents/pdftest"
)

// buys gives the client a purchase from a brand, in cents.
func (v *visitor) buys(brand, reference, what string, cents int) string {
	v.t.Helper()
	return v.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"reference":%q,
		"purchase":{"products":[{"name":%q,"price":%d}]}}`, v.client, brand, reference, what, cents)).Want(201).Text("id")
}

// otherBrand is another brand of the same business, paid into an account of its own.
func (v *visitor) otherBrand(name, account string) string {
	v.t.Helper()
	id := v.Store.NewID()
	v.execute(`INSERT INTO brands (id, merchant_id, name, created_at, updated_at)
		SELECT $1, merchant_id, $2, created_at, updated_at FROM brands WHERE id = $3`, id, name, v.A.BrandID)
	v.execute(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
			branch_code, is_default, created_at)
		SELECT $1, merchant_id, $2, 'SPA', 'SPA', $3, branch_code, true, created_at
		FROM debit_profiles WHERE brand_id = $4`, v.Store.NewID(), id, account, v.A.BrandID)
	return id.String()
}

func (v *visitor) today() string { return calendar.DateOf(v.Store.Now()).String() }

// statement is the text of the PDF that staff get, with plain spaces.
func (v *visitor) statement(query string) string {
	v.t.Helper()
	got := v.Page(v.A.Staff, "GET", "/clients/"+v.client+"/account/statement.pdf"+query, nil).Want(http.StatusOK)
	if wrong := pdftest.Overflows(v.t, []byte(got.Body)); len(wrong) > 0 {
		v.t.Errorf("outside the page: %v", wrong)
	}
	return strings.ReplaceAll(pdftest.Text(v.t, []byte(got.Body)), "\u00a0", " ")
}

var figure = regexp.MustCompile(`-?(R )?[0-9][0-9 ]*,[0-9]{2}`)

// pageFigures are the sums of the page of the account: still to be paid, billed, credited, paid and refunded.
func (v *visitor) pageFigures(query string) (out []string) {
	v.t.Helper()
	body := v.Page(v.A.Staff, "GET", "/clients/"+v.client+"/account"+query, nil).Want(http.StatusOK).Body
	_, body, _ = strings.Cut(body, "Still to be paid")
	text := strings.ReplaceAll(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, "\n"), "\u00a0", " ")
	for _, found := range figure.FindAllString(text, 5) {
		out = append(out, strings.TrimSpace(strings.ReplaceAll(found, "R ", "")))
	}
	return out
}

// totals are the last line of the table: billed, credited, paid, refunded and owed.
func totals(text string) []string {
	_, after, _ := strings.Cut(text, "\nTotal\n")
	return figure.FindAllString(after, 5)
}

func TestAStatementComesToWhatThePageSays(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	empty := v.statement("")
	for _, want := range []string{"Statement of account", "Nothing was billed.", "You owe nothing.", "Thandi Nkosi"} {
		if !strings.Contains(empty, want) {
			t.Errorf("an empty statement lacks %q: %s", want, empty)
		}
	}
	spa := v.otherBrand("Spa", "62009998887")
	first := v.A.BrandID.String()
	owed := v.buys(first, "A-1", "Membership", 10_001)
	paid := v.buys(first, "A-2", "Towel", 20_050)
	v.API("POST", "/purchases/"+paid+"/mark_as_paid/", map[string]any{}).Want(200)
	back := v.buys(spa, "SPA-1", "Massage with 🙂", 30_000)
	v.API("POST", "/purchases/"+back+"/mark_as_paid/", map[string]any{}).Want(200)
	v.API("POST", "/purchases/"+back+"/refund/", `{"amount":4000}`).Want(200)
	v.buys(spa, "SPA-2", "Sauna", 7)
	gone := v.buys(first, "A-3", "Locker", 5_000)
	v.API("POST", "/purchases/"+gone+"/cancel/", nil)
	text := v.statement("")
	page := v.pageFigures("")
	if len(page) != 5 {
		t.Fatalf("figures of the page: %q", page)
	}
	if got, want := totals(text), append(slices.Clone(page[1:]), page[0]); !slices.Equal(got, want) {
		t.Errorf("the statement comes to %q, the page to %q: %s", got, want, text)
	}
	for _, want := range []string{"A-1", "Membership, Brand a", "SPA-1", "Massage with □, Spa", "Sauna, Spa",
		"Brand a", "Standard Bank, 051001", "12345678", "A-1: R 100,01", "62009998887", "SPA-2: R 0,07",
		"Not yet due", "1–30 days", "Over 90 days"} {
		if !strings.Contains(text, want) {
			t.Errorf("the statement lacks %q: %s", want, text)
		}
	}
	if strings.Contains(text, "A-3") {
		t.Error("what was cancelled before it was invoiced stands there")
	}
	// What was still to be paid 31 days ago is listed whatever its age; what was settled then goes into one line.
	v.execute(`UPDATE purchases SET created_at = created_at - interval '200 days', due = due - interval '200 days',
		history = jsonb_set(history, '{0,at}', to_jsonb(created_at - interval '200 days')) WHERE id = $1`, owed)
	if text := v.statement(""); !strings.Contains(text, "A-1") {
		t.Errorf("an old debt is not listed: %s", text)
	} else if _, ages, _ := strings.Cut(text, "Over 90 days"); !strings.Contains(ages, "100,01") {
		t.Errorf("an old debt is not among the ages: %s", text)
	}
}

func TestSettledPurchasesOfLongAgoAreOneLine(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	for i := range 3 {
		id := v.buys(v.A.BrandID.String(), fmt.Sprintf("OLD-%d", i), "Membership", 1_000)
		v.API("POST", "/purchases/"+id+"/mark_as_paid/", map[string]any{}).Want(200)
	}
	v.At(v.Store.Now().AddDate(0, 4, 0))
	v.buys(v.A.BrandID.String(), "NEW-1", "Membership", 500)
	text := v.statement("")
	if strings.Contains(text, "OLD-") || !strings.Contains(text, "Earlier purchases") || !strings.Contains(text, "NEW-1") {
		t.Errorf("the statement says: %s", text)
	}
	if got := totals(text); !slices.Equal(got, []string{"35,00", "0,00", "30,00", "0,00", "5,00"}) {
		t.Errorf("it comes to %q", got)
	}
}

func TestALongStatementHasItsHeadsOnEachPage(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	sum := int64(0)
	for i := range 60 {
		what := strings.Repeat("A membership with a long name ", 3)
		v.buys(v.A.BrandID.String(), fmt.Sprintf("REF-%03d", i), what, 100_000+i)
		sum += int64(100_000 + i)
	}
	text := v.statement("?as_of=" + v.today())
	if n := strings.Count(text, "Still owed"); n < 3 || !strings.Contains(text, "Page 3 of ") {
		t.Errorf("heads on %d pages", n)
	}
	if got := totals(text); len(got) != 5 || got[4] != strings.ReplaceAll(money.Amount(sum), "\u00a0", " ") {
		t.Errorf("it comes to %q, want %s", got, money.Amount(sum))
	}
}

func TestAStatementLooksBackAndIsTheClientsAlone(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.buys(v.A.BrandID.String(), "A-1", "Membership", 10_000)
	day := v.today()
	v.At(v.Store.Now().AddDate(0, 0, 40))
	v.buys(v.A.BrandID.String(), "A-2", "Membership", 5_000)
	if text := v.statement("?as_of=" + day); strings.Contains(text, "A-2") || totals(text)[4] != "100,00" {
		t.Errorf("it does not look back: %s", text)
	}
	v.Page(v.B.Staff, "GET", "/clients/"+v.client+"/account/statement.pdf", nil).Want(http.StatusNotFound)
	v.enter()
	v.get("/my/").Want(200).Contains("/my/statement.pdf")
	got := v.get("/my/statement.pdf").Want(200)
	text := strings.ReplaceAll(pdftest.Text(t, []byte(got.Body)), "\u00a0", " ")
	if !slices.Equal(totals(text), []string{"150,00", "0,00", "0,00", "0,00", "150,00"}) {
		t.Errorf("the client reads: %s", text)
	}
	offers(t, v.Server, "af")
	v.execute(`UPDATE clients SET language = 'af' WHERE id = $1`, v.client)
	if text := v.statement(""); !strings.Contains(text, "Rekeningstaat") {
		t.Errorf("a client who reads Afrikaans gets: %s", text)
	}
}

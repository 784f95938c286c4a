package web_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"debitdesk/models/actor"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/views/documents/pdftest"
)

const variableTerms = `{"value_type": "VARIABLE", "authentication_type": "REALTIME", "do_delayed_on_auth_failure": true, "debit_sequence": "RCUR",
	"adjustment_category": "ANNUALLY", "adjustment_rate": "6.5", "adjustment_amount_cents": null, "allow_date_adjustment": true, "verify_account": true,
	"max_amount_cents": 97350, "price_cents": 64900}`

// debiCheck turns the stored account into one under a DebiCheck mandate in a state,
// which the bank was asked about and the payer was asked for once.
func (k cast) debiCheck(t *testing.T, state mandate.State, asked mandate.AuthState) {
	t.Helper()
	code := ""
	if asked == mandate.AuthNoResponse {
		code = "NOAS"
	}
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`UPDATE tokens SET method = 'debicheck' WHERE id = $1`, []any{k.token}},
		{
			`UPDATE mandates SET kind = 'debicheck', state = $2, terms = $3, deduction_day = 25, bank_reference = 'BANKREF77',
				accepted_at = now() WHERE id = $1`,
			[]any{k.token, string(state), variableTerms}},
		{
			`INSERT INTO mandate_authentications (id, merchant_id, mandate_id, number, method, state, code, channel,
				requested_by, requested_at, sent_at, delivered_at, expires_at, answered_at)
			VALUES (gen_random_uuid(), $1, $2, 1, 'REALTIME', $3, $4, 'banking_app', 'Lerato', '2026-11-20T10:00:00Z',
			'2026-11-20T10:00:01Z', '2026-11-20T10:00:03Z',
				'2026-11-20T10:02:01Z', '2026-11-20T10:00:41Z')`, []any{k.A.ID, k.token, string(asked), code}},
		{
			`INSERT INTO account_verifications (id, merchant_id, client_id, purchase_id, account_mask, account_hash,
				bank_code, answers, passed, at)
			VALUES (gen_random_uuid(), $1, $2, $3, '•••• 3456', '', '632005',
			'{"exists": "yes", "open": "yes", "accepts_debits": "yes", "name_matches": "no"}', true, '2026-11-20T10:00:00Z')`,
			[]any{k.A.ID, k.client, k.token}},
	} {
		if _, err := k.Store.Pool.Exec(t.Context(), step.sql, step.args...); err != nil {
			t.Fatal(err)
		}
	}
}

var tabCount = regexp.MustCompile(`>\s*([A-Z][a-z ]+)\s*<span class="count">(\d+)</span>`)

func TestMandatesHaveTabsWithExactCounts(t *testing.T) {
	k := withAccount(t)
	counts := func(query string) string {
		var out []string
		for _, m := range tabCount.FindAllStringSubmatch(k.Page(k.A.Staff, "GET", "/mandates"+query,
			nil).Want(http.StatusOK).Body, -1) {
			out = append(out, strings.TrimSpace(m[1])+" "+m[2])
		}
		return strings.Join(out, " · ")
	}
	if got, want := counts(""),
		"All 1 · Waiting for the client 0 · Active 1 · Registered 0 · Declined 0 "+
			"· No answer 0 · Suspended 0 · Ended 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	k.debiCheck(t, mandate.Pending, mandate.AuthSent)
	k.capture(t, func(f map[string]string) { f["account_number"] = "4055123457" })
	if got, want := counts("?state=active"),
		"All 2 · Waiting for the client 1 · Active 1 · Registered 0 · Declined 0 "+
			"· No answer 0 · Suspended 0 · Ended 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := counts("?method=debicheck"); !strings.HasPrefix(got, "All 1 · Waiting for the client 1 · Active 0") {
		t.Errorf("under a method: %s", got)
	}
	if got := counts("?q=nobody"); !strings.HasPrefix(got, "All 0 · Waiting for the client 0 · Active 0") {
		t.Errorf("under a search: %s", got)
	}
}

func TestMandatesAreFilteredByTheAddress(t *testing.T) {
	k := withAccount(t)
	k.debiCheck(t, mandate.NoResponse, mandate.AuthNoResponse)
	reference := k.text(t, `SELECT contract_reference FROM mandates`)
	for query, seen := range map[string]bool{
		"": true, "?q=thandi": true, "?q=" + strings.ToLower(reference): true, "?q=somebody": false,
		"?method=debicheck": true, "?method=eft": false,
		"?state=no_response,failed": true, "?state=active": false, "?client=" + k.client: true, "?client=" + k.token: false,
		"?method=x&state=y&client=z&before=w": true,
	} {
		got := k.Page(k.A.Staff, "GET", "/mandates"+query, nil).Want(http.StatusOK)
		if strings.Contains(got.Body, "•••• 3456") != seen {
			t.Errorf("%q: seen %v, want %v", query, !seen, seen)
		}
	}
	k.Page(k.A.Staff, "GET", "/mandates", nil).Contains("649,00", "max 973,50", "day 25", "DebiCheck",
		"did not answer in time", `href="/mandates/new"`, `href="/mandates" aria-current`, reference).Lacks("4055123456")
	k.Page(k.A.Staff, "GET", "/mandates?method=eft&q=x", nil).Contains("Method is EFT", "“x”", "Clear filters")
	k.Page(k.A.Staff, "GET", "/mandates?method=x", nil).Contains("is not a method. The filter was ignored")
	k.Page(k.A.Staff, "GET", "/mandates", nil, "HX-Request: true", "HX-Target: results").Lacks("<html")
	k.Page(k.B.Owner, "GET", "/mandates", nil).Contains("No mandate yet").Lacks("3456")
}

func (k cast) text(t *testing.T, sql string) (text string) {
	t.Helper()
	if err := k.Store.Pool.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAMandatesPageSaysItsTermsItsAnswersAndItsDebits(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	k.debiCheck(t, mandate.ActiveState, mandate.AuthAccepted)
	k.Page(k.A.Staff, "GET", "/mandates/"+k.token, nil).Want(http.StatusOK).
		Contains("Active", "The client accepted at the bank", "Variable: up to the maximum", "R\u00a0973,50",
			"6,5\u00a0% every year", "Monthly, on day 25", "The bank will allow",
			"Real time, 120 seconds", "Accepted", "Banking app", "asked for by Lerato", "Name does not match", "Name matches",
			"a warning", "Banking app", "12:00:41", "Signed on paper", "I, Thandi Nkosi, authorise",
			"TESTMERCH1", "BANKREF77", "document.pdf", "Only an admin can delete tokens.", page, "2\u00a0469,00", "New purchase",
			"evidence/"+k.evidence(t)).
		Lacks("4055123456")
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).Contains("Name does not match",
		"/mandates/"+k.token, "DebiCheck")
	k.Page(k.A.Staff, "GET", "/clients/"+k.client, nil).Want(http.StatusOK).Contains("Name does not match")
}

func TestTheLivePanelStandsWhereAnAnswerIsMissing(t *testing.T) {
	k := withAccount(t)
	k.Deps.Mandates.LivePanel = func(_ context.Context, _ actor.Actor, s mandate.Sheet) (templ.Component, error) {
		return templ.Raw(fmt.Sprintf("<p>live of %s, asked %d times</p>", s.ID, len(s.Authentications))), nil
	}
	k.Page(k.A.Staff, "GET", "/mandates/"+k.token, nil).Want(http.StatusOK).Lacks("live of") // EFT
	k.debiCheck(t, mandate.Pending, mandate.AuthDelivered)
	for state, there := range map[mandate.State]bool{mandate.Submitted: true, mandate.Pending: true,
		mandate.NoResponse: true, mandate.FailedAtBank: true, mandate.Rejected: true,
		mandate.ActiveState: false, mandate.Registered: false, mandate.Suspended: false, mandate.Cancelled: false,
		mandate.Superseded: false} {
		if _, err := k.Store.Pool.Exec(t.Context(), `UPDATE mandates SET state = $2 WHERE id = $1`, k.token,
			string(state)); err != nil {
			t.Fatal(err)
		}
		got := k.Page(k.A.Staff, "GET", "/mandates/"+k.token, nil).Want(http.StatusOK)
		if strings.Contains(got.Body, "live of "+k.token+", asked 1 times") != there {
			t.Errorf("%s: the panel is there: %v, want %v", state, !there, there)
		}
		if word, _, _ := strings.Cut(state.Label(), ","); !strings.Contains(got.Body, word) {
			t.Errorf("%s is not said", state)
		}
	}
}

func TestTheMandateDocumentNamesAllThatAMandateMustName(t *testing.T) {
	k := withAccount(t)
	k.debiCheck(t, mandate.ActiveState, mandate.AuthAccepted)
	address := "/mandates/" + k.token + "/document.pdf"
	got := k.Page(k.A.Staff, "GET", address, nil).Want(http.StatusOK)
	reference := k.text(t, `SELECT contract_reference FROM mandates`)
	if have, want := got.Header.Get("Content-Disposition"), `attachment; filename=mandate-`+reference+
		`.pdf`; have != want {
		t.Errorf("sent as %s, want %s", have, want)
	}
	if have := got.Header.Get("Content-Type"); have != "application/pdf" {
		t.Errorf("sent as %s", have)
	}
	said := pdftest.Text(t, []byte(got.Body))
	for _, want := range []string{
		"Mandate document", "DebiCheck mandate", "Active as of", "Abbreviated short name", "TESTMERCH1", "User name",
		"Brand a", "First deduction date", "Recurring deduction date", "Monthly, on day 25",
		"Initial amount", "Recurring amount", "R\u00a0649,00", "Maximum amount", "R\u00a0973,50", "Adjustment",
		"6,5\u00a0% every year", "Surname", "Nkosi", "Initials", "T", "•••• 3456",
		"I, Thandi Nkosi, authorise", "Banking app", "20\u00a0November\u00a02026,\u00a012:00:41\u00a0SAST", "BANKREF77",
		"Request 1 to the client", "Real time, 120 seconds", "SHA-256", reference, "TEST MODE", "Page 1 of ",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(strings.ReplaceAll(said, "\n", ""), "4055123456") {
		t.Error("it shows the account number in full")
	}
	k.Page(k.B.Owner, "GET", address, nil).Want(http.StatusNotFound)
	k.Page(k.A.Staff, "GET", "/mandates/"+k.client+"/document.pdf", nil).Want(http.StatusNotFound)
	k.Page(k.A.Staff, "GET", "/mandates/x/document.pdf", nil).Want(http.StatusNotFound)
	k.Call("GET", address, nil, "Accept: text/html").Want(http.StatusSeeOther)
}

func TestTheDocumentOfAnEFTMandateHasNoPartsOfTheOther(t *testing.T) {
	k := withAccount(t)
	said := pdftest.Text(t, []byte(k.Page(k.A.Staff, "GET", "/mandates/"+k.token+"/document.pdf",
		nil).Want(http.StatusOK).Body))
	for _, want := range []string{"Debit order mandate (EFT)", "Signed on paper", "What is owed under the agreement",
		"Evidence on file"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for _, none := range []string{"DebiCheck", "Authentication at the client", "Maximum amount"} {
		if strings.Contains(said, none) {
			t.Errorf("it says %q", none)
		}
	}
}

func TestAMandateOfNoUseSaysWhyOnceWithWhatHelps(t *testing.T) {
	k := withAccount(t)
	k.debiCheck(t, mandate.Rejected, mandate.AuthRejected)
	if _, err := k.Store.Pool.Exec(t.Context(), `UPDATE mandates SET reason_code = 'MS02'`); err != nil {
		t.Fatal(err)
	}
	got := k.Page(k.A.Staff, "GET", "/mandates/"+k.token,
		nil).Want(http.StatusOK).Contains("Declined by the client (MS02)", "Nothing can be debited.")
	page := got.Body[strings.Index(got.Body, "<main"):]
	page = regexp.MustCompile(`title="[^"]*"`).ReplaceAllString(page, "")
	if n := strings.Count(page, "Speak to the client before asking again"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

func TestNothingIsAskedAgainWhatWasPaidAnotherWay(t *testing.T) {
	k := withAccount(t)
	k.Deps.Mandates.LivePanel = func(context.Context, actor.Actor, mandate.Sheet) (templ.Component, error) {
		return templ.Raw("<p>live</p>"), nil
	}
	k.debiCheck(t, mandate.NoResponse, mandate.AuthNoResponse)
	for status, there := range map[purchase.Status]bool{purchase.Failed: true, purchase.Overdue: true,
		purchase.Paid: false, purchase.Cancelled: false, purchase.Expired: false} {
		if _, err := k.Store.Pool.Exec(t.Context(), `UPDATE purchases SET status = $2 WHERE id = $1`, k.token,
			string(status)); err != nil {
			t.Fatal(err)
		}
		got := k.Page(k.A.Staff, "GET", "/mandates/"+k.token, nil).Want(http.StatusOK)
		if strings.Contains(got.Body, "<p>live</p>") != there {
			t.Errorf("%s: the panel is there: %v, want %v", status, !there, there)
		}
	}
}

package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/database/postgres"
	"debitdesk/views/documents/pdftest"
)

// shapes are the forms in which a number would lie open: as it is, with blanks as
// people write it, in hex, and in base64 wherever it stands within a text.
func shapes(n string) []string {
	out := []string{n, n[:4] + " " + n[4:], hex.EncodeToString([]byte(n)), strings.ToUpper(hex.EncodeToString([]byte(n)))}
	for before := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + n))
		whole := len(text) - 4 // the last group depends on what follows
		out = append(out, text[(before*8+5)/6:whole])
	}
	return out
}

func TestANumberIsFoundInEveryShape(t *testing.T) {
	for _, before := range []string{"", "a", "ab", `{"account":"`} {
		text := before + paying + `","next":1}`
		for _, said := range []string{text, hex.EncodeToString([]byte(text)),
			base64.StdEncoding.EncodeToString([]byte(text))} {
			if shape, _ := planted(said); shape == "" {
				t.Errorf("%q is not found", said)
			}
		}
	}
	if shape, _ := planted("6211113455 8501015000084 NjIxMTEx"); shape != "" {
		t.Errorf("%q is found where it is not", shape)
	}
}

var allShapes = sync.OnceValue(func() (all [][2]string) {
	for _, n := range numbers {
		for _, shape := range shapes(n) {
			all = append(all, [2]string{shape, n})
		}
	}
	return all
})

// planted is the first planted number that a text holds, and its shape there.
func planted(text string) (shape, number string) {
	for _, one := range allShapes() {
		if strings.Contains(text, one[0]) {
			return one[0], one[1]
		}
	}
	return "", ""
}

// receives is an endpoint of a merchant on a real socket, which keeps all it hears.
func (v *vault) receives() string {
	v.t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			v.t.Error(err)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		v.calls++
		v.said[fmt.Sprintf("told %s #%d", r.URL.Path, v.calls)] = string(body) + fmt.Sprint(r.Header)
	}))
	v.t.Cleanup(s.Close)
	return s.URL
}

// told sends what waits for endpoints.
func (v *vault) told() {
	v.t.Helper()
	must(v.t, v.app.Services.Webhooks.Work(v.t.Context()))
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, path := range []string{"told /hook ", "told /callback "} {
		heard := false
		for what := range v.said {
			heard = heard || strings.HasPrefix(what, path)
		}
		if !heard {
			v.t.Errorf("%swas never called", path)
		}
	}
}

// files opens every list as a spreadsheet, and says what is in it and in every PDF.
func (v *vault) files(cookie string) {
	v.t.Helper()
	sheets := 0
	for _, r := range v.echo.Routes() {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.Path, "/export") || strings.Contains(r.Path, ":") {
			continue
		}
		rec := v.ask("GET", r.Path+"?format=xlsx", nil, "Cookie: "+cookie, "Accept: text/html")
		sheets += v.unpack(r.Path, rec.Body.Bytes())
	}
	if sheets < 5 {
		v.t.Errorf("only %d lists were opened as spreadsheets", sheets)
	}
	pdfs := 0
	for what, text := range v.said {
		if strings.HasPrefix(text, "%PDF-") {
			v.said["the words of "+what] = pdftest.Text(v.t, []byte(text))
			pdfs++
		}
	}
	if pdfs == 0 {
		v.t.Error("no PDF was opened")
	}
	v.api(201, "POST", "/api/v1/company_statements/?currency=ZAR", `{"format":"xlsx"}`)
	must(v.t, v.app.Services.Statements.TakeUp(v.t.Context()))
	for _, id := range v.ids("company_statements") {
		v.unpack("statement "+id, v.ask("GET", "/reports/statements/"+id+"/file", nil, "Cookie: "+cookie).Body.Bytes())
	}
}

// unpack says what the parts of a spreadsheet hold; 0 when it is none.
func (v *vault) unpack(what string, content []byte) int {
	v.t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return 0
	}
	for _, f := range z.File {
		r, err := f.Open()
		must(v.t, err)
		text, err := io.ReadAll(r)
		must(v.t, err)
		v.said[what+" "+f.Name] = string(text)
	}
	return 1
}

// breaks makes the product fail with numbers in hand: what it then says is in the log
// and in the answer.
func (v *vault) breaks() {
	v.t.Helper()
	payer := client.Details{FullName: "Thandi Nkosi", BankAccount: bank.AccountNumber(paying),
		PersonalCode: bank.IDNumber(idNumber)}
	for i, wrong := range []any{payer.BankAccount, payer.PersonalCode, payer, &payer,
		fmt.Errorf("debit %s of %+v: %w", payer.BankAccount, payer, context.DeadlineExceeded)} {
		path := fmt.Sprintf("/api/v1/broken%d", i)
		v.echo.POST(path, func(c echo.Context) error {
			body, err := io.ReadAll(c.Request().Body) // on the stack while it breaks
			if err != nil || len(body) == 0 {
				v.t.Errorf("no body: %v", err)
			}
			panic(wrong)
		})
		v.echo.POST("/broken"+fmt.Sprint(i), func(echo.Context) error {
			return fmt.Errorf("broken: %v %+v %#v %q", wrong,
				wrong, wrong, wrong)
		})
		for _, path := range []string{path, "/broken" + fmt.Sprint(i)} {
			r := httptest.NewRequest(http.MethodPost, path,
				strings.NewReader(`{"bank_account":"`+paying+`","personal_code":"`+idNumber+`"}`))
			r.Header.Set("Accept", "text/html")
			rec := httptest.NewRecorder()
			v.echo.ServeHTTP(rec, r)
			if rec.Code != http.StatusInternalServerError {
				v.t.Errorf("%s: %d", path, rec.Code)
			}
			v.said[path] = rec.Body.String()
		}
	}
	if log := v.log.String(); !strings.Contains(log, "goroutine") || !strings.Contains(log, "panic") {
		v.t.Error("the log does not tell of the panic")
	}
	measured := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	measured.RemoteAddr = "127.0.0.1:1"
	rec := httptest.NewRecorder()
	v.echo.ServeHTTP(rec, measured)
	if v.said["the metrics"] = rec.Body.String(); rec.Code != http.StatusOK ||
		!strings.Contains(rec.Body.String(), "debitdesk_") {
		v.t.Errorf("metrics: %d", rec.Code)
	}
}

// dumped takes the database as whoever steals it would. Where the server came without
// pg_dump, the rows that searched reads are all there is.
func (v *vault) dumped() {
	v.t.Helper()
	binaries, err := postgres.FindBinaries(v.t.Context(), v.t.TempDir())
	must(v.t, err)
	program := binaries.Path("pg_dump")
	if _, err := os.Stat(program); err != nil {
		v.t.Logf("no pg_dump beside the server: %v", err)
		return
	}
	for _, form := range []string{"--format=plain", "--inserts"} {
		//nolint:gosec // of the server that serves the tests
		dump, err := exec.CommandContext(v.t.Context(), program, form, "--dbname="+v.app.Config.DatabaseURL).Output()
		must(v.t, err)
		if !bytes.Contains(dump, []byte("CREATE TABLE public.clients")) || !bytes.Contains(dump, []byte("Thandi")) {
			v.t.Errorf("the dump holds no clients: %.200s", dump)
		}
		v.said["a dump of the database, "+form] = string(dump)
	}
}

// A process that is made to crash while it works on numbers prints where each of its
// goroutines is. Nobody's number is there.
func TestACrashTraceShowsNoNumber(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	makeMerchant(t, env, "gym")
	made := typed(t, env, "", "apikey", "create", "--merchant", "gym", "--name", "till", "--ttl", "8760h")
	if made.code != exitOK {
		t.Fatalf("%+v", made)
	}
	env["DEBITDESK_LOG"], env["GOTRACEBACK"] = "debug", "all"
	p := serving(t, env)
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	first := make(chan struct{}, 8)
	for i := range 4 {
		busy.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				body := fmt.Sprintf(
					`{"email":"c%d.%d@example.com","full_name":"Crash Test","bank_account":%q,"bank_code":"470010","personal_code":%q}`,
					i,
					n,
					paying,
					idNumber,
				)
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/api/v1/clients/", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(made.out))
				req.Header.Set("Content-Type", "application/json")
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					return // it crashed
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				if n == 3 {
					first <- struct{}{}
				}
			}
		})
	}
	select {
	case <-first:
	case <-time.After(patience):
		t.Fatal("it never answered")
	}
	p.end(syscall.SIGQUIT)
	stop()
	busy.Wait()
	trace := p.log.String()
	if !strings.Contains(trace, "goroutine 1 ") || !strings.Contains(trace, "/api/v1/clients") {
		t.Errorf("no trace: %.500s", trace)
	}
	if shape, n := planted(trace); shape != "" {
		t.Errorf("the trace tells %s: …%s…", n, around(trace, shape))
	}
}

// payerErrs types the numbers into forms that are refused.
func (v *vault) payerErrs(id, cookie string) {
	v.t.Helper()
	wrong := url.Values{"full_name": {""}, "id_number": {idNumber + "7"}, "phone": {idNumber}, "bank_code": {"1"},
		"account_number": {paying + " 12345678901234567890"}, "account_type": {"x"}}
	v.ask("POST", "/p/"+id+"/", wrong, "Accept: text/html")
	v.ask("POST", "/p/"+id+"/", wrong, "Accept: application/json")
	v.ask("GET", "/clients?q="+paying, nil, "Cookie: "+cookie, "Accept: text/html")
	for what := range v.said { // who typed a number into the search sees it there again; the log must not
		if strings.HasPrefix(what, "GET /clients?q=") {
			delete(v.said, what)
		}
	}
	v.ask("GET", "/nothing/"+idNumber[:3], nil, "Cookie: "+cookie, "Accept: text/html")
}

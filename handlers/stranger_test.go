package handlers_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/approval"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/batch"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/factor"
	"debitdesk/models/followup"
	"debitdesk/models/listview"
	"debitdesk/models/member"
	"debitdesk/models/ownrule"
	"debitdesk/models/plan"
	"debitdesk/models/report"
	"debitdesk/models/rulebook"
	"debitdesk/models/savedreport"
	"debitdesk/models/sms"
	"debitdesk/models/statement"
	"debitdesk/models/upkeep"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
)

// street is the server with every address that there is, and one of everything in it.
type street struct {
	*handlertest.Server
	t           *testing.T
	log         *bytes.Buffer // errors alone
	credentials *credential.Service
	ids         map[string]string // by the beginning of an address
	actions     handlers.Actions
	file, btc   string
	secret      string // of the address of the provider of SMS
	// of the bank exchange
	message, document, movement, finding string
	profile                              string
}

func newStreet(t *testing.T) *street {
	t.Helper()
	s := &street{t: t, log: &bytes.Buffer{}}
	s.Server = handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.Log = slog.New(slog.NewTextHandler(io.MultiWriter(s.log, t.Output()),
			&slog.HandlerOptions{Level: slog.LevelError}))
		s.credentials = h.Deps.OAuth
	})
	var err error
	if s.actions, err = handlers.Routes(s.Deps).Actions(); err != nil {
		t.Fatal(err)
	}
	s.fill()
	s.fold()
	return s
}

// fold works off what is noted for the jobs to count: no job runs here, and every page would count it anew.
func (s *street) fold() {
	s.t.Helper()
	for again := true; again; {
		n, err := upkeep.Store{DB: s.Store}.FoldFigures(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		again = n > 0
	}
}

// fill makes one of everything that an address can name.
func (s *street) fill() {
	s.t.Helper()
	client := s.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"bank_account": "6200000001", "bank_code": "470010"}).Want(201).Text("id")
	token := s.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
		s.A.BrandID)).Want(201).Text("id")
	charged := s.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":100}]}}`,
		client, s.A.BrandID, s.Store.Now().Add(72*time.Hour).Unix())).Want(201).Text("id")
	s.API("POST", "/purchases/"+charged+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token)).Want(200)
	open := s.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":100}]}}`, client, s.A.BrandID)).Want(
		201).Text("id")
	s.API("POST", "/purchases/"+open+"/resend_invoice/", nil).Want(200)
	key, err := s.credentials.Issue(s.t.Context(), s.A.Actor, credential.Input{Name: "other", Lifetime: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	s.file = uuid.NewString()
	if _, err := s.Store.Pool.Exec(
		s.t.Context(),
		`INSERT INTO mandate_evidence (id, merchant_id, mandate_id, name, content_type,
			size_bytes, sha256, content, created_at)
		VALUES ($1, $2, $3, 'scan.pdf', 'application/pdf', 1, '', '', now())`,
		s.file,
		s.A.ID,
		token,
	); err != nil {
		s.t.Fatal(err)
	}
	var mail string
	if err := s.Store.Pool.QueryRow(s.t.Context(), `SELECT id::text FROM mails`).Scan(&mail); err != nil {
		s.t.Fatal(err)
	}
	change, err := s.Amendments.Amend(s.t.Context(), s.A.Actor, uuid.MustParse(token), amendment.Revision{Method: "eft"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Requests.Flush(s.t.Context())
	var asked string
	if err := s.Store.Pool.QueryRow(s.t.Context(), `SELECT id::text FROM api_requests WHERE merchant_id = $1 LIMIT 1`,
		s.A.ID).Scan(&asked); err != nil {
		s.t.Fatal(err)
	}
	session, _, _ := strings.Cut(between(s.Page(s.A.Owner, "GET", "/account", nil).Body, "/account/sessions/", "/end"),
		"/")
	sent, err := s.Batches.Upload(s.t.Context(), s.A.Actor,
		batch.Upload{Name: "rows.csv", Source: batch.FromFile, BrandID: s.A.BrandID,
			Content: strings.NewReader("email,amount,due\na@example.com,100,2099-03-01\nb,100,2099-03-01\n")})
	if err == nil {
		sent, err = s.Batches.Map(s.t.Context(), s.A.Actor, sent.ID, sent.Mapping)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	var entry string
	if err := s.Store.Pool.QueryRow(s.t.Context(), `SELECT id::text FROM audit_entries WHERE merchant_id = $1 LIMIT 1`,
		s.A.ID).Scan(&entry); err != nil {
		s.t.Fatal(err)
	}
	invited, err := s.Members.Invite(s.t.Context(), s.A.Actor,
		member.Input{Email: "new@example.com", Terms: member.Terms{Role: actor.Staff}})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.Store.Pool.QueryRow(s.t.Context(), `SELECT id::text FROM debit_profiles WHERE merchant_id = $1`,
		s.A.ID).Scan(&s.profile); err != nil {
		s.t.Fatal(err)
	}
	passkey := factor.Passkey{ID: []byte("a key"), Name: "Key", Credential: []byte(`{}`), CreatedAt: s.Real()}
	holder := user.User{ID: s.Store.NewID(), MerchantID: s.A.ID, Email: "holder@a.example", Role: actor.Staff,
		CreatedAt: s.Real(), UpdatedAt: s.Real()}
	if err := s.Store.InTx(s.t.Context(), func(tx *database.Tx) error {
		return errors.Join(user.Insert(tx, holder, ""), factor.InsertPasskey(tx, holder.ID, passkey))
	}); err != nil {
		s.t.Fatal(err)
	}
	closing := s.Store.NewID()
	if _, err := s.Store.Pool.Exec(s.t.Context(), `INSERT INTO book_closings (id, merchant_id, month, entries, balances,
		closed_at, closed_by) VALUES ($1, $2, '2020-01-01', 0, '{}', now(), 'Owner')`, closing.String(),
		s.A.ID.String()); err != nil {
		s.t.Fatal(err)
	}
	fee := s.Page(s.A.Finance, "POST", "/books/fees", url.Values{"kind": {"fee"}, "gross": {"6.90"}, "vat": {"0.90"},
		"day": {calendar.DateOf(s.Store.Now()).String()}, "what": {"Service"}}).Want(303).Header.Get("Location")
	hook, err := s.Webhooks.Create(s.t.Context(), s.A.Actor,
		webhook.Input{Title: "Accounting", Callback: "http://127.0.0.1:9/", AllEvents: true})
	if err != nil {
		s.t.Fatal(err)
	}
	told, err := s.Webhooks.Test(s.t.Context(), s.A.Actor, hook.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	template := s.API("POST", "/billing_templates/",
		fmt.Sprintf(`{"brand_id":%q,"title":"m","is_subscription":true,"purchase":{"products":[{"name":"m","price":100}]}}`,
			s.A.BrandID)).Want(201).Text("id")
	added := s.API("POST", "/billing_templates/"+template+"/add_subscriber/",
		fmt.Sprintf(`{"client_id":%q}`, client)).Want(200).JSON()
	s.btc, _ = added["billing_template_client"].(map[string]any)["id"].(string)
	paper, err := s.Statements.Create(s.t.Context(), s.A.Actor,
		statement.Input{Format: statement.CSV, Filter: report.Filter{Currencies: []string{"ZAR"}}})
	if err == nil {
		err = s.Statements.Make(s.t.Context(), paper.ID)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	second := s.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
		s.A.BrandID)).Want(201).Text("id")
	leaving, err := s.Deletions.StartDeletion(s.t.Context(), s.A.Actor,
		deletion.DeletionInput{Tokens: []uuid.UUID{uuid.MustParse(second)}})
	if err != nil {
		s.t.Fatal(err)
	}
	request, err := s.Approvals.Ask(s.t.Context(), s.A.Actor, approval.DeleteTokens,
		approval.Subject{Tokens: []uuid.UUID{uuid.MustParse(token)}}, "gone")
	if err != nil {
		s.t.Fatal(err)
	}
	file, err := s.Deps.Clients.Exports.Ask(s.t.Context(), s.A.Owner.User.Actor(),
		url.Values{"list": {"clients"}, "format": {"csv"}})
	if err == nil {
		err = s.Tasks.Work(s.t.Context(), file.ID)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	chosen := s.Page(s.A.Owner, "POST", "/selections", url.Values{"list": {"purchases"}, "id": {charged, open},
		"act": {"cancel"}}).Want(http.StatusSeeOther).Header.Get("Location")
	kept, err := s.Deps.Reports.Saved.Save(s.t.Context(), s.A.Owner.User.Actor(), savedreport.Report{Name: "Monthly",
		Period: savedreport.LastMonth, Than: savedreport.Before})
	if err != nil {
		s.t.Fatal(err)
	}
	view, err := s.Deps.Lists.Service.Save(s.t.Context(), s.A.Owner.User.Actor(),
		listview.View{List: "/clients", Name: "All"})
	if err == nil {
		err = s.Deps.Lists.Service.Pin(s.t.Context(), s.A.Owner.User.Actor(), view.ID, true)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	promised, err := s.Followups.AddPromise(s.t.Context(), s.A.Owner.User.Actor(), followup.Object{Type: followup.Client,
		ID: uuid.MustParse(client)}, followup.Promising{AmountCents: 100, DueOn: calendar.DateOf(s.Store.Now())})
	if err != nil {
		s.t.Fatal(err)
	}
	rules := &ownrule.Service{Store: ownrule.Store{DB: s.Store}, Book: rulebook.Default()}
	rule, err := rules.Set(s.t.Context(), s.A.Actor, ownrule.Input{Key: "ratio.unpaid", Value: 500,
		From: calendar.DateOf(s.Store.Now()).AddDays(1)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.bank()
	if s.secret, err = s.Texts.Store.NewAddress(s.t.Context(), time.Now()); err != nil {
		s.t.Fatal(err)
	}
	s.ids = map[string]string{
		"/sandbox/sms/":                    s.text(uuid.MustParse(client)),
		"/bank/files/":                     s.message,
		"/bank/received/":                  s.document,
		"/bank/movements/":                 s.movement,
		"/bank/findings/":                  s.finding,
		"/bank/days/":                      calendar.DateOf(s.Store.Now()).String(),
		"/approvals/":                      request.ID.String(),
		"/tokens/deletions/":               leaving.ID.String(),
		"/settings/brands/":                s.A.BrandID.String(),
		"/settings/rules/":                 rule.ID.String(),
		"/settings/people/":                s.A.Staff.ID.String(),
		"/settings/people/invitations/":    invited.ID.String(),
		"/invite/":                         "unknown",
		"/first/":                          "unknown",
		"/oidc/start/":                     "unknown",
		"/oidc/callback/":                  "unknown",
		"/oidc/logout/":                    "unknown",
		"/settings/issuers/":               s.issuer(),
		"/reset/":                          "unknown",
		"/attention/":                      promised.ID.String(),
		"/audit/":                          entry,
		"/tasks/":                          file.ID.String(),
		"/lists/views/":                    view.ID.String(),
		"/selections/":                     between(chosen, "/selections/", "/"),
		"/developers/webhooks/":            hook.ID.String(),
		"/webhooks/":                       hook.ID.String(),
		"/developers/webhooks/deliveries/": told.ID.String(),
		"/webhooks/deliveries/":            told.ID.String(),
		"/developers/events/":              told.EventID.String(),
		"/templates/":                      template,
		"subscriber":                       s.btc,
		"/billing_templates/":              template,
		"/company_statements/":             paper.ID.String(),
		"/reports/statements/":             paper.ID.String(),
		"/reports/saved/":                  kept.ID.String(),
		"/books/closings/":                 closing.String(),
		"/books/fees/":                     strings.TrimPrefix(fee, "/books/fees/"),
		"/plans/":                          s.plan(),
		"/batches/":                        sent.ID.String(),
		"/imports/":                        s.book(),
		"/clients/":                        client,
		"/requests/":                       s.request(client),
		"/my/link/":                        "unknown",
		"/my/ask/":                         "a",
		"/my/mandates/":                    token,
		"/my/acts/":                        "promise",
		"/my/codes/":                       client,
		"/purchases/":                      charged,
		"/tokens/":                         token,
		"/mandates/":                       token,
		"/sandbox/mail/":                   mail,
		"/messages/":                       mail,
		"/sandbox/collections/":            charged,
		"/amendments/":                     change.ID.String(),
		"/sandbox/mandates/":               token,
		"/developers/credentials/":         key.ID.String(),
		"/account/sessions/":               session,
		"/p/":                              open,
		"/developers/requests/":            asked,
		"/manual/":                         "operation",
		"/account/security/passkeys/":      passkey.Handle(),
		"/settings/security/people/":       s.A.Staff.ID.String(),
	}
}

// issuer is one that the business accepts; it is not there to be asked.
func (s *street) issuer() string {
	s.t.Helper()
	id := s.Store.NewID()
	if _, err := s.Store.Pool.Exec(s.t.Context(), `INSERT INTO issuers
		(id, merchant_id, name, issuer, client_id, created_at, updated_at)
		VALUES ($1, $2, 'House Login', 'http://127.0.0.1:9', 'desk', now(), now())`, id, s.A.ID); err != nil {
		s.t.Fatal(err)
	}
	return id.String()
}

// request is what a client asked for by phone.
func (s *street) request(clientID string) string {
	s.t.Helper()
	r, err := s.ClientPages.Record(s.t.Context(), s.A.Actor, clientpage.RequestInput{ClientID: uuid.MustParse(clientID),
		Kind: clientpage.Access, Channel: clientpage.ByPhone, Text: "Wants a copy",
		ReceivedOn: calendar.DateOf(s.Store.Now())})
	if err != nil {
		s.t.Fatal(err)
	}
	return r.ID.String()
}

// plan makes a plan.
func (s *street) plan() string {
	s.t.Helper()
	p, err := s.Deps.Plans.Service.Create(s.t.Context(), s.A.Actor, plan.Input{Name: "Monthly",
		Steps: plan.Steps{plan.Money: {{Kind: plan.Task}}}})
	if err != nil {
		s.t.Fatal(err)
	}
	return p.ID.String()
}

// book makes an import that was done.
func (s *street) book() string {
	s.t.Helper()
	ctx := s.t.Context()
	i, err := s.Imports.Upload(ctx, s.A.Actor, book.Upload{Name: "gym.csv", BrandID: s.A.BrandID,
		Content: strings.NewReader("Member No,Name,Email,Bank,Account number,Mandate signed\n" +
			"K1,Thandi Nkosi,thandi@example.com,FNB,62000001018,2025-01-28\n")})
	if err == nil {
		scans := strings.NewReader(scanArchive(s.t, "K9.pdf"))
		_, err = s.Imports.AddScans(ctx, s.A.Actor, i.ID, scans, scans.Size())
	}
	if err == nil {
		_, err = s.Imports.Map(ctx, s.A.Actor, i.ID, i.Mapping, i.CutOver)
	}
	if err == nil {
		i, err = s.Imports.Work(ctx, s.A.Actor, i.ID)
	}
	if err == nil {
		_, err = s.Imports.Start(ctx, s.A.Actor, i.ID, i.Seal())
	}
	if err == nil {
		i, err = s.Imports.Work(ctx, s.A.Actor, i.ID)
	}
	if err != nil || i.Counts.Applied != 1 {
		s.t.Fatal(err, i.Counts)
	}
	return i.ID.String()
}

// text is a short message to a client, and its answer.
func (s *street) text(client uuid.UUID) string {
	s.t.Helper()
	m := sms.Message{ID: s.Store.NewID(), MerchantID: s.A.ID, ClientID: client, ObjectID: client, Kind: sms.Written,
		Attempt: 1, To: "+27821234567", Text: "Please call us."}
	err := s.Store.InTx(s.t.Context(), func(tx *database.Tx) (err error) {
		m, err = s.Texts.Queue(tx, m)
		return err
	})
	if err == nil {
		_, err = s.Store.Pool.Exec(s.t.Context(), `UPDATE sms_messages SET state = 'sent', sent_at = created_at`)
	}
	if err == nil {
		err = s.Texts.Answer(s.t.Context(), m, "test", "1", "I will.")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return m.ID.String()
}

// bank makes one of everything that is exchanged with the bank: a file that was refused, its answer, debits that missed
// their cut-off, and a movement that belongs to none.
func (s *street) bank() {
	s.t.Helper()
	today := calendar.DateOf(s.Store.Now())
	s.Submit(s.Exchange.Calendar.AddBusinessDays(today, 5), 15000, uuid.New())
	message := s.CutAndTake()
	s.Arrive("refused", exchange.Event{Kind: exchange.OnMessage, MessageID: message, Status: "RJCT"})
	s.Box.In["nonsense"] = []byte("nonsense")
	s.Run()
	s.Submit(today, 15000, uuid.New())
	s.message, s.movement = message, s.Unmatched(15000, true, today).String()
	for sql, into := range map[string]*string{
		`SELECT document_id::text FROM bank_files_in_of WHERE merchant_id = $1 LIMIT 1`:                  &s.document,
		`SELECT id::text FROM bank_findings WHERE merchant_id = $1 AND kind = 'missed_deadline' LIMIT 1`: &s.finding,
	} {
		if err := s.Store.Pool.QueryRow(s.t.Context(), sql, s.A.ID).Scan(into); err != nil {
			s.t.Fatal(err)
		}
	}
}

func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	if text == "" {
		return "00000000"
	}
	return text
}

// id is what stands in for a parameter of an address; a new kind of address must be told here.
func (s *street) id(route, parameter string) string {
	switch parameter {
	case "act":
		return "cancel"
	case "message":
		return "invoice"
	case "secret":
		return s.secret
	case "form":
		return "acb"
	case "token_id":
		return s.ids["/tokens/"]
	case "file":
		return s.file
	case "profile":
		return s.profile
	case "btc_id":
		return s.btc
	case "n":
		return "0"
	case "sid":
		return s.ids["subscriber"]
	}
	longest, found := "", ""
	for begins, id := range s.ids {
		if len(begins) > len(longest) && strings.HasPrefix(strings.TrimPrefix(route, "/api/v1"), begins) {
			longest, found = begins, id
		}
	}
	if found == "" {
		s.t.Errorf("the test does not know what %s names", route)
	}
	return found
}

// address is a route with ids in it.
func (s *street) address(route string, id func(route, parameter string) string) string {
	parts := strings.Split(route, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = id(route, name)
		}
	}
	return strings.Join(parts, "/")
}

// each calls do for every address but those for reading files of ours.
func (s *street) each(do func(method, route string)) {
	n := 0
	for _, r := range s.App.Routes() {
		if strings.HasPrefix(r.Method, "echo_") || strings.HasPrefix(r.Path, "/static/") || r.Path == "/metrics" ||
			r.Path == "/logout" {
			continue
		}
		n++
		do(r.Method, r.Path)
	}
	if n < 100 {
		s.t.Errorf("only %d addresses", n)
	}
}

func (s *street) unbroken(what string, got handlertest.Answer) {
	s.t.Helper()
	if got.Status >= 500 || s.log.Len() > 0 {
		s.t.Errorf("%s: %d %.300s %s", what, got.Status, got.Body, s.log)
		s.log.Reset()
	}
}

func isAPI(route string) bool {
	return strings.HasPrefix(route, "/api/") || strings.HasPrefix(route, "/billing")
}

func TestAStrangerFindsEveryDoorLocked(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.ExerciseStranger(s.id)
	s.unbroken("a stranger", handlertest.Answer{})
	s.each(func(method, route string) {
		if strings.HasPrefix(route, "/p/") || strings.HasPrefix(route, "/my") ||
			strings.HasPrefix(route, "/login") || strings.HasPrefix(route, "/invite/") ||
			strings.HasPrefix(route, "/first/") || strings.HasPrefix(route, "/oidc/") || strings.HasPrefix(route, "/sms/") ||
			strings.HasPrefix(route, "/reset") || strings.HasPrefix(route, "/oauth") || strings.HasSuffix(route, "z") ||
			route == "/openapi.json" || route == "/developers/api" || strings.HasPrefix(route, "/manual") ||
			strings.HasPrefix(route, "/.well-known/") {
			return
		}
		path := s.address(route, s.id)
		if method == http.MethodHead {
			s.Call(method, path, nil, "Accept: text/html")
			return
		}
		got := s.Call(method, path, nil, "HX-Request: true", "Accept: text/html")
		if got.Status != http.StatusUnauthorized || !isAPI(route) && !strings.HasSuffix(route, "/delete_recurring_token") &&
			!strings.HasPrefix(got.Header.Get("HX-Redirect"), "/login") {
			t.Errorf("%s %s from a page whose session is over: %d %v", method, path, got.Status, got.Header)
		}
		if got := s.Call(method, path, nil, "Authorization: Bearer x",
			"Accept: application/json"); got.Status != http.StatusUnauthorized && got.Status != http.StatusSeeOther {
			t.Errorf("%s %s with a wrong credential: %d", method, path, got.Status)
		}
	})
}

func TestAnIdThatIsNobodysIs404(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	wrongs := []string{"nonsense", "0", "-1", "%00", "..%2f..%2fetc", "{" + uuid.NewString() + "}",
		"urn:uuid:" + uuid.NewString(), strings.Repeat("a", 3000),
		"00000000-0000-0000-0000-000000000000", uuid.NewString(), "%ff%fe", "'; DROP TABLE clients; --"}
	s.each(func(method, route string) {
		if !strings.Contains(route, ":") {
			return
		}
		for _, wrong := range wrongs {
			path := s.address(route, func(_, parameter string) string {
				if parameter == "n" {
					return "0"
				}
				return url.PathEscape(wrong)
			})
			if strings.HasPrefix(wrong, "%") || strings.Contains(wrong, "%2f") {
				path = s.address(route, func(string, string) string { return wrong })
			}
			for who, got := range map[string]handlertest.Answer{
				"a program": s.Call(method, path, nil, "Authorization: Bearer "+s.A.Token, "Accept: application/json"),
				"a person":  s.Page(s.A.Owner, method, path, nil),
			} {
				s.unbroken(method+" "+path, got)
				if strings.HasPrefix(route, "/my/") && got.Status == http.StatusForbidden { // nobody is on a page there
					continue
				}
				if got.Status != http.StatusNotFound && !(who == "a program" &&
					got.Status == http.StatusUnauthorized) { // a program has no session for pages
					t.Errorf("%s %.100s as %s: %d, want 404: %.200s", method, path, who, got.Status, got.Body)
				}
			}
		}
	})
}

package handlers_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/mail/smtp"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/views/documents/pdftest"
)

// office is the server of a VAT vendor with clients to bill.
type office struct {
	*handlertest.Server
	t       *testing.T
	clients []string
	post    *outbox.Service
}

func newOffice(t *testing.T, clients int) *office {
	t.Helper()
	o := &office{Server: handlertest.New(t), t: t}
	o.exec(
		`UPDATE brands SET tax_number = '4870264921', legal_name = 'Kloof Training (Pty) Ltd',
			street_address = '12 Kloof Street', city = 'Cape Town', zip_code = '8001' WHERE id = $1`,
		o.A.BrandID,
	)
	o.post = &outbox.Service{Store: outbox.Store{DB: o.Store}, Sender: outbox.Keep{}, Sent: o.Purchases.Mailed,
		Compose: o.Billing.Compose}
	for i := range clients {
		o.clients = append(o.clients, o.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("c%d@example.com", i),
			"full_name":      fmt.Sprintf("Client %d", i),
			"street_address": "1 Long Street", "city": "Durban", "zip_code": "4001", "tax_number": "4123456789"}).Want(201).Text(
			"id"))
	}
	return o
}

func (o *office) exec(sql string, args ...any) {
	o.t.Helper()
	if _, err := o.Store.Pool.Exec(o.t.Context(), sql, args...); err != nil {
		o.t.Fatal(err)
	}
}

// bill sends one invoice to each client and gives the purchases.
func (o *office) bill(products string) (ids []string) {
	o.t.Helper()
	to := make([]map[string]string, len(o.clients))
	for i, c := range o.clients {
		to[i] = map[string]string{"client_id": c}
	}
	list, err := json.Marshal(to)
	if err != nil {
		o.t.Fatal(err)
	}
	got := o.API("POST", "/billing/", fmt.Sprintf(
		`{"brand_id":%q,"due":%d,"purchase":{"products":%s,"notes":"Thank you"},"clients":%s}`,
		o.A.BrandID, o.Store.Now().Add(240*time.Hour).Unix(), products, list)).Want(200)
	if err := json.Unmarshal([]byte(got.Body), &ids); err != nil {
		o.t.Fatal(err)
	}
	return ids
}

func (o *office) sendAll() {
	o.t.Helper()
	if _, err := o.post.SendDue(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
}

const course = `[{"name":"Course fee","price":25000,"quantity":"1.5"},{"name":"Café lunch","price":9999,"discount":100}]`

// plain is the text of a page without its marks.
func plain(page string) string {
	return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, "\n"))
}

func TestThePDFSaysWhatThePageAndTheMailSay(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1)
	id := o.bill(course)[0]
	o.sendAll()
	page := plain(o.Call("GET", "/p/"+id+"/invoice/", nil).Want(200).Body)
	file := o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(200)
	pdf := pdftest.Text(t, []byte(file.Body))
	var text string
	if err := o.Store.Pool.QueryRow(t.Context(), `SELECT subject || text_body FROM mails`).Scan(&text); err != nil {
		t.Fatal(err)
	}
	number := fmt.Sprintf("INV-%d-000001", o.Store.Now().Year())
	for _, said := range []string{number, "Tax Invoice", "Course fee", "1,5 × R\u00a0250,00", "R\u00a0375,00",
		"Café lunch", "R\u00a098,99", "R\u00a0473,99", "R\u00a061,82", "R\u00a0412,17",
		"VAT at 15\u00a0%", "VAT number 4870264921", "12 Kloof Street", "Cape Town 8001"} {
		for name, what := range map[string]string{"the page": page, "the PDF": pdf, "the mail": text} {
			if !strings.Contains(strings.ReplaceAll(what, ", Cape Town", "\nCape Town"), said) {
				t.Errorf("%s does not say %q", name, said)
			}
		}
	}
	for _, said := range []string{"Client 0", "1 Long Street", "Durban 4001", "VAT number 4123456789", "Thank you",
		"Kloof Training (Pty) Ltd"} {
		if !strings.Contains(page, said) || !strings.Contains(pdf, said) {
			t.Errorf("the page or the PDF does not say %q", said)
		}
	}
	amounts := regexp.MustCompile(`R\x{a0}[\d\x{a0}]+,\d\d`)
	if onPage, onPaper := amounts.FindAllString(page, -1), amounts.FindAllString(pdf, -1); !slices.Equal(onPage, onPaper) {
		t.Errorf("the page has the amounts %q, the PDF %q", onPage, onPaper)
	}
	if !strings.Contains(pdf, "TEST MODE") || !strings.Contains(pdf, handlertest.BaseURL+"/p/"+id+"/") {
		t.Error("the PDF lacks its strip or the link to pay")
	}
	o.Call("GET", "/p/"+id+"/invoice.pdf?credit-note", nil).Want(404)
	got := o.API("GET", "/purchases/"+id+"/", nil).Want(200)
	if got.Text("invoice_url") != handlertest.BaseURL+"/p/"+id+"/invoice/" ||
		got.Text("checkout_url") != handlertest.BaseURL+"/p/"+id+"/" || got.Text("status") != "viewed" {
		t.Errorf("the API says %s", got.Body)
	}
}

func TestAnInvoiceWhoseDebitIsPlannedSaysWhenAndInvitesNobodyToPay(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1)
	due := calendar.DateOf(o.Store.Now()).AddDays(20).At(12, 0)
	o.API("PATCH", "/clients/"+o.clients[0]+"/", `{"bank_account":"6200000001","bank_code":"470010"}`).Want(200)
	storing := o.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"Account","price":0}],
		"payment_method_details":{"direct_debit":{}}}}`,
		o.clients[0],
		o.A.BrandID,
	)).Want(201).Text("id")
	id := o.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"Course","price":47399}]}}`, o.clients[0],
		o.A.BrandID, due.Unix())).Want(201).Text("id")
	o.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(200)
	o.API("POST", "/purchases/"+id+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, storing)).Want(200)
	o.sendAll()
	rec, err := o.Purchases.Open(t.Context(), uuid.MustParse(id))
	if err != nil {
		t.Fatal(err)
	}
	page := plain(o.Call("GET", "/p/"+id+"/invoice/", nil).Want(200).Body)
	file := o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(200)
	pdf := pdftest.Text(t, []byte(file.Body))
	var text string
	if err := o.Store.Pool.QueryRow(t.Context(),
		`SELECT subject || text_body || html_body FROM mails WHERE purchase_id = $1 AND kind = 'invoice'`,
		rec.ID).Scan(&text); err != nil {
		t.Fatal(err)
	}
	for name, what := range map[string]string{"the page": page, "the PDF": pdf, "the mail": text} {
		for _, said := range []string{rec.Collection.ActionDate.Format("2 January 2006"), "Capitec ••••\u00a00001"} {
			if !strings.Contains(what, said) {
				t.Errorf("%s does not say %q:\n%s", name, said, what)
			}
		}
		for _, invitation := range []string{"View and pay", "Pay online", "pay it online", "Pay this", "To pay"} {
			if strings.Contains(what, invitation) {
				t.Errorf("%s says %q", name, invitation)
			}
		}
	}
	if again := o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(200); again.Body != file.Body {
		t.Error("the PDF changed")
	}
	o.exec(`UPDATE tokens SET state = 'deleting' WHERE id = $1`, uuid.MustParse(storing)) // by a person, who may undo it
	for name, what := range map[string]string{"the page": plain(o.Call("GET", "/p/"+id+"/invoice/", nil).Want(200).Body),
		"the PDF": pdftest.Text(t, []byte(o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(200).Body))} {
		if strings.Contains(what, rec.Collection.ActionDate.Format("2 January 2006")) ||
			strings.Contains(what, "Pay online") || !strings.Contains(what, "On hold") {
			t.Errorf("while the account is being deleted, %s says:\n%s", name, what)
		}
	}
	o.exec(`UPDATE tokens SET state = 'active' WHERE id = $1`, uuid.MustParse(storing))
	o.API("POST", "/purchases/"+id+"/cancel/", nil)
	o.exec(`UPDATE collections SET state = 'unpaid' WHERE purchase_id = $1`, rec.ID)
	if pdf := pdftest.Text(t, []byte(o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(200).Body)); !strings.Contains(pdf,
		"Pay online") {
		t.Error("after a debit that failed the PDF invites nobody to pay")
	}
}

func TestAnIssuedInvoiceDoesNotChangeWithItsBrandOrItsClient(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1)
	id := o.bill(course)[0]
	before := o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(200).Body
	o.exec(`UPDATE brands SET name = 'Renamed', tax_number = '', legal_name = '', city = 'Paarl' WHERE id = $1`,
		o.A.BrandID)
	o.API("PUT", "/clients/"+o.clients[0]+"/", map[string]any{"email": "other@example.com",
		"full_name": "Somebody Else"}).Want(200)
	if after := o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(200).Body; after != before {
		t.Errorf("the PDF changed:\n%s\n%s", pdftest.Text(t, []byte(before)), pdftest.Text(t, []byte(after)))
	}
	o.Call("GET", "/p/"+id+"/invoice/", nil).Contains("Tax Invoice", "4870264921", "Client 0").Lacks("Paarl",
		"Somebody Else")
}

func TestABusinessWithoutAVATNumberChargesNone(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1)
	o.exec(`UPDATE brands SET tax_number = ''`)
	id := o.bill(course)[0]
	pdf := pdftest.Text(t, []byte(o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(200).Body))
	if strings.Contains(pdf, "Tax Invoice") || strings.Contains(pdf, "VAT at") || strings.Contains(pdf, "Value without") ||
		!strings.Contains(pdf, "Invoice") {
		t.Errorf("the PDF says\n%s", pdf)
	}
	o.Call("GET", "/p/"+id+"/invoice/", nil).Want(200).Contains("R\u00a0473,99").Lacks("Tax Invoice", "VAT included")
}

func TestARefundCreditsAsMuchOfTheInvoice(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 2)
	ids := o.bill(course)
	o.sendAll()
	o.API("POST", "/purchases/"+ids[0]+"/mark_as_paid/", nil).Want(200)
	for range 2 {
		o.API("POST", "/purchases/"+ids[0]+"/refund/", `{"amount":10000}`).Want(200)
	}
	o.sendAll()
	if n := o.Count(`SELECT sum(total_cents) FROM invoices WHERE kind = 'credit_note' AND purchase_id = $1`,
		ids[0]); n != 20000 {
		t.Errorf("%d cents are credited", n)
	}
	if n := o.Count(`SELECT count(*) FROM mails WHERE kind = 'credit_note' AND state = 'sent'`); n != 2 {
		t.Errorf("%d mails tell of the credit notes", n)
	}
	pdf := pdftest.Text(t, []byte(o.Call("GET", "/p/"+ids[0]+"/invoice.pdf?credit-note", nil).Want(200).Body))
	for _, said := range []string{"Credit Note", "Part of invoice INV-", "R\u00a0100,00",
		"R\u00a013,04"} { // 100 of 473,99 with 61,82 VAT
		if !strings.Contains(pdf, said) {
			t.Errorf("the credit note does not say %q:\n%s", said, pdf)
		}
	}
	o.Page(o.A.Staff, "GET", "/purchases/"+ids[0], nil).Want(200).Contains("Partly refunded", "-000001", "-000002",
		"Left of the invoice", "R\u00a0273,99").Lacks("Refund pending")
	o.Page(o.A.Staff, "GET", "/clients/"+o.clients[0]+"/account", nil).Want(200).Contains("Credited", "Refunded",
		"R\u00a0200,00", "R\u00a0473,99")
	o.Page(o.A.Staff, "GET", "/purchases/"+ids[1]+"/cancellation", nil).Want(200).Contains(
		"A credit note for R\u00a0473,99", "mailed to")
	o.Page(o.A.Staff, "GET", "/invoices?state=paid", nil).Want(200).Contains("Client 0", "Partly refunded").
		Lacks("Client 1")
}

func TestACancelledInvoiceIsTakenBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 2)
	ids := o.bill(course)
	o.sendAll()
	o.API("POST", "/purchases/"+ids[0]+"/cancel/", nil).Want(200)
	o.API("POST", "/purchases/"+ids[0]+"/cancel/", nil).Want(400)
	o.sendAll()
	year := o.Store.Now().Year()
	credit := fmt.Sprintf("CN-%d-000001", year)
	pdf := pdftest.Text(t, []byte(o.Call("GET", "/p/"+ids[0]+"/invoice.pdf?credit-note", nil).Want(200).Body))
	for _, said := range []string{"Credit Note", credit, fmt.Sprintf("INV-%d-000001", year), "Total credited",
		"R\u00a0473,99", "R\u00a061,82"} {
		if !strings.Contains(pdf, said) {
			t.Errorf("the credit note does not say %q:\n%s", said, pdf)
		}
	}
	if strings.Contains(pdf, "Pay online") {
		t.Error("the credit note asks for money")
	}
	o.Call("GET", "/p/"+ids[0]+"/invoice/", nil).Want(200).Contains(credit)
	o.Page(o.A.Staff, "GET", "/purchases/"+ids[0], nil).Want(200).Contains(credit, fmt.Sprintf("INV-%d-000001", year))
	o.Page(o.A.Staff, "GET", "/invoices?state=credited", nil).Want(200).Contains(credit).Lacks("Client 1")
	if n := o.Count(
		`SELECT count(*) FROM mails WHERE kind = 'credit_note' AND state = 'sent' AND subject LIKE 'Credit note CN-%'
			AND jsonb_array_length(attachments) = 1`,
	); n != 1 {
		t.Errorf("%d mails tell of it", n)
	}
	plainly := o.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":100}]}}`, o.clients[0], o.A.BrandID)).Want(
		201).Text("id")
	o.API("POST", "/purchases/"+plainly+"/cancel/", nil).Want(200)
	if n := o.Count(`SELECT count(*) FROM invoices WHERE kind = 'credit_note'`); n != 1 {
		t.Errorf("%d credit notes", n)
	}
}

func TestAPurchaseIsNumberedWhenItsInvoiceIsFirstMailed(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1)
	id := o.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":11500}]}}`, o.clients[0],
		o.A.BrandID)).Want(201).Text("id")
	o.Call("GET", "/p/"+id+"/invoice.pdf", nil).Want(404)
	o.Call("GET", "/p/"+id+"/invoice/", nil).Want(200).Lacks("Tax Invoice", "INV-")
	for range 2 {
		o.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(200)
	}
	o.sendAll()
	if n := o.Count(`SELECT count(*) FROM invoices WHERE serial = 1 AND vat_cents = 1500`); n != 1 ||
		o.Count(`SELECT count(*) FROM invoices`) != 1 {
		t.Errorf("%d invoices", n)
	}
	if n := o.Count(
		`SELECT count(*) FROM mails WHERE subject LIKE 'Invoice INV-%-000001 from %' AND state = 'sent' AND text_body <> ''`,
	); n != 2 {
		t.Errorf("%d mails", n)
	}
	o.Call("GET", "/p/"+id+"/invoice/", nil).Want(200).Contains("Tax Invoice", "INV-")
}

func TestNumbersHaveNoGapsWhoeverFails(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 3)
	undo := fmt.Errorf("undone")
	tries := 0
	failing := &billing.Service{Store: billing.Store{DB: o.Store}, Purchases: o.Purchases,
		InTx: func(ctx context.Context, fn func(*database.Tx) error) error {
			return o.Store.InTx(ctx, func(tx *database.Tx) error {
				if err := fn(tx); err != nil {
					return err
				}
				return undo
			})
		}}
	var all sync.WaitGroup
	for i := range 24 {
		s := o.Billing
		if i%3 == 0 {
			s, tries = failing, tries+1
		}
		all.Go(func() {
			in := billing.Input{Pattern: pattern(o), Recipients: make([]billing.Recipient, 1+i%4)}
			for n := range in.Recipients {
				in.Recipients[n].ClientID = uuid.MustParse(o.clients[n%3])
			}
			if _, err := s.Send(t.Context(), o.A.Actor, in); err != nil && s == o.Billing {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := o.Count(`SELECT count(*) FROM invoices`); n == 0 || n != o.Count(`SELECT max(serial) FROM invoices`) ||
		n != o.Count(`SELECT count(DISTINCT number) FROM invoices`) ||
		n != o.Count(`SELECT next - 1 FROM invoice_series`) {
		t.Errorf("%d invoices with gaps after %d failures", n, tries)
	}
	ids := o.bill(course)
	for range 2 {
		for _, id := range ids {
			all.Go(func() { o.API("POST", "/purchases/"+id+"/cancel/", nil) })
		}
	}
	all.Wait()
	if n := o.Count(`SELECT max(serial) FROM invoices WHERE kind = 'credit_note'`); n != 3 ||
		o.Count(`SELECT count(*) FROM invoices WHERE kind = 'credit_note'`) != 3 {
		t.Errorf("credit notes up to %d", n)
	}
}

func TestAnAddressIsMendedAndTheMailSentAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 2)
	ids := o.bill(course)
	o.post.Sender = refusing("c0@example.com")
	if _, err := o.post.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Page(o.A.Staff, "GET", "/invoices?state=mail_failed", nil).Want(200).Contains("Client 0",
		"Correct address").Lacks("Client 1")
	o.Page(o.A.Staff, "GET", "/purchases/"+ids[0], nil).Want(200).Contains("550 no such mailbox",
		"Correct address and send again")
	o.Page(o.A.Staff, "GET", "/attention", nil).Want(200).Contains("550 no such mailbox")
	mend := func(id, email string) handlertest.Answer {
		return o.Page(o.A.Staff, "POST", "/purchases/"+id+"/address", url.Values{"email": {email}})
	}
	mend(ids[0], "not an address").Want(422).Contains("Enter a valid e-mail address")
	o.Page(o.B.Owner, "POST", "/purchases/"+ids[0]+"/address", url.Values{"email": {"mended@example.com"}}).Want(404)
	mend(ids[1], "mended@example.com").Want(303)
	if n := o.Count(`SELECT count(*) FROM clients WHERE email = 'mended@example.com'`); n != 0 {
		t.Error("an address was mended that no mail failed at")
	}
	mend(ids[0], "mended@example.com").Want(303)
	o.sendAll()
	if n := o.Count(
		`SELECT count(*) FROM mails m JOIN clients c ON c.id = m.client_id
			WHERE m.recipient = 'mended@example.com' AND m.state = 'sent' AND c.email = m.recipient`,
	); n != 1 {
		t.Errorf("%d mails to the mended address", n)
	}
	if n := o.Count(`SELECT count(*) FROM audit_entries WHERE action = 'purchase.readdressed'`); n != 1 {
		t.Errorf("%d audit entries", n)
	}
	o.Page(o.A.Staff, "GET", "/invoices?q=mended", nil).Want(200).Contains("Client 0").Lacks("Client 1")
	o.Page(o.A.Staff, "GET", "/invoices?state=mail_failed", nil).Want(200).Lacks("Client 0")
}

// refusing is a relay that does not know one address.
type refusing string

func (r refusing) Send(_ context.Context, m mail.Mail, last mail.LastByte) error {
	if m.To == string(r) {
		return &mail.Refusal{Err: fmt.Errorf("550 no such mailbox")}
	}
	if err := last.May(); err != nil {
		return err
	}
	last.Gone()
	return nil
}

func TestTheListOfInvoicesFindsByNumberClientAndState(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 3)
	ids := o.bill(course)
	o.sendAll()
	o.Call("GET", "/p/"+ids[1]+"/", nil).Want(200)
	o.Page(o.A.Staff, "GET", "/purchases/"+ids[0], nil).Want(200).Contains("/p/" + ids[0] + "/invoice/?preview")
	o.Call("GET", "/p/"+ids[0]+"/invoice/?preview", nil).Want(200) // one of the staff: no payer has seen it
	o.API("POST", "/purchases/"+ids[2]+"/mark_as_paid/", nil).Want(200)
	for query, want := range map[string]string{"?state=sent": "Client 0", "?state=viewed": "Client 1",
		"?state=paid": "Client 2", "?q=INV-2": "Client 0 Client 1 Client 2",
		"?q=3": "Client 2", "?q=c1@example.com": "Client 1",
		fmt.Sprintf("?q=inv-%d-000002", o.Store.Now().Year()): "Client 1", "?state=overdue": "", "?q=nobody": "",
		"?due_from=2099-01-01": "", "": "Client 0 Client 1 Client 2", "?state=nonsense": "Client 0 Client 1 Client 2"} {
		got := o.Page(o.A.Staff, "GET", "/invoices"+query, nil).Want(200)
		for i := range 3 {
			name := fmt.Sprintf("Client %d", i)
			if strings.Contains(got.Body, name) != strings.Contains(want, name) {
				t.Errorf("%s shows %s: %v", query, name, !strings.Contains(want, name))
			}
		}
	}
	o.Page(o.B.Owner, "GET", "/invoices", nil).Want(200).Contains("No invoice yet").Lacks("Client 0")
	file := o.Page(o.A.Staff, "GET", "/invoices/export?format=csv&state=paid", nil).Want(200).Contains("Client 2",
		"473.99", "61.82")
	if n := strings.Count(strings.TrimSpace(file.Lacks("Client 0").Body), "\n"); n != 1 {
		t.Errorf("%d invoices were exported", n)
	}
	list, err := o.Billing.List(t.Context(), o.A.Actor, billing.Filter{}, paging.Ask{Limit: 2})
	if err != nil || len(list.Items) != 2 || !list.Older || list.Items[0].Payer != "Client 2" {
		t.Errorf("page %+v, %v", list, err)
	}
}

func TestARelayGetsOneMailForEachInvoiceWithItsPDF(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 7)
	relay := openRelay(t)
	sender, err := smtp.New("smtp://"+relay.Addr().String(), "desk.example")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Close)
	o.post.Sender, o.post.AtOnce = outbox.WithFiles{Sender: sender, File: o.Billing.File}, 4
	o.bill(course)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if _, err := o.post.SendDue(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	to := map[string]int{}
	for _, text := range relay.taken() {
		m, err := netmail.ReadMessage(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		to[m.Header.Get("To")]++
		subject, _ := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		number := regexp.MustCompile(`INV-\d{4}-\d{6}`).FindString(subject)
		if pdf := pdftest.Text(t, attachment(t, m)); number == "" || !strings.Contains(pdf, number) {
			t.Errorf("%q came with\n%s", subject, pdf)
		}
	}
	if len(to) != 7 || len(relay.taken()) != 7 {
		t.Errorf("the relay has %v", to)
	}
	if n := o.Count(`SELECT count(*) FROM purchases WHERE status = 'sent'`); n != 7 {
		t.Errorf("%d purchases are sent", n)
	}
	if n := o.Count(`SELECT max(length(attachments::text)) FROM mails`); n > 300 {
		t.Errorf("the outbox keeps files: %d bytes", n)
	}
}

func attachment(t *testing.T, m *netmail.Message) []byte {
	t.Helper()
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextPart()
		if err != nil {
			t.Fatal("no PDF", err)
		}
		if strings.HasPrefix(p.Header.Get("Content-Type"), "application/pdf") {
			b, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, p))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
}

func pattern(o *office) purchase.Input {
	due := o.Store.Now().Add(240 * time.Hour)
	return purchase.Input{BrandID: o.A.BrandID, Due: &due, Currency: "ZAR",
		Details: purchase.Details{Language: "en", Timezone: "UTC",
			Products: []purchase.Product{{Name: "m", PriceCents: 100, Quantity: decimal.NewFromInt(1)}}}}
}

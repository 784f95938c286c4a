package checkout_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/purchase"
	"debitdesk/models/simulation"
	"debitdesk/models/subscription"
	"debitdesk/views/documents/pdftest"
)

// letter is a mail of the outbox.
type letter struct {
	Kind, Subject, Text string
	Attachments         []mail.Attachment
}

// letters are the mails in the order in which they were written.
func (d desk) letters() (out []letter) {
	d.t.Helper()
	rows, err := d.Store.Pool.Query(d.t.Context(),
		`SELECT kind, subject, text_body, attachments::text FROM mails WHERE merchant_id = $1 ORDER BY id`, d.A.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l letter, err error) {
		var files string
		if err = row.Scan(&l.Kind, &l.Subject, &l.Text, &files); err == nil {
			err = json.Unmarshal([]byte(files), &l.Attachments)
		}
		return l, err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// later moves the product's clock and lets everything happen that is due.
func (d desk) later(wait time.Duration) {
	d.t.Helper()
	move := simulation.ClockMove{Now: d.Store.Now().Add(wait)}
	if _, err := d.Deps.Controls.Controls.Move(d.t.Context(), d.A.Actor, move); err != nil {
		d.t.Fatal(err)
	}
}

// gym is a subscription of R 449 a month.
func (d desk) gym() uuid.UUID {
	d.t.Helper()
	made, err := d.Subscriptions.Create(d.t.Context(), d.A.Actor,
		subscription.Input{Title: "Gym", IsSubscription: true, Plan: subscription.Default(),
			Pattern: purchase.Input{BrandID: d.A.BrandID, Details: purchase.Details{Products: []purchase.Product{
				{Name: "Gym", PriceCents: 44900, Quantity: decimal.NewFromInt(1)}}}}})
	if err != nil {
		d.t.Fatal(err)
	}
	return made.ID
}

func (d desk) subscribes(client string, template uuid.UUID) subscription.Added {
	d.t.Helper()
	added, err := d.Subscriptions.Add(d.t.Context(), d.A.Actor, template,
		subscription.SubscriberInput{ClientID: uuid.MustParse(client),
			Switches: subscription.Switches{InvoiceOnAdd: true, InvoiceOnChargeFailure: true, Receipt: true}})
	if err != nil || added.Purchase == nil {
		d.t.Fatalf("%+v %v", added, err)
	}
	return added
}

// draws opens the files of a mail, and gives what they say.
func (d desk) draws(l letter) string {
	d.t.Helper()
	var said strings.Builder
	for _, a := range l.Attachments {
		pdf, err := d.Billing.File(d.t.Context(), d.A.ID, a.Ref)
		if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			d.t.Errorf("%s of the mail %q is no PDF: %v", a.Name, l.Subject, err)
			continue
		}
		said.WriteString(a.Name + "\n" + pdftest.Text(d.t, pdf))
	}
	return said.String()
}

func TestTheMailsOfAClientComeInOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	client := d.client()
	d.give(d.purchase(client, storing, 0), filled("full_name", "Thandi 🙂 Nkosi", "account_number", "6200009002")).Want(303)
	added := d.subscribes(client, d.gym())
	path := "/p/" + added.Purchase.ID.String() + "/"
	d.later(added.Purchase.Collection.ActionDate.At(23, 0).Sub(d.Store.Now()) + 72*time.Hour)
	if rec := d.record(path); rec.Status != purchase.Sent {
		t.Fatalf("after the debit failed the purchase is %s", rec.Status)
	}
	for range 6 { // staff are impatient, one by one and in bulk
		if _, err := d.Purchases.Remind(t.Context(), d.A.Actor, added.Purchase.ID); err != nil {
			t.Fatal(err)
		}
	}
	d.get(path).Want(200).Contains("The last debit was not paid", "Not enough money")
	d.give(path, filled()).Want(303)
	d.later(d.record(path).Collection.ActionDate.At(23, 0).Sub(d.Store.Now()) + 72*time.Hour)
	if rec := d.record(path); rec.Status != purchase.Paid {
		t.Fatalf("after it was paid from another account the purchase is %s", rec.Status)
	}

	got := d.letters()
	want := []struct {
		kind  string
		says  []string
		files []string
	}{
		{purchase.MailAgreement, []string{"Nothing is debited now", "•••• 9002"},
			[]string{"mandate-", "Authority to debit", "Thandi □ Nkosi"}},
		{purchase.MailSubscribed, []string{"R\u00a0449,00 every month", "First debit: " +
			added.Purchase.Collection.ActionDate.Format("Monday 2 January 2006")}, nil},
		{purchase.MailFailed, []string{"was not paid", "Not enough money", "R\u00a0449,00", "from another one"},
			[]string{"Invoice"}},
		{purchase.MailReminder, []string{"was not paid", "Not enough money", "Total to pay: R\u00a0449,00", path}, nil},
		{purchase.MailAgreement, []string{"R\u00a0449,00 will be debited on"}, []string{"mandate-"}},
		{purchase.MailReceipt, []string{"Your payment was received", "attached as a PDF"},
			[]string{"receipt-", "Receipt", "R\u00a0449,00"}},
	}
	if len(got) < len(want) {
		t.Fatalf("%d mails: %+v", len(got), got)
	}
	for i, w := range want {
		if got[i].Kind != w.kind {
			t.Errorf("mail %d is a %s (%q), not a %s", i+1, got[i].Kind, got[i].Subject, w.kind)
			continue
		}
		for _, text := range w.says {
			if !strings.Contains(got[i].Text, text) {
				t.Errorf("the %s does not say %q:\n%s", w.kind, text, got[i].Text)
			}
		}
		files := d.draws(got[i])
		for _, text := range w.files {
			if !strings.Contains(files, text) {
				t.Errorf("the file of the %s does not say %q:\n%s", w.kind, text, files)
			}
		}
	}
}

func TestTheMailOfAFailedDebitBringsTheStructuredInvoiceOfABrandThatWritesThem(t *testing.T) {
	d := newDesk(t)
	if _, err := d.Store.Pool.Exec(t.Context(), `UPDATE brands SET structured_invoices = 'ubl', tax_number = '4870264921',
		street_address = '12 Kloof Street', city = 'Cape Town', zip_code = '8001',
		email = 'desk@kloof.example'`); err != nil {
		t.Fatal(err)
	}
	client := d.client()
	d.give(d.purchase(client, storing, 0), filled("account_number", "6200009002")).Want(303)
	added := d.subscribes(client, d.gym())
	d.later(added.Purchase.Collection.ActionDate.At(23, 0).Sub(d.Store.Now()) + 72*time.Hour)
	for _, l := range d.letters() {
		if l.Kind != purchase.MailFailed {
			continue
		}
		if len(l.Attachments) != 2 {
			t.Fatalf("it brings %+v", l.Attachments)
		}
		xml, pdf := l.Attachments[1], l.Attachments[0]
		number := strings.TrimSuffix(pdf.Name, ".pdf")
		file, err := d.Billing.File(t.Context(), d.A.ID, xml.Ref)
		if err != nil || xml.Name != number+".xml" || xml.Type != "application/xml" ||
			!strings.Contains(string(file), "<cbc:ID>"+number+"</cbc:ID>") || !strings.Contains(string(file), ">449.00<") {
			t.Errorf("%+v: %v\n%s", xml, err, file)
		}
		if _, err := d.Billing.File(t.Context(), d.B.ID, xml.Ref); !fault.Is(err, fault.NotFound) {
			t.Errorf("another business has it made: %v", err)
		}
		return
	}
	t.Error("no mail tells of the failed debit")
}

func TestAReminderListsEverythingThatAClientOwes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	client := d.client()
	failed, overdue, other := d.purchase(client, "", 44900), d.purchase(client, "", 20000), d.purchase(d.client(), "", 100)
	d.give(failed, filled()).Want(303)
	d.failed(failed, "02")
	d.pass(overdue)
	for _, path := range []string{failed, overdue, failed} {
		if _, err := d.Purchases.Remind(t.Context(), d.A.Actor, idOf(path)); err != nil {
			t.Fatal(err)
		}
	}
	var reminders []letter
	for _, l := range d.letters() {
		if l.Kind == purchase.MailReminder {
			reminders = append(reminders, l)
		}
	}
	if len(reminders) != 1 {
		t.Fatalf("%d reminders", len(reminders))
	}
	for _, text := range []string{"Not enough money", "was due on", "R\u00a0200,00", "Total to pay: R\u00a0649,00", failed,
		overdue} {
		if !strings.Contains(reminders[0].Text, text) {
			t.Errorf("the reminder does not say %q:\n%s", text, reminders[0].Text)
		}
	}
	if strings.Contains(reminders[0].Text, other) {
		t.Error("it lists what another client owes")
	}
	d.later(24 * time.Hour)
	if _, err := d.Purchases.Remind(t.Context(), d.A.Actor, idOf(failed)); err != nil {
		t.Fatal(err)
	}
	if n := d.Count(`SELECT count(*) FROM mails WHERE kind = 'reminder'`); n != 2 {
		t.Errorf("%d reminders on two days", n)
	}
}

func TestANewSubscriberReadsWhatWillBeDebitedHowMuchWhenAndHowOften(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	added := d.subscribes(d.client(), d.gym())
	got := d.letters()
	if len(got) != 1 || got[0].Kind != purchase.MailLink {
		t.Fatalf("%+v", got)
	}
	for _, text := range []string{"Gym", "R\u00a0449,00 every month", "First debit:"} {
		if !strings.Contains(got[0].Text, text) {
			t.Errorf("the mail does not say %q:\n%s", text, got[0].Text)
		}
	}
	d.get("/p/"+added.Purchase.ID.String()+"/").Want(200).Contains("Gym", "R\u00a0449,00 every month", "First debit")
}

func TestStoppingASubscriptionTakesBackWhatCanBeTakenBackAndTellsEverybody(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Count(`WITH x AS (UPDATE brands SET email = 'accounts@brand-a.example' WHERE id = $1 RETURNING 1)
		SELECT count(*) FROM x`, d.A.BrandID)
	client := d.client()
	d.stored(client)
	added := d.subscribes(client, d.gym())
	path := "/p/" + added.Purchase.ID.String() + "/"
	d.get(path+"subscription/?stop").Want(200).Contains("R\u00a0449,00", "will be withdrawn")
	d.give(path+"subscription/", url.Values{"confirm": {"yes"}}).Want(http.StatusSeeOther)
	d.get(path+"subscription/").Want(200).Contains("This subscription is stopped", "Nothing more will be debited")
	rec := d.record(path)
	if rec.Status != purchase.Failed || rec.Collection.State != "cancelled" && rec.Collection.State != "recalled" {
		t.Errorf("the purchase is %s, its debit %s", rec.Status, rec.Collection.State)
	}
	if n := d.Count(`SELECT count(*) FROM attention_facts WHERE object_id = $1`, rec.ID); n != 1 {
		t.Errorf("it stands in %d places of needs attention", n)
	}
	told := map[string]string{}
	for _, l := range d.letters() {
		told[l.Kind] = l.Text
	}
	if !strings.Contains(told[purchase.MailStopped], "was withdrawn") {
		t.Errorf("the client is told:\n%s", told[purchase.MailStopped])
	}
	if !strings.Contains(told[purchase.MailStopNotice], "Thandi Nkosi stopped") ||
		!strings.Contains(told[purchase.MailStopNotice], "It is still open") {
		t.Errorf("the business is told:\n%s", told[purchase.MailStopNotice])
	}
}

func TestAReceiptIsAPDFOnceAndAsLongAsItIsPaid(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	path := d.purchase(d.client(), "", 12300)
	d.get(path + "receipt.pdf").Want(404)
	d.API("POST", "/purchases/"+idOf(path).String()+"/mark_as_paid/", nil).Want(200)
	d.get(path+"invoice/").Want(200).Contains("Receipt as PDF", path+"receipt.pdf")
	said := pdftest.Text(t, []byte(d.get(path+"receipt.pdf").Want(200).Body))
	for _, text := range []string{"Receipt", "R\u00a0123,00", "Thandi Nkosi", "Paid"} {
		if !strings.Contains(said, text) {
			t.Errorf("the receipt does not say %q:\n%s", text, said)
		}
	}
}

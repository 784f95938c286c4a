package smtp

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/mail"
)

var invoice = mail.Mail{
	ID: uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057"), To: "thandi@example.co.za",
	CC: []string{"copy@example.com"}, BCC: []string{"hidden@example.com"},
	Letter: mail.Letter{Subject: "Invoice for Zoë", Text: "R\u00a0100,00", HTML: "<p>R\u00a0100,00</p>",
		Attachments: []mail.Attachment{{Name: "invoice.pdf", Type: "application/pdf", Content: []byte("%PDF-1.7")}}},
}

var handed = mail.LastByte{May: func() error { return nil }, Gone: func() {}}

func relayAt(t *testing.T, address string) *Relay {
	t.Helper()
	r, err := New(address, "desk.example.co.za")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestAMailArrivesWhole(t *testing.T) {
	s := openSink(t, nil, nil, nil)
	r := relayAt(t, "smtp://"+s.Addr().String()+"?from=Gym+%3Cbilling@gym.example%3E")
	if err := r.Send(t.Context(), invoice, handed); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"MAIL FROM:<billing@gym.example>", "RCPT TO:<thandi@example.co.za>",
		"RCPT TO:<copy@example.com>", "RCPT TO:<hidden@example.com>"} {
		if !s.heard(line) {
			t.Errorf("the relay did not hear %s", line)
		}
	}
	got, err := netmail.ReadMessage(strings.NewReader(s.mails()[0]))
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if subject != "Invoice for Zoë" || got.Header.Get(
		"Message-ID") != "<01890a5d-ac96-774b-bcce-b302099a8057@desk.example.co.za>" ||
		got.Header.Get("From") != `"Gym" <billing@gym.example>` || got.Header.Get("Bcc") != "" ||
		got.Header.Get("Date") == "" {
		t.Errorf("header %v", got.Header)
	}
	kind, params, _ := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if kind != "multipart/mixed" {
		t.Fatalf("content type %s", kind)
	}
	types := map[string]string{}
	parts(t, multipart.NewReader(got.Body, params["boundary"]), types)
	if types["text/plain"] != "R\u00a0100,00" || types["text/html"] != "<p>R\u00a0100,00</p>" ||
		types["application/pdf"] == "" {
		t.Errorf("parts %q", types)
	}
}

func parts(t *testing.T, r *multipart.Reader, into map[string]string) {
	t.Helper()
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, params, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if strings.HasPrefix(kind, "multipart/") {
			parts(t, multipart.NewReader(p, params["boundary"]), into)
			continue
		}
		b, _ := io.ReadAll(p)
		into[kind] = strings.TrimRight(string(b), "\r\n")
	}
}

func TestASubjectCannotAddHeaders(t *testing.T) {
	s := openSink(t, nil, nil, nil)
	m := invoice
	m.Subject = "Invoice for Thandi\r\nBcc: thief@example.com"
	if err := relayAt(t, "smtp://"+s.Addr().String()).Send(t.Context(), m, handed); err != nil {
		t.Fatal(err)
	}
	got, err := netmail.ReadMessage(strings.NewReader(s.mails()[0]))
	if err != nil || got.Header.Get("Bcc") != "" {
		t.Errorf("header %v, %v", got.Header, err)
	}
}

func TestTheRelaysAnswerDecidesWhetherToTryAgain(t *testing.T) {
	for _, row := range []struct {
		name, verb, answer string
		refused, delivered bool
	}{
		{"an unknown recipient", "RCPT", "550 5.1.1 no such mailbox", true, false},
		{"a busy mailbox", "RCPT", "450 4.2.1 try later", false, false},
		{"a refused content", ".", "554 5.7.1 spam", true, false},
		{"a full disk", ".", "452 4.3.1 no room", false, false},
		{"a sender that is not ours", "MAIL", "550 5.7.1 not your sender", false, false},
		{"a relay that greets nobody", "EHLO", "554 go away", false, false},
		{"a reset that fails after the mail was taken", "RSET", "421 closing", false, true},
		{"a farewell that fails after the mail was taken", "QUIT", "421 closing", false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := openSink(t, map[string]string{row.verb: row.answer, "HELO": "554 go away"}, nil, nil)
			err := relayAt(t, "smtp://"+s.Addr().String()).Send(t.Context(), invoice, handed)
			if (err == nil) != row.delivered || mail.IsRefusal(err) != row.refused {
				t.Errorf("refused %v, error %v", mail.IsRefusal(err), err)
			}
		})
	}
}

func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	m := invoice
	m.To = "nobody at home"
	if err := relayAt(t, "smtp://127.0.0.1:1").Send(t.Context(), m, handed); !mail.IsRefusal(err) {
		t.Errorf("got %v", err)
	}
	if err := relayAt(t, "smtp://127.0.0.1:1").Send(t.Context(), invoice, handed); err == nil || mail.IsRefusal(err) {
		t.Errorf("a relay that is away is a passing trouble, got %v", err)
	}
}

func TestThePasswordTravelsEncrypted(t *testing.T) {
	server, client := certificate(t)
	for _, row := range []struct {
		scheme string
		sink   *sink
	}{
		{"smtp", openSink(t, nil, server, nil)},
		{"smtps", openSink(t, nil, nil, server)},
	} {
		t.Run(row.scheme, func(t *testing.T) {
			r := relayAt(t, row.scheme+"://desk%40example.com:s3cret@"+row.sink.Addr().String())
			r.tls.RootCAs = client.RootCAs
			if err := r.Send(t.Context(), invoice, handed); err != nil {
				t.Fatal(err)
			}
			if !row.sink.encrypted || !row.sink.heard("AUTH PLAIN") || !row.sink.heard("MAIL FROM:<desk@example.com>") ||
				len(row.sink.mails()) != 1 {
				t.Errorf("said %q", row.sink.said)
			}
		})
	}
}

func TestWithoutEncryptionNothingIsSaid(t *testing.T) {
	plain := openSink(t, nil, nil, nil)
	r := relayAt(t, "smtp://desk:s3cret@"+plain.Addr().String())
	if err := r.Send(t.Context(), invoice, handed); err == nil {
		t.Error("the password was sent in clear")
	}
	if plain.heard("AUTH") || plain.heard("MAIL") {
		t.Errorf("said %q", plain.said)
	}
	untrusted, _ := certificate(t)
	s := openSink(t, nil, untrusted, nil)
	if err := relayAt(t, "smtp://"+s.Addr().String()).Send(t.Context(), invoice, handed); err == nil {
		t.Error("an unknown certificate was trusted")
	}
}

func TestAnAddressOfARelayIsCheckedAtOnce(t *testing.T) {
	for _, wrong := range []string{"", "mail.example.com", "http://mail.example.com", "smtp://",
		"smtp://user:s3cret@host:mail", "smtp://user:s3cret@h?from=nobody"} {
		if _, err := New(wrong, "desk.example"); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for host, want := range map[string]string{"desk.example:8080": "no-reply@desk.example",
		"127.0.0.1:8080": "no-reply@[127.0.0.1]", "": "no-reply@localhost"} {
		r, err := New("smtp://relay.example", host)
		if err != nil || r.from.Address != want {
			t.Errorf("%q: from %v, %v", host, r, err)
		}
	}
}

func TestOneConversationCarriesManyMails(t *testing.T) {
	s := openSink(t, nil, nil, nil)
	r := relayAt(t, "smtp://"+s.Addr().String())
	for range 3 {
		if err := r.Send(t.Context(), invoice, handed); err != nil {
			t.Fatal(err)
		}
	}
	greetings := 0
	for _, said := range s.said {
		if strings.HasPrefix(said, "EHLO") {
			greetings++
		}
	}
	if greetings != 1 || len(s.mails()) != 3 {
		t.Errorf("%d greetings for %d mails", greetings, len(s.mails()))
	}
}

func TestAMailThatIsNotHandedOverDoesNotArrive(t *testing.T) {
	s := openSink(t, nil, nil, nil)
	r := relayAt(t, "smtp://"+s.Addr().String())
	lost := errors.New("another process has it")
	if err := r.Send(t.Context(), invoice, mail.LastByte{May: func() error { return lost },
		Gone: func() { t.Error("told that it left") }}); !errors.Is(err, lost) {
		t.Errorf("got %v", err)
	}
	if err := r.Send(t.Context(), invoice, handed); err != nil { // the relay has heard the end of the first by then
		t.Fatal(err)
	}
	r.Close()
	if got := s.mails(); len(got) != 1 {
		t.Errorf("%d mails arrived", len(got))
	}
}

func TestEverythingButTheEndIsSaidBeforeAMailIsHandedOver(t *testing.T) {
	s := openSink(t, map[string]string{"RCPT": "550 no such mailbox"}, nil, nil)
	err := relayAt(t, "smtp://"+s.Addr().String()).Send(t.Context(), invoice,
		mail.LastByte{May: func() error { t.Error("handed over a mail that was refused"); return nil }})
	if !mail.IsRefusal(err) {
		t.Errorf("got %v", err)
	}
}

func TestMessageIdsAndTheSenderCarryThePublicNameAlone(t *testing.T) {
	for host, want := range map[string]string{"https://desk.example.co.za": "desk.example.co.za",
		"http://127.0.0.1:8080": "[127.0.0.1]", "http://localhost:80": "localhost",
		"desk.example.co.za:8443": "desk.example.co.za", "": "localhost"} {
		if got := publicName(host); got != want {
			t.Errorf("%q is called %s", host, got)
		}
	}
}

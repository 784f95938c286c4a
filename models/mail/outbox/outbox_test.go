package outbox_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/paging"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

// relay takes mails, or answers what it is told to.
type relay struct {
	mu    sync.Mutex
	taken []uuid.UUID
	tries int
	fail  error
	enter func() // called in the middle of sending
	leave func() // called when a mail may leave, before its last byte
}

func (r *relay) Send(_ context.Context, m mail.Mail, last mail.LastByte) error {
	if r.enter != nil {
		r.enter()
	}
	if err := last.May(); err != nil {
		return err
	}
	if r.leave != nil {
		r.leave()
	}
	last.Gone()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries++
	if r.fail == nil {
		r.taken = append(r.taken, m.ID)
	}
	return r.fail
}

type house struct {
	*database.DB
	outbox.Service
	relay    *relay
	merchant uuid.UUID
	jobs     []queue.Job
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{relay: &relay{}}
	box, err := seal.NewBox([]seal.Key{{ID: "t", Secret: make([]byte, 32)}}, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, Seal: box,
		Enqueue: func(_ context.Context, _ pgx.Tx, jobs []queue.Job) error {
			h.jobs = append(h.jobs, jobs...)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h.DB, h.merchant = s, s.NewID()
	h.Service = outbox.Service{Store: outbox.Store{DB: s}, Sender: h.relay}
	return h
}

func (h *house) letter(t *testing.T, about uuid.UUID, attempt int) mail.Mail {
	t.Helper()
	m := mail.Mail{MerchantID: h.merchant, ObjectID: about, Kind: "invoice", Attempt: attempt, PurchaseID: about,
		To: "thandi@example.co.za", CC: []string{"a@example.com", `odd,"one"@example.com`},
		Letter: mail.Letter{Subject: "Your invoice", Text: "Pay, please.", HTML: "<p>Pay, please.</p>",
			Attachments: []mail.Attachment{{Name: "invoice.pdf", Type: "application/pdf", Content: []byte("%PDF\x00\xff")}}}}
	if err := h.InTx(t.Context(), func(tx *database.Tx) error {
		m.ID = tx.NewID()
		tx.InsertMail(m)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return m
}

func (h *house) find(t *testing.T, id uuid.UUID) mail.Mail {
	t.Helper()
	m, err := outbox.Store{DB: h.DB}.Mail(t.Context(), h.merchant, id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (h *house) advance(t *testing.T, d time.Duration) {
	t.Helper()
	if err := h.Clock.MoveTo(t.Context(), h.Now().Add(d)); err != nil {
		t.Fatal(err)
	}
}

func TestAMailComesBackAsItWasWritten(t *testing.T) {
	h := open(t)
	want := h.letter(t, uuid.New(), 1)
	got := h.find(t, want.ID)
	if got.To != want.To || !slices.Equal(got.CC, want.CC) || len(got.BCC) != 0 || got.Subject != want.Subject ||
		got.Text != want.Text || got.HTML != want.HTML || got.PurchaseID != want.PurchaseID || got.ClientID != uuid.Nil ||
		got.State != mail.Queued {
		t.Errorf("got %+v", got)
	}
	if len(got.Attachments) != 1 || string(got.Attachments[0].Content) != "%PDF\x00\xff" {
		t.Errorf("attachments %+v", got.Attachments)
	}
	if len(h.jobs) != 1 || h.jobs[0] != (queue.SendMail{MailID: want.ID}) {
		t.Errorf("jobs %v", h.jobs)
	}
	if _, err := (outbox.Store{DB: h.DB}).Mail(t.Context(), uuid.New(), want.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another merchant read the mail: %v", err)
	}
}

func TestOneCauseIsOneMail(t *testing.T) {
	h := open(t)
	about := uuid.New()
	first := h.letter(t, about, 1)
	again := h.letter(t, about, 1)
	h.letter(t, about, 2)
	all, err := outbox.Store{DB: h.DB}.MailsAbout(t.Context(), h.merchant, about)
	if err != nil || len(all) != 2 || all[1].ID != first.ID {
		t.Fatalf("%d mails, %v", len(all), err)
	}
	if err := h.Send(t.Context(), again.ID); err != nil {
		t.Errorf("the job of a mail that was not needed failed: %v", err)
	}
}

func TestMailsAreListedNewestFirstInPages(t *testing.T) {
	h := open(t)
	var ids []uuid.UUID
	for i := range 3 {
		h.advance(t, time.Second)
		ids = append(ids, h.letter(t, uuid.New(), i).ID)
	}
	read := func(merchantID, from uuid.UUID, newer bool) paging.Page[mail.Mail] {
		ask := paging.Ask{From: from, Newer: newer, Limit: 2}
		found, err := outbox.Store{DB: h.DB}.Mails(t.Context(), merchantID, outbox.Filter{}, ask)
		if err != nil {
			t.Fatal(err)
		}
		return paging.Cut(ask, found)
	}
	page := read(h.merchant, uuid.Nil, false)
	if len(page.Items) != 2 || page.Items[0].ID != ids[2] || page.Items[1].ID != ids[1] || !page.Older || page.Newer {
		t.Fatalf("first page %v", page)
	}
	if page = read(h.merchant, ids[1], false); len(page.Items) != 1 || page.Items[0].ID != ids[0] || page.Older {
		t.Errorf("second page %v", page)
	}
	if page = read(h.merchant, ids[0], true); len(page.Items) != 2 || page.Items[0].ID != ids[2] || page.Newer {
		t.Errorf("back to the first page %v", page)
	}
	if page = read(uuid.New(), uuid.Nil, false); len(page.Items) != 0 {
		t.Errorf("another merchant sees %v", page)
	}
}

func TestASentMailIsMarkedAndToldOnce(t *testing.T) {
	h := open(t)
	var told []uuid.UUID
	h.Sent = func(_ context.Context, mails []mail.Mail) error {
		for _, m := range mails {
			told = append(told, m.PurchaseID)
		}
		return nil
	}
	m := h.letter(t, uuid.New(), 1)
	for range 2 {
		if err := h.Send(t.Context(), m.ID); err != nil {
			t.Fatal(err)
		}
	}
	got := h.find(t, m.ID)
	if got.State != mail.Sent || got.Tries != 1 || got.SentAt.IsZero() {
		t.Errorf("got %+v", got)
	}
	if len(h.relay.taken) != 1 || !slices.Equal(told, []uuid.UUID{m.PurchaseID}) {
		t.Errorf("sent %d times, told %v", len(h.relay.taken), told)
	}
}

func TestTwoProcessesSendAMailOnce(t *testing.T) {
	h := open(t)
	m := h.letter(t, uuid.New(), 1)
	h.relay.enter = func() { // the other one comes while this one is sending
		other := outbox.Service{Store: outbox.Store{DB: h.DB},
			Sender: &relay{enter: func() { t.Error("the mail was sent twice") }}}
		if err := other.Send(t.Context(), m.ID); err != nil {
			t.Error(err)
		}
		if n, err := other.SendDue(t.Context()); n != 0 || err != nil {
			t.Errorf("the sweep sent %d, %v", n, err)
		}
	}
	if err := h.Send(t.Context(), m.ID); err != nil {
		t.Fatal(err)
	}
	if len(h.relay.taken) != 1 {
		t.Errorf("sent %d times", len(h.relay.taken))
	}
}

// TestASlowProcessSendsItsMailAlone: its claim ran out before the mail's turn came, in a long group or on a slow
// machine, and another process looks for mails just before the last byte leaves.
func TestASlowProcessSendsItsMailAlone(t *testing.T) {
	h := open(t)
	m := h.letter(t, uuid.New(), 1)
	h.relay.enter = func() {
		if _, err := h.Pool.Exec(t.Context(), `UPDATE mails SET claimed_until = now() - interval '1 second'`); err != nil {
			t.Fatal(err)
		}
	}
	h.relay.leave = func() {
		other := outbox.Service{Store: outbox.Store{DB: h.DB},
			Sender: &relay{leave: func() { t.Error("the mail was sent twice") }}}
		var process sync.WaitGroup
		process.Go(func() {
			if n, err := other.SendDue(t.Context()); n != 0 || err != nil {
				t.Errorf("the sweep sent %d, %v", n, err)
			}
		})
		process.Wait()
	}
	if err := h.Send(t.Context(), m.ID); err != nil {
		t.Fatal(err)
	}
	if got := h.find(t, m.ID); got.State != mail.Sent || got.Tries != 1 || len(h.relay.taken) != 1 {
		t.Errorf("sent %d times: %+v", len(h.relay.taken), got)
	}
}

func TestManyProcessesShareTheOutbox(t *testing.T) {
	h := open(t)
	const n = 60
	for i := range n {
		h.letter(t, uuid.New(), i)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := h.SendDue(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if _, err := h.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(h.relay.taken) != n {
		t.Errorf("%d mails were sent %d times", n, len(h.relay.taken))
	}
}

func TestAClaimOfACrashedProcessRunsOut(t *testing.T) {
	h := open(t)
	m := h.letter(t, uuid.New(), 1)
	if claimed, err := (outbox.Store{DB: h.DB}).ClaimMail(t.Context(), m.ID); err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	h.advance(t, 48*time.Hour) // the sandbox clock does not end a claim
	if n, err := h.SendDue(t.Context()); n != 0 || err != nil {
		t.Fatalf("sent %d while claimed, %v", n, err)
	}
	if _, err := h.Pool.Exec(t.Context(), `UPDATE mails SET claimed_until = now() - interval '1 second'`); err != nil {
		t.Fatal(err)
	}
	if n, err := h.SendDue(t.Context()); n != 1 || err != nil {
		t.Errorf("sent %d after the claim, %v", n, err)
	}
	if got := h.find(t, m.ID); got.Tries != 2 || got.ID != m.ID {
		t.Errorf("got %+v", got)
	}
}

func TestAFailingRelayIsTriedAgainWithGrowingPatience(t *testing.T) {
	h := open(t)
	m := h.letter(t, uuid.New(), 1)
	h.relay.fail = errors.New("451 come back later")
	waits := []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
		16 * time.Hour}
	for try, wait := range waits {
		if err := h.Send(t.Context(), m.ID); err == nil {
			t.Fatal("the failure was swallowed")
		}
		if got := h.find(t, m.ID); got.State != mail.Queued || got.Tries != try+1 || got.Error != "451 come back later" {
			t.Fatalf("after try %d: %+v", try+1, got)
		}
		h.advance(t, wait-30*time.Second)
		if n, err := h.SendDue(t.Context()); n != 0 || err != nil {
			t.Fatalf("try %d came early: %v", try+2, err)
		}
		h.advance(t, 30*time.Second)
	}
	if _, err := h.SendDue(t.Context()); err != nil { // the eighth; one failure does not stop a sweep
		t.Fatal(err)
	}
	if got := h.find(t, m.ID); got.State != mail.Failed || got.Tries != outbox.Tries || h.relay.tries != outbox.Tries {
		t.Errorf("got %+v after %d tries", got, h.relay.tries)
	}
}

func TestARefusedMailIsGivenUpAtOnce(t *testing.T) {
	h := open(t)
	h.Sent = func(context.Context, []mail.Mail) error { t.Error("told of a mail that was refused"); return nil }
	m := h.letter(t, uuid.New(), 1)
	h.relay.fail = &mail.Refusal{Err: errors.New("550 no such mailbox")}
	if err := h.Send(t.Context(), m.ID); err == nil {
		t.Error("the refusal was swallowed")
	}
	if got := h.find(t, m.ID); got.State != mail.Failed || got.Error != "550 no such mailbox" {
		t.Errorf("got %+v", got)
	}
}

func TestASweepLeavesAFailingRelayAlone(t *testing.T) {
	h := open(t)
	for i := range 5 {
		h.letter(t, uuid.New(), i)
	}
	h.relay.fail = errors.New("connection refused")
	if _, err := h.SendDue(t.Context()); err == nil {
		t.Error("the sweep tells nothing")
	}
	if h.relay.tries != 3 {
		t.Errorf("tried %d times", h.relay.tries)
	}
}

func TestAMailThatWasHandedOverIsNotSentAgain(t *testing.T) {
	h := open(t)
	var told []uuid.UUID
	h.Sent = func(_ context.Context, mails []mail.Mail) error {
		for _, m := range mails {
			told = append(told, m.ID)
		}
		return nil
	}
	before, after := h.letter(t, uuid.New(), 1), h.letter(t, uuid.New(), 2)
	for _, m := range []mail.Mail{before, after} { // a process claims both, hands one over, and is killed
		claimed, err := outbox.Store{DB: h.DB}.ClaimMail(t.Context(), m.ID)
		if err != nil || len(claimed) != 1 {
			t.Fatal(claimed, err)
		}
	}
	leaving, err := outbox.Store{DB: h.DB}.HandMail(t.Context(), after.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := leaving.Gone(t.Context()); err != nil {
		t.Fatal(err)
	}
	leaving.Release()
	if _, err := h.Pool.Exec(t.Context(), `UPDATE mails SET claimed_until = now() - interval '1 second'`); err != nil {
		t.Fatal(err)
	}
	if n, err := h.SendDue(t.Context()); n != 1 || err != nil {
		t.Fatalf("sent %d, %v", n, err)
	}
	if !slices.Equal(h.relay.taken, []uuid.UUID{before.ID}) || len(told) != 2 {
		t.Errorf("the relay has %v, told of %v", h.relay.taken, told)
	}
	for _, m := range []mail.Mail{before, after} {
		if got := h.find(t, m.ID); got.State != mail.Sent {
			t.Errorf("got %+v", got)
		}
	}
}

func TestASlowProcessDoesNotHandOverWhatAnotherTook(t *testing.T) {
	h := open(t)
	m := h.letter(t, uuid.New(), 1)
	other := outbox.Service{Store: outbox.Store{DB: h.DB}, Sender: &relay{}}
	h.relay.enter = func() {
		if _, err := h.Pool.Exec(t.Context(), `UPDATE mails SET claimed_until = now() - interval '1 second'`); err != nil {
			t.Error(err)
		}
		if err := other.Send(t.Context(), m.ID); err != nil {
			t.Error(err)
		}
	}
	if err := h.Send(t.Context(), m.ID); err != nil {
		t.Error(err)
	}
	if len(h.relay.taken) != 0 {
		t.Error("the mail was sent twice")
	}
	if got := h.find(t, m.ID); got.State != mail.Sent || got.Tries != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestWordsAreKeptAndFilesAreOnlyNamed(t *testing.T) {
	h := open(t)
	m := mail.Mail{MerchantID: h.merchant, ObjectID: uuid.New(), Kind: "invoice", Attempt: 1, To: "thandi@example.co.za",
		Letter: mail.Letter{Subject: "Invoice"}}
	if err := h.InTx(t.Context(), func(tx *database.Tx) error {
		m.ID = tx.NewID()
		tx.InsertMail(m)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	h.Compose = func(_ context.Context, mails []mail.Mail) ([]mail.Letter, error) {
		return []mail.Letter{{Subject: mails[0].Subject + " 1", Text: "Pay",
			Attachments: []mail.Attachment{{Name: "1.pdf", Type: "application/pdf", Ref: "invoice:1"}}}}, nil
	}
	var brought []byte
	h.Sender = outbox.WithFiles{Sender: files{&brought},
		File: func(_ context.Context, merchantID uuid.UUID, ref string) ([]byte, error) {
			if merchantID != h.merchant {
				t.Error("another merchant's file")
			}
			return []byte("%PDF of " + ref), nil
		}}
	if err := h.Send(t.Context(), m.ID); err != nil {
		t.Fatal(err)
	}
	got := h.find(t, m.ID)
	if got.Subject != "Invoice 1" || got.Text != "Pay" || len(got.Attachments) != 1 ||
		got.Attachments[0].Ref != "invoice:1" || len(got.Attachments[0].Content) != 0 {
		t.Errorf("got %+v", got)
	}
	if string(brought) != "%PDF of invoice:1" {
		t.Errorf("the relay was brought %q", brought)
	}
}

func TestAMailLeavesWithoutAFileThatMayBeLeftOutAndCannotBeMade(t *testing.T) {
	var left []string
	lacks := fault.New(fault.Conflict, "not_structured", "The client has no address.")
	w := outbox.WithFiles{Sender: sent(func(m mail.Mail) {
		for _, a := range m.Attachments {
			left = append(left, a.Name+" "+string(a.Content))
		}
	}), File: func(_ context.Context, _ uuid.UUID, ref string) ([]byte, error) {
		if ref == "broken" {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, lacks
	}}
	m := mail.Mail{Letter: mail.Letter{Attachments: []mail.Attachment{{Name: "1.xml", Ref: "1", Optional: true},
		{Name: "2.pdf", Content: []byte("%PDF")}}}}
	if err := w.Send(t.Context(), m, mail.LastByte{}); err != nil || !slices.Equal(left, []string{"2.pdf %PDF"}) ||
		len(m.Attachments) != 2 {
		t.Errorf("it left with %q: %v", left, err)
	}
	m.Attachments[0].Ref = "broken"
	if err := w.Send(t.Context(), m, mail.LastByte{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it left although its file failed: %v", err)
	}
	m.Attachments[0] = mail.Attachment{Name: "1.pdf", Ref: "1"}
	if err := w.Send(t.Context(), m, mail.LastByte{}); !errors.Is(err, lacks) {
		t.Errorf("it left without its invoice: %v", err)
	}
}

// sent is a relay that takes everything.
type sent func(mail.Mail)

func (s sent) Send(_ context.Context, m mail.Mail, _ mail.LastByte) error {
	s(m)
	return nil
}

// files is a relay that looks at the first attachment alone.
type files struct{ brought *[]byte }

func (f files) Send(_ context.Context, m mail.Mail, last mail.LastByte) error {
	*f.brought = m.Attachments[0].Content
	if err := last.May(); err != nil {
		return err
	}
	last.Gone()
	return nil
}

func TestAMailThatIsDamagedIsGivenUpAndTheOthersAreSent(t *testing.T) {
	h := open(t)
	broken, good := h.letter(t, h.NewID(), 1), h.letter(t, h.NewID(), 1)
	if _, err := h.Pool.Exec(t.Context(), `UPDATE mails SET text_body = '', html_body = '',
		body_sealed = '\x0001' WHERE id = $1`, broken.ID); err != nil {
		t.Fatal(err)
	}
	_, _ = h.SendDue(t.Context())
	if len(h.relay.taken) != 1 || h.relay.taken[0] != good.ID {
		t.Errorf("sent: %v", h.relay.taken)
	}
	got := h.find(t, broken.ID)
	if got.State != mail.Failed || got.Text != mail.Unread || got.Error == "" {
		t.Errorf("the damaged one is %s, it says %q, because %q", got.State, got.Text, got.Error)
	}
}

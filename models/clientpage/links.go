package clientpage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/queue"
	"debitdesk/models/sms"
	"debitdesk/models/user"
)

// Limits of links (source: follow-up, section 10).
const (
	perContact = 3  // an hour that one address or number may ask for
	perNetwork = 20 // an hour from one network
	mostSent   = 10 // a day that are made for one client, whoever asks
	mostAlike  = 5  // clients of one address who each get their own
)

// Send mails a client a link to its page, as staff asked.
func (s *Service) Send(ctx context.Context, who actor.Actor, clientID uuid.UUID) (l Link, err error) {
	if err := who.May(actor.Write); err != nil {
		return l, err
	}
	one, err := s.Clients.Client(ctx, who.MerchantID, clientID)
	if err != nil {
		return l, err
	}
	if err := MaySend(one); err != nil {
		return l, err
	}
	return s.send(ctx, who, one, Sent, uuid.Nil)
}

// SendSMS sends a client a link to its page by a short message, as staff asked, and tells when it goes out: SMS
// wait for the hours in which they may be sent, and the link works for 24 hours from then on.
func (s *Service) SendSMS(ctx context.Context, who actor.Actor, clientID uuid.UUID) (m sms.Message, err error) {
	if err := who.May(actor.Write); err != nil {
		return m, err
	}
	c, err := s.Clients.Client(ctx, who.MerchantID, clientID)
	if err != nil {
		return m, err
	}
	if err := s.MaySendSMS(ctx, c); err != nil {
		return m, err
	}
	return s.text(ctx, who, c, Sent, uuid.Nil)
}

// text makes a link and its SMS, one for each cause. The words of the answer are left out: they let their reader in.
func (s *Service) text(ctx context.Context, who actor.Actor, c client.Client, why Purpose,
	cause uuid.UUID) (m sms.Message, err error) {
	b, err := s.BrandOf(ctx, c)
	if err != nil {
		return m, err
	}
	at, err := s.Texts.When(ctx, c.MerchantID, s.Now())
	if err != nil {
		return m, err
	}
	token, hash := newToken()
	err = s.InTx(ctx, func(tx *database.Tx) error {
		l, err := s.link(tx, who, c, b, hash, why, max(at.Sub(tx.Now()), 0))
		if err != nil {
			return err
		}
		object := cause
		if object == uuid.Nil {
			object = l.ID
		}
		m, err = s.Texts.Queue(tx, sms.Message{MerchantID: c.MerchantID, BrandID: b.ID, ClientID: c.ID, ObjectID: object,
			Kind: sms.Page, Attempt: 1, To: c.Phone, Text: s.Letters.ClientPageSMS(c.Addressed(), b, token)})
		if err != nil {
			return err
		}
		text := "A link to the client’s own page was sent by SMS."
		if why == Asked {
			text = "The client asked for a link to its own page, and it was sent by SMS."
		}
		tx.Audit(who, audit.Entry{Action: "client_page.sent", ObjectType: "client", ObjectID: c.ID, ClientID: c.ID,
			Text: text, After: map[string]any{"link": l.ID, "expires_at": l.ExpiresAt, "sms": m.ID}})
		m.Text = "" // it lets its reader in, and the answer may be kept
		return tx.Answered(m)
	})
	return m, err
}

// MaySendSMS is nil when a link can be sent to a client by SMS.
func (s *Service) MaySendSMS(ctx context.Context, c client.Client) error {
	if c.Erased() {
		return errErased
	}
	return s.Texts.May(ctx, c.MerchantID, c.Phone)
}

// MaySend is nil when a link can be mailed to a client.
func MaySend(c client.Client) error {
	switch {
	case c.Erased():
		return errErased
	case c.Email == "":
		return fault.New(fault.Conflict, "no_email",
			"This client has no e-mail address. Add one first: the link is sent to the address on file.")
	}
	return nil
}

var errErased = fault.New(fault.Conflict, "client_erased",
	"The personal data of this client was erased, so it has no page of its own.")

// link makes a link that works for 24 hours after a wait, in real time.
func (s *Service) link(tx *database.Tx, who actor.Actor, c client.Client, b merchant.Brand, hash []byte, why Purpose,
	wait time.Duration) (l Link, err error) {
	at, now := tx, s.Real()
	n, err := sentSince(at, c.MerchantID, c.ID, now.Add(-24*time.Hour))
	if err != nil {
		return l, err
	}
	if n >= mostSent {
		return l, fault.New(fault.Conflict, "too_many_links",
			"This client got %d links within a day. Ask the client to look for one of them, or try again tomorrow.", n)
	}
	client.Hold(at, c.MerchantID, c.ID)
	l = Link{ID: tx.NewID(), MerchantID: c.MerchantID, ClientID: c.ID, BrandID: b.ID, Hash: hash, Purpose: why,
		AskedBy: who.Name, CreatedAt: database.Instant(now), ExpiresAt: database.Instant(now.Add(wait + LinkLasts))}
	at.Create(&l)
	return l, nil
}

// send makes a link and its mail. The mail is one for each cause, whatever runs twice.
func (s *Service) send(ctx context.Context, who actor.Actor, c client.Client, why Purpose, cause uuid.UUID) (l Link,
	err error) {
	b, err := s.BrandOf(ctx, c)
	if err != nil {
		return l, err
	}
	token, hash := newToken()
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if l, err = s.link(tx, who, c, b, hash, why, 0); err != nil {
			return err
		}
		if cause == uuid.Nil {
			cause = l.ID
		}
		tx.InsertMail(mail.Mail{ID: tx.NewID(), MerchantID: c.MerchantID, ObjectID: cause, Kind: MailLink, Attempt: 1,
			ClientID: c.ID, To: c.Email, State: mail.Queued, CreatedAt: tx.Now(),
			Letter: s.Letters.ClientPage(c.Addressed(), b, token, l.ExpiresAt, why == Asked)})
		text := "A link to the client’s own page was mailed."
		if why == Asked {
			text = "The client asked for a link to its own page, and it was mailed."
		}
		tx.Audit(who, audit.Entry{Action: "client_page.sent", ObjectType: "client", ObjectID: c.ID, ClientID: c.ID,
			Text: text, After: map[string]any{"link": l.ID, "expires_at": l.ExpiresAt}})
		return tx.Answered(l)
	})
	return l, err
}

// BrandOf is the one in whose name the client knows the business.
func (s *Service) BrandOf(ctx context.Context, c client.Client) (merchant.Brand, error) {
	id, err := s.Store.brandOf(ctx, c.MerchantID, c.ID)
	if err != nil {
		return merchant.Brand{}, err
	}
	if id != uuid.Nil {
		return s.Merchants.Brand(ctx, c.MerchantID, id)
	}
	all, err := s.Merchants.Brands(ctx, c.MerchantID)
	if err == nil && len(all) == 0 {
		err = fault.Missing()
	}
	if err != nil {
		return merchant.Brand{}, err
	}
	return all[0], nil
}

// Ask takes a client's wish for a link, at the page of a merchant. What is done here is the same for known and unknown
// contacts and takes the same time; whether there is a mail or an SMS is found out later, in the background. TooMany is
// for the network address alone.
func (s *Service) Ask(ctx context.Context, m merchant.Merchant, contact string, bySMS bool, ip string) error {
	contact = strings.TrimSpace(contact)
	return s.InTx(ctx, func(tx *database.Tx) error {
		now := s.Real()
		counters, err := user.Throttles(tx, []string{contactKey(m.ID, contact), "client-page:ip:" + ip})
		if err != nil {
			return err
		}
		if wait := over(counters[1], perNetwork, now); wait > 0 {
			f := fault.New(fault.TooMany, "too_many_requests",
				"There were too many requests from your network. Please try again in an hour.")
			f.RetryAfterSeconds = int(wait/time.Second) + 1
			return f
		}
		user.SaveThrottle(tx, counted(counters[1], now))
		if over(counters[0], perContact, now) == 0 {
			user.SaveThrottle(tx, counted(counters[0], now))
			tx.Enqueue(queue.SendClientPage{AskID: tx.NewID(), MerchantID: m.ID, Contact: contact, BySMS: bySMS, IP: ip})
		}
		return nil
	})
}

// contactKey keeps only a hash of what was typed.
func contactKey(merchantID uuid.UUID, contact string) string {
	if phone, ok := client.Phone(contact); ok && phone != "" {
		contact = phone
	}
	sum := sha256.Sum256([]byte(merchantID.String() + "\x00" + strings.ToLower(contact)))
	return "client-page:" + hex.EncodeToString(sum[:16])
}

// over is how long a counter is full that lets so many through in an hour; 0: it is not.
func over(t user.Throttle, most int, now time.Time) time.Duration {
	if now.Sub(t.LastAt) >= time.Hour || t.Failures < most {
		return 0
	}
	return t.LastAt.Add(time.Hour).Sub(now)
}

// counted counts one more; an hour begins with the first of it.
func counted(t user.Throttle, now time.Time) user.Throttle {
	if now.Sub(t.LastAt) >= time.Hour {
		t.Failures, t.LastAt = 0, now
	}
	t.Failures++
	return t
}

// SendAsked sends links to the clients to whom a contact belongs, to the address or the number on file; none is no
// error. It is safe to repeat.
func (s *Service) SendAsked(ctx context.Context, ask queue.SendClientPage) error {
	phone, isPhone := client.Phone(ask.Contact)
	if !isPhone {
		phone = ""
	}
	email := ""
	if client.IsEmail(ask.Contact) {
		email = ask.Contact
	}
	if email == "" && phone == "" {
		return nil
	}
	found, err := s.Store.known(ctx, ask.MerchantID, email, phone, s.Texts.Ready(), mostAlike)
	if err != nil {
		return err
	}
	for _, c := range found {
		who := actor.PayerOf(c.MerchantID, c.Name(), ask.IP, "")
		cause := uuid.NewSHA1(ask.AskID, c.ID[:])
		bySMS, byMail, err := s.linkBySMS(ctx, c, ask.BySMS)
		switch {
		case bySMS:
			_, err = s.text(ctx, who, c, Asked, cause)
		case byMail:
			_, err = s.send(ctx, who, c, Asked, cause)
		}
		if err = unlessRefused(err); err != nil { // had too many, or was deleted meanwhile
			return err
		}
	}
	return nil
}

// Look tells whose page a link leads to, and changes nothing, for programs that read mail open links. NotFound when it
// is unknown, Conflict when it does not work any more; the brand is given then, too. Reads is the language of the
// client, where it is known.
func (s *Service) Look(ctx context.Context, token string) (b merchant.Brand, reads string, err error) {
	l, err := s.Store.link(ctx, tokenHash(token))
	if err != nil {
		return b, "", err
	}
	if b, err = s.Merchants.Brand(ctx, l.MerchantID, l.BrandID); err != nil {
		return b, "", err
	}
	c, err := s.Clients.Client(ctx, l.MerchantID, l.ClientID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return b, "", err
	}
	return b, c.Addressed().Language, l.usable(s.Real())
}

// Open begins a visit by a link, and gives the token of its cookie. A link opens as often as it is used while it works.
func (s *Service) Open(ctx context.Context, token, ip, requestID string) (cookie string, err error) {
	l, err := s.Store.link(ctx, tokenHash(token))
	if err != nil {
		return "", err
	}
	now := s.Real()
	if err := l.usable(now); err != nil {
		return "", err
	}
	c, err := s.Clients.Client(ctx, l.MerchantID, l.ClientID)
	if err != nil {
		return "", err
	}
	cookie, hash := newToken()
	err = s.InTx(ctx, func(tx *database.Tx) error {
		won, err := openLink(tx, l, now)
		if err != nil {
			return err
		}
		if !won {
			return fault.New(fault.Conflict, "link_ended", "This link was ended.")
		}
		tx.Create(&Session{Hash: hash, LinkID: l.ID, MerchantID: l.MerchantID,
			CreatedAt: database.Instant(now), ExpiresAt: database.Instant(now.Add(SessionLasts))})
		tx.Audit(actor.PayerOf(l.MerchantID, c.Name(), ip, requestID), audit.Entry{Action: "client_page.opened",
			ObjectType: "client", ObjectID: c.ID, ClientID: c.ID, Text: "The client opened its own page.",
			After: map[string]any{"link": l.ID}})
		return nil
	})
	return cookie, err
}

// Visit finds who is on the page; NotFound when the visit is over, or its link was ended.
func (s *Service) Visit(ctx context.Context, cookie string) (v Visit, err error) {
	v.Session = tokenHash(cookie)
	found, err := s.Store.visit(ctx, v.Session, s.Real())
	if err != nil {
		return v, err
	}
	v.Link, v.Until = found.Link, found.Until
	if v.Client, err = s.Clients.Client(ctx, v.Link.MerchantID, v.Link.ClientID); err != nil {
		return v, err
	}
	if v.Client.Erased() {
		return v, fault.Missing()
	}
	v.Brand, err = s.Merchants.Brand(ctx, v.Link.MerchantID, v.Link.BrandID)
	return v, err
}

// Leave ends a visit.
func (s *Service) Leave(ctx context.Context, cookie string) error {
	return s.InTx(ctx, func(tx *database.Tx) error {
		return endSession(tx, tokenHash(cookie))
	})
}

// EndLinks ends all links of a client that work, and with them its visits. It tells how many there were.
func (s *Service) EndLinks(ctx context.Context, who actor.Actor, clientID uuid.UUID) (n int64, err error) {
	if err := who.May(actor.Write); err != nil {
		return 0, err
	}
	if _, err := s.Clients.Client(ctx, who.MerchantID, clientID); err != nil {
		return 0, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if n, err = endLinks(tx, who.MerchantID, clientID, "staff", s.Real()); err != nil {
			return err
		}
		if n > 0 {
			tx.Audit(who, audit.Entry{Action: "client_page.ended", ObjectType: "client", ObjectID: clientID,
				ClientID: clientID, Text: "All links to the client’s own page were ended."})
		}
		return tx.Answered(n)
	})
	return n, err
}

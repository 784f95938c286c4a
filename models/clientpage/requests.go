package clientpage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/mail"
)

// RequestKind is what a client asks of the business.
type RequestKind string

// The kinds of requests. The first four are rights under POPIA, which are answered within 30 days.
const (
	Objection  RequestKind = "objection"
	Correction RequestKind = "correction"
	Deletion   RequestKind = "deletion"
	Access     RequestKind = "access"

	AsksDay     RequestKind = "day"
	AsksStop    RequestKind = "stop"
	AsksPause   RequestKind = "pause"
	AsksAccount RequestKind = "account"
	NotAgreed   RequestKind = "mandate" // it did not agree to a mandate, under which nothing is debited since then
)

// Rights are the kinds of privacy requests.
var Rights = []RequestKind{Objection, Correction, Deletion, Access}

// IsRight tells a privacy request from another.
func (k RequestKind) IsRight() bool { return slices.Contains(Rights, k) }

// Channel is how a request came.
type Channel string

// The channels. The first is the client's own page; the others are for staff who write a request down.
const (
	ByPage   Channel = "page"
	ByPhone  Channel = "phone"
	ByMail   Channel = "mail"
	ByLetter Channel = "letter"
	InPerson Channel = "person"
)

// Channels are those by which staff write a request down.
var Channels = []Channel{ByPhone, ByMail, ByLetter, InPerson}

// RequestState is where a request stands.
type RequestState string

// The states of a request.
const (
	RequestOpen      RequestState = "open"
	RequestAnswered  RequestState = "answered"
	RequestWithdrawn RequestState = "withdrawn" // the client does not want it any longer
)

// daysToAnswer is how long staff may take for what no law gives a time for (ours).
const daysToAnswer = 7

// Request is what one client asked for.
type Request struct {
	ID, MerchantID, ClientID uuid.UUID     `gorm:"<-:create"`
	Kind                     RequestKind   `gorm:"<-:create"`
	Channel                  Channel       `gorm:"<-:create"`
	ObjectID                 uuid.UUID     `gorm:"<-:create"`
	About                    string        `gorm:"<-:create"`
	Text                     string        `gorm:"<-:create"`
	ReceivedOn               calendar.Date `gorm:"<-:create"`
	DueOn                    calendar.Date `gorm:"<-:create"`
	State                    RequestState
	Answer                   string
	AnsweredOn               calendar.Date
	AnsweredBy               string
	AnswererID               uuid.UUID
	RecordedBy               string `gorm:"<-:create"`
	Version                  int
	CreatedAt                time.Time
	UpdatedAt                time.Time

	ClientName string `gorm:"->;-:migration"`
}

// Late tells that an open request should have been answered before a day; Soon that few days are left
// (source: follow-up, section 11: remind at 20 days, red at 27).
func (r Request) Late(today calendar.Date) bool {
	return r.State == RequestOpen && today.After(r.DueOn)
}

// Soon tells that an open request is due within ten days.
func (r Request) Soon(today calendar.Date) bool {
	return r.State == RequestOpen && !r.Late(today) && r.DueOn.DaysSince(today) <= 10
}

// DueOn is the last day to answer a request that was received on a day (source: rulebook, popia.answer_days).
func (s *Service) DueOn(k RequestKind, received calendar.Date) calendar.Date {
	if k.IsRight() {
		return s.Purchases.Timetable.Rules.AnswerPersonBy(received, s.Purchases.Calendar)
	}
	return received.AddDays(daysToAnswer)
}

const (
	longestText = 1000 // characters of what a client or a person writes
	oldestDays  = 366  // days ago that a request was received which is written down
)

// cleanText is what may be kept of a text.
func cleanText(field, text string, needed bool) (string, error) {
	return followup.FreeText{Most: longestText, Needed: needed, Missing: "Write a few words.",
		Long:    "At most %d characters fit here.",
		Numbers: "Please leave identity numbers and card numbers out of this text."}.Clean(field, text)
}

// RequestInput is a request as staff write it down.
type RequestInput struct {
	ClientID   uuid.UUID
	Kind       RequestKind
	Channel    Channel
	Text       string
	ReceivedOn calendar.Date
}

// Record writes down a privacy request that came by another channel than the page.
func (s *Service) Record(ctx context.Context, who actor.Actor, in RequestInput) (r Request, err error) {
	if err := who.May(actor.Write); err != nil {
		return r, err
	}
	today := calendar.DateOf(s.Now())
	var wrong fault.Problems
	if !in.Kind.IsRight() {
		wrong.Add("kind", "invalid_choice", "Choose what the client asks for.")
	}
	if !slices.Contains(Channels, in.Channel) {
		wrong.Add("channel", "invalid_choice", "Choose how the request came.")
	}
	if in.ReceivedOn.IsZero() || in.ReceivedOn.After(today) || today.DaysSince(in.ReceivedOn) > oldestDays {
		wrong.Add("received_on", "invalid", "Enter the day on which the request came: from %s to today.",
			today.AddDays(-oldestDays))
	}
	if in.Text, err = cleanText("text", in.Text, true); err != nil {
		f, _ := fault.From(err)
		wrong = append(wrong, f.Fields...)
	}
	if err := wrong.Err(); err != nil {
		return r, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if err := lockClient(tx, who.MerchantID, in.ClientID); err != nil {
			return err
		}
		r = s.insertRequest(tx, who, Request{ClientID: in.ClientID, Kind: in.Kind, Channel: in.Channel, Text: in.Text,
			ReceivedOn: in.ReceivedOn})
		return tx.Answered(r)
	})
	return r, err
}

// insertRequest adds a request.
func (s *Service) insertRequest(tx *database.Tx, who actor.Actor, r Request) Request {
	r.ID, r.MerchantID, r.State, r.RecordedBy, r.Version = tx.NewID(), who.MerchantID, RequestOpen, who.Name, 1
	r.CreatedAt, r.UpdatedAt = tx.Now(), tx.Now()
	r.DueOn = s.DueOn(r.Kind, r.ReceivedOn)
	tx.Create(&r)
	tx.Audit(who, audit.Entry{Action: "client_request.received", ObjectType: "client_request", ObjectID: r.ID,
		ClientID: r.ClientID, Text: "A request was received: " + r.Kind.Label() + ". It is to be answered by " +
			r.DueOn.Format("2 January 2006") + ".",
		After: map[string]any{"kind": r.Kind, "channel": r.Channel, "due_on": r.DueOn.String()}})
	return r
}

// Label says in a few words what is asked for.
func (k RequestKind) Label() string {
	return cmp.Or(map[RequestKind]string{Objection: "objection to the use of personal data",
		Correction: "correction of details", Deletion: "deletion of personal data", Access: "copy of personal data",
		AsksDay: "another debit day", AsksStop: "stop of a subscription", AsksPause: "pause of a subscription",
		AsksAccount: "another bank account", NotAgreed: "“I did not agree to this” (a mandate)"}[k], string(k))
}

// Answer answers a request, and mails the answer to the client where there is an address. Version is that of the
// request that the person saw.
func (s *Service) Answer(ctx context.Context, who actor.Actor, id uuid.UUID, version int, state RequestState,
	answer string) (r Request, err error) {
	if err := who.May(actor.Write); err != nil {
		return r, err
	}
	if state != RequestAnswered && state != RequestWithdrawn {
		return r, fault.At("state", "invalid_choice", "A request is answered or withdrawn.")
	}
	if answer, err = cleanText("answer", answer, state == RequestAnswered); err != nil {
		return r, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if r, err = lockRequest(tx, who.MerchantID, id); err != nil {
			return err
		}
		if r.State != RequestOpen || r.Version != version {
			return errChanged
		}
		r.State, r.Answer, r.AnsweredBy, r.AnswererID = state, answer, who.Name, who.ID
		r.AnsweredOn, r.UpdatedAt = calendar.DateOf(tx.Now()), tx.Now()
		if err := saveRequest(tx, r); err != nil {
			return err
		}
		r.Version++
		tx.Audit(who, audit.Entry{Action: "client_request." + string(state), ObjectType: "client_request", ObjectID: r.ID,
			ClientID: r.ClientID, Text: "The request was " + string(state) + ": " + r.Kind.Label() + ".",
			Before: map[string]any{"state": RequestOpen}, After: map[string]any{"state": state}})
		if state == RequestAnswered {
			if err := s.mailAnswer(tx, r); err != nil {
				return err
			}
		}
		return tx.Answered(r)
	})
	return r, err
}

// Reaches gives the client that made a request, and whether its answer is mailed: not where there is no address, or no
// such client, as it may have asked.
func (s *Service) Reaches(ctx context.Context, r Request) (c client.Client, mailed bool, err error) {
	c, err = s.Clients.Client(ctx, r.MerchantID, r.ClientID)
	if fault.Is(err, fault.NotFound) {
		return c, false, nil
	}
	return c, err == nil && c.Email != "" && !c.Erased(), err
}

func (s *Service) mailAnswer(tx *database.Tx, r Request) error {
	c, mailed, err := s.Reaches(tx.Context(), r)
	if err != nil || !mailed {
		return err
	}
	b, err := s.BrandOf(tx.Context(), c)
	if err != nil {
		return err
	}
	tx.InsertMail(mail.Mail{ID: tx.NewID(), MerchantID: r.MerchantID, ObjectID: r.ID, Kind: MailAnswer, Attempt: r.Version,
		ClientID: r.ClientID, To: c.Email, State: mail.Queued, CreatedAt: tx.Now(),
		Letter: s.Letters.ClientAnswer(c.Addressed(), b, r)})
	return nil
}

var errChanged = fault.New(fault.Conflict, "request_changed",
	"Another person changed this request since you opened it. Look at it again.")

// Reopen takes an answer back, so that the request is to be answered again by the same day. The mail that went
// out stays.
func (s *Service) Reopen(ctx context.Context, who actor.Actor, id uuid.UUID, version int) (r Request, err error) {
	if err := who.May(actor.Write); err != nil {
		return r, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if r, err = lockRequest(tx, who.MerchantID, id); err != nil {
			return err
		}
		if r.State == RequestOpen || r.Version != version {
			return errChanged
		}
		before := r.State
		r.State, r.AnsweredOn, r.AnsweredBy, r.AnswererID, r.UpdatedAt = RequestOpen, calendar.Date{}, "", uuid.Nil, tx.Now()
		if err := saveRequest(tx, r); err != nil {
			return err
		}
		r.Version++
		tx.Audit(who, audit.Entry{Action: "client_request.reopened", ObjectType: "client_request", ObjectID: r.ID,
			ClientID: r.ClientID, Text: "The request was opened again: " + r.Kind.Label() + ".",
			Before: map[string]any{"state": before}, After: map[string]any{"state": RequestOpen}})
		return tx.Answered(r)
	})
	return r, err
}

// Request finds one of the merchant's.
func (s *Service) Request(ctx context.Context, who actor.Actor, id uuid.UUID) (Request, error) {
	if err := who.May(actor.Read); err != nil {
		return Request{}, err
	}
	return s.Store.request(ctx, who.MerchantID, id)
}

// MostRequests is how many open requests a page lists, and mostClosed how many others.
const MostRequests, mostClosed = 200, 50

// Register are the requests of a business: the open ones by the day on which they are due, and the newest others.
type Register struct{ Open, Closed []Request }

// Register lists the requests of the business.
func (s *Service) Register(ctx context.Context, who actor.Actor) (r Register, err error) {
	if err := who.May(actor.Read); err != nil {
		return r, err
	}
	if r.Open, err = s.Store.openRequests(ctx, who.MerchantID, MostRequests); err != nil {
		return r, err
	}
	r.Closed, err = s.Store.closedRequests(ctx, who.MerchantID, mostClosed)
	return r, err
}

// RequestsOf are the newest requests of a client.
func (s *Service) RequestsOf(ctx context.Context, who actor.Actor, clientID uuid.UUID) ([]Request, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.requestsOf(ctx, who.MerchantID, clientID, mostClosed)
}

// GoOn lets debits go on under a mandate to which a client said that it did not agree, as staff found that it did.
// Version is that of the request that the person saw.
func (s *Service) GoOn(ctx context.Context, who actor.Actor, id uuid.UUID, version int) (r Request, err error) {
	if err := who.May(actor.Approve); err != nil {
		return r, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if r, err = lockRequest(tx, who.MerchantID, id); err != nil {
			return err
		}
		switch {
		case r.Kind != NotAgreed:
			return fault.Missing()
		case r.Version != version:
			return errChanged
		}
		if err := s.Stops.AgreeIn(tx, who, who.MerchantID, r.ObjectID); err != nil {
			return err
		}
		return tx.Answered(r)
	})
	return r, err
}

// Package notice tells clients of a debit some days before it, where a brand wishes that: once for each day that a
// debit is planned for. It is off at first, for such messages raise reversals about as often as payments (source:
// follow-up, section 5), so that it also says what became of debits with a notice and without. It must not know how a
// message is worded or sent.
package notice

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
	"debitdesk/models/texting"
	"debitdesk/models/token"
)

// Kind names the message, as mail and as SMS.
const Kind = "debit_notice"

// MostDays is how many days before a debit clients can be told.
const MostDays = 7

// hour is when clients are told, in South Africa.
const hour = 8

// Channel is how clients are told.
type Channel string

// The channels.
const (
	ByMail Channel = "mail"
	BySMS  Channel = "sms"
)

// Settings are what a brand wishes.
type Settings struct {
	BrandID    uuid.UUID `gorm:"primaryKey"`
	MerchantID uuid.UUID
	Days       int // before the debit; 0: clients are not told
	Channel    Channel
	RanOn      calendar.Date // the last day on which clients were told
	Version    int           // 0: nobody set anything yet
	UpdatedAt  time.Time
}

// On tells that clients are told.
func (s Settings) On() bool { return s.Days > 0 }

// Letters words notices. The record has the debit that is meant.
type Letters interface {
	Notice(rec purchase.Record, from token.Token) mail.Letter
	NoticeSMS(rec purchase.Record) string
}

// Service holds the use cases of notices.
type Service struct {
	Store     Store
	Purchases *purchase.Service
	Texts     *texting.Service // nil: no SMS
	Letters   Letters
	Now       func() time.Time
}

// Input is what a person chooses, and the version that they saw.
type Input struct {
	Version, Days int
	Channel       Channel
}

// Save keeps what a brand wishes. The first clients are told on the next morning. Errors: Invalid by field; Conflict of
// code "notice_changed" when another person saved since.
func (s *Service) Save(ctx context.Context, who actor.Actor, brandID uuid.UUID, in Input) (set Settings, err error) {
	if err := who.May(actor.Manage); err != nil {
		return set, err
	}
	var wrong fault.Problems
	if in.Days < 0 || in.Days > MostDays {
		wrong.Add("days", "invalid_choice", "Choose from 1 to %d days, or no notice.", MostDays)
	}
	if in.Channel != ByMail && in.Channel != BySMS {
		wrong.Add("channel", "invalid_choice", "Choose e-mail or SMS.")
	} else if in.Channel == BySMS && in.Days > 0 && !s.Texts.Ready() {
		wrong.Add("channel", "sms_not_set_up", "%s", texting.ErrNotReady.Error())
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		b, err := merchant.LockBrand(tx, who.MerchantID, brandID)
		if err != nil {
			return err
		}
		if err := wrong.Err(); err != nil {
			return err
		}
		was, err := Store{tx.DB()}.Settings(tx.Context(), b.MerchantID, b.ID)
		switch {
		case err != nil:
			return err
		case was.Version != in.Version:
			return fault.New(fault.Conflict, "notice_changed",
				"Another person changed this in the meantime. Look at what is set now, and choose again.")
		}
		if set = was; was.Version > 0 && was.Days == in.Days && was.Channel == in.Channel {
			return nil
		}
		set.Days, set.Channel, set.Version, set.UpdatedAt = in.Days, in.Channel, was.Version+1, tx.Now()
		if !was.On() {
			set.RanOn = calendar.DateOf(tx.Now())
		}
		if err := save(tx, set); err != nil {
			return err
		}
		text := "Clients are no longer told of debits before them."
		if set.On() {
			text = "Clients are told of a debit " + plural.Of(set.Days, "day") + " before it."
		}
		tx.Audit(who, audit.Entry{Action: "notice.changed", ObjectType: "brand", ObjectID: b.ID, Text: text,
			Before: map[string]any{"days": was.Days, "channel": was.Channel},
			After:  map[string]any{"days": set.Days, "channel": set.Channel}})
		return nil
	})
	return set, err
}

// Run tells clients of the debits whose days have come, and gives how many debits it was about.
func (s *Service) Run(ctx context.Context) (n int, err error) {
	due, err := s.Store.due(ctx, s.today())
	for _, set := range due {
		told, failed := s.runBrand(ctx, set)
		n, err = n+told, errors.Join(err, failed)
	}
	return n, err
}

// today is the newest day on which clients may have been told already: the day before, until the hour has come.
func (s *Service) today() calendar.Date {
	now := s.Now()
	day := calendar.DateOf(now)
	if now.Before(day.At(hour, 0)) {
		return day.AddDays(-1)
	}
	return day
}

// Overdue tells whether a brand has clients to be told.
func (s *Service) Overdue(ctx context.Context) (bool, error) {
	due, err := s.Store.due(ctx, s.today())
	return len(due) > 0, err
}

// NextDue is when clients are told next; false when no brand wishes it.
func (s *Service) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	last, found, err := s.Store.ranFirst(ctx)
	if err != nil || !found {
		return at, false, err
	}
	day := last.AddDays(1)
	if today := calendar.DateOf(s.Now()); day.Before(today) { // days that were missed are over
		day = today
	}
	return day.At(hour, 0), true, nil
}

// atOnce is how many debits are told of in one transaction.
const atOnce = 200

// runBrand tells the clients of one brand what is debited within the days of its settings.
func (s *Service) runBrand(ctx context.Context, set Settings) (n int, err error) {
	b, err := s.Purchases.Merchants().Brand(ctx, set.MerchantID, set.BrandID)
	if err != nil {
		return 0, err
	}
	today := s.today()
	for {
		told, err := s.tellSome(ctx, set, b, today)
		if n += told; err != nil {
			return n, err
		}
		if told < atOnce {
			return n, s.Store.ran(ctx, set, today)
		}
	}
}

func (s *Service) tellSome(ctx context.Context, set Settings, b merchant.Brand,
	today calendar.Date) (n int, err error) {
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		debits, err := planned(tx, set, today, atOnce)
		if n = len(debits); err != nil || n == 0 {
			return err
		}
		ids := make([]uuid.UUID, n)
		froms := make([]uuid.UUID, n)
		for i, c := range debits {
			ids[i], froms[i] = c.PurchaseID, c.TokenID
		}
		purchases, err := s.Purchases.Store.PurchasesOf(tx.Context(), set.MerchantID, ids)
		if err != nil {
			return err
		}
		tokens, err := accounts(tx, set.MerchantID, froms)
		if err != nil {
			return err
		}
		told := make([]Notice, n)
		for i, c := range debits {
			rec := purchase.Record{Purchase: purchases[c.PurchaseID], Brand: b, Collection: &debits[i]}
			told[i] = Notice{CollectionID: c.ID, ActionDate: c.ActionDate, MerchantID: c.MerchantID, BrandID: c.BrandID,
				Channel: set.Channel, CreatedAt: tx.Now()}
			if why, err := s.tell(tx, set, rec, tokens[c.TokenID]); err != nil {
				return err
			} else if why != "" {
				told[i].Channel, told[i].Why = "", why
			}
		}
		return insert(tx, told)
	})
	return n, err
}

// tell queues the message about one debit; why is the code of what keeps the client from being told.
func (s *Service) tell(tx *database.Tx, set Settings, rec purchase.Record, from token.Token) (why string, err error) {
	c := rec.Collection
	rec.Purchase = s.Purchases.Addressed(tx.Context(), rec.Purchase, rec.Brand)
	attempt := c.ActionDate.Number() // one debit and day, one message
	if set.Channel == BySMS {
		_, err := s.Texts.Queue(tx, sms.Message{MerchantID: rec.MerchantID, BrandID: rec.BrandID, ClientID: rec.ClientID,
			PurchaseID: rec.ID, ObjectID: c.ID, Kind: Kind, Attempt: attempt, To: rec.Payer.Phone,
			ExpiresAt: c.ActionDate.At(0, 0), Text: s.Letters.NoticeSMS(rec)})
		if f, refused := fault.From(err); refused && f.Kind == fault.Conflict {
			return f.Code, nil // its words may name the number
		}
		return "", err
	}
	if rec.Payer.Email == "" {
		return "no_email", nil
	}
	m := rec.Mail(tx, Kind, attempt, s.Letters.Notice(rec, from))
	m.ObjectID = c.ID
	tx.InsertMail(m)
	return "", nil
}

package savedreport

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
)

// MailMonthly is the kind of the mail with a report.
const MailMonthly = "monthly_report"

// atOnce is how many reports are read together.
const atOnce = 50

// Run mails what waits for the first business day of the month. The row of a report says for which month it is settled:
// whoever comes second, in whatever process, finds it so and mails nothing.
func (s *Service) Run(ctx context.Context) error {
	today := s.today()
	if today.Before(mailDay(s.Calendar, today)) {
		return nil
	}
	var wrong error
	for after := uuid.Nil; ; {
		waiting, err := s.Store.due(ctx, today.FirstDayOfMonth(), after, atOnce)
		if err != nil || len(waiting) == 0 {
			return errors.Join(wrong, err)
		}
		for _, r := range waiting {
			after = r.ID
			if err := s.settle(ctx, r, today); err != nil {
				wrong = errors.Join(wrong, fmt.Errorf("mail report %s: %w", r.ID, err))
			}
		}
	}
}

// settle mails one report, or keeps why not.
func (s *Service) settle(ctx context.Context, r Report, today calendar.Date) error {
	letter, address, err := s.word(ctx, r, today)
	f, refused := fault.From(err)
	if err != nil && (!refused || f.Kind == fault.Internal) {
		return err // it is tried again
	}
	if r.SettledOn, r.Note = today.FirstDayOfMonth(), ""; refused {
		r.Note = f.Words()
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		first, err := settle(tx, r)
		if err != nil || !first || refused {
			return err
		}
		tx.InsertMail(mail.Mail{MerchantID: r.MerchantID, ObjectID: r.ID, Kind: MailMonthly,
			Attempt: 12*today.Year + int(today.Month), To: address, Letter: letter})
		return nil
	})
}

// word writes the mail with a report. A person who may not see it any more is refused.
func (s *Service) word(ctx context.Context, r Report, today calendar.Date) (letter mail.Letter, address string,
	err error) {
	who, address, err := s.Person(ctx, r.MerchantID, r.OwnerID)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.Forbidden, "permission_denied", "Not mailed: the owner is no longer on the team.")
	} else if err == nil && who.May(actor.Read) != nil {
		err = fault.New(fault.Forbidden, "permission_denied", "Not mailed: the owner may no longer see reports.")
	}
	if err != nil {
		return letter, "", err
	}
	q, before := r.Asks(today)
	file, err := s.Draw(ctx, who, r, q, before)
	if err != nil {
		return letter, "", err
	}
	letter = s.Letters.MonthlyReport(who.Name, r, q)
	letter.Attachments = []mail.Attachment{{Name: "debits-" + q.From.String() + "-" + q.To.String() + ".pdf",
		Type: "application/pdf", Content: file}}
	return letter, address, nil
}

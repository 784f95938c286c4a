package exchange

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// mature counts debits as paid that silence says are paid: the bank has acknowledged their message, the morning after
// the debit date has come, and nothing came back. A debit whose recall nobody answered waits for a person. While
// something from the bank is unread, as after an outage, it may be a return: nothing counts until it is read. Where
// somebody carries files here, silence counts up to the last round that brought everything.
func (s *Service) mature(ctx context.Context) (counted int, err error) {
	until, why, err := s.heard(ctx)
	if err != nil {
		return 0, err
	}
	if err := s.missSilence(ctx, until, why); err != nil || until.IsZero() {
		return 0, err
	}
	for {
		n := 0
		err := s.Store.inTx(ctx, func(tx unit) error {
			items, err := tx.holdSilent(until, s.chunk())
			if err != nil {
				return err
			}
			n = len(items)
			answers := make([]Answer, n)
			for i := range items {
				at := items[i].SilenceAt
				items[i].Outcome, items[i].OutcomeOn = bank.Provisional, items[i].ActionDate
				answers[i] = Answer{ID: "silence:" + hexID(items[i].ID), ItemID: items[i].ID, MerchantID: items[i].MerchantID,
					Kind: bank.Provisional, Code: bank.CodeSuccess, At: at, Raw: []byte(`<Silence/>`)}
			}
			if err := tx.saveItems(items); err != nil {
				return err
			}
			return tx.addAnswers(answers)
		})
		if err != nil {
			return counted, fmt.Errorf("count debits as paid: %w", err)
		}
		if n == 0 {
			return counted, nil
		}
		counted += n
	}
}

// heard is the moment up to which everything that the bank says is here; why tells what is in the way where that is not
// now. The zero moment: nothing is known.
func (s *Service) heard(ctx context.Context) (until time.Time, why string, err error) {
	unread, err := s.Box.Unread(ctx)
	switch {
	case err != nil:
		return until, "", err
	case unread:
		return until, "a file from the bank lies in the inbox and is not read yet", nil
	}
	now := s.Now()
	ago, carried, err := s.Box.Fetched(ctx)
	if err != nil || !carried {
		return now, "", err
	}
	until = now.Add(-max(ago, 0))
	return until, "files from the bank were last fetched completely on " + moment(until), nil
}

// silenceLate is how long silence may be held up before a person is asked (ours).
const silenceLate = time.Hour

// missSilence asks a person of each merchant about debits that silence would have counted long ago, if it could be told
// from answers that do not come.
func (s *Service) missSilence(ctx context.Context, until time.Time, why string) error {
	before := s.Now().Add(-silenceLate)
	if why == "" || until.After(before) {
		before = time.Time{} // nobody waits long
	}
	return s.Store.inTx(ctx, func(tx unit) error {
		held, err := tx.heldUp(until, before)
		if err != nil {
			return err
		}
		var findings []Finding
		for _, id := range held {
			findings = append(findings, Finding{MerchantID: id, Kind: NotFetched, Subject: id.String(),
				Text: "Debits do not count as paid by silence at present: " + why + ", so an answer about them may be missing. " +
					"Look after how files come from the bank."})
		}
		if len(findings) == 0 {
			return tx.settleKind(NotFetched, "Files from the bank come again.")
		}
		return tx.openFindings(findings)
	})
}

// missedDeadlines asks a person about debits that were too late for their day: one finding for each merchant and day.
func missedDeadlines(items []Item, fresh map[uuid.UUID]bool) []Finding {
	type key struct {
		merchant uuid.UUID
		day      calendar.Date
	}
	var findings []Finding
	known := map[key]bool{}
	for _, i := range items {
		k := key{i.MerchantID, i.ActionDate}
		if i.State != ItemLate || !fresh[i.ID] || known[k] {
			continue
		}
		known[k] = true
		findings = append(
			findings,
			Finding{MerchantID: i.MerchantID, Kind: MissedDeadline, Subject: lateSubject(k.merchant, k.day),
				Text: "Debits for " + i.ActionDate.Format("Mon 2 Jan 2006") + " missed the bank’s cut-off. Send them anyway, " +
					"or mark them as not collected."},
		)
	}
	return findings
}

func lateSubject(merchantID uuid.UUID, day calendar.Date) string {
	return merchantID.String() + ":" + day.String()
}

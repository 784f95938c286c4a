package exchange

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// mature counts debits as paid that silence says are paid: the bank has acknowledged their message, the morning after
// the debit date has come, and nothing came back. A debit whose recall nobody answered waits for a person. While
// something from the bank is unread, as after an outage, it may be a return: nothing counts until it is read.
func (s *Service) mature(ctx context.Context) (counted int, err error) {
	if unread, err := s.Box.Unread(ctx); err != nil || unread {
		return 0, err
	}
	for {
		n := 0
		err := s.Store.inTx(ctx, func(tx unit) error {
			now := tx.Now()
			items, err := tx.holdSilent(now, s.chunk())
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

package debit

import (
	"context"
	"errors"
	"fmt"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// contest sends the recorded mandate where the bank asks for proof of it. A
// permission that the merchant only vouched for is no proof: its dispute waits
// until somebody adds the document.
func (s *Service) contest(ctx context.Context, done *Done) error {
	var wrong error
	err := sweep(func() (sent int, err error) {
		due, err := s.Store.contestsDue(ctx, s.chunk())
		if err != nil {
			return 0, err
		}
		for _, d := range due {
			if err := s.contestOne(ctx, d); err != nil {
				wrong = errors.Join(wrong, err)
				continue
			}
			sent++
			done.touch(d.Collection.ID)
		}
		done.Contested += sent
		return sent, nil
	})
	return errors.Join(err, wrong)
}

func (s *Service) contestOne(ctx context.Context, d contest) error {
	proof := proofOf(d)
	err := s.Bank.Contest(ctx, proof)
	text := fmt.Sprintf("The mandate %s was sent to the bank as proof (%s).",
		d.Mandate.ContractReference, proof.FileName)
	switch {
	case errors.Is(err, bank.ErrTooLate), errors.Is(err, bank.ErrUnknown):
		text = "The bank no longer accepts proof for this dispute."
	case errors.Is(err, bank.ErrUnable):
		text = bank.Capabilities{}.NoContest()
	case err != nil:
		return fmt.Errorf("contest collection %s: %w", d.Collection.ID, err)
	}
	return s.InTx(ctx, func(tx *database.Tx) error {
		first, err := proofSent(tx, d.Collection.ID)
		if err == nil && first {
			note(tx, actor.SystemOf(d.Collection.MerchantID), d.Collection, "collection.contested", "%s", text)
		}
		return err
	})
}

func proofOf(d contest) bank.Proof {
	p := bank.Proof{InstructionID: d.Collection.ID, MandateID: d.Mandate.ID}
	if d.Evidence != nil {
		p.FileName, p.Document = d.Evidence.Name, d.Evidence.Content
		return p
	}
	c := d.Mandate.Consent
	p.FileName = "mandate-" + d.Mandate.ContractReference + ".txt"
	p.Document = fmt.Appendf(nil,
		"%s\n\nContract reference: %s\nAccount holder: %s\nAccount: %s\nGiven: %s SAST\nAddress: %s\nBrowser: %s\n",
		c.Text, d.Mandate.ContractReference, d.Mandate.HolderName, d.Mandate.AccountMask,
		c.At.In(calendar.SAST).Format("2006-01-02 15:04:05"), c.IP, c.Agent)
	return p
}

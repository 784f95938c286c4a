package purchase

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
)

// Capture stores an account from a mandate that the client signed on paper: the
// purchase, the mandate with its scan, and the token, in one transaction. The
// mandate counts from the day it was signed.
func (s *Service) Capture(ctx context.Context, who actor.Actor, in Input, a Account,
	signed calendar.Date) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	a.Channel = mandate.SignedPaper
	a.Clean()
	if f, ok := fault.From(a.Check(s, Record{})); ok {
		in.Problems = append(in.Problems, f.Fields...)
	}
	if today := today(s); signed.IsZero() {
		in.Problems.Add("signed_on", "required", "Enter the day on which the mandate was signed.")
	} else if signed.After(today) {
		in.Problems.Add("signed_on", "max_value", "The mandate cannot be signed in the future.")
	}
	if len(a.Evidence) == 0 && !in.Problems.Has("scan") {
		in.Problems.Add("scan", "required",
			"Add the scan of the signed mandate; it is the proof when the client disputes a debit.")
	}
	p, brand, err := s.draft(ctx, who, &in)
	if err != nil {
		return Record{}, err
	}
	if err := s.NotStopped(ctx, who.MerchantID, p.ClientID); err != nil {
		return Record{}, err
	}
	a.Into(&p)
	rec := Record{Purchase: p, Brand: brand}
	dd := rec.directDebit()
	p.Details.DirectDebit, p.Method = &dd, EFT
	account, err := s.storingFor(ctx, who, &p, brand, mandate.Consent{Text: a.ConsentText, At: signed.At(0, 0).UTC(),
		IP: who.IP, Channel: a.Channel}, false)
	if err != nil {
		return Record{}, err
	}
	account.evidence = a.Evidence
	return s.insert(ctx, who, p, brand, account)
}
